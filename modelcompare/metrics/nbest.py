"""Metrics of where the true class ranks among the model's classes.

Where probabilities sum to less than 1, a list was cut off: a class without any was not on it, and
has no rank.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from modelcompare.metrics.base import (
    AnyMetric,
    FloatArray,
    IntArray,
    Metric,
    Outcomes,
    Statistic,
)
from modelcompare.metrics.probabilistic import COUNT, mean, mean_ratio

BoolArray = NDArray[np.bool_]
_TOP_K = re.compile(r"top_([1-9]\d*)_accuracy")


# What half-precision probabilities may lack of 1.
_CUT_OFF = 1e-3


def _codes(outcomes: Outcomes) -> IntArray:
    if outcomes.codes is None:
        raise ValueError("this metric needs true labels.")
    return outcomes.codes


def _listed(outcomes: Outcomes) -> BoolArray:
    """Whether the true class of each sample is on its list."""
    p = outcomes.probabilities
    whole = p.sum(axis=1) > 1 - _CUT_OFF
    return whole | (p[np.arange(len(p)), _codes(outcomes)] > 0)


def _reciprocal_rank(outcomes: Outcomes) -> FloatArray:
    """One over the place of the true class; ties before it count half, and 0 off the list."""
    p = outcomes.probabilities
    own = p[np.arange(len(p)), _codes(outcomes)][:, None]
    above = (p > own).sum(axis=1)
    tied = (p == own).sum(axis=1) - 1
    return (_listed(outcomes) / (1.0 + above + tied / 2))[:, None]


RECIPROCAL_RANK = Statistic("reciprocal_rank", _reciprocal_rank)


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
        ratio=mean_ratio,
        needs="probabilities",
    )


def _in_top(k: int) -> Callable[[Outcomes], FloatArray]:
    def compute(outcomes: Outcomes) -> FloatArray:
        best = np.argsort(outcomes.probabilities, axis=1, kind="stable")[:, -k:]
        found = (best == _codes(outcomes)[:, None]).any(axis=1) & _listed(outcomes)
        return found[:, None].astype(np.float64)

    return compute


METRICS: tuple[AnyMetric, ...] = (
    Metric(
        name="mean_reciprocal_rank",
        statistics=(RECIPROCAL_RANK, COUNT),
        value=mean,
        ratio=mean_ratio,
        needs="probabilities",
    ),
    *(metric for k in (3, 5) if (metric := top_k_metric(f"top_{k}_accuracy")) is not None),
)
