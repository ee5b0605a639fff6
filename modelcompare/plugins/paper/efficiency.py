"""Comparison of two metrics by their influence functions, without resamples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
import pandas as pd
from scipy.special import stdtr

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.axis import LongColumns, long_columns, pair_rows
from modelcompare.engine.contrasts import Sample
from modelcompare.engine.crossed import CrossedTables, CrossedVariances
from modelcompare.engine.design import Estimator
from modelcompare.engine.influence import Pairs
from modelcompare.engine.pairs import pair_differences
from modelcompare.intervals.ratios import t_quantile
from modelcompare.metrics.quotient import divide
from modelcompare.plugins.paper.pairs import MetricPairs
from modelcompare.report.numbers import format_percent
from modelcompare.report.tables import Table, column
from modelcompare.significance.extreme import standardized
from modelcompare.significance.pairwise import all_pairs

# Groups of items that are left out, one after the other, for the error of a ratio of variances.
_N_GROUPS = 20


def separations(sample: Sample, where: Mapping[str, object]) -> Iterator[LongColumns]:
    """Yield the rows of `VarianceStudy.separation` for one part of the test set."""
    evaluation = sample.evaluation
    pairs = all_pairs(len(evaluation.models))
    difference = pair_differences(sample.point, *pairs)
    error = sample.standard_error(pairs)
    # With one unit there is no standard error, hence no separation.
    separation = np.where(np.isnan(error), np.nan, standardized(difference, error))
    degrees = sample.degrees(pairs) if sample.design.beyond_items else np.inf
    # The difference that is tested may be nearer to 0.
    tested = standardized(sample.centre(pairs), error)
    yield long_columns(
        {**pair_rows(evaluation.models, *pairs), **where}, evaluation.keys, difference=difference,
        standard_error=error, separation=separation,
        p_value=2 * stdtr(degrees, -np.abs(np.where(np.isnan(error), np.nan, tested))),
    )  # fmt: skip


def variance_ratios(
    sample: Sample, where: Mapping[str, object], *, metric_pairs: MetricPairs,
    confidence_level: float,
) -> Iterator[LongColumns]:  # fmt: skip
    """Yield the ratio of two metrics' variances for each model, with an interval.

    It is that of the logarithm, by the delta method, or beyond the items by the jackknife.
    """
    evaluation = sample.evaluation
    rows = {"model": np.array(evaluation.models, dtype=object), **where}
    crossed = sample.estimator.crossed()
    ratios = _ratios_of_items if crossed is None else partial(_ratios_of_crossed, crossed)
    for metrics, a, (ratio, error, degrees) in ratios(sample, metric_pairs):
        low, high = _around(ratio, error, confidence_level, degrees)
        yield long_columns(
            rows, evaluation.keys[a], **metrics, variance_ratio=ratio, ci_low=low, ci_high=high
        )


# Names of a pair of metrics, the values of the first, and (3, n_models, n_values): ratio, standard
# error of its logarithm, and degrees of freedom.
_Ratios = Iterator[tuple[dict[str, str], slice, FloatArray]]


def _ratios_of_items(sample: Sample, metric_pairs: MetricPairs) -> _Ratios:
    """Yield ratios of variances over items.

    With influence functions u and v of the two metrics the ratio is ``sum u^2 / sum v^2``, and the
    influence function of its logarithm is ``u^2 / mean(u^2) - v^2 / mean(v^2)``.
    """
    n = sample.evaluation.units.size
    for metrics, a, _, sums in _summed(sample.estimator, metric_pairs, _power_sums):
        with np.errstate(divide="ignore", invalid="ignore"):
            uu, vv, u4, v4, uuvv = sums
            ratio = uu / vv
            spread = u4 / uu**2 + v4 / vv**2 - 2 * uuvv / (uu * vv)
            error = np.sqrt(np.maximum(spread, 0.0) * n / (n - 1))
        yield metrics, a, np.stack([ratio, error, np.full(ratio.shape, np.inf)])


def _ratios_of_crossed(
    crossed: CrossedTables, sample: Sample, metric_pairs: MetricPairs
) -> _Ratios:
    """Yield ratios of variances over items and levels; their errors need three levels."""
    for metrics, a, b in metric_pairs.positions(sample.evaluation):
        both = (np.concatenate([x[a], x[b]]) for x in crossed.tables)
        found = [_jackknifed(_log_ratio, each, crossed.strata) for each in both]
        log_ratio, error, degrees = np.stack(found, axis=1)
        yield metrics, a, np.stack([np.exp(log_ratio), error, degrees])


def _log_ratio(table: FloatArray, strata: IntArray | None) -> FloatArray:
    """Return the logarithm of the ratio of variances of one model.

    The values of one metric are followed by those of the other.
    """
    alone = CrossedTables([table], np.zeros(1, dtype=np.intp), strata)
    of_model = CrossedVariances.of(alone).layers()
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = np.split(np.log(of_model.variance[0, 0]), 2)
        return first - second


def _jackknifed(
    statistic: Callable[[FloatArray, IntArray | None], FloatArray],
    table: FloatArray,
    strata: IntArray | None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a statistic of a table of items x levels, its standard error and degrees of freedom.

    Items, in groups, and levels are left out in turn. Both variances hold that of what is left
    without items and levels, so that their sum is rather too large. With two levels it is unknown.
    """
    n_items, n_levels = table.shape[1:]
    n_groups = min(_N_GROUPS, n_items)
    group, level = np.arange(n_items) % n_groups, np.arange(n_levels)
    whole = statistic(table, strata)
    if min(n_groups, n_levels) < 3:
        return whole, np.full(whole.shape, np.nan), np.ones(whole.shape)
    kept = [group != each for each in range(n_groups)]
    items = [statistic(table[:, some], strata if strata is None else strata[some]) for some in kept]
    levels = [statistic(table[:, :, level != each], strata) for each in range(n_levels)]
    with np.errstate(divide="ignore", invalid="ignore"):
        of_items, of_levels = (np.var(x, axis=0) * (len(x) - 1) for x in (items, levels))
        variance = of_items + of_levels
        squares = of_items**2 / (n_groups - 1) + of_levels**2 / (n_levels - 1)
        return whole, np.sqrt(variance), variance**2 / squares


