"""A gain that was only reported because it was large enough: estimate and interval, corrected."""

from __future__ import annotations

import math

from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtri

# Standard errors within which ends are searched; further out they are infinite.
_FARTHEST = 60.0


def of_chosen(
    gain: float, error: float, bar: float, confidence_level: float = 0.95
) -> tuple[float, float, float]:
    """Return the estimate of a gain that was above a bar, and the ends of its interval.

    They are those of a normal estimate given that it is above the bar: for a true gain equal to the
    estimate, half of the estimates that pass would be larger. The interval covers the true gain
    with its level among those that pass, however few these are. Its upper end is not corrected, as
    the choice only makes estimates too large; given the choice it could lie below the bar, and is
    too low where few counts determine the estimate.

    Parameters
    ----------
    gain, error : float
        Estimate and its standard error.
    bar : float
        Least estimate that passes, below `gain`.

    References
    ----------
    .. [1] Zhong & Prentice (2008), Biostatistics 9, 621-634.

    Examples
    --------
    >>> [round(each, 3) for each in of_chosen(0.03, 0.01, 0.0)]
    [0.03, 0.01, 0.05]
    >>> [round(each, 3) for each in of_chosen(0.03, 0.01, 0.025)]
    [0.019, -0.045, 0.05]
    """
    if not (error > 0 and gain > bar):
        return gain, gain, gain
    tail = (1 - confidence_level) / 2
    above = (gain - bar) / error

    def mean_with(share: float) -> float:
        # The mean, in errors from the estimate, for which this share of what passes is larger.
        def excess(mean: float) -> float:
            larger = float(log_ndtr(mean)) - float(log_ndtr(mean + above))
            return larger - math.log(share)

        if excess(-_FARTHEST) > 0:
            return -math.inf
        return float(brentq(excess, -_FARTHEST, _FARTHEST))

    middle, low = (gain + error * mean_with(p) for p in (0.5, tail))
    return middle, low, gain - error * float(ndtri(tail))
