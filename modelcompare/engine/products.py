"""Products of weights and statistics, without zeros, and in single precision for indicators.

With samples sorted by class, the hits of a class are the sums over its own rows of the indicators
that it was predicted, and are computed in that product. Indicators of 0 and 1 are counted exactly
in single precision, at twice the speed, as long as counts are below 2^24. Statistics that are 0 for
most units are sparse columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from modelcompare.arrays import CACHE_BYTES, EXACT_COUNTS, AnyArray, FloatArray, IntArray
from modelcompare.engine.axis import Column
from modelcompare.metrics.base import Statistic

# With fewer samples in a class, products are too small to be computed by class.
_FEWEST_OF_A_CLASS = 16
# Share of non-zero numbers below which sparse products are faster and smaller.
SPARSE_BELOW = 1 / 16


class Product:
    """Statistics of units, filled in by model, and their sums under weights.

    Parameters
    ----------
    columns : sequence of Column
        The statistics.
    n_units : int
        Number of units.
    codes : ndarray of int of shape (n_units,), optional
        Class of each unit, if it has one.
    n_classes : int
        Number of classes.
    counted : bool
        Whether indicators are 0 and 1: no weights, no soft labels.

    Attributes
    ----------
    columns : list of Column
        The statistics to be filled in; the others follow from them.
    n_columns : int
        Number of columns that a row is multiplied by.
    """

    def __init__(
        self, columns: Sequence[Column], n_units: int, codes: IntArray | None, n_classes: int,
        *, counted: bool,
    ) -> None:  # fmt: skip
        self.n_columns = max((column.stop for column in columns), default=0)
        self._n_units = n_units
        # Numbers (n_columns, n_rows) of some rows, and the totals to which their sums are added;
        # for members of a class, also the columns of that class, and the totals that these set.
        self._pieces: list[tuple[slice, AnyArray, IntArray, slice, IntArray]] = []
        self._places: dict[Statistic, tuple[AnyArray, int]] = {}
        self._order: IntArray | None = None
        present, classes = {column.statistic for column in columns}, list[slice]()
        members = {c.statistic.members_of: c for c in columns if c.statistic.members_of in present}
        if members and codes is not None and n_units >= _FEWEST_OF_A_CLASS * n_classes:
            self._order = np.argsort(codes, kind="stable")
            ends = np.cumsum(np.bincount(codes, minlength=n_classes)).tolist()
            classes = [slice(*both) for both in pairwise([0, *ends])]
        else:
            members = {}
        self.columns = [c for c in columns if c not in members.values()]
        for counts in (False, True):
            chosen = [c for c in self.columns if (counted and c.statistic.indicator) == counts]
            plain = [c for c in chosen if c.statistic not in members]
            wholes = [c for c in chosen if c.statistic in members]
            dtype = np.float32 if counts else np.float64
            self._add(plain, [], [slice(0, n_units)], dtype)
            self._add(wholes, [members[c.statistic] for c in wholes], classes, dtype)

    def fill(self, column: Column, position: int, numbers: FloatArray) -> None:
        """Set a statistic's numbers (n_units, width) for the model at a position."""
        room, first = self._places[column.statistic]
        if self._order is not None:
            numbers = np.take(numbers, self._order, axis=0)
        start = first + position * column.width
        room[start : start + column.width] = numbers.T

    def sums(self, weights: AnyArray) -> FloatArray:
        """Compute totals (n_resamples, n_columns) under weights (n_resamples, n_units).

        Columns are contiguous: formulas process all resamples of a model and class at once.
        """
        whole = weights.dtype.kind in "iu"
        exact = whole and weights.sum(axis=1).max(initial=0) < EXACT_COUNTS
        if self._order is not None:
            weights = np.take(weights, self._order, axis=1)
        out = np.zeros((self.n_columns, len(weights)))
        for rows, numbers, where, own, members in self._pieces:
            sums = _sums(numbers, weights[:, rows], numbers.dtype if exact else np.float64)
            out[where] += sums
            out[members] = sums[own]
        return out.T

    def _add(
        self, columns: list[Column], members: list[Column], parts: list[slice], dtype: DTypeLike
    ) -> None:
        """Add statistics to be summed over slices of the rows, one for each class of members."""
        if not columns:
            return
        sizes = [column.stop - column.start for column in columns]
        room = np.empty((sum(sizes), self._n_units), dtype)
        for column, first in zip(columns, np.cumsum([0, *sizes]).tolist(), strict=False):
            self._places[column.statistic] = (room, first)
        where, again = _places(columns), _places(members)
        for code, rows in enumerate(parts):
            own = slice(code, len(again), len(parts))
            self._pieces.append((rows, room[:, rows], where, own, again[own]))


