"""Two metrics against each other by their influence functions, without resamples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtri

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.axis import long_frame, score_frame
from modelcompare.engine.contrasts import pair_differences
from modelcompare.engine.evaluation import Evaluation
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
    frames = []
    named = metric_pairs.named(evaluation)
    for (metrics, a, _), (uu, vv, u4, v4, uuvv) in zip(named, sums, strict=True):
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = uu / vv
            spread = u4 / uu**2 + v4 / vv**2 - 2 * uuvv / (uu * vv)
            error = np.sqrt(np.maximum(spread, 0.0) * n / (n - 1))
            half = ndtri((1 + confidence_level) / 2) * error
            low, high = ratio * np.exp(-half), ratio * np.exp(half)
        frames.append(score_frame(
            evaluation.models, evaluation.keys[a], **metrics, variance_ratio=ratio, ci_low=low,
            ci_high=high,
        ))  # fmt: skip
    return pd.concat(frames, ignore_index=True).drop(columns="metric")


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
    difference = pair_differences(estimate, model_a, model_b)
    names = np.array(evaluation.models, dtype=object)
    n = evaluation.units.size
    frames = []
    grams = _cross_products(evaluation, estimate, metric_pairs)
    for (metrics, a, b), gram in zip(metric_pairs.named(evaluation), grams, strict=True):
        covariances = [_of_pairs(matrix, model_a, model_b) / (n * (n - 1)) for matrix in gram]
        d_a, d_b = difference[:, a], difference[:, b]
        needed = samples_ratio(d_a, d_b, *covariances, confidence_level=confidence_level)
        frames.append(long_frame(
            {"model_a": names[model_a], "model_b": names[model_b], **metrics}, evaluation.keys[a],
            separation_a=needed.separation_a, separation_b=needed.separation_b,
            samples_ratio=needed.ratio, ci_low=needed.low, ci_high=needed.high,
            agree=metric_pairs.sense((metrics["metric_a"], metrics["metric_b"])) * d_a * d_b > 0,
        ))  # fmt: skip
    return pd.concat(frames, ignore_index=True).drop(columns="metric")


class SamplesRatio(NamedTuple):
    """Separations of two roads to the same models, and samples that b needs for each of a."""

    separation_a: FloatArray
    separation_b: FloatArray
    ratio: FloatArray
    low: FloatArray
    high: FloatArray


def samples_ratio(
    difference_a: FloatArray, difference_b: FloatArray, variance_a: FloatArray,
    variance_b: FloatArray, covariance: FloatArray, *, confidence_level: float,
) -> SamplesRatio:  # fmt: skip
    """Squared ratio of two separations, with an interval on the logarithm (delta method)."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z_a, z_b = difference_a / np.sqrt(variance_a), difference_b / np.sqrt(variance_b)
        ratio = (z_a / z_b) ** 2
        spread = (
            variance_a / difference_a**2
            + variance_b / difference_b**2
            - 2 * covariance / (difference_a * difference_b)
        )
        half = 2 * ndtri((1 + confidence_level) / 2) * np.sqrt(np.maximum(spread, 0.0))
        return SamplesRatio(z_a, z_b, ratio, ratio * np.exp(-half), ratio * np.exp(half))


def _cross_products(
    evaluation: Evaluation, estimate: FloatArray, metric_pairs: MetricPairs
) -> list[tuple[FloatArray, FloatArray, FloatArray]]:
    """Sums of u u', v v' and u v' for each pair of metrics: (n_labels, n_models, n_models)."""
    positions = metric_pairs.positions(evaluation)
    n_models = len(evaluation.models)
    sums = [
        tuple(np.zeros((a.stop - a.start, n_models, n_models)) for _ in range(3))
        for a, _ in positions
    ]
    for rows in evaluation.row_steps():
        influence = evaluation.influence(slice(None), rows, estimate)
        for (uu, vv, uv), (a, b) in zip(sums, positions, strict=True):
            for label in range(a.stop - a.start):
                u = np.ascontiguousarray(influence[:, :, a.start + label])
                v = np.ascontiguousarray(influence[:, :, b.start + label])
                uu[label] += u.T @ u
                vv[label] += v.T @ v
                uv[label] += u.T @ v
    return [(uu, vv, uv) for uu, vv, uv in sums]


def _of_pairs(gram: FloatArray, model_a: IntArray, model_b: IntArray) -> FloatArray:
    """Sum of products of the pairs' differences, of shape (n_pairs, n_labels)."""
    out = (
        gram[:, model_a, model_a]
        + gram[:, model_b, model_b]
        - gram[:, model_a, model_b]
        - gram[:, model_b, model_a]
    )
    return out.T


def efficiency_table(frame: pd.DataFrame, confidence_level: float) -> Table:
    """Make the table of relative efficiencies, from the rows of all pairs of models."""
    frame = frame.dropna(subset=["samples_ratio"])
    frame = frame.assign(
        fewer=frame["ci_high"] < 1, more=frame["ci_low"] > 1, disagree=~frame["agree"]
    )
    names = {"a": "metric_a", "b": "metric_b", "class": "label"}
    shares = ["fewer", "more", "disagree"]
    columns = [
        *(column(title, name) for title, name in names.items()),
        column("pairs", kind="count"),
        column("median", kind="estimate", decimals=2),
        *(column(name, kind="share") for name in shares),
    ]
    grouped = frame.groupby(list(names.values()), sort=False, dropna=False)
    ratios = {"pairs": ("samples_ratio", "size"), "median": ("samples_ratio", "median")}
    level = format_percent(confidence_level)
    return Table(
        "Samples that b needs for each sample of a, for the same separation of two models",
        columns,
        grouped.agg(**ratios, **{name: (name, "mean") for name in shares}).reset_index(),
        notes=[
            f"fewer, more: share of model pairs whose {level} interval lies below 1, above 1. "
            "disagree: pairs that the two metrics order differently."
        ],
    )
