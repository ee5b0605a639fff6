"""A table with its options: properties of its columns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache, partial, wraps
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from modelcompare.arrays import IntArray
from modelcompare.readers import cell_types, names
from modelcompare.readers.cell_types import Column
from modelcompare.readers.options import AND, Columns

T = TypeVar("T")
# In fewer rows all values of a column may differ by chance, or none be a true label.
FEW_ROWS = 10
# Smallest fraction of a model's labels that are true labels other than by chance.
SHARED = 0.5
# So many classes with fewer than two samples each are texts, unless `kind` names them.
_MANY_CLASSES = 50
# Upper 5 % point of the normal distribution.
_NORMAL_95 = 1.645
_STANDARD_ERRORS = 3


def memoized(property_of: Callable[..., T]) -> Callable[..., T]:
    """Return a method of `Profile` that inspects columns once, and remembers its answers.

    Not a cached method: a table in a cycle of references would stay in memory.
    """

    @wraps(property_of)
    def answer(seen: Profile, *headings: str) -> T:
        key = property_of.__name__, *headings
        if key not in seen._answers:
            seen._answers[key] = property_of(seen, *headings)
        found: T = seen._answers[key]
        return found

    return answer


class Profile:
    """A table, its options, and properties of its columns.

    Cells of a `written` table are texts, as in a file that knows no types.
    """

    def __init__(
        self, frame: pd.DataFrame, columns: Columns, where: str, *, written: bool = False,
        of_folders: Collection[str] = (),
    ) -> None:  # fmt: skip
        self.frame, self.written, self.columns, self.where = frame, written, columns, where
        self.headings = [str(heading) for heading in self.frame.columns]
        # Folders that are named day=monday give each of their rows the same cell, and no model.
        self.of_folders = {*of_folders}
        self.named = {*columns.named.values(), *columns.slices, *columns.by_pattern}
        self.marks = columns.marks(self.headings)
        # Caches the truth and the column under inspection. Not a cached method: a table in a cycle
        # of references would stay in memory.
        self.present = lru_cache(maxsize=4)(partial(_present, self.frame, self.marks))
        self._answers: dict[tuple[Any, ...], Any] = {}

    def holding(self, frame: pd.DataFrame, columns: Columns | None = None) -> Profile:
        """Return the same table with other columns, and perhaps other options."""
        return Profile(
            frame, columns or self.columns, self.where, written=self.written,
            of_folders=self.of_folders,
        )  # fmt: skip

    def usual(self, usual: tuple[str, ...], skip: Collection[str | None] = ()) -> list[str]:
        """Return columns with a usual name and no other role, the most usual first.

        Columns to `skip` have another role.
        """
        taken = self.named.union(skip)
        return [h for h in names.named(self.headings, usual) if h not in taken]

    def could_be_of(self, heading: str, truth: str, share: float = SHARED) -> bool:
        """Return whether a column has labels of another, or scores of its two classes."""
        known = self.present(truth)
        two = not cell_types.holds_objects(known) and known.nunique() == 2
        if two and self.is_numeric(heading) and self.is_real(heading):
            return True
        return self.overlap(heading, truth) >= share

    @memoized
    def overlap(self, heading: str, truth: str) -> float:
        """Return the fraction of a column's cells that equal a value of another column."""
        held, known = self.present(heading), self.present(truth)
        if isinstance(next(iter(held), None), tuple):
            # Sets of labels, of which single labels are compared.
            held, known = held.explode().dropna(), known.explode().dropna()
        objects = cell_types.holds_objects(held) or cell_types.holds_objects(known)
        if not len(held) or held.dtype.kind == "f" or objects:
            return 0.0
        place, values = pd.factorize(held)
        values, known = pd.Series(values), pd.Series(known.unique())
        if values.dtype.kind not in "iufb" or known.dtype.kind not in "iufb":
            values, known = values.astype(str), known.astype(str)
        return float(values.isin(known).to_numpy()[place].mean())

    def shares_words(self, heading: str, other: str) -> bool:
        """Return whether most texts of a column have a word of another column's in their row."""
        words = (self.frame[h].astype(str).str.casefold().str.split() for h in (heading, other))
        return bool(np.mean([not {*a}.isdisjoint(b) for a, b in zip(*words, strict=True)]) > 0.5)

    def share_of_equals(self, heading: str, other: str) -> float:
        """Return the fraction of rows in which two columns are equal."""
        one, two = (self.frame[each].astype(str).to_numpy() for each in (heading, other))
        return float((one == two).mean())

    def at_chance(self, heading: str, truth: str) -> bool:
        """Return whether a column equals another in no more rows than by chance (p > 0.05)."""
        pair = pd.concat([self.frame[heading], self.frame[truth]]).astype(str)
        one, other = np.split(pd.factorize(pair)[0], 2)
        return agree_by_chance(one, other)

    def correlation(self, heading: str, other: str) -> float:
        """Return Pearson's correlation of two columns of numbers, 0 where it is undefined."""
        found = self.frame[[heading, other]].apply(cell_types.as_numbers).corr().iloc[0, 1]
        return 0.0 if np.isnan(found) else float(found)

    def goes_with_marks(self, labels: str, marks: str) -> bool:
        """Return whether two labels go with 0 and 1 beyond chance (3 standard errors)."""
        first = (self.frame[labels] == self.present(labels).iloc[0]).to_numpy(np.float64)
        held = cell_types.as_numbers(self.frame[marks])
        if not (np.ptp(first) and np.ptp(held)):
            return False
        return bool(abs(np.corrcoef(first, held)[0, 1]) * np.sqrt(len(held)) > _STANDARD_ERRORS)

    @memoized
    def has_marks(self, heading: str) -> bool:
        """Return whether a column has 0 and 1, or False and True, only."""
        return {*np.unique(cell_types.as_numbers(self.present(heading)))} <= {0.0, 1.0}

    @memoized
    def is_real(self, heading: str) -> bool:
        column = self.present(heading)
        if column.dtype.kind not in "iuf" and cell_types.share_of_numbers(column, ()) < 1:
            return False
        values = cell_types.as_numbers(column)
        return bool((values != np.trunc(values)).any())

    @memoized
    def share_of_numbers(self, heading: str) -> float:
        return cell_types.share_of_numbers(self.frame[heading], self.marks)

    def is_numeric(self, heading: str) -> bool:
        return self.share_of_numbers(heading) == 1

    @memoized
    def holds_objects(self, heading: str) -> bool:
        """Return whether cells of a column are lists or objects."""
        return cell_types.holds_objects(self.frame[heading])

    def repeats(self, heading: str) -> bool:
        """Return whether a column, not of lists or objects, has fewer values than rows."""
        return not self.holds_objects(heading) and (
            self.present(heading).nunique() < len(self.frame)
        )

    def all_differ(self, heading: str, within: Sequence[str] = ()) -> bool:
        """Return whether a column has distinct values, and no lists or objects.

        Values may repeat where the cells of the columns `within` differ.
        """
        return not self.holds_objects(heading) and self.unique(*within, heading)

    @memoized
    def unique(self, *headings: str) -> bool:
        """Return whether no two rows have the same cells in some columns."""
        # A table of one column takes longer than the column.
        cells = self.frame[headings[0]] if len(headings) == 1 else self.frame[[*headings]]
        return not cells.duplicated().any()

    def is_balanced(self, heading: str) -> bool:
        """Return whether each value of a column is in as many rows as any other."""
        return self.frame[heading].value_counts(dropna=False).nunique() == 1

    def joined(self, *headings: str) -> list[str]:
        """Return columns, with those that ``date+place`` joins instead of it."""
        parts = {heading: heading.split(AND) for heading in headings}
        known = {*self.headings}
        return [one for h, own in parts.items() for one in (own if {*own} <= known else [h])]

    def constant_within(self, heading: str, key: Sequence[str]) -> bool:
        """Return whether a column, not of lists or objects, is constant within each key."""
        if any(map(self.holds_objects, [heading, *key])):
            return False
        return bool((self.frame.groupby([*key], sort=False)[heading].nunique() <= 1).all())

    @memoized
    def identifies_rows(self, heading: str) -> bool:
        """Return whether a column has distinct texts."""
        if self.frame[heading].dtype.kind in "iufb" or not self.all_differ(heading):
            return False
        column = self.present(heading)
        complete = len(column) == len(self.frame) > 1
        return complete and cell_types.share_of_numbers(column, ()) == 0

    def counts_rows(self, heading: str) -> bool:
        """Return whether a column without a heading only counts the rows."""
        if names.plain(heading) not in ("unnamed", ""):
            return False
        return self.frame[heading].astype(str).tolist() == [*map(str, range(len(self.frame)))]

    @memoized
    def numbers_rows(self, heading: str) -> bool:
        """Return whether a column has distinct integers, like row numbers."""
        if not self.is_numeric(heading):
            return False
        values = pd.to_numeric(self.present(heading), errors="coerce")
        distinct = len(values) == len(self.frame) >= FEW_ROWS and values.is_unique
        return distinct and bool((values % 1 == 0).all())

    def counts_up(self, heading: str) -> bool:
        """Return whether a column numbers the rows in their order, in steps of 1."""
        if not self.is_numeric(heading):
            return False
        steps = np.diff(cell_types.as_numbers(self.frame[heading]))
        return len(steps) >= FEW_ROWS - 1 and bool((steps == 1).all())

    @memoized
    def range(self, heading: str) -> float:
        values = pd.to_numeric(self.present(heading), errors="coerce")
        return float(values.abs().max()) if len(values) else 0.0

    def differ_in_sign(self, headings: Sequence[str]) -> bool:
        """Return whether some columns have numbers below 0 and others none, as several scores."""
        signs = {bool((cell_types.as_numbers(self.present(h)) < 0).any()) for h in headings}
        return len(signs) > 1

    @cached_property
    def chosen(self) -> frozenset[str]:
        """Columns of the models that `models` names."""
        return frozenset(
            heading for wanted in self.columns.models or () for heading in self.headings
            if fnmatchcase(heading, wanted) or fnmatchcase(heading.partition(":")[0], wanted)
        )  # fmt: skip


