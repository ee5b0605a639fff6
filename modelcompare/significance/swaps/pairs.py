"""Statistics of pairs of models after swaps, from separate sums of each pair.

The columns of all pairs are kept if they fit into some memory. Otherwise all swaps are drawn for
some pairs at a time: for one pair at a time, macro F1 of 40 models takes 3.2 times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from modelcompare.arrays import PASS_BYTES, FloatArray, IntArray
from modelcompare.engine.joined import JoinedUnits
from modelcompare.metrics.base import AnyMetric
from modelcompare.significance.swaps.statistic import Rows, Swapped, UnitSwaps


@dataclass(frozen=True)
class PairSums:
    """Sums that a swap of some units changes, and the statistics of one pair that they give.

    Parameters
    ----------
    signed : matrix of shape (n_sums, n_units)
        Contribution of each unit, which has the sign of its swap.
    sums : ndarray of shape (n_sums,)
        Observed sums over the samples.
    statistics : callable
        Statistics (n_masks,) from signed sums (n_sums, n_masks).
    """

    signed: Any
    sums: FloatArray
    statistics: Callable[[FloatArray], FloatArray]


class SwappedPairs(UnitSwaps):
    """A statistic of pairs of models in one value, from sums that are signed by swaps.

    Parameters
    ----------
    joined : JoinedUnits
        Units of a test set.
    metric : Metric or OrderMetric
        One of its metrics.
    model_a, model_b : ndarray of int of shape (n_pairs,)
        Positions of the models of each pair.
    form : callable
        Sums of the pair of two models, by their positions.
    """

    def __init__(
        self,
        joined: JoinedUnits,
        metric: AnyMetric,
        model_a: IntArray,
        model_b: IntArray,
        form: Callable[[int, int], PairSums],
    ) -> None:
        super().__init__(joined, model_a, model_b)
        self.metrics, self._form = (metric,), form

    def pair(self, place: int) -> PairSums:
        """Return the sums of a pair, which are kept where there is room."""
        found = self._stored.get(place)
        if found is None:
            found = self._formed(place)
            if len(self._stored) < self._at_once:
                self._stored[place] = found
        return found

    def of_pairs(self, pairs: IntArray, swapped: Swapped) -> FloatArray:
        chosen = [self.pair(place) for place in pairs.tolist()]
        moved = swapped.times_each([Rows(pair.signed) for pair in chosen])
        found = [
            pair.statistics(pair.sums[:, None] - 2 * sums)
            for pair, sums in zip(chosen, moved, strict=True)
        ]
        return np.stack(found)[:, None]

    def pairs_at_once(self, pairs: IntArray) -> Iterator[IntArray]:
        for start in range(0, len(pairs), self._at_once):
            some = pairs[start : start + self._at_once]
            if len(self.model_a) > self._at_once:
                self._stored.clear()
            yield some

    def moving(self, pair: int) -> IntArray:
        units = np.flatnonzero(abs(self.pair(pair).signed).sum(axis=0))
        return np.repeat(units, self.units.counts()[units])

    @property
    def n_columns(self) -> int:
        """Number of columns that a mask is multiplied by, if all pairs are like the first."""
        return len(self.model_a) * int(self.pair(0).signed.shape[0])

    def _formed(self, place: int) -> PairSums:
        return self._form(int(self.model_a[place]), int(self.model_b[place]))

    @cached_property
    def _stored(self) -> dict[int, PairSums]:
        return {}

    @cached_property
    def _at_once(self) -> int:
        """Pairs for which there is room, if all are as large as the first."""
        return max(1, PASS_BYTES // max(1, _n_bytes(self._formed(0).signed)))


def _n_bytes(matrix: Any) -> int:
    """Return the memory of a matrix, dense or sparse."""
    if sparse.issparse(matrix):
        return int(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)
    return int(matrix.nbytes)
