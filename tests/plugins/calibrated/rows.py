"""Rows of the tables of other tests."""

import numpy as np

import modelcompare as mc
from tests.senseless import Door


def soft(n: int = 60, seed: int = 0) -> mc.Predictions:
    """Two overconfident models of three classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    outputs = {}
    for name, over in (("a", 2.0), ("b", 3.0)):
        odds = np.exp(over * (rng.normal(size=(n, 3)) + 1.2 * np.eye(3)[y]))
        outputs[name] = odds / odds.sum(axis=1, keepdims=True)
    return mc.Predictions(y, outputs)


DOORS = {
    "calibrated": Door(
        mc.calibrated,
        {"predictions": soft(), "folds": 3},
        (),
        {
            "method": ["platt", 5, None],
            "folds": [0, 1, 2.5, "x", 100],
            "on": [soft(), 5, "x", [[1, 2]]],
        },
    ),
}
