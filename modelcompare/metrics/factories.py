"""Functions that make metrics with options, of which one may be part of the name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Factory:
    """The function that made a metric, so that it can be made with other options.

    Parameters
    ----------
    make : callable
        Returns the metric, given options by keyword.
    options : mapping
        The options of this metric.
    pattern : str
        Name of the metric with a field for the one option that the name may contain:
        ``f{beta}``; empty if there is none.
    choices : tuple of str
        Values of that option, if it is not a number.
    meanings : mapping of str to (str, str)
        Type and meaning of options that no other metric has, for the plain function's docstring.
    soft : bool
        Whether the metric is the soft twin of the one that `make` returns.
    """

    make: Callable[..., Any]
    options: Mapping[str, Any]
    pattern: str = ""
    choices: tuple[str, ...] = ()
    meanings: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    soft: bool = False

    def made(self, **options: Any) -> Any:
        """Return the metric with some other options."""
        found = self.make(**{**self.options, **options})
        return found.soft if self.soft else found


@dataclass(frozen=True)
class OwnIntervals:
    """Intervals that a metric has by "auto", as places of functions, "module:function".

    Parameters
    ----------
    of : str
        ``of(contrasts, metric, level)`` returns them.
    refusal : str
        ``refusal(predictions, names)`` returns the reason why metrics of these names have none on a
        test set; an empty text where they have.
    note : str
        On the test of such metrics, below tables.
    """

    of: str
    refusal: str
    note: str = ""
