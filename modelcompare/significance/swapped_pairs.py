"""Statistics of pairs of models after swaps, one pair at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from scipy import sparse

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.parallel import map_blocks
from modelcompare.engine.weights import CACHED_NUMBERS, Weights
from modelcompare.significance.swap_statistic import Result, SwapStatistic

# Units that are signed at once.
_PIECE = 2**14


class SignedSums(Protocol):
    """What a swap of some units changes of one pair: each unit's part of some sums has its sign.

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


class SwappedPairs(SwapStatistic, Generic[Pair]):
    """A statistic of pairs of models in one value, from sums that are signed by swaps."""

    @abstractmethod
    def form_pairs(self) -> Sequence[Pair]:
        """What is to be signed, of each pair."""

    @abstractmethod
    def statistics(self, pair: Pair, sums: FloatArray) -> FloatArray:
        """Statistics (n_resamples,) of one pair from signed sums (n_sums, n_resamples)."""

    @cached_property
    def pairs(self) -> Sequence[Pair]:
        """What is to be signed, of each pair, made once."""
        return self.form_pairs()

    def reduced(
        self,
        masks: Weights,
        reduce: Callable[[FloatArray], Result],
        pairs: IntArray,
        n_jobs: int | None,
    ) -> list[Result]:
        chosen = [self.pairs[place] for place in pairs]
        signed = [_pieces(pair.signed, self.evaluation.units.row_blocks()) for pair in chosen]
        # Of few units many blocks are gone through at once.
        step = max(1, CACHED_NUMBERS // (self.evaluation.units.n_units * masks.block_size(0)))

        def some(start: int) -> list[Result]:
            blocks = range(start, min(start + step, masks.n_blocks))
            moved = _moved(signed, masks, blocks)
            columns = [
                self.statistics(pair, pair.sums[:, None] - 2 * each)
                for pair, each in zip(chosen, moved, strict=True)
            ]
            ends = np.cumsum([masks.block_size(block) for block in blocks])[:-1]
            return [reduce(part) for part in np.split(np.stack(columns, axis=1)[:, :, None], ends)]

        found = map_blocks(some, range(0, masks.n_blocks, step), n_jobs)
        return list(chain.from_iterable(found))

    def enumerated(self, pair: int, bits: FloatArray, units: IntArray) -> FloatArray:
        """Statistics (n_swaps, 1) of one pair when these units swap where a bit is 1."""
        found = self.pairs[pair]
        moved = found.signed[:, units] @ bits.T
        return self.statistics(found, found.sums[:, None] - 2 * moved)[:, None]

    @cached_property
    def observed(self) -> FloatArray:
        """Statistics of the data as they are, of shape (n_pairs, 1)."""
        return self.unswapped()

    def unswapped(self) -> FloatArray:
        """Statistics when nothing is swapped, of shape (n_pairs, 1)."""
        return np.array([self.statistics(pair, pair.sums[:, None]) for pair in self.pairs])

    def movable(self, enough: int) -> tuple[IntArray, list[IntArray | None]]:
        multiplicity = self.evaluation.units.counts()
        found = []
        for pair in self.pairs:
            units = np.flatnonzero(abs(pair.signed).sum(axis=0))
            found.append(np.repeat(units, multiplicity[units]))
        count = np.array([[min(len(units), enough)] for units in found], dtype=np.intp)
        return count, [few if len(few) < enough else None for few in found]


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
