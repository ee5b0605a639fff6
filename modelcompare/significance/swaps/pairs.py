"""Statistics of pairs of models after swaps, from sums of each pair's own.

What swaps sign is made once where all pairs' fits into some memory, and else for some pairs after
others, whenever it is needed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from scipy import sparse

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.significance.swaps.statistic import Rows, Swapped, UnitSwaps

# Memory of pairs that are held at once, and pairs whose size tells that of all.
_MOST_BYTES = 2**28
_LOOKED_AT = 8


class SignedSums(Protocol):
    """Sums that a swap of some units changes: each unit's part has the sign of its swap.

    Attributes
    ----------
    signed : matrix of shape (n_sums, n_units)
        What each unit adds.
    sums : ndarray of shape (n_sums,)
        Sums over the samples as they are.
    """

    @property
    def signed(self) -> Any: ...
    @property
    def sums(self) -> FloatArray: ...


Pair = TypeVar("Pair", bound=SignedSums)


class SwappedPairs(UnitSwaps, Generic[Pair]):
    """A statistic of pairs of models in one value, from sums that are signed by swaps."""

    @abstractmethod
    def form_pair(self, place: int) -> Pair:
        """Return the sums of the pair at a place."""

    @abstractmethod
    def statistics(self, pair: Pair, sums: FloatArray) -> FloatArray:
        """Return statistics (n_masks,) of one pair from signed sums (n_sums, n_masks)."""

    def pair(self, place: int) -> Pair:
        """Return the sums of a pair, made once where there is room for all."""
        if place in self._held:
            return self._held[place]
        pair = self.form_pair(place)
        if len(self.model_a) <= self._at_once:
            self._held[place] = pair
        return pair

    def of_pairs(self, pairs: IntArray, swapped: Swapped) -> FloatArray:
        chosen = [self.pair(place) for place in pairs.tolist()]
        moved = swapped.times_each([Rows(pair.signed) for pair in chosen])
        found = [
            self.statistics(pair, pair.sums[:, None] - 2 * sums)
            for pair, sums in zip(chosen, moved, strict=True)
        ]
        return np.stack(found)[:, None]

    def held_together(self, pairs: IntArray) -> Iterator[IntArray]:
        for start in range(0, len(pairs), self._at_once):
            some = pairs[start : start + self._at_once]
            if len(self.model_a) > self._at_once:
                self._held.clear()
                self._held.update((place, self.form_pair(place)) for place in some.tolist())
            yield some

    def movable(self, enough: int) -> tuple[IntArray, list[IntArray | None]]:
        multiplicity, found = self.units.counts(), []
        for pair in map(self.pair, range(len(self.model_a))):
            units = np.flatnonzero(abs(pair.signed).sum(axis=0))
            found.append(np.repeat(units, multiplicity[units])[:enough])
        count = np.array([[len(units)] for units in found], dtype=np.intp)
        return count, [few if len(few) < enough else None for few in found]

    @property
    def n_columns(self) -> int:
        """Columns that a mask is multiplied by, if all pairs are as large as the first."""
        return len(self.model_a) * int(self.pair(0).signed.shape[0])

    @cached_property
    def _held(self) -> dict[int, Pair]:
        return {}

    @cached_property
    def _at_once(self) -> int:
        """Pairs for which there is room, as large as the largest of some."""
        places = np.unique(np.linspace(0, len(self.model_a) - 1, _LOOKED_AT).astype(np.intp))
        some = {place: self.form_pair(place) for place in places.tolist()}
        n_pairs = _MOST_BYTES // max(1, *(_n_bytes(pair.signed) for pair in some.values()))
        if len(self.model_a) <= n_pairs:
            self._held.update(some)
        return max(1, n_pairs)


def _n_bytes(matrix: Any) -> int:
    """Memory that a matrix takes, dense or sparse."""
    if sparse.issparse(matrix):
        return int(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)
    return int(matrix.nbytes)
