"""Rows of several runs of each model for the tables of other tests."""

import numpy as np

import modelcompare as mc
from tests.senseless import FEW, PREDS, Door


def _runs():
    rng = np.random.default_rng(0)
    gains = {m: (rng.normal(size=(40, 1)) + 0.1 * rng.normal(size=6)).ravel() for m in ("m0", "m1")}
    scores = {m: x + rng.normal(size=240) for m, x in gains.items()}
    return mc.Predictions.from_scores(
        scores, groups=np.repeat(np.arange(40), 6), runs=np.tile(np.arange(6), 40),
        greater_is_better=True,
    )  # fmt: skip


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
