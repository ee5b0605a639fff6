"""The third road: a function of the truth and the output, called once per resample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.metrics.base import CallableMetric
from modelcompare.predictions import Predictions


@dataclass(frozen=True)
class CallableEvaluator:
    """Call a user's function once per weight vector."""

    metric: CallableMetric
    predictions: Predictions
    model: str

    def __call__(self, weights: FloatArray) -> FloatArray:
        p, metric = self.predictions, self.metric
        output = p.output(self.model)
        truth = p.y_true
        if metric.needs == "labels" and p.labels is not None:
            array: AnyArray = p.labels[p.predicted(self.model)]
        else:
            array = output.array
        return np.array([self._one(truth, array, row) for row in weights], dtype=np.float64)

    def _one(self, truth: Any, array: AnyArray, weights: FloatArray) -> Any:
        function = self.metric.function
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
