"""The t-test on bootstrap replicates, as papers run it: for reproduction, not for decisions."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.significance.pairwise import Outcome, PairTest, PairView

Kind = Literal["welch", "paired"]


def replicate_t_p_values(
    replicates: FloatArray, model_a: IntArray, model_b: IntArray, *, kind: Kind
) -> FloatArray:
    """Return p-values of t-tests between models' replicates, of shape (n_pairs, n_values).

    The replicates are treated as independent observations, so the standard error shrinks with the
    root of their number: with enough resamples every difference is significant. This measures the
    effort of the simulation, not evidence about the models. Of the replicates, of shape
    (n_resamples, n_models, n_values), undefined ones are left out, model by model. "welch" is the
    two-sample t-test with unequal variances, "paired" that of the paired differences.
    """
    from scipy.special import stdtr

    n = (len(replicates) - np.count_nonzero(np.isnan(replicates), axis=0)).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        if kind == "welch":
            mean = np.nansum(replicates, axis=0) / n
            variance = np.nansum((replicates - mean) ** 2, axis=0) / (n - 1)
            error = variance / n
            difference = mean[model_a] - mean[model_b]
            squared = error[model_a] + error[model_b]
            parts = error**2 / (n - 1)
            df = squared**2 / (parts[model_a] + parts[model_b])
        else:
            difference, squared, df = _paired(replicates, model_a, model_b)
        t = difference / np.sqrt(squared)
        p_values = 2 * stdtr(df, -np.abs(t))
    return np.where((difference == 0) & (squared == 0), 1.0, p_values)


def _paired(
    replicates: FloatArray, model_a: IntArray, model_b: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean differences, their squared errors and degrees of freedom, by Gram matrices."""
    shape = (len(model_a), replicates.shape[2])
    difference, squared, df = np.empty(shape), np.empty(shape), np.empty(shape)
    for value in range(replicates.shape[2]):
        x = np.ascontiguousarray(replicates[:, :, value])
        defined = (~np.isnan(x)).astype(np.float64)
        centre = np.nansum(x, axis=0) / np.maximum(defined.sum(axis=0), 1)
        y = np.where(defined > 0, x - centre, 0.0)
        both, cross = defined.T @ defined, y.T @ y
        sums, squares = y.T @ defined, (y**2).T @ defined
        a, b = model_a, model_b
        n = both[a, b]
        total = sums[a, b] - sums[b, a]
        total_squares = squares[a, b] + squares[b, a] - 2 * cross[a, b]
        mean = total / n
        difference[:, value] = mean + centre[a] - centre[b]
        squared[:, value] = np.maximum(total_squares - n * mean**2, 0.0) / (n * (n - 1))
        df[:, value] = n - 1
    return difference, squared, df


def _replicate_t(kind: Kind, view: PairView) -> Outcome:
    p_value = replicate_t_p_values(view.sample.drawn, view.model_a, view.model_b, kind=kind)
    return Outcome(view.estimate, p_value, len(view.sample.drawn), exact=False)


ROWS: tuple[PairTest, ...] = (
    PairTest("replicate-t", partial(_replicate_t, "welch"), alternatives=("two-sided",)),
    PairTest(
        "replicate-paired-t",
        partial(_replicate_t, "paired"),
        alternatives=("two-sided",),
    ),
)
