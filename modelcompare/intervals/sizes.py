"""Effective numbers of samples or clusters for each value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.data.test_set import TestSet
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.metrics.base import AnyMetric, Metric, class_slopes
from modelcompare.metrics.quotient import divide

# Relative difference of statistics that is rounding.
_ROUNDING = 1e-9


def effective_units(evaluation: Evaluation, metrics: Sequence[AnyMetric]) -> FloatArray:
    """Compute the effective number of units for each value, (n_models, n_values), else NaN.

    A unit is weighted by its share of the denominator if the metric is a ratio, by the mean share
    of the classes for an average; else, and for ratios of probabilities, by its samples, those of
    the class if the metric is per class.
    """
    out = np.full((len(evaluation.models), len(evaluation.keys)), np.nan)
    ratios = []
    for metric in metrics:
        if isinstance(metric, Metric) and metric.ratio and metric.needs != "probabilities":
            ratios.append(metric)
        else:
            of_class = metric.per_class and evaluation.predictions.labels is not None
            found = _of_samples(evaluation.predictions, by_class=of_class)
            out[:, evaluation.metric_slice(metric.name)] = found
    for model in range(len(out) if ratios else 0):
        _fill_ratios(out[model], evaluation, ratios, slice(model, model + 1))
    return out


def ratio_of(
    evaluation: Evaluation, metric: Metric, numbers: FloatArray, model: slice
) -> tuple[FloatArray, FloatArray]:
    """Return numerators and denominators of one model's ratio, from statistics of rows."""
    if metric.ratio is None:
        raise TypeError(f"{metric.name} declares no ratio.")
    return metric.ratio(*(part[:, 0] for part in evaluation.parts(metric, numbers, model)))


def denominator_shares(evaluation: Evaluation, metric: AnyMetric, rows: slice) -> FloatArray:
    """Compute the share of some units in each denominator, (n_units, n_models, n_values).

    Units are weighted as in `effective_units`.
    """
    where = evaluation.metric_slice(metric.name)
    shape = len(evaluation.models), where.stop - where.start
    if isinstance(metric, Metric) and metric.ratio and metric.needs != "probabilities":
        parts = evaluation.parts(metric, evaluation.statistics(rows=rows))
        of_all = evaluation.parts(metric, evaluation.grand_total(slice(None))[None])
        part, whole = metric.ratio(*parts)[1], metric.ratio(*of_all)[1]
        if metric.average:
            slopes = class_slopes(metric, *of_all)
            part, whole = ((x * slopes).sum(axis=-1) for x in (part, whole))
    else:
        of_class = metric.per_class and evaluation.predictions.labels is not None
        weights = evaluation.predictions.unit_weights(by_class=of_class)
        part, whole = (x[:, None] for x in (weights[rows], weights.sum(axis=0, keepdims=True)))
    found = divide(part, whole, 0.0)
    found = found.reshape(*found.shape[:2], -1)
    return np.broadcast_to(found, (len(found), *shape))


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
    differ: BoolArray = np.abs(a - b) > _ROUNDING * (np.abs(a) + np.abs(b))
    return differ


def typical_support(evaluation: Evaluation, metric: AnyMetric) -> float:
    """Return the samples of a typical class in a macro average; infinity for other metrics.

    A mean over many classes of few samples is biased though it varies little, so its standard error
    is too optimistic.
    """
    support = evaluation.support
    if support is None or not isinstance(metric, Metric) or metric.average != "macro":
        return np.inf
    return float(np.median(support[support > 0]))


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


def denominator_units(evaluation: Evaluation, metric: Metric) -> float:
    """Compute the effective number of units in a mean, whose denominators all models share."""
    out = np.full(len(evaluation.keys), np.nan)
    _fill_ratios(out, evaluation, [metric], slice(0, 1))
    return float(out[0])


def class_sizes(predictions: TestSet) -> FloatArray:
    """Compute the effective number of units of each true class, by the weight of its samples."""
    return _of_samples(predictions, by_class=True)


def _of_samples(predictions: TestSet, *, by_class: bool) -> FloatArray:
    """Compute the effective number of units by the weight of their samples, by class or of all."""
    of_unit = predictions.unit_weights(by_class=by_class)
    return divide(of_unit.sum(axis=0) ** 2, np.square(of_unit).sum(axis=0), 0.0)


def _fill_ratios(
    out: FloatArray, evaluation: Evaluation, metrics: list[Metric], model: slice
) -> None:
    """Compute the effective number of units of one model's ratios, by shares of denominators."""
    totals = evaluation.grand_total(model)[None]
    sums = {metric.name: np.zeros((2, 1)) for metric in metrics}
    slopes = {
        metric.name: class_slopes(metric, *evaluation.parts(metric, totals, model))[0, 0]
        for metric in metrics if metric.average
    }  # fmt: skip
    for rows in evaluation.units.row_blocks():
        numbers, counts = evaluation.statistics(model, rows), evaluation.units.counts(rows)
        for metric in metrics:
            added = ratio_of(evaluation, metric, numbers, model)[1]
            if metric.average:
                added = added @ slopes[metric.name]
            added = added.reshape(len(added), -1)
            powers = np.stack([counts @ added, counts @ added**2])
            sums[metric.name] = sums[metric.name] + powers
    for metric in metrics:
        total, squares = sums[metric.name]
        out[evaluation.metric_slice(metric.name)] = divide(total**2, squares, 0.0)
