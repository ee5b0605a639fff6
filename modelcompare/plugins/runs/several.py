"""Runs of several models, and of several test sets: which of them are the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from modelcompare.data.sizes import run_counts, seen_runs
from modelcompare.data.test_set import TestSet
from modelcompare.plugins.runs.declared import share_runs


def check_common_rows(predictions: TestSet) -> None:
    """Refuse models of separate runs where results are compared row by row."""
    if pair := _without_common_rows(predictions):
        runs = {model: np.asarray(predictions.access.runs_of(model)).tolist()[0] for model in pair}
        one_each = " & ".join(f"(p.access.runs_of({m!r}) == {run!r})" for m, run in runs.items())
        raise ValueError(
            f"models {' and '.join(map(repr, pair))} have separate runs "
            f"({seen_runs([predictions[pair]])} of each), so that no row of one belongs to a row "
            f"of the other. Choose one run of each, such as p.subset({one_each}); in a file, its "
            "rows. compare() takes all runs."
        )


def _without_common_rows(predictions: TestSet) -> tuple[str, ...]:
    """Return two models of separate runs, whose rows have an item in common; none if all share."""
    first, *others = predictions.models
    for place, model in enumerate(others, start=1):
        several = max(run_counts(predictions[[first, model]])) > 1
        if several and not share_runs(predictions, 0, place):
            return first, model
    return ()


def check_runs_of_sets(test_sets: Sequence[TestSet]) -> bool:
    """Return whether the same runs were evaluated on all test sets; False for separate runs.

    Raises
    ------
    ValueError
        If a model has some runs on two sets, and others on one of them only.
    """
    crossed = True
    for model in test_sets[0].models:
        first, *others = ({*np.unique(np.asarray(p.access.runs_of(model)))} for p in test_sets)
        if any(first & other and first != other for other in others):
            raise ValueError(
                f"model {model!r} has some runs on all test sets and others on one of them; "
                "evaluate all runs on all sets, or name the runs of each set apart where they are "
                "separate trainings."
            )
        crossed &= all(first == other for other in others)
    return crossed
