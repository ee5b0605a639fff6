"""MCC and kappa, which compare all counts at once with what chance would give.

Both are smooth in the confusion matrix, so a sample of each cell has an influence in closed form.
Of a perfect or a constant model the influences are 0, and of few samples too small: they are taken
after two samples more, spread over all cells.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.intervals.confusions import CellSums, Confusions, Margins
from modelcompare.intervals.ratios import Bounds, t_quantile, wilson
from modelcompare.metrics.base import AnyMetric, Metric
from modelcompare.metrics.counts import COUNTS
from modelcompare.metrics.quotient import divide

Agreement = Literal["matthews_corrcoef", "cohen_kappa"]
_NAMES: tuple[Agreement, ...] = ("matthews_corrcoef", "cohen_kappa")
# Samples added to each confusion matrix.
_ADDED = 2.0


def agreement(metric: AnyMetric) -> Agreement | None:
    """Say whether a metric is MCC or kappa of counts."""
    if not isinstance(metric, Metric) or metric.statistics != COUNTS:
        return None
    return next((name for name in _NAMES if name == metric.name), None)


def agreement_influences(metric: Agreement, margins: Margins) -> tuple[FloatArray, CellSums]:
    """Value, and influence of a sample of each cell, from margins of confusion matrices.

    With n samples, H hits, s true and p predicted ones of each class and C = sum p s, kappa is
    ``(H n - C) / (n^2 - C)`` and MCC ``(H n - C) / sqrt((n^2 - sum p^2) (n^2 - sum s^2))``. A
    sample of true class j and predicted class m adds 1 to n, s_j and p_m.
    """
    true, named, right = margins
    hits, total = right.sum(axis=-1)[..., None], true.sum(axis=-1)[..., None]
    chance = (true * named).sum(axis=-1)[..., None]
    above = hits * total - chance
    if metric == "cohen_kappa":
        scale = total**2 - chance
        value = above / scale
        of_true = (hits - named - value * (2 * total - named)) / scale
        of_named = (value - 1) * true / scale
    else:
        spread_named, spread_true = (
            total**2 - np.square(side).sum(axis=-1)[..., None] for side in (named, true)
        )
        scale = np.sqrt(spread_named * spread_true)
        value = above / scale
        of_true = (hits - named) / scale - value * (total - true) / spread_true
        of_named = -true / scale - value * (total - named) / spread_named
    return value[..., 0], CellSums(of_true, of_named, of_true + of_named + total / scale)


def shrunk_agreement(
    metric: Agreement, cells: Confusions
) -> tuple[FloatArray, CellSums, FloatArray, FloatArray]:
    """Value, influences, variance and its degrees of freedom, after samples were added.

    They have the mean weight. Few samples of a rare class carry the variance: degrees of freedom
    are twice as many as they are in effect, ``(sum u^2)^2 / sum u^4``, and two for those added.
    """
    k, (true, named, right) = cells.n_classes, cells.margins
    weight = cells.squares.sum(axis=-1) / cells.weights.sum(axis=-1)
    each = _ADDED / k**2
    one = (each * weight)[..., None]
    value, influence = agreement_influences(metric, (true + k * one, named + k * one, right + one))
    square = influence.of(cells) ** 2
    part = cells.squares * square
    variance = part.sum(axis=-1) + each * weight**2 * influence.power_sum(2)
    fourth = (part * square).sum(axis=-1) + each * weight**2 * influence.power_sum(4)
    return value, influence, variance, 2 * (divide(variance**2, weight**2 * fourth, 0.0) + 1)


def agreement_interval(
    metric: Agreement,
    estimate: FloatArray,
    cells: Confusions,
    confidence_level: float = 0.95,
) -> Bounds:
    """Wilson's interval of the share of [-1, 1], of the size that gives it its variance."""
    value, _, variance, degrees = shrunk_agreement(metric, cells)
    share = (1 + value) / 2
    size = 4 * share * (1 - share) / variance
    quantile = t_quantile(np.minimum(size, degrees), confidence_level)
    low, high = wilson((1 + estimate) / 2, size, quantile)
    return 2 * low - 1, 2 * high - 1
