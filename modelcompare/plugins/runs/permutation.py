"""Permutation test of whole runs: two training procedures on the same items.

Under the null the runs of both procedures are exchangeable on these items, which are fixed. With
separate runs every assignment of all runs to the procedures is then equally likely; with shared
ones (the same seeds) the two runs of each seed may be exchanged. The statistic is the difference of
the means over runs of the metric itself. That of separate runs is divided by its standard error
between runs (Welch's t), which changes nothing for equal numbers of runs. For three runs against
ten that vary half as much, the plain difference rejects 0.17 of equal procedures instead of 0.05,
and the quotient 0.09.

Few runs have few exchanges: C(6, 3) = 20 of three against three, so that no two-sided p-value is
below 0.1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.data.sizes import run_counts
from modelcompare.data.test_set import TestSet
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.plugins.runs.declared import RUN_TEST, share_runs
from modelcompare.plugins.runs.evaluations import evaluations_of_runs
from modelcompare.resampling.draws import deals
from modelcompare.resampling.weights import SwapMasks, Units
from modelcompare.significance.extreme import as_extreme, resampling_p, standardized
from modelcompare.significance.pairwise import Outcome, PairTest, PairView
from modelcompare.words import Alternative
from modelcompare.works import CHUNG, JANSSEN, PHIPSON

# Differences, and squared standard errors, that are rounding: shares of the largest deviation.
_ROUNDING = 1e-10


def run_permutation(view: PairView) -> Outcome:
    """Exchange whole runs between two procedures, in all ways or at random.

    References
    ----------
    .. [1] Janssen (1997), Statistics & Probability Letters 36, 9-21.
    .. [2] Chung & Romano (2013), Annals of Statistics 41, 484-507.
    """
    predictions, n_resamples = view.evaluation.predictions, view.n_resamples
    values = [_values_of_runs(view.evaluation, model) for model in predictions.models]
    ways, floors = ways_and_floors(predictions, view.pairs, n_resamples, view.alternative)
    statistic, p_value = np.empty((2, *view.estimate.shape))
    for pair, (a, b) in enumerate(zip(*view.pairs, strict=True)):
        shared, exact = share_runs(predictions, a, b), bool(ways[pair] <= n_resamples)
        both, n_a = np.concatenate([values[a], values[b]], axis=1), values[a].shape[1]
        both -= both.mean(axis=1, keepdims=True)
        observed = _statistic(both, np.arange(both.shape[1])[None] < n_a, shared=shared)
        count = sum(
            as_extreme(_statistic(both, first, shared=shared), observed, view.alternative).sum(1)
            for first in _exchanges(view, n_a, both.shape[1], shared=shared, exact=exact)
        )
        statistic[pair] = observed[:, 0]
        p_value[pair] = resampling_p(count, int(min(ways[pair], n_resamples)), exact=exact)
    p_value[np.isnan(view.estimate)] = np.nan
    n_drawn, exact = int(min(ways.max(), n_resamples)), bool(ways.max() <= n_resamples)
    return Outcome(statistic, p_value, n_drawn, exact, floors[:, None] + np.zeros(p_value.shape))


def ways_and_floors(
    predictions: TestSet, pairs: Pairs, n_resamples: int, alternative: Alternative
) -> tuple[FloatArray, FloatArray]:
    """Return the ways to exchange the runs of each pair, and the smallest possible p-values.

    Both have the shape (n_pairs,). With equal numbers of runs each way has a mirror image, which is
    as extreme on both sides.
    """
    n, found = run_counts(predictions), []
    for a, b in zip(*pairs, strict=True):
        ways = 2 ** n[a] if share_runs(predictions, a, b) else math.comb(n[a] + n[b], n[a])
        least = (1 + (alternative == "two-sided" and n[a] == n[b])) / ways
        found.append([ways, least if ways <= n_resamples else 1 / (1 + n_resamples)])
    ways_of, floors = np.array(found, dtype=np.float64).T
    return ways_of, floors


def note(predictions: TestSet, pairs: Pairs, n_resamples: int, alternative: Alternative) -> str:
    """Return a sentence about the null hypothesis and the smallest possible p-value."""
    ways, floors = ways_and_floors(predictions, pairs, n_resamples, alternative)
    number = " to ".join(dict.fromkeys(f"{n:,.0f}" for n in (ways.min(), ways.max())))
    return (
        "Whole runs are exchanged between two procedures, and the items are fixed: there are "
        f"{number} ways, so no p-value can be below {floors.min():.2g}."
    )


def _values_of_runs(evaluation: Evaluation, model: str) -> FloatArray:
    """Compute the values of a model in each of its runs, (n_values, n_runs)."""
    runs = evaluations_of_runs(evaluation.predictions, evaluation.metrics, [model])
    return np.stack([run.estimate()[0] for run in runs], axis=-1)


def _exchanges(
    view: PairView, n_a: int, n_runs: int, *, shared: bool, exact: bool
) -> Iterable[FloatArray]:
    """Yield masks of the runs that become those of the first procedure, (block_size, n_runs)."""
    if shared:
        every, n = (np.arange(n_a), 2**n_a) if exact else (None, view.n_resamples)
        swaps = SwapMasks(Units(n_a), n, view.seed, every)
        return (np.hstack([1 - swap, swap]) for swap in swaps.blocks())
    if not exact:
        return deals(n_runs, n_a, view.n_resamples, view.seed)
    hands = np.array([*combinations(range(n_runs), n_a)])
    return [(hands[:, :, None] == np.arange(n_runs)).any(axis=1)]


def _statistic(values: FloatArray, first: FloatArray, *, shared: bool) -> FloatArray:
    """Return statistics (n_values, n_ways) where `first` are the runs of the first procedure."""
    size = _ROUNDING * np.abs(values).max(axis=1, keepdims=True)
    means, squares = [], []
    for side in (first.astype(np.float64), 1.0 - first):
        n = side[0].sum()
        means.append(values @ side.T / n)
        squares.append((values**2 @ side.T / n - means[-1] ** 2) / (n - 1))
    difference, square = means[0] - means[1], squares[0] + squares[1]
    difference[np.abs(difference) <= size] = 0.0
    square[square <= size * np.abs(values).max(axis=1, keepdims=True)] = 0.0
    return difference if shared else standardized(difference, np.sqrt(square))


_PHRASE = (
    "the permutation test of whole runs, with the items fixed (all ways to exchange the runs of "
    "two models, or {n} random ones where there are more; separate runs studentized)",
    (JANSSEN, CHUNG, PHIPSON),
)
_FEW_WAYS = (
    "there are too few ways to exchange runs for so many tests. Use test='wald' (--test wald), the "
    "default for new runs, or add runs."
)
TESTS = (
    PairTest(
        RUN_TEST, run_permutation, "declared runs", reads="rows", phrase=_PHRASE,
        few_ways=_FEW_WAYS, note=note,
    ),
)  # fmt: skip
