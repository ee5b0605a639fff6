"""Bins, models and labels whose calibration is none."""

import modelcompare as mc
from tests.bad_input.case import Call
from tests.bad_input.functions import PREDS, SOFT

# fmt: off
CASES: list[Call] = [
    Call("unknown bins of confidence", lambda _: mc.diagnostics.reliability(PREDS, strategy="equal"), "`strategy` must be one of width, mass, got 'equal'."),
    Call("no model named of two", lambda _: mc.inference.calibration_test(PREDS), "calibration is tested of one model; choose it, as preds['a'], of a, b."),
    Call("no bin", lambda _: mc.diagnostics.reliability(PREDS, n_bins=0), "`n_bins` must be at least 1, got 0."),
    Call("more bins than anybody counts", lambda _: mc.diagnostics.reliability(PREDS, n_bins=10**12), "`n_bins` must be at most 1,000, got 1,000,000,000,000."),
    Call("calibration to soft labels", lambda _: mc.inference.calibration_test(SOFT), "calibration_test needs hard labels; `y_true` holds distributions."),
]
