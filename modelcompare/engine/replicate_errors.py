"""Standard errors from the resamples, and on every one of them for studentized intervals."""

from __future__ import annotations

import numpy as np

from modelcompare.arrays import PASS_BYTES, FloatArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.leave_out import without
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.metrics.base import Metric
from modelcompare.resampling.weights import Weights


@one_blas_thread()
def replicate_second_moments(evaluation: Evaluation, weights: Weights) -> FloatArray:
    """Covariance of the models' values on each resample, by its own influence functions.

    Each resample costs as much as a jackknife of the test set; with distinct rows that is little.

    Parameters
    ----------
    evaluation : Evaluation
        Models, metrics and units; sum metrics only.
    weights : Weights
        The resamples.

    Returns
    -------
    ndarray of shape (n_resamples, n_values, n_models, n_models)

    Raises
    ------
    ValueError
        If a metric is not a sum, or the result would not fit into memory.
    """
    others = [metric.name for metric in evaluation.metrics if not isinstance(metric, Metric)]
    if others:
        raise ValueError(
            f"studentized intervals need metrics that are sums, {', '.join(others)} is not; use "
            "method='BCa'."
        )
    n_models, n_values = len(evaluation.models), len(evaluation.keys)
    if 8 * weights.n_resamples * n_values * n_models**2 > 8 * PASS_BYTES:
        raise ValueError(
            f"studentized intervals of {n_models} models and {n_values} values on "
            f"{weights.n_resamples:,} resamples do not fit into memory; take fewer models or "
            "resamples, or method='BCa'."
        )
    statistics = evaluation.statistics()
    out = np.empty((weights.n_resamples, n_values, n_models, n_models))
    for block in range(weights.n_blocks):
        drawn = weights.draw_all(block)
        for row, w in zip(range(*weights.rows(block).indices(len(out))), drawn, strict=True):
            out[row] = _second_moment(evaluation, statistics, w)
    return out


def _second_moment(evaluation: Evaluation, statistics: FloatArray, w: FloatArray) -> FloatArray:
    there = w > 0
    w, rows = w[there], statistics[there]
    n = w.sum()
    if n <= 1:
        # A Poisson resample may be empty; it has no error to speak of.
        return np.full((len(evaluation.keys), *[len(evaluation.models)] * 2), np.nan)
    total = w @ rows
    left = without(total, rows)
    value = evaluation.values_of_totals(total[None, :])[0]
    influence = np.nan_to_num((n - 1) * (value - evaluation.values_of_totals(left)), nan=0.0)
    influence -= np.einsum("i,imv->mv", w / n, influence)
    u = influence.transpose(2, 1, 0)
    return (u * w) @ u.transpose(0, 2, 1) / (n * (n - 1))


def replicate_covariance(draws: FloatArray) -> FloatArray:
    """Covariance of the models' values over the resamples on which all models have one.

    Parameters
    ----------
    draws : ndarray of shape (n_resamples, n_models, n_values)

    Returns
    -------
    ndarray of shape (n_values, n_models, n_models)
        NaN where fewer than two resamples have values.
    """
    n_models, n_values = draws.shape[1:]
    out = np.full((n_values, n_models, n_models), np.nan)
    for value in range(n_values):
        known = draws[np.isfinite(draws[:, :, value]).all(axis=1), :, value]
        if len(known) > 1:
            out[value] = np.cov(known, rowvar=False).reshape(n_models, n_models)
    return out
