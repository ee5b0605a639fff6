"""Rows of a comparison with another program, their times, and the tables made of them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
# Runs shorter than this are repeated, and the best one counts.
_SHORT = 2.0


@dataclass(frozen=True)
class Row:
    """One quantity as both programs give it; a text describes what one of them does instead."""

    what: str
    theirs: float | str
    ours: float | str

    def cells(self) -> list[str]:
        numbers = [value for value in (self.theirs, self.ours) if isinstance(value, float)]
        apart = _short(abs(numbers[0] - numbers[1])) if len(numbers) == 2 else ""
        return [self.what, _shown(self.theirs), _shown(self.ours), apart]


@dataclass(frozen=True)
class Task:
    """The same task in both programs: what it was, the rows, and both times in seconds."""

    program: str
    what: str
    rows: list[Row]
    theirs: float
    ours: float

    def table(self) -> str:
        """Table of the rows, and of the times below them."""
        ratio = [f"{self.theirs:.2g}", f"{self.ours:.2g}", _times(self.theirs / self.ours)]
        head = ["", self.program, "modelcompare", "apart"]
        body = [row.cells() for row in self.rows]
        return markdown([head, *body, ["seconds", *ratio]])


def timed(call: Callable[[], T]) -> tuple[T, float]:
    """What a call returns, and the seconds of it; of a short one the best of three."""
    found, seconds = _once(call)
    if seconds < _SHORT:
        seconds = min(seconds, *(_once(call)[1] for _ in range(2)))
    return found, seconds


def markdown(rows: list[list[str]]) -> str:
    """A table whose first row is its head; all columns but the first hold numbers."""
    rule = ["---", *["---:"] * (len(rows[0]) - 1)]
    return "".join(f"| {' | '.join(row)} |\n" for row in [rows[0], rule, *rows[1:]])


def _once(call: Callable[[], T]) -> tuple[T, float]:
    start = time.perf_counter()
    return call(), time.perf_counter() - start


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.4f}"


def _short(value: float) -> str:
    """A difference; what only the order of a sum makes is 0."""
    if value < 1e-12:
        return "0"
    return f"{value:.4f}" if value >= 1e-4 else f"{value:.0e}"


def _times(ratio: float) -> str:
    """A ratio of times to two digits."""
    return f"{ratio:.2g} times" if ratio < 100 else f"{float(f'{ratio:.2g}'):,.0f} times"
