"""Rows of the tables of other tests."""

import modelcompare as mc
from tests.senseless import PLAIN, Door

LISTED = {"y_true": ["u", "v"], "lists": {"a": [[("u", 0.5)], [("v", 0.5)]]}}
BINNED = {
    "y_true": ["u", "v"], "y_pred": {"a": ["u", "u"]}, "bins": {"a": ["HIGH", "HIGH"]},
    "values": {"HIGH": 0.9}, "labels": ["u", "v"],
}  # fmt: skip
DOORS = {
    "from_nbest": Door(mc.io.from_nbest, LISTED, ("y_true", "labels")),
    "from_bins": Door(mc.io.from_bins, BINNED, ("y_true", "y_pred", "labels")),
    "bin_values": Door(
        mc.io.bin_values,
        {"y_true": [0, 1], "y_pred": [0, 1], "bins": ["H", "H"]},
        ("y_true", "y_pred"),
        {"bins": [5, "x", [], ["H"]]},
    ),
    "missing_mass": Door(mc.io.missing_mass, {"predictions": PLAIN}),
}
