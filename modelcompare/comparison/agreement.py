"""P-values and intervals that agree: a difference is announced only if both show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.special import ndtr, ndtri

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.correction import (
    bounds_at,
    corrected_at,
    corrected_errors,
    reaching_zero,
)

# Intervals are computed at so many errors to find the one at which they end at 0. They are spaced
# by normal quantiles, in which the ends of an interval are nearly linear.
_STEPS = 16

# Lower and upper bounds, (2, n_rows, n_values), of the differences of some pairs at given errors.
Bounds = Callable[[Compared, IntArray, FloatArray], FloatArray]


def agreed(evidence: Compared) -> Compared:
    """Return evidence whose p-values and intervals agree at the level, each alone and corrected.

    If an interval contains 0 and its p-value is below the level, the p-value becomes the error at
    which the interval ends at 0, which is the larger of the two. If an interval does not contain 0
    and its p-value is not below the level, it is extended to 0. No p-value falls and no interval of
    a single difference becomes shorter, so error rates and its coverage are kept. Of corrected
    intervals some are at a later step than Bonferroni's: see `corrected_bounds`.
    """
    found, alone = evidence.difference_interval, np.full(len(evidence.keys), evidence.level)
    ends, every = np.array([found.low, found.high]), np.arange(len(found.low))
    p_values = _raised(evidence, evidence.p_values, every, alone, ends, bounds_at)
    low, high = reaching_zero(ends, p_values >= evidence.level)
    evidence = replace(
        evidence, difference_interval=replace(found, low=low, high=high), p_values=p_values,
        p_adjusted=np.maximum(p_values, evidence.p_adjusted),
    )  # fmt: skip
    # With fewer findings the corrected intervals are longer, and may contain 0 elsewhere.
    while evidence.correction != "none":
        before, errors = evidence.p_adjusted, corrected_errors(evidence)
        rows = np.flatnonzero((before < evidence.level).any(axis=1))
        ends = corrected_at(evidence, rows, errors)
        p_adjusted = _raised(evidence, before, rows, errors, ends, corrected_at)
        if p_adjusted is before:
            break
        evidence = replace(evidence, p_adjusted=p_adjusted)
    return evidence


def _raised(
    evidence: Compared, p_values: FloatArray, rows: IntArray, errors: FloatArray, ends: FloatArray,
    bounds: Bounds,
) -> FloatArray:  # fmt: skip
    """Return p-values that are not below the level where the ends of an interval enclose 0.

    `errors` of each value are those of the intervals of some rows, with the p-values at the level.
    """
    level, low, high = evidence.level, *ends
    enclosed = (p_values[rows] < level) & (low <= 0) & (high >= 0)
    some = np.flatnonzero(enclosed.any(axis=1))
    if len(some) == 0:
        return p_values
    out, rows = p_values.copy(), rows[some]
    of_interval = level / errors * _error_at_zero(evidence, rows, errors, enclosed[some], bounds)
    out[rows] = np.where(enclosed[some], np.clip(of_interval, level, 1.0), out[rows])
    return out


def _error_at_zero(
    evidence: Compared, rows: IntArray, errors: FloatArray, enclosed: BoolArray, bounds: Bounds
) -> FloatArray:
    """Return the error, (n_rows, n_values), at which each interval that encloses 0 ends at 0.

    Intervals at `errors` enclose it; where those at all errors do, it is 1.
    """
    positive, widest = evidence.difference[rows] > 0, -ndtri(errors / 2)
    out, before = np.ones(enclosed.shape), np.full(enclosed.shape, -np.inf)
    for step in range(_STEPS, 0, -1):
        quantile = widest * step / _STEPS
        low, high = bounds(evidence, rows, 2 * ndtr(-quantile))
        end = np.where(positive, low, -high)
        with np.errstate(divide="ignore", invalid="ignore"):
            beyond = quantile + widest / _STEPS * (end / (end - before))
        out = np.where(enclosed & (end > 0), 2 * ndtr(-beyond), out)
        enclosed, before = enclosed & ~(end > 0), end
        if not enclosed.any():
            break
    return out
