"""Sources that are recognized whole, before any column is given a role: counts, and plugins'."""

from __future__ import annotations

from collections.abc import Sequence

from modelcompare.plugs import first
from modelcompare.readers.content import File
from modelcompare.readers.item_counts import counts_reading
from modelcompare.readers.options import Columns
from modelcompare.readers.reading import Reading


def recognized(files: Sequence[File], columns: Columns) -> Reading | None:
    """Read files that are one test set together, of counts or by a plugin; None for others."""
    of_counts = counts_reading(files, columns)
    found: Reading | None = first("readers", files, columns) if of_counts is None else of_counts
    return found
