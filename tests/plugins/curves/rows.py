"""Rows of the tables of other tests."""

from functools import cache

import modelcompare as mc
from tests.made_up import made_up, sliced
from tests.report import drawn
from tests.senseless import FEW, PLAIN, Door

TWO = made_up(90).subset([k for k, y in enumerate(made_up(90).y_true) if y < 2])
PICKLED = {"curve": lambda _: mc.diagnostics.curve(TWO, "roc", label=1)}
MADE = {"CurveResult": lambda: mc.diagnostics.curve(sliced(), label=1, n_resamples=99)}
REPEATED = {
    "operating point": lambda p: mc.diagnostics.operating_point(p, recall=0.8, n_resamples=99),
    "curve": lambda p: mc.diagnostics.curve(p, n_resamples=99).n_samples,
}
DOORS = {
    "choose_thresholds": Door(
        mc.diagnostics.choose_thresholds, {"predictions": PLAIN, "metric": "f1"}, ("label",),
    ),
    "at_thresholds": Door(
        mc.diagnostics.at_thresholds,
        {"predictions": PLAIN, "thresholds": dict.fromkeys("abc", 0.5)}, ("label",),
        {"thresholds": [5, [], {"a": "x", "b": 1, "c": 1}, {"a": 0.5}]},
    ),
    "curve": Door(mc.diagnostics.curve, {"predictions": PLAIN, **FEW}),
    "operating_point": Door(
        mc.diagnostics.operating_point, {"predictions": PLAIN, "precision": 0.5, **FEW},
        beside={n: {"precision": None} for n in ("recall", "false_positive_rate", "threshold")},
    ),
}  # fmt: skip


def _label(*size):
    return drawn.preds(*size).labels[1]


@cache
def curves(kind, *size):
    return mc.diagnostics.curve(drawn.preds(*size), kind, label=_label(*size), n_resamples=9)


@cache
def compared(*size):
    return mc.compare(drawn.preds(*size), "accuracy", method="percentile", test="wald", **drawn.FEW)


FIGURES = {
    "roc, plain": lambda *size, **ax: compared(*size).plot.roc(label=_label(*size), **ax),
    "pr, plain": lambda *size, **ax: compared(*size).plot.pr(label=_label(*size), **ax),
    "roc": lambda *size, **ax: curves("roc", *size).plot.roc(**ax),
    "pr": lambda *size, **ax: curves("precision-recall", *size).plot.pr(**ax),
}
# Curves of either kind are drawn in the same way.
FIGURE_SIZES = {name: [drawn.USUAL] for name in FIGURES} | {"roc": [drawn.MANY_MODELS]}
MARKED = {"roc": (drawn.MANY_MODELS, 12)}