def _sums(numbers: AnyArray, weights: AnyArray, dtype: DTypeLike) -> AnyArray:
    """Compute sums (n_columns, n_resamples) of numbers (n_columns, n_rows) under weights."""
    # Weights are drawn in as few bits as possible, and converted for some rows at a time.
    step = max(1, 2 * CACHE_BYTES // max(1, len(weights)))
    products = (
        numbers[:, start : start + step] @ weights[:, start : start + step].astype(dtype).T
        for start in range(0, weights.shape[1], step)
    )
    total = next(products, np.zeros((len(numbers), len(weights)), dtype))
    for product in products:
        total += product
    return total


def _places(columns: list[Column]) -> IntArray:
    return np.array([k for column in columns for k in range(column.start, column.stop)], np.intp)


class SparseColumns:
    """A matrix (n_units, n_columns) to be summed under weights, like a `Product`.

    Parameters
    ----------
    n_units, n_columns : int
        Its shape; columns are set one after the other, and each once.
    """

    def __init__(self, n_units: int, n_columns: int) -> None:
        self.n_units, self.n_columns = n_units, n_columns
        self._dense: list[tuple[slice, FloatArray]] = []
        self._entries: list[tuple[IntArray, IntArray, FloatArray]] = []

    def put(self, start: int, chunks: Iterable[FloatArray]) -> None:
        """Set columns (n_units, width) from a position on, given in chunks of units.

        The first chunk decides whether they are sparse.
        """
        dense: list[FloatArray] = []
        first = 0
        for numbers in chunks:
            if dense or (first == 0 and np.count_nonzero(numbers) > SPARSE_BELOW * numbers.size):
                dense.append(numbers)
            else:
                units, places = np.nonzero(numbers)
                self.put_entries(first + units, start + places, numbers[units, places])
            first += len(numbers)
        if dense:
            whole = dense[0] if len(dense) == 1 else np.concatenate(dense)
            self._dense.append((slice(start, start + whole.shape[1]), whole))

    def put_entries(self, units: IntArray, places: IntArray, numbers: FloatArray) -> None:
        """Insert numbers by unit and column; numbers in the same cell are added."""
        present = numbers != 0
        self._entries.append((places[present], units[present], numbers[present]))

    def sums(self, weights: AnyArray) -> FloatArray:
        """Compute totals (n_resamples, n_columns) under weights (n_resamples, n_units)."""
        weights = weights.astype(np.float64, copy=False)
        # Columns are contiguous: formulas process all resamples of a class at once.
        out = np.zeros((self.n_columns, len(weights)))
        if self._entries:
            out[self._filled] = self._sparse @ weights.T
        for where, numbers in self._dense:
            np.matmul(numbers.T, weights.T, out=out[where])
        return out.T

    @cached_property
    def _filled(self) -> IntArray:
        """Columns with numbers other than 0."""
        return np.unique(np.concatenate([places for places, _, _ in self._entries]))

    @cached_property
    def _sparse(self) -> Any:
        """Sparse columns as rows, so that each sum is computed at once."""
        from scipy.sparse import csr_array

        places, units, numbers = (np.concatenate(part) for part in zip(*self._entries, strict=True))
        rows = np.searchsorted(self._filled, places)
        return csr_array((numbers, (rows, units)), shape=(len(self._filled), self.n_units))
