"""The command that writes a page."""

from pathlib import Path

from modelcompare.cli.commands import Command
from modelcompare.cli.options import READING, RESAMPLING, change_option, metrics
from modelcompare.options import Option

COMMANDS = (
    Command(
        "report",
        "run:report",
        (
            change_option(READING, "slices", advanced=False), metrics(panel=None),
            Option(
                name="output", flags="--output -o", type=Path | None, metavar="PATH",
                help="File to write; report.html by default.",
            ),
            *RESAMPLING,
        ),
        """Write a page of a comparison.

        The page is self-contained HTML. It has subgroups with --slice, the calibration of models
        that gave probabilities, and the samples on which the best two models disagree.
        """,
        ("preds.npz -o report.html",),
        package=__package__,
    ),
)  # fmt: skip
