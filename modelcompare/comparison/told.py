"""Warnings that are held back, and given once."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from modelcompare.words import warn_caller


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
