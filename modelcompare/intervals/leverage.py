"""Differences of models where units have unequal leverage: clusters, and texts, of unequal sizes.

A cluster that contains much of the test set pulls the estimate towards itself, so its residual is
too small. The bias-reduced variance (CR2) corrects each squared influence for the cluster's share h
of the denominator, and the degrees of freedom follow from the shares: those of a variance of
independent units whose own variances are proportional to h (Bell and McCaffrey). The jackknife
(CR3) and effective numbers of clusters are wider, often several times.

Shares do not show that contributions are heavy-tailed: two models may differ in three clusters of
thirty. So degrees of freedom are limited to ``2 carriers - 1``, the carriers being those of the
contributions themselves, or of contributions divided by the root of h, whose variances are equal
where samples are independent.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from modelcompare.arrays import CACHE_BYTES, FloatArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.intervals.sizes import denominator_shares
from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.quotient import divide

# Smallest share of a unit whose contributions are standardized, relative to the mean share.
_LEAST = 0.1
# A unit that holds nearly all of the denominator.
_MOST = 1 - 1e-9


def leveraged_differences(
    evaluation: Evaluation,
    metrics: Sequence[AnyMetric],
    estimate: FloatArray,
    pairs: Pairs,
    *,
    standardized: bool,
) -> tuple[FloatArray, FloatArray]:
    """Compute bias-reduced standard errors of differences, and their degrees of freedom.

    Parameters
    ----------
    evaluation : Evaluation
        Models, metrics and units.
    metrics : sequence of Metric
        Metrics to compute; values of others are NaN.
    estimate : ndarray of shape (n_models, n_values)
        The values.
    pairs : tuple of ndarray of int of shape (n_pairs,)
        Positions of models a and b.
    standardized : bool
        Whether carriers are those of contributions divided by the root of the unit's share.

    Returns
    -------
    error, degrees : ndarray of shape (n_pairs, n_values)

    References
    ----------
    .. [1] Bell & McCaffrey (2002), Survey Methodology 28, 169-181.
    .. [2] Pustejovsky & Tipton (2018), Journal of Business & Economic Statistics 36, 672-683.
    """
    n, sums = evaluation.units.size, np.full((6, len(pairs[0]), estimate.shape[1]), np.nan)
    for metric in metrics:
        sums[..., evaluation.metric_slice(metric.name)] = 0.0
    for rows in evaluation.row_steps():
        influence = evaluation.influence(rows, estimate)
        counts = evaluation.units.counts(rows)
        for metric in metrics:
            where = evaluation.metric_slice(metric.name)
            share = np.minimum(denominator_shares(evaluation, metric, rows), _MOST)
            u = influence[..., where] * np.sqrt(1 - share) / (n - 1)
            step = max(1, CACHE_BYTES // (8 * 6 * u[:, 0].size))
            for start in range(0, len(pairs[0]), step):
                block = slice(start, start + step)
                a, b = (side[block] for side in pairs)
                square, h = (u[:, a] - u[:, b]) ** 2, (share[:, a] + share[:, b]) / 2
                alike = square / np.maximum(h, _LEAST / n) if standardized else square
                pull = h**2 / (1 - h)
                powers = square, alike, alike**2, h**2, pull, pull**2
                sums[:, block, where] += [np.tensordot(counts, each, 1) for each in powers]
    variance, first, second, of_h, of_pull, of_pulls = sums
    shared = divide(np.ones_like(of_h), of_h + of_pull**2 - of_pulls, 1.0)
    limit = 2 * divide(first**2, second, 1.0) - 1
    return np.sqrt(variance), np.maximum(np.minimum(shared, limit), 1.0)
