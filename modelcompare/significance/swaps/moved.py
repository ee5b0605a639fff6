"""Masks of the units that swap, and the models' sums over these units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.resampling.weights import Weights

# Numbers of masks that stay in the processor's cache once they are wide.
_CACHED_NUMBERS = 2**18


@dataclass(frozen=True)
class Drawn:
    """Masks of some blocks, drawn when they are read."""

    masks: Weights
    blocks: range
    n_units: int

    def each(self) -> Iterator[AnyArray]:
        """Masks (n_masks, n_units) in as few bits as they need, some after others."""
        step = max(1, _CACHED_NUMBERS // (self.masks.block_size(0) * self.n_units))
        for start in range(0, len(self.blocks), step):
            some = [self.masks.narrow(block, 0) for block in self.blocks[start : start + step]]
            yield some[0] if len(some) == 1 else np.concatenate(some)

    @cached_property
    def pieces(self) -> list[AnyArray]:
        """The same masks, kept to be read more than once."""
        return [*self.each()]


@dataclass(frozen=True)
class Given:
    """Masks (n_masks, n_chosen) of chosen units."""

    masks: FloatArray

    def each(self) -> Iterator[FloatArray]:
        """The masks."""
        yield self.masks

    @property
    def pieces(self) -> list[FloatArray]:
        """The masks."""
        return [self.masks]


@dataclass(frozen=True)
class Moved:
    """Sums of the models over the units that swap, less those of the first model.

    Parameters
    ----------
    masks : Drawn or Given
        Units that swap.
    units : slice or ndarray of int
        Units that the masks are of.
    sums : list of ndarray of shape (n_models, width, n_masks)
        Sums of each block of numbers.
    own : ndarray of shape (n_own, n_masks)
        Sums of the columns of pairs.
    in_strata : list of ndarray of shape (n_strata, n_models, width, n_masks)
        Sums of the first blocks in each stratum; empty where there are no strata.
    """

    masks: Drawn | Given
    units: slice | IntArray
    sums: list[FloatArray]
    own: FloatArray
    in_strata: list[FloatArray]

    @property
    def n_masks(self) -> int:
        """Number of swaps."""
        return int(self.sums[0].shape[2])

    def drawn_anew(self) -> Moved:
        """Sums without the masks, which are drawn once more if they are read."""
        assert isinstance(self.masks, Drawn)  # noqa: S101  given masks are not kept
        return replace(self, masks=replace(self.masks))

    def times(self, columns: FloatArray) -> FloatArray:
        """Sums (width, n_masks) over the units that swap of columns (n_units, width)."""
        chosen = columns[self.units].T
        return np.concatenate(
            [chosen @ piece.astype(np.float64, copy=False).T for piece in self.masks.pieces], axis=1
        )
