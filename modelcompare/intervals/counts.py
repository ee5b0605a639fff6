"""Intervals of metrics of counts, for all models or pairs of them, and the formula for each.

MCC and kappa compare all counts with those expected by chance. Both are smooth in the confusion
matrix, so a sample of each cell has an influence in closed form. For a perfect or a constant model
the influences are 0, and for few samples they are too small: they are computed after adding two
samples, spread over all cells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.engine.contrasts import Contrasts
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs, standard_errors
from modelcompare.engine.labels import Labels
from modelcompare.intervals.averages import (
    Average,
    comparable_mean,
    corrected_mean,
    effective_size_interval,
    mover_interval,
)
from modelcompare.intervals.base import Interval
from modelcompare.intervals.confusions import CellSums, Confusions, Margins, chunks, classes_of
from modelcompare.intervals.differences import (
    half_count_error,
    mover,
    mover_of_scores,
    shrunk_covariance,
    shrunk_influences,
)
from modelcompare.intervals.ratios import (
    Bounds,
    class_interval,
    normal_quantile,
    proportion,
    t_quantile,
)
from modelcompare.intervals.unknown import FEW_PREDICTED
from modelcompare.metrics.base import AnyMetric, Metric
from modelcompare.metrics.counts import ACCURACY, COUNTS
from modelcompare.metrics.quotient import ClassRatio, Quotient, divide

RECALL = ClassRatio((1, 0, 0, 0), (1, 1, 0, 0))
_AGREEMENTS = ("matthews_corrcoef", "cohen_kappa")
# Samples added to each confusion matrix.
ADDED = 2.0


@dataclass(frozen=True)
class Counted:
    """A metric of counts: ``offset + slope * base``, the base a ratio or an average of ratios.

    Attributes
    ----------
    ratio : ClassRatio
        The metric of one class.
    over : {"class", "correct", "macro", "weighted"}
        One value for each class; one for all samples, each right (TP) or wrong (FN); an average.
    offset, slope : float
        Coefficients of the value.
    value : Quotient, optional
        The average over classes.
    """

    ratio: ClassRatio
    over: Literal["class", "correct", "macro", "weighted"]
    offset: float = 0.0
    slope: float = 1.0
    value: Quotient | None = None

    def apply(self, low: FloatArray, high: FloatArray) -> Bounds:
        """Return bounds of the value from bounds of the base."""
        ends = self.offset + self.slope * low, self.offset + self.slope * high
        return ends if self.slope > 0 else ends[::-1]


def ratio_of_counts(metric: AnyMetric, n_classes: int) -> Counted | None:
    """Return the ratio of a metric of true and predicted classes; None for other metrics."""
    ratio = metric.class_ratio if isinstance(metric, Metric) else None
    formula = _counts_formula(metric)
    if not isinstance(metric, Metric) or ratio is None or formula is None or n_classes < 2:
        return None
    if metric.is_of_samples:
        return _of_samples(ratio, n_classes)
    if not ratio.is_share:
        return None
    if metric.average == "weighted" and ratio == RECALL:
        return Counted(RECALL, "correct")
    if metric.average is None:
        return Counted(ratio, "class")
    return Counted(ratio, metric.average, value=formula)


def _counts_formula(metric: AnyMetric) -> Quotient | None:
    """Return the formula of a metric that divides counts of hard labels, else None."""
    value = metric.value if isinstance(metric, Metric) and metric.statistics == COUNTS else None
    return value if isinstance(value, Quotient) else None


def _of_samples(ratio: ClassRatio, n_classes: int) -> Counted | None:
    """Return a ratio of right and wrong samples, regardless of class."""
    (hit, right), (missed, wrong) = ratio.of_sample(n_classes)
    if right == wrong and hit != missed:
        return Counted(RECALL, "correct", missed / wrong, (hit - missed) / wrong)
    found = ClassRatio((hit, 0.0, 0.0, 0.0), (right, wrong, 0.0, 0.0))
    return Counted(found, "correct") if missed == 0 and found.is_share else None


def agreement(metric: AnyMetric) -> Quotient | None:
    """Return the formula of a metric that is MCC or kappa of counts, else None."""
    return _counts_formula(metric) if metric.name in _AGREEMENTS else None


def agreement_influences(formula: Quotient, margins: Margins) -> tuple[FloatArray, CellSums]:
    """Compute the value, and the influence of a sample of each cell, from margins.

    A sample of true class j and predicted class m adds 1 to the support of j and to the predicted
    count of m, and to the hits of j if it is m.
    """
    true, named, right = margins
    of_hits, of_named, of_true = formula.slopes(right, named, true)
    influence = CellSums(of_true, of_named, of_true + of_named + of_hits)
    return formula(right, named, true), influence


def shrunk_agreement(
    formula: Quotient, cells: Confusions
) -> tuple[FloatArray, CellSums, FloatArray, FloatArray]:
    """Compute value, influences, variance and its degrees of freedom, with samples added.

    Added samples have the weight ``sum w^2 / sum w``. Few samples of a rare class carry the
    variance: degrees of freedom are Satterthwaite's of the true classes' parts, each of as many
    samples as it has. (The errors themselves are few near 1, but Wilson's interval knows it.)
    """
    k, (true, named, right) = cells.n_classes, cells.margins
    weight = (cells.squares.sum(axis=-1) / cells.weights.sum(axis=-1))[..., None]
    each = ADDED / k**2
    one = each * weight
    value, influence = agreement_influences(formula, (true + k * one, named + k * one, right + one))
    part = (
        cells.by_true(cells.squares * influence.of(cells) ** 2) + one * weight * influence.squares()
    )
    size = divide(true**2, cells.margins_of_squares[0], 0.0) + k * each
    variance = part.sum(axis=-1)
    return value, influence, variance, divide(variance**2, (part**2 / size).sum(axis=-1), 0.0)


def agreement_interval(
    formula: Quotient,
    estimate: FloatArray,
    cells: Confusions,
    confidence_level: float = 0.95,
) -> Bounds:
    """Compute Wilson's interval on the scale [-1, 1], with the size that matches the variance."""
    value, _, variance, degrees = shrunk_agreement(formula, cells)
    share = (1 + value) / 2
    size = 4 * share * (1 - share) / variance
    quantile = t_quantile(np.minimum(size, degrees), confidence_level)
    low, high = proportion((1 + estimate) / 2, size, confidence_level, quantile)
    return 2 * low - 1, 2 * high - 1


Ends = tuple[FloatArray, FloatArray, FloatArray]
# Influences of each cell, variance of unseen disagreements, and the centre of the interval.
Shrunk = tuple[CellSums, FloatArray, FloatArray]


def of_counts(contrasts: Contrasts, metric: AnyMetric, level: float) -> Interval | None:
    """Compute intervals of every model, or every pair; None for other metrics, and clusters."""
    evaluation, pairs = contrasts.evaluation, contrasts.pairs
    if evaluation.predictions.groups is not None:
        return None
    of_scores = isinstance(metric, Metric) and metric.proportion and not metric.class_ratio
    measured: AnyMetric = ACCURACY if of_scores else metric
    labels = Labels.of_scores(evaluation.predictions, metric) if of_scores else evaluation.labelled
    if labels is None:
        return None
    where = evaluation.metric_slice(metric.name)
    values = contrasts.sample.point[:, where]
    what, agreed = ratio_of_counts(measured, labels.n_classes), agreement(measured)
    if what is not None:
        if pairs is None:
            return counted_scores(labels, what, level)
        return counted_differences(labels, what, contrasts.estimate[:, where], pairs, level)
    if agreed is not None:
        if pairs is None:
            return _agreement_scores(labels, agreed, values, level)
        return _agreement_differences(labels, agreed, values, pairs, level)
    return None


def corrected_average(evaluation: Evaluation, metric: AnyMetric) -> FloatArray | None:
    """Return averages over classes of counts, corrected for their bias on few samples.

    Of shape (n_models, 1); None for other metrics, and clusters.
    """
    labels = evaluation.labelled
    if labels is None or evaluation.predictions.groups is not None:
        return None
    what = ratio_of_counts(metric, labels.n_classes)
    if what is None or what.over not in ("macro", "weighted"):
        return None
    parts = [corrected_mean(_average(labels, what, models)) for models in chunks(labels)]
    return what.offset + what.slope * np.concatenate(parts)[:, None]


def counted_scores(labels: Labels, what: Counted, level: float) -> Interval:
    """Compute intervals of a ratio of counts, or an average of ratios, for every model."""
    labels = labels.right_or_wrong if what.over == "correct" else labels
    method = "wilson"
    interval = _class_values
    if what.over in ("macro", "weighted"):
        method = _method_of_average(what, labels.n_classes)
        interval = partial(_averages, method=method)
    parts = [interval(_average(labels, what, models), level) for models in chunks(labels)]
    low, high, size = (np.concatenate(ends) for ends in zip(*parts, strict=True))
    if what.over == "correct":
        low, high, size = low[:, 1:], high[:, 1:], size[:, 1:]
    return Interval.of(*what.apply(low, high), method, size)


def _class_values(average: Average, level: float) -> Ends:
    """Compute intervals of classes, with the smaller of trials and support as informative size."""
    size = average.trials.size
    if average.ratio.denominator[1]:
        size = np.minimum(size, average.support)
    return (*class_interval(average.trials, level), size)


def _method_of_average(what: Counted, n_classes: int) -> str:
    """Return the method for a value that is an average over classes.

    Precision weighted by the support has weights that vary together with the false alarms.
    """
    varies = what.over == "weighted" and what.ratio.denominator[1] == 0
    return "mover" if n_classes == 2 and not varies else "effective-size"


def _averages(average: Average, level: float, method: str) -> Ends:
    interval = mover_interval if method == "mover" else effective_size_interval
    low, high = interval(average, level)
    return low[:, None], high[:, None], np.minimum(average.certainty[1], average.size)[:, None]


def counted_differences(
    labels: Labels, what: Counted, difference: FloatArray, pairs: Pairs, level: float
) -> Interval:
    """Compute intervals of paired differences of a ratio of counts, or an average of ratios."""
    centre, method = difference, "half-count"
    if what.over in ("macro", "weighted") and labels.n_classes > 2:

        def shrunk(models: slice) -> Shrunk:
            average = _average(labels, what, models)
            return (*shrunk_influences(average), comparable_mean(average))

        method = "shrunk-influence"
        covariance, shrunk_values, disagreements = _shrunk(labels, pairs, shrunk)
        error, size = standard_errors(covariance[None], pairs), disagreements[:, None]
        centre = what.slope * (shrunk_values[pairs[0]] - shrunk_values[pairs[1]])[:, None]
    else:
        error, size = _half_count_errors(labels, what, pairs)
    most = abs(what.slope)
    half = normal_quantile(level) * most * error
    # A class that was only predicted may never be true, and count as 0.
    near = difference if what.over == "macro" else centre
    low = np.clip(np.minimum(np.minimum(centre, near) - half, difference), -most, most)
    high = np.clip(np.maximum(np.maximum(centre, near) + half, difference), -most, most)
    found = Interval.of(low, high, method, size)
    if method == "half-count" and what.over != "correct" and what.ratio.denominator[1] == 0:
        return _joined_where_few(found, labels, what, difference, pairs, level)
    return found


def _joined_where_few(
    found: Interval, labels: Labels, what: Counted, difference: FloatArray, pairs: Pairs,
    level: float,
) -> Interval:  # fmt: skip
    """Join two models' own intervals where one predicts a class under `FEW_PREDICTED` times.

    Half a sample in each cell is then too little: two predictions that are right show hardly any
    variance of a precision that may be one half. Of that class alone it is too little up to twice
    as many.
    """
    average = _average(labels, what, slice(None))
    values, of_class = average.values, what.over == "class"
    few: BoolArray = average.trials.size < FEW_PREDICTED * (1 + of_class)
    if not few.any():
        return found
    if of_class:
        low, high = class_interval(average.trials, level)
    else:
        low, high, _ = _averages(average, level, _method_of_average(what, labels.n_classes))
        few = np.any(few, axis=-1, keepdims=True)
        values = average.with_undefined(average.mean(values))[:, None]
    apart = mover(values, values - low, high - values, np.zeros((len(pairs[0]), 1)), pairs)
    low, high = np.fmin(apart[0], difference), np.fmax(apart[1], difference)
    chosen = np.logical_or(*(few[side] for side in pairs))
    joined = Interval.of(low, high, "mover").where(chosen, found)
    return replace(joined, n_informative=found.n_informative)


def _half_count_errors(
    labels: Labels, what: Counted, pairs: Pairs
) -> tuple[FloatArray, FloatArray]:
    of_samples, of_classes = what.over == "correct", what.over == "class"
    labels = labels.right_or_wrong if of_samples else labels
    first = 0 if of_classes else 1
    cells = labels.pair_cells(*pairs)[:, first:]
    squares = cells if labels.weights is None else labels.pair_cells(*pairs, 2)[:, first:]
    average = None if of_samples or of_classes else what.over
    error = half_count_error(cells, squares, what.ratio, average=average)
    # Samples on which the models disagree, if they enter the metric.
    matters = np.array(what.ratio.denominator)[[[3, 2], [1, 0]]].any(axis=1)
    disagreeing, of_squares = (
        ((c[..., 0, 1] + c[..., 1, 0]) * (matters if of_classes else 1.0)).sum(axis=-1)
        for c in (cells, squares)
    )
    return error, divide(disagreeing**2, of_squares, 0.0)


def _average(labels: Labels, what: Counted, models: slice) -> Average:
    """Return the values of some models' classes, and their average."""
    cells = Confusions.of(labels, models)
    return Average(cells, what.ratio, what.over == "weighted", value=what.value)


def _disagreements(labels: Labels, pairs: Pairs) -> FloatArray:
    """Compute the effective number of samples on which the models of each pair disagree."""
    weights = np.stack([labels.powered(1), labels.powered(2)])
    sums = np.empty((2, len(pairs[0])))
    for place, (a, b) in enumerate(zip(*pairs, strict=True)):
        sums[:, place] = weights @ (labels.predicted[a] != labels.predicted[b])
    return divide(sums[0] ** 2, sums[1], 0.0)


def _shrunk(
    labels: Labels, pairs: Pairs, shrunk: Callable[[slice], Shrunk]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute the covariance of models, centres of intervals, and disagreements of pairs."""
    n_models = len(labels.predicted)
    influence = np.empty((len(labels.codes), n_models))
    unseen, values = np.empty((2, n_models))
    for models in chunks(labels):
        found, unseen[models], values[models] = shrunk(models)
        influence[:, models] = found.at(*classes_of(labels, models)).T
    influence *= np.sqrt(labels.multiplicity)[:, None]
    covariance = shrunk_covariance(influence, unseen, labels.weights)
    return covariance, values, _disagreements(labels, pairs)


def _agreement_scores(
    labels: Labels, formula: Quotient, values: FloatArray, level: float
) -> Interval:
    parts = [
        agreement_interval(formula, values[models, 0], Confusions.of(labels, models), level)
        for models in chunks(labels)
    ]
    low, high = (np.concatenate(ends)[:, None] for ends in zip(*parts, strict=True))
    return Interval.of(low, high, "effective-size", np.full(low.shape, labels.size_of_others))


def _agreement_differences(
    labels: Labels, formula: Quotient, values: FloatArray, pairs: Pairs, level: float
) -> Interval:
    """Join the intervals of two scores: MCC is skewed if few positives are nearly all hits."""

    def shrunk(models: slice) -> Shrunk:
        value, influence, *_ = shrunk_agreement(formula, Confusions.of(labels, models))
        return influence, influence.squares().sum(axis=-1) / labels.n_classes**2, value

    covariance, _, size = _shrunk(labels, pairs, shrunk)
    scores = _agreement_scores(labels, formula, values, level)
    ends = scores.low[:, 0], scores.high[:, 0]
    low, high = mover_of_scores(values[:, 0], ends, covariance, pairs)
    return Interval.of(low[:, None], high[:, None], "mover", size[:, None])
