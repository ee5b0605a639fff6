"""Rows of the tables of other tests."""

import modelcompare as mc
from tests.made_up import sliced
from tests.senseless import FEW, PLAIN, Door

MADE = {"ClassReport": lambda: mc.diagnostics.classification_report(sliced(), n_resamples=99)}
DOORS = {
    "classification_report": Door(
        mc.diagnostics.classification_report, {"predictions": PLAIN, **FEW}, ("metrics",),
    ),
    "class_tables": Door(
        mc.diagnostics.class_tables, {"y_true": [0, 1], "y_pred": [0, 1]},
        ("y_true", "y_pred", "labels", "sample_weight"),
    ),
}  # fmt: skip
