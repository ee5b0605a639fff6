"""Option of ``modelcompare report``: a table of the classes."""

from __future__ import annotations

from modelcompare.cli.commands import Addition
from modelcompare.cli.options import flag

ADDITIONS = (
    Addition(
        "report",
        (
            flag(
                name="classes", default=None,
                help="Print precision, recall, F1 and support of each class instead of a page.",
            ),
        ),
        "run:report",
        __package__,
        """
        With --classes, a table is printed, or written with -o as FILE.md, .tex, .csv or .json.
        """,
        ("preds.npz --classes",),
    ),
)  # fmt: skip
