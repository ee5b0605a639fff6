"""Rows of one sample several times, as in repeats of a cross-validation."""

from __future__ import annotations

import numpy as np
import pandas as pd

from modelcompare.data.sizes import times_repeated
from modelcompare.readers.cell_types import as_numbers
from modelcompare.readers.messages import as_options
from modelcompare.readers.profile import Profile
from modelcompare.readers.roles import Roles


def refuse_repeats(seen: Profile, roles: Roles) -> None:
    """Refuse rows without ids that hold the same samples several times, by a truth of numbers."""
    frame, true = unnamed_rows(seen, roles), roles["truth"]
    if frame is None or true is None:
        return
    if np.isfinite(as_numbers(frame[true].head())).any():
        refuse_repeated(seen, frame, true, true)


def unnamed_rows(seen: Profile, roles: Roles) -> pd.DataFrame | None:
    """Return the rows of one test set, or None if samples are named or each row is of one model.

    Several test sets may have the same samples.
    """
    columns, true, test_set = seen.columns, roles["truth"], roles["set"]
    known = {roles["id"], roles["model"], columns.id, columns.groups, columns.runs} != {None}
    if known or true is None or seen.holds_objects(true):
        return None
    if test_set is None:
        return seen.frame
    return seen.frame[seen.frame[test_set] == seen.frame[test_set].iloc[0]]


def refuse_repeated(seen: Profile, frame: pd.DataFrame, heading: str, true: str) -> None:
    """Refuse rows in which each value of a column occurs equally often, or a multiple of that."""
    if (times := times_repeated(frame[heading].to_numpy())) > 1:
        why = f"each value of column {heading!r} is in {times:,} rows, or a multiple of that"
        refuse_again(seen, why, f", or pass {as_options(true=true, groups=heading)}")


def refuse_again(seen: Profile, why: str, clusters: str = "") -> None:
    """Refuse samples that were tested several times, for a reason."""
    raise ValueError(
        f"{seen.where}: {why}, as where the same samples were tested several times, and "
        f"{len(seen.frame):,} rows would count as independent samples. Name the column of the "
        f"samples with {as_options(id='COLUMN')} and, where they repeat, that of the repeats with "
        f"{as_options(runs='COLUMN')}{clusters}."
    )
