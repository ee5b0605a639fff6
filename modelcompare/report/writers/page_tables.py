"""Tables as a page shows them: what there is room for, intervals as bars, and all pairs as data."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from modelcompare.report.escape import json as escape_json
from modelcompare.report.escape import visible
from modelcompare.report.fields import RIGHT
from modelcompare.report.figures.selection import part_shown
from modelcompare.report.numbers import nice_ticks
from modelcompare.report.tables import Column, Table

# Rows of pairs that a page holds for other baselines, of all classes of all metrics together.
ROOM = 12_000
_MOST_ROWS = 300
_MOST_NOTES = 60
_FEWEST_CLASSES = 3
# No more rows of all pairs than this are made.
_MOST_PAIRS = 200_000
_NUMBERS = RIGHT | {"ranks", "interval", "p-value"}
_MARGIN = 2.0


@dataclass(frozen=True)
class Axis:
    """What bars are drawn on, in percent of their width."""

    low: float
    high: float

    @classmethod
    def over(cls, values: Iterable[float], *, zero: bool) -> Axis | None:
        """The axis that holds all finite values, and 0 if asked for; none without values."""
        finite = [value for value in values if math.isfinite(value)]
        if not finite:
            return None
        low, high = (min(0.0, *finite), max(0.0, *finite)) if zero else (min(finite), max(finite))
        return cls(low, high) if low < high else cls(low - 1, high + 1)

    def place(self, value: float) -> str:
        """Where a value stands."""
        share = (value - self.low) / (self.high - self.low)
        return f"{_MARGIN + (100 - 2 * _MARGIN) * share:.1f}%"

    @property
    def ticks(self) -> list[tuple[str, str]]:
        """Places and texts of a few round numbers."""
        return [(self.place(tick), f"{tick:g}") for tick in nice_ticks(self.low, self.high, most=3)]


@dataclass(frozen=True)
class Bar:
    """An interval and its estimate, as places on an axis."""

    low: str
    high: str
    middle: str
    zero: str


@dataclass(frozen=True)
class Heading:
    """What a page must know of a column."""

    text: str
    kind: str  # what its cells are: "text", "number" (and "right" aligned), or "bar"


@dataclass(frozen=True)
class Drawn:
    """The column of bars: where it stands, its axis, and whether it has a line at 0."""

    after: int
    ends: tuple[str, str, str]
    axis: Axis
    signed: bool


@dataclass(frozen=True)
class PageTable:
    """A table on a page, with what it leaves out and the pairs to choose from."""

    key: str  # part of the ids of what belongs to it
    table: Table  # the rows that are shown
    left_out: str = ""
    pairs: Table | None = None

    @property
    def title(self) -> str:
        return visible(self.table.title)

    @property
    def subtitle(self) -> str:
        return visible(self.table.subtitle)

    @property
    def notes(self) -> list[str]:
        """What must be known."""
        notes = list(map(visible, self.table.notes))
        more = len(notes) - _MOST_NOTES
        return [*notes[:_MOST_NOTES], f"and {more:,} more like these."] if more > 0 else notes

    @property
    def notes_of_others(self) -> list[str]:
        """What must be known besides where another baseline is chosen."""
        notes = () if self.pairs is None else self.pairs.notes
        return [visible(note) for note in notes if note not in self.table.notes]

    @cached_property
    def bars(self) -> Drawn | None:
        """Bars of the interval that the table has, if its rows share one scale."""
        found = _interval_of(self.table)
        values = [c for c in self.table.columns if c.kind == "value"]
        if found is None or any(self.table.frame[c.sources[0]].nunique() > 1 for c in values):
            return None
        after, ends, signed = found
        numbers = self.table.frame[list(ends)].to_numpy(dtype=float).ravel().tolist()
        if self.pairs is not None:
            turned = self.pairs.frame[list(ends)].to_numpy(dtype=float).ravel().tolist()
            numbers = [*turned, *(-number for number in turned)]
        axis = Axis.over(numbers, zero=signed)
        return None if axis is None else Drawn(after, ends, axis, signed)

    @property
    def headings(self) -> list[Heading]:
        """Titles of the columns, that of the bars among them."""
        found = [Heading(visible(column.title), _kind(column)) for column in self.table.columns]
        if self.bars is not None:
            found.insert(self.bars.after, Heading("", "bar"))
        return found

    @property
    def rows(self) -> Iterator[list[str | Bar]]:
        """Cells from left to right."""
        bars = self._bars()
        for cells in self.table.rows:
            row: list[str | Bar] = list(map(visible, cells))
            if self.bars is not None:
                row.insert(self.bars.after, next(bars))
            yield row

    def _bars(self) -> Iterator[str | Bar]:
        """A bar for each row; nothing where there is no interval."""
        if self.bars is None:
            return
        axis = self.bars.axis
        zero = axis.place(0.0) if self.bars.signed else ""
        for ends in self.table.frame[list(self.bars.ends)].to_numpy(dtype=float).tolist():
            known = all(map(math.isfinite, ends))
            low, middle, high = map(axis.place, ends) if known else ("", "", "")
            yield Bar(low, high, middle, zero) if known else ""

    @property
    def classes(self) -> list[str]:
        """The classes that rows stand below."""
        return list(dict.fromkeys(map(visible, self.table.classes)))

    @property
    def data(self) -> str:
        """All pairs as JSON that a page may hold: names once, then a list for each row."""
        if self.pairs is None:
            return ""
        first, second = (c for c in self.pairs.columns if c.kind == "text")
        numbers = [c for c in self.pairs.columns if c.kind not in ("text", "class")]
        names = list(dict.fromkeys([*self.pairs.texts(first), *self.pairs.texts(second)]))
        classes = self.pairs.classes or [""] * len(self.pairs.frame)
        place = {name: i for i, name in enumerate(names)}
        sides = [[place[name] for name in self.pairs.texts(side)] for side in (first, second)]
        of_class = {name: i for i, name in enumerate(dict.fromkeys(classes))}
        rows = zip([of_class[c] for c in classes], *sides, *map(self.pairs.texts, numbers),
                   strict=True)  # fmt: skip
        held = {"models": list(map(visible, names)), "classes": list(map(visible, of_class)),
                "rows": list(rows)}  # fmt: skip
        return escape_json(json.dumps(held, separators=(",", ":"))).replace("<", "\\u003c")


def page_tables(
    tables: Mapping[str, Table], every: Mapping[str, Table], prefix: str
) -> dict[str, PageTable]:
    """Tables as far as there is room; `every` holds those with the rows of all pairs.

    Metrics of classes share the room for pairs, and so do all others.
    """
    found = {}
    left = {"classes": ROOM, "others": ROOM}
    n_by_class = len({table.metric for table in tables.values() if table.classes})
    for place, (name, table) in enumerate(tables.items()):
        together = [other for other in tables.values() if _together(table, other)]
        n_classes = _classes_kept(together, ROOM // max(n_by_class, 1))
        shown, left_out = _shortened(table, n_classes)
        pairs = None
        if name in every and len(every[name].frame) > len(table.frame):
            pairs, _ = _shortened(every[name], n_classes)
            kind = "classes" if table.classes else "others"
            left[kind] -= len(pairs.frame)
            pairs = pairs if left[kind] >= 0 else None
        found[name] = PageTable(f"{prefix}{place}", shown, left_out, pairs)
    return found


def pairs_fit(tables: Iterable[Table]) -> bool:
    """Whether all pairs are few enough to be made, to choose from."""
    n_rows = sum(table.n_every * max(len({*table.classes}), 1) for table in tables)
    return n_rows <= _MOST_PAIRS


def _together(table: Table, other: Table) -> bool:
    """Whether two tables show the same classes."""
    return other is table or (other.metric == table.metric != "")


def _classes_kept(tables: Sequence[Table], room: int) -> int:
    """How many classes of a metric fit into so many rows of pairs."""
    rows = [max(len(t.frame) / max(len({*t.classes}), 1), t.n_every, 1) for t in tables]
    return max(int(room / max(rows)), _FEWEST_CLASSES)


def _shortened(table: Table, n_classes: int) -> tuple[Table, str]:
    """The rows that there is room for, by class if there are any, and what is said of the rest."""
    classes = table.classes
    every = list(dict.fromkeys(classes))
    if not classes:
        n_rows = len(table.frame)
        shown = table if table.metric else table.take(range(min(n_rows, _MOST_ROWS)))
        return shown, part_shown(len(shown.frame), n_rows, table.unit, "the first")
    if len(every) <= n_classes:
        return table, ""
    names = list((table.foremost or every)[:n_classes])
    rows_of: dict[str, list[int]] = {name: [] for name in names}
    for place, name in enumerate(classes):
        if name in rows_of:
            rows_of[name].append(place)
    shown = table.take([place for places in rows_of.values() for place in places])
    return shown, part_shown(len(names), len(every), "class", "where models differ most")


def _kind(column: Column) -> str:
    if column.kind in RIGHT:
        return "number right"
    return "number" if column.kind in _NUMBERS else "text"


def _interval_of(table: Table) -> tuple[int, tuple[str, str, str], bool] | None:
    """Place behind the interval's column, its ends with the value before it, and its sign."""
    for place, column in enumerate(table.columns):
        if column.kind == "interval" and place > 0:
            value: Column = table.columns[place - 1]
            low, high = column.sources
            if value.kind in ("estimate", "difference"):
                ends = (low, value.sources[0], high)
                return place + 1, ends, value.kind == "difference"
    return None
