"""Step-down p-values of families of tests, from the joint distribution of their statistics.

Holm's method multiplies the smallest p-value by the number of tests; where that number is large and
p-values cannot be small (few resamples, rare classes), no difference can be significant. Step-down
by the joint distribution of the same resamples, or swaps, uses the correlation of the tests:

- bootstrap resamples, by the largest studentized difference (max-T);
- drawn swaps (`significance.swaps`) likewise; values whose p-values need no draws may enter with
  these (`Steps`);
- exact tests (`significance.exact`) by the smallest p-value (min-p): each swapped data set has
  its own exact p-values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import ndtr, ndtri

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.labels import Labels
from modelcompare.resampling.draws import RESAMPLE_BLOCK
from modelcompare.resampling.weights import SwapMasks
from modelcompare.significance.exact import Grids
from modelcompare.significance.extreme import (
    Rising,
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
    out, p_values = np.full(observed.shape, np.nan), resampling_p(count, n_resamples)
    out[rising[0]] = np.maximum.accumulate(p_values[::-1])[::-1]
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


class Steps(NamedTuple):
    """Steps of a family of which some p-values are known and swaps are drawn for the others.

    A known p-value enters as the normal deviate z with that p-value. If all hypotheses of a set are
    true, the largest of their |t| and z is at least c with a probability of at most the share of
    swaps with any |t| as large, and the normal p-value of c for each known one (Bonferroni's
    bound). This bound falls with c and rises with the set, so that steps from the largest on have
    the family's error (Marcus, Peritz and Gabriel 1976). It is Holm's method where all are known,
    and `step_down` where none is. Known values count as long as their p-values can be as small.

    Parameters
    ----------
    sizes : ndarray of shape (n_pairs, n_values)
        |t|, or z; NaN where there is no hypothesis.
    p_value, floor : ndarray of shape (n_pairs, n_values)
        Known p-values, and the smallest possible ones; NaN where swaps are drawn.
    """

    sizes: FloatArray
    p_value: FloatArray
    floor: FloatArray

    @classmethod
    def of(
        cls, t: FloatArray, p_value: FloatArray, floor: FloatArray,
        chosen: slice | IntArray = slice(None),
    ) -> Steps:  # fmt: skip
        """Order statistics and known p-values, each (n_pairs, n_values)."""
        known = ~np.isnan(p_value) & ~np.isnan(t)
        sizes = np.where(known, -ndtri(np.where(known, p_value, 1.0) / 2), np.abs(t))
        return cls(_only(sizes, chosen), *(np.where(known, x, np.nan) for x in (p_value, floor)))

    @property
    def pairs(self) -> IntArray:
        """Pairs of which swaps are drawn."""
        return np.flatnonzero((np.isnan(self.p_value) & ~np.isnan(self.sizes)).any(axis=1))

    @property
    def rising(self) -> Rising:
        """Steps to count, among the values of `pairs`: each at the next drawn one below."""
        order, least = rising_order(self.sizes.ravel())
        last = self._last_drawn(order)
        pair, value = np.unravel_index(order[last[last >= 0]], self.sizes.shape)
        place = np.searchsorted(self.pairs, pair) * self.sizes.shape[1] + value
        return place, least[last >= 0]

    def adjusted(
        self, counts: IntArray, n_swaps: int, chosen: slice | IntArray = slice(None)
    ) -> FloatArray:
        """Return p-values of the chosen values from counts of the steps in `rising`."""
        order, _ = rising_order(self.sizes.ravel())
        p, floor = self.p_value.ravel()[order], self.floor.ravel()[order]
        known, drawn = ~np.isnan(p), self._last_drawn(order) >= 0
        p = np.where(known, p, 2 * ndtr(-self.sizes.ravel()[order]))
        # A known value counts from its own step up to the last one that it can reach.
        end = np.searchsorted(-p, -floor[known], side="right")
        end = np.maximum(end, np.flatnonzero(known) + 1)
        n_known = np.cumsum(known) - np.cumsum(np.bincount(end, minlength=len(p) + 1))[: len(p)]
        bound = n_known * p
        bound[drawn] += resampling_p(counts, n_swaps)
        out = np.full(self.sizes.shape, np.nan)
        out.flat[order] = np.minimum(np.maximum.accumulate(bound[::-1])[::-1], 1.0)
        return out[:, chosen]

    def _last_drawn(self, order: IntArray) -> IntArray:
        """Return for each step the last one up to it whose swaps are drawn; -1 without."""
        is_drawn = np.isnan(self.p_value.ravel()[order])
        return np.asarray(np.maximum.accumulate(np.where(is_drawn, np.arange(len(order)), -1)))


def step_down_swaps(
    statistic: SwapStatistic, masks: SwapMasks, chosen: slice | IntArray = slice(None),
    known: tuple[FloatArray, FloatArray] | None = None,
) -> FloatArray:  # fmt: skip
    """Return two-sided step-down p-values (n_pairs, n_values) of one metric's drawn swaps.

    All values are hypotheses, or those at the chosen positions. Swaps are drawn of all, or of those
    without `known` p-values, which come with the smallest possible ones.
    """
    t, nothing = statistic.observed, np.full(statistic.observed.shape, np.nan)
    p_value, floor = known or (nothing, nothing)
    steps = Steps.of(t, p_value, floor, chosen)
    _, counts = statistic.counts(masks, steps.pairs, Asked(rising=steps.rising))
    return steps.adjusted(counts, masks.n_resamples, chosen)


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
