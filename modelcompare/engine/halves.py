"""Sums of models over the units that keep their outputs, and over those that swap them.

After a swap of two models' outputs the total of one is what its own outputs add that stay, and the
other's that come in: each model's two halves serve all of its pairs. Numbers lie in the order
(model, class, mask), so that formulas go through all masks of a pair and class at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray, IntArray, SingleArray

Places = tuple[IntArray, ...]
"""Indices of some numbers, one array for each axis."""


@dataclass(frozen=True)
class Exchange:
    """Models whose swapped outputs are replaced by other models'.

    Attributes
    ----------
    stays, comes : ndarray of int of shape (n_pairs,)
        Models whose outputs stay, and models whose outputs come in.
    runs : list of (slice, slice, slice)
        Pairs that follow each other with one of the two models unchanged, and their models: one
        model beside several that follow each other needs no copies of any.
    """

    stays: IntArray
    comes: IntArray
    runs: list[tuple[slice, slice, slice]]

    @classmethod
    def of(cls, stays: IntArray, comes: IntArray) -> Exchange:
        """Find the runs."""
        if not len(stays):
            return cls(stays, comes, [])
        along, across = np.diff(stays), np.diff(comes)
        kind = np.where(
            (along == 0) & (across == 1), 1, np.where((along == 1) & (across == 0), 2, 0)
        )
        before = np.concatenate([kind[:1], kind[:-1]])
        ends = np.flatnonzero((kind == 0) | ((before != 0) & (kind != before))) + 1
        runs = [
            (
                slice(start, stop),
                slice(int(stays[start]), int(stays[stop - 1]) + 1),
                slice(int(comes[start]), int(comes[stop - 1]) + 1),
            )
            for start, stop in pairwise([0, *ends.tolist(), len(stays)])
        ]
        return cls(stays, comes, runs)

    def combined(self, by: np.ufunc, own: AnyArray, other: AnyArray) -> AnyArray:
        """What a function makes of the numbers (n_models, ...) of each pair's two models."""
        out = np.empty((len(self.stays), *own.shape[1:]), dtype=own.dtype)
        for pairs, stays, comes in self.runs:
            by(own[stays], other[comes], out=out[pairs])
        return out

    @classmethod
    def both(cls, model_a: IntArray, model_b: IntArray) -> tuple[Exchange, Exchange]:
        """The first models of pairs after swaps with the second, and the second with the first."""
        return cls.of(model_a, model_b), cls.of(model_b, model_a)


@dataclass(frozen=True)
class Halves:
    """The two sums of each model.

    Parameters
    ----------
    kept, moved : ndarray of shape (n_models, width, n_masks)
        Over the units that keep their outputs, and over those that swap; of one model where they
        are the same for all.
    """

    kept: FloatArray
    moved: FloatArray

    @classmethod
    def of(cls, kept: FloatArray, moved: FloatArray) -> Halves:
        """From sums of shape (n_masks, n_models, width)."""
        return cls(kept.transpose(1, 2, 0), moved.transpose(1, 2, 0))

    @classmethod
    def side_by_side(cls, parts: Sequence[Halves]) -> Halves:
        """Those of one axis of values after another; of all models."""
        n_models = max(len(part.kept) for part in parts)
        return cls(
            *(
                np.concatenate(
                    [np.broadcast_to(each, (n_models, *each.shape[1:])) for each in sums], axis=1
                )
                for sums in ([part.kept for part in parts], [part.moved for part in parts])
            )
        )

    @property
    def shared(self) -> bool:
        """Whether they are the same for all models."""
        return len(self.kept) == 1

    def after(self, swap: Exchange) -> FloatArray:
        """Totals after swaps, of shape (n_pairs or 1, width, n_masks)."""
        return (
            self.kept + self.moved if self.shared else swap.combined(np.add, self.kept, self.moved)
        )

    def at(self, swap: Exchange, places: Places) -> FloatArray:
        """The totals at some places."""
        pair, value, mask = places
        if self.shared:
            return self._total[0, value, 0]
        kept: FloatArray = self.kept[swap.stays[pair], value, mask]
        return kept + self.moved[swap.comes[pair], value, mask]

    def rounded(self, swap: Exchange) -> SingleArray:
        """The totals in single precision."""
        return swap.combined(np.add, *self._single)

    def span(self, swap: Exchange) -> tuple[FloatArray, FloatArray]:
        """Between which the totals are under any mask, each (n_pairs or 1, width, 1)."""
        if self.shared:
            return self._total, self._total
        (kept_low, kept_high), (moved_low, moved_high) = self._ends
        low: FloatArray = kept_low[swap.stays] + moved_low[swap.comes]
        return low, kept_high[swap.stays] + moved_high[swap.comes]

    def size(self, swap: Exchange) -> FloatArray:
        """Largest sizes of the two halves together, (n_pairs or 1, width, 1): they may cancel."""
        kept, moved = (np.maximum(np.abs(low), np.abs(high)) for low, high in self._ends)
        return kept + moved if self.shared else kept[swap.stays] + moved[swap.comes]

    def of_both(self, swap: Exchange) -> FloatArray:
        """Totals of the two models together, (n_pairs or 1, width, 1): the same after any swap."""
        total = self._total
        return 2 * total if self.shared else total[swap.stays] + total[swap.comes]

    @cached_property
    def _total(self) -> FloatArray:
        return np.asarray(self.kept[..., :1] + self.moved[..., :1])

    @cached_property
    def _single(self) -> list[AnyArray]:
        return [np.asarray(part, dtype=np.float32, order="C") for part in (self.kept, self.moved)]

    @cached_property
    def _ends(self) -> list[tuple[FloatArray, FloatArray]]:
        """Smallest and largest of each half under any mask, (n_models, width, 1)."""
        return [
            (part.min(axis=-1, keepdims=True), part.max(axis=-1, keepdims=True))
            for part in (self.kept, self.moved)
        ]


def masks_first(numbers: FloatArray) -> FloatArray:
    """View of numbers (n_pairs, width, n_masks) as (n_masks, n_pairs, width)."""
    return numbers.transpose(2, 0, 1)
