"""Intervals in closed form: from standard errors or counts, without resamples."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.contrasts import Contrasts
from modelcompare.engine.delong import delong_covariance
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import standard_errors
from modelcompare.intervals.base import Interval, IntervalRow
from modelcompare.intervals.ratios import (
    clopper_pearson,
    logit_ends,
    normal_quantile,
    t_quantile,
    wilson,
)
from modelcompare.intervals.sizes import ratio_of
from modelcompare.metrics.base import Metric
from modelcompare.metrics.quotient import divide
from modelcompare.works import BROWN, CLOPPER, DELONG, INFLUENCE, WILSON

Proportion = Literal["wilson", "clopper-pearson"]


def normal_interval(
    estimate: FloatArray, standard_error: FloatArray, *, confidence_level: float = 0.95
) -> Interval:
    """Compute the estimate plus and minus normal quantiles of its standard error (delta method)."""
    half = normal_quantile(confidence_level) * standard_error
    return Interval.of(estimate - half, estimate + half, "normal")


def proportion_interval(
    method: Proportion, count: FloatArray, n: FloatArray, *, confidence_level: float = 0.95
) -> Interval:
    """Compute Wilson's or the Clopper-Pearson interval of ``count / n``; NaN where n is 0."""
    share = divide(count, n, np.nan)
    if method == "wilson":
        bounds = wilson(share, n, normal_quantile(confidence_level))
    else:
        bounds = clopper_pearson(count, n, (1 - confidence_level) / 2)
    low, high = (np.where(np.isnan(share), np.nan, bound) for bound in bounds)
    return Interval.of(low, high, method)


def proportions(evaluation: Evaluation) -> tuple[FloatArray, FloatArray]:
    """Return the counts and trials of proportions, each of shape (n_models, n_values).

    Raises
    ------
    ValueError
        If a metric is not a proportion, or samples are weighted or clustered.
    """
    shares = [m for m in evaluation.metrics if isinstance(m, Metric) and m.proportion]
    others = [metric.name for metric in evaluation.metrics if metric not in shares]
    if others or not evaluation.access.plain:
        reason = (
            f"{', '.join(others)} is not a proportion"
            if others
            else "samples are weighted or clustered"
        )
        raise ValueError(
            f"intervals of proportions do not apply: {reason}; use method='BCa' or 'logit'."
        )
    count, trials = (np.empty((len(evaluation.models), len(evaluation.keys))) for _ in range(2))
    totals = evaluation.grand_total
    for metric in shares:
        where = evaluation.metric_slice(metric.name)
        parts = ratio_of(evaluation, metric, totals)
        for into, array in zip((count, trials), parts, strict=True):
            into[:, where] = array if metric.per_class else array[..., None]
    return count, trials


def _normal(rows: Contrasts, level: float) -> Interval:
    return normal_interval(rows.estimate, rows.standard_error, confidence_level=level)


def _logit(rows: Contrasts, level: float) -> Interval:
    """Compute Student intervals on the logit scale between the metrics' bounds.

    A standard error that depends on ten samples of a rare class is itself uncertain, so quantiles
    are those of the t distribution. At a bound the logit is infinite; the interval is then of width
    0 and its method is "none".
    """
    metrics = rows.evaluation.metrics
    unbounded = [metric.name for metric in metrics if not np.isfinite(metric.bounds).all()]
    if unbounded:
        raise ValueError(
            f"logit intervals are for bounded metrics, {', '.join(unbounded)} is not; use "
            "method='BCa'."
        )
    low, high = rows.evaluation.bounds
    extent, estimate = high - low, rows.estimate
    share = (estimate - low) / extent
    inside = (share > 0) & (share < 1)
    safe = np.where(inside, share, 0.5)
    quantile = t_quantile(_degrees_of_freedom(rows), level)
    half = quantile * rows.standard_error / (extent * safe * (1 - safe))
    lower, upper = (low + extent * end for end in logit_ends(safe, half))
    return Interval.of(lower, upper, "logit").where(inside, Interval.of(estimate, estimate, "none"))


def _degrees_of_freedom(rows: Contrasts) -> FloatArray:
    """Return degrees of freedom of the standard errors; infinite if these follow from the value."""
    evaluation, degrees = rows.evaluation, rows.sample.moments.degrees_of_freedom()
    if evaluation.predictions.groups is not None:
        return np.minimum(degrees, evaluation.units.size - 1)
    counted = {
        metric.name
        for metric in evaluation.metrics
        if isinstance(metric, Metric) and all(s.discrete for s in metric.statistics)
    }
    of_counts = np.array([key.metric in counted for key in evaluation.keys])
    return np.where(of_counts, np.inf, degrees)


def _delong(rows: Contrasts, level: float) -> Interval:
    names = [metric.name for metric in rows.evaluation.metrics]
    if names != ["roc_auc"]:
        raise ValueError(
            f"DeLong's intervals are for roc_auc only, not for {', '.join(names)}; use "
            "method='auto'."
        )
    covariance = delong_covariance(rows.evaluation.predictions)[1]
    bounds = (0.0, 1.0) if rows.pairs is None else (-np.inf, np.inf)
    error = standard_errors(covariance[None], rows.pairs)
    interval = normal_interval(rows.estimate, error, confidence_level=level)
    low, high = np.maximum(interval.low, bounds[0]), np.minimum(interval.high, bounds[1])
    return Interval.of(low, high, "delong")


def _proportion(method: Proportion, rows: Contrasts, level: float) -> Interval:
    return proportion_interval(method, *proportions(rows.evaluation), confidence_level=level)


_PROPORTIONS = "proportions of independent samples"
_of_proportions = partial(IntervalRow, needs=_PROPORTIONS, scores_only=True)
ROWS = (
    IntervalRow(
        "normal", _normal, reads="sums",
        phrase=("a normal interval with the standard error of the influences", (INFLUENCE,)),
    ),
    IntervalRow(
        "logit", _logit, "metrics with bounds", scores_only=True, reads="sums",
        phrase=(
            "a normal interval on the logit scale with the standard error of the influences",
            (INFLUENCE,),
        ),
    ),
    _of_proportions(
        "wilson", partial(_proportion, "wilson"),
        phrase=("Wilson's score interval, modified near 0 and 1", (WILSON, BROWN)),
    ),
    _of_proportions(
        "clopper-pearson", partial(_proportion, "clopper-pearson"),
        phrase=("the interval of Clopper and Pearson", (CLOPPER,)),
    ),
    IntervalRow(
        "delong", _delong, "roc_auc only", phrase=("the covariance of DeLong et al.", (DELONG,)),
    ),
)  # fmt: skip
