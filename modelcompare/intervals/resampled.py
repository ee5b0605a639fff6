"""Intervals from replicates of shape (n_resamples, ...), along the first axis.

Undefined (NaN) replicates are left out of quantiles, column by column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.intervals.base import TIE_TOLERANCE, Interval, IntervalRow, PairsView, View


def percentile_interval(replicates: FloatArray, *, confidence_level: float = 0.95) -> Interval:
    """Quantiles of the replicates (Efron 1979).

    Examples
    --------
    >>> import numpy as np
    >>> interval = percentile_interval(np.arange(101.0), confidence_level=0.9)
    >>> print(f"{interval.low:.1f} to {interval.high:.1f}")
    5.0 to 95.0
    """
    tail = (1 - confidence_level) / 2
    ordered = np.sort(replicates, axis=0)
    low, high = (quantiles(ordered, np.full(replicates.shape[1:], q)) for q in (tail, 1 - tail))
    return Interval.of(low, high, "percentile")


def expanded_level(n_units: int, confidence_level: float) -> float:
    """Level whose normal quantile is Student's, for replicates of so many samples or clusters.

    Replicates of few spread too little, by ``sqrt((n - 1) / n)``, and a normal quantile takes
    their spread for known.

    References
    ----------
    .. [1] Hesterberg (2015), What teachers should know about the bootstrap, The American
       Statistician 69, 371-386, section 4.

    Examples
    --------
    >>> print(f"{expanded_level(10, 0.95):.4f} {expanded_level(1000, 0.95):.4f}")
    0.9829 0.9504
    """
    from scipy.special import ndtr, stdtrit

    quantile = stdtrit(max(n_units - 1, 1), (1 + confidence_level) / 2)
    return float(1 - 2 * ndtr(-np.sqrt(n_units / max(n_units - 1, 1)) * quantile))


def basic_interval(
    replicates: FloatArray, estimate: FloatArray, *, confidence_level: float = 0.95
) -> Interval:
    """Quantiles reflected at the estimate (Davison & Hinkley 1997, section 5.2)."""
    percentile = percentile_interval(replicates, confidence_level=confidence_level)
    return Interval.of(2 * estimate - percentile.high, 2 * estimate - percentile.low, "basic")


def studentized_interval(
    replicates: FloatArray,
    replicate_errors: FloatArray,
    estimate: FloatArray,
    standard_error: FloatArray,
    *,
    confidence_level: float = 0.95,
) -> Interval:
    """Bootstrap-t interval (Efron & Tibshirani 1993, section 12.5).

    Quantiles of ``(replicate - estimate) / replicate_error`` take the place of normal ones.
    Replicates without a standard error (all their influences are equal) are left out.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (replicates - estimate) / replicate_errors
    t = np.sort(np.where(np.isfinite(t), t, np.nan), axis=0)
    tail = (1 - confidence_level) / 2
    t_low, t_high = (quantiles(t, np.full(t.shape[1:], q)) for q in (tail, 1 - tail))
    ends = (estimate - t_high * standard_error, estimate - t_low * standard_error)
    return Interval.of(*ends, "studentized")


