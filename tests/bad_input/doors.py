"""Arrays, frames and scores that do not fit."""

from __future__ import annotations

import modelcompare as mc
from tests.bad_input.case import Call, Run

_RAW = "y_true,a,b\n0,1.5,3.5\n1,-2.5,7.25\n1,4.5,-6.5\n"


def _raw(*metrics: str) -> object:
    return mc.compare(mc.Predictions([0, 1, 1], {"a": [1.5, -2, 4]}, kind="values"), metrics)


def _of_texts(metric: str) -> object:
    preds = mc.Predictions(
        ["no", "yes", "yes"], {"a": [1.5, -2, 4]}, kind="values", labels=["no", "yes"]
    )
    return mc.compare(preds, metric)


CASES: list[Call | Run] = [
    Call(
        "a metric of decisions of raw scores",
        lambda _: _raw("f1"),
        "metric 'f1' needs labels, but model 'a' gave values; raw scores of two classes serve "
        "roc_auc and average_precision, for other metrics give labels or probabilities.",
    ),
    Call(
        "an error of values whose truth is a text",
        lambda _: _of_texts("rmse"),
        "metric 'rmse' needs true values, but `y_true` holds texts; raw scores of two classes "
        "serve roc_auc and average_precision, for other metrics give labels or probabilities.",
    ),
    Call(
        "a curve of the class that raw scores are low for",
        lambda _: mc.curve(mc.Predictions([0, 1, 1], {"a": [1.5, -2, 4]}, kind="values"), label=0),
        "raw scores are high for the last class, which 0 is not; turn their signs round and give "
        "`labels` with that class last.",
    ),
    Run(
        "accuracy of markers",
        "compare raw.csv --kind values -m accuracy",
        "metric 'accuracy' needs labels, but model 'a' gave values; raw scores of two classes "
        "serve roc_auc and average_precision, for other metrics give labels or probabilities.",
        {"raw.csv": _RAW},
    ),
]
