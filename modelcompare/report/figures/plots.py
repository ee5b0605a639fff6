"""The base of `result.plot`: calling it draws the first figure, its methods draw each.

Every method returns a matplotlib Figure, which notebooks show and whose ``save(path)`` writes .png,
.svg or .pdf with the signature in the file. With `ax` given, the first panel is drawn into it, and
the figure that holds it is returned.
"""

from __future__ import annotations

from typing import Generic, TypeVar

R = TypeVar("R")


class Plots(Generic[R]):
    """The figures of one result."""

    def __init__(self, result: R) -> None:
        self._result = result

    def __repr__(self) -> str:
        names = [name for name in dir(self) if not name.startswith("_")]
        return f"figures: {', '.join(f'plot.{name}()' for name in names)}"
