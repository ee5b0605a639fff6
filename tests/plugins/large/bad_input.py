"""Slips in what is summed."""

import modelcompare as mc
from tests.bad_input.case import Call, Run
from tests.bad_input.slips import MEANT, PREDS

CASES: list[Call | Run] = [
    Call("a metric misspelt in a sketch", lambda _: mc.io.sketch(PREDS, "acuracy"), MEANT),
    Call(
        "a role that a scan lacks",
        lambda _: mc.io.scan_predictions("a.csv", columns={"run": "a"}),
        "`columns` has no role 'run'; it has true, id, groups, strata, weight.",
    ),
]
