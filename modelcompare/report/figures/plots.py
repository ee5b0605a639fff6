"""Figures of a result: calling `result.plot` draws the first, its methods draw each.

Every one returns a matplotlib Figure, which notebooks show and whose ``save(path)`` writes .png,
.svg or .pdf with the signature in the file. With `ax` given, the first panel is drawn into it, and
its figure is returned.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from types import MethodType, SimpleNamespace
from typing import Any

from modelcompare.arguments import check_arguments
from modelcompare.plugs import needed
from modelcompare.report.figures.types import Figure


class Plots(SimpleNamespace):
    """The figures of a class of results, by name: functions of a result, and then its methods."""

    def __get__(self, result: Any, _kind: type) -> Plots:
        """Bind all figures to a result."""
        if result is None:
            return self
        return Plots(**{
            name: MethodType(_named(name, draw), result) for name, draw in self.figures.items()
        })  # fmt: skip

    def __call__(self, *arguments: Any, **options: Any) -> Figure:
        """Draw the first figure."""
        # Figures of replicates alone may all be those of a plugin.
        found: Figure = getattr(self, next(iter(self.figures), "raincloud"))(*arguments, **options)
        return found

    @property
    def figures(self) -> dict[str, Callable[..., Figure]]:
        """Functions that draw the figures, by name."""
        return vars(self)

    def __getattr__(self, name: str) -> Any:
        """Refuse an unknown figure; one that a plugin adds, by the plugin's name."""
        text = f"there is no figure {name!r}; there are {', '.join(self.figures)}"
        raise AttributeError(needed(f"plot.{name}") or text)

    def __repr__(self) -> str:
        return f"figures: {', '.join(f'plot.{name}()' for name in sorted(self.figures))}"


def _named(name: str, draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """Answer an argument that a figure has not with the one that was meant."""

    @wraps(draw)
    def drawn(result: Any, *arguments: Any, **options: Any) -> Figure:
        check_arguments(f"plot.{name}", [*signature(draw).parameters][1:], options)
        return draw(result, *arguments, **options)

    return drawn
