"""Forms of a gate's answer."""

from typing import Literal

from modelcompare.cli.commands import Addition
from modelcompare.options import Option

ADDITIONS = (
    Addition("gate", (
        Option(
            name="format", type=Literal["github", "pr-comment"],
            help="github annotates a workflow, and adds a table to its summary and the numbers to "
            "the step's outputs; pr-comment is Markdown for a pull request",
        ),
    )),
)  # fmt: skip
