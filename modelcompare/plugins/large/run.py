"""``modelcompare sketch``: sums of a test set, to be compared by and added up later."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from modelcompare.cli.output import check_paths
from modelcompare.cli.reading import Reading
from modelcompare.cli.streams import answer, say
from modelcompare.plugins.large.queries import DatabaseTable, sketch_query
from modelcompare.plugins.large.sketches import Sketch
from modelcompare.plugins.large.summing import sketch as sum_up
from modelcompare.plugins.large.words import BUCKETS, SALT, Dialect


def database_table(
    *, sql: Dialect | None, table: str | None, classes: Sequence[str] | None
) -> DatabaseTable | None:
    """Return the table that a query is about, if one is asked for."""
    if sql is not None:
        return DatabaseTable(sql, table or "", classes or ())
    for name, value in {"--table": table, "--class": classes}.items():
        if value is not None:
            raise ValueError(
                f"{name} is for a query; give its dialect with --sql, or leave it out."
            )
    return None


def sketch(
    reading: Reading, *, source: DatabaseTable | None = None, metrics: Sequence[str] | None = None,
    buckets: int, salt: str, output: Path | None = None,
) -> None:  # fmt: skip
    """Sum a test set by a hash of its samples, add sketches, or print a query that sums."""
    if source is not None:
        if metrics is not None:
            raise ValueError(
                "--metric is for predictions; a query's sketch has the metrics that it sums."
            )
        named = reading.groups or reading.id
        _check_query(reading, output, {
            "--table": source.table, "--true": reading.true,
            "--model: a column of labels, or the stem of MODEL:CLASS": reading.models,
            "--id (or --groups): the column that names the samples": named,
        })  # fmt: skip
        answer(sketch_query(
            source, true=reading.true, models=reading.models, id=named, buckets=buckets, salt=salt,
        ))  # fmt: skip
        return
    if output is None or output.suffix.lower() != ".parquet":
        raise ValueError("-o is needed: where the sketch goes, a file that ends in .parquet.")
    check_paths([output], reading.files)
    if reading.checkpoint is not None:
        raise ValueError("--read checkpoint keeps totals of resamples, and a sketch draws none.")
    found = reading.read(by_blocks=True)
    if not isinstance(found, Sketch):
        found = sum_up(found, metrics, buckets=buckets, salt=salt)
    elif metrics is not None:
        raise ValueError(
            "--metric is for predictions; a sketch keeps the metrics that it was made for."
        )
    elif (buckets, salt) not in ((BUCKETS, SALT), (found.n_buckets, found.about.salt)):
        raise ValueError("--buckets and --salt are for predictions; a sketch keeps its own.")
    say(f"wrote {found.save(output)}: {len(found):,} samples")


def _check_query(reading: Reading, output: Path | None, needed: dict[str, object]) -> None:
    """Refuse files together with a query, and a query without columns."""
    if reading.files or output is not None:
        raise ValueError("--sql prints a query and reads nothing; leave the files and -o out.")
    for name, value in needed.items():
        if not value:
            raise ValueError(f"--sql needs {name}.")
    reading.refuse_beside(
        ("files", "true", "id", "groups", "models"),
        "is for predictions that are read, and a query does without; leave it out",
    )
    if reading.id is not None and reading.groups is not None:
        raise ValueError("--sql needs --id or --groups, the column by which rows go together.")
