"""Intervals of metrics of counts, for all models or pairs of them: which formula serves which.

MCC and kappa compare all counts at once with what chance would give. Both are smooth in the
confusion matrix, so a sample of each cell has an influence in closed form. Of a perfect or a
constant model the influences are 0, and of few samples too small: they are taken after two samples
more, spread over all cells.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.intervals.averages import (
    Average,
    comparable_mean,
    effective_size_interval,
    mover_interval,
)
from modelcompare.intervals.base import Interval
from modelcompare.intervals.confusions import CellSums, Confusions, Margins
from modelcompare.intervals.counted import Counted, Labels, Pairs, counted
from modelcompare.intervals.differences import (
    PairVariances,
    half_count_error,
    shrunk_influences,
    shrunk_variances,
)
from modelcompare.intervals.ratios import (
    Bounds,
    class_interval,
    normal_quantile,
    t_quantile,
    wilson,
)
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


Ends = tuple[FloatArray, FloatArray, FloatArray]
# Influences of each cell, variance of what was not seen, and the value to centre at.
Shrunk = tuple[CellSums, FloatArray, FloatArray]


def of_counts(
    labels: Labels, metric: AnyMetric, values: FloatArray, pairs: Pairs | None, level: float
) -> Interval | None:
    """Intervals of every model, or of every pair, if the metric is one of counts.

    The `values` are of models, also for pairs.
    """
    what, agreed = counted(metric, labels.n_classes), agreement(metric)
    if what is not None:
        if pairs is None:
            return counted_scores(labels, what, level)
        a, b = pairs
        return counted_differences(labels, what, values[a] - values[b], pairs, level)
    if agreed is not None:
        if pairs is None:
            return _agreement_scores(labels, agreed, values, level)
        return _agreement_differences(labels, agreed, values, pairs, level)
    return None


def counted_scores(labels: Labels, what: Counted, level: float) -> Interval:
    """Intervals of a ratio of counts, or an average of ratios, of every model."""
    labels = labels.right_or_wrong if what.over == "correct" else labels
    method = "wilson"
    interval = _class_values
    if what.over in ("macro", "weighted"):
        method = "mover" if labels.n_classes == 2 else "effective-size"
        interval = _averages
    parts = [interval(labels.average(what, models), level) for models in labels.chunks]
    low, high, size = (np.concatenate(ends) for ends in zip(*parts, strict=True))
    if what.over == "correct":
        low, high, size = low[:, 1:], high[:, 1:], size[:, 1:]
    return Interval.of(*what.apply(low, high), method, size)


def _class_values(average: Average, level: float) -> Ends:
    """Of each class, informed by its trials, or its true members where these are fewer."""
    size = average.trials.size
    if average.ratio.denominator[1]:
        size = np.minimum(size, average.support)
    return (*class_interval(average.trials, level), size)


def _averages(average: Average, level: float) -> Ends:
    interval = mover_interval if average.values.shape[-1] == 2 else effective_size_interval
    low, high = interval(average, level)
    return low[:, None], high[:, None], np.minimum(average.certainty[1], average.size)[:, None]


def counted_differences(
    labels: Labels, what: Counted, difference: FloatArray, pairs: Pairs, level: float
) -> Interval:
    """Intervals of paired differences of a ratio of counts, or an average of ratios."""
    centre, method = difference, "half-count"
    if what.over in ("macro", "weighted") and labels.n_classes > 2:

        def shrunk(models: slice) -> Shrunk:
            average = labels.average(what, models)
            return (*shrunk_influences(average), comparable_mean(average))

        method = "shrunk-influence"
        variances, apart, disagreements = _shrunk(labels, pairs, shrunk)
        error, size = variances.error[:, None], disagreements[:, None]
        centre = what.slope * apart[:, None]
    else:
        error, size = _half_count_errors(labels, what, pairs)
    most = abs(what.slope)
    half = normal_quantile(level) * most * error
    low = np.clip(np.minimum(centre - half, difference), -most, most)
    high = np.clip(np.maximum(centre + half, difference), -most, most)
    return Interval.of(low, high, method, size)


def _half_count_errors(
    labels: Labels, what: Counted, pairs: Pairs
) -> tuple[FloatArray, FloatArray]:
    of_samples, of_classes = what.over == "correct", what.over == "class"
    cells, squares = (labels.right_or_wrong if of_samples else labels).pair_cells(pairs)
    if not of_classes:
        cells, squares = cells[:, 1:], squares[:, 1:]
    error = half_count_error(
        cells, squares, what.ratio,
        average=None if of_samples or of_classes else what.over, added=1.0 if of_samples else 0.5,
    )  # fmt: skip
    # Samples on which the models disagree, where the metric looks at them.
    matters = np.array(what.ratio.denominator)[[[3, 2], [1, 0]]].any(axis=1)
    apart, of_squares = (
        ((c[..., 0, 1] + c[..., 1, 0]) * (matters if of_classes else 1.0)).sum(axis=-1)
        for c in (cells, squares)
    )
    return error, divide(apart**2, of_squares, 0.0)


def _shrunk(
    labels: Labels, pairs: Pairs, shrunk: Callable[[slice], Shrunk]
) -> tuple[PairVariances, FloatArray, FloatArray]:
    """Variances, differences of what is centred at, and disagreements of pairs."""
    n_models = labels.predicted.shape[1]
    influence = np.empty((len(labels.codes), n_models))
    unseen, values = np.empty((2, n_models))
    for models in labels.chunks:
        found, unseen[models], values[models] = shrunk(models)
        influence[:, models] = found.at(*labels.classes(models)).T
    if labels.times is not None:
        influence *= np.sqrt(labels.times)[:, None]
    variances = shrunk_variances(influence, unseen, pairs, labels.weights)
    a, b = pairs
    return variances, values[a] - values[b], labels.disagreements(pairs)


def _agreement_scores(
    labels: Labels, metric: Agreement, values: FloatArray, level: float
) -> Interval:
    parts = [
        agreement_interval(metric, values[models, 0], labels.confusions(models), level)
        for models in labels.chunks
    ]
    low, high = (np.concatenate(ends)[:, None] for ends in zip(*parts, strict=True))
    return Interval.of(low, high, "effective-size", np.full(low.shape, labels.size_of_others))


def _agreement_differences(
    labels: Labels, metric: Agreement, values: FloatArray, pairs: Pairs, level: float
) -> Interval:
    """Of two scores' own intervals: MCC is skewed where few positives are nearly all found."""

    def shrunk(models: slice) -> Shrunk:
        value, influence, *_ = shrunk_agreement(metric, labels.confusions(models))
        return influence, influence.power_sum(2) / labels.n_classes**2, value

    variances, _, size = _shrunk(labels, pairs, shrunk)
    scores = _agreement_scores(labels, metric, values, level)
    (a, b), value = pairs, values[:, 0]
    below, above = value - scores.low[:, 0], scores.high[:, 0] - value
    low = value[a] - value[b] - variances.joined(below[a], above[b])
    high = value[a] - value[b] + variances.joined(above[a], below[b])
    return Interval.of(low[:, None], high[:, None], "mover", size[:, None])
