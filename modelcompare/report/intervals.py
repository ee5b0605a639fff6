"""Intervals drawn in characters, on an axis that a column of them shares."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from modelcompare.report.numbers import nice_ticks


@dataclass(frozen=True)
class Glyphs:
    """The characters of an interval."""

    left: str
    line: str
    right: str
    point: str


UNICODE = Glyphs("├", "─", "┤", "●")
ASCII = Glyphs("|", "-", "|", "o")


@dataclass(frozen=True)
class CharacterAxis:
    """An axis of `width` characters from `low` to `high`.

    Parameters
    ----------
    low, high : float
        Values at the middle of the first and of the last character.
    width : int
        Number of characters.

    Examples
    --------
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
        """Make the axis that just holds all finite values."""
        finite = [value for value in values if math.isfinite(value)]
        low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
        if high <= low:
            margin = abs(low) * 0.01 or 1.0
            low, high = low - margin, high + margin
        return cls(low, high, width)

    def position(self, value: float) -> int:
        """Index of the character that stands for a value."""
        share = (value - self.low) / (self.high - self.low)
        return min(max(round(share * (self.width - 1)), 0), self.width - 1)

    def draw(self, low: float, estimate: float, high: float, *, glyphs: Glyphs = UNICODE) -> str:
        """Draw one interval; nothing where the estimate is undefined."""
        if not math.isfinite(estimate):
            return " " * self.width
        cells = [" "] * self.width
        if math.isfinite(low) and math.isfinite(high):
            first, last = self.position(low), self.position(high)
            cells[first : last + 1] = [glyphs.line] * (last - first + 1)
            cells[first], cells[last] = glyphs.left, glyphs.right
        cells[self.position(estimate)] = glyphs.point
        return "".join(cells)

    def header(self) -> str:
        """Labels of the axis, each centred over its character as far as there is room."""
        for most in (5, 4, 3, 2):
            line = self._place(nice_ticks(self.low, self.high, most=most))
            if line is not None:
                return line
        return " " * self.width

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
    decimals = max((_decimals(tick) for tick in ticks), default=0)
    return [f"{tick:.{decimals}f}" for tick in ticks]


def _decimals(value: float) -> int:
    """Count the decimals of the shortest text that gives the value back."""
    text = f"{value:.10f}".rstrip("0")
    return len(text.partition(".")[2])
