"""Bounds of a mean by betting: they hold for every number of samples together.

A player who bets on each number being above a threshold, at odds that are fair for a mean equal to
it, multiplies their wealth by 20 with a probability of at most 1/20 if the mean is not above,
however long they play (Ville's inequality). Wealth is averaged over fixed bets, so it depends on
the numbers and not on their order.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp

from modelcompare.arrays import FloatArray

# Bets as shares of the largest one that cannot lose everything.
_BETS = np.geomspace(0.002, 0.9, 40)
# More different numbers than these are rounded, in the direction that makes bounds wider.
_MOST_NUMBERS = 5_000


def log_wealth(numbers: FloatArray, counts: FloatArray, threshold: float, lowest: float) -> float:
    """Return the logarithm of the wealth of bets that a mean is above a threshold.

    Parameters
    ----------
    numbers, counts : ndarray of shape (n_numbers,)
        Different numbers, and how often each was seen.
    threshold : float
        Above `lowest`, the least possible number.

    References
    ----------
    .. [1] Waudby-Smith & Ramdas (2024), Journal of the Royal Statistical Society B 86, 1-27.

    Examples
    --------
    >>> ten_hits = np.array([1.0]), np.array([10.0])
    >>> print(f"{math.exp(log_wealth(*ten_hits, 0.5, 0.0)):.0f}")
    34
    """
    won = np.log1p(_BETS[:, None] * ((numbers - threshold) / (threshold - lowest))) @ counts
    return float(logsumexp(won)) - math.log(len(_BETS))


def betting_bound(
    numbers: FloatArray, counts: FloatArray, lowest: float, highest: float, level: float
) -> float:
    """Return the lower bound of a mean, at a one-sided level for all numbers of samples together.

    Parameters
    ----------
    numbers, counts : ndarray of shape (n_numbers,)
        Numbers within `lowest` and `highest`, and how often each was seen.

    Examples
    --------
    >>> hits = np.array([0.0, 1.0]), np.array([100.0, 900.0])
    >>> print(f"{betting_bound(*hits, 0.0, 1.0, 0.05):.3f}")
    0.867
    """
    numbers, counts = rounded_down(numbers, counts, lowest, highest)
    mean = float(numbers @ counts / counts.sum())
    if mean <= lowest:
        return lowest

    def excess(threshold: float) -> float:
        return log_wealth(numbers, counts, threshold, lowest) + math.log(level)

    near = lowest + 1e-9 * (highest - lowest)
    return float(brentq(excess, near, mean)) if excess(near) > 0 else lowest


def rounded_down(
    numbers: FloatArray, counts: FloatArray, lowest: float, highest: float
) -> tuple[FloatArray, FloatArray]:
    """Return the different numbers and their counts; of very many, numbers that are not larger."""
    different, place = np.unique(numbers, return_inverse=True)
    if len(different) > _MOST_NUMBERS:
        step = (highest - lowest) / _MOST_NUMBERS
        floors = lowest + step * np.floor((numbers - lowest) / step)
        different, place = np.unique(floors, return_inverse=True)
    return different, np.bincount(place, counts).astype(np.float64)
