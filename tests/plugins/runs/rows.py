"""Rows of several runs of each model for the tables of other tests."""

from functools import cache

import numpy as np

import modelcompare as mc
from tests.report import drawn
from tests.senseless import FEW, PREDS, Door


def _runs():
    rng = np.random.default_rng(0)
    gains = {m: (rng.normal(size=(40, 1)) + 0.1 * rng.normal(size=6)).ravel() for m in ("m0", "m1")}
    scores = {m: x + rng.normal(size=240) for m, x in gains.items()}
    return mc.Predictions.from_scores(
        scores, groups=np.repeat(np.arange(40), 6), runs=np.tile(np.arange(6), 40),
        greater_is_better=True,
    )  # fmt: skip


@cache
def frontier(*size):
    """A pilot of the same names and 6 runs of 80 items."""
    first, *_, last = drawn.preds(*size).models
    rng = np.random.default_rng(2)
    scores = {
        m: np.add.outer(rng.normal(size=80), 0.05 * rng.normal(size=6)) for m in (first, last)
    }
    noisy = {m: (x + rng.normal(size=x.shape)).ravel() for m, x in scores.items()}
    runs, items = np.tile(np.arange(6), 80), np.repeat(np.arange(80), 6)
    pilot = mc.Predictions.from_scores(noisy, groups=items, runs=runs, greater_is_better=True)
    return mc.sample_size(pilot, first, last, "mean_score", margin=0.2, cost_item=1, cost_run=50)


FIGURES = {"frontier": lambda *size, **ax: frontier(*size).plot.frontier(**ax)}
FIGURE_SIZES = {"frontier": [drawn.USUAL]}
TITLES = {"frontier": "80 items x 6 runs"}
MADE = {
    "SampleSize of runs": lambda: mc.sample_size(
        _runs(), "m0", "m1", "mean_score", margin=0.2, cost_item=1, cost_run=50
    ),
}
DOORS = {
    "variance_components": Door(
        mc.diagnostics.variance_components, {"predictions": PREDS, "metrics": "accuracy", **FEW}
    ),
}
