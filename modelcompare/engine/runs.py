"""Runs of the same training procedures: what is declared, and so whether an answer is for new ones.

What is declared decides, never a preliminary test of how far runs differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from modelcompare.arrays import IntArray
from modelcompare.data.checks import warn_of_data
from modelcompare.data.sizes import run_counts, seen_runs
from modelcompare.data.test_set import Access, TestSet
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.units import each_its_cluster
from modelcompare.words import GeneralizeTo

# Below this number of runs of a model, the runs decide about width and significance.
FEW_RUNS = 5
# Test that exchanges whole runs.
RUN_TEST = "run-permutation"
# The remedy of every refusal.
INSTEAD = "for an answer about these runs use generalize_to='items' (--generalize-to items)"


def runs_are_random(predictions: TestSet, generalize_to: GeneralizeTo, test: str = "") -> bool:
    """Return whether an answer is for new runs, by what is declared, or for a test of runs.

    Raises
    ------
    ValueError
        If new runs are asked for explicitly, and the data do not determine how they vary.

    Warns
    -----
    DataWarning
        If runs are declared, and some models, items or runs lack others.
    """
    these = generalize_to == "items"
    flaw = (
        "generalize_to='items' (--generalize-to items) asks about these"
        if these
        else _flaw(predictions)
    )
    gap = "" if flaw else _incomplete(predictions)
    if gap and generalize_to == "auto" and test != RUN_TEST:
        warn_of_data(
            f"runs are declared, but {gap}. The answer is therefore for these runs, and not for "
            "new ones; leave such models, items or runs out, or ask about these runs with "
            "generalize_to='items' (--generalize-to items).",
        )  # fmt: skip
    flaw = flaw or gap
    if flaw and test == RUN_TEST:
        raise ValueError(f"test={test!r} exchanges runs, but {flaw}; use another test.")
    if flaw and generalize_to == "items+runs":
        raise ValueError(f"generalize_to='items+runs' asks about new runs, but {flaw}; {INSTEAD}.")
    return not flaw


def check_crossed(evaluation: Evaluation) -> None:
    """Refuse metrics without influences, whose errors for new runs are unknown."""
    rough = [each.name for each in evaluation.metrics if not each.smooth or each.of_items]
    if rough:
        raise ValueError(
            f"`runs` are declared, and {', '.join(rough)} has no influences that give its error "
            f"for new runs; leave it out, or {INSTEAD}."
        )


def check_named(what: str, name: str, instead: Sequence[str], *, judged: bool = False) -> None:
    """Refuse a method that knows the items alone, where new runs or a judge add to the error."""
    if name in instead:
        return
    if judged:
        raise ValueError(
            f"{what}={name!r} does not know the error of a judge; use "
            f"{what}={' or '.join(map(repr, instead))}, or leave `judge` (--judge) out."
        )
    raise ValueError(
        f"`runs` are declared, and {what}={name!r} does not know how new runs vary; use "
        f"{what}={' or '.join(map(repr, instead))}, or {INSTEAD}."
    )


def run_codes(access: Access[Any], model: str) -> IntArray:
    """Return the number of the run of each row of a model."""
    return np.unique(np.asarray(access.runs_of(model)), return_inverse=True)[1]


def share_runs(predictions: TestSet, a: int, b: int) -> bool:
    """Return whether the models at two positions have the same runs, such as the same seeds."""
    first, second = (predictions.access.runs_of(predictions.models[k]) for k in (a, b))
    return first is second or bool(np.array_equal(np.asarray(first), np.asarray(second)))


def without_common_rows(predictions: TestSet) -> tuple[str, ...]:
    """Return two models of separate runs, whose rows have an item in common; none if all share."""
    first, *others = predictions.models
    for place, model in enumerate(others, start=1):
        several = max(run_counts(predictions[[first, model]])) > 1
        if several and not share_runs(predictions, 0, place):
            return first, model
    return ()


def check_common_rows(predictions: TestSet) -> None:
    """Refuse models of separate runs where results are compared row by row."""
    if pair := without_common_rows(predictions):
        runs = {model: np.asarray(predictions.access.runs_of(model)).tolist()[0] for model in pair}
        one_each = " & ".join(f"(p.access.runs_of({m!r}) == {run!r})" for m, run in runs.items())
        raise ValueError(
            f"models {' and '.join(map(repr, pair))} have separate runs "
            f"({seen_runs([predictions[pair]])} of each), so that no row of one belongs to a row "
            f"of the other. Choose one run of each, such as p.subset({one_each}); in a file, its "
            "rows. compare() takes all runs."
        )


def _flaw(predictions: TestSet) -> str:
    """Return why no runs of items are declared; empty if they are."""
    if "rows" not in predictions.access.abilities:
        return "that needs all rows in memory (.load() reads a scan)"
    if predictions.runs is None:
        return "no column names them: give `runs` (--read run=COLUMN)"
    if predictions.groups is None:
        return "no column names the items: give `ids` that repeat from run to run, or `groups`"
    if each_its_cluster(predictions):
        return "the runs are the clusters already"
    if max(run_counts(predictions)) < 2:
        return f"model {predictions.models[0]!r} has one run, which does not show how runs vary"
    return ""


def _incomplete(predictions: TestSet) -> str:
    """Return why the rows of declared runs are not items x runs; empty if they are."""
    for model, n_runs in zip(predictions.models, run_counts(predictions), strict=True):
        if n_runs < 2:
            return f"model {model!r} has one run, which does not show how runs vary"
        counts = _rows_of_cells(predictions, model)
        if (counts == 0).any() or (counts != counts[:, :1]).any():
            return f"items and runs of model {model!r} are not crossed: {_gap(predictions, counts)}"
    return _overlap(predictions)


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


def _rows_of_cells(predictions: TestSet, model: str) -> IntArray:
    """Count the rows of every item in every run, of shape (n_items, n_runs)."""
    item, run = predictions.access.unit_of, run_codes(predictions.access, model)
    shape = int(item.max()) + 1, int(run.max()) + 1
    return np.bincount(item * shape[1] + run, minlength=shape[0] * shape[1]).reshape(shape)


def _gap(predictions: TestSet, counts: IntArray) -> str:
    """Describe the first item whose numbers of rows differ between runs."""
    item = int(np.argmax((counts != counts[:, :1]).any(axis=1)))
    low, high = int(counts[item].min()), int(counts[item].max())
    name = np.unique(np.asarray(predictions.groups))[item]
    return f"item {name} has {high:,} rows in one run and {low:,} in another"


def _overlap(predictions: TestSet) -> str:
    """Return which models have some runs in common, and others not; empty for none."""
    models = predictions.models
    names = [{*np.unique(np.asarray(predictions.access.runs_of(model)))} for model in models]
    for place, a in enumerate(models):
        for other, b in enumerate(models[:place]):
            if names[place] & names[other] and not share_runs(predictions, place, other):
                return (
                    f"models {b!r} and {a!r} share some runs and not others; name the runs of each "
                    "model apart where they are separate trainings"
                )
    return ""
