"""``modelcompare sketch``: sums of a test set, to be compared by and added up later."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, cast

import typer

from modelcompare.cli.options import ReadingOptions, Text, Texts, measured, option, written
from modelcompare.cli.streams import answer, say
from modelcompare.words import Dialect, listed

_FILES = "Predictions, as for compare; or sketches, which are added up."
_DEFAULTS = 1024, "modelcompare"
_NO_FILES = cast("list[Path]", ())


@dataclass(frozen=True)
class SketchedOptions(ReadingOptions):
    """What to sketch: files, or what a query names."""

    files: Annotated[list[Path], typer.Argument(metavar="[FILE]", help=_FILES)] = _NO_FILES


def sketch(
    reading: SketchedOptions,
    *,
    metric: Annotated[
        Texts,
        measured(
            "What it will serve (repeatable): metrics that are sums, by default those of compare.",
            panel=None,
        ),
    ] = None,
    buckets: Annotated[
        int,
        option("N", "Number of buckets; the standard errors' own error is 1 / sqrt(2 N).", min=2),
    ] = _DEFAULTS[0],
    salt: Annotated[
        str, option("TEXT", "Hashed before the names of the samples; sketches add up if equal.")
    ] = _DEFAULTS[1],
    output: Annotated[
        Path | None, written("PATH", "Where to: a .parquet file.", "--output", "-o")
    ] = None,
    sql: Annotated[
        Dialect | None,
        option(
            "NAME",
            f"Print the query that makes the sketch in a database instead: {listed(Dialect)}; it "
            "needs --table, --true, --id and --model for each column of labels.",
            panel="Query",
        ),
    ] = None,
    table: Annotated[Text, option("NAME", "Table that the query reads.", panel="Query")] = None,
    classes: Annotated[
        Texts,
        option(
            "NAME", "Class (repeatable), where models have columns MODEL:CLASS of probabilities.",
            "--class", panel="Query",
        ),
    ] = None,
) -> None:  # fmt: skip
    """Sum a test set by a hash of its samples: compare and gate run on it, days add up.

    A day's predictions are read once and forgotten. Sketches of several days, or shards, are
    given together to compare and gate, or added to one here.
    """
    if sql is not None:
        if metric is not None:
            raise ValueError("--metric is for predictions; a query's sketch serves what it sums.")
        _check_query(reading, output, {"--table": table, "--true": reading.true})
        from modelcompare.sources.queries import sketch_query

        named = reading.groups or reading.id
        if table is None or reading.true is None or named is None:
            raise ValueError("--sql needs --id (or --groups): the column that names the samples.")
        answer(
            sketch_query(
                sql, table=table, true=reading.true, models=reading.model or [], id=named,
                classes=classes or [], buckets=buckets, salt=salt,
            )
        )  # fmt: skip
        return
    for name, value in {"--table": table, "--class": classes}.items():
        if value is not None:
            raise ValueError(f"{name} is for a query; say which with --sql, or leave it out.")
    if output is None or output.suffix.lower() != ".parquet":
        raise ValueError("-o is needed: where the sketch goes, a file that ends in .parquet.")
    from modelcompare.cli.output import check_paths
    from modelcompare.sources.sketches import Sketch
    from modelcompare.sources.summing import sketch as sum_up

    check_paths([output], reading.files)
    if reading.checkpoint is not None:
        raise ValueError("--checkpoint keeps totals of resamples, and a sketch draws none.")
    found = reading.read(by_blocks=True)
    if not isinstance(found, Sketch):
        found = sum_up(found, metric, buckets=buckets, salt=salt)
    elif metric is not None:
        raise ValueError("--metric is for predictions; a sketch serves what it was made for.")
    elif (found.n_buckets, found.about.salt) != (buckets, salt) and (buckets, salt) != _DEFAULTS:
        raise ValueError("--buckets and --salt are for predictions; a sketch keeps its own.")
    say(f"wrote {found.save(output)}: {found.n_samples:,} samples")


def _check_query(
    reading: SketchedOptions, output: Path | None, needed: dict[str, str | None]
) -> None:
    """Refuse files beside a query, and a query of nothing."""
    if reading.files or output is not None:
        raise ValueError("--sql prints a query and reads nothing; leave the files and -o out.")
    for name, value in needed.items():
        if value is None:
            raise ValueError(f"--sql needs {name}.")
    reading.refuse_beside(
        ("files", "true", "id", "groups", "model"),
        "is for predictions that are read, and a query does without; leave it out",
    )
    if reading.id is not None and reading.groups is not None:
        raise ValueError("--sql needs --id or --groups, the column by which rows go together.")
    if not reading.model:
        raise ValueError("--sql needs --model: a column of labels, or the stem of MODEL:CLASS.")
