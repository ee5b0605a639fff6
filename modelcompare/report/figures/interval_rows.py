"""Intervals in named rows."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from itertools import accumulate, pairwise
from typing import NamedTuple

from modelcompare import escape
from modelcompare.report.figures.style import (
    DIFFERENT,
    SAME,
    UNTESTED,
    Look,
    describe,
    plain_axes,
)
from modelcompare.report.figures.types import Axes
from modelcompare.report.writers.terminal import break_name

NAME_WIDTH = 26
MINUS = "\N{MINUS SIGN}"
_LINE_HEIGHT = 0.215


class Row(NamedTuple):
    """One interval under its name."""

    text: str
    ends: tuple[float, ...] | None = None  # estimate, low, high; none of a heading or without value
    differs: bool | None = False  # significantly, from the best or from zero; None: not tested
    description: str = ""  # the same in words and rounded numbers


def wrapped_name(*names: str) -> str:
    """Break long names into lines."""
    return "\n".join(
        line for name in names for line in break_name(escape.visible(name), NAME_WIDTH)
    )


def height_of(rows: Sequence[Row]) -> float:
    """Height of a panel with these rows, in inches."""
    return _LINE_HEIGHT * sum(1 + row.text.count("\n") for row in rows) + 0.75


def draw_intervals(
    rows: Sequence[Row], title: str, label: str, axes: Axes, *, whole: bool = False,
    signed: bool = False,
) -> None:  # fmt: skip
    """Draw rows from top to bottom, each as high as its name.

    The scale may have `whole` numbers alone; that of `signed` ones has a line at zero.
    """
    plain_axes(axes, title, grid="x")
    axes.set_xlabel(label)
    positions = name_rows(axes, [(row.text, row.ends) for row in rows])
    placed = [(y, row) for y, row in zip(positions, rows, strict=True) if row.ends]
    for differs, look in ((None, UNTESTED), (False, SAME), (True, DIFFERENT)):
        _draw_rows(axes, [(y, row) for y, row in placed if row.differs is differs], look)
    axes.margins(x=0.06)
    axes.locator_params(axis="x", nbins=6, integer=whole)
    if signed:
        _draw_zero(axes)


def name_rows(axes: Axes, rows: Sequence[tuple[str, Sized | None]]) -> list[float]:
    """Name rows from top to bottom, each as high as its lines of text; return their middles.

    Beside its name a row has what it draws: None under a heading, which is bold, and nothing where
    there is no value; such a row reads undefined.
    """
    edges = [0, *accumulate(name.count("\n") + 1 for name, _ in rows)]
    positions = [(top + bottom) / 2 for top, bottom in pairwise(edges)]
    axes.set_yticks(positions, [name for name, _ in rows])
    axes.set_ylim(edges[-1], 0)
    for tick, position, (_, drawn) in zip(axes.get_yticklabels(), positions, rows, strict=True):
        if drawn is None:
            tick.set_fontweight("bold")
        elif not len(drawn):
            axes.text(0.02, position, "undefined", transform=axes.get_yaxis_transform(),
                      va="center")  # fmt: skip
    return positions


def _draw_rows(axes: Axes, placed: Sequence[tuple[float, Row]], look: Look) -> None:
    """Draw the intervals of rows that look alike."""
    if not placed:
        return
    y, rows = zip(*placed, strict=True)
    estimate, low, high = zip(*(row.ends or () for row in rows), strict=True)
    lines = axes.hlines(y, low, high, color=look.colour, linewidth=1.6)
    points = axes.plot(estimate, y, **look.options(linestyle="", markersize=5))
    for artist in (lines, *points):
        describe(artist, [row.description for row in rows])


def _draw_zero(axes: Axes) -> None:
    """Mark the place where two models are equal, and write signs on the scale."""
    from matplotlib.ticker import FuncFormatter

    axes.axvline(0, color="black", linewidth=0.9, zorder=1)
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda value, _: "0" if value == 0 else f"{value:+.6g}".replace("-", MINUS))
    )
