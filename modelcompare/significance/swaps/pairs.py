"""Statistics of pairs of models after swaps, one pair at a time.

What swaps sign is made once where all pairs' fits into some memory, and else for some pairs after
others, whenever it is needed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from scipy import sparse

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.resampling.weights import Weights
from modelcompare.significance.swaps.moved import Drawn
from modelcompare.significance.swaps.statistic import Result
from modelcompare.significance.swaps.sums import UnitSwaps
from modelcompare.words import Alternative

# Memory of pairs that are held at once, and pairs whose size tells that of all.
_MOST_BYTES = 2**28
_LOOKED_AT = 8
# Signed sums of so many pairs that are made in one step.
_MOST_SUMS = 2**14


class SignedSums(Protocol):
    """What a swap of some units changes of one pair: each unit's part of some sums has its sign.

    Attributes
    ----------
    signed : matrix of shape (n_sums, n_units)
        What each unit adds.
    sums : ndarray of shape (n_sums,)
        Sums over the samples as they are.
    n_bytes : int
        Memory that it takes.
    """

    @property
    def signed(self) -> Any: ...
    @property
    def sums(self) -> FloatArray: ...
    @property
    def n_bytes(self) -> int: ...


Pair = TypeVar("Pair", bound=SignedSums)


class SwappedPairs(UnitSwaps, Generic[Pair]):
    """A statistic of pairs of models in one value, from sums that are signed by swaps."""

    @abstractmethod
    def form_pair(self, place: int) -> Pair:
        """Return what is to be signed, of the pair at a place."""

    @abstractmethod
    def statistics(self, pair: Pair, sums: FloatArray) -> FloatArray:
        """Return statistics (n_resamples,) of one pair from signed sums (n_sums, n_resamples)."""

    def pair(self, place: int) -> Pair:
        """Return what is to be signed, made once where there is room for all."""
        held = self._held if len(self.model_a) <= self._at_once else {}
        if place not in held:
            held[place] = self.form_pair(place)
        return held[place]

    def n_extreme(
        self,
        masks: Weights,
        pairs: IntArray,
        alternative: Alternative,
        *,
        n_jobs: int | None = None,
    ) -> IntArray:
        count = super().n_extreme
        return np.concatenate(
            [count(masks, some, alternative, n_jobs=n_jobs) for some in self._groups(pairs)]
        )

    def reduced(
        self,
        masks: Weights,
        reduce: Callable[[FloatArray], Result],
        pairs: IntArray,
        n_jobs: int | None,
    ) -> list[Result]:
        groups = [*self._groups(pairs)]
        if len(groups) == 1:
            return self._reduced(masks, reduce, pairs, n_jobs)
        parts = [self._reduced(masks, lambda found: found, some, n_jobs) for some in groups]
        return [reduce(np.concatenate(block, axis=1)) for block in zip(*parts, strict=True)]

    def _reduced(
        self,
        masks: Weights,
        reduce: Callable[[FloatArray], Result],
        pairs: IntArray,
        n_jobs: int | None,
    ) -> list[Result]:
        chosen = [self.pair(place) for place in pairs.tolist()]
        edges = np.cumsum([0, *(pair.signed.shape[0] for pair in chosen)]).tolist()
        matrices = [pair.signed for pair in chosen]
        # One step instead of many, where the sums of all pairs are few.
        if edges[-1] <= _MOST_SUMS and all(map(sparse.issparse, matrices)):
            matrices = [sparse.vstack(matrices, format="csr")]

        def swapped(drawn: Drawn) -> Result:
            parts = []
            for piece in drawn.each():
                by_unit = piece.T.astype(np.float64, order="C")
                parts.append([matrix @ by_unit for matrix in matrices])
            moved = [np.concatenate(each, axis=1) for each in zip(*parts, strict=True)]
            if len(moved) < len(chosen):
                moved = [moved[0][start:stop] for start, stop in pairwise(edges)]
            columns = [
                self.statistics(pair, pair.sums[:, None] - 2 * each)
                for pair, each in zip(chosen, moved, strict=True)
            ]
            return reduce(np.stack(columns, axis=1)[:, :, None])

        return self.mapped(masks, swapped, edges[-1], n_jobs)

    def enumerated(self, pair: int, bits: FloatArray, units: IntArray) -> FloatArray:
        found = self.pair(pair)
        moved = found.signed[:, units] @ bits.T
        return self.statistics(found, found.sums[:, None] - 2 * moved)[:, None]

    @cached_property
    def observed(self) -> FloatArray:
        """Statistics of the data as they are, of shape (n_pairs, 1)."""
        return self.unswapped()

    def unswapped(self) -> FloatArray:
        """Statistics when nothing is swapped, of shape (n_pairs, 1)."""
        pairs = map(self.pair, range(len(self.model_a)))
        return np.array([self.statistics(pair, pair.sums[:, None]) for pair in pairs])

    def movable(self, enough: int) -> tuple[IntArray, list[IntArray | None]]:
        multiplicity, found = self.units.counts(), []
        for pair in map(self.pair, range(len(self.model_a))):
            units = np.flatnonzero(abs(pair.signed).sum(axis=0))
            found.append(np.repeat(units, multiplicity[units])[:enough])
        count = np.array([[len(units)] for units in found], dtype=np.intp)
        return count, [few if len(few) < enough else None for few in found]

    @cached_property
    def _held(self) -> dict[int, Pair]:
        return {}

    @cached_property
    def _at_once(self) -> int:
        """Pairs for which there is room, as large as the largest of some."""
        places = np.unique(np.linspace(0, len(self.model_a) - 1, _LOOKED_AT).astype(np.intp))
        some = {place: self.form_pair(place) for place in places.tolist()}
        n_pairs = _MOST_BYTES // max(1, *(pair.n_bytes for pair in some.values()))
        if len(self.model_a) <= n_pairs:
            self._held.update(some)
        return max(1, n_pairs)

    def _groups(self, pairs: IntArray) -> Iterator[IntArray]:
        for start in range(0, len(pairs), self._at_once):
            yield pairs[start : start + self._at_once]


def matrix_bytes(matrix: Any) -> int:
    """Memory that a matrix takes, dense or sparse."""
    if sparse.issparse(matrix):
        return int(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)
    return int(matrix.nbytes)
