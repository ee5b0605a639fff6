"""Tables: unrounded numbers in a frame, and columns that define their meaning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from modelcompare.report import numbers
from modelcompare.report.fields import Field, Kind
from modelcompare.words import is_missing, label_name, value_name

Direction = Literal["up", "down"]
# Classes that share the rows of a screen.
MAX_CLASSES = 5
MAX_SENTENCES = 9


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    title: str
    kind: Kind  # meaning, which sets the format and the alignment
    sources: Sequence[str]  # the columns of the frame that it shows
    decimals: int | None = None  # digits after the point; by default those of the row
    strong: str | None = None  # a column of the frame that flags cells in bold
    marks: str | None = None  # a column of the frame with superscripts for print
    direction: Direction | None = None  # which way is better
    continues: bool = False  # whether its title goes on after the name of the leader


def column(
    title: str, *fields: str, kind: Kind | None = None, decimals: int | None = None
) -> Column:
    """Make the column of a field, or of several; the kind follows from the name.

    >>> column("p", "p_value").kind, column("estimate").sources
    ('p-value', ('estimate',))
    """
    sources = fields or (title,)
    return Column(title, kind or Field(sources[0]).meaning, sources, decimals)


def column_of(field: Field) -> Column:
    """Make the column of a declared field."""
    return Column(field.heading, field.meaning, (field.name,))


def meanings(criterion: str) -> tuple[str, str]:
    """Return the two meanings of a mark beside a model or a pair, for the key."""
    return "best, or no significant difference", f"significant difference ({criterion})"


VALUE = column("metric", "metric", "label", kind="value")


def rows_at(frame: pd.DataFrame, **values: object) -> pd.DataFrame:
    """Keep the rows with these values; None matches missing ones."""
    kept = np.ones(len(frame), dtype=bool)
    for name, value in values.items():
        column = frame[name]
        kept &= np.asarray(column.isna() if is_missing(value) else column == value, dtype=bool)
    return frame[kept]


def interval_column(confidence_level: float, decimals: int | None = None) -> Column:
    """Intervals of this level, from `ci_low` to `ci_high`."""
    title = numbers.interval_title(confidence_level)
    return column(title, "ci_low", "ci_high", kind="interval", decimals=decimals)


def row_decimals(frame: pd.DataFrame) -> list[int]:
    """Return the decimals of each row: two digits of its error, or of a quarter interval."""
    quarters = (frame["ci_high"] - frame["ci_low"]) / 4
    return [numbers.decimals_for([error]) for error in frame.get("standard_error", quarters)]


@dataclass(frozen=True)
class Table:
    """A table, the input of every writer."""

    title: str
    columns: Sequence[Column]  # from left to right
    frame: pd.DataFrame  # a row for each row, unrounded
    subtitle: str = ""  # a remark after the title
    notes: Sequence[str] = ()  # remarks printed below
    decimals: int | Sequence[int] = 4  # digits after the point, for all rows or for each
    detail: bool = False  # whether it belongs to the table before and has no heading in documents
    drawn: tuple[str, str, str] | None = None  # low, middle, high of intervals that a screen draws
    # Makes these intervals at several levels, widest first, each in the order of the frame's index.
    graded: Callable[[], Mapping[float, Sequence[tuple[float, float]]]] | None = None
    n_shown: int = 30  # rows on a screen, without `--all`
    n_every: int = 0  # rows of each class with `--all`, if there are more than here
    unit: str = "row"  # name of a row's subject
    shown_first: Sequence[str] = ()  # classes by how much models differ, if not in row order
    metric: str = ""  # the metric of its rows, if there is one
    # A column of the frame that flags rows of a significant difference, and the criterion.
    tested: tuple[str, str] | None = None
    on_request: bool = False  # whether a page folds it, and a screen shows it with `--all` only
    every: Callable[[], Table] | None = None  # makes the table with all rows, if there are more

    @classmethod
    def of(
        cls, title: str, frame: pd.DataFrame, *columns: Column | str,
        decimals: int | Sequence[int] | None = 4, **others: Any,
    ) -> Table:  # fmt: skip
        """Make a table; the name is enough for a column under the title of its field.

        Without `decimals` each row is rounded by its own interval.

        >>> frame = pd.DataFrame({"model": ["a"], "n_folds": [5]})
        >>> Table.of("Folds", frame, "model", "n_folds").header
        ['model', 'folds']
        """
        made = [column_of(Field(each)) if isinstance(each, str) else each for each in columns]
        digits = row_decimals(frame) if decimals is None else decimals
        return cls(title, made, frame, decimals=digits, **others)

    @property
    def header(self) -> list[str]:
        """Return the titles of the columns."""
        return [column.title for column in self.columns]

    @property
    def rows(self) -> list[list[str]]:
        """Return the texts of all cells, rounded."""
        return [list(row) for row in zip(*map(self.texts, self.columns), strict=True)]

    def texts(self, column: Column) -> list[str]:
        """Return the texts of one column's cells, rounded."""
        write = _WRITERS.get(column.kind)
        if write is None:
            return [label_name(values[0]) for values, _ in self.cells(column)]
        return [write(values, decimals) for values, decimals in self.cells(column)]

    def cells(self, column: Column) -> Iterator[tuple[tuple[Any, ...], int]]:
        """Yield the values of each cell of a column, and their decimals."""
        values = zip(*(self.frame[name].tolist() for name in column.sources), strict=True)
        return zip(values, self._decimals(column), strict=True)

    def take(self, places: Sequence[int]) -> Table:
        """Keep some rows."""
        decimals = self.decimals
        if not isinstance(decimals, int):
            decimals = [decimals[place] for place in places]
        return replace(self, frame=self.frame.iloc[list(places)], decimals=decimals)

    @property
    def classes(self) -> list[str]:
        """Return the class of each row, if rows are grouped by class."""
        columns = [column for column in self.columns if column.kind == "class"]
        return [text for column in columns for text in self.texts(column)]

    def shortened(self) -> Table:
        """Keep the rows that fit a screen, shared between the classes."""
        n_classes = min(len({*self.classes}) or 1, MAX_CLASSES)
        return self.of_classes(n_classes, max(self.n_shown // n_classes, 1))

    def of_classes(self, most: int, room: int | None = None) -> Table:
        """Keep the classes where models differ most, and up to `room` rows of each.

        Rows without a class are of one class.
        """
        classes = self.classes or [""] * len(self.frame)
        names = list(dict.fromkeys(classes))
        if len(names) > most:
            names = [*(self.shown_first or names)][:most]
        places: dict[str, list[int]] = {name: [] for name in names}
        for place, name in enumerate(classes):
            if name in places:
                places[name].append(place)
        kept = [place for found in places.values() for place in found[:room]]
        return self if len(kept) == len(classes) else self.take(kept)

    def hidden(self, shown: Table) -> Counter[str]:
        """Count the rows and classes that a shorter table leaves out."""
        classes, kept = ({*table.classes} or {""} for table in (self, shown))
        n_here = sum(name in kept for name in self.classes) if self.classes else len(self.frame)
        n_rows = max(n_here, self.n_every * len(kept)) - len(shown.frame)
        return Counter({self.unit: n_rows, "class": len(classes) - len(kept)})

    def _decimals(self, column: Column) -> Sequence[int]:
        decimals = self.decimals if column.decimals is None else column.decimals
        return [decimals] * len(self.frame) if isinstance(decimals, int) else decimals


def without_shared_notes(tables: Iterable[Table]) -> tuple[list[Table], list[str]]:
    """Take the notes that several tables have out of them, so that each is written once.

    >>> frame = pd.DataFrame({"model": ["a"]})
    >>> one, two = (Table.of(name, frame, "model", notes=["Corrected.", name]) for name in "xy")
    >>> [table.notes for table in without_shared_notes([one, two])[0]]
    [['x'], ['y']]
    """
    given = [*tables]
    counts = Counter(note for table in given for note in dict.fromkeys(table.notes))
    shared = [note for note, n in counts.items() if n > 1]
    own = [[note for note in table.notes if note not in shared] for table in given]
    return [replace(table, notes=notes) for table, notes in zip(given, own, strict=True)], shared


def _as_given(value: Any) -> str:
    number = isinstance(value, float) and not is_missing(value)
    return f"{value:.6g}" if number else label_name(value)


# Kinds that are not here are names, and stay as they are.
_WRITERS: dict[Kind, Callable[[tuple[Any, ...], int], str]] = {
    "value": lambda values, _: value_name(*values),
    "slice": lambda values, _: f"{values[0]} = {label_name(values[1]) or 'missing'}",
    "estimate": lambda values, decimals: numbers.format_number(values[0], decimals),
    "difference": lambda values, decimals: numbers.format_number(values[0], decimals, signed=True),
    "interval": lambda values, decimals: numbers.format_interval(values[0], values[1], decimals),
    "ranks": lambda values, _: numbers.format_ranks(*values),
    "p-value": lambda values, _: numbers.format_p_value(values[0]),
    "share": lambda values, _: numbers.format_share(values[0]),
    "count": lambda values, _: "" if is_missing(values[0]) else f"{values[0]:,.0f}",
    "size": lambda values, _: numbers.format_digits(values[0]),
    "setting": lambda values, _: f"{values[0]:g}",
    "given": lambda values, _: _as_given(values[0]),
}
