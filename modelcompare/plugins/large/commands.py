"""The command `sketch` as a row."""

from __future__ import annotations

from functools import partial

from modelcompare.cli.commands import Command
from modelcompare.cli.options import WHOLE, Group, Texts, change_option, metrics, output
from modelcompare.options import Option
from modelcompare.plugins.large.words import BUCKETS, SALT, Dialect, check_buckets
from modelcompare.words import check_text, listed

_query = partial(Option, metavar="NAME", panel="Query")
_QUERY = (
    _query(
        name="sql", type=Dialect | None,
        help="Print the query that makes the sketch in a database instead: "
        f"{listed(Dialect)}; it needs --table, --true, --id and --model for each column "
        "of labels.",
    ),
    _query(name="table", help="Table that the query reads."),
    _query(
        name="classes", flags="--class", type=Texts,
        help="Class (repeatable), where models have columns MODEL:CLASS of probabilities.",
    ),
)  # fmt: skip
COMMANDS = (
    Command(
        "sketch",
        "run:sketch",
        (
            change_option(
                WHOLE, "files", default=(), metavar="[FILE]",
                help="Predictions, as for compare; or sketches, which are added up.",
            ),
            metrics(
                "Metric to keep (repeatable), one that is a sum; by default those of "
                "compare.",
                panel=None,
            ),
            Option(
                name="buckets", type=int, default=BUCKETS, metavar="N", at_least=2,
                check=check_buckets,
                help="Number of buckets; the standard errors' own error is 1 / sqrt(2 N).",
            ),
            Option(
                name="salt", type=str, default=SALT, metavar="TEXT", check=check_text,
                help="Hashed before the names of the samples; sketches add up if it is equal.",
            ),
            output(name="output", flags="--output -o", metavar="PATH", help="A .parquet file."),
            Group("source", "run:database_table", _QUERY, package=__package__),
        ),
        """Sum a test set by a hash of its samples.

        compare and gate run on a sketch: each day's predictions are read once. Sketches of several
        days, or shards, are given to compare and gate together, or are added up here.
        """,
        (
            "mon.parquet -o mon.sketch.parquet -m f1_macro",
            "mon.sketch.parquet tue.sketch.parquet -o all.parquet",
            "--sql duckdb --table t --true y --id item --model cnn",
        ),
        package=__package__,
    ),
)  # fmt: skip
