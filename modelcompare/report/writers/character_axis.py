"""Intervals drawn in characters, on one axis for all rows of a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from rich.text import Text

from modelcompare.report.numbers import nice_ticks

# The characters of an interval: left end, line, right end, point.
Glyphs = tuple[str, str, str, str]
UNICODE: Glyphs = ("├", "─", "┤", "●")
ASCII: Glyphs = ("|", "-", "|", "o")
# Styles of nested intervals, from the widest to the narrowest.
GRADES = ("dim cyan", "cyan", "bold")
# Lines of a character, by the weights of its left and its right half: none, light, heavy.
_HALVES = (" \u2576\u257a", "\u2574\u2500\u257c", "\u2578\u257e\u2501")


@dataclass(frozen=True)
class CharacterAxis:
    """An axis of `width` characters, `low` at the middle of the first, `high` of the last.

    >>> axis = CharacterAxis.over([0.60, 0.70], width=25)
    >>> print(axis.header())
    0.60      0.65       0.70
    >>> print(axis.draw(0.65, 0.67, 0.70))
                ├────●──────┤
    """

    low: float
    high: float
    width: int

    @classmethod
    def over(cls, values: Iterable[float], *, width: int) -> CharacterAxis:
        """Make the shortest axis with all finite values."""
        finite = [value for value in values if math.isfinite(value)]
        low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
        if high <= low:
            margin = abs(low) * 0.01 or 1.0
            low, high = low - margin, high + margin
        return cls(low, high, width)

    def position(self, value: float) -> int:
        """Return the index of a value's character."""
        share = (value - self.low) / (self.high - self.low)
        return min(max(round(share * (self.width - 1)), 0), self.width - 1)

    def draw(self, low: float, estimate: float, high: float, *, glyphs: Glyphs = UNICODE) -> str:
        """Draw one interval; nothing where the estimate is undefined."""
        if not math.isfinite(estimate):
            return " " * self.width
        cells = [" "] * self.width
        left, line, right, point = glyphs
        if math.isfinite(low) and math.isfinite(high):
            first, last = self.position(low), self.position(high)
            cells[first : last + 1] = line * (last - first + 1)
            cells[first], cells[last] = left, right
        cells[self.position(estimate)] = point
        return "".join(cells)

    def draw_graded(self, ends: Sequence[tuple[float, float]], estimate: float) -> Text:
        """Draw nested intervals, widest first, in half characters, heavier towards the middle."""
        if not math.isfinite(estimate):
            return Text(" " * self.width)
        halves = [0] * (2 * self.width)
        for grade, (low, high) in enumerate(ends, start=1):
            if math.isfinite(low) and math.isfinite(high):
                first, after = math.floor(self._half(low)), math.ceil(self._half(high))
                halves[first:after] = [grade] * (after - first)
        cells = [
            (_HALVES[min(left, 2)][min(right, 2)], GRADES[grade - 1] if grade else "")
            for left, right in zip(halves[::2], halves[1::2], strict=True)
            for grade in [max(left, right)]
        ]
        cells[self.position(estimate)] = UNICODE[-1], GRADES[-1]
        alike = groupby(cells, key=itemgetter(1))
        return Text.assemble(*(("".join(line for line, _ in part), style) for style, part in alike))

    def _half(self, value: float) -> float:
        """Return the place of a value in half characters, that of `low` is 1."""
        share = (value - self.low) / (self.high - self.low)
        return 1 + 2 * (self.width - 1) * min(max(share, 0.0), 1.0)

    def header(self) -> str:
        """Return the labels of the axis, each centred over its character if the width allows."""
        lines = (self._place(nice_ticks(self.low, self.high, most=most)) for most in (5, 4, 3, 2))
        return next((line for line in lines if line is not None), " " * self.width)

    def _place(self, ticks: list[float]) -> str | None:
        """Write the ticks into one line, or give up where two would touch."""
        line = [" "] * self.width
        free_from = 0
        for tick, text in zip(ticks, _tick_texts(ticks), strict=True):
            start = min(max(self.position(tick) - len(text) // 2, 0), self.width - len(text))
            if start < free_from:
                return None
            line[start : start + len(text)] = text
            free_from = start + len(text) + 2
        return "".join(line)


# Ticks from here up, or below, are written with an exponent.
_LARGE, _SMALL = 1e7, 1e-5


def _tick_texts(ticks: list[float]) -> list[str]:
    """Write all ticks with the decimals that the finest needs."""
    largest = max((abs(tick) for tick in ticks), default=0.0)
    if largest >= _LARGE or 0 < largest < _SMALL:
        return [f"{tick:.3g}" for tick in ticks]
    digits = (f"{tick:.10f}".rstrip("0").partition(".")[2] for tick in ticks)
    decimals = max(map(len, digits), default=0)
    return [f"{tick:.{decimals}f}" for tick in ticks]
