"""Rows of the tables of other tests."""

from functools import cache

import modelcompare as mc
from tests.report.drawn import FEW, MANY_CLASSES, MANY_MODELS, MOST, ONE_PAIR, preds


@cache
def comparison(*size):
    return mc.compare(preds(*size), ["accuracy", "f1"], method="percentile", test="wald", **FEW)


FIGURES = {
    name: lambda *size, name=name, **ax: getattr(comparison(*size).plot, name)(**ax)
    for name in ("raincloud", "heatmap", "confusion", "classes")
}
FIGURE_SIZES = {
    "heatmap": [MANY_MODELS, ONE_PAIR], "confusion": [MANY_CLASSES], "classes": [MOST], "raincloud": [MOST],
}  # fmt: skip
