"""Rows of labels of people beside a judge for the tables of other tests."""

import numpy as np

import modelcompare as mc
from modelcompare.plugs import plugins
from tests.senseless import FEW, Door

JUDGED = mc.Predictions(
    [*[0, 1, 1, 0, 1] * 4, *[None] * 20], {"a": [0, 1] * 20, "b": [1, 1, 0, 0] * 10},
    judge=[0, 1] * 20,
)  # fmt: skip


def _judged():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    m0, m1, judge = (np.where(rng.random(300) < x, truth, 1 - truth) for x in (0.7, 0.8, 0.9))
    seen = np.where(np.arange(300) % 3, np.nan, truth)
    return mc.Predictions(seen, {"m0": m0, "m1": m1}, judge=judge)


# The halves of a column are tested as two test sets.
LENGTHS = {"length": np.arange(300)} if "unpaired" in plugins() else {}
MADE = {
    "JudgeReport": lambda: mc.diagnostics.judge_report(_judged(), n_resamples=99, **LENGTHS),
}
MATCHED = {
    "judge": lambda a, b: mc.Predictions(a.where(a.index != "i3"), {"m": a}, judge=b),
}
DOORS = {
    "judge_report": Door(
        mc.diagnostics.judge_report, {"predictions": JUDGED, **FEW}, ("length", "position")
    ),
}
