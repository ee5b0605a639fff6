"""What is summed over the samples that swap: statistics, their products, and strata's parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.parted import SPARSE_BELOW


@dataclass(frozen=True)
class Columns:
    """Statistics of some units, products of them, and what is 0 but in one stratum each.

    Products are arrays (n_units, width), sparse where few numbers are not 0.
    """

    dense: FloatArray
    products: list[Any]
    by_stratum: Any = None  # a sparse array

    def weighted(self, weights: FloatArray) -> FloatArray:
        """Sums of all columns under each row of weights."""
        return np.hstack([weights @ self.dense, *self.further(weights)])

    def further(self, weights: FloatArray) -> list[FloatArray]:
        """The same of all but the statistics, some columns after others."""
        parts = [(product.T @ weights.T).T for product in self.products]
        if self.by_stratum is not None:
            parts.append(weights @ self.by_stratum)
        return parts

    def __getitem__(self, units: IntArray) -> Columns:
        by_stratum = None if self.by_stratum is None else self.by_stratum[units]
        products = [product[units] for product in self.products]
        return Columns(self.dense[units], products, by_stratum)


def apart(parts: Sequence[FloatArray]) -> list[Any]:
    """Arrays (n_rows, ...) as columns (n_rows, width), those alike together where they follow."""
    found: list[Any] = []
    dense: list[FloatArray] = []
    for part in parts:
        columns = part.reshape(len(part), -1)
        if np.count_nonzero(columns) <= SPARSE_BELOW * columns.size:
            found += [*_together(dense), sparse.csr_array(columns)]
            dense = []
        else:
            dense.append(columns)
    return found + _together(dense)


def _together(columns: Sequence[FloatArray]) -> list[FloatArray]:
    """One array of columns that lie contiguously; none of none."""
    return [np.concatenate([each.T for each in columns]).T] if columns else []
