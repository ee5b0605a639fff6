"""Sources that are recognized whole, before any column is given a role: counts, and plugins'."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeAlias

from modelcompare.plugs import rows
from modelcompare.readers.content import File
from modelcompare.readers.item_counts import counts_reading
from modelcompare.readers.options import Columns
from modelcompare.readers.reading import Reading

# Reads files that are one test set together; None for files of another format.
Reader: TypeAlias = Callable[[Sequence[File], Columns], Reading | None]


@cache
def readers() -> tuple[Reader, ...]:
    """Return the readers of whole sources, in the order in which they are asked."""
    return (counts_reading, *rows("readers"))


def recognized(files: Sequence[File], columns: Columns) -> Reading | None:
    """Read files of a format that is recognized whole; None for others."""
    found = (read(files, columns) for read in readers())
    return next((reading for reading in found if reading is not None), None)
