"""Metrics of where the true class ranks among the model's classes."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from modelcompare.metrics.base import AnyMetric, FloatArray, Metric, Outcomes, Statistic
from modelcompare.metrics.probabilistic import COUNT, mean

_TOP_K = re.compile(r"top_([1-9]\d*)_accuracy")


def _true_rank(outcomes: Outcomes) -> FloatArray:
    """Place of the true class among the classes by probability; ties before it count half."""
    if outcomes.codes is None:
        raise ValueError("this metric needs true labels.")
    p = outcomes.probabilities
    own = p[np.arange(len(p)), outcomes.codes][:, None]
    above = (p > own).sum(axis=1)
    tied = (p == own).sum(axis=1) - 1
    return 1.0 + above + tied / 2


RECIPROCAL_RANK = Statistic("reciprocal_rank", lambda o: (1 / _true_rank(o))[:, None])


def top_k_metric(name: str) -> Metric | None:
    """``top_3_accuracy`` for any k; None for any other name.

    As in scikit-learn, of tied classes the later ones come first.
    """
    parsed = _TOP_K.fullmatch(name)
    if parsed is None:
        return None
    k = int(parsed[1])
    return Metric(
        name=name,
        statistics=(Statistic(f"in_top_{k}", _in_top(k)), COUNT),
        value=mean,
        needs="probabilities",
    )


def _in_top(k: int) -> Callable[[Outcomes], FloatArray]:
    def compute(outcomes: Outcomes) -> FloatArray:
        if outcomes.codes is None:
            raise ValueError("this metric needs true labels.")
        best = np.argsort(outcomes.probabilities, axis=1, kind="stable")[:, -k:]
        return (best == outcomes.codes[:, None]).any(axis=1, keepdims=True).astype(np.float64)

    return compute


METRICS: tuple[AnyMetric, ...] = (
    Metric(
        name="mean_reciprocal_rank",
        statistics=(RECIPROCAL_RANK, COUNT),
        value=mean,
        needs="probabilities",
    ),
    *(metric for k in (3, 5) if (metric := top_k_metric(f"top_{k}_accuracy")) is not None),
)
