"""Warnings at the line of the caller's code, once, and with what they are about."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from modelcompare.words import warn_caller


def warn_of_each(texts: Iterable[str], category: type[Warning]) -> None:
    """Give one warning for each text, at the line outside of this package that asked."""
    for text in texts:
        warn_caller(text, category)


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
