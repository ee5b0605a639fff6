"""The command of metrics, and of the schema of documents."""

from typing import Literal

from modelcompare.cli.commands import Command
from modelcompare.cli.options import flag, metric_names
from modelcompare.options import Option

COMMANDS = (
    Command(
        "metrics",
        "run:metrics",
        (
            Option(
                name="name", flags="[NAME]", metavar="[NAME]", help="The metric to explain.",
                complete=metric_names,
            ),
            Option(
                name="format", type=Literal["text", "json"], default="text", metavar="FORM",
                help="text or json.",
            ),
            Option(
                name="search", type=str | None, default=None, metavar="WORD",
                help="Only metrics with this word in name, other names or definition.",
            ),
            flag(name="schema", help="Print the JSON Schema of what --format json writes."),
        ),
        """List all metrics, or explain one.

        The explanation has the definition, bounds, the value encoded, weaknesses and the source.
        The member "schema" of a JSON document names its kind and version, such as
        modelcompare/compare/2.
        """,
        ("", "--search calibration", "cf1_macro", "--schema > schema.json"),
        package=__package__,
    ),
)  # fmt: skip
