"""Rows of the tables of other tests."""

import numpy as np
import pandas as pd

import modelcompare as mc
from tests.senseless import Door

COUNTED = pd.DataFrame({
    "id": [0, 1] * 2, "model": [*"aabb"], "tp": [2, 1, 1, 2], "fp": [0, 1, 1, 0], "fn": [1, 1, 2, 0],
})  # fmt: skip


def of_sets():
    rng = np.random.default_rng(8)
    drawn = {name: rng.random((40, 3)) for name in "ab"}
    return mc.Predictions(rng.integers(0, 2, (40, 3)), drawn, kind="label_probabilities")


MATCHED = {
    "sets": lambda a, b: mc.Predictions(
        a.map(lambda k: ["x"] * k + ["y"]), {"m": b.map(lambda k: ["x"] * k + ["y"])}
    ),
}
DATA = dict.fromkeys(("label_sets", "label_probabilities"), of_sets)
DOORS = {
    "from_item_counts": Door(
        mc.io.from_item_counts,
        {"table": COUNTED},
        ("table", "name"),
        {"models": [5, [], ["z"]]},
    ),
}
