"""Intervals from influences, for clusters, soft scores, curves and texts.

A standard error that a handful of units carry is itself uncertain, so quantiles are Student's.
Intervals of bounded values are on the logit scale. If all units are equal, the standard error is 0:
Wilson's interval is used, with the effective number of units as trials, which assumes only the
bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs, satterthwaite
from modelcompare.intervals.ratios import (
    Bounds,
    logit_ends,
    normal_quantile,
    proportion,
    t_quantile,
    wilson,
)
from modelcompare.intervals.sizes import ratio_of
from modelcompare.metrics.base import AnyMetric, Metric
from modelcompare.metrics.counts import SOFT_COUNTS
from modelcompare.metrics.quotient import Quotient, divide

# Standard errors below this share of a value are rounding.
_ROUNDING = 1e-12
# Share of the variance of one more sample that is added to each class of a soft macro average.
_UNSEEN = 0.06


@dataclass(frozen=True, slots=True)
class Estimates:
    """Values, or differences, and how precise they are; arrays of one shape.

    Attributes
    ----------
    value, error, degrees : ndarray
        Value, its influence standard error and the degrees of freedom of that.
    size : ndarray
        Effective number of units, for values whose standard error is 0.
    skew : ndarray, optional
        Skewness of the estimate, see `hall_interval`; unreliable for clusters.
    """

    value: FloatArray
    error: FloatArray
    degrees: FloatArray
    size: FloatArray
    skew: FloatArray | None = None


def score_interval(
    estimates: Estimates,
    bounds: tuple[float, float],
    confidence_level: float = 0.95,
    *,
    power: float = 1.0,
    shares: bool = False,
    items: bool = False,
    failure: float = 0.0,
) -> Bounds:
    """Compute Student's interval of a value, on the logit scale if it is bounded.

    A side without a bound is corrected for the skewness of the value.

    Parameters
    ----------
    estimates : Estimates
        The values.
    bounds : tuple of float
        Smallest and largest possible value.
    confidence_level : float
        A fraction in (0, 1).
    power : float
        The value is this power of a mean: 1/2 for rmse.
    shares : bool
        Whether bounded values are means of independent samples. Their variance is at most that of
        zeros and ones, so the interval is at most a proportion's: where few samples are below the
        largest score, the standard error has about one degree of freedom, and Student's quantile
        would make it several times as wide.
    items : bool
        Whether bounded values are means over items whose values may be at either bound. If one
        item in 300 always passes, 164 others may all fail, or nearly so, and do not show it: no
        interval, and none of `shares`, is narrower there than that of a value at the bound.
    failure : float
        What a wrong answer costs in mean losses of probabilities. If none was wrong, the next may
        be.
    """
    least, most = bounds
    estimate, error, size, skew = estimates.value, estimates.error, estimates.size, estimates.skew
    quantile = t_quantile(estimates.degrees, confidence_level)
    unseen = wilson(np.zeros_like(estimate), size, normal_quantile(confidence_level))[1]
    if not np.isfinite(most - least):
        low, high = _unbounded(estimates, bounds, quantile, unseen)
        high = np.maximum(high, estimate + unseen * failure) if failure else high
        if skew is None:
            return low, high
        if np.isinf(bounds).all():
            further = hall_interval(estimate, error, skew, quantile)
            missing = np.isinf(low)
            return np.where(missing, low, further[0]), np.where(missing, high, further[1])
        # The logarithm is for values near the bound, and does not describe the other tail.
        plain = t_quantile(2 * estimates.degrees, confidence_level)
        if np.isinf(least):
            return np.minimum(low, hall_interval(estimate, error, skew, plain)[0]), high
        scale = np.where(estimate > least, estimate - least, 1.0)
        relative = hall_interval(np.ones_like(estimate), error / scale / power, skew, plain)[1]
        return low, np.maximum(high, least + scale * relative**power)
    extent = most - least
    share = np.clip((estimate - least) / extent, 0.0, 1.0)
    inside = (share > _ROUNDING) & (share < 1 - _ROUNDING) & (error > _ROUNDING * extent)
    safe = np.where(inside, share, 0.5)
    half = quantile * np.where(inside, error, 0.0) / (extent * safe * (1 - safe))
    closed = wilson(share, size, normal_quantile(confidence_level))
    low, high = (
        np.where(inside, a, b) for a, b in zip(logit_ends(safe, half), closed, strict=True)
    )
    if shares:
        most_varied = proportion(share, size, confidence_level)
        low, high = np.maximum(low, most_varied[0]), np.minimum(high, most_varied[1])
    high = np.maximum(high, share + unseen * failure / extent)
    if items or shares:
        low, high = np.minimum(low, 1 - unseen), np.maximum(high, unseen)
    return least + extent * np.minimum(low, share), least + extent * np.maximum(high, share)


def _unbounded(
    estimates: Estimates, bounds: tuple[float, float], quantile: FloatArray, unseen: FloatArray
) -> Bounds:
    """Compute Student's interval, on the log scale of the distance from a bound, if any.

    If all units are equal, only the bounds are known; an error rate that may exceed 1 and is 0 in
    every unit is treated as a share, whose upper bound is `unseen`.
    """
    estimate, error = estimates.value, estimates.error
    missing = error <= _ROUNDING * np.abs(estimate)
    half = quantile * error
    low, high = estimate - half, estimate + half
    if np.isfinite(bounds).any():
        away = estimate - bounds[0] if np.isfinite(bounds[0]) else estimate - bounds[1]
        missing |= np.abs(away) <= _ROUNDING
        safe = np.where(missing, 1.0, away)
        relative = half / np.abs(safe)
        # If the error exceeds the value, continue along the tangent: clusters are few.
        factor = np.exp(np.minimum(relative, 1.0)) * np.maximum(relative, 1.0)
        low, high = np.sort([estimate + safe * (f - 1) for f in (1 / factor, factor)], axis=0)
    most = np.where((estimate == 0) & (bounds[0] == 0), unseen, bounds[1])
    return np.where(missing, bounds[0], low), np.where(missing, most, high)


def hall_interval(
    estimate: FloatArray, error: FloatArray, skew: FloatArray, quantile: FloatArray
) -> Bounds:
    """Compute Student's interval after Hall's transformation, which removes the skewness of t.

    The mean of skewed values and its standard error are correlated: if the long tail is missing
    from the sample, the mean is too low and its standard error too small. Of ``t = (estimate -
    value) / error`` the cubic ``t + a t^2 / 3 + a^2 t^3 / 27 + a / 6`` is nearly symmetric. It is
    monotone, so it can be inverted.

    Parameters
    ----------
    estimate, error : ndarray of shape (...)
        Value and its influence standard error.
    skew : ndarray of shape (...)
        Skewness a of the estimate, ``sum phi^3 / (sum phi^2)^1.5``: that of the influences divided
        by the root of their number.
    quantile : ndarray of shape (...)
        Two-sided normal or Student quantile.

    References
    ----------
    .. [1] Hall (1992), On the removal of skewness by transformation, Journal of the Royal
       Statistical Society B 54, 221-228.
    """
    a = np.where(np.abs(skew) < 1e-6, 1e-6, skew)
    upper, lower = (3 / a * (np.cbrt(1 + a * (sign * quantile - a / 6)) - 1) for sign in (1, -1))
    return estimate - error * upper, estimate - error * lower


def difference_interval(
    differences: Estimates,
    bounds: tuple[float, float],
    confidence_level: float = 0.95,
    unseen: FloatArray | float = 0.0,
) -> Bounds:
    """Compute Student's interval of a difference, within twice the range of the metric.

    Given its skewness, after Hall's transformation (`hall_interval`). If the standard error is 0,
    one unseen disagreement over the whole range is assumed, or where it is larger than the error,
    times the root of `unseen`. Differences that are all equal and have no range may have the other
    sign where they were not seen: the interval contains 0 where the sign test cannot reject.
    Other parameters are those of `score_interval`.
    """
    difference, error, skew = differences.value, differences.error, differences.skew
    extent = bounds[1] - bounds[0]
    missing = error <= _ROUNDING * (extent if np.isfinite(extent) else np.abs(difference))
    normal = normal_quantile(confidence_level)
    one_more = normal * np.sqrt(2.0) * extent / (differences.size + 2)
    if not np.isfinite(extent):
        unlike = -np.expm1(np.log((1 - confidence_level) / 2) / differences.size)
        one_more = np.where(difference == 0, np.inf, 2 * np.abs(difference) * unlike)
    quantile = t_quantile(differences.degrees, confidence_level)
    half = np.where(missing, one_more, quantile * error)
    if np.isfinite(extent):
        half = np.maximum(half, one_more * np.sqrt(unseen))
    low, high = difference - half, difference + half
    if skew is not None:
        ends = hall_interval(difference, error, skew, quantile)
        low, high = (np.where(missing, *pair) for pair in zip((low, high), ends, strict=True))
    return np.maximum(low, -extent), np.minimum(high, extent)


def unseen_losses(
    covariance: FloatArray, size: FloatArray, pairs: Pairs, confidence_level: float = 0.95
) -> FloatArray:
    """Compute how far differences of mean log losses reach at least, (n_pairs, n_values).

    A model of which no answer was wrong may have one that is, which costs about 1, as in
    `score_interval`: its standard error is then less than the room for it. What was not seen is as
    correlated between two models as their losses.

    Parameters
    ----------
    covariance : ndarray of shape (n_values, n_models, n_models)
        Covariance of the models' values.
    size : ndarray of shape (n_models, n_values)
        Effective number of units.
    pairs, confidence_level
        As elsewhere.
    """
    (a, b), normal = pairs, normal_quantile(confidence_level)
    error = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2).T)
    room = wilson(np.zeros_like(size), size, normal)[1]
    room = np.where(normal * error < room, room, 0.0)
    together = divide(covariance[:, a, b].T, error[a] * error[b], 0.0)
    squared = room[a] ** 2 + room[b] ** 2 - 2 * together * room[a] * room[b]
    return np.sqrt(np.maximum(squared, 0.0))


def unseen_variance(value: FloatArray, size: FloatArray) -> FloatArray:
    """Compute the variance of one more positive, at any rank among the negatives."""
    shrunk = (value * size + 1) / (size + 2)
    return np.asarray(shrunk * (1 - shrunk) / np.maximum(size, 1.0) ** 2)


def score_degrees(
    carriers: FloatArray, n_units: int, clusters: FloatArray | None = None
) -> FloatArray:
    """Compute the degrees of freedom of a value's influence variance (Satterthwaite 1946).

    ``2 / (1 / carriers - 1 / n)`` is right for large n. If fewer than eight units carry the
    variance it is too large, and half of it is right for four and fewer. For clusters see
    `cluster_degrees`; a value and its variance depend on the same few clusters, so effective
    clusters weigh more.
    """
    if clusters is not None:
        between = cluster_degrees(clusters, n_units, weight=2 / 3)
        return np.maximum(np.minimum(between, 2 * carriers), 1.0)
    plain = satterthwaite(carriers, n_units)
    return np.maximum(plain * np.clip(carriers / 8, 0.5, 1.0), 1.0)


def difference_degrees(
    carriers: FloatArray, n_units: int, clusters: FloatArray | None = None
) -> FloatArray:
    """Compute the degrees of freedom of a paired difference's influence variance.

    One less than Satterthwaite's ``2 carriers``, and not halved if these are few, unlike for
    values: a value and its variance are correlated because both come from a few units on one side,
    which two models mostly have in common.
    """
    degrees = 2 * carriers - 1
    if clusters is not None:
        degrees = np.minimum(degrees, cluster_degrees(clusters, n_units, weight=1 / 2))
    return np.maximum(degrees, 1.0)


def cluster_degrees(effective: FloatArray, n_clusters: int, weight: float) -> FloatArray:
    """Compute degrees of freedom between those of the effective clusters and those of all.

    The jackknife already leaves out large clusters as a whole. With the number of effective
    clusters minus one, coverage is 0.97 to 0.98 at nominal 0.95 (5 and 8 clusters of lognormal
    sizes), and width 50 % larger; with that of all clusters minus one, 0.85 to 0.91; with a
    geometric mean, nominal.

    References
    ----------
    .. [1] MacKinnon, Nielsen & Webb (2023), Journal of Econometrics 232, 272-299.
    """
    most = max(n_clusters - 1, 1)
    return np.asarray(np.maximum(effective - 1, 0.0) ** weight * most ** (1 - weight))


def is_soft_macro(metric: AnyMetric) -> TypeGuard[Metric]:
    """True if a metric is a macro average of ratios of soft counts."""
    return (
        isinstance(metric, Metric)
        and metric.average == "macro"
        and metric.ratio is not None
        and set(metric.statistics) <= set(SOFT_COUNTS)
    )


def averages_absent_classes(metric: AnyMetric) -> bool:
    """True for a macro average of soft counts that includes 0 for classes that never occur.

    They get probability, so they count, but not where an average is over true classes.
    """
    if not is_soft_macro(metric) or metric.class_ratio is None:
        return False
    of_true = isinstance(metric.value, Quotient) and metric.value.of_true
    return bool(metric.class_ratio.numerator[0]) and not of_true


def share_of_occurring(evaluation: Evaluation, metric: AnyMetric) -> float:
    """Return the factor that restricts a macro average of soft counts to occurring classes.

    A class that gets probability but does not occur counts as 0.
    """
    support = evaluation.support
    if support is None or not averages_absent_classes(metric):
        return 1.0
    return len(support) / np.count_nonzero(support)


def macro_corrections(evaluation: Evaluation, metric: AnyMetric) -> tuple[FloatArray, FloatArray]:
    """Compute the bias of macro averages of soft counts, and unseen variance; else 0.

    The value of a class is a ratio N / D of sums, whose expectation differs from the ratio of
    expectations by ``-sum (n - value d) d / D^2`` to second order: a concave F1 of few samples is
    too low. The bias is similar in each class, so for many classes it exceeds the standard error.
    For a class of S samples (S - 1) / S of it counts, since the class is included only if it
    occurs.

    Few samples of a class may be similar by chance, and their variance too small: a share of the
    variance of one more sample is added.

    Parameters
    ----------
    evaluation, metric
        Models and a metric; there is no correction for clusters.

    Returns
    -------
    bias, unseen : ndarray of shape (n_models,)
        Bias of each model's average, and the addition to its variance.

    References
    ----------
    .. [1] Cochran (1977), Sampling Techniques, section 6.8 (the bias of a ratio).
    """
    support = evaluation.support
    if support is None or evaluation.access.unit != "samples" or not is_soft_macro(metric):
        nothing = np.zeros(len(evaluation.models))
        return nothing, nothing
    return evaluation.once(
        ("corrections", metric.name), lambda: _macro_corrections(evaluation, metric, support)
    )


def _macro_corrections(
    evaluation: Evaluation, metric: Metric, support: FloatArray
) -> tuple[FloatArray, FloatArray]:
    occurs = support > 0
    value, of_class = _ratio_bias(evaluation, metric)
    counted = divide(np.maximum(support - 1, 0.0), support, 0.0)
    bias = (of_class * counted)[:, occurs].mean(axis=1)
    variance = unseen_variance(value[:, occurs], support[occurs]).mean(axis=1)
    return bias, _UNSEEN * variance / occurs.sum()


def _ratio_bias(evaluation: Evaluation, metric: Metric) -> tuple[FloatArray, FloatArray]:
    """Compute ratios of each class (n_models, n_classes), and their second-order biases."""
    top, bottom = ratio_of(evaluation, metric, evaluation.grand_total)
    value = divide(top, bottom, 0.0)
    excess = np.zeros_like(value)
    for rows in evaluation.row_steps():
        part, whole = ratio_of(evaluation, metric, evaluation.statistics(rows=rows))
        counts = evaluation.units.counts(rows)
        excess += np.tensordot(counts, (part - value * whole) * whole, 1)
    return value, -divide(excess, bottom**2, 0.0)
