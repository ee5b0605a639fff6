"""Arrays, frames and scores that do not fit."""

from __future__ import annotations

import pyarrow as pa

import modelcompare as mc
from tests.bad_input.case import Call, Run

_NETS = ("lenet5", "wide_densenet", "resnet", "densenet_bc_100", "densenet_40")
_RAW = "y_true,a,b\n0,1.5,3.5\n1,-2.5,7.25\n1,4.5,-6.5\n"


def _raw(*metrics: str) -> object:
    return mc.compare(mc.Predictions([0, 1, 1], {"a": [1.5, -2, 4]}, kind="values"), metrics)


def _of_texts(metric: str) -> object:
    preds = mc.Predictions(
        ["no", "yes", "yes"], {"a": [1.5, -2, 4]}, kind="values", labels=["no", "yes"]
    )
    return mc.compare(preds, metric)


def _named(*models: str) -> mc.Predictions:
    return mc.Predictions.from_scores({model: [1, 0] for model in models})


def _scored(scores: dict[str, object]) -> mc.Predictions:
    return mc.Predictions.from_scores({"a": scores})


class _Nowhere:
    """A tensor without data."""

    def __dlpack__(self, **_: object) -> object:
        raise BufferError("no data")

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


CASES: list[Call | Run] = [
    Call(
        "a metric of decisions of raw scores",
        lambda _: _raw("f1"),
        "metric 'f1' needs labels, but model 'a' gave values; raw scores of two classes are for "
        "roc_auc and average_precision, for other metrics give labels or probabilities.",
    ),
    Call(
        "an error of values whose truth is a text",
        lambda _: _of_texts("rmse"),
        "metric 'rmse' needs true values, but `y_true` holds texts; raw scores of two classes "
        "are for roc_auc and average_precision, for other metrics give labels or probabilities.",
    ),
    Run(
        "accuracy of markers",
        "compare raw.csv --kind values -m accuracy",
        "metric 'accuracy' needs labels, but model 'a' gave values; raw scores of two classes "
        "are for roc_auc and average_precision, for other metrics give labels or probabilities.",
        {"raw.csv": _RAW},
    ),
    Call(
        "a short name of several models",
        lambda _: _named(*_NETS).output("densenet"),
        "unknown model 'densenet'; there are lenet5, wide_densenet, resnet, densenet_bc_100, "
        "densenet_40.",
    ),
    Call(
        "a short name among many models",
        lambda _: _named(*_NETS, *(f"seed {i}" for i in range(95))).output("DenseNet"),
        "unknown model 'DenseNet'; there are densenet_40, densenet_bc_100, wide_densenet, resnet, "
        "... (100 in all).",
    ),
    Call(
        "a tensor that is nowhere",
        lambda _: mc.Predictions([0, 1], {"a": _Nowhere()}),
        "model 'a' is a tensor that cannot be read (no data); give a numpy array.",
    ),
    Call(
        "a table with two columns of one name",
        lambda _: mc.read_predictions(pa.table([[0, 1], [0, 1]], names=["y_true", "y_true"])),
        "the table: column 'y_true' occurs twice.",
    ),
    Call(
        "the mean of several scores",
        lambda _: mc.compare(_scored({"acc": [1, 0], "f": [0.5, 1]}), "mean_score"),
        "there is no score 'mean_score'; the models have acc, f, and percentiles of these, such as f_p95.",
    ),
    Call(
        "scores of different names",
        lambda _: mc.Predictions.from_scores({"a": {"acc": [1, 0]}, "b": {"f": [1, 1]}}),
        "model 'b' has the scores f, model 'a' has acc; give each model the same ones.",
    ),
    Call(
        "scores with names beside scores without",
        lambda _: mc.Predictions.from_scores({"a": {"acc": [1, 0]}, "b": [1, 1]}),
        "model 'b' has scores without names, model 'a' has acc; give each model the same ones.",
    ),
    Call(
        "several scores of different lengths",
        lambda _: _scored({"acc": [1, 0], "f": [1, 1, 1]}),
        "model 'a' has scores of different lengths (2 of acc, 3 of f).",
    ),
    Call(
        "one of several scores that is missing",
        lambda _: _scored({"acc": [1, 0], "f": [1, None]}),
        "score 'f' of model 'a' is NaN or infinite in 1 row (row 1); drop these samples or fix "
        "them.",
    ),
    Call(
        "no scores at all",
        lambda _: _scored({}),
        "model 'a' has no scores; give at least one name with scores.",
    ),
    Call(
        "the direction of a score that is not there",
        lambda _: mc.Predictions.from_scores(
            {"a": {"acc": [1, 0]}}, greater_is_better={"loss": False}
        ),
        "`greater_is_better` names a score 'loss'; there are acc.",
    ),
    Call(
        "names of scores beside a truth",
        lambda _: mc.Predictions([0, 1], {"a": {"acc": [0, 1]}}),
        "model 'a' must have one entry per sample, got {'acc': [0, 1]}.",
    ),
    Call(
        "columns of scores without names",
        lambda _: mc.Predictions.from_scores({"a": [[1, 2], [3, 4]]}),
        "model 'a' must have shape (n_samples,), got (2, 2).",
    ),
]
