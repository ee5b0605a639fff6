"""Confusion matrices of many models, and numbers of their cells, without a table of all cells.

With many classes most cells are empty: the samples themselves are then the cells, so that memory
grows with samples and classes, not with the square of the classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from modelcompare.arrays import PASS_BYTES, FloatArray, IntArray
from modelcompare.engine.labels import Labels

Margins = tuple[FloatArray, FloatArray, FloatArray]
# Bytes of a cell of the confusion matrices in memory at once: a dozen arrays of numbers.
_CELL_BYTES = 12 * 8


@dataclass(frozen=True)
class Confusions:
    """Sums of weights, and of their squares, by true and predicted class.

    Attributes
    ----------
    true, named : ndarray of int of shape (n_cells,) or (..., n_cells)
        True and predicted class of each cell: of all cells, or of one for each sample.
    weights, squares : ndarray of shape (..., n_cells)
        Sums of weights, and of squared weights.
    n_classes : int
    """

    true: IntArray
    named: IntArray
    weights: FloatArray
    squares: FloatArray
    n_classes: int

    @classmethod
    def of(cls, labels: Labels, models: slice) -> Confusions:
        """Return the confusion matrices of some models."""
        if not _tabled(labels):
            true, named = classes_of(labels, models)
            weights = np.broadcast_to(labels.powered(1), true.shape)
            squares = weights if labels.weights is None else np.square(weights)
            return cls(true, named, weights, squares, labels.n_classes)

        def tables(power: int) -> FloatArray:
            weights, k = labels.powered(power), labels.n_classes
            true = labels.codes * k
            cells = [np.bincount(true + m, weights, k * k) for m in labels.predicted[models]]
            return np.array(cells, dtype=np.float64).reshape(-1, k, k)

        sums = tables(1)
        return cls.of_tables(sums, sums if labels.weights is None else tables(2))

    @classmethod
    def of_tables(cls, weights: FloatArray, squares: FloatArray) -> Confusions:
        """Return all cells of tables (..., n_classes, n_classes), whose rows are true classes."""
        k = weights.shape[-1]
        true, named = np.divmod(np.arange(k * k), k)
        flat = weights.reshape(*weights.shape[:-2], k * k)
        flat_squares = flat if squares is weights else squares.reshape(flat.shape)
        return cls(true, named, flat, flat_squares, k)

    @cached_property
    def margins(self) -> Margins:
        """Weights of each class where it is true, where it is predicted, and where both."""
        return self._margins(self.weights)

    @cached_property
    def margins_of_squares(self) -> Margins:
        """Margins of squared weights."""
        return self.margins if self.squares is self.weights else self._margins(self.squares)

    def shared(self, gains: FloatArray) -> FloatArray:
        """Sum the covariances of classes, by the influences (..., n_classes, 4) of outcomes."""
        of_sum, of_each = (CellSums.of_gains(each).of(self) for each in (gains, gains**2))
        return (self.squares * (of_sum**2 - of_each)).sum(axis=-1)

    def by_true(self, numbers: FloatArray) -> FloatArray:
        """Sum numbers (..., n_cells) over the cells of each true class."""
        return self._margins(numbers)[0]

    def _margins(self, numbers: FloatArray) -> Margins:
        if self.named.ndim == 1:
            tables = numbers.reshape(*numbers.shape[:-1], self.n_classes, self.n_classes)
            return tables.sum(-1), tables.sum(-2), np.diagonal(tables, axis1=-2, axis2=-1)
        true, named = self._by_class(self.true, numbers), self._by_class(self.named, numbers)
        return true, named, self._by_class(self.true, numbers * (self.true == self.named))

    def _by_class(self, classes: IntArray, numbers: FloatArray) -> FloatArray:
        batch = numbers.shape[:-1]
        shape = (*batch, self.n_classes)
        first = np.arange(prod(batch)).reshape(*batch, 1) * self.n_classes
        return np.bincount((first + classes).ravel(), numbers.ravel(), prod(shape)).reshape(shape)


@dataclass(frozen=True)
class CellSums:
    """Numbers of the cells: ``of_true[j] + of_named[m]``, and ``right[j]`` where j is m.

    Each of shape (..., n_classes).
    """

    of_true: FloatArray
    of_named: FloatArray
    right: FloatArray

    @classmethod
    def of_gains(cls, gains: FloatArray) -> CellSums:
        """Sum the influences of a sample of each cell over classes, from those of outcomes."""
        hit, missed, alarm, other = np.moveaxis(gains, -1, 0)
        rest = other.sum(axis=-1)[..., None]
        return cls(rest + (missed - other), alarm - other, rest + hit - other)

    def at(self, true: IntArray, named: IntArray) -> FloatArray:
        """Return the numbers of some cells, of shape (..., n_cells)."""
        wrong = select_classes(self.of_true, true) + select_classes(self.of_named, named)
        return np.where(true == named, select_classes(self.right, true), wrong)

    def of(self, confusions: Confusions) -> FloatArray:
        """Return the numbers of the cells of confusion matrices."""
        return self.at(confusions.true, confusions.named)

    def squares(self) -> FloatArray:
        """Sum the squares over all cells of each true class, empty ones too."""
        x, y = self.of_true, self.of_named
        total, squared = (part.sum(axis=-1, keepdims=True) for part in (y, y**2))
        wrong = x.shape[-1] * x**2 + 2 * x * total + squared - (x + y) ** 2
        return wrong + self.right**2


def select_classes(numbers: FloatArray, classes: IntArray) -> FloatArray:
    """Select numbers (..., n_classes) by classes, which may be the same for all models."""
    if classes.ndim == 1:
        return numbers[..., classes]
    return np.take_along_axis(numbers, classes, axis=-1)


def chunks(labels: Labels) -> list[slice]:
    """Return groups of models whose confusion matrices fit into memory at once."""
    n_models = len(labels.predicted)
    n_cells = labels.n_classes**2 if _tabled(labels) else labels.n_rows
    step = max(1, PASS_BYTES // (_CELL_BYTES * n_cells))
    return [slice(start, min(start + step, n_models)) for start in range(0, n_models, step)]


def classes_of(labels: Labels, models: slice) -> tuple[IntArray, IntArray]:
    """Return the true and predicted class of each row, (n_models, n_rows)."""
    named = np.array(labels.predicted[models])
    return np.broadcast_to(labels.codes, named.shape), named


def _tabled(labels: Labels) -> bool:
    """True if a confusion matrix has no more cells than the test set has samples."""
    return labels.n_classes**2 <= max(int(labels.multiplicity.sum()), 4)
