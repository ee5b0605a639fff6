"""Columns of a table that are left out, and what they may be used for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd

from modelcompare import spelling
from modelcompare.readers import cell_types, names
from modelcompare.readers.messages import DoubtError, counted
from modelcompare.readers.profile import Profile

# Samples that a subgroup needs to be compared.
LEAST_SLICE = 30
# Names of columns that say what a row is, so that none is left out unasked.
_CHANGING = (*names.MODEL, *names.RUN, *names.SET, *names.FILTER, "fold", "split")
# Standard errors beyond which values go with those of the truth.
_BEYOND_CHANCE = 3
# Columns and rows that are searched for errors of others, and the size of their roundings.
_MOST_COLUMNS, _LEAST_ROWS, _MOST_ROWS, _ROUNDED = 30, 5, 1_000, 1e-3


def is_apart(seen: Profile, heading: str, models: Sequence[str], true: str) -> bool:
    """Return whether a column holds none of the truth's values, where models hold no others.

    A column may be a model nevertheless if its name or spelling is that of predictions, or if its
    values may stand for the classes. Runs, sets and the like change what a row is.
    """
    if not any(seen.overlap(each, true) == 1 for each in models) or seen.overlap(heading, true):
        return False
    if names.predicts(heading) or not seen.present(heading).map(np.isscalar).all():
        return False
    if names.named([heading], _CHANGING) or is_misspelt(seen, heading, true):
        return False
    return not (_may_code(seen, heading, true) or _goes_with(seen, heading, true))


def is_misspelt(seen: Profile, heading: str, true: str) -> bool:
    """Return whether a column holds the truth's values in another spelling."""
    if seen.holds_objects(heading):
        return False
    predicted, known = (seen.present(each).unique().tolist() for each in (heading, true))
    return bool(spelling.remedy(predicted, known))


def _may_code(seen: Profile, heading: str, true: str) -> bool:
    """Return whether a column has whole numbers, as many at most as there are classes, near 0."""
    if not seen.is_numeric(heading):
        return False
    found = np.unique(cell_types.as_numbers(seen.present(heading)))
    most = seen.present(true).nunique()
    near = (found >= -1) & (found <= most) & (found == np.floor(found))
    return len(found) <= most and bool(near.all())


def _goes_with(seen: Profile, heading: str, true: str) -> bool:
    """Return whether few values predict the truth beyond chance, as labels in other words do."""
    if seen.present(heading).nunique() > seen.present(true).nunique():
        return False
    table = pd.crosstab(seen.frame[heading], seen.frame[true]).to_numpy()
    right, most, n = table.max(axis=1).sum(), table.sum(axis=0).max(), table.sum()
    return bool(right - most > _BEYOND_CHANCE * np.sqrt(most * (1 - most / n)))


def errors_of(seen: Profile, headings: Sequence[str], true: str) -> list[str]:
    """Return columns of errors of another: its differences from the truth, their sizes or squares.

    A difference and a prediction add up to the truth; their names decide which is which.
    """
    if not seen.is_numeric(true) or len(seen.frame) < _LEAST_ROWS:
        return []
    head = seen.frame[[true, *filter(seen.is_numeric, headings)]].head(_MOST_ROWS)
    truth, *others = (cell_types.as_numbers(column) for _, column in head.items())
    values = dict(zip(head.columns[1:], others, strict=True))
    if len(values) > _MOST_COLUMNS or not np.isfinite([truth, *others]).all():
        return []
    close = partial(np.allclose, atol=_ROUNDED * truth.std())
    found = []
    for heading, other in permutations(values, 2):
        held, error = values[heading], truth - values[other]
        if not (np.ptp(error) and np.ptp(values[other])):
            continue
        if close(held, error) or close(held, -error):
            if not _is_error(heading, other) and not _is_error(other, heading):
                raise DoubtError(
                    f"{seen.where}: column {heading!r} is the difference of {true!r} and "
                    f"{other!r}; name the column of predictions with models= (--model), and leave "
                    "its errors out.",
                    models=[h for h in headings if h != heading],
                )
            found += [heading] if _is_error(heading, other) else []
        elif close(held, np.abs(error)) or close(held, error**2):
            found.append(heading)
    return [*dict.fromkeys(found)]


def _is_error(heading: str, other: str) -> bool:
    """Return whether a name is that of an error, or another one alone is that of predictions."""
    return names.errs(heading) or (names.predicts(other) and not names.predicts(heading))


def other_uses(
    seen: Profile, held: Sequence[str], headings: Sequence[str] = ()
) -> tuple[str, list[str]]:
    """Return which of some columns may name clusters, empty if none does, and which subgroups.

    Clusters may also be the ids among `headings`, if they repeat.
    """
    other = (h for h in held if not (names.measures(h) or seen.is_real(h)))
    some = [h for h in other if not seen.holds_objects(h)]
    ids = [h for h in seen.usual(names.ID, headings) if not seen.all_differ(h)]
    groups = [*names.named(some, names.USER), *ids][:1]
    counts = {h: seen.present(h).value_counts() for h in some if h not in groups}
    slices = [h for h, n in counts.items() if len(n) > 1 and n.iloc[0] >= LEAST_SLICE]
    return "".join(groups), slices


def write_unused(seen: Profile, headings: Sequence[str], known: Sequence[str] = ()) -> str:
    """Write the columns that are left out, and the options by which they have a use.

    Columns that are `known` have another role.
    """
    # Of a file that is read block by block, other columns are not there.
    groups, slices = other_uses(seen, [h for h in headings if h in seen.frame], known)
    uses = [*([f"--groups {groups}"] if groups else []), *(f"--slice {each}" for each in slices)]
    left = counted([*dict.fromkeys(headings)])
    return f"{left}, see {', '.join(uses[:3])}" if uses and left else left
