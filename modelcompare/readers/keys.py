"""Columns whose cells name the samples: one alone, or several together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from modelcompare.arrays import IntArray
from modelcompare.readers import names
from modelcompare.readers.messages import DoubtError, listed
from modelcompare.readers.options import AND
from modelcompare.readers.profile import Profile
from modelcompare.readers.records import PROBABILITY
from modelcompare.readers.roles import Roles

# Number of columns that are tried, and that may name the samples together.
_MOST_COLUMNS, _MOST_TOGETHER = 8, 3
# Rows that refute most keys.
_FIRST_ROWS = 1_000
# Names of outputs, which are distinct in small tables.
_OUTPUTS = (*names.PRED, *names.ANY_SCORE, *names.TRUE)
_TIMES = (*names.DATE, "year")


def crossed_key(seen: Profile, known: Roles) -> str | None:
    """Return the columns that name the samples of several models, joined by ``+``; or None.

    Columns that name other samples than the first are refused.
    """
    found = crossed_keys(seen, known)
    return _one_of(seen, found) if found else None


def crossed_keys(seen: Profile, known: Roles) -> list[tuple[str, ...]]:
    """Return the fewest columns that name each row together with those of other roles.

    Each sample of a set has every model. Several of as many columns may do.
    """
    columns = seen.columns
    taken = {*known.columns, *columns.score, columns.pred, columns.true, columns.weight}
    free = [h for h in seen.headings if h not in taken and _may_name(seen, h)]
    for size in range(1, _MOST_TOGETHER + 1):
        some = combinations(free[:_MOST_COLUMNS], size)
        found = [key for key in some if crosses(seen, known, key)]
        if found:
            return found
    return []


def crosses(seen: Profile, known: Roles, key: Sequence[str]) -> bool:
    """Return whether columns name each row beside others, and their cells repeat in all models."""
    together = [*known.of("model", "set", "run", "filter"), *key]
    if seen.frame.head(_FIRST_ROWS).duplicated(together).any() or not seen.unique(*together):
        return False
    model, of_set = known.found["model"].heading, known.of("set")
    frame = seen.frame[seen.frame[model].notna()]
    own = frame.groupby([*of_set, *key])[model].transform("nunique")
    whole = frame.groupby(of_set)[model].transform("nunique") if of_set else frame[model].nunique()
    return bool((own == whole).all() and own.min() > 1)


def _may_name(seen: Profile, heading: str) -> bool:
    """Return whether a column may name samples: texts or whole numbers that are no results."""
    if seen.holds_objects(heading) or heading.startswith(PROBABILITY) or seen.is_real(heading):
        return False
    name = names.plain(heading)
    if name in _OUTPUTS or (names.measures(heading) and name.rpartition("_")[2] not in _TIMES):
        return False
    return len(seen.present(heading)) == len(seen.frame) and not seen.has_marks(heading)


def _one_of(seen: Profile, found: Sequence[Sequence[str]]) -> str:
    """Return the first of several keys; refuse them if they name different samples."""
    first, *others = found
    samples = _numbered(seen, first)
    for other in others:
        if not np.array_equal(samples, _numbered(seen, other)):
            one, two = AND.join(first), AND.join(other)
            raise DoubtError(
                f"{seen.where}: {one!r} and {two!r} may both name the samples (columns: "
                f"{listed(seen.headings, 8)}).",
                id=one,
            )
    return AND.join(first)


def _numbered(seen: Profile, key: Sequence[str]) -> IntArray:
    """Number the samples that columns name, in the order of their first rows."""
    numbers = seen.frame.groupby([*key], sort=False, dropna=False).ngroup()
    found: IntArray = pd.factorize(numbers)[0]
    return found
