"""Rows of the tables of other tests."""

from functools import cache

import modelcompare as mc
from tests.made_up import made_up, sliced
from tests.report import drawn
from tests.senseless import FEW, PLAIN, PREDS, Door

PICKLED = {
    "calibration_test": lambda _: mc.inference.calibration_test(made_up(90)["m0"]),
    "reliability": lambda _: mc.diagnostics.reliability(made_up(90)),
}
MADE = {
    "CalibrationTest": lambda: mc.inference.calibration_test(sliced()["m0"], n_resamples=99),
    "Reliability": lambda: mc.diagnostics.reliability(sliced(), n_bins=4),
}
REPEATED = {"reliability": lambda p: mc.diagnostics.reliability(p, n_resamples=99).table}
DOORS = {
    "calibration_test": Door(mc.inference.calibration_test, {"predictions": PLAIN["a"], **FEW}),
    "calibration_line": Door(mc.diagnostics.calibration_line, {"predictions": PLAIN}),
    "reliability": Door(mc.diagnostics.reliability, {"predictions": PREDS, **FEW}),
}


@cache
def reliability(*size):
    return mc.diagnostics.reliability(drawn.preds(*size), n_bins=5, n_resamples=9)


FIGURES = {"reliability": lambda *size, **ax: reliability(*size).plot.reliability(**ax)}
FIGURE_SIZES = {"reliability": [drawn.USUAL]}
