"""Who is ahead of whom, and by how much: the rows that people read, the winner first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import ndtr

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.comparison.standings import ranks
from modelcompare.intervals import Interval, quantiles
from modelcompare.significance.pairwise import pair_differences

if TYPE_CHECKING:
    from modelcompare.comparison.replicates import BootstrapResult
    from modelcompare.comparison.result import Comparison


def lead_frame(result: Comparison, *, every: bool = False) -> pd.DataFrame:
    """Differences for reading: see `Comparison.leads`; of `every` pair, winner minus other."""
    point, direction = result.bootstrap.point, result.direction
    model_a, model_b = result.pairs
    row_of = np.zeros((len(result.models),) * 2, dtype=np.intp)
    row_of[model_a, model_b] = row_of[model_b, model_a] = np.arange(len(model_a))
    picks = [_sides(result, order, every=every) for order in np.argsort(
        ranks(point * direction), axis=0, kind="stable").T]  # fmt: skip
    first, second = (np.concatenate(side) for side in zip(*picks, strict=True))
    value = np.repeat(np.arange(len(picks)), [len(side) for side, _ in picks])
    pair = row_of[first, second]
    rows, place = np.unique(pair, return_inverse=True)
    bounds = np.full((2, *result.p_values.shape), np.nan)
    bounds[:, rows] = corrected_bounds(result, rows)
    turn = direction[value] * np.where(model_a[pair] == first, 1.0, -1.0)
    low, high = np.sort(turn * bounds[:, pair, value], axis=0)
    errors = result.bootstrap.moments.pair_standard_error(model_a[rows], model_b[rows])
    keys = [result.bootstrap.evaluation.keys[position] for position in value]
    names = np.array(result.models, dtype=object)
    p_adjusted = result.p_adjusted[pair, value]
    excluded = (low > 0) | (high < 0)
    told = p_adjusted < _error(result)
    return pd.DataFrame(
        {
            "model": names[first],
            "other": names[second],
            "metric": [key.metric for key in keys],
            "label": pd.Series([key.label for key in keys], dtype=object),
            "lead": direction[value] * (point[first, value] - point[second, value]),
            "standard_error": errors[place, value],
            "ci_low": low,
            "ci_high": high,
            "p_adjusted": p_adjusted,
            "at_odds": ~np.isnan(p_adjusted) & ~np.isnan(low) & (excluded != told),
        }
    )


def _sides(result: Comparison, order: IntArray, *, every: bool) -> tuple[IntArray, IntArray]:
    """The model and the other of each row, of models from best to worst."""
    if result.baseline is not None:
        baseline = result.models.index(result.baseline)
        others = order[order != baseline]
        return others, np.full(len(others), baseline)
    if every:
        first, second = np.triu_indices(len(order), 1)
        return order[first], order[second]
    return np.full(len(order) - 1, order[0]), order[1:]


def corrected_frame(result: Comparison) -> pd.DataFrame:
    """The differences of a result with intervals that are corrected like their p-values."""
    low, high = corrected_bounds(result, np.arange(len(result.pairs[0])))
    return result.differences.assign(ci_low=low.ravel(), ci_high=high.ravel())


def corrected_bounds(result: Comparison, rows: IntArray) -> tuple[FloatArray, FloatArray]:
    """Bounds of the differences of some pairs, corrected for as much as their p-values.

    They hold for all differences of a family at once: by Bonferroni's level, or where p-values are
    corrected by max-t by its multiple of the standard errors. Where p-values are corrected for the
    rate of false discoveries, the level is that of the false coverage of those discovered.

    References
    ----------
    .. [1] Benjamini & Yekutieli (2005), False discovery rate-adjusted multiple confidence
       intervals for selected parameters, JASA 100, 71-81.
    """
    model_a, model_b = (side[rows] for side in result.pairs)
    if result.correction == "max-t" and result.family == "metric":
        low, high = max_t_bounds(result)
        return low[rows], high[rows]
    low, high = (np.empty((len(rows), result.p_values.shape[1])) for _ in range(2))
    levels = {metric: _corrected_level(result, metric) for metric in result.metrics}
    for level in set(levels.values()):
        found = result.bootstrap.difference_interval(model_a, model_b, result.method, level)
        for metric in [name for name, its_level in levels.items() if its_level == level]:
            where = result.bootstrap.evaluation.metric_slice(metric)
            low[:, where], high[:, where] = found.low[:, where], found.high[:, where]
    return low, high


def _corrected_level(result: Comparison, metric: str) -> float:
    error, n_tests = _error(result), float(result.n_tests(metric))
    if result.correction in ("fdr_bh", "fdr_by"):
        alone = result.family == "metric"
        where = result.bootstrap.evaluation.metric_slice(metric) if alone else slice(None)
        if result.correction == "fdr_by":
            error /= float(np.sum(1 / np.arange(1, n_tests + 1)))
        found = np.count_nonzero(result.p_adjusted[:, where] < _error(result))
        n_tests /= found or 1
    return 1 - error / n_tests


def _error(result: Comparison) -> float:
    """The error rate of the intervals, without the rounding that makes 1 - 0.95 more than 0.05."""
    return round(1 - result.confidence_level, 12)


def max_t_bounds(result: Comparison) -> tuple[FloatArray, FloatArray]:
    """Bounds that hold for all differences of a metric at once, within twice its range.

    Each is as far from the difference as the same multiple of its standard error: the quantile of
    the largest studentized deviation over all pairs and classes of the metric. Of shape (n_pairs,
    n_values).
    """
    difference = pair_differences(result.bootstrap.point, *result.pairs)
    half, keys = _max_t_widths(result, difference), result.bootstrap.evaluation.keys
    least, most = np.array([result.metric_info[key.metric].bounds for key in keys]).T
    extent = most - least
    return np.maximum(difference - half, -extent), np.minimum(difference + half, extent)


def _max_t_widths(result: Comparison, difference: FloatArray) -> FloatArray:
    model_a, model_b = result.pairs
    error = result.bootstrap.moments.pair_standard_error(model_a, model_b)
    draws, half = result.bootstrap.drawn, np.empty_like(error)
    for metric in result.metrics:
        where = result.bootstrap.evaluation.metric_slice(metric)
        largest = np.zeros(len(draws))
        for a, b, d, e in zip(model_a, model_b, difference[:, where], error[:, where], strict=True):
            deviation = np.abs(draws[:, a, where] - draws[:, b, where] - d)
            t = np.divide(deviation, e, out=np.zeros_like(deviation), where=e > 0)
            # Without a value on the test set itself there is no interval to widen.
            t = np.where(np.isnan(deviation), np.where(np.isnan(d), 0.0, np.inf), t)
            largest = np.maximum(largest, t.max(axis=1))
        level = np.array([result.confidence_level])
        multiple = quantiles(np.sort(largest)[:, None], level)[0]
        e = error[:, where]
        half[:, where] = np.multiply(multiple, e, out=np.zeros_like(e), where=e > 0)
    return half


def simultaneous_scores(result: Comparison) -> Interval:
    """Intervals of all models' values that hold at once, for each metric.

    They are of the comparison's method, at the level of Bonferroni's correction for all models and
    classes, or of the largest studentized deviation of the resamples (max-t) where that is less:
    values on the same samples err together.
    """
    bootstrap, parts = result.bootstrap, []
    for metric in result.metrics:
        where = bootstrap.evaluation.metric_slice(metric)
        level = _level_at_once(bootstrap, where, result.confidence_level)
        found = bootstrap.score_interval(result.method, level)
        parts.append(Interval(found.low[:, where], found.high[:, where], found.method[:, where]))
    return Interval.joined(parts, axis=1)


def _level_at_once(bootstrap: BootstrapResult, where: slice, level: float) -> float:
    """Confidence level of each interval, at which all of some values have the one asked for."""
    n_values = int(np.count_nonzero(~np.isnan(bootstrap.point[:, where])))
    bonferroni = 1 - (1 - level) / max(n_values, 1)
    if bootstrap.n_resamples < 2 or n_values < 2:
        return bonferroni
    error = bootstrap.moments.standard_error()[:, where]
    deviation = np.abs(bootstrap.draws[:, :, where] - bootstrap.point[:, where])
    t = np.divide(deviation, error, out=np.zeros_like(deviation), where=error > 0)
    # A resample without a value tells nothing of how far it may be.
    largest = np.nan_to_num(t, nan=np.inf).max(axis=(1, 2))
    multiple = float(quantiles(np.sort(largest)[:, None], np.array([level]))[0])
    return min(bonferroni, max(level, float(2 * ndtr(multiple) - 1)))
