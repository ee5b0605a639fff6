"""Numbers of pairs of models, computed from numbers of single models."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from modelcompare.arrays import AnyArray, IntArray


@dataclass(frozen=True)
class Exchange:
    """Pairs of models, arranged so that neighbouring pairs share a model.

    Attributes
    ----------
    stays, comes : ndarray of int of shape (n_pairs,)
        First and second model of each pair: outputs that stay, and outputs that replace them.
    runs : list of (slice, slice, slice)
        Consecutive pairs with one model in common, and slices of their two models: one model and
        several consecutive others are combined without copies.
    """

    stays: IntArray
    comes: IntArray
    runs: list[tuple[slice, slice, slice]]

    @classmethod
    def of(cls, stays: IntArray, comes: IntArray) -> Exchange:
        """Return the pairs with their runs."""
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
        """Apply a function to the numbers (n_models, ...) of each pair's two models."""
        out = np.empty((len(self.stays), *own.shape[1:]), dtype=own.dtype)
        for pairs, stays, comes in self.runs:
            by(own[stays], other[comes], out=out[pairs])
        return out
