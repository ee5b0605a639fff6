"""The command that reads a source, guessed from its columns, for errors that name no column."""

from __future__ import annotations

import os
import shlex
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import Any

import pandas as pd

from modelcompare.data.positive import UnnamedError
from modelcompare.directions import direction_of
from modelcompare.readers import cell_types, names
from modelcompare.readers.content import File
from modelcompare.readers.messages import DoubtError, as_flags
from modelcompare.readers.options import Columns

# What errors write where no column is sure.
_UNNAMED = "COLUMN"
_MOST_TRIES, _MOST_ROWS, _MOST_PATHS = 12, 100_000, 3

Options = dict[str, Any]


def with_command(
    error: ValueError, files: Sequence[File], columns: Columns, read: Callable[[Columns], Any]
) -> ValueError:
    """Return an error that ends with a command that reads the files, if one is found.

    An error of columns in doubt has its options; others that name no column are answered by
    guesses from names and content. Each is tried.
    """
    tables = [file.payload for file in files if isinstance(file.payload, pd.DataFrame)]
    if len(tables) < len(files) or not all(f.name for f in files):
        return error
    if sum(map(len, tables)) > _MOST_ROWS:
        return error
    problem, guesses = str(error), _guesses(tables, columns)
    if isinstance(error, DoubtError | UnnamedError):
        problem, guesses = error.problem, iter([error.options] if error.options else [])
    elif _UNNAMED not in problem:
        return error
    for options in islice(guesses, _MOST_TRIES):
        if _reads(replace(columns, **options), read):
            return ValueError(f"{problem} Try: {_command(files, {**columns.given, **options})}")
    return error


def _guesses(tables: Sequence[pd.DataFrame], columns: Columns) -> Iterator[Options]:
    """Yield options that name the ids and the scores, the likeliest first."""
    shared = [str(heading) for heading in tables[0] if all(heading in table for table in tables)]
    free = [heading for heading in shared if heading not in columns.named.values()]
    ids = [None] if columns.id else [None, *_ids(tables, free)]
    scores = _scores(tables[0], free) if not columns.score else []
    sets = [(), *([tuple(scores)] if len(scores) > 1 else []), *((score,) for score in scores)]
    for chosen, identity in product(sets, ids):
        options = {"id": identity, "score": chosen}
        given = {name: value for name, value in options.items() if value}
        if given:
            yield given
            yield {**given, "missing": "drop"}


def _ids(tables: Sequence[pd.DataFrame], headings: Sequence[str]) -> list[str]:
    """Return columns whose cells differ, named like ids or texts of samples."""
    found = []
    for heading in headings:
        plain = names.plain(heading)
        named = plain in (*names.ID, *names.PROSE) or plain.endswith(("id", "name", "key", "index"))
        cells = [table[heading] for table in tables]
        if not named or any(map(cell_types.holds_objects, cells)):
            continue
        if all(each.notna().all() and each.nunique() > len(each) / 2 for each in cells):
            found.append(heading)
    return sorted(found, key=lambda heading: names.plain(heading) in names.PROSE)


def _scores(table: pd.DataFrame, headings: Sequence[str]) -> list[str]:
    """Return columns of numbers that are named like scores."""
    return [
        heading for heading in headings
        if not names.describes(heading)
        and (names.plain(heading) in names.SCORE or _is_score(heading))
        and not cell_types.holds_objects(table[heading])
        and pd.to_numeric(table[heading].dropna(), errors="coerce").notna().all()
    ]  # fmt: skip


def _is_score(heading: str) -> bool:
    """Return whether numbers are named like scores."""
    return direction_of(heading) is not None or "score" in names.words(heading).split("_")


def _reads(columns: Columns, read: Callable[[Columns], Any]) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read(columns)
    except (ValueError, TypeError, KeyError):
        return False
    return True


def _command(files: Sequence[File], options: Options) -> str:
    paths = [str(file.path) for file in files]
    if all(file.in_folder for file in files):
        paths = [os.path.commonpath([file.path.parent for file in files])]
    shown = [*map(shlex.quote, paths[:_MOST_PATHS]), *(["..."] * (len(paths) > _MOST_PATHS))]
    return " ".join(["modelcompare compare", *shown, as_flags(**options)])
