"""Intervals of a table as bars in its rows, for a page and for a notebook."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from modelcompare.report.numbers import nice_ticks
from modelcompare.report.tables import Table, meanings

_MARGIN = 2.0
# A circle, and a diamond where a difference is significant: the shapes differ without colour.
_SHAPES = ('<circle r="4.5"/>', '<path d="M-5.5 0 0-5.5 5.5 0 0 5.5z"/>')


@dataclass(frozen=True)
class Bars:
    """One scale for all rows of a table, and the markup of each row's interval."""

    after: int  # columns on the left of the bars
    low: float
    high: float
    ticks: list[tuple[str, str]]  # position and text
    marks: list[str]


def bars_of(table: Table, more: Iterable[float] = ()) -> Bars | None:
    """Draw the interval of each row on a scale that also has room for `more` numbers.

    There are no bars without an interval after an estimate, or if rows have different metrics.
    """
    columns = table.columns
    places = [
        place
        for place, column in enumerate(columns[1:], start=1)
        if column.kind == "interval" and columns[place - 1].kind in ("estimate", "difference")
    ]
    values = [column for column in columns if column.kind == "value"]
    if not places or any(table.frame[each.sources[0]].nunique() > 1 for each in values):
        return None
    value, interval = columns[places[0] - 1 : places[0] + 1]
    signed = value.kind == "difference"
    ends = [interval.sources[0], value.sources[0], interval.sources[1]]
    rows = table.frame[ends].to_numpy(dtype=float).tolist()
    finite = [*filter(math.isfinite, [*more, *(number for row in rows for number in row)])]
    if not finite:
        return None
    lowest, highest = (
        (min(0.0, *finite), max(0.0, *finite)) if signed else (min(finite), max(finite))
    )
    if lowest == highest:
        lowest, highest = lowest - 1, highest + 1

    def at(number: float) -> str:
        return f"{_MARGIN + (100 - 2 * _MARGIN) * (number - lowest) / (highest - lowest):.1f}%"

    zero = at(0.0) if signed else ""
    differs = table.frame[table.tested[0]].tolist() if table.tested else [None] * len(rows)
    marks = [
        _mark((at(low), at(middle), at(high)), zero, flag)
        if math.isfinite(low + middle + high)
        else ""
        for (low, middle, high), flag in zip(rows, differs, strict=True)
    ]
    ticks = [(at(tick), f"{tick:g}") for tick in nice_ticks(lowest, highest, most=3)]
    return Bars(places[0] + 1, lowest, highest, ticks, marks)


def key_of(tested: tuple[str, str]) -> list[tuple[str, str]]:
    """Return the sample and the meaning of each look of a bar."""
    samples = (_mark(("0%", "50%", "100%"), "", differs) for differs in (False, True))
    return [*zip(samples, meanings(tested[1]), strict=True)]


def _mark(ends: tuple[str, str, str], zero: str, differs: bool | None) -> str:
    """Write one bar as SVG; a page's script writes the same. None is a row without a test."""
    low, middle, high = ends
    line = f'<line class="zero" x1="{zero}" x2="{zero}" y2="100%"/>' if zero else ""
    look = {None: "plain", False: "same", True: "differs"}[differs]
    return (
        f'<svg aria-hidden="true" class="{look}">{line}'
        f'<line x1="{low}" x2="{high}" y1="50%" y2="50%"/>'
        f'<svg x="{middle}" y="50%">{_SHAPES[bool(differs)]}</svg></svg>'
    )
