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
    half_count_error,
    shrunk_difference_errors,
    shrunk_influences,
)
from modelcompare.intervals.ratios import class_interval, normal_quantile, t_quantile
from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.quotient import divide

Ends = tuple[FloatArray, FloatArray, FloatArray]
# Influences of each cell, variance of what was not seen, and the value to centre at.
Shrunk = tuple[CellSums, FloatArray, FloatArray]


def of_counts(
    labels: Labels, metric: AnyMetric, estimate: FloatArray, pairs: Pairs | None, level: float
) -> Interval | None:
    """Intervals of every model, or of every pair, if the metric is one of counts."""
    what, agreed = counted(metric, labels.n_classes), agreement(metric)
    if what is not None:
        if pairs is None:
            return counted_scores(labels, what, level)
        return counted_differences(labels, what, estimate, pairs, level)
    if agreed is not None:
        if pairs is None:
            return _agreement_scores(labels, agreed, estimate, level)
        return _agreement_differences(labels, agreed, estimate, pairs, level)
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
        error, apart, size = _shrunk_errors(labels, pairs, shrunk)
        centre = what.slope * apart
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


def _shrunk_errors(labels: Labels, pairs: Pairs, shrunk: Callable[[slice], Shrunk]) -> Ends:
    """Standard errors, differences of what is centred at, and disagreements of pairs."""
    n_models = labels.predicted.shape[1]
    influence = np.empty((len(labels.codes), n_models))
    unseen, values = np.empty((2, n_models))
    for models in labels.chunks:
        found, unseen[models], values[models] = shrunk(models)
        influence[:, models] = found.at(*labels.classes(models)).T * labels.root_counts[:, None]
    error = shrunk_difference_errors(influence, unseen, pairs, labels.weights)
    a, b = pairs
    return error[:, None], (values[a] - values[b])[:, None], labels.disagreements(pairs)[:, None]


def _agreement_scores(
    labels: Labels, metric: Agreement, estimate: FloatArray, level: float
) -> Interval:
    parts = [
        agreement_interval(metric, estimate[models, 0], labels.confusions(models), level)
        for models in labels.chunks
    ]
    low, high = (np.concatenate(ends)[:, None] for ends in zip(*parts, strict=True))
    return Interval.of(low, high, "effective-size", np.full(low.shape, labels.size_of_others))


def _agreement_differences(
    labels: Labels, metric: Agreement, difference: FloatArray, pairs: Pairs, level: float
) -> Interval:
    def shrunk(models: slice) -> Shrunk:
        value, influence, *_ = shrunk_agreement(metric, labels.confusions(models))
        return influence, influence.power_sum(2) / labels.n_classes**2, value

    error, _, size = _shrunk_errors(labels, pairs, shrunk)
    # The samples that tell the models apart carry the variance, and the two that were added.
    half = t_quantile(2 * (size + 2), level) * error
    low, high = np.maximum(difference - half, -2.0), np.minimum(difference + half, 2.0)
    return Interval.of(low, high, "shrunk-influence", size)