def bca_interval(
    replicates: FloatArray,
    estimate: FloatArray,
    acceleration: FloatArray,
    *,
    confidence_level: float = 0.95,
) -> Interval:
    """Bias-corrected and accelerated percentile interval (Efron 1987).

    Replicates equal to the estimate count half in the bias correction. Where it is infinite (all
    replicates on one side of the estimate) or the acceleration turns a level around, the
    percentile interval takes its place and `method` says so.

    Parameters
    ----------
    replicates : ndarray of shape (n_resamples, ...)
        Bootstrap replicates.
    estimate, acceleration : ndarray of shape (...)
        Value on the data, and a sixth of the skewness of its jackknife values.
    confidence_level : float
        A fraction in (0, 1).
    """
    from scipy.special import ndtr, ndtri

    ordered = np.sort(replicates, axis=0)
    n_defined = np.count_nonzero(~np.isnan(ordered), axis=0)
    tolerance = TIE_TOLERANCE * np.abs(estimate)
    below = np.count_nonzero(ordered < estimate - tolerance, axis=0)
    above = np.count_nonzero(ordered > estimate + tolerance, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        bias = ndtri((n_defined + below - above) / (2 * n_defined))
        levels = []
        usable = np.isfinite(bias)
        for tail in ((1 - confidence_level) / 2, (1 + confidence_level) / 2):
            shifted = bias + ndtri(tail)
            denominator = 1 - acceleration * shifted
            usable &= denominator > 0
            levels.append(np.where(usable, ndtr(bias + shifted / denominator), tail))
    plain = ((1 - confidence_level) / 2, (1 + confidence_level) / 2)
    low, high = (
        quantiles(ordered, np.where(usable, level, tail))
        for level, tail in zip(levels, plain, strict=True)
    )
    standing_in = ~usable & (n_defined > 0)
    return Interval(low, high, np.where(standing_in, np.array("percentile", object), "BCa"))


def quantiles(ordered: FloatArray, levels: FloatArray) -> FloatArray:
    """Quantiles of sorted columns, each at a level of its own; NaNs (sorted last) do not count.

    Linear interpolation between order statistics, as `numpy.quantile` does by default. Infinite
    order statistics are never interpolated with.
    """
    n_defined = np.count_nonzero(~np.isnan(ordered), axis=0)
    position = levels * np.maximum(n_defined - 1, 0)
    lower = np.floor(position).astype(np.intp)
    upper = np.minimum(lower + 1, np.maximum(n_defined - 1, 0))
    at_lower = np.take_along_axis(ordered, lower[None], axis=0)[0]
    at_upper = np.take_along_axis(ordered, upper[None], axis=0)[0]
    share = position - lower
    with np.errstate(invalid="ignore"):
        mixed = at_lower + share * (at_upper - at_lower)
    mixed = np.where(np.isinf(at_lower) | np.isinf(at_upper), at_upper, mixed)
    return np.where(n_defined > 0, np.where(share > 0, mixed, at_lower), np.nan)


def by_blocks(method: Callable[[View, float], Interval], view: PairsView, level: float) -> Interval:
    """Intervals of some pairs at a time, so that their replicates fit into memory."""
    return Interval.joined([method(block, level) for block in view.blocks])


def bca_of_differences(view: PairsView, level: float) -> Interval:
    """BCa intervals of differences, which stand in where a method says nothing about them."""
    return by_blocks(bca, view, level)


def expanded_bca(view: View, level: float) -> Interval:
    """BCa intervals at the expanded level: of values that influences may not describe."""
    return _expanded(bca, view, level)


def expanded_percentiles(view: PairsView, level: float) -> Interval:
    """Percentile intervals at the expanded level, of differences of such values.

    What makes the replicates of two models skewed mostly cancels, and the median bias of a
    difference of medians is more noise than bias: corrected for it they cover 0.88 to 0.94.
    """
    return by_blocks(partial(_expanded, _percentile), view, level)


def _expanded(method: Callable[[View, float], Interval], view: View, level: float) -> Interval:
    found = method(view, expanded_level(view.evaluation.units.size, level))
    return replace(found, method="expanded-" + found.method)


def _percentile(view: View, level: float) -> Interval:
    return percentile_interval(view.replicates, confidence_level=level)


def _basic(view: View, level: float) -> Interval:
    return basic_interval(view.replicates, view.estimate, confidence_level=level)


def bca(view: View, level: float) -> Interval:
    """BCa intervals of whatever a view holds."""
    return bca_interval(view.replicates, view.estimate, view.acceleration, confidence_level=level)


def _studentized(view: View, level: float) -> Interval:
    return studentized_interval(
        view.replicates,
        view.replicate_errors,
        view.estimate,
        view.standard_error,
        confidence_level=level,
    )


ROWS = (
    IntervalRow("BCa", bca, bca_of_differences),
    IntervalRow("percentile", _percentile, partial(by_blocks, _percentile)),
    IntervalRow("basic", _basic, partial(by_blocks, _basic)),
    IntervalRow(
        "studentized", _studentized, partial(by_blocks, _studentized), "metrics that are sums"
    ),
)
