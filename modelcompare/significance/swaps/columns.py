"""Numbers of all models and units without redundant columns, and their sums over units that swap.

Among the statistics of a metric and their products many are combinations of others (the product of
a hit and a prediction is the hit, the last probability is 1 less the others): these are detected by
their sums under random weights, and not multiplied by masks. With all columns the default test of
100 models takes 1.4 times as long; without single precision the permutation test takes 1.3 times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from typing import Any

import numpy as np
from scipy import sparse

from modelcompare.arrays import CACHE_BYTES, EXACT_COUNTS, AnyArray, FloatArray, IntArray
from modelcompare.engine.products import SPARSE_BELOW
from modelcompare.significance.swaps.statistic import Swapped

# Sums of all models under random weights of the units, at least, that are compared.
_LEAST_EQUATIONS = 16
# So few columns of a model are compared one by one, more of them block by block.
_FEW_COLUMNS = 200
# Relative size of rounding errors of sums that cancel.
_TOLERANCE = 1e-12
# Coefficients are rounded, so that terms cancel to 0; larger ones would keep rounding errors.
_DECIMALS = 9
_LARGEST = 1e3

Block = Callable[[slice], FloatArray]
"""Numbers (n_rows, n_models, width) of some units."""
Part = tuple[slice, FloatArray]
"""Some units, and their differences from the first model."""


@dataclass(frozen=True)
class ModelColumns:
    """Blocks of numbers of the models' units, as differences from the first model's.

    Parameters
    ----------
    matrices : list of matrices of shape (n_columns, n_units)
        Parts of blocks that are multiplied, dense or sparse.
    parts : list of (int, slice)
        Each part: its block, and its columns of one model.
    sources : list of int
        Places among the parts of those that are multiplied, in the order of the matrices.
    weights : list of dict of int to float
        Each part as a combination of those that are multiplied.
    widths : list of int
        Columns of each block of one model.
    n_models : int
        Number of models.
    """

    matrices: list[Any]
    parts: list[tuple[int, slice]]
    sources: list[int]
    weights: list[dict[int, float]]
    widths: list[int]
    n_models: int

    @classmethod
    def of(
        cls, blocks: Sequence[Block], widths: list[int], n_models: int, counts: IntArray
    ) -> ModelColumns:
        """Arrange blocks (n_units, n_models, width), the first ones preferred to later ones.

        A mask swaps a unit at most as often as the unit is counted.

        Blocks are made when they are needed: all together they may be large.
        """
        parts = _parts(widths)
        of_width = Counter(columns.stop - columns.start for _, columns in parts)
        # Twice as many equations as numbers of one width, which may be combinations.
        n_equations = max(_LEAST_EQUATIONS, 2 * max(of_width.values()))
        n_weights = max(2, -(-n_equations // max(1, n_models - 1)))
        n_units, others = len(counts), n_models - 1
        differences = [
            partial(_differences, *each, n_models, n_units)
            for each in zip(blocks, widths, strict=True)
        ]
        projections = [
            _projection(each(), (n_weights, others, width))
            for each, width in zip(differences, widths, strict=True)
        ]
        weights = _combinations([projections[block][..., columns] for block, columns in parts])
        found: dict[int, Any] = {}
        of_blocks = groupby(sorted({*chain(*weights)}), lambda source: parts[source][0])
        for block, sources in of_blocks:
            shape = others * widths[block], n_units
            numbers = _by_unit(differences[block](), shape, whole=sum(widths) > _FEW_COLUMNS)
            for source in sources:
                columns = parts[source][1]
                if columns.stop - columns.start < widths[block]:
                    some = numbers.reshape(others, -1, n_units)[:, columns]
                    found[source] = _narrow(some.reshape(-1, n_units), counts)
                else:
                    found[source] = _narrow(numbers, counts)
        together = _together(found)
        matrices = []
        for places in together.values():
            each = [found[source] for source in places]
            matrices.append(each[0] if len(each) == 1 else np.concatenate(each))
        order = [*chain(*together.values())]
        return cls(matrices, parts, order, weights, widths, n_models)

    @property
    def n_columns(self) -> int:
        """Columns that a mask is multiplied by."""
        return sum(int(columns.shape[0]) for columns in self.matrices)

    def sums(self, swapped: Swapped) -> list[FloatArray]:
        """Return sums of each block over the units that swap, (n_models, width, n_masks)."""
        others, n_masks = self.n_models - 1, swapped.n_masks
        every = swapped.times_each(self.matrices)
        moved = every[0] if len(every) == 1 else np.concatenate([np.empty((0, n_masks)), *every])
        sizes = [others * (columns.stop - columns.start) for _, columns in self.parts]
        ends = np.cumsum([sizes[source] for source in self.sources])
        # Nothing remains after the last one.
        found = dict(zip(self.sources, np.split(moved, ends), strict=False))
        blocks = [np.zeros((self.n_models, width, n_masks)) for width in self.widths]
        for (block, columns), weights in zip(self.parts, self.weights, strict=True):
            for source, weight in weights.items():
                blocks[block][1:, columns] += weight * found[source].reshape(others, -1, n_masks)
        return blocks


def _projection(parts: Iterable[Part], shape: tuple[int, ...]) -> FloatArray:
    """Return sums of differences, (n_weights, ...), under random weights of the units."""
    generator, out = np.random.default_rng(0), np.zeros(shape)
    for rows, part in parts:
        weights = generator.random((len(out), rows.stop - rows.start))
        out += np.matmul(weights, part.swapaxes(0, 1)).swapaxes(0, 1)
    return out


def _by_unit(parts: Iterable[Part], shape: tuple[int, int], *, whole: bool) -> Any:
    """Return differences (n_columns, n_units) of all units.

    They are sparse if most are 0, and if they are read as a whole.
    """
    pieces: list[Any] = []
    out: FloatArray | None = None
    for rows, part in parts:
        flat = np.moveaxis(part, 0, -1).reshape(-1, len(part))
        few = np.count_nonzero(flat) <= SPARSE_BELOW * flat.size
        if out is None and few and whole:
            pieces.append(sparse.csc_array(flat))
            continue
        if out is None:
            out = np.empty(shape)
            out[:, : rows.start] = sparse.hstack(pieces).toarray() if pieces else 0.0
        out[:, rows] = flat
    return sparse.hstack(pieces).tocsr() if out is None else out


def _differences(block: Block, width: int, n_models: int, n_units: int) -> Iterator[Part]:
    """Yield differences (n_rows, n_models - 1, width) from the numbers of the first model.

    They are of units that nearly stay in cache together: a step has a price for each model.
    """
    step = max(1, CACHE_BYTES // (n_models * width))
    for start in range(0, n_units, step):
        rows = slice(start, min(start + step, n_units))
        numbers = block(rows)
        yield rows, np.asarray(numbers[:, 1:] - numbers[:, :1])


def _parts(widths: Sequence[int]) -> list[tuple[int, slice]]:
    """Return blocks and their columns: single columns if they are few, else whole blocks."""
    if sum(widths) <= _FEW_COLUMNS:
        return [(k, slice(j, j + 1)) for k, width in enumerate(widths) for j in range(width)]
    return [(k, slice(0, width)) for k, width in enumerate(widths)]


def _combinations(projections: Sequence[FloatArray]) -> list[dict[int, float]]:
    """Express each part as a combination of independent parts of its width.

    Parts whose sums agree under random weights of the units agree in every unit.
    """
    out: list[dict[int, float]] = [{} for _ in projections]
    for width in {each.shape[2] for each in projections}:
        same = [place for place, each in enumerate(projections) if each.shape[2] == width]
        sums = np.stack([projections[place].ravel() for place in same], axis=1)
        for place, weights in zip(same, _combinations_of_sums(sums), strict=True):
            out[place] = {same[source]: weight for source, weight in weights.items()}
    return out


def _combinations_of_sums(sums: FloatArray) -> list[dict[int, float]]:
    """Return the weights of the first independent columns that add up to each column."""
    size = np.linalg.norm(sums, axis=0)
    unit = sums / np.where(size > 0, size, 1.0)
    # Residual of each column after projection on those before it.
    rest = np.abs(np.diagonal(np.linalg.qr(unit, mode="r")))
    chosen = np.flatnonzero((size > 0) & (rest > 10 * _TOLERANCE))
    alone = [{place: 1.0} if size[place] else {} for place in range(sums.shape[1])]
    if not len(chosen):
        return alone
    weights = np.linalg.lstsq(unit[:, chosen], sums, rcond=None)[0] / size[chosen, None]
    weights = np.round(weights, _DECIMALS)
    found = sums[:, chosen] @ weights
    scale = np.abs(sums[:, chosen]) @ np.abs(weights) + np.abs(sums)
    valid = (np.abs(found - sums) <= _TOLERANCE * scale).all(axis=0)
    valid &= np.abs(weights).max(axis=0) <= _LARGEST
    valid[chosen] = False
    for place in np.flatnonzero(valid & (size > 0)).tolist():
        column = weights[:, place]
        used = np.flatnonzero(column).tolist()
        alone[place] = {int(chosen[i]): float(column[i]) for i in used}
    return alone


def _together(found: dict[int, Any]) -> dict[object, list[int]]:
    """Return dense columns of one type, which are multiplied together."""
    out: dict[object, list[int]] = {}
    for source, columns in found.items():
        alone = sparse.issparse(columns)
        out.setdefault(source if alone else columns.dtype, []).append(source)
    return out


def _narrow(matrix: Any, counts: IntArray) -> Any:
    """Return columns sparse if most are 0, and in single precision if that is exact."""
    if not sparse.issparse(matrix) and np.count_nonzero(matrix) <= SPARSE_BELOW * matrix.size:
        matrix = sparse.csr_array(matrix)
    if sparse.issparse(matrix):
        exact = _whole(matrix.data, matrix, counts)
    else:
        # The numbers of one unit usually show that they are not whole.
        one = matrix[:, :1]
        exact = _whole(one, one, counts[:1]) and _whole(matrix, matrix, counts)
    return matrix.astype(np.float32) if exact else matrix


def _whole(numbers: AnyArray, matrix: Any, counts: IntArray) -> bool:
    """Return True if a matrix's numbers, and their sums over all samples, are exact counts."""
    if not (numbers == np.rint(numbers)).all():
        return False
    return bool(max((abs(matrix) @ counts).max(initial=0), counts.max(initial=0)) < EXACT_COUNTS)
