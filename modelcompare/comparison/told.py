"""Warnings at the line of the caller's code, once, and with what they are about."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


def warn_of_each(texts: Iterable[str], category: type[Warning]) -> None:
    """Give one warning for each text, at the line outside of this package that asked."""
    for text in texts:
        warn_caller(text, category)


def warn_caller(text: str, category: type[Warning]) -> None:
    """Warn at the line outside of this package that asked."""
    frame = sys._getframe()
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    module = frame.f_globals.get("__name__", "<unknown>")
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(
        text, category, frame.f_code.co_filename, frame.f_lineno, module, registry
    )


def _is_ours(module: str) -> bool:
    # Decorators that are context managers call from the standard library.
    return module.partition(".")[0] in ("modelcompare", "contextlib")


@contextmanager
def held_back() -> Iterator[list[warnings.WarningMessage]]:
    """Hold all warnings back, in the list that this gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


@contextmanager
def each_warning_once() -> Iterator[None]:
    """Hold warnings back, and tell each of them once."""
    with held_back() as caught:
        yield
    for text, category in dict.fromkeys((str(each.message), each.category) for each in caught):
        warn_caller(text, category)
