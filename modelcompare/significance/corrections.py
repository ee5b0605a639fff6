"""Corrections for many tests: adjusted p-values of a family."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.intervals import TIE_TOLERANCE
from modelcompare.significance.extreme import n_extreme, resampling_p, standardized
from modelcompare.words import Correction


def adjust(p_values: FloatArray, correction: Correction) -> FloatArray:
    """Adjusted p-values of one family; undefined ones stay NaN and do not count.

    Parameters
    ----------
    p_values : ndarray
        p-values of any shape, all of one family.
    correction : str
        "holm", "hommel", "bonferroni", "sidak" (family-wise error), "fdr_bh", "fdr_by" (false
        discovery rate) or "none". For "max-t" see `max_t`.

    Examples
    --------
    >>> adjust(np.array([0.01, 0.04, 0.03]), "holm")
    array([0.03, 0.06, 0.06])
    """
    out = np.array(p_values, dtype=np.float64)
    defined = ~np.isnan(out)
    if correction == "none" or not defined.any():
        return out
    p = out[defined]
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(_OF_SORTED[correction](p[order]), 1.0)
    out[defined] = adjusted
    return out


def _holm(p: FloatArray) -> FloatArray:
    return np.maximum.accumulate(p * np.arange(len(p), 0, -1))


def _hommel(p: FloatArray) -> FloatArray:
    """Simes' test of every subset (Hommel 1988), by Wright's algorithm (1992)."""
    out = p.copy()
    for m in range(len(p), 1, -1):
        smallest = (m * p[-m:] / np.arange(1, m + 1)).min()
        out[-m:] = np.maximum(out[-m:], smallest)
        out[:-m] = np.maximum(out[:-m], np.minimum(m * p[:-m], smallest))
    return out


def _bonferroni(p: FloatArray) -> FloatArray:
    return p * len(p)


def _sidak(p: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return -np.expm1(len(p) * np.log1p(-p))


def _benjamini_hochberg(p: FloatArray, factor: float = 1.0) -> FloatArray:
    share = np.arange(1, len(p) + 1) / len(p) / factor
    return np.minimum.accumulate((p / share)[::-1])[::-1]


def _benjamini_yekutieli(p: FloatArray) -> FloatArray:
    return _benjamini_hochberg(p, float((1 / np.arange(1, len(p) + 1)).sum()))


_OF_SORTED: Mapping[Correction, Callable[[FloatArray], FloatArray]] = {
    "holm": _holm,
    "hommel": _hommel,
    "bonferroni": _bonferroni,
    "sidak": _sidak,
    "fdr_bh": _benjamini_hochberg,
    "fdr_by": _benjamini_yekutieli,
}


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
    observed = standardized(np.abs(difference[defined]), error)
    order = defined[np.argsort(-observed, kind="stable")]
    statistic = np.sort(observed)[::-1]
    n_resamples = len(null)
    # From the smallest statistic up, so that the running maximum is over what is left.
    running = np.zeros(n_resamples)
    p_values = np.empty(len(order))
    for position in range(len(order) - 1, -1, -1):
        hypothesis = order[position]
        size = standardized(np.abs(null[:, hypothesis]), standard_error[hypothesis])
        # A resample without a value counts as extreme, as in the single tests.
        np.maximum(running, np.where(np.isnan(size), np.inf, size), out=running)
        largest = statistic[position]
        count = n_extreme(running, largest, "greater", scale=largest)
        p_values[position] = resampling_p(count, n_resamples)
    out[order] = np.maximum.accumulate(p_values)
    return out


def max_t_step_down(null: Iterable[FloatArray], observed: FloatArray) -> FloatArray:
    """Step-down adjusted p-values of studentized statistics, from swaps that all share.

    From the largest observed statistic down, each is compared with the largest of those that are
    left, in every swapped data set.

    Of p-values it is given minus the logarithms: the smallest one of those that are left (min-p),
    for tests of different resolution. A class of two samples, whose p-value cannot be small, then
    takes nothing from the others, as it would by Holm's method. The p-values of the swapped data
    sets must be finer than their number times the hypotheses (`significance.exact`).

    Parameters
    ----------
    null : iterable of ndarray of shape (block_size, n_hypotheses)
        Statistics of swapped data sets, block by block; the larger the more extreme (absolute
        ones for a two-sided test). NaN counts as extreme.
    observed : ndarray of shape (n_hypotheses,)
        Those of the data; NaN where there is no hypothesis.

    Returns
    -------
    ndarray of shape (n_hypotheses,)

    References
    ----------
    .. [1] Westfall & Young (1993), Resampling-based multiple testing, algorithms 2.8 and 4.1.

    Examples
    --------
    >>> null = np.array([[0.1, 2.0], [1.5, 0.3], [0.2, 0.4]])
    >>> max_t_step_down([null], np.array([3.0, 0.35]))
    array([0.25, 0.75])
    """
    out = np.full(observed.shape, np.nan)
    defined = np.flatnonzero(~np.isnan(observed))
    rising = defined[np.argsort(observed[defined], kind="stable")]
    statistic = observed[rising]
    size = np.where(np.isfinite(statistic), np.abs(statistic), 1.0)
    tied = statistic - TIE_TOLERANCE * np.maximum(1.0, size)
    count, n_resamples = np.zeros(len(rising)), 0
    for block in null:
        left = block.T[rising]
        left[np.isnan(left)] = np.inf
        # The largest of a hypothesis and of those below it.
        np.maximum.accumulate(left, axis=0, out=left)
        count += (left >= tied[:, None]).sum(axis=1)
        n_resamples += len(block)
    p_values = resampling_p(count, n_resamples)
    out[rising] = np.maximum.accumulate(p_values[::-1])[::-1]
    return out
