"""A custom function of true labels and outputs, called once per resample."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.data.test_set import TestSet
from modelcompare.engine.partition import Partition, evaluate_parts, is_of_rows
from modelcompare.metrics.base import CallableMetric, OrderMetric, Outcomes
from modelcompare.words import shown


def evaluator(
    metric: OrderMetric | CallableMetric, predictions: TestSet, model: str,
    partition: Partition | None = None,
) -> Callable[[FloatArray], FloatArray]:  # fmt: skip
    """Return the function of per-sample weights (n_resamples, n_samples), for one model.

    With a `partition` it is the mean of the parts' values.
    """
    if partition is not None and not is_of_rows(metric):
        parts = map(predictions.subset, partition.rows)
        of_parts = [evaluator(metric, part, model) for part in parts]
        return partial(evaluate_parts, of_parts, partition)
    if isinstance(metric, OrderMetric):
        return metric.prepare(Outcomes.of(predictions, model))
    array = given_output(metric, predictions, model)
    return partial(call_function, metric, predictions, array)


def given_output(metric: CallableMetric, predictions: TestSet, model: str) -> AnyArray:
    """Return the output of each sample, as a user's function takes it."""
    if metric.kind.coded and predictions.labels is not None:
        return predictions.labels[predictions.predicted(model)]
    return predictions.output(model).array


def call_function(
    metric: CallableMetric, predictions: TestSet, output: AnyArray, weights: FloatArray
) -> FloatArray:
    """Call a user's function with an output, once per weight vector."""
    shape = (predictions.access.n_classes,) if metric.per_class else ()
    values = [_called(metric, predictions.y_true, output, row) for row in weights]
    return np.array([_number(metric, value, shape) for value in values], dtype=np.float64)


def _called(
    metric: CallableMetric, truth: AnyArray | None, output: AnyArray, weights: FloatArray
) -> Any:
    if weights[0] == 1 and (weights == 1).all():
        return metric.function(None if truth is None else truth.copy(), output.copy())
    counts = weights.astype(np.intp)
    if np.array_equal(counts, weights):
        index = np.repeat(np.arange(len(weights)), counts)
        if len(index) == 0:
            return np.nan
        return metric.function(None if truth is None else truth[index], output[index])
    if not metric.takes_sample_weight:
        raise ValueError(
            f"metric {metric.name!r} has no parameter `sample_weight`, which weights that are not "
            "whole counts need; add it, or use the multinomial bootstrap without sample weights."
        )
    return metric.function(truth, output, sample_weight=weights)


def _number(metric: CallableMetric, value: Any, shape: tuple[int, ...]) -> FloatArray:
    """Check the value of the function, a number or one for each class, and return it."""
    try:
        # None would become NaN.
        found = np.asarray("None" if value is None else value, dtype=np.float64)
    except (TypeError, ValueError):
        found = None
    if found is None or found.size != math.prod(shape):
        wanted = f"{shape[0]} numbers, one for each class" if shape else "a number"
        raise ValueError(f"metric {metric.name!r} must return {wanted}, got {shown(value)}.")
    if np.isinf(found).any():
        raise ValueError(
            f"metric {metric.name!r} returned {shown(value)}, for which there is no interval; "
            "return NaN where it has no value."
        )
    return found.reshape(shape)
