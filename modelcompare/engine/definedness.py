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
from modelcompare.metrics.base import AnyMetric, Metric, fraction_of
from modelcompare.metrics.counts import COUNTS, SOFT_COUNTS
from modelcompare.metrics.defined import DefinedBy
from modelcompare.metrics.quotient import Quotient
from modelcompare.metrics.scoring import COUNT

# exp(-60) is 1e-26: negligible even for a billion of resamples and values.
_ENOUGH = 60.0
# Statistics between 0 and 1 on every sample of weight 1.
_WITHIN_ONE = frozenset((COUNT, *COUNTS, *SOFT_COUNTS))


def never_undefined(evaluation: Evaluation) -> bool:
    """True if all values are defined on practically all resamples.

    False if that is not known, as of buckets, of functions, and of metrics that declare nothing.
    """
    if evaluation.units.sizes is not None:
        return False
    return all(_is_defined(evaluation, metric) for metric in evaluation.metrics)


def _is_defined(evaluation: Evaluation, metric: AnyMetric) -> bool:
    own = metric.intervals is not None
    if metric.defined_by is not None:
        return _contain_all(evaluation, metric.defined_by)
    if isinstance(metric, Metric) and not own:
        return _is_defined_sum(evaluation, metric)
    p = evaluation.predictions
    alone = p.groups is None and p.sample_weight is None
    return own and alone and len(p) >= _enough(evaluation)


def _enough(evaluation: Evaluation) -> float:
    """Return the units of which a resample contains one: twice as many in strata.

    Of two units in a stratum one is drawn, so units are left out with a probability below the root
    of that in all.
    """
    return _ENOUGH if evaluation.units.strata is None else 2 * _ENOUGH


def _contain_all(evaluation: Evaluation, defined_by: DefinedBy) -> bool:
    """True if every resample contains a sample of each mask, of a positive weight."""
    access, weight = evaluation.access, evaluation.predictions.sample_weight
    if "rows" not in access.abilities or evaluation.partition is not None:
        return False
    weighs = True if weight is None else weight > 0
    clustered = evaluation.predictions.groups is not None

    def n_units(mask: BoolArray) -> int:
        if not clustered:
            return int(np.count_nonzero(mask & weighs))
        return len(np.unique(access.unit_of[mask & weighs]))

    least, models = _enough(evaluation), evaluation.models
    return all(
        n_units(mask) >= least
        for model in models
        for mask in defined_by(evaluation.outcomes(model))
    )


def _is_defined_sum(evaluation: Evaluation, metric: Metric) -> bool:
    # An average is defined if any class occurs, unless the paper's convention needs all defined.
    averaged = metric.average is not None and metric.zero_division != "paper"
    if evaluation.partition is not None and not is_of_rows(metric):
        # Parts that are not drawn do not count.
        return averaged and not metric.is_of_samples
    access = evaluation.access
    if "rows" in access.abilities and access.true_marks is not None:
        return _in_enough_units(evaluation, metric, averaged=averaged)
    parts = evaluation.parts(metric, evaluation.grand_total)
    heaviest, least = access.largest_weight, _enough(evaluation)
    totals = [part / heaviest for part in parts]
    counted, value = [statistic in _WITHIN_ONE for statistic in metric.statistics], metric.value
    if isinstance(value, Quotient) and value.of_two_classes:
        return all(counted) and all(_has_two_classes(total, least) for total in totals[1:])
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
    enough = bool((denominators(totals) >= least * share).all())
    if not isinstance(value, Quotient) or not strict or not enough:
        return enough
    # Larger totals have a value if smaller ones do.
    smallest = [
        np.where((t >= least) & within, np.finfo(float).tiny, 0.0)
        for t, within in zip(totals, counted, strict=True)
    ]
    return not np.any(value.lacks(*smallest))


def _in_enough_units(evaluation: Evaluation, metric: Metric, *, averaged: bool) -> bool:
    """True if the denominator of each value is above 0 in enough units.

    Totals do not show it where a sample has any number of labels, or objects.
    """
    strict = isinstance(metric.value, Quotient) and metric.value.strict
    if metric.ratio is None or strict:
        return False
    columns, found = evaluation.columns(slice(None), (metric,)), np.zeros(1)
    for rows in evaluation.row_steps():
        numbers = evaluation.statistics(rows, (metric,))
        parts = {column.statistic: column.of(numbers) for column in columns}
        bottom = fraction_of(metric, *(parts[each] for each in metric.statistics))[1]
        bottom = bottom.sum(axis=-1) if averaged else bottom
        found = found + np.count_nonzero(bottom > 0, axis=0)
        if (found >= _enough(evaluation)).all():
            return True
    return False


def _has_two_classes(totals: FloatArray, least: float) -> bool:
    """True if enough is outside of the class with the largest total."""
    return bool((totals.sum(axis=-1) - totals.max(axis=-1)).min() >= least)
