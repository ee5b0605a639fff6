"""Two metrics against each other by their influence functions, without resamples."""

from __future__ import annotations

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import row_chunks
from modelcompare.significance.pairwise import all_pairs, pair_differences
from modelcompare.studies.pairs import MetricPairs


def variance_ratios(
    evaluation: Evaluation, metric_pairs: MetricPairs, *, confidence_level: float
) -> pd.DataFrame:
    """Ratio of two metrics' variances for each model, with a delta-method interval.

    With influences u and v of the two metrics the ratio is ``sum u^2 / sum v^2``, and the influence
    on its logarithm is ``u^2 / mean(u^2) - v^2 / mean(v^2)``.
    """
    from scipy.special import ndtri

    estimate = evaluation.estimate()
    positions = metric_pairs.positions(evaluation)
    n = evaluation.units.size
    sums = _power_sums(evaluation, estimate, positions)
    frames = []
    for (name_a, name_b), (a, _), (uu, vv, u4, v4, uuvv) in zip(
        metric_pairs.pairs, positions, sums, strict=True
    ):
        labels = [key.label for key in evaluation.keys[a]]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = uu / vv
            spread = u4 / uu**2 + v4 / vv**2 - 2 * uuvv / (uu * vv)
            error = np.sqrt(np.maximum(spread, 0.0) * n / (n - 1))
            half = ndtri((1 + confidence_level) / 2) * error
            low, high = ratio * np.exp(-half), ratio * np.exp(half)
        frames.append(
            pd.DataFrame(
                {
                    "model": np.repeat(np.array(evaluation.models, dtype=object), len(labels)),
                    "label": pd.Series(labels * len(evaluation.models), dtype=object),
                    "metric_a": name_a,
                    "metric_b": name_b,
                    "variance_ratio": ratio.ravel(),
                    "ci_low": low.ravel(),
                    "ci_high": high.ravel(),
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def _power_sums(
    evaluation: Evaluation, estimate: FloatArray, positions: list[tuple[slice, slice]]
) -> list[list[FloatArray]]:
    """Sums of u^2, v^2, u^4, v^4 and u^2 v^2 over the units, for each pair of metrics."""
    sums: list[list[FloatArray]] = [
        [np.zeros(estimate[:, a].shape) for _ in range(5)] for a, _ in positions
    ]
    for rows in row_chunks(evaluation):
        influence = evaluation.influence(slice(None), rows, estimate)
        squares = influence**2
        for into, (a, b) in zip(sums, positions, strict=True):
            uu, vv = squares[:, :, a], squares[:, :, b]
            for total, term in zip(into, (uu, vv, uu * uu, vv * vv, uu * vv), strict=True):
                total += term.sum(axis=0)
    return sums


def relative_efficiency(
    evaluation: Evaluation, metric_pairs: MetricPairs, *, confidence_level: float
) -> pd.DataFrame:
    """Samples of metric b for each sample of metric a, for each pair of models and class.

    ``(separation_a / separation_b)^2``, since a separation grows with the root of the number of
    samples. The interval is that of the squared ratio of the two differences, whose relative
    errors dwarf those of the standard errors.
    """
    from scipy.special import ndtri

    estimate = evaluation.estimate()
    model_a, model_b = all_pairs(len(evaluation.models))
    difference = pair_differences(estimate, model_a, model_b)
    names = np.array(evaluation.models, dtype=object)
    n = evaluation.units.size
    quantile = ndtri((1 + confidence_level) / 2)
    frames = []
    for (name_a, name_b), (a, b), gram in zip(
        metric_pairs.pairs,
        metric_pairs.positions(evaluation),
        _cross_products(evaluation, estimate, metric_pairs),
        strict=True,
    ):
        labels = [key.label for key in evaluation.keys[a]]
        var_a, var_b, cov = (_of_pairs(matrix, model_a, model_b) / (n * (n - 1)) for matrix in gram)
        d_a, d_b = difference[:, a], difference[:, b]
        with np.errstate(divide="ignore", invalid="ignore"):
            z_a, z_b = d_a / np.sqrt(var_a), d_b / np.sqrt(var_b)
            ratio = (z_a / z_b) ** 2
            spread = var_a / d_a**2 + var_b / d_b**2 - 2 * cov / (d_a * d_b)
            half = 2 * quantile * np.sqrt(np.maximum(spread, 0.0))
        with np.errstate(over="ignore", invalid="ignore"):
            low, high = ratio * np.exp(-half), ratio * np.exp(half)
        frames.append(
            pd.DataFrame(
                {
                    "model_a": np.repeat(names[model_a], len(labels)),
                    "model_b": np.repeat(names[model_b], len(labels)),
                    "metric_a": name_a,
                    "metric_b": name_b,
                    "label": pd.Series(labels * len(model_a), dtype=object),
                    "separation_a": z_a.ravel(),
                    "separation_b": z_b.ravel(),
                    "samples_ratio": ratio.ravel(),
                    "ci_low": low.ravel(),
                    "ci_high": high.ravel(),
                    "same_sign": (d_a * d_b > 0).ravel(),
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


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
    for rows in row_chunks(evaluation):
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
