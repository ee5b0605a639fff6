"""Rows of the tables of other tests."""

import math

import numpy as np

import modelcompare as mc
from tests.senseless import PLAIN, Door

DOORS = {
    "in_time_blocks": Door(
        mc.io.in_time_blocks,
        {"predictions": PLAIN, "time": np.arange(40)},
        (),
        {"time": [[1, 2], ["x"] * 40, [math.nan] * 40]},
    ),
    "diebold_mariano": Door(
        mc.inference.diebold_mariano,
        {"losses_a": [1.0, 2, 4, 3, 5], "losses_b": [2.0, 1, 3, 2, 2]},
        ("losses_a", "losses_b"),
        {"horizon": [0, -1, 1.5, "x", None]},
    ),
}