def _power_sums(u: FloatArray, v: FloatArray) -> FloatArray:
    """Return sums of u^2, v^2, u^4, v^4 and u^2 v^2, each of shape (n_models, n_values)."""
    uu, vv = u**2, v**2
    return np.array([each.sum(axis=0) for each in (uu, vv, uu * uu, vv * vv, uu * vv)])


def _products(u: FloatArray, v: FloatArray) -> FloatArray:
    """Return the cross products of u and v, concatenated along the axis of models."""
    both = np.ascontiguousarray(np.concatenate((u, v), axis=1).transpose(2, 0, 1))
    return both.transpose(0, 2, 1) @ both


def _summed(
    estimator: Estimator, metric_pairs: MetricPairs,
    sums: Callable[[FloatArray, FloatArray], FloatArray],
) -> Iterator[tuple[dict[str, str], slice, slice, FloatArray]]:  # fmt: skip
    """Yield names and positions of each pair of metrics, and sums over both metrics' influences."""
    positions = metric_pairs.positions(estimator.evaluation)
    totals = [np.zeros(()) for _ in positions]
    for influence in estimator.influences():
        for pair, (_, a, b) in enumerate(positions):
            totals[pair] = totals[pair] + sums(influence[..., a], influence[..., b])
    for position, total in zip(positions, totals, strict=True):
        yield *position, total


