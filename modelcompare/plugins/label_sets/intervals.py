"""Intervals of metrics of sets of labels, for independent samples.

Each label is one of two classes, true or not, and has the intervals in closed form of such a class.
The labels of a sample are not independent. A mean over labels has the interval of a mean over
classes, with the covariance of the labels counted over samples; a difference of such means joins
the intervals of the labels by MOVER, with the correlations of their influences.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.data.test_set import TestSet
from modelcompare.engine.contrasts import Contrasts
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.engine.labels import Labels
from modelcompare.intervals import counts
from modelcompare.intervals.averages import Average, effective_size_interval
from modelcompare.intervals.base import Interval
from modelcompare.intervals.confusions import Confusions, Margins
from modelcompare.intervals.counts import (
    Counted,
    counted_differences,
    counted_scores,
    ratio_of_counts,
)
from modelcompare.intervals.sizes import ratio_of
from modelcompare.metrics.base import AnyMetric, Metric
from modelcompare.metrics.outcomes import Outcomes
from modelcompare.metrics.quotient import divide


def of_counts(contrasts: Contrasts, metric: AnyMetric, level: float) -> Interval | None:
    """Compute intervals of counts of labels; None for other metrics."""
    evaluation, pairs = contrasts.evaluation, contrasts.pairs
    if evaluation.predictions.groups is not None or not isinstance(metric, Metric):
        return None
    what = ratio_of_counts(metric, 2)
    if metric.proportion and what is None:
        return counts.of_counts(contrasts, metric, level)
    if what is None or what.over not in ("class", "macro"):
        return None
    of_label = replace(what, over="class")
    if what.over == "class":
        values = contrasts.sample.point[:, evaluation.metric_slice(metric.name)]
        return _of_each(contrasts, of_label, values, level)
    if pairs is None:
        return _means(evaluation, what, level)
    values = divide(*ratio_of(evaluation, metric, evaluation.grand_total))
    own = _of_each(contrasts, of_label, values, level)
    return _joined(own, evaluation, metric, pairs)


def _of_each(contrasts: Contrasts, what: Counted, values: FloatArray, level: float) -> Interval:
    """Compute the intervals of each label: true or not, and predicted or not."""
    parts, pairs = [], contrasts.pairs
    for k, labels in enumerate(_labels(contrasts.evaluation.predictions)):
        if pairs is None:
            both = counted_scores(labels, what, level)
        else:
            apart = (values[pairs[0], k] - values[pairs[1], k])[:, None]
            both = counted_differences(labels, what, apart.repeat(2, axis=1), pairs, level)
        parts.append(both.columns(slice(1, 2)))
    return Interval.joined(parts, axis=1)


def _labels(predictions: TestSet) -> Iterator[Labels]:
    """Yield each label of sets of labels as the class 1 of two classes."""
    truth, weights = predictions.access.true_distribution, predictions.sample_weight
    assert truth is not None  # noqa: S101  the truth is sets of labels
    ones = np.ones(len(truth), np.intp)
    outputs = [predictions.output(model).array for model in predictions.models]
    for k in range(predictions.access.n_classes):
        codes, *predicted = ((x[:, k] > 0.5).astype(np.intp) for x in (truth, *outputs))
        yield Labels(codes, predicted, 2, ones, weights)


# -- means over labels --------------------------------------------------------------------------


class _Sets(Confusions):
    """True and predicted labels (n_samples, n_labels), 0 or 1, of one model."""

    def shared(self, gains: FloatArray) -> FloatArray:
        # TP, FN, FP and TN are 0 to 3.
        outcomes = np.where(self.true, 1 - self.named, 3 - self.named)
        own = gains[np.arange(gains.shape[0]), outcomes]
        products = own.sum(axis=1) ** 2 - (own**2).sum(axis=1)
        return np.asarray(self.squares @ products)

    def _margins(self, numbers: FloatArray) -> Margins:
        return numbers @ self.true, numbers @ self.named, numbers @ (self.true * self.named)


def _means(evaluation: Evaluation, what: Counted, level: float) -> Interval:
    """Compute the interval of each model's mean over labels."""
    predictions, ends, sizes = evaluation.predictions, [], []
    weights = predictions.access.weights
    for model in predictions.models:
        outcomes = Outcomes.of(predictions, model)
        sides = (outcomes.truth > 0, outcomes.predicted_indicator > 0)
        truth, named = (side.astype(np.intp) for side in sides)
        cells = _Sets(truth, named, weights, weights**2, predictions.access.n_classes)
        average = Average(cells, what.ratio, value=what.value)
        ends.append(what.apply(*effective_size_interval(average, level)))
        sizes.append(np.minimum(average.certainty[1], len(predictions)))
    low, high = (np.array(side)[:, None] for side in zip(*ends, strict=True))
    return Interval.of(low, high, "effective-size", np.array(sizes)[:, None])


# -- differences of means over labels -----------------------------------------------------------


def _joined(own: Interval, evaluation: Evaluation, metric: Metric, pairs: Pairs) -> Interval:
    """Join intervals of differences of labels to those of their mean, where both have a value.

    References
    ----------
    .. [1] Zou & Donner (2008), Statistics in Medicine 27, 1693-1702.
    """
    top, bottom = ratio_of(evaluation, metric, evaluation.grand_total)
    values = divide(top, bottom)
    apart = values[pairs[0]] - values[pairs[1]]
    covariances = np.zeros((*apart.shape, apart.shape[1]))
    for rows in evaluation.row_steps():
        part, whole = ratio_of(evaluation, metric, evaluation.statistics(rows=rows))
        influence = divide(part - divide(top, bottom, 0.0) * whole, bottom, 0.0)
        for place, (a, b) in enumerate(zip(*pairs, strict=True)):
            both = influence[:, a] - influence[:, b]
            covariances[place] += both.T @ both
    spread = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
    correlation = divide(covariances, spread[:, :, None] * spread[:, None, :], 0.0)
    # A label without errors has an unknown correlation with others, taken as none.
    labels = np.arange(apart.shape[1])
    correlation[:, labels, labels] = 1.0
    defined = ~np.isnan(apart) & ~np.isnan(own.low)
    n = np.maximum(defined.sum(axis=1), 1)
    reaches = np.where(defined, [apart - own.low, own.high - apart], 0.0)
    squares = np.einsum("sri,rij,srj->sr", reaches, correlation, reaches)
    below, above = np.sqrt(np.maximum(squares, 0.0)) / n
    mean = np.where(defined, apart, 0.0).sum(axis=1) / n
    sizes = None if own.n_informative is None else own.n_informative.sum(axis=1)[:, None]
    return Interval.of((mean - below)[:, None], (mean + above)[:, None], "mover", sizes)
