"""Metrics of real-valued outputs: all but the rank correlations and the median are sums."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from modelcompare.metrics.base import (
    AnyMetric,
    FloatArray,
    Metric,
    OrderMetric,
    Outcomes,
    Statistic,
    divide,
)
from modelcompare.metrics.probabilistic import COUNT, mean, mean_ratio


def _truth(outcomes: Outcomes) -> FloatArray:
    if outcomes.y_true is None:
        raise ValueError("this metric needs y_true; the predictions hold per-example scores only.")
    return outcomes.y_true.astype(np.float64, copy=False)


def _errors(outcomes: Outcomes) -> FloatArray:
    return _truth(outcomes) - outcomes.values


def _log_errors(outcomes: Outcomes) -> FloatArray:
    y, p = _truth(outcomes), outcomes.values
    if min(y.min(), p.min()) <= -1:
        raise ValueError("msle needs values above -1; use mse or mae instead.")
    return np.log1p(y) - np.log1p(p)


def _centred(outcomes: Outcomes) -> tuple[FloatArray, FloatArray]:
    """Truth and output around their medians, so that sums of squares lose no digits.

    A mean would follow an outlier, which resamples may leave out.
    """
    y, p = _truth(outcomes), outcomes.values
    return y - np.median(_truth(outcomes.whole)), p - np.median(outcomes.whole.values)


def _moments(outcomes: Outcomes) -> FloatArray:
    y, p = _centred(outcomes)
    return np.column_stack([y, p, y * y, p * p, y * p])


SQUARED = Statistic("squared_value_errors", lambda o: (_errors(o) ** 2)[:, None])
ABSOLUTE = Statistic("absolute_value_errors", lambda o: np.abs(_errors(o))[:, None])
SQUARED_LOG = Statistic("squared_log_errors", lambda o: (_log_errors(o) ** 2)[:, None])
SIGNED = Statistic("value_errors", lambda o: _errors(o)[:, None])
MOMENTS = Statistic("moments", _moments)


def root_mean(total: FloatArray, count: FloatArray) -> FloatArray:
    """Root of the mean of a one-column statistic."""
    return np.sqrt(mean(total, count))


def _spread(squares: FloatArray, total: FloatArray, count: FloatArray) -> FloatArray:
    """Squared deviation from the mean; 0 where only rounding is left of a constant."""
    spread = squares - divide(total**2, count)
    return np.where(spread <= 1e-13 * squares, 0.0, spread)


def r2(squared: FloatArray, moments: FloatArray, count: FloatArray) -> FloatArray:
    """One minus the squared error over the squared deviation from the mean."""
    spread = _spread(moments[..., 2], moments[..., 0], count[..., 0])
    return 1 - divide(squared[..., 0], spread)


def explained_variance(
    squared: FloatArray, signed: FloatArray, moments: FloatArray, count: FloatArray
) -> FloatArray:
    """One minus the variance of the errors over the variance of the truth."""
    n = count[..., 0]
    errors = _spread(squared[..., 0], signed[..., 0], n)
    return 1 - divide(errors, _spread(moments[..., 2], moments[..., 0], n))


def pearson(moments: FloatArray, count: FloatArray) -> FloatArray:
    """Covariance over the product of the standard deviations."""
    n = count[..., 0]
    y, p, yy, pp, yp = np.moveaxis(moments, -1, 0)
    product = _spread(yy, y, n) * _spread(pp, p, n)
    return np.clip(divide(yp - divide(y * p, n), np.sqrt(product)), -1.0, 1.0)


def _prepare_median(outcomes: Outcomes) -> Callable[[FloatArray], FloatArray]:
    """Median of the absolute errors under each row of weights; of two middle ones, their mean."""
    errors = np.abs(_errors(outcomes))
    order = np.argsort(errors, kind="stable")
    ordered = errors[order]

    def evaluate(weights: FloatArray) -> FloatArray:
        cumulated = np.cumsum(weights[:, order], axis=1)
        total = cumulated[:, -1:]
        lower = np.argmax(cumulated >= total / 2, axis=1)
        upper = np.argmax(cumulated > total / 2, axis=1)
        values = (ordered[lower] + ordered[upper]) / 2
        return np.where(total[:, 0] > 0, values, np.nan)

    return evaluate


def _groups(values: FloatArray) -> tuple[np.ndarray, np.ndarray]:
    """Order of the samples, and the last place of each sample's run of equal values."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    ends = np.flatnonzero(np.r_[ordered[1:] != ordered[:-1], True])
    return order, ends


