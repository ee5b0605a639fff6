"""Simulations without a trial."""

import modelcompare as mc
from tests.bad_input.case import Call
from tests.bad_input.functions import PREDS

CASES = [
    Call(
        "no trial",
        lambda _: mc.diagnostics.selfcheck(PREDS, "a", "b", n_trials=0),
        "`n_trials` must be at least 1, got 0.",
    ),
]
