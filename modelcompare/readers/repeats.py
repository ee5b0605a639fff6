"""Rows of one sample in several repeats of a cross-validation, and scores of its folds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from modelcompare.data.sizes import times_repeated
from modelcompare.readers import names
from modelcompare.readers.cell_types import Column, as_numbers, holds_objects
from modelcompare.readers.messages import as_options
from modelcompare.readers.profile import Profile


def refuse_repeats(seen: Profile, true: str, identity: str | None) -> None:
    """Refuse rows without ids that hold the same samples several times.

    Balanced classes, and the folds of one partition in any order, are no evidence of it.
    """
    columns, fold = seen.columns, seen.first(names.FOLD)
    known = {identity, columns.id, columns.groups, columns.runs} != {None}
    if known or holds_objects(seen.frame[true]):
        return
    texts = [] if fold is None else [h for h in seen.usual(names.PROSE) if h != true]
    codes = {h: pd.factorize(seen.frame[h])[0] + 0.5 for h in texts}
    for heading, values in {true: as_numbers(seen.frame[true]), **codes}.items():
        if (times := times_repeated(values)) > 1:
            why = f"each value of column {heading!r} is in {times:,} rows, or a multiple of that"
            _refuse(seen, why, as_options(true=true, groups=heading))
    if fold is not None and (times := _cycles(seen.frame[fold], seen.frame[true])) > 1:
        _refuse(seen, f"the folds of column {fold!r} come {times:,} times with the same labels")


def _refuse(seen: Profile, why: str, clusters: str = "") -> None:
    remedy = f", or pass {clusters}" if clusters else ""
    raise ValueError(
        f"{seen.where}: {why}, as where the same samples were tested several times, and "
        f"{len(seen.frame):,} rows would count as independent samples. Name the column of the "
        "samples with id= (--id COLUMN), where it repeats with that of the repeats, runs= (--read "
        f"run=COLUMN){remedy}."
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


def refuse_fold_scores(seen: Profile, keys: Sequence[str | None]) -> None:
    """Refuse one score of a model in each fold; `keys` name models, runs and sets."""
    fold = next(iter(names.named(seen.headings, names.FOLD)), None)
    if fold is None:
        return
    others = {*names.named(seen.headings, names.RUN), *keys} - {None, fold}
    if not seen.frame.duplicated([fold, *others]).any():
        raise ValueError(
            f"{seen.where}: column {fold!r} names folds, with one score of a model in each: scores "
            "of folds share training data, so they are no independent samples. Compare them by "
            f"compare_folds(table, n_train=9, n_test=1) (modelcompare ranks {seen.where} --n-train "
            "9 --n-test 1), for ten folds."
        )
