"""Statistics of pairs of models after swaps, one pair at a time.

What swaps sign is made once where all pairs' fits into some memory, and else for some pairs after
others, whenever it is needed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from scipy import sparse

from modelcompare.arrays import CACHE_BYTES, FloatArray, IntArray
from modelcompare.engine.parallel import map_blocks, work
from modelcompare.engine.weights import Weights
from modelcompare.significance.swap_statistic import Result, SwapStatistic
from modelcompare.words import Alternative

# Units that are signed at once.
_PIECE = 2**14
# Signed sums of so many resamples and pairs that a step over them is worth its call.
_MOST_SUMS = 2**21
# What may be held of pairs, to be signed.
_MOST_BYTES = 2**28
# Pairs whose size tells that of all.
_LOOKED_AT = 8


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


class SwappedPairs(SwapStatistic, Generic[Pair]):
    """A statistic of pairs of models in one value, from sums that are signed by swaps."""

    @abstractmethod
    def form_pair(self, place: int) -> Pair:
        """What is to be signed, of the pair at a place."""

    @abstractmethod
    def statistics(self, pair: Pair, sums: FloatArray) -> FloatArray:
        """Statistics (n_resamples,) of one pair from signed sums (n_sums, n_resamples)."""

    def pair(self, place: int) -> Pair:
        """The same, made once where there is room for all."""
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
        edges = np.cumsum([pair.signed.shape[0] for pair in chosen])
        n_rows = int(edges[-1])
        at_once, step = self._blocks_at_once(masks, n_rows)
        matrices = [pair.signed for pair in chosen]
        # One step instead of many, where the sums of all pairs are few.
        one = n_rows * masks.block_size(0) <= _MOST_SUMS and all(map(sparse.issparse, matrices))
        row_blocks = self.evaluation.units.row_blocks()
        together = [sparse.vstack(matrices, format="csr")] if one else matrices
        signed = [_pieces(each, row_blocks) for each in together]

        def some(start: int) -> list[Result]:
            blocks = range(start, min(start + step, masks.n_blocks))
            parts = [
                _moved(signed, masks, blocks[first : first + at_once])
                for first in range(0, len(blocks), at_once)
            ]
            moved = [_side_by_side(each) for each in zip(*parts, strict=True)]
            of_pairs = np.split(moved[0], edges[:-1]) if one else moved
            columns = [
                self.statistics(pair, pair.sums[:, None] - 2 * each)
                for pair, each in zip(chosen, of_pairs, strict=True)
            ]
            ends = np.cumsum([masks.block_size(block) for block in blocks])[:-1]
            return [reduce(part) for part in np.split(np.stack(columns, axis=1)[:, :, None], ends)]

        n_masks, units = step * masks.block_size(0), self.evaluation.units
        # Masks are drawn, and made wide.
        numbers = work(2 * n_masks * units.n_units, n_rows, alike=units.multiplicity is None)
        found = map_blocks(some, range(0, masks.n_blocks, step), n_jobs, numbers=numbers)
        return list(chain.from_iterable(found))

    def _blocks_at_once(self, masks: Weights, n_rows: int) -> tuple[int, int]:
        """Blocks whose masks are multiplied at once, and blocks whose sums are gone through so.

        Of few units or sums these are many; eight tasks are left for threads.
        """
        at_once = max(1, CACHE_BYTES // (8 * self.evaluation.units.n_units * masks.block_size(0)))
        room = _MOST_SUMS // (max(1, n_rows) * masks.block_size(0) * at_once)
        return at_once, at_once * int(np.clip(masks.n_blocks // (8 * at_once), 1, max(1, room)))

    def enumerated(self, pair: int, bits: FloatArray, units: IntArray) -> FloatArray:
        """Statistics (n_swaps, 1) of one pair when these units swap where a bit is 1."""
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
        multiplicity = self.evaluation.units.counts()
        found = []
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


def _side_by_side(parts: Sequence[FloatArray]) -> FloatArray:
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _pieces(signed: Any, row_blocks: Sequence[slice]) -> list[list[Any]]:
    """Columns of a matrix, some of each row block after others."""
    if len(row_blocks) == 1 and signed.shape[1] <= _PIECE:
        return [[signed]]
    columns = signed.tocsc() if sparse.issparse(signed) else signed
    ends = [[*range(rows.start, rows.stop, _PIECE), rows.stop] for rows in row_blocks]
    return [[columns[:, start:stop] for start, stop in pairwise(each)] for each in ends]


def _moved(
    signed: Sequence[list[list[Any]]], masks: Weights, blocks: Sequence[int]
) -> list[FloatArray]:
    """Sums (n_sums, n_resamples) of each pair over the units that swap."""
    moved: list[Any] = [0.0] * len(signed)
    for place in range(len(signed[0])):
        drawn = [masks.narrow(block, place) for block in blocks]
        together = (drawn[0] if len(drawn) == 1 else np.concatenate(drawn)).T
        # All at once as floats, the masks of a large test set would not fit in the cache.
        for piece, start in enumerate(range(0, len(together), _PIECE)):
            swapped = together[start : start + _PIECE].astype(np.float64, order="C")
            for number, parts in enumerate(signed):
                moved[number] = moved[number] + parts[place][piece] @ swapped
    return moved