def _weighted_ranks(values: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """Mid-ranks under each row of weights, as if samples were repeated."""
    order, ends = _groups(values)
    sizes = np.diff(np.r_[-1, ends])

    def ranks(weights: FloatArray) -> FloatArray:
        cumulated = np.cumsum(weights[:, order], axis=1)[:, ends].astype(np.float64)
        start = np.hstack([np.zeros((len(weights), 1)), cumulated[:, :-1]])
        middle = (start + cumulated + 1) / 2
        out = np.empty(weights.shape)
        out[:, order] = np.repeat(middle, sizes, axis=1)
        return out

    return ranks


def _prepare_spearman(outcomes: Outcomes) -> Callable[[FloatArray], FloatArray]:
    of_truth, of_output = _weighted_ranks(_truth(outcomes)), _weighted_ranks(outcomes.values)

    def evaluate(weights: FloatArray) -> FloatArray:
        w = weights.astype(np.float64)
        a, b = of_truth(w), of_output(w)
        n = w.sum(axis=1)
        spreads = [_spread((w * r * r).sum(axis=1), (w * r).sum(axis=1), n) for r in (a, b)]
        a = a - divide((w * a).sum(axis=1), n)[:, None]
        b = b - divide((w * b).sum(axis=1), n)[:, None]
        value = divide((w * a * b).sum(axis=1), np.sqrt(spreads[0] * spreads[1]))
        return np.clip(value, -1.0, 1.0)

    return evaluate


def _prepare_kendall(outcomes: Outcomes) -> Callable[[FloatArray], FloatArray]:
    """Kendall's tau-b; samples repeated by their (whole) weights tie with themselves."""
    from scipy.stats import kendalltau

    y, p = _truth(outcomes), outcomes.values

    def evaluate(weights: FloatArray) -> FloatArray:
        out = np.empty(len(weights))
        for place, row in enumerate(weights):
            counts = row.astype(np.intp)
            if not np.array_equal(counts, row):
                raise ValueError(
                    "kendall needs whole counts as weights; use the multinomial bootstrap without "
                    "sample weights, or spearman."
                )
            out[place] = kendalltau(np.repeat(y, counts), np.repeat(p, counts)).statistic
        return out

    return evaluate


_NON_NEGATIVE = (0.0, np.inf)


def _loss(name: str, statistics: tuple[Statistic, ...], value: Callable[..., FloatArray]) -> Metric:
    return Metric(
        name=name, statistics=statistics, value=value, needs="values", greater_is_better=False,
        bounds=_NON_NEGATIVE, ratio=mean_ratio,
    )  # fmt: skip


METRICS: tuple[AnyMetric, ...] = (
    _loss("mse", (SQUARED, COUNT), mean),
    _loss("rmse", (SQUARED, COUNT), root_mean),
    _loss("mae", (ABSOLUTE, COUNT), mean),
    _loss("msle", (SQUARED_LOG, COUNT), mean),
    OrderMetric(
        name="median_absolute_error",
        needs="values",
        greater_is_better=False,
        bounds=_NON_NEGATIVE,
        smooth=False,
        prepare=_prepare_median,
    ),
    Metric(
        name="r2", statistics=(SQUARED, MOMENTS, COUNT), value=r2, needs="values",
        bounds=(-np.inf, 1.0),
    ),
    Metric(
        name="explained_variance", statistics=(SQUARED, SIGNED, MOMENTS, COUNT),
        value=explained_variance, needs="values", bounds=(-np.inf, 1.0),
    ),
    Metric(
        name="pearson", statistics=(MOMENTS, COUNT), value=pearson, needs="values",
        bounds=(-1.0, 1.0),
    ),
    OrderMetric(name="spearman", needs="values", bounds=(-1.0, 1.0), prepare=_prepare_spearman),
    OrderMetric(name="kendall", needs="values", bounds=(-1.0, 1.0), prepare=_prepare_kendall),
)  # fmt: skip
