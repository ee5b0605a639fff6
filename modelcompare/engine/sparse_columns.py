"""Statistics that are 0 for most units, as sparse columns beside dense ones."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray, IntArray

# Share of numbers other than 0 below which sparse products are faster, and small.
SPARSE_BELOW = 1 / 16


class SparseColumns:
    """A matrix (n_units, n_columns) to be summed under weights, like a `Product`.

    Parameters
    ----------
    n_units, n_columns : int
        Its shape; columns are put in one after the other, and each once.
    """

    def __init__(self, n_units: int, n_columns: int) -> None:
        self.n_units, self.n_columns = n_units, n_columns
        self._dense: list[tuple[slice, FloatArray]] = []
        self._entries: list[tuple[IntArray, IntArray, FloatArray]] = []

    def put(self, start: int, chunks: Iterable[FloatArray]) -> None:
        """Put in columns (n_units, width) from a place on, given some units after others.

        The first units tell whether they are sparse.
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
        """Put in numbers by unit and column; what stands in one place is added up."""
        present = numbers != 0
        self._entries.append((places[present], units[present], numbers[present]))

    def sums(self, weights: AnyArray) -> FloatArray:
        """Totals (n_resamples, n_columns) under weights (n_resamples, n_units)."""
        weights = weights.astype(np.float64, copy=False)
        # A column lies contiguously: formulas go through all resamples of a class at once.
        out = np.zeros((self.n_columns, len(weights)))
        if self._entries:
            out[self._filled] = self._sparse @ weights.T
        for where, numbers in self._dense:
            np.matmul(numbers.T, weights.T, out=out[where])
        return out.T

    @cached_property
    def _filled(self) -> IntArray:
        """Columns that are not 0 throughout."""
        return np.unique(np.concatenate([places for places, _, _ in self._entries]))

    @cached_property
    def _sparse(self) -> Any:
        """Sparse columns as rows, so that each sum is made in one go."""
        from scipy.sparse import csr_array

        places, units, numbers = (np.concatenate(part) for part in zip(*self._entries, strict=True))
        rows = np.searchsorted(self._filled, places)
        return csr_array((numbers, (rows, units)), shape=(len(self._filled), self.n_units))
