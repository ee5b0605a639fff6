"""Classes of the test set whose value is 0 / 0 in an average: their values are not known."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.intervals.base import Interval
from modelcompare.metrics.base import AnyMetric, Metric, fraction_of
from modelcompare.metrics.counts import COUNTS
from modelcompare.metrics.quotient import Quotient, divide

# A precision of fewer predictions is hardly known.
FEW_PREDICTED = 5


def averages_counts(metric: AnyMetric) -> TypeGuard[Metric]:
    """True for an average over classes of ratios of hard counts."""
    if not isinstance(metric, Metric) or metric.average is None or metric.ratio is None:
        return False
    return set(metric.statistics) <= set(COUNTS)


def with_unknown(
    found: Interval, evaluation: Evaluation, metric: AnyMetric, pairs: Pairs | None
) -> Interval:
    """Widen intervals by how far the values of classes may be from what they count by convention.

    A class that a model never predicts counts as 0 in its mean precision, and may have a precision
    of 1. Its weight is added to the distance of the bound: joined as standard errors are, the two
    cover a precision of 1 half the time.
    """
    if not averages_counts(metric):
        return found
    share, value, size = _of_classes(evaluation, metric)
    share = share * (size == 0)
    if not share.any():
        return found
    below, above = ((share * part).sum(axis=-1)[:, None] for part in (value, 1 - value))
    least = 0.0
    if pairs is not None:
        (a, b), least = pairs, -1.0
        below, above = below[a] + above[b], above[a] + below[b]
    low, high = np.maximum(found.low - below, least), np.minimum(found.high + above, 1.0)
    return replace(found, low=low, high=high)


def hardly_known(
    evaluation: Evaluation, metric: Metric
) -> tuple[BoolArray, FloatArray, FloatArray]:
    """Return classes whose values are hardly known, and the averages if these were 0, and 1.

    They are classes of the test set that a model predicts under `FEW_PREDICTED` times, where the
    metric divides by predictions, and those that are 0 / 0.

    Returns
    -------
    classes : ndarray of bool of shape (n_models, n_classes)
    least, most : ndarray of shape (n_models,)
    """
    share, value, size = _of_classes(evaluation, metric)
    true = evaluation.parts(metric, evaluation.grand_total)[-1] > 0
    few = size < (FEW_PREDICTED if _of_predictions(metric) else 0)
    classes = (share > 0) & ((few & true) | (size == 0))
    least = (share * np.where(classes, 0.0, value)).sum(axis=-1)
    return classes, least, least + (share * classes).sum(axis=-1)


def turned_by_convention(evaluation: Evaluation, metric: AnyMetric, pairs: Pairs) -> BoolArray:
    """Return pairs whose difference turns if classes that are 0 / 0 are left out of both averages.

    Of shape (n_pairs,).
    """
    turned = np.zeros(len(pairs[0]), dtype=bool)
    if not averages_counts(metric):
        return turned
    share, value, size = _of_classes(evaluation, metric)
    undefined = (share > 0) & (size == 0)
    if not undefined.any():
        return turned
    a, b = pairs
    kept = ~(undefined[a] | undefined[b])
    first, second = (
        divide((share[side] * value[side] * kept).sum(axis=-1), (share[side] * kept).sum(axis=-1))
        for side in pairs
    )
    whole = ((share * value).sum(axis=-1)[side] for side in pairs)
    difference = np.subtract(*whole)
    return np.asarray(~kept.all(axis=-1) & ~(difference * (first - second) > 0))


def few_cases(metric: AnyMetric, classes: str) -> str:
    """State what some classes have too few of, or lack."""
    if _of_predictions(metric):
        return f"predicted under {FEW_PREDICTED} times: {classes}"
    return f"never true: {classes}"


def convention(metric: AnyMetric) -> str:
    """Name the convention by which a class counts, as the end of a sentence."""
    never = "predicted" if _of_predictions(metric) else "true"
    quotient = metric.value if isinstance(metric, Metric) else None
    value = quotient.by_convention if isinstance(quotient, Quotient) else 0.0
    return f"by the convention that a class never {never} counts as {value:g}"


def _of_predictions(metric: AnyMetric) -> bool:
    ratio = metric.class_ratio if isinstance(metric, Metric) else None
    return ratio is not None and ratio.denominator[1] == 0


def _of_classes(
    evaluation: Evaluation, metric: Metric
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the share of each class, its value, and what it divides by, (n_models, n_classes)."""
    assert isinstance(metric.value, Quotient)  # noqa: S101  averages are quotients
    totals = evaluation.parts(metric, evaluation.grand_total)
    share, value = metric.value.shares(*totals)
    return share, value, np.broadcast_to(fraction_of(metric, *totals)[1], share.shape)
