"""Optimism of values that take the highest of several noisy numbers, in their intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.intervals.base import Interval
from modelcompare.metrics.base import AnyMetric, OrderMetric


def with_optimism(
    found: Interval, evaluation: Evaluation, metric: AnyMetric, pairs: Pairs | None
) -> Interval:
    """Extend intervals of values that are the highest of noisy numbers by their optimism.

    The highest precision at a recall or above is too high by chance, by at most its distance from
    the precision at that recall. Standard errors do not show it: with the number of samples it
    decreases hardly faster than they do. Equal optimism of two models cancels in their difference.
    """
    if not isinstance(metric, OrderMetric) or metric.without_optimism is None:
        return found
    optimism = evaluation.once(("optimism", metric.name), lambda: _optimism(evaluation, metric))
    (least, most), above = metric.bounds, np.zeros(1)
    if pairs is None:
        below = optimism
    else:
        a, b = pairs
        least, most = least - most, most - least
        below, above = (np.maximum(optimism[x] - optimism[y], 0.0) for x, y in ((a, b), (b, a)))
    low, high = np.maximum(found.low - below, least), np.minimum(found.high + above, most)
    return replace(found, low=low, high=high)


def _optimism(evaluation: Evaluation, metric: OrderMetric) -> FloatArray:
    """Return how much higher values are than without optimism, (n_models, n_values)."""
    assert metric.without_optimism is not None  # noqa: S101  checked by the caller
    name = f"{metric.name} without optimism"
    other = replace(metric, name=name, prepare=metric.without_optimism, without_optimism=None)
    both = evaluation.of_metrics([metric, other]).estimate()
    values, lower = np.split(np.nan_to_num(both), 2, axis=1)
    return np.maximum(values - lower, 0.0)
