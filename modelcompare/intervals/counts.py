"""Intervals of metrics of counts, for all models or pairs of them: which formula serves which."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.intervals.agreement import (
    Agreement,
    agreement,
    agreement_interval,
    shrunk_agreement,
)
from modelcompare.intervals.averages import (
    Average,
    comparable_mean,
    effective_size_interval,
    mover_interval,
)
from modelcompare.intervals.base import Interval
from modelcompare.intervals.confusions import CellSums
from modelcompare.intervals.counted import Counted, Labels, Pairs, counted
from modelcompare.intervals.differences import (
    PairVariances,
    half_count_error,
    shrunk_influences,
    shrunk_variances,
)
from modelcompare.intervals.ratios import class_interval, normal_quantile
from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.quotient import divide

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
