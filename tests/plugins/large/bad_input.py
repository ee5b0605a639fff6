"""Slips in what is summed."""

import modelcompare as mc
from tests.bad_input.case import Call, Run
from tests.bad_input.slips import MEANT, PREDS

CASES: list[Call | Run] = [
    Call("a metric misspelt in a sketch", lambda _: mc.io.sketch(PREDS, "acuracy"), MEANT),
]
