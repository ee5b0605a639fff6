"""Rows of the tables of other tests."""

import modelcompare as mc
from tests.senseless import FEW, PLAIN, Door

TWO = {"predictions": PLAIN, "model_a": "a", "model_b": "b", "metric": "accuracy"}
OF_ONE_VALUE = {
    "selfcheck": lambda p, m: mc.diagnostics.selfcheck(p, "a", "b", m, n_trials=4, n_resamples=99),
}
DOORS = {"selfcheck": Door(mc.diagnostics.selfcheck, {**TWO, "n_trials": 2, **FEW})}
