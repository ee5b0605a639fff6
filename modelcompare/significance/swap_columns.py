"""What is summed over the samples that swap: statistics, their products, and strata's parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.engine.sparse_columns import SPARSE_BELOW


@dataclass(frozen=True)
class Columns:
    """Statistics of some units, products of them, and what is 0 but in one stratum each.

    Products are arrays (n_units, width), sparse where few numbers are not 0, or `Summed`.
    """

    dense: FloatArray
    products: list[Any]
    by_stratum: Any = None  # a sparse array

    def weighted(self, weights: FloatArray) -> FloatArray:
        """Sums of all columns under each row of weights."""
        return np.hstack([weights @ self.dense, *self.further(weights)])

    def further(self, weights: AnyArray) -> list[FloatArray]:
        """The same of all but the statistics, some columns after others."""
        parts: list[FloatArray] = []
        others = [product for product in self.products if not isinstance(product, Summed)]
        by_stratum = self.by_stratum
        if others or by_stratum is not None:
            wide = weights.astype(np.float64, copy=False)
        for product in self.products:
            if isinstance(product, Summed):
                parts += product.sums(weights)
            else:
                parts.append((product.T @ wide.T).T)
        return parts if by_stratum is None else [*parts, wide @ by_stratum]

    def __getitem__(self, units: IntArray) -> Columns:
        by_stratum = None if self.by_stratum is None else self.by_stratum[units]
        products = [product[units] for product in self.products]
        return Columns(self.dense[units], products, by_stratum)


class Summed(ABC):
    """Products that are summed in a way of their own."""

    @abstractmethod
    def sums(self, weights: AnyArray) -> list[FloatArray]:
        """Sums (n_resamples, n_columns) of some columns after others."""

    @abstractmethod
    def __getitem__(self, units: IntArray) -> Summed:
        """The same of some units."""


@dataclass(frozen=True)
class Nested(Summed):
    """Products, and before them others that are the part of the members of each class.

    They are summed class by class: what the members add is there without a product of its own.

    Parameters
    ----------
    rows : list of ndarray of int
        Members of each class, in order.
    numbers : list of ndarray of shape (n_columns, n_members)
        The products of these; columns are in the order (model, class).
    """

    rows: list[IntArray]
    numbers: list[FloatArray]

    @classmethod
    def of(cls, inner: FloatArray, outer: FloatArray, codes: IntArray) -> Nested | None:
        """From arrays (n_rows, n_models, n_classes); None of others."""
        n_classes = outer.shape[2]
        if inner.shape != outer.shape or codes.max(initial=0) >= n_classes:
            return None
        rows, numbers, n_inside = [], [], 0
        inner, outer = (part.transpose(1, 2, 0) for part in (inner, outer))
        for code in range(n_classes):
            here = np.flatnonzero(codes == code)
            own, whole = np.take(inner[:, code], here, axis=-1), np.take(outer, here, axis=-1)
            if not np.array_equal(own, whole[:, code]):
                return None
            n_inside += int(np.count_nonzero(own))
            rows.append(here)
            numbers.append(whole.reshape(len(whole) * n_classes, len(here)))
        return cls(rows, numbers) if n_inside == np.count_nonzero(inner) else None

    def sums(self, weights: AnyArray) -> list[FloatArray]:
        """Sums (n_resamples, n_columns) over the members, and over all."""
        n_classes = len(self.rows)
        members, whole = np.zeros((2, len(self.numbers[0]), len(weights)))
        for code, (here, numbers) in enumerate(zip(self.rows, self.numbers, strict=True)):
            found = numbers @ np.take(weights, here, axis=1).astype(np.float64, copy=False).T
            members[code::n_classes] = found[code::n_classes]
            whole += found
        return [members.T, whole.T]

    def __getitem__(self, units: IntArray) -> Nested:
        rows = [np.flatnonzero(np.isin(units, here)) for here in self.rows]
        numbers = [
            part[:, np.searchsorted(here, units[some])]
            for part, here, some in zip(self.numbers, self.rows, rows, strict=True)
        ]
        return Nested(rows, numbers)


def apart(parts: Sequence[FloatArray | Summed], codes: IntArray | None) -> list[Any]:
    """Arrays (n_rows, ...) as columns (n_rows, width), those alike together where they follow.

    `codes` are the rows' classes, where they have one each.
    """
    arrays = [part for part in parts if not isinstance(part, Summed)]
    if len(arrays) == len(parts) == 2 and codes is not None:
        nested = Nested.of(arrays[0], arrays[1], codes)
        if nested is not None:
            return [nested]
    found: list[Any] = []
    dense: list[FloatArray] = []
    for part in parts:
        if isinstance(part, Summed):
            found += [*_together(dense), part]
            dense = []
            continue
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
