"""Names of no metric."""

from modelcompare.metrics import METRICS
from tests.bad_input.case import Run

CASES: list[Run] = [
    Run(
        "a metric that is not there",
        "metrics accuracyy",
        "unknown metric 'accuracyy'; did you mean accuracy or caccuracy?",
    ),
    Run(
        "a name that would clear the screen",
        "metrics '\x1b[2Jf1'",
        rf"unknown metric '\x1b[2Jf1'; the {len(METRICS)} names are in modelcompare.metrics.METRICS (modelcompare metrics).",
    ),
]  # fmt: skip