def agree_by_chance(one: IntArray, other: IntArray) -> bool:
    """Return whether two arrays of codes agree by chance only: kappa is not above 0 (p > 0.05).

    The variance is that of Fleiss, Cohen & Everitt (1969) for kappa 0. False if the other is
    constant, as all agreement is then that of chance.

    Examples
    --------
    >>> truth = np.arange(40) % 2
    >>> agree_by_chance(truth, truth), agree_by_chance(truth, np.arange(40) // 20)
    (False, True)
    """
    k = int(max(one.max(), other.max())) + 1
    table = np.bincount(one * k + other, minlength=k * k).reshape(k, k) / len(one)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    expected = rows @ columns
    variance = expected + expected**2 - (rows * columns) @ (rows + columns)
    least = expected + _NORMAL_95 * np.sqrt(max(variance, 0) / len(one))
    return bool(columns.max() < 1 and np.trace(table) <= least)


def _present(frame: pd.DataFrame, marks: Collection[str], heading: str) -> Column:
    """Return the cells of a column that are not missing."""
    column = frame[heading]
    marked = cell_types.missing_mask(column, marks)
    held = cell_types.present(column.mask(marked) if marked.any() else column)
    return held if cell_types.are_texts(held) else held.infer_objects()


def check_labels(seen: Profile, true: str) -> None:
    """Refuse free texts as labels, which would make a class of every sample."""
    if seen.columns.kind != "auto" or seen.share_of_numbers(true):
        return
    held = seen.present(true)
    if cell_types.holds_objects(held):
        # Labels of lists and objects are refused later.
        return
    if isinstance(next(iter(held), None), tuple):
        # Most sets of labels differ, and have the same labels.
        held = held.explode().dropna()
    n_distinct = held.nunique()
    if n_distinct >= _MANY_CLASSES and n_distinct > len(held) / 2:
        raise ValueError(
            f"{seen.where}: column {true!r} has {n_distinct:,} different texts in "
            f"{len(held):,} rows; if they are texts, not classes, pass kind='texts' (--kind "
            "texts), else kind='labels' (--kind labels)."
        )
