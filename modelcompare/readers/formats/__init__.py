"""Formats of the logs of evaluation tools: each module here has some as its public constants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pkgutil import iter_modules

import pandas as pd

from modelcompare.plugs import load, rows_of_others
from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format

__all__ = ["FORMATS", "Format", "format_of", "lone_table"]


def _of_modules() -> Iterator[Format]:
    """Yield the formats of every module here."""
    for module in iter_modules(__path__, f"{__name__}."):
        public = (it for name, it in vars(load(module.name)).items() if not name.startswith("_"))
        yield from (each for each in public if isinstance(each, Format))


# The first that recognises a file reads it; those that any text is of are tried last.
FORMATS = tuple(sorted(_of_modules(), key=lambda each: each.any_text))


def lone_table(files: Sequence[File]) -> pd.DataFrame | None:
    """Return the table of a source that is one table of any models; None for others."""
    first = files[0]
    is_lone = len(files) == 1 and isinstance(first.payload, pd.DataFrame) and not first.is_named
    return first.payload if is_lone and format_of(first) is None else None


def format_of(opened: File) -> Format | None:
    """Return the format of a log, or None for a plain table."""
    return _first(FORMATS, opened) or _first(rows_of_others("formats"), opened)


def _first(formats: Iterable[Format], opened: File) -> Format | None:
    """Return the first format that recognises a file."""
    return next((each for each in formats if each.recognises(opened)), None)
