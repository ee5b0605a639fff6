"""A table, what was said of it, and questions about its columns; the column of the truth."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.readers import cell_types, names
from modelcompare.readers.messages import told
from modelcompare.readers.options import Columns

# Fewer rows show nothing: by chance all values of a column differ, or none is a true label.
FEW_ROWS = 10
# Less of a model's labels than this is a true label of some sample only by accident.
SHARED = 0.5
# So many classes with hardly two samples each are texts, or need to be told.
_MANY_CLASSES = 50


class Profile:
    """A table, what was said of it, and what its columns look like.

    Cells are texts as they were `written` if the file knows no types.
    """

    def __init__(
        self, frame: pd.DataFrame, columns: Columns, where: str, *, written: bool = False,
        of_folders: Collection[str] = (),
    ) -> None:  # fmt: skip
        self.frame, self.written, self.columns, self.where = frame, written, columns, where
        self.headings = [str(heading) for heading in self.frame.columns]
        # Folders that are named day=monday give each of their rows the same cell, and no model.
        self.of_folders = {*of_folders}
        self.told = {*columns.named.values(), *columns.slices}
        self.marks = columns.marks(self.headings)
        # The truth, and a column that is looked at in several ways; not by a method, as a table in
        # a circle of references stays in memory after it was read.
        self.present = lru_cache(maxsize=4)(partial(_present, self.frame, self.marks))

    def usual(self, usual: tuple[str, ...], skip: Collection[str | None] = ()) -> list[str]:
        """Columns with a usual name, the most usual first, that were not told to be other things.

        Those to `skip` have another role.
        """
        taken = self.told.union(skip)
        return [h for h in names.named(self.headings, usual) if h not in taken]

    def free(self, skip: Collection[str | None]) -> list[str]:
        """Columns without a role, whose names are not those of what describes samples."""
        taken = self.told.union(skip)
        return [h for h in self.headings if h not in taken and not names.describes(h)]

    def first(self, usual: tuple[str, ...]) -> str | None:
        """The first column with a usual name that was not told to be something else."""
        return next(iter(self.usual(usual)), None)

    def could_be_of(self, heading: str, truth: str, share: float = SHARED) -> bool:
        """Return whether a column holds labels of another, or scores of its two classes."""
        two = self.present(truth).nunique() == 2
        if two and self.is_numeric(heading) and self.is_real(heading):
            return True
        return self.overlap(heading, truth) >= share

    def overlap(self, heading: str, truth: str) -> float:
        """Share of a column's cells that hold one of another column's values."""
        held, known = self.present(heading), self.present(truth)
        objects = cell_types.holds_objects(held) or cell_types.holds_objects(known)
        if not len(held) or held.dtype.kind == "f" or objects:
            return 0.0
        if held.dtype.kind not in "iufb" or known.dtype.kind not in "iufb":
            held, known = held.astype(str), known.astype(str)
        return float(held.isin(known.unique()).mean())

    def is_real(self, heading: str) -> bool:
        column = self.present(heading)
        if column.dtype.kind not in "iuf" and cell_types.share_of_numbers(column, ()) < 1:
            return False
        values = cell_types.as_numbers(column)
        return bool((values != np.trunc(values)).any())

    def is_numeric(self, heading: str) -> bool:
        return cell_types.share_of_numbers(self.frame[heading], self.marks) == 1

    def all_differ(self, heading: str) -> bool:
        """Return whether a column holds another name in each row, and no lists or objects."""
        column = self.frame[heading]
        return not cell_types.holds_objects(column) and column.is_unique

    def tells_rows(self, heading: str) -> bool:
        """Return whether a column holds another text in each row."""
        if self.frame[heading].dtype.kind in "iufb" or not self.all_differ(heading):
            return False
        column = self.present(heading)
        told = len(column) == len(self.frame) > 1
        return told and cell_types.share_of_numbers(column, ()) == 0

    def numbers_rows(self, heading: str) -> bool:
        """Return whether a column holds distinct whole numbers, as numbers of rows are."""
        if not self.is_numeric(heading):
            return False
        values = pd.to_numeric(self.present(heading), errors="coerce")
        distinct = len(values) == len(self.frame) >= FEW_ROWS and values.is_unique
        return distinct and bool((values % 1 == 0).all())

    def range(self, heading: str) -> float:
        values = pd.to_numeric(self.present(heading), errors="coerce")
        return float(values.abs().max()) if len(values) else 0.0

    @cached_property
    def chosen(self) -> frozenset[str]:
        """Columns of models that were asked for."""
        return frozenset(
            heading for wanted in self.columns.models or () for heading in self.headings
            if fnmatchcase(heading, wanted) or fnmatchcase(heading.partition(":")[0], wanted)
        )  # fmt: skip


def _present(frame: pd.DataFrame, marks: Collection[str], heading: str) -> pd.Series[Any]:
    """The cells of a column that are not missing."""
    column = frame[heading]
    return column[~cell_types.marked(column, marks)].dropna().infer_objects()


def find_truth(seen: Profile, *, beside: Collection[str | None] | None = None) -> str | None:
    """The column of the truth: told, by its name, or by its name and content.

    In rows of one model, whose other columns are those `beside`, the name is enough.
    """
    if seen.columns.true is not None:
        return seen.columns.true
    skip = seen.chosen if beside is None else beside
    sure = seen.usual(names.TRUE, skip)
    maybe = [] if sure else seen.usual(names.MAYBE_TRUE, skip)
    if beside is not None:
        return _one_truth(seen, sure) or next(iter(maybe), None)
    others = [h for h in seen.headings if h not in {*seen.told, *maybe}]
    return _one_truth(
        seen, [*sure, *(h for h in maybe if any(seen.could_be_of(o, h) for o in others))]
    )


def _one_truth(seen: Profile, named: Sequence[str]) -> str | None:
    """Return the first of several columns named like the truth, if they all agree."""
    for other in named[1:]:
        first = seen.frame[named[0]].astype(str)
        if not first.equals(seen.frame[other].astype(str).rename(first.name)):
            raise ValueError(
                f"{seen.where}: columns {named[0]!r} and {other!r} are both named like the "
                f"truth, and differ; say which it is with {told(true=named[0])}, "
                f"or name the models with models= (--model)."
            )
    return next(iter(named), None)


def check_labels(seen: Profile, true: str) -> None:
    """Refuse free texts as labels, which would make a class of every sample."""
    if seen.columns.kind != "auto" or cell_types.share_of_numbers(seen.frame[true], seen.marks):
        return
    held = seen.present(true)
    if cell_types.holds_objects(held):
        # Refused where labels are made of them.
        return
    n_distinct = held.nunique()
    if n_distinct >= _MANY_CLASSES and n_distinct > len(held) / 2:
        raise ValueError(
            f"{seen.where}: column {true!r} holds {n_distinct:,} different texts in "
            f"{len(held):,} rows; if they are texts, not classes, pass kind='texts' (--kind "
            "texts), else kind='labels' (--kind labels)."
        )
