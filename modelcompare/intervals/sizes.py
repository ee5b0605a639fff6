"""Effective numbers of samples or clusters for each value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.data.test_set import TestSet
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.base import AnyMetric, Metric, class_slopes
from modelcompare.metrics.quotient import divide


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
