"""Two metrics against each other by their influence functions, without resamples."""

from __future__ import annotations

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.axis import joined_frame, long_columns
from modelcompare.engine.contrasts import pair_differences
from modelcompare.engine.evaluation import Evaluation
from modelcompare.intervals.ratios import normal_quantile
from modelcompare.report.numbers import format_percent
from modelcompare.report.tables import Table, column
from modelcompare.significance.pairwise import all_pairs
from modelcompare.studies.pairs import MetricPairs


def variance_ratios(
    evaluation: Evaluation, metric_pairs: MetricPairs, confidence_level: float
) -> pd.DataFrame:
    """Ratio of two metrics' variances for each model, with a delta-method interval.

    With influences u and v of the two metrics the ratio is ``sum u^2 / sum v^2``, and the influence
    on its logarithm is ``u^2 / mean(u^2) - v^2 / mean(v^2)``.
    """
    estimate = evaluation.estimate()
    n = evaluation.units.size
    sums = _power_sums(evaluation, estimate, metric_pairs.positions(evaluation))
    names = np.array(evaluation.models, dtype=object)
    parts = []
    named = metric_pairs.named(evaluation)
    for (metrics, a, _), (uu, vv, u4, v4, uuvv) in zip(named, sums, strict=True):
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = uu / vv
            spread = u4 / uu**2 + v4 / vv**2 - 2 * uuvv / (uu * vv)
            error = np.sqrt(np.maximum(spread, 0.0) * n / (n - 1))
            half = normal_quantile(confidence_level) * error
            low, high = ratio * np.exp(-half), ratio * np.exp(half)
        parts.append(long_columns(
            {"model": names}, evaluation.keys[a], **metrics, variance_ratio=ratio, ci_low=low,
            ci_high=high,
        ))  # fmt: skip
    return joined_frame(parts).drop(columns="metric")


def _power_sums(
    evaluation: Evaluation, estimate: FloatArray, positions: list[tuple[slice, slice]]
) -> list[list[FloatArray]]:
    """Sums of u^2, v^2, u^4, v^4 and u^2 v^2 over the units, for each pair of metrics."""
    sums: list[list[FloatArray]] = [
        [np.zeros(estimate[:, a].shape) for _ in range(5)] for a, _ in positions
    ]
    for rows in evaluation.row_steps():
        influence = evaluation.influence(slice(None), rows, estimate)
        squares = influence**2
        for into, (a, b) in zip(sums, positions, strict=True):
            uu, vv = squares[:, :, a], squares[:, :, b]
            for total, term in zip(into, (uu, vv, uu * uu, vv * vv, uu * vv), strict=True):
                total += term.sum(axis=0)
    return sums


def relative_efficiency(
    evaluation: Evaluation, metric_pairs: MetricPairs, confidence_level: float
) -> pd.DataFrame:
    """Samples of metric b for each sample of metric a, for each pair of models and class.

    ``(separation_a / separation_b)^2``, since a separation grows with the root of the number of
    samples. The interval is that of the squared ratio of the two differences, whose relative
    errors dwarf those of the standard errors.
    """
    estimate = evaluation.estimate()
    model_a, model_b = all_pairs(len(evaluation.models))
    names = np.array(evaluation.models, dtype=object)
    parts = []
    covariances = _covariances(evaluation, estimate, metric_pairs)
    for (metrics, a, b), covariance in zip(
        metric_pairs.named(evaluation), covariances, strict=True
    ):
        both = estimate[:, a], estimate[:, b]
        found = samples_ratio(both, covariance, model_a, model_b, confidence_level)
        d_a, d_b = (pair_differences(each, model_a, model_b) for each in both)
        sense = metric_pairs.sense((metrics["metric_a"], metrics["metric_b"]))
        parts.append(long_columns(
            {"model_a": names[model_a], "model_b": names[model_b], **metrics}, evaluation.keys[a],
            **found, agree=sense * d_a * d_b > 0,
        ))  # fmt: skip
    return joined_frame(parts).drop(columns="metric")


def samples_ratio(
    values: tuple[FloatArray, FloatArray], covariance: FloatArray, model_a: IntArray,
    model_b: IntArray, confidence_level: float,
) -> dict[str, FloatArray]:  # fmt: skip
    """Squared ratio of two separations of each pair, with an interval (delta method, logarithm).

    Parameters
    ----------
    values : tuple of two ndarray of shape (n_models, n_values)
        Values of the models measured in one way, and in another.
    covariance : ndarray of shape (n_values, 2 n_models, 2 n_models)
        Of the values measured in the one way, and then in the other.
    """
    first, second = slice(len(values[0])), slice(len(values[0]), None)
    variance_a, variance_b, between = (
        _of_pairs(covariance[:, rows, columns], model_a, model_b)
        for rows, columns in ((first, first), (second, second), (first, second))
    )
    d_a, d_b = (pair_differences(each, model_a, model_b) for each in values)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z_a, z_b = d_a / np.sqrt(variance_a), d_b / np.sqrt(variance_b)
        ratio = (z_a / z_b) ** 2
        spread = variance_a / d_a**2 + variance_b / d_b**2 - 2 * between / (d_a * d_b)
        half = 2 * normal_quantile(confidence_level) * np.sqrt(np.maximum(spread, 0.0))
        ends = ratio * np.exp(-half), ratio * np.exp(half)
    return {
        "separation_a": z_a, "separation_b": z_b, "samples_ratio": ratio, "ci_low": ends[0],
        "ci_high": ends[1],
    }  # fmt: skip


def _covariances(
    evaluation: Evaluation, estimate: FloatArray, metric_pairs: MetricPairs
) -> list[FloatArray]:
    """Covariance of the models' values of both metrics of each pair, as `samples_ratio` has it."""
    positions = metric_pairs.positions(evaluation)
    n, size = evaluation.units.size, 2 * len(evaluation.models)
    sums = [np.zeros((a.stop - a.start, size, size)) for a, _ in positions]
    for rows in evaluation.row_steps():
        influence = evaluation.influence(slice(None), rows, estimate)
        for products, (a, b) in zip(sums, positions, strict=True):
            both = np.concatenate((influence[..., a], influence[..., b]), axis=1)
            for product, u in zip(
                products, np.ascontiguousarray(both.transpose(2, 0, 1)), strict=True
            ):
                product += u.T @ u
    return [products / (n * (n - 1)) for products in sums]


def _of_pairs(products: FloatArray, model_a: IntArray, model_b: IntArray) -> FloatArray:
    """Products of the pairs' differences, of shape (n_pairs, n_values)."""
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
