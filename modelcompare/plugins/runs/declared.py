"""Runs of the same training procedures: what is declared, and so whether an answer is for new ones.

What is declared decides, never a preliminary test of how far runs differ.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, IntArray
from modelcompare.data.checks import warn_of_data
from modelcompare.data.sizes import run_counts
from modelcompare.data.test_set import Access, TestSet
from modelcompare.engine.partition import Partition
from modelcompare.words import GeneralizeTo

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
    gap = "" if flaw else gap_in_crossing(predictions)
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


def several_runs(predictions: TestSet) -> bool:
    """Return whether items have several runs, which themselves are not drawn as clusters."""
    sums = predictions.access.sums
    if sums is not None and len(sums.parts) > 1:
        return True
    return max(run_counts(predictions)) > 1 and len(runs_of_items(predictions)) > 1


def runs_of_items(predictions: TestSet) -> tuple[str, ...]:
    """Name up to two runs of items; none if the runs themselves are the clusters."""
    runs = predictions.runs
    if predictions.groups is None or runs is None or _are_clusters(runs, predictions):
        return ()
    return tuple(map(str, np.unique(runs)[:2]))


SUMMED = (runs_of_items,)


def partition(predictions: TestSet) -> Partition | None:
    """Return the runs of a test set in memory, of all models together; None if it has one.

    Raises
    ------
    ValueError
        If no column identifies the rows of one item, which would count as independent samples.
    """
    access = predictions.access
    if predictions.runs is None:
        return None
    if predictions.groups is None and (n := max(run_counts(predictions))) > 1:
        raise ValueError(
            f"`runs` names {n:,} runs, but no column identifies the rows of one item, so that "
            f"{len(predictions):,} rows would count as independent samples. Give the items as "
            "`groups` (--groups COLUMN), or as `ids` that repeat from run to run (--id COLUMN); "
            "where each row is a separate item, leave `runs` (--read run) out."
        )
    if "rows" not in access.abilities:
        return None
    # Models with separate runs have as many as their rows combine.
    own = {id(runs): np.asarray(runs) for runs in map(access.runs_of, predictions.models)}
    run_of, names = pd.factorize(pd.MultiIndex.from_arrays([*own.values()]))
    if len(names) < 2:
        return None
    texts = (" & ".join(dict.fromkeys(map(str, each))) for each in names)
    sizes = np.bincount(run_of, access.weights).astype(np.float64)
    return Partition(tuple(texts), run_of, sizes, "run")


PARTITIONS = (partition,)


def of_one_training(predictions: TestSet) -> str | None:
    """Name what an answer about one run is limited to; None of several."""
    return None if partition(predictions) else (
        "That is for this training: a candidate that differs by its seed alone needs several runs "
        "(--read run=COLUMN)."
    )  # fmt: skip


LIMITS = (of_one_training,)


def run_codes(access: Access[Any], model: str) -> IntArray:
    """Return the number of the run of each row of a model."""
    return np.unique(np.asarray(access.runs_of(model)), return_inverse=True)[1]


def share_runs(predictions: TestSet, a: int, b: int) -> bool:
    """Return whether the models at two positions have the same runs, such as the same seeds."""
    first, second = (predictions.access.runs_of(predictions.models[k]) for k in (a, b))
    return first is second or bool(np.array_equal(np.asarray(first), np.asarray(second)))


def _flaw(predictions: TestSet) -> str:
    """Return why no runs of items are declared; empty if they are."""
    if "rows" not in predictions.access.abilities:
        return "that needs all rows in memory (.load() reads a scan)"
    if predictions.runs is None:
        return "no column names them: give `runs` (--read run=COLUMN)"
    if predictions.groups is None:
        return "no column names the items: give `ids` that repeat from run to run, or `groups`"
    if _are_clusters(predictions.runs, predictions):
        return "the runs are the clusters already"
    if max(run_counts(predictions)) < 2:
        return f"model {predictions.models[0]!r} has one run, which does not show how runs vary"
    return ""


def gap_in_crossing(predictions: TestSet) -> str:
    """Return why the rows of declared runs are not items x runs; empty if they are."""
    for model, n_runs in zip(predictions.models, run_counts(predictions), strict=True):
        if n_runs < 2:
            return f"model {model!r} has one run, which does not show how runs vary"
        counts = _rows_of_cells(predictions, model)
        if (counts != counts[:, :1]).any():
            return f"items and runs of model {model!r} are not crossed: {_gap(predictions, counts)}"
    return _overlap(predictions)


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


def _are_clusters(column: AnyArray, predictions: TestSet) -> bool:
    """True if a column has the clusters of the samples, under any names."""
    codes = np.unique(column, return_inverse=True)[1]
    pairs = np.unique(np.stack([predictions.access.unit_of, codes], axis=1), axis=0)
    return all(len(np.unique(each)) == len(pairs) for each in pairs.T)
