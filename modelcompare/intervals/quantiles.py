"""Intervals of quantiles from order statistics, and of their differences (MOVER).

The d-th smallest of n independent numbers is a lower bound of the quantile of the share p with the
probability P(X >= d), X binomial with n trials of p, for any distribution; the d-th largest is
an upper bound likewise. If not even the extreme number is a bound at the level, as the largest
of 50 is none of the 99 % quantile, there is none: the end is infinite, or that of the range.

Of clusters, strata and weights the number of trials is effective: p (1 - p) over the variance of
the share of the samples below the quantile (Woodruff), for Student's degrees of freedom at the
number of units that carry it. Bounds of a difference join those of the two quantiles with the
correlation of these shares, to which half a sample is added in both cells of disagreement.

A mean over runs of their quantiles has the bounds of all runs' numbers, each measured from the
quantile of its run. That lies between two numbers of the run, or on one, so that half a number more
is on either side of it than at the same distance from the true quantile: bounds go so far beyond.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.data.sizes import n_seen
from modelcompare.data.test_set import TestSet
from modelcompare.engine.contrasts import Contrasts
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.intervals.base import Interval
from modelcompare.intervals.differences import mover
from modelcompare.intervals.ratios import Bounds, normal_quantile, t_quantile
from modelcompare.metrics.base import AnyMetric, OrderMetric, Outcomes
from modelcompare.metrics.quantiles import is_quantile
from modelcompare.metrics.quotient import divide

# Relative error of a sum of weights.
_ROUNDING = 1e-12
# Samples added in each cell of two models' disagreements.
_UNSEEN = 0.5


def of_quantile(contrasts: Contrasts, metric: AnyMetric, level: float) -> Interval | None:
    """Compute intervals of quantiles, or of their differences; None for other values.

    Twice the samples on the rarer side of a quantile are informative: all of a median's. Of
    clusters no more are than have a sample there.
    """
    if not is_quantile(metric) or metric.quantile_of is None:
        return None
    p, share = contrasts.evaluation.predictions, metric.share
    value = contrasts.sample.point[:, contrasts.evaluation.metric_slice(metric.name)]
    numbers, scale = _on_one_scale(contrasts.evaluation, metric, value)
    below = numbers <= value
    deviations = _of_units(contrasts.evaluation, (below - share) * scale)
    sizes = _sizes(p, deviations, share, level)
    access = p.access
    weights = None if access.plain else access.weights
    halves = _half_of_each_part(contrasts.evaluation)
    ends = [
        quantile_interval(
            own, share, level, weights=weights, size=size, beyond=max(half - 0.5 / size, 0.0)
        )
        for own, size, half in zip(numbers, sizes.tolist(), halves, strict=True)
    ]
    low, high = np.array(ends).T
    least, most = metric.bounds
    # Numbers that are all equal show nothing of others.
    known = low < high
    low = np.where(known, np.maximum(low, least), least)
    high = np.where(known, np.minimum(high, most), most)
    informative = 2 * min(share, 1 - share) * sizes
    if p.groups is not None:
        beyond = below if share < 0.5 else ~below
        unit_of = access.unit_of
        informative = np.minimum(informative, [len(np.unique(unit_of[rare])) for rare in beyond])
    informative = informative[:, None]
    if contrasts.pairs is None:
        return Interval.of(low[:, None], high[:, None], "order-statistics", informative)
    a, b = contrasts.pairs
    correlation = _correlation(deviations, sizes * share * (1 - share))[a, b]
    bounds = difference_bounds(value[:, 0], (low, high), correlation, contrasts.pairs)
    return Interval.of(*bounds, "mover", np.minimum(informative[a], informative[b]))


def difference_bounds(
    value: FloatArray, ends: Bounds, correlation: FloatArray, pairs: Pairs
) -> Bounds:  # fmt: skip
    """Compute bounds of differences, (n_pairs, 1); infinite where a quantile's bound is."""
    below, above = (np.maximum(reach, 0.0) for reach in (value - ends[0], ends[1] - value))
    with np.errstate(invalid="ignore"):
        low, high = mover(value, below, above, correlation, pairs)
    low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    return low[:, None], high[:, None]


