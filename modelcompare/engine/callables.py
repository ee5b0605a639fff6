"""The third road: a function of the truth and the output, called once per resample."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.data.test_set import TestSet
from modelcompare.metrics.base import CallableMetric, OrderMetric, Outcomes
from modelcompare.words import shown


def evaluator(
    metric: OrderMetric | CallableMetric, predictions: TestSet, model: str
) -> Callable[[FloatArray], FloatArray]:
    """Function of per-sample weights (n_resamples, n_samples), for one model."""
    if isinstance(metric, OrderMetric):
        return metric.prepare(Outcomes.of(predictions, model))
    return CallableEvaluator.of(metric, predictions, model)


@dataclass(frozen=True)
class CallableEvaluator:
    """Call a user's function once per weight vector.

    Parameters
    ----------
    metric : CallableMetric
        The function.
    truth : ndarray, optional
        Truth of each sample, as given.
    array : ndarray
        Output of each sample, as the function takes it.
    n_classes : int
        Number of classes; 0 outside classification.
    """

    metric: CallableMetric
    truth: AnyArray | None
    array: AnyArray
    n_classes: int

    @classmethod
    def of(cls, metric: CallableMetric, predictions: TestSet, model: str) -> CallableEvaluator:
        """Evaluator of one model of a test set."""
        if metric.needs == "labels" and predictions.labels is not None:
            array = predictions.labels[predictions.predicted(model)]
        else:
            array = predictions.output(model).array
        return cls(metric, predictions.y_true, array, predictions.n_classes)

    def __call__(self, weights: FloatArray) -> FloatArray:
        values = [self._one(row) for row in weights]
        return np.array([self._number(value) for value in values], dtype=np.float64)

    def _number(self, value: Any) -> FloatArray:
        """Check what the function gave: a number, or one for each class."""
        shape = (self.n_classes,) if self.metric.per_class else ()
        try:
            # None would become NaN.
            found = np.asarray("None" if value is None else value, dtype=np.float64)
        except (TypeError, ValueError):
            found = None
        if found is None or found.size != math.prod(shape):
            wanted = f"{shape[0]} numbers, one for each class" if shape else "a number"
            raise ValueError(
                f"metric {self.metric.name!r} is to give {wanted}, and gave {shown(value)}."
            )
        if np.isinf(found).any():
            raise ValueError(
                f"metric {self.metric.name!r} gave {shown(value)}, of which there is no interval; "
                "let it give NaN where it has no value."
            )
        return found.reshape(shape)

    def _one(self, weights: FloatArray) -> Any:
        function, truth, array = self.metric.function, self.truth, self.array
        if weights[0] == 1 and (weights == 1).all():
            return function(None if truth is None else truth.copy(), array.copy())
        counts = weights.astype(np.intp)
        if np.array_equal(counts, weights):
            index = np.repeat(np.arange(len(weights)), counts)
            if len(index) == 0:
                return np.nan
            return function(None if truth is None else truth[index], array[index])
        if not self.metric.takes_sample_weight:
            raise ValueError(
                f"metric {self.metric.name!r} has no parameter `sample_weight`, which weights "
                "that are not whole counts need; add it, or use the multinomial bootstrap "
                "without sample weights."
            )
        return function(truth, array, sample_weight=weights)
