"""Differences of numbers of pairs of models."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray, IntArray

Strip = tuple[slice, slice, slice]
"""Consecutive pairs, and slices of their first and second models, one of which is one model."""

# Relative difference that a sum of the same numbers in another order may have.
_ROUNDING = 1e-13


def strips_of(first: IntArray, second: IntArray) -> list[Strip]:
    """Group pairs, by their two models, into strips that share one model.

    The other models of a strip are consecutive, so that all are read without copies.
    """
    if not len(first):
        return []
    along, across = np.diff(first), np.diff(second)
    kind = np.where((along == 0) & (across == 1), 1, np.where((along == 1) & (across == 0), 2, 0))
    before = np.concatenate([kind[:1], kind[:-1]])
    ends = np.flatnonzero((kind == 0) | ((before != 0) & (kind != before))) + 1
    return [
        (
            slice(start, stop),
            slice(int(first[start]), int(first[stop - 1]) + 1),
            slice(int(second[start]), int(second[stop - 1]) + 1),
        )
        for start, stop in pairwise([0, *ends.tolist(), len(first)])
    ]


def differences(strips: Sequence[Strip], numbers: AnyArray) -> AnyArray:
    """Return first minus second model's numbers of each pair, from those of models (n_models, ...).

    Pairs are in the order in which `strips_of` grouped them.
    """
    n_pairs = strips[-1][0].stop if strips else 0
    out = np.empty((n_pairs, *numbers.shape[1:]), dtype=numbers.dtype)
    for pairs, first, second in strips:
        np.subtract(numbers[first], numbers[second], out=out[pairs])
    return out


def difference_of(a: FloatArray, b: FloatArray) -> FloatArray:
    """Compute a - b; exactly 0 where only rounding differs."""
    return np.where(np.abs(a - b) <= _ROUNDING * (np.abs(a) + np.abs(b)), 0.0, a - b)


def pair_differences(values: FloatArray, model_a: IntArray, model_b: IntArray) -> FloatArray:
    """Compute differences a - b of values (n_models, n_values); exactly 0 up to rounding."""
    return difference_of(values[model_a], values[model_b])
