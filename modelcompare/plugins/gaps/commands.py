"""Options of ``modelcompare groups`` for gaps between subgroups."""

from __future__ import annotations

from modelcompare.cli.commands import Addition
from modelcompare.cli.options import flag, named_option

_GAPS = flag(
    name="gaps", panel="Statistics", default=None,
    help="With --by: gaps of one metric between subgroups, for each model; recall for equal "
    "opportunity, selection_rate for demographic parity.",
)  # fmt: skip
_MARGIN = named_option(
    "margin",
    "With --gaps: largest gap that does not matter; exit 1 unless all are within it.",
    panel="Statistics",
)
ADDITIONS = (
    Addition(
        "groups",
        (_GAPS, _MARGIN),
        "run:measure",
        __package__,
        examples=("loans.csv --by sex --gaps -m 'recall[granted]'",),
    ),
    Addition("groups", (_MARGIN,), "run:refuse_margin", __package__),
)
