"""Extreme statistics, and the p-values that follow: defined once, for every test.

A null value counts as extreme if it equals the observed one except for rounding, and so does an
undefined one. Monte-Carlo p-values are (1 + number as extreme) / (1 + number of resamples); if all
resamples were enumerated, they are the plain share. None is below the smallest one possible for
the number of units (`smallest_p_value`), so p is never 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.intervals import TIE_TOLERANCE
from modelcompare.words import Alternative

# Share of units that swaps may change where outcomes equal to the observed one count half: with
# more of them mid-p rejects 1.5 to 1.8 times as often as its level.
_MOST_MOVING = 0.9

Values = TypeVar("Values", bound=AnyArray)
Rising = tuple[IntArray, FloatArray]
"""Places of sizes in rising order, and from where each is extreme, each (n_defined,)."""


def n_extreme(
    null: FloatArray, observed: ArrayLike, alternative: Alternative, *, scale: ArrayLike
) -> IntArray:
    """Count the null values along axis 0 that are as extreme as the observed one.

    Parameters
    ----------
    null : ndarray of shape (n_resamples, ...)
        Statistics under the null.
    observed : array-like of shape (...)
        The statistic of the data.
    alternative : {"two-sided", "greater", "less"}
        Statistics that are extreme: large ones of either sign, positive, or negative.
    scale : array-like of shape (...)
        Size of the numbers whose rounding errors the statistic has; for a difference a - b,
        ``|a| + |b|``.

    Examples
    --------
    >>> null = np.array([-0.3, 0.1, 0.1 + 0.2, np.nan])
    >>> int(n_extreme(null, 0.3, "two-sided", scale=1.0))
    3
    """
    least = least_size(observed, alternative, scale=scale)
    return len(null) - n_true(size_of(null, alternative) < least)


def size_of(differences: Values, alternative: Alternative) -> Values:
    """Return the size that is large for extreme differences."""
    if alternative == "two-sided":
        return cast("Values", np.abs(differences))
    return differences if alternative == "greater" else -differences


def least_size(observed: ArrayLike, alternative: Alternative, *, scale: ArrayLike) -> FloatArray:
    """Return the size from which a difference is as extreme, except for rounding."""
    tolerance = TIE_TOLERANCE * np.where(np.isfinite(scale), scale, 0.0)
    return size_of(np.asarray(observed, dtype=np.float64), alternative) - tolerance


def as_extreme(statistic: FloatArray, observed: FloatArray, alternative: Alternative) -> BoolArray:
    """Return where studentized differences are as extreme as the data; NaN counts as such."""
    return ~(size_of(statistic, alternative) < least_extreme(observed, alternative))


def beyond(statistic: FloatArray, observed: FloatArray, alternative: Alternative) -> BoolArray:
    """Return where studentized differences are more extreme than the data; NaN counts as such."""
    size = size_of(observed, alternative)
    # Infinite ones are tied, and nothing is beyond them.
    finite = np.isfinite(size)
    most = np.where(finite, 2 * np.where(finite, size, 0.0), size)
    most = most - np.where(finite, least_extreme(observed, alternative), 0.0)
    return ~(size_of(statistic, alternative) <= most)


def tail_share(
    statistic: FloatArray, observed: FloatArray, alternative: Alternative, *, half: bool
) -> FloatArray:
    """Return how much each statistic counts: 1 if it is as extreme as the data, else 0.

    With `half`, ties count one half.
    """
    found = as_extreme(statistic, observed, alternative).astype(np.float64)
    return (found + beyond(statistic, observed, alternative)) / 2 if half else found


def ties_count_half(n_moving: ArrayLike, n_units: ArrayLike) -> BoolArray:
    """Return True where outcomes equal to the data count half: unless nearly all units swap."""
    return np.asarray(np.asarray(n_moving) <= _MOST_MOVING * np.asarray(n_units))


def least_extreme(observed: FloatArray, alternative: Alternative) -> FloatArray:
    """Return the size from which a studentized difference is as extreme as the data."""
    return least_size(observed, alternative, scale=np.maximum(1.0, np.abs(observed)))


def rising_order(sizes: FloatArray) -> Rising:
    """Return the places of sizes in rising order, without NaN, and from where each is extreme."""
    defined = np.flatnonzero(~np.isnan(sizes))
    rising = defined[np.argsort(sizes[defined], kind="stable")]
    return rising, least_extreme(sizes[rising], "greater")


def n_rising(sizes: FloatArray, rising: Rising) -> IntArray:
    """Count the resamples in which the largest of a hypothesis and of those below it is extreme.

    Parameters
    ----------
    sizes : ndarray of shape (n_hypotheses, n_resamples)
        Sizes of their statistics; NaN counts as extreme.
    rising : tuple of ndarray of shape (n_defined,)
        Places of the hypotheses and the least extreme sizes, as from `rising_order`.

    Returns
    -------
    ndarray of int of shape (n_defined,)
        In rising order.
    """
    places, least = rising
    left = sizes[places]
    left[np.isnan(left)] = np.inf
    np.maximum.accumulate(left, axis=0, out=left)
    return n_true(left >= least[:, None], axis=1)


def decide(low: FloatArray, high: FloatArray, least: FloatArray) -> tuple[BoolArray, BoolArray]:
    """Return where sizes between bounds are surely extreme, and where that is not known."""
    extreme: BoolArray = low >= least
    return extreme, ~(extreme | (high < least))


def deciding(low: FloatArray, high: FloatArray, rising: Rising) -> BoolArray:
    """Return where a size decides a step of `n_rising`, of hypotheses in rising order.

    `low` and `high` are bounds of the sizes, (n_hypotheses, n_resamples).
    """
    places, least = rising
    # The largest of a hypothesis and of those below it, and where that may be extreme.
    largest = [np.maximum.accumulate(end[places], axis=0) for end in (low, high)]
    open_steps = (largest[0] < least[:, None]) & (largest[1] >= least[:, None])
    levels = np.where(open_steps, least[:, None], np.inf)[::-1]
    return np.asarray(high[places] >= np.minimum.accumulate(levels, axis=0)[::-1])


def n_true(found: BoolArray, axis: int = 0) -> IntArray:
    """Count the true elements along an axis; `numpy.count_nonzero` takes twice as long."""
    counted: IntArray = found.view(np.int8).sum(axis=axis, dtype=np.int32)
    return counted


def resampling_p(count: ArrayLike, n_resamples: int, *, exact: bool = False) -> FloatArray:
    """Return the p-value of a count of extreme resamples; `exact` if all were enumerated."""
    extra = 0 if exact else 1
    return (extra + np.asarray(count, dtype=np.float64)) / (extra + n_resamples)


def smallest_p_value(
    n_units: ArrayLike, alternative: Alternative = "two-sided", *, half: ArrayLike = False
) -> FloatArray:
    """Return the sign test's p-value if all samples, or clusters, agree: the smallest possible.

    Few units have few outcomes: with five clusters no difference can be significant at the level
    0.05, even if a normal approximation or resamples of five equal numbers give a smaller p-value.

    Examples
    --------
    Where ties count `half`, so does the sample in which all agree:

    >>> float(smallest_p_value(5)), float(smallest_p_value(5, half=True))
    (0.0625, 0.03125)
    """
    number = np.asarray(n_units, dtype=np.float64)
    signs = number - (alternative == "two-sided") + (np.asarray(half) & (number > 0))
    return np.clip(0.5**signs, np.finfo(np.float64).tiny, 1.0)


def normal_p(z: ArrayLike, alternative: Alternative) -> FloatArray:
    """Return p-values of standard normal statistics."""
    from scipy.special import ndtr

    return _tail(ndtr, z, alternative)


def student_p(t: ArrayLike, degrees_of_freedom: ArrayLike, alternative: Alternative) -> FloatArray:
    """Return p-values of statistics that have Student's distribution."""
    from scipy.special import stdtr

    return _tail(partial(stdtr, degrees_of_freedom), t, alternative)


def _tail(
    distribution: Callable[[FloatArray], FloatArray], statistic: ArrayLike, alternative: Alternative
) -> FloatArray:
    """Return p-values of statistics with a symmetric distribution."""
    sides = 2 if alternative == "two-sided" else 1
    return sides * distribution(-size_of(np.asarray(statistic, dtype=np.float64), alternative))


def standardized(difference: ArrayLike, error: ArrayLike) -> FloatArray:
    """Return differences over their standard errors; infinite where only the error is 0."""
    d, e = np.broadcast_arrays(np.asarray(difference, np.float64), np.asarray(error, np.float64))
    # Models that agree on every sample differ by 0 with error 0: nothing to reject.
    without = np.where((e == 0) & (d != 0), np.copysign(np.inf, d), 0.0)
    return np.where(np.isnan(d), np.nan, np.divide(d, e, out=without, where=e > 0))
