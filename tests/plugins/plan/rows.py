"""Rows of the tables of other tests."""

import modelcompare as mc
from tests.made_up import sliced
from tests.senseless import FEW, PLAIN, Door

MADE = {
    "ComparisonPlan": lambda: mc.plan(sliced(), ["accuracy", "f1"], n_resamples=99),
}
DOORS = {
    "plan": Door(mc.plan, {"predictions": PLAIN, **FEW}),
}
ASKED = {"compare: plan": (("snli.npz", "--plan", "-m", "accuracy"), "plan")}
