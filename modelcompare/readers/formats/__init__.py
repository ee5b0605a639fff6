"""Formats of logs, which plugins add: recognition, and documents that have none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pkgutil import iter_modules
from typing import NoReturn

import pandas as pd

from modelcompare import plugs
from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format

__all__ = ["Format", "format_of", "formats_in", "lone_table", "refuse_unread"]


def formats_in(package: str) -> tuple[Format, ...]:
    """Return the formats that are public constants of the modules of a package.

    The first that recognises a file reads it; those that any text is of are tried last.
    """
    return tuple(sorted(_of_modules(package), key=lambda each: each.any_text))


def _of_modules(package: str) -> Iterator[Format]:
    for module in iter_modules(plugs.load(package).__path__, f"{package}."):
        public = (
            it for name, it in vars(plugs.load(module.name)).items() if not name.startswith("_")
        )
        yield from (each for each in public if isinstance(each, Format))


def lone_table(files: Sequence[File]) -> pd.DataFrame | None:
    """Return the table of a source that is one table of any models; None for others."""
    file, *others = files
    is_lone = isinstance(file.payload, pd.DataFrame) and not (others or file.is_named)
    return file.payload if is_lone and format_of(file) is None else None


def format_of(opened: File) -> Format | None:
    """Return the format of a log, or None for a plain table."""
    return _first(plugs.rows("formats"), opened) or _first(plugs.rows_of_others("formats"), opened)


def _first(formats: Iterable[Format], opened: File) -> Format | None:
    """Return the first format that recognises a file."""
    return next((each for each in formats if each.recognises(opened)), None)


def refuse_unread(file: File) -> NoReturn:
    """Refuse a document that is no log and no table, with what it is and the table to make."""
    absent = plugs.needed("a log of a tool")
    raise ValueError(
        plugs.first("unread", file)
        or f"{file.name} has no known format; give a table (csv, jsonl, parquet) of one row for "
        "each sample, or a log that `modelcompare` knows (README, Your predictions)."
        + (f" {absent[0].upper()}{absent[1:]}." if absent else "")
    )
