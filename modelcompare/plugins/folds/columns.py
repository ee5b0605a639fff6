"""The column of folds, and tables in which it shows that rows are not independent."""

from __future__ import annotations

import numpy as np
import pandas as pd

from modelcompare.plugins import COLUMNS
from modelcompare.readers import names
from modelcompare.readers.cell_types import Column
from modelcompare.readers.profile import Profile
from modelcompare.readers.repeats import refuse_again, refuse_repeated, unnamed_rows
from modelcompare.readers.roles import Role, Roles

# Folds may be named as clusters.
FOLD = Role(name="fold", usual=COLUMNS["folds"][0], shares=True)
ROLES = (FOLD,)
# Folds of a partition, where scores do not say how many it had.
_USUAL_FOLDS = 10


def refuse_dependent(seen: Profile, roles: Roles) -> None:
    """Refuse one score of a model in each fold, and several repeats of a cross-validation."""
    fold = roles["fold"]
    if fold is None:
        return
    if roles["truth"] is None:
        _refuse_scores(seen, roles, fold)
    elif fold not in seen.named:
        _refuse_repeats(seen, roles, fold, roles["truth"])


def _refuse_scores(seen: Profile, roles: Roles, fold: str) -> None:
    keys = roles.of("model", "run", "set", "filter")
    others = {*names.named(seen.headings, names.RUN), *keys} - {fold}
    if not seen.frame.duplicated([fold, *others]).any():
        k = min(seen.frame[fold].nunique(), _USUAL_FOLDS)
        raise ValueError(
            f"{seen.where}: column {fold!r} names folds, with one score of a model in each: scores "
            "of folds share training data, so they are no independent samples. Compare them with "
            f"`modelcompare ranks --n-train {k - 1} --n-test 1` (compare_folds(table, n_train="
            f"{k - 1}, n_test=1)) if a partition had {k} folds; where each is one sample rename it."
        )


def _refuse_repeats(seen: Profile, roles: Roles, fold: str, true: str) -> None:
    """Refuse rows without ids of several repeats.

    Balanced classes, and the folds of one partition in any order, are no evidence of these.
    """
    frame = unnamed_rows(seen, roles)
    if frame is None:
        return
    for heading in (h for h in seen.usual(names.PROSE) if h != true):
        refuse_repeated(seen, frame, heading, true)
    if (times := _cycles(frame[fold], frame[true])) > 1:
        why = f"the folds of column {fold!r} come {times:,} times with the same labels"
        refuse_again(seen, why)


def _cycles(fold: Column, truth: Column) -> int:
    """Return how often all folds come in one order, each of several rows, with the same labels."""
    codes, held = pd.factorize(fold)
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    times, rest = divmod(len(starts), len(held))
    in_cycles = np.array_equal(codes[starts], np.tile(np.arange(len(held)), times))
    if rest or not in_cycles or np.diff(starts, append=len(codes)).min() < 2:
        return 1
    labels = np.split(pd.factorize(truth)[0], starts[len(held) :: len(held)])
    first, *others = (np.sort(part) for part in labels)
    return times if all(np.array_equal(first, other) for other in others) else 1


CHECKS = (refuse_dependent,)