def _around(
    ratio: FloatArray, error: FloatArray, level: float, degrees: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Compute the interval of a ratio from the standard error of its logarithm."""
    with np.errstate(invalid="ignore", over="ignore"):
        half = t_quantile(degrees, level) * error
        return ratio * np.exp(-half), ratio * np.exp(half)


def relative_efficiency(
    sample: Sample, metric_pairs: MetricPairs, confidence_level: float
) -> pd.DataFrame:
    """Compute how many samples metric b needs for each of metric a, by pair of models and class.

    It is ``(separation_a / separation_b)^2``, since a separation grows with the root of the number
    of samples. The interval is that of the squared ratio of the two differences, since their
    relative errors are much larger than those of the standard errors.
    """
    evaluation, estimate = sample.evaluation, sample.point
    pairs = all_pairs(len(evaluation.models))
    models = pair_rows(evaluation.models, *pairs)
    parts = []
    crossed = sample.estimator.crossed()
    spreads = _spreads_of_items if crossed is None else partial(_spreads_of_crossed, crossed)
    for metrics, a, b, *spread in spreads(sample, metric_pairs, pairs):
        both = estimate[:, a], estimate[:, b]
        found = samples_ratio(both, pairs, confidence_level, *spread)
        d_a, d_b = (pair_differences(each, *pairs) for each in both)
        agree = metric_pairs.sense(**metrics) * d_a * d_b > 0
        parts.append(long_columns({**models, **metrics}, evaluation.keys[a], **found, agree=agree))
    return metric_pairs.frame(parts).drop(columns="metric")


# Names of a pair of metrics, the values of both, what `spread_of` returns, degrees of freedom.
_Spreads = Iterator[tuple[dict[str, str], slice, slice, FloatArray, FloatArray]]


def _spreads_of_items(sample: Sample, metric_pairs: MetricPairs, pairs: Pairs) -> _Spreads:
    """Yield the spreads of the pairs' differences over items."""
    n = sample.evaluation.units.size
    for metrics, a, b, products in _summed(sample.estimator, metric_pairs, _products):
        spread = spread_of(products / (n * (n - 1)), pairs)
        if not sample.design.beyond_items:
            yield metrics, a, b, spread, np.full(spread.shape[1:], np.inf)
            continue
        # Correlations of the influences, with the errors of the design.
        own = [sample.standard_error(pairs)[:, side] for side in (a, b)]
        between = divide(spread[2], np.sqrt(spread[0] * spread[1]), 0.0) * own[0] * own[1]
        degrees = np.minimum(*(sample.degrees(pairs)[:, side] for side in (a, b)))
        yield metrics, a, b, np.stack([own[0] ** 2, own[1] ** 2, between]), degrees


def _spreads_of_crossed(
    crossed: CrossedTables, sample: Sample, metric_pairs: MetricPairs, pairs: Pairs
) -> _Spreads:
    """Yield the spreads of the pairs' differences over items and levels."""
    owners = np.tile(crossed.owners, 2)
    variance, degrees = sample.standard_error(pairs) ** 2, sample.degrees(pairs)
    for metrics, a, b in metric_pairs.positions(sample.evaluation):
        both = [table[side] for side in (a, b) for table in crossed.tables]
        found = CrossedVariances.of(CrossedTables(both, owners, crossed.strata))
        *_, between = spread_of(found.covariance, pairs)
        spread = np.stack([variance[:, a], variance[:, b], between])
        yield metrics, a, b, spread, np.minimum(degrees[:, a], degrees[:, b])


def spread_of(covariance: FloatArray, pairs: Pairs) -> FloatArray:
    """Return variances of the pairs' differences by two measurements, and their covariance.

    Parameters
    ----------
    covariance : ndarray of shape (n_values, 2 n_models, 2 n_models)
        Covariance of the values by the first measurement, followed by those by the second.
    pairs : tuple of two ndarray of int of shape (n_pairs,)
        Positions of the models of each pair.

    Returns
    -------
    ndarray of shape (3, n_pairs, n_values)
    """
    n_models = covariance.shape[-1] // 2
    first, second = slice(n_models), slice(n_models, None)
    blocks = (first, first), (second, second), (first, second)
    return np.stack([_of_pairs(covariance[:, rows, columns], pairs) for rows, columns in blocks])


def samples_ratio(
    values: tuple[FloatArray, FloatArray], pairs: Pairs, confidence_level: float,
    spread: FloatArray, degrees: FloatArray | float = np.inf, *,
    sides: tuple[str, str] = ("a", "b"),
) -> dict[str, FloatArray]:  # fmt: skip
    """Compute the squared ratio of two separations of each pair, with an interval.

    The interval is by the delta method, on the logarithm.

    Parameters
    ----------
    values : tuple of two ndarray of shape (n_models, n_values)
        Values of the models by two measurements.
    pairs : tuple of two ndarray of int of shape (n_pairs,)
        Positions of the models of each pair.
    confidence_level : float
        Confidence level of the interval.
    spread : ndarray of shape (3, n_pairs, n_values)
        Variances and covariance of the differences, as `spread_of` returns.
    degrees : ndarray of shape (n_pairs, n_values) or float
        Degrees of freedom of the variances.
    sides : tuple of str
        Suffixes of the two measurements in the names of the separations.
    """
    variance_a, variance_b, between = spread
    d_a, d_b = (pair_differences(each, *pairs) for each in values)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z_a, z_b = d_a / np.sqrt(variance_a), d_b / np.sqrt(variance_b)
        ratio = (z_a / z_b) ** 2
        of_logs = variance_a / d_a**2 + variance_b / d_b**2 - 2 * between / (d_a * d_b)
    error = 2 * np.sqrt(np.maximum(of_logs, 0.0))
    low, high = _around(ratio, error, confidence_level, np.asarray(degrees))
    return {
        f"separation_{sides[0]}": z_a, f"separation_{sides[1]}": z_b, "samples_ratio": ratio,
        "ci_low": low, "ci_high": high,
    }  # fmt: skip


def _of_pairs(products: FloatArray, pairs: Pairs) -> FloatArray:
    """Return the products of the pairs' differences, of shape (n_pairs, n_values)."""
    model_a, model_b = pairs
    out = (
        products[:, model_a, model_a]
        + products[:, model_b, model_b]
        - products[:, model_a, model_b]
        - products[:, model_b, model_a]
    )
    return out.T


def efficiency_table(frame: pd.DataFrame, confidence_level: float) -> Table:
    """Make the table of relative efficiencies, from the rows of all pairs of models."""
    frame = frame.dropna(subset=["samples_ratio"])
    frame = frame.assign(
        fewer=frame["ci_high"] < 1, more=frame["ci_low"] > 1, disagree=~frame["agree"]
    )
    shares = ["fewer", "more", "disagree"]
    grouped = frame.groupby(["metric_a", "metric_b", "label"], sort=False, dropna=False)
    ratio = "samples_ratio"
    ratios = {"n_pairs": (ratio, "size"), ratio: (ratio, "median")}
    level = format_percent(confidence_level)
    return Table.of(
        "Samples that b needs for each sample of a, for the same separation of two models",
        grouped.agg(**ratios, **{name: (name, "mean") for name in shares}).reset_index(),
        column("metric a", "metric_a"), column("metric b", "metric_b"), "label", "n_pairs",
        column("median", ratio, decimals=2), *(column(name, kind="share") for name in shares),
        notes=[
            f"fewer, more: share of model pairs whose {level} interval lies below 1, above 1. "
            "disagree: pairs that the two metrics order differently."
        ],
    )  # fmt: skip
