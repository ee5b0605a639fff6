"""Proof from the totals of the test set that no resample is undefined.

A total T of numbers between 0 and 1 comes from at least T samples, and a resample contains none of
them with a probability below ``exp(-T)``. If whole clusters are drawn, it comes from at least T
over the weight of the heaviest of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.partition import is_of_rows
from modelcompare.metrics.base import AnyMetric, Metric, OrderMetric, fraction_of
from modelcompare.metrics.calibration import calibration_formula
from modelcompare.metrics.counts import COUNTS, SOFT_COUNTS
from modelcompare.metrics.quotient import Quotient
from modelcompare.metrics.scoring import COUNT

# exp(-60) is 1e-26: negligible even for a billion of resamples and values.
_ENOUGH = 60.0
# Statistics between 0 and 1 on every sample of weight 1.
_WITHIN_ONE = frozenset((COUNT, *COUNTS, *SOFT_COUNTS))


def never_undefined(evaluation: Evaluation) -> bool:
    """True if all values are defined on practically all resamples.

    False if that is not known: for strata and buckets, for functions, for metrics without a
    quotient, and for other metrics than sums where clusters are drawn.
    """
    if evaluation.units.strata is not None:
        return False
    return all(_is_defined(evaluation, metric) for metric in evaluation.metrics)


def _is_defined(evaluation: Evaluation, metric: AnyMetric) -> bool:
    formula = calibration_formula(metric)
    if isinstance(metric, Metric) and not formula:
        return _is_defined_sum(evaluation, metric)
    if evaluation.predictions.groups is not None:
        return False
    if isinstance(metric, OrderMetric):
        proofs = {
            "classes": _has_all_classes, "values": _vary, "samples": _has_samples,
            "objects": _has_objects,
        }  # fmt: skip
        return metric.defined_by != "" and proofs[metric.defined_by](evaluation)
    p = evaluation.predictions
    return bool(formula) and p.sample_weight is None and len(p) >= _ENOUGH


def _is_defined_sum(evaluation: Evaluation, metric: Metric) -> bool:
    # An average is defined if any class occurs, unless the paper's convention needs all defined.
    averaged = metric.average is not None and metric.zero_division != "paper"
    if evaluation.partition is not None and not is_of_rows(metric):
        # Parts that are not drawn do not count.
        return averaged and not metric.is_of_samples
    parts = evaluation.parts(metric, evaluation.grand_total)
    heaviest = evaluation.access.largest_weight
    totals = [part / heaviest for part in parts]
    counted, value = [statistic in _WITHIN_ONE for statistic in metric.statistics], metric.value
    if isinstance(value, Quotient) and value.of_two_classes:
        return all(counted) and all(map(_has_two_classes, totals[1:]))
    # The value is the quotient, or increases with it: it is defined where the quotient is.
    if metric.ratio is None:
        return False
    strict = isinstance(value, Quotient) and value.strict

    def denominators(parts: Sequence[FloatArray]) -> FloatArray:
        bottom = fraction_of(metric, *parts)[1]
        return bottom.sum(axis=-1) if averaged else bottom

    share = 0.0
    for place, within in enumerate(counted):
        alone = [np.zeros_like(t) for t in totals]
        # Of sums over classes, to which a sample contributes in one class; else of each class.
        alone[place][..., : 1 if averaged or metric.is_of_samples else None] = 1.0
        most = float(np.abs(denominators(alone)).max())
        if most > 0 and not within:
            return False
        share += most
    enough = bool((denominators(totals) >= _ENOUGH * share).all())
    if not isinstance(value, Quotient) or not strict or not enough:
        return enough
    # Larger totals have a value if smaller ones do.
    least = [
        np.where((t >= _ENOUGH) & within, np.finfo(float).tiny, 0.0)
        for t, within in zip(totals, counted, strict=True)
    ]
    return not np.any(value.lacks(*least))


def _has_two_classes(totals: FloatArray) -> bool:
    """True if enough is outside of the class with the largest total."""
    return bool((totals.sum(axis=-1) - totals.max(axis=-1)).min() >= _ENOUGH)


def _has_all_classes(evaluation: Evaluation) -> bool:
    """True if every class has enough samples with a positive weight."""
    access = evaluation.access
    if access.hard_codes is None:
        return False
    support = np.bincount(access.hard_codes[_weighs(evaluation)], minlength=access.n_classes)
    return bool((support >= _ENOUGH).all())


def _vary(evaluation: Evaluation) -> bool:
    """True if enough samples differ from the commonest true value, and output of each model."""
    outcomes = [evaluation.outcomes(model) for model in evaluation.models]
    columns = [outcomes[0].true_values, *(each.values for each in outcomes)]
    weighs = _weighs(evaluation)
    counts = (np.unique(values[weighs], return_counts=True)[1] for values in columns)
    return all(count.sum() - count.max(initial=0) >= _ENOUGH for count in counts)


def _has_samples(evaluation: Evaluation) -> bool:
    """True if enough samples have a positive weight."""
    weight = evaluation.predictions.sample_weight
    n_samples = len(evaluation.predictions) if weight is None else np.count_nonzero(weight)
    return bool(n_samples >= _ENOUGH)


def _has_objects(evaluation: Evaluation) -> bool:
    """True if enough samples with a positive weight have an object of any label."""
    objects = evaluation.outcomes(evaluation.models[0]).truth
    return bool(np.count_nonzero(objects[_weighs(evaluation)].any(axis=1)) >= _ENOUGH)


def _weighs(evaluation: Evaluation) -> BoolArray | slice:
    weight = evaluation.predictions.sample_weight
    return slice(None) if weight is None else weight > 0
