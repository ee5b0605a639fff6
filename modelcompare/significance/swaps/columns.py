"""Numbers of all models and units, as few as tell the others, and their sums under masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.engine.sparse_columns import SPARSE_BELOW

# Random weights of the units under which sums are compared, of two models and of many, and rows
# that are weighted at once.
_N_WEIGHTS = 64, 16
_ROWS = 2**13
# So few columns of a model are compared one by one, more of them block by block.
_FEW_COLUMNS = 64
# Relative size of what rounding leaves of sums that cancel.
_TOLERANCE = 1e-12
# Coefficients are rounded, so that what cancels is 0; of larger ones rounding would leave noise.
_DECIMALS = 9
_LARGEST = 1e3
# Sums of so many quarters are exact in single precision.
_MOST_QUARTERS = 2.0**24


@dataclass(frozen=True)
class ModelColumns:
    """Blocks of numbers of the models' units, as differences from the first model's.

    Parameters
    ----------
    matrices : list of matrix of shape (n_units, n_columns)
        Parts of blocks that are multiplied, one after the other: the dense ones together, with
        columns of pairs at their end, and others sparse.
    parts : list of (int, slice)
        Each part: its block, and its columns of one model.
    sources : list of int
        Places among the parts of those that are multiplied.
    weights : list of dict of int to float
        Each part as a combination of those that are multiplied.
    widths : list of int
        Columns of each block of one model.
    n_models, n_own : int
        Number of models, and of columns of pairs.
    counted : bool
        True where single precision sums them exactly.
    """

    matrices: list[Any]
    parts: list[tuple[int, slice]]
    sources: list[int]
    weights: list[dict[int, float]]
    widths: list[int]
    n_models: int
    n_own: int
    counted: bool

    @classmethod
    def of(cls, blocks: Sequence[Callable[[], FloatArray]], own: FloatArray) -> ModelColumns:
        """Arrange blocks (n_units, n_models, width), the first ones preferred to later ones.

        Blocks are made when they are needed: all together they may be large. `own` (n_units, n_own)
        are columns that belong to no model.
        """
        sketches = [_sketch(_unlike(make())) for make in blocks]
        widths = [sketch.shape[2] for sketch in sketches]
        parts = _parts(widths)
        weights = _combinations([sketches[block][..., columns] for block, columns in parts])
        sources = sorted({source for each in weights for source in each})
        found = {}
        for source in sources:
            block, columns = parts[source]
            found[source] = _narrow(_unlike(blocks[block]()[..., columns]))
        sources.sort(key=lambda source: sparse.issparse(found[source][0]))
        dense = [found[source][0].T for source in sources if not sparse.issparse(found[source][0])]
        matrices = [found[source][0] for source in sources[len(dense) :]]
        if dense or own.shape[1]:
            matrices.insert(0, np.concatenate([*dense, own.T]).T)
        counted = own.shape[1] == 0 and all(exact for _, exact in found.values())
        if counted:
            matrices = [matrix.astype(np.float32) for matrix in matrices]
        n_models = sketches[0].shape[1] + 1
        return cls(matrices, parts, sources, weights, widths, n_models, own.shape[1], counted)

    @property
    def n_columns(self) -> int:
        """Columns that a mask is multiplied by."""
        return sum(int(matrix.shape[1]) for matrix in self.matrices)

    def sums(
        self, masks: AnyArray, units: slice | IntArray = slice(None)
    ) -> tuple[list[FloatArray], FloatArray]:
        """Sums over the units that swap.

        Returns
        -------
        blocks : list of ndarray of shape (n_models, width, n_masks)
        own : ndarray of shape (n_own, n_masks)
        """
        wide = masks.astype(np.float32 if self.counted else np.float64, copy=False).T
        every = [matrix[units].T @ wide for matrix in self.matrices]
        others, n_masks, n_dense = self.n_models - 1, len(masks), len(every[0]) if every else 0
        own = every[0][n_dense - self.n_own :] if self.n_own else np.empty((0, n_masks))
        if self.n_own:
            every[0] = every[0][: n_dense - self.n_own]
        moved = every[0] if len(every) == 1 else np.concatenate([np.empty((0, n_masks)), *every])
        found, first = {}, 0
        for source in self.sources:
            columns = self.parts[source][1]
            last = first + others * (columns.stop - columns.start)
            found[source], first = moved[first:last].reshape(others, -1, n_masks), last
        blocks = [np.zeros((self.n_models, width, n_masks)) for width in self.widths]
        for (block, columns), weights in zip(self.parts, self.weights, strict=True):
            for source, weight in weights.items():
                blocks[block][1:, columns] += weight * found[source]
        return blocks, own


def _unlike(block: FloatArray) -> FloatArray:
    """Differences from the first model's numbers, (n_units, n_models - 1, width)."""
    return np.asarray(block[:, 1:] - block[:, :1])


