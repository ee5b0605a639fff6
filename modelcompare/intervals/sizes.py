"""Effective numbers of samples or clusters for each value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.data.sizes import n_seen
from modelcompare.data.test_set import Access
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.intervals.averages import class_slopes
from modelcompare.metrics.base import AnyMetric, Metric, fraction_of
from modelcompare.metrics.quotient import divide

# Relative difference of statistics that is rounding.
_ROUNDING = 1e-12


def effective_units(evaluation: Evaluation, metrics: Sequence[AnyMetric]) -> FloatArray:
    """Compute the effective number of units for each value, (n_models, n_values), else NaN.

    A unit is weighted by its share of the denominator if the metric is a ratio, by the mean share
    of the classes for an average; else, and for ratios of probabilities, by its samples, those of
    the class if the metric is per class.
    """
    out = np.full((len(evaluation.models), len(evaluation.keys)), np.nan)
    sums = np.zeros((2, *out.shape))
    ratios = [metric for metric in metrics if _is_weighted(metric)]
    for rows in evaluation.row_steps() if ratios else ():
        numbers, counts = evaluation.statistics(rows=rows), evaluation.units.counts(rows)
        for ratio in ratios:
            added = _denominators(evaluation, ratio, numbers)
            powers = [np.tensordot(counts, each, 1) for each in (added, added**2)]
            sums[..., evaluation.metric_slice(ratio.name)] += powers
    for metric in metrics:
        where = evaluation.metric_slice(metric.name)
        if _is_weighted(metric):
            out[:, where] = divide(sums[0, :, where] ** 2, sums[1, :, where], 0.0)
        else:
            of_class = metric.per_class and evaluation.predictions.labels is not None
            out[:, where] = effective_sizes(evaluation.access, by_class=of_class)
    return out


def ratio_of(
    evaluation: Evaluation, metric: Metric, numbers: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return numerators and denominators (..., n_models or 1, width) of statistics, or totals."""
    return fraction_of(metric, *evaluation.parts(metric, numbers))


def _is_weighted(metric: AnyMetric) -> TypeGuard[Metric]:
    """True if units are weighted by their shares of a denominator."""
    ratio = isinstance(metric, Metric) and metric.ratio is not None
    return ratio and not metric.kind.distribution


def _denominators(evaluation: Evaluation, metric: Metric, numbers: FloatArray) -> FloatArray:
    """Return denominators (n_rows, n_models or 1, n_values) of the numbers of rows."""
    bottom = ratio_of(evaluation, metric, numbers)[1]
    if metric.average:
        totals = evaluation.grand_total[None]
        bottom = (bottom * class_slopes(metric, *evaluation.parts(metric, totals))).sum(axis=-1)
    return bottom if metric.per_class else bottom[..., None]


def denominator_shares(evaluation: Evaluation, metric: AnyMetric, rows: slice) -> FloatArray:
    """Compute the share of some units in each denominator, (n_units, n_models, n_values).

    Units are weighted as in `effective_units`.
    """
    where = evaluation.metric_slice(metric.name)
    shape = len(evaluation.models), where.stop - where.start
    if _is_weighted(metric):
        numbers = evaluation.statistics(rows=rows), evaluation.grand_total[None]
        part, whole = (_denominators(evaluation, metric, each) for each in numbers)
    else:
        of_class = metric.per_class and evaluation.predictions.labels is not None
        weights = evaluation.access.unit_weights(by_class=of_class)
        part, whole = (x[:, None] for x in (weights[rows], weights.sum(axis=0, keepdims=True)))
    shares = divide(part, whole, 0.0)
    return np.broadcast_to(shares, (len(shares), *shape))


def disagreements(evaluation: Evaluation, metric: Metric, pairs: Pairs) -> FloatArray:
    """Count the units on which two models' statistics differ, (n_pairs, n_values).

    Each class counts its own if the metric is per class.
    """
    where = evaluation.metric_slice(metric.name)
    found = np.zeros((len(pairs[0]), where.stop - where.start))

    def by_value(apart: BoolArray) -> BoolArray:
        same: BoolArray = np.any(apart, axis=1, keepdims=True)
        return apart if apart.shape[1] == found.shape[1] else same

    for rows in evaluation.row_steps():
        counts = evaluation.units.counts(rows)
        parts = evaluation.parts(metric, evaluation.statistics(rows=rows))
        own = [part for part in parts if part.shape[1] > 1]
        for place, (a, b) in enumerate(zip(*pairs, strict=True)):
            apart = [_differ(part[:, a], part[:, b]) for part in own]
            found[place] += counts @ np.any(np.broadcast_arrays(*map(by_value, apart)), axis=0)
    return found


def _differ(a: FloatArray, b: FloatArray) -> BoolArray:
    return np.asarray(np.abs(a - b) > _ROUNDING * (np.abs(a) + np.abs(b)))


def typical_support(evaluation: Evaluation, metric: AnyMetric) -> float:
    """Return the samples of a typical class in a macro average; infinity for other metrics.

    A mean over many classes of few samples is biased though it varies little, so its standard error
    is too optimistic.
    """
    support = evaluation.support
    if support is None or not isinstance(metric, Metric) or metric.average != "macro":
        return np.inf
    share = n_results(evaluation) / len(evaluation.predictions)
    return float(np.median(support[support > 0])) * share


def n_results(evaluation: Evaluation) -> int:
    """Return the number of rows, without those that repeat a run."""
    return evaluation.once(("results",), lambda: n_seen(evaluation.predictions))


def chance_unseen(
    evaluation: Evaluation, metric: AnyMetric, pairs: Pairs, matters: BoolArray
) -> FloatArray:
    """Compute the weight of one unseen disagreement as large as the models' own influences.

    Models that agree on all samples may differ on the next one; if they differ on all, by little,
    the differences show how much. So it is the share of units on which they agree, times the chance
    (at most 3 / m, the rule of three) that the next disagreement is unlike the m seen.

    Parameters
    ----------
    evaluation, metric, pairs
        Models, metric, and pairs of them.
    matters : ndarray of bool of shape (n_pairs, n_values)
        Where it is needed; 1 for other pairs, and for metrics that are no sums.
    """
    chance = np.ones(matters.shape)
    rows = np.flatnonzero(matters.any(axis=1))
    if rows.size and isinstance(metric, Metric):
        seen = disagreements(evaluation, metric, (pairs[0][rows], pairs[1][rows]))
        share = 1 - seen / evaluation.units.size
        chance[rows] = share * np.minimum(1.0, 3 / np.maximum(seen, 1.0))
    return chance


def effective_sizes(access: Access[Any], *, by_class: bool) -> FloatArray:
    """Compute the effective number of units by the weight of their samples, by class or of all.

    Of shape (n_classes,) or (1,).
    """
    of_unit = access.unit_weights(by_class=by_class)
    return divide(of_unit.sum(axis=0) ** 2, np.square(of_unit).sum(axis=0), 0.0)