def _correlation(deviations: FloatArray, variance: FloatArray) -> FloatArray:
    """Compute the correlation of shares below, (n_models, n_models), with unseen disagreements.

    `variance` is that of the number of samples below.
    """
    seen = divide(variance, variance + _UNSEEN, 0.0)
    spread = np.sqrt(divide((deviations**2).sum(axis=1), seen, np.inf))
    return divide(deviations @ deviations.T, np.outer(spread, spread), 0.0)


def _on_one_scale(
    evaluation: Evaluation, metric: OrderMetric, value: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return numbers of which the value is the quantile, and scales, each (n_models, n_samples).

    Of several parts it is a mean, whose error has more of the parts that spread more: their numbers
    are brought to the mean, and to the mean spread, from the part's own quantile and spread.
    """
    p, partition = evaluation.predictions, evaluation.partition
    outcomes = [Outcomes.of(p, model) for model in p.models]
    assert metric.quantile_of is not None  # noqa: S101  checked by the caller
    numbers = np.stack([metric.quantile_of(each) for each in outcomes])
    scale = np.ones(numbers.shape)
    if partition is None:
        return numbers, scale
    for rows in partition.rows:
        weights = p.access.weights[None, rows]
        numbers[:, rows] -= [metric.prepare(each.rows(rows))(weights) for each in outcomes]
        scale[:, rows] = np.abs(numbers[:, rows]).mean(axis=1, keepdims=True)
    scale /= np.mean([scale[:, rows[:1]] for rows in partition.rows], axis=0)
    return value + divide(numbers, scale, 0.0), scale


def _half_of_each_part(evaluation: Evaluation) -> list[float]:
    """Return the share of the weight that half a number of each part has, by model; 0 for one.

    The bounds of the quantile of independent numbers have half a number already, of one part. Rows
    that repeat a number are one number.
    """
    p, partition = evaluation.predictions, evaluation.partition
    if partition is None:
        return [0.0] * len(p.models)
    weights = evaluation.access.weights
    half = float(sum(weights[rows].mean() for rows in partition.rows) / weights.sum() / 2)
    return [half * len(p) / n_seen(p, model) for model in p.models]


def _of_units(evaluation: Evaluation, deviations: FloatArray) -> FloatArray:
    """Compute weighted deviations of shares below quantiles, (n_models, n_units), centred.

    Within strata, and for the size of these.
    """
    access, strata = evaluation.access, evaluation.units.strata
    weight, unit_of = access.unit_weights()[:, 0], access.unit_of
    deviations = deviations * access.weights
    deviations = np.stack([np.bincount(unit_of, row, len(weight)) for row in deviations])
    deviations -= weight * (deviations.sum(axis=1) / weight.sum())[:, None]
    stratum = np.zeros(len(weight), dtype=np.intp) if strata is None else strata
    counts = np.bincount(stratum).astype(np.float64)
    means = np.stack([np.bincount(stratum, row) for row in deviations]) / counts
    scale = np.sqrt(divide(counts, counts - 1, 1.0))
    return (deviations - means[:, stratum]) * scale[stratum]


def _sizes(p: TestSet, deviations: FloatArray, share: float, level: float) -> FloatArray:
    """Compute the effective number of independent samples behind each quantile, (n_models,)."""
    access = p.access
    if access.plain and p.strata is None:
        return np.full(len(deviations), float(len(p)))
    of_units, of_samples = access.unit_weights()[:, 0], access.weights
    n_units, n_samples = (float(w.sum() ** 2 / np.square(w).sum()) for w in (of_units, of_samples))
    squares = (deviations**2).sum(axis=1)
    found = share * (1 - share) * divide(of_samples.sum() ** 2, squares, np.inf)
    carriers = divide(squares**2, (deviations**4).sum(axis=1), 1.0)
    degrees = np.clip(carriers, 1.0, max(len(of_units) - 1.0, 1.0))
    # At a level of 0 all quantiles are 0.
    normal = np.full_like(degrees, normal_quantile(level))
    found *= divide(normal, t_quantile(degrees, level), 1.0) ** 2
    once = np.array([n_seen(p, model) for model in p.models]) / len(p)
    return np.where(squares > 0, np.minimum(found, n_samples * once), n_units)


def quantile_interval(
    values: FloatArray, share: float = 0.5, confidence_level: float = 0.95, *,
    weights: FloatArray | None = None, size: float | None = None, beyond: float = 0.0,
) -> Bounds:  # fmt: skip
    """Compute the interval of a quantile of independent values, between two of them.

    The ends are order statistics d and d + 1, interpolated for the wanted level as if the values
    between them had an exponential law on either side of the quantile (Hettmansperger and Sheather
    for the median, Nyblom for others). Without an order statistic at the level an end is infinite.
    Between equal values the width would be 0: it is then extended to the next values on both
    sides, if any.

    Parameters
    ----------
    values : ndarray of shape (..., n)
        Independent values of one distribution along the last axis; of shape (n,) with weights.
    share : float
        Share of the distribution below the quantile.
    confidence_level : float
        A fraction in (0, 1), of which both tails have half.
    weights : ndarray of shape (n,), optional
        Weights of the values.
    size : float, optional
        Effective number of independent values; n by default.
    beyond : float
        Share of the weight by which the ends are beyond the order statistics.

    References
    ----------
    .. [1] Hettmansperger & Sheather (1986), Confidence intervals based on interpolated order
       statistics, Statistics & Probability Letters 4, 75-79.
    .. [2] Nyblom (1992), Note on interpolated order statistics, Statistics & Probability Letters
       14, 129-131.
    .. [3] Woodruff (1952), Confidence Intervals for Medians and Other Position Measures, Journal of
       the American Statistical Association 47, 635-646.

    Examples
    --------
    >>> low, high = quantile_interval(np.arange(1.0, 12.0))
    >>> print(f"{low:.2f} to {high:.2f}")
    2.92 to 9.08
    >>> low, high = quantile_interval(np.arange(1.0, 51.0), 0.99)
    >>> print(f"{low:.2f} to {high}")
    48.42 to inf
    """
    n, tail = values.shape[-1], (1 - confidence_level) / 2
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    weight = np.ones(n) if weights is None else weights[order]
    size = float(n) if size is None else size
    low = _lower_end(ordered, weight, share, size, tail, beyond)
    high = -_lower_end(-ordered[..., ::-1], weight[::-1], 1 - share, size, tail, beyond)
    point, equal = low[..., None], low == high
    below = np.where(ordered < point, ordered, -np.inf).max(axis=-1)
    above = np.where(ordered > point, ordered, np.inf).min(axis=-1)
    low = np.where(equal & np.isfinite(below), below, low)
    return low, np.where(equal & np.isfinite(above), above, high)


def _lower_end(
    ordered: FloatArray, weight: FloatArray, share: float, size: float, tail: float, beyond: float
) -> FloatArray:
    """Compute the lower bound of a quantile of values in ascending order."""
    depth, step = _depth(size, share, tail)
    reached = np.cumsum(weight)
    wanted = (np.array([depth, depth + 1]) / size - beyond) * reached[-1] * (1 - _ROUNDING)
    if depth == 0 or wanted[0] <= 0:
        return np.full(ordered.shape[:-1], -np.inf)
    outer, inner = np.minimum(np.searchsorted(reached, wanted), len(reached) - 1)
    return (1 - step) * ordered[..., outer] + step * ordered[..., inner]


@lru_cache(maxsize=1024)
def _depth(size: float, share: float, tail: float) -> tuple[int, float]:
    """Return the depth of the last order statistic that is a lower bound, and the step beyond it.

    Given that d values are below the quantile, the distances of the d-th and the next value from it
    are about exponential, with rates d / p and (n - d) / (1 - p). The step is the share of the way
    to the next value at which the bound has the wanted level.
    """
    from scipy.special import betaincc

    def above(depth: int) -> float:
        """Return the probability that the order statistic of a depth is above the quantile."""
        return float(betaincc(depth, size - depth + 1, share))

    most = int(size)
    depth = bisect_right(range(1, most + 1), tail, key=above)
    if depth in (0, most):
        return depth, 0.0
    low, high = above(depth), above(depth + 1)
    excess = (tail - low) / (high - low)
    odds = (size - depth) * share / (depth * (1 - share)) * excess / (1 - excess)
    return depth, odds / (1 + odds)
