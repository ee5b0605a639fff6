"""Masks of the units that swap, and the models' sums over these units."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.engine.weights import Weights


@dataclass(frozen=True)
class Drawn:
    """Masks (n_masks, n_units) of some blocks, drawn when they are read."""

    masks: Weights
    blocks: range

    @cached_property
    def narrow(self) -> AnyArray:
        """The masks in as few bits as they need."""
        each = [self.masks.narrow(block, 0) for block in self.blocks]
        return each[0] if len(each) == 1 else np.concatenate(each)

    @cached_property
    def wide(self) -> FloatArray:
        """The masks as floats."""
        return self.narrow.astype(np.float64)

    @cached_property
    def single(self) -> AnyArray:
        """The masks in single precision."""
        return self.narrow.astype(np.float32)


@dataclass(frozen=True)
class Given:
    """Masks (n_masks, n_chosen) of chosen units."""

    narrow: FloatArray

    @property
    def wide(self) -> FloatArray:
        """The masks."""
        return self.narrow

    @property
    def single(self) -> FloatArray:
        """The masks."""
        return self.narrow


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
        return replace(self, masks=Drawn(self.masks.masks, self.masks.blocks))

    def times(self, columns: FloatArray) -> FloatArray:
        """Sums (width, n_masks) over the units that swap of columns (n_units, width)."""
        found: FloatArray = columns[self.units].T @ self.masks.wide.T
        return found
