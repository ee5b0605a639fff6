"""Step-down p-values of families of tests, from the joint distribution of their statistics.

Holm's method multiplies the smallest p-value by the number of tests; where that number is large and
p-values cannot be small (few resamples, rare classes), no difference can be significant. Step-down
by the joint distribution of the same resamples, or swaps, uses the correlation of the tests:

- bootstrap resamples, by the largest studentized difference (max-T);
- drawn swaps (`significance.swaps`) likewise;
- exact tests (`significance.exact`) by the smallest p-value (min-p): each swapped data set has
  its own exact p-values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from scipy import sparse

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.labels import Labels
from modelcompare.resampling.draws import RESAMPLE_BLOCK
from modelcompare.resampling.weights import SwapMasks
from modelcompare.significance.exact import Grids
from modelcompare.significance.extreme import (
    n_rising,
    resampling_p,
    rising_order,
    standardized,
)
from modelcompare.significance.swaps.statistic import Asked, SwapStatistic


def step_down(null: Iterable[FloatArray], observed: FloatArray) -> FloatArray:
    """Return p-values adjusted by step-down, from resamples that all hypotheses share.

    From the largest observed statistic down, each is compared with the largest of those that are
    left, in every resample. Correlation between the tests is used instead of assumed away, so this
    rejects at least what Holm's method would on the same resamples.

    For tests of different resolution pass minus the logarithms of p-values (min-p). A class of two
    samples, whose p-value cannot be small, then costs the others no power, as it would by Holm's
    method. The p-values of the swapped data sets must be finer than their number times the
    hypotheses (`significance.exact`).

    Parameters
    ----------
    null : iterable of ndarray of shape (block_size, n_hypotheses)
        Statistics of resamples, block by block; the larger the more extreme
        (absolute ones for a two-sided test). NaN counts as extreme.
    observed : ndarray of shape (n_hypotheses,)
        Statistics of the data; NaN where there is no hypothesis.

    Returns
    -------
    ndarray of shape (n_hypotheses,)

    References
    ----------
    .. [1] Westfall & Young (1993), Resampling-based multiple testing, algorithms 2.8 and 4.1.
    .. [2] Romano & Wolf (2005), Econometrica 73(4), algorithm 4.1.

    Examples
    --------
    >>> null = np.array([[0.1, 2.0], [1.5, 0.3], [0.2, 0.4]])
    >>> step_down([null], np.array([3.0, 0.35]))
    array([0.25, 0.75])
    """
    rising = rising_order(observed)
    count, n_resamples = np.zeros(len(rising[0])), 0
    for block in null:
        count += n_rising(block.T, rising)
        n_resamples += len(block)
    return _stepped(count, n_resamples, rising[0], observed.shape)


def _stepped(
    count: FloatArray | IntArray, n_resamples: int, rising: IntArray, shape: tuple[int, ...]
) -> FloatArray:
    """Return p-values from counts in rising order; NaN where there is no hypothesis."""
    out, p_values = np.full(shape, np.nan), resampling_p(count, n_resamples)
    out.flat[rising] = np.maximum.accumulate(p_values[::-1])[::-1]
    return out


def max_t(null: FloatArray, difference: FloatArray, standard_error: FloatArray) -> FloatArray:
    """Return two-sided step-down p-values of studentized differences, from bootstrap resamples.

    Parameters
    ----------
    null : ndarray of shape (n_resamples, ...)
        Differences centred under the null: replicates minus estimate.
    difference, standard_error : ndarray of shape (...)
        Observed differences of one family, and their errors.

    Returns
    -------
    ndarray of the shape of `difference`
    """
    blocks = (null[i : i + RESAMPLE_BLOCK] for i in range(0, len(null), RESAMPLE_BLOCK))
    sizes = (
        standardized(np.abs(block), standard_error).reshape(len(block), -1) for block in blocks
    )
    observed = standardized(np.abs(difference), standard_error)
    return step_down(sizes, observed.ravel()).reshape(observed.shape)


def step_down_swaps(
    statistic: SwapStatistic, masks: SwapMasks, chosen: slice | IntArray = slice(None)
) -> FloatArray:
    """Return two-sided step-down p-values (n_pairs, n_values) of one metric's drawn swaps.

    All values are hypotheses, or those at the chosen positions.
    """
    observed = _only(np.abs(statistic.observed), chosen)
    rising, pairs = rising_order(observed.ravel()), np.arange(len(observed))
    _, steps = statistic.counts(masks, pairs, Asked(rising=rising))
    return step_down_counted(steps, masks.n_resamples, observed, chosen)


def step_down_counted(
    steps: IntArray, n_swaps: int, observed: FloatArray, chosen: slice | IntArray = slice(None)
) -> FloatArray:
    """Return step-down p-values of the chosen values from counts of swaps and observed sizes."""
    rising, _ = rising_order(observed.ravel())
    return _stepped(steps, n_swaps, rising, observed.shape)[:, chosen]


def step_down_exact(
    grids: Grids, masks: SwapMasks, chosen: slice | IntArray = slice(None)
) -> FloatArray:
    """Return two-sided step-down p-values (n_pairs, n_values) of exact tests.

    All values are hypotheses, or those at the chosen positions.
    """
    observed, null = exact_null(grids, masks)
    asked = _only(observed.reshape(len(grids.pairs[0]), -1), chosen)
    return step_down(null, asked.ravel()).reshape(asked.shape)[:, chosen]


def _only(observed: FloatArray, chosen: slice | IntArray) -> FloatArray:
    """Return observed sizes of the chosen values; NaN for others, which are no hypotheses."""
    out = np.full_like(observed, np.nan)
    out[:, chosen] = observed[:, chosen]
    return out


def exact_null(grids: Grids, masks: SwapMasks) -> tuple[FloatArray, Iterator[FloatArray]]:
    """Look up minus the logarithms of exact p-values of the data and of swapped data sets.

    Of shape (n_hypotheses,), NaN where a model has no value, and of each block of swaps
    (block_size, n_hypotheses).
    """
    # Of logarithms one tolerance for rounding fits small and large p-values.
    table, only_a = -np.log(grids.table()), grids.only_a[..., None]
    marks, (a, b) = _marks(grids.labels, grids.first_class), grids.pairs
    n_models = len(grids.labels.predicted)

    def null() -> Iterator[FloatArray]:
        for mask in masks.blocks():
            moved = (marks @ mask.T).reshape(n_models, -1, 2, len(mask))
            gained = (moved[b] - moved[a]).reshape(-1, 2, len(mask))
            gained += only_a
            yield table[grids.places(gained)].T

    observed = table[grids.places(only_a)][:, 0]
    return np.where(np.isnan(grids.observed), np.nan, observed), null()


def _marks(labels: Labels, first: int) -> sparse.csr_array:
    """Return hits and false alarms of models and classes, (n_models * n_values * 2, n_rows)."""
    predicted, n_values = np.array(labels.predicted), labels.n_classes - first
    model, unit = np.nonzero(predicted >= first)
    named = predicted[model, unit]
    row = (model * n_values + named - first) * 2 + (named != labels.codes[unit])
    shape = (len(predicted) * n_values * 2, labels.n_rows)
    return sparse.csr_array((np.ones(len(row)), (row, unit)), shape=shape)
