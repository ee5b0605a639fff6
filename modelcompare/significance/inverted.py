"""The error at which an interval ends at a threshold, as a p-value.

Swaps of few samples beyond a quantile do not show how it varies: of two distributions with one 99 %
quantile they find a difference in 0.39 of the sets of 50 samples. So the default test of a quantile
has two conditions: its p-value is the larger of that of swaps, and of the interval between order
statistics.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from modelcompare.engine.contrasts import Contrasts
from modelcompare.intervals import Interval, intervals_around
from modelcompare.metrics.quantiles import is_quantile
from modelcompare.significance.pairwise import Outcome, PairView
from modelcompare.words import Alternative

Ends = tuple[float, float]
# One-sided level -> lower and upper bound.
Bounds = Callable[[float], Ends]
# Smallest level at which an interval can be computed.
LEAST_LEVEL = 1e-12
_SMALLEST, _LARGEST = 1e-9, 0.5 - 1e-9


def with_quantiles(view: PairView, outcome: Outcome) -> Outcome:
    """Return the outcome of swaps with the p-values of quantiles."""
    p_value, evaluation = outcome.p_value.copy(), view.evaluation
    for metric in filter(is_quantile, evaluation.metrics):
        sample = view.of_metrics([metric]).sample
        where = evaluation.metric_slice(metric.name)
        for row, (a, b) in enumerate(zip(view.model_a, view.model_b, strict=True)):
            pair = Contrasts(sample, (a[None], b[None]))
            own = float(p_value[row, where].item())
            if not _reaches_0(partial(_bounds, pair), own, view.alternative):
                # The interval at this error, one instead of a search, is beyond 0.
                continue
            least = p_of_difference(partial(_bounds, pair), view.alternative)
            p_value[row, where] = np.fmax(own, least)
    return replace(outcome, p_value=p_value)


def _reaches_0(bounds: Bounds, p_value: float, alternative: Alternative) -> bool:
    """Return whether an interval whose error is a p-value does not exclude 0."""
    level = p_value / 2 if alternative == "two-sided" else p_value
    if not _SMALLEST < level < _LARGEST:
        return True
    low, high = bounds(level)
    beyond = {"greater": low > 0, "less": high < 0}
    return not beyond.get(alternative, low > 0 or high < 0)


def _bounds(pair: Contrasts, level: float) -> Ends:
    return ends_of(intervals_around(pair, "auto", 1 - 2 * level), 0, 0)


def ends_of(interval: Interval, row: int, place: int) -> Ends:
    """Return the bounds of one row and value."""
    return float(interval.low[row, place]), float(interval.high[row, place])


def turned(sign: float, ends: Ends) -> Ends:
    """Return the bounds of a quantity times a sign, given the bounds of the quantity."""
    return ends if sign > 0 else (-ends[1], -ends[0])


def p_above(sign: float, threshold: float, bounds: Bounds) -> float:
    """Return the level at which the lower bound equals a threshold, which is the p-value.

    Above a half it is one minus the level at which the upper bound equals the threshold.
    """
    lower, upper = turned(sign, bounds(_LARGEST))
    if math.isnan(lower):
        return math.nan
    side = 0 if lower > threshold else 1 if upper < threshold else None
    if side is None:
        return 0.5

    def distance(level: float) -> float:
        return turned(sign, bounds(level))[side] - threshold

    at_smallest = distance(_SMALLEST)
    reached = at_smallest > 0 if side == 0 else at_smallest < 0
    # Comparisons without quantiles start sooner without it.
    from scipy.optimize import brentq

    level = _SMALLEST if reached else float(brentq(distance, _SMALLEST, _LARGEST, xtol=1e-10))
    return level if side == 0 else 1 - level


def p_of_difference(bounds: Bounds, alternative: Alternative) -> float:
    """Return the error at which the interval of a difference ends at 0."""
    above = p_above(1.0, 0.0, bounds)
    both = min(1.0, 2 * min(above, 1 - above))
    return {"greater": above, "less": 1 - above}.get(alternative, both)
