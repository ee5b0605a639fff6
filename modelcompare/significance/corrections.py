"""Corrections for many tests: adjusted p-values of a family."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from modelcompare.arrays import FloatArray

Correction = Literal["holm", "hommel", "bonferroni", "sidak", "fdr_bh", "fdr_by", "max-t", "none"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)


def adjust(p_values: FloatArray, correction: Correction) -> FloatArray:
    """Adjusted p-values of one family; undefined ones stay NaN and do not count.

    Parameters
    ----------
    p_values : ndarray
        p-values of any shape, all of one family.
    correction : str
        "holm", "hommel", "bonferroni", "sidak" (family-wise error), "fdr_bh", "fdr_by" (false
        discovery rate), by statsmodels, or "none". For "max-t" see `max_t`.

    Examples
    --------
    >>> adjust(np.array([0.01, 0.04, 0.03]), "holm")
    array([0.03, 0.06, 0.06])
    """
    out = np.array(p_values, dtype=np.float64)
    defined = ~np.isnan(out)
    if correction == "none" or not defined.any():
        return out
    from statsmodels.stats.multitest import multipletests

    out[defined] = multipletests(out[defined], method=correction)[1]
    return out


def max_t(null: FloatArray, difference: FloatArray, standard_error: FloatArray) -> FloatArray:
    """Step-down adjusted p-values from the joint distribution of the studentized differences.

    Hypotheses are taken from the largest statistic down; each is compared with the maximum over
    the hypotheses that are left. Correlation between the tests is used instead of assumed away,
    so this rejects at least what Holm's method would on the same replicates.

    Parameters
    ----------
    null : ndarray of shape (n_resamples, n_hypotheses)
        Differences centred under the null: replicates minus estimate.
    difference, standard_error : ndarray of shape (n_hypotheses,)
        What was observed.

    Returns
    -------
    ndarray of shape (n_hypotheses,)
        Two-sided, family-wise adjusted p-values.

    References
    ----------
    .. [1] Romano & Wolf (2005), Econometrica 73(4), algorithm 4.1.
    """
    out = np.full(difference.shape, np.nan)
    defined = np.flatnonzero(~np.isnan(difference))
    error = standard_error[defined]
    observed = _studentize(np.abs(difference[defined]), error)
    order = defined[np.argsort(-observed, kind="stable")]
    statistic = np.sort(observed)[::-1]
    n_resamples = len(null)
    # From the smallest statistic up, so that the running maximum is over what is left.
    running = np.zeros(n_resamples)
    p_values = np.empty(len(order))
    for position in range(len(order) - 1, -1, -1):
        hypothesis = order[position]
        size = _studentize(np.abs(null[:, hypothesis]), standard_error[hypothesis])
        # A resample without a value counts as extreme, as in the single tests.
        np.maximum(running, np.where(np.isnan(size), np.inf, size), out=running)
        tied = statistic[position] * (1 - 1e-10)
        p_values[position] = (1 + np.count_nonzero(running >= tied)) / (1 + n_resamples)
    out[order] = np.maximum.accumulate(p_values)
    return out


def check_correction(correction: str) -> Correction:
    """Return the correction, or say which there are."""
    if correction not in CORRECTIONS:
        raise ValueError(
            f"`correction` must be one of {', '.join(CORRECTIONS)}, got {correction!r}."
        )
    return correction


def _studentize(size: FloatArray, error: FloatArray) -> FloatArray:
    size, error = np.broadcast_arrays(size, error)
    without = np.where(size > 0, np.inf, np.where(np.isnan(size), np.nan, 0.0))
    return np.divide(size, error, out=without, where=error > 0)
