"""Intervals of medians from order statistics, which hold whatever the law of the values."""

from __future__ import annotations

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.intervals.ratios import Bounds


def median_interval(values: FloatArray, confidence_level: float = 0.95) -> Bounds:
    """Interval of the median of independent values, between two of them.

    From the d-th smallest to the d-th largest value it holds the median with the probability
    ``1 - 2 P(X < d)``, X binomial of n trials of 1/2. Few values leave a choice between too much
    and too little, so the ends lie between those of d and of d + 1 (Hettmansperger and Sheather).
    Where even the smallest and the largest value promise too little, these are the ends. Between
    equal values it would have no width: then it reaches to the next ones on both sides, if any.

    Parameters
    ----------
    values : ndarray of shape (..., n)
        Independent values of one law along the last axis.
    confidence_level : float
        A fraction in (0, 1).

    References
    ----------
    .. [1] Hettmansperger & Sheather (1986), Confidence intervals based on interpolated order
       statistics, Statistics & Probability Letters 4, 75-79.

    Examples
    --------
    >>> low, high = median_interval(np.arange(1.0, 12.0))
    >>> print(f"{low:.2f} to {high:.2f}")
    2.92 to 9.08
    """
    from scipy.special import bdtr

    ordered, n = np.sort(values, axis=-1), values.shape[-1]
    depth = np.arange(1, n // 2 + 1)
    held = 1 - 2 * bdtr(depth - 1, n, 0.5)
    d = int(np.count_nonzero(held >= confidence_level))
    share = 0.0
    if 0 < d < len(depth):
        excess = (held[d - 1] - confidence_level) / (held[d - 1] - held[d])
        share = (n - d) * excess / (d + (n - 2 * d) * excess)
    outer = max(d, 1) - 1
    inner = min(outer + 1, n - 1)

    def end(place: FloatArray) -> FloatArray:
        found: FloatArray = (1 - share) * place[..., outer] + share * place[..., inner]
        return found

    low, high = end(ordered), end(ordered[..., ::-1])
    point, equal = low[..., None], low == high
    below = np.where(ordered < point, ordered, -np.inf).max(axis=-1)
    above = np.where(ordered > point, ordered, np.inf).min(axis=-1)
    return (
        np.where(equal & np.isfinite(below), below, low),
        np.where(equal & np.isfinite(above), above, high),
    )
