"""Comparison of two metrics by their influence functions, without resamples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.engine.axis import LongColumns, long_columns, pair_rows
from modelcompare.engine.contrasts import pair_differences
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs, influence_moments
from modelcompare.intervals.ratios import normal_quantile
from modelcompare.report.numbers import format_percent
from modelcompare.report.tables import Table, column
from modelcompare.significance.extreme import standardized
from modelcompare.significance.pairwise import all_pairs
from modelcompare.studies.pairs import MetricPairs


def separations(evaluation: Evaluation, where: Mapping[str, object]) -> Iterator[LongColumns]:
    """Yield the rows of `VarianceStudy.separation` for one part of the test set."""
    estimate = evaluation.estimate()
    pairs = all_pairs(len(evaluation.models))
    difference = pair_differences(estimate, *pairs)
    error = influence_moments(evaluation, estimate).standard_error(pairs)
    # With one unit there is no standard error, hence no separation.
    separation = np.where(np.isnan(error), np.nan, standardized(difference, error))
    yield long_columns(
        {**pair_rows(evaluation.models, *pairs), **where}, evaluation.keys, difference=difference,
        standard_error=error, separation=separation,
    )  # fmt: skip


def variance_ratios(
    evaluation: Evaluation, where: Mapping[str, object], *, metric_pairs: MetricPairs,
    confidence_level: float,
) -> Iterator[LongColumns]:  # fmt: skip
    """Yield the ratio of two metrics' variances for each model, with a delta-method interval.

    With influence functions u and v of the two metrics the ratio is ``sum u^2 / sum v^2``, and the
    influence function of its logarithm is ``u^2 / mean(u^2) - v^2 / mean(v^2)``.
    """
    n = evaluation.units.size
    rows = {"model": np.array(evaluation.models, dtype=object), **where}
    for metrics, a, _, sums in _summed(evaluation, metric_pairs, _power_sums):
        with np.errstate(divide="ignore", invalid="ignore"):
            uu, vv, u4, v4, uuvv = sums
            ratio = uu / vv
            spread = u4 / uu**2 + v4 / vv**2 - 2 * uuvv / (uu * vv)
            error = np.sqrt(np.maximum(spread, 0.0) * n / (n - 1))
        low, high = _around(ratio, error, confidence_level)
        yield long_columns(
            rows, evaluation.keys[a], **metrics, variance_ratio=ratio, ci_low=low, ci_high=high
        )


def _power_sums(u: FloatArray, v: FloatArray) -> FloatArray:
    """Return sums of u^2, v^2, u^4, v^4 and u^2 v^2, each of shape (n_models, n_values)."""
    uu, vv = u**2, v**2
    return np.array([each.sum(axis=0) for each in (uu, vv, uu * uu, vv * vv, uu * vv)])


def _products(u: FloatArray, v: FloatArray) -> FloatArray:
    """Return the cross products of u and v, concatenated along the axis of models."""
    both = np.ascontiguousarray(np.concatenate((u, v), axis=1).transpose(2, 0, 1))
    return both.transpose(0, 2, 1) @ both


def _summed(
    evaluation: Evaluation, metric_pairs: MetricPairs,
    sums: Callable[[FloatArray, FloatArray], FloatArray],
) -> Iterator[tuple[dict[str, str], slice, slice, FloatArray]]:  # fmt: skip
    """Yield names and positions of each pair of metrics, and sums over both metrics' influences."""
    estimate, positions = evaluation.estimate(), metric_pairs.positions(evaluation)
    totals = [np.zeros(()) for _ in positions]
    for rows in evaluation.row_steps():
        influence = evaluation.influence(rows, estimate)
        for pair, (_, a, b) in enumerate(positions):
            totals[pair] = totals[pair] + sums(influence[..., a], influence[..., b])
    for position, total in zip(positions, totals, strict=True):
        yield *position, total


def _around(ratio: FloatArray, error: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Compute the interval of a ratio from the standard error of its logarithm."""
    half = normal_quantile(level) * error
    with np.errstate(invalid="ignore", over="ignore"):
        return ratio * np.exp(-half), ratio * np.exp(half)


def relative_efficiency(
    evaluation: Evaluation, metric_pairs: MetricPairs, confidence_level: float
) -> pd.DataFrame:
    """Compute how many samples metric b needs for each of metric a, by pair of models and class.

    It is ``(separation_a / separation_b)^2``, since a separation grows with the root of the number
    of samples. The interval is that of the squared ratio of the two differences, since their
    relative errors are much larger than those of the standard errors.
    """
    estimate, n = evaluation.estimate(), evaluation.units.size
    pairs = all_pairs(len(evaluation.models))
    models = pair_rows(evaluation.models, *pairs)
    parts = []
    for metrics, a, b, products in _summed(evaluation, metric_pairs, _products):
        both = estimate[:, a], estimate[:, b]
        covariance = products / (n * (n - 1))
        found = samples_ratio(both, covariance, pairs, confidence_level)
        d_a, d_b = (pair_differences(each, *pairs) for each in both)
        agree = metric_pairs.sense(**metrics) * d_a * d_b > 0
        parts.append(long_columns({**models, **metrics}, evaluation.keys[a], **found, agree=agree))
    return metric_pairs.frame(parts).drop(columns="metric")


def samples_ratio(
    values: tuple[FloatArray, FloatArray], covariance: FloatArray, pairs: Pairs,
    confidence_level: float, *, sides: tuple[str, str] = ("a", "b"),
) -> dict[str, FloatArray]:  # fmt: skip
    """Compute the squared ratio of two separations of each pair, with an interval.

    The interval is by the delta method, on the logarithm.

    Parameters
    ----------
    values : tuple of two ndarray of shape (n_models, n_values)
        Values of the models by two measurements.
    covariance : ndarray of shape (n_values, 2 n_models, 2 n_models)
        Covariance of the values by the first measurement, followed by those by the second.
    pairs : tuple of two ndarray of int of shape (n_pairs,)
        Positions of the models of each pair.
    sides : tuple of str
        Suffixes of the two measurements in the names of the separations.
    """
    first, second = slice(len(values[0])), slice(len(values[0]), None)
    variance_a, variance_b, between = (
        _of_pairs(covariance[:, rows, columns], pairs)
        for rows, columns in ((first, first), (second, second), (first, second))
    )
    d_a, d_b = (pair_differences(each, *pairs) for each in values)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z_a, z_b = d_a / np.sqrt(variance_a), d_b / np.sqrt(variance_b)
        ratio = (z_a / z_b) ** 2
        spread = variance_a / d_a**2 + variance_b / d_b**2 - 2 * between / (d_a * d_b)
    low, high = _around(ratio, 2 * np.sqrt(np.maximum(spread, 0.0)), confidence_level)
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
        column("a", "metric_a"), column("b", "metric_b"), "label", "n_pairs",
        column("median", ratio, decimals=2), *(column(name, kind="share") for name in shares),
        notes=[
            f"fewer, more: share of model pairs whose {level} interval lies below 1, above 1. "
            "disagree: pairs that the two metrics order differently."
        ],
    )  # fmt: skip
