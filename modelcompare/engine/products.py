"""Weights times statistics: what is 0 is left out, and indicators go in single precision.

With the samples in the order of their classes, the hits of a class are what its own rows add to how
often it was predicted. They come with that product or, where nobody asks for it, from a product of
one column for each model. Indicators of 0 and 1 are counted exactly in single precision, at twice
the speed, while no count reaches 2^24.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import DTypeLike

from modelcompare.arrays import CACHE_BYTES, AnyArray, FloatArray, IntArray
from modelcompare.engine.axis import Column
from modelcompare.metrics.base import Statistic

# Counts below are exact in single precision.
_MOST_COUNTED = 2.0**24
# Classes of fewer samples make products too small to be worth the parting.
_FEWEST_OF_A_CLASS = 16


@dataclass(frozen=True)
class _Piece:
    """Statistics of some rows, and where their sums are added among the totals.

    Of rows that are a class's members, `members` are the columns of that class, and where their
    sums go once more.
    """

    rows: slice
    numbers: AnyArray  # (n_columns, n_rows)
    columns: IntArray
    members: tuple[slice, IntArray] | None = None

    def sums(self, weights: AnyArray, dtype: DTypeLike) -> AnyArray:
        """Sums (n_columns, n_resamples) under weights (n_resamples, n_units)."""
        weights = weights[:, self.rows]
        # Weights are drawn in as few bits as they need, and are wide for some rows at a time.
        step = max(1, 2 * CACHE_BYTES // max(1, len(weights)))
        products = (
            self.numbers[:, start : start + step] @ weights[:, start : start + step].astype(dtype).T
            for start in range(0, weights.shape[1], step)
        )
        total = next(products, np.zeros((len(self.numbers), len(weights)), dtype))
        for product in products:
            total += product
        return total


class Product:
    """Statistics of units, filled in model by model, and their sums under weights.

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
        Whether indicators are 0 and 1 here: no weights, no soft labels.

    Attributes
    ----------
    columns : list of Column
        The statistics to be filled in; the others come with them.
    n_columns : int
        Columns that a row is multiplied by.
    """

    def __init__(
        self, columns: Sequence[Column], n_units: int, codes: IntArray | None, n_classes: int,
        *, counted: bool,
    ) -> None:  # fmt: skip
        self.n_columns = max((column.stop for column in columns), default=0)
        self._n_units, self._counted = n_units, counted
        self._pieces: list[_Piece] = []
        self._places: dict[Statistic, tuple[AnyArray, int]] = {}
        self._order: IntArray | None = None
        members = {c.statistic.members_of: c for c in columns if c.statistic.members_of is not None}
        if members and codes is not None and n_units >= _FEWEST_OF_A_CLASS * n_classes:
            self._order = np.argsort(codes, kind="stable")
            ends = np.cumsum(np.bincount(codes, minlength=n_classes)).tolist()
            self._classes = [slice(*both) for both in pairwise([0, *ends])]
        else:
            members = {}
        wholes = [c for c in columns if c.statistic in members]
        alone = [c for whole, c in members.items() if whole not in {w.statistic for w in wholes}]
        plain = [c for c in columns if c not in wholes and c not in members.values()]
        self._alone = {column.statistic for column in alone}
        self.columns = [*plain, *wholes, *alone]
        for counts in (False, True):
            self._add_plain([c for c in plain if self._is_counted(c) == counts])
            self._add_wholes([c for c in wholes if self._is_counted(c) == counts], members)
            self._add_alone([c for c in alone if self._is_counted(c) == counts])

    def fill(self, column: Column, position: int, numbers: FloatArray) -> None:
        """Put in a statistic's numbers (n_units, width) of the model at a position."""
        room, first = self._places[column.statistic]
        if self._order is not None:
            numbers = np.take(numbers, self._order, axis=0)
        if column.statistic in self._alone:
            for code, rows in enumerate(self._classes):
                room[first + position, rows] = numbers[rows, code]
        else:
            start = first + position * column.width
            room[start : start + column.width] = numbers.T

    def sums(self, weights: AnyArray, *, whole: bool) -> FloatArray:
        """Totals (n_resamples, n_columns) under weights (n_resamples, n_units), `whole` or not.

        A column lies contiguously: formulas go through all resamples of a model and class at once.
        """
        exact = whole and weights.sum(axis=1).max(initial=0) < _MOST_COUNTED
        if self._order is not None:
            weights = np.take(weights, self._order, axis=1)
        out = np.zeros((self.n_columns, len(weights)))
        for piece in self._pieces:
            counted = exact and piece.numbers.dtype == np.float32
            sums = piece.sums(weights, np.float32 if counted else np.float64)
            out[piece.columns] += sums
            if piece.members is not None:
                own, where = piece.members
                out[where] = sums[own]
        return out.T

    def _add_plain(self, columns: list[Column]) -> None:
        """Add statistics whose products go over all rows."""
        if columns:
            room = self._make_room(columns, [c.stop - c.start for c in columns])
            self._pieces.append(_Piece(slice(0, self._n_units), room, _places(columns)))

    def _add_wholes(self, columns: list[Column], members: dict[Statistic, Column]) -> None:
        """Add statistics of which others are the members' part."""
        if not columns:
            return
        room = self._make_room(columns, [c.stop - c.start for c in columns])
        where, n_classes = _places(columns), len(self._classes)
        own = _places([members[c.statistic] for c in columns])
        for code, rows in enumerate(self._classes):
            of_class = slice(code, None, n_classes)
            self._pieces.append(_Piece(rows, room[:, rows], where, (of_class, own[of_class])))

    def _add_alone(self, columns: list[Column]) -> None:
        """Add statistics of members, without those that they are a part of."""
        if not columns:
            return
        room = self._make_room(columns, [(c.stop - c.start) // c.width for c in columns])
        for code, rows in enumerate(self._classes):
            where = _places(columns)[code :: len(self._classes)]
            self._pieces.append(_Piece(rows, room[:, rows], where))

    def _make_room(self, columns: list[Column], sizes: list[int]) -> AnyArray:
        """Room for the numbers of statistics of one kind, one after the other."""
        dtype = np.float32 if self._is_counted(columns[0]) else np.float64
        room = np.empty((sum(sizes), self._n_units), dtype)
        for column, first in zip(columns, np.cumsum([0, *sizes]).tolist(), strict=False):
            self._places[column.statistic] = (room, first)
        return room

    def _is_counted(self, column: Column) -> bool:
        return self._counted and column.statistic.indicator


def _places(columns: list[Column]) -> IntArray:
    return np.concatenate([np.arange(column.start, column.stop) for column in columns])