def _parts(widths: Sequence[int]) -> list[tuple[int, slice]]:
    """Blocks, and their columns: one after the other if they are few, else all alike."""
    if sum(widths) <= _FEW_COLUMNS:
        return [(k, slice(j, j + 1)) for k, width in enumerate(widths) for j in range(width)]
    return [(k, slice(0, width)) for k, width in enumerate(widths)]


def _sketch(block: FloatArray) -> FloatArray:
    """Sums (n_weights, n_models, width) under random weights of the units."""
    n_units = len(block)
    generator = np.random.default_rng(0)
    n_weights = max(_N_WEIGHTS[1], _N_WEIGHTS[0] // block.shape[1])
    out = np.zeros((n_weights, *block.shape[1:]))
    for start in range(0, n_units, _ROWS):
        rows = block[start : start + _ROWS]
        weights = generator.random((n_weights, len(rows)))
        out += (weights @ rows.reshape(len(rows), -1)).reshape(out.shape)
    return out


def _combinations(sketches: Sequence[FloatArray]) -> list[dict[int, float]]:
    """Each block as a combination of blocks of its width that are no combination themselves.

    Blocks whose sums agree under random weights of the units agree in every unit.
    """
    out = [{place: 1.0} for place in range(len(sketches))]
    for width in {sketch.shape[2] for sketch in sketches}:
        same = [place for place, sketch in enumerate(sketches) if sketch.shape[2] == width]
        sums = np.stack([sketches[place].ravel() for place in same], axis=1)
        # As many numbers as equations solve anything.
        if len(sums) < 2 * len(same):
            continue
        for place, weights in zip(same, _combinations_of_sums(sums), strict=True):
            out[place] = {same[source]: weight for source, weight in weights.items()}
    return out


def _combinations_of_sums(sums: FloatArray) -> list[dict[int, float]]:
    """Weights of the first columns that are independent which add up to each column."""
    n_columns = sums.shape[1]
    alone = [{place: 1.0} for place in range(n_columns)]
    scale = np.abs(sums).max(axis=0)
    live = np.flatnonzero(scale)
    unit = np.empty((len(sums), 0))
    chosen: list[int] = []
    for place in live.tolist():
        left = sums[:, place] / scale[place]
        size = float(np.linalg.norm(left))
        for _ in range(2):
            left = left - unit @ (unit.T @ left)
        rest = float(np.linalg.norm(left))
        if rest > _TOLERANCE * 10 * size:
            chosen.append(place)
            unit = np.column_stack([unit, left / rest])
    if not chosen:
        return [{}] * n_columns
    design = sums[:, chosen] / scale[chosen]
    weights = np.linalg.lstsq(design, sums, rcond=None)[0] / scale[chosen, None]
    weights = np.round(weights, _DECIMALS)
    found = sums[:, chosen] @ weights
    size = np.abs(sums[:, chosen]) @ np.abs(weights) + np.abs(sums)
    holds = (np.abs(found - sums) <= _TOLERANCE * size).all(axis=0)
    holds &= np.abs(weights).max(axis=0, initial=0.0) <= _LARGEST
    for place in range(n_columns):
        if holds[place] and place not in chosen:
            column = weights[:, place]
            alone[place] = {chosen[i]: float(column[i]) for i in np.flatnonzero(column)}
    return alone


def _narrow(block: FloatArray) -> tuple[Any, bool]:
    """Matrix (n_units, n_columns), sparse if many numbers are 0; True if it is counted exactly."""
    matrix = block.reshape(len(block), -1)
    quarters = 4 * matrix
    counted = bool(np.abs(quarters).sum(axis=0).max(initial=0.0) < _MOST_QUARTERS)
    counted = counted and np.array_equal(quarters, np.rint(quarters))
    if np.count_nonzero(matrix) <= SPARSE_BELOW * matrix.size:
        return sparse.csr_array(matrix), counted
    return matrix, counted
