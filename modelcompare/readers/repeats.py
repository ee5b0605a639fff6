"""Rows of one sample in several repeats of a cross-validation, and scores of its folds."""

from __future__ import annotations

import numpy as np
import pandas as pd

from modelcompare.data.sizes import times_repeated
from modelcompare.readers import names
from modelcompare.readers.cell_types import Column, as_numbers
from modelcompare.readers.messages import as_options
from modelcompare.readers.profile import Profile
from modelcompare.readers.roles import Roles

# Folds of a partition, where scores do not say how many it had.
_USUAL_FOLDS = 10


def refuse_repeats(seen: Profile, roles: Roles) -> None:
    """Refuse rows without ids that hold the same samples several times.

    Balanced classes, and the folds of one partition in any order, are no evidence of it; several
    test sets may have the same samples.
    """
    columns, frame, true, test_set = seen.columns, seen.frame, roles["truth"], roles["set"]
    known = {roles["id"], columns.id, columns.groups, columns.runs} != {None}
    if known or true is None or seen.holds_objects(true):
        return
    fold = None if roles["fold"] in seen.named else roles["fold"]
    if test_set is not None:
        frame = frame[frame[test_set] == frame[test_set].iloc[0]]
    numbers = [true] if np.isfinite(as_numbers(frame[true].head())).any() else []
    texts = [] if fold is None else [h for h in seen.usual(names.PROSE) if h != true]
    for heading in (*numbers, *texts):
        if (times := times_repeated(frame[heading].to_numpy())) > 1:
            why = f"each value of column {heading!r} is in {times:,} rows, or a multiple of that"
            _refuse(seen, why, f", or pass {as_options(true=true, groups=heading)}")
    if fold is not None and (times := _cycles(frame[fold], frame[true])) > 1:
        _refuse(seen, f"the folds of column {fold!r} come {times:,} times with the same labels")


def _refuse(seen: Profile, why: str, clusters: str = "") -> None:
    raise ValueError(
        f"{seen.where}: {why}, as where the same samples were tested several times, and "
        f"{len(seen.frame):,} rows would count as independent samples. Name the column of the "
        f"samples with {as_options(id='COLUMN')} and, where they repeat, that of the repeats with "
        f"{as_options(runs='COLUMN')}{clusters}."
    )


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


def refuse_fold_scores(seen: Profile, roles: Roles) -> None:
    """Refuse one score of a model in each fold, of each run and set."""
    fold, keys = roles["fold"], roles.of("model", "run", "set", "filter")
    if fold is None:
        return
    others = {*names.named(seen.headings, names.RUN), *keys} - {fold}
    if not seen.frame.duplicated([fold, *others]).any():
        k = min(seen.frame[fold].nunique(), _USUAL_FOLDS)
        raise ValueError(
            f"{seen.where}: column {fold!r} names folds, with one score of a model in each: scores "
            "of folds share training data, so they are no independent samples. Compare them with "
            f"`modelcompare ranks --n-train {k - 1} --n-test 1` (compare_folds(table, n_train="
            f"{k - 1}, n_test=1)) if a partition had {k} folds; where each is one sample rename it."
        )
