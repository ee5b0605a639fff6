"""Options that read a source, guessed from its columns, for errors that name no column."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import Any

import pandas as pd

from modelcompare.data.positive import UnnamedError
from modelcompare.readers import names
from modelcompare.readers.content import File
from modelcompare.readers.messages import DoubtError, flags
from modelcompare.readers.options import Columns
from modelcompare.readers.profile import Profile
from modelcompare.readers.roles import Candidate, Role, Roles, candidates

# Roles without usual names, as any column of those below is a guess.
_ID = Role(name="id", others=None, shows=lambda at: _may_name_samples(at))
_SCORE = Role(name="score", others=None, shows=lambda at: _may_score(at))
# What errors write where no column is sure.
_UNNAMED = "COLUMN"
_MOST_TRIES, _MOST_ROWS = 12, 100_000

Options = dict[str, Any]


def with_options(
    error: ValueError, files: Sequence[File], columns: Columns, read: Callable[[Columns], Any]
) -> ValueError:
    """Return an error that ends with options that read the files, if some are found.

    An error of columns in doubt has its options; others that name no column are answered by
    guesses from names and content. Each is tried, and none is shown that fails.
    """
    tables = [file.payload for file in files if isinstance(file.payload, pd.DataFrame)]
    if len(tables) < len(files) or sum(map(len, tables)) > _MOST_ROWS:
        return error
    problem, guesses = str(error), _guesses(tables, columns)
    if isinstance(error, DoubtError):
        problem, guesses = error.problem, _variants(error.options, tables, columns)
    elif _UNNAMED not in problem or not all(file.name for file in files):
        return error
    for options in islice(guesses, _MOST_TRIES):
        flaw = _flaw(replace(columns, **options), read)
        if isinstance(flaw, UnnamedError):
            return ValueError(f"{problem} With {' '.join(flags(**options))} {flaw}")
        if flaw is None:
            return DoubtError(problem, **options)
    return DoubtError(problem) if isinstance(error, DoubtError) else error


def _variants(
    options: Options, tables: Sequence[pd.DataFrame], columns: Columns
) -> Iterator[Options]:
    """Yield options, and then those with a column of test sets as one of subgroups."""
    if options:
        yield options
        seen = Profile(tables[0], columns, "")
        for heading in filter(seen.repeats, seen.usual(names.SET)):
            others = [each for each in options.get("slices", ()) if each != heading]
            yield {**options, "slices": [*others, heading]}


def _guesses(tables: Sequence[pd.DataFrame], columns: Columns) -> Iterator[Options]:
    """Yield options that name the ids and the scores, the likeliest first."""
    shared = [heading for heading in tables[0] if all(heading in table for table in tables)]
    seen = [Profile(table[shared], columns, "") for table in tables]
    ids = [None] if columns.id else [None, *_headings(seen, _ID)]
    scores = _headings(seen[:1], _SCORE) if not columns.score else []
    sets = [(), *([tuple(scores)] if len(scores) > 1 else []), *((score,) for score in scores)]
    for chosen, identity in product(sets, ids):
        options = {"id": identity, "score": chosen}
        given = {name: value for name, value in options.items() if value}
        if given:
            yield given
            yield {**given, "missing": "drop"}


def _headings(tables: Sequence[Profile], role: Role) -> list[str]:
    """Return columns that may have a role in each table, texts about samples last."""
    first, *others = ([each.heading for each in candidates(t, role, Roles())] for t in tables)
    found = [heading for heading in first if all(heading in other for other in others)]
    return sorted(found, key=lambda heading: names.plain(heading) in names.PROSE)


def _may_name_samples(at: Candidate) -> bool:
    """Return whether a column is named like ids or texts of samples, and its cells differ."""
    plain, cells = names.plain(at.heading), at.seen.frame[at.heading]
    named = plain in (*names.ID, *names.PROSE) or plain.endswith(("id", "name", "key", "index"))
    if not named or at.seen.holds_objects(at.heading):
        return False
    return bool(cells.notna().all()) and cells.nunique() > len(cells) / 2


def _may_score(at: Candidate) -> bool:
    """Return whether a column has numbers and is named like scores."""
    heading, seen = at.heading, at.seen
    if not names.is_score(heading) or names.describes(heading) or seen.holds_objects(heading):
        return False
    if "resid" in names.words(heading):
        return False
    return bool(pd.to_numeric(seen.frame[heading].dropna(), errors="coerce").notna().all())


def _flaw(columns: Columns, read: Callable[[Columns], Any]) -> Exception | None:
    """Return why options do not read the files, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read(columns)
    except (ValueError, TypeError, KeyError) as error:
        return error
    return None
