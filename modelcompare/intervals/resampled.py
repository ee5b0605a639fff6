"""Intervals from replicates of shape (n_resamples, ...), along the first axis.

Undefined (NaN) replicates are left out of quantiles, column by column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.contrasts import Contrasts
from modelcompare.intervals.base import TIE_TOLERANCE, Interval, IntervalRow
from modelcompare.intervals.ratios import t_quantile
from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.quantiles import is_quantile
from modelcompare.works import DAVISON, EFRON, EFRON_BOOK


def percentile_interval(replicates: FloatArray, *, confidence_level: float = 0.95) -> Interval:
    """Compute quantiles of the replicates (Efron 1979).

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


def is_resampled(metric: AnyMetric) -> bool:
    """True if influences do not describe a metric, so that its intervals are resampled."""
    return not (metric.smooth or metric.intervals or is_quantile(metric))


def expanded_level(n_units: int, confidence_level: float) -> float:
    """Return the level whose normal quantile is Student's, for replicates of few units.

    Replicates of n units spread too little, by ``sqrt((n - 1) / n)``, and a normal quantile treats
    their spread as known.

    References
    ----------
    .. [1] Hesterberg (2015), What teachers should know about the bootstrap, The American
       Statistician 69, 371-386, section 4.

    Examples
    --------
    >>> print(f"{expanded_level(10, 0.95):.4f} {expanded_level(1000, 0.95):.4f}")
    0.9829 0.9504
    """
    from scipy.special import ndtr

    quantile = t_quantile(np.array(n_units - 1), confidence_level)
    return float(1 - 2 * ndtr(-np.sqrt(n_units / max(n_units - 1, 1)) * quantile))


def bca_interval(
    replicates: FloatArray,
    estimate: FloatArray,
    acceleration: FloatArray,
    *,
    confidence_level: float = 0.95,
) -> Interval:
    """Compute the bias-corrected and accelerated percentile interval (Efron 1987).

    Replicates equal to the estimate count half in the bias correction. If it is infinite (all
    replicates on one side of the estimate) or the acceleration reverses a level, the percentile
    interval replaces it, and `method` names it.

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
    tails = (1 - confidence_level) / 2, (1 + confidence_level) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        bias = ndtri((n_defined + below - above) / (2 * n_defined))
        shifted = [bias + ndtri(tail) for tail in tails]
        usable = np.isfinite(bias) & np.all([acceleration * s < 1 for s in shifted], axis=0)
        low, high = (
            quantiles(ordered, np.where(usable, ndtr(bias + s / (1 - acceleration * s)), tail))
            for s, tail in zip(shifted, tails, strict=True)
        )
    replaced = ~usable & (n_defined > 0)
    return Interval(low, high, np.where(replaced, np.array("percentile", object), "BCa"))


def quantiles(ordered: FloatArray, levels: FloatArray) -> FloatArray:
    """Compute quantiles of sorted columns, each at its own level; NaNs (sorted last) do not count.

    Linear interpolation between order statistics, as in `numpy.quantile` by default, except between
    infinite ones.
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


def expanded_intervals(contrasts: Contrasts, level: float) -> Interval:
    """Compute intervals of values that influences may not describe, at the expanded level.

    BCa for values, percentiles for differences: the skewness of the replicates of two models mostly
    cancels, and the median bias of a difference of medians is more noise than bias. With a
    correction for it, coverage is 0.88 to 0.94.
    """
    method = _bca if contrasts.pairs is None else _percentile
    level = expanded_level(contrasts.evaluation.units.size, level)
    found = _by_blocks(method, contrasts, level)
    return replace(found, method="expanded-" + found.method)


Method = Callable[[Contrasts, float], Interval]


def _by_blocks(method: Method, contrasts: Contrasts, level: float) -> Interval:
    """Compute intervals of some rows at a time, so that their replicates fit into memory."""
    return Interval.joined([method(block, level) for block in contrasts.blocks])


def _percentile(rows: Contrasts, level: float) -> Interval:
    return percentile_interval(rows.replicates, confidence_level=level)


def _basic(rows: Contrasts, level: float) -> Interval:
    """Compute quantiles reflected at the estimate (Davison & Hinkley 1997, section 5.2)."""
    found, twice = _percentile(rows, level), 2 * rows.estimate
    return Interval.of(twice - found.high, twice - found.low, "basic")


def _bca(rows: Contrasts, level: float) -> Interval:
    return bca_interval(rows.replicates, rows.estimate, rows.acceleration, confidence_level=level)


def _studentized(rows: Contrasts, level: float) -> Interval:
    """Compute bootstrap-t intervals (Efron & Tibshirani 1993, section 12.5).

    Quantiles of ``(replicate - estimate) / replicate_error`` replace normal ones. Replicates with a
    standard error of 0 (all their influences are equal) are left out.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (rows.replicates - rows.estimate) / rows.replicate_errors
    found = percentile_interval(np.where(np.isfinite(t), t, np.nan), confidence_level=level)
    low, high = (rows.estimate - end * rows.standard_error for end in (found.high, found.low))
    return Interval.of(low, high, "studentized")


ROWS = (
    IntervalRow(
        "BCa", partial(_by_blocks, _bca), reads="sums",
        phrase=("the bias-corrected and accelerated bootstrap (BCa)", (EFRON,)),
    ),
    IntervalRow(
        "percentile", partial(_by_blocks, _percentile), reads="sums",
        phrase=("percentiles of the bootstrap replicates", (EFRON_BOOK,)),
    ),
    IntervalRow(
        "basic", partial(_by_blocks, _basic), reads="sums",
        phrase=("the basic bootstrap", (DAVISON,)),
    ),
    IntervalRow(
        "studentized", partial(_by_blocks, _studentized), "metrics that are sums",
        phrase=("the studentized bootstrap", (DAVISON,)),
    ),
)  # fmt: skip
