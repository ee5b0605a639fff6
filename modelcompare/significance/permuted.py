"""How often differences of sum metrics are as extreme as observed, after swaps of all pairs.

With D and B - D the denominators of two models after a swap, and N and T - N their numerators, the
difference of the quotients is ``(N - F D) B / (D (B - D))`` with ``F = T / B``. B and T are the
same after every swap, and what the score N - F D is over hardly varies, since D is near B / 2. So
bounds of D decide all differences but few.
"""

from __future__ import annotations

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.engine.halves import Exchange, Places
from modelcompare.engine.parallel import map_blocks
from modelcompare.engine.swaps import QuotientHalves, SwappedTotals, Swaps
from modelcompare.engine.weights import Weights
from modelcompare.significance.extreme import size_of
from modelcompare.significance.pairwise import PairView
from modelcompare.significance.sieve import SLACK, Scores, Span, count_sieved

# Bounds that leave more open than this share do not pay.
_MOST_OPEN = 0.25


def count_swapped_totals(view: PairView, masks: Weights) -> FloatArray:
    """Swaps of each pair and value that are as extreme, of shape (n_pairs, n_values).

    Metrics that are no sums have none. Each model's totals over the units that move serve all of
    its pairs.
    """
    count = np.zeros((len(view.model_a), len(view.evaluation.keys)))
    for totals in Swaps(view.evaluation, masks).passes(view.n_jobs):

        def count_some(start: int, totals: SwappedTotals = totals) -> IntArray:
            return _count(view, totals, slice(start, start + totals.pairs_at_once))

        starts = range(0, len(view.model_a), totals.pairs_at_once)
        of_a_pair = totals.moved.size / len(view.evaluation.models)
        numbers = 4 * of_a_pair * min(len(view.model_a), totals.pairs_at_once)
        count += np.concatenate(map_blocks(count_some, starts, view.n_jobs, numbers=numbers))
    return count


def _count(view: PairView, totals: SwappedTotals, pairs: slice) -> IntArray:
    there, back = Exchange.both(view.model_a[pairs], view.model_b[pairs])
    found = np.zeros(view.difference[pairs].shape, dtype=np.intp)
    counted: set[str] = set()
    for some in totals.quotients(there, back):
        count = _count_by_bounds(view, some, pairs, there, back)
        if count is not None:
            found[:, some.values] = count
            counted.update(some.names)
    others = [metric for metric in totals.metrics if metric.name not in counted]
    for where, null in totals.differences(there, back, others):
        found[:, where] = view.count_extreme(null, pairs, where)
    return found


def _count_by_bounds(
    view: PairView, quotients: QuotientHalves, pairs: slice, there: Exchange, back: Exchange
) -> IntArray | None:
    """Counts of quotients; None where bounds tell too little."""
    top, bottom = (half.of_both(there) for half in (quotients.top, quotients.bottom))
    scores = Scores.of(quotients.top, quotients.bottom, there, top / bottom, tight=False)
    if scores is None:
        return None
    least = view.least_size(pairs, quotients.values)
    low, high = _edges(least[..., None], scores.bottom, bottom)
    if view.alternative == "two-sided":
        # No size is below 0.
        low, high = (np.where(least[..., None] > 0, edge, -np.inf) for edge in (low, high))

    def is_extreme(places: Places) -> BoolArray:
        exact = quotients.differences_at(there, back, places)
        return ~(size_of(exact, view.alternative) < least[places[:-1]])

    size = size_of(scores.numbers, view.alternative)
    return count_sieved(size, low - scores.error, high + scores.error, is_extreme, most=_MOST_OPEN)


def _edges(least: FloatArray, denominators: Span, bottom: FloatArray) -> Span:
    """Scores below which differences are not of the least size, and from which on they are."""
    low, high = (np.clip(end, 0, bottom) for end in denominators)
    ends = low, high, np.clip(bottom / 2, low, high)
    over = [least * end * (bottom - end) / bottom for end in ends]
    lowest, highest = np.minimum.reduce(over), np.maximum.reduce(over)
    return lowest - SLACK * np.abs(lowest), highest + SLACK * np.abs(highest)
