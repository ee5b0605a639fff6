"""Sizes of test sets: items, runs, and rows, of which those that are repeated count once.

Models with separate runs in different numbers are stored in rows of every run of each: of 3 and 5
runs an item has 15 rows, which repeat the results of a run 5 or 3 times. Sums and means are
unaffected, and no number of rows may be shown, or decide, as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, IntArray
from modelcompare.data.test_set import TestSet


def run_counts(predictions: TestSet) -> list[int]:
    """Return the number of runs of every model."""
    return [_n_distinct(predictions.runs_of(model)) for model in predictions.models]


def seen_runs(test_sets: Iterable[TestSet]) -> str:
    """Write the smallest and the largest number of runs of a model."""
    counts = sorted({n for each in test_sets for n in run_counts(each)})
    return " to ".join(f"{n:,}" for n in dict.fromkeys((counts[0], counts[-1])))


def n_items(predictions: TestSet) -> int:
    """Return the number of items: of the rows of a cluster, as many as the longest run has."""
    if not _in_runs(predictions):
        return len(predictions)
    return _Cells.of(predictions).n_longest()


def n_seen(predictions: TestSet, *models: str) -> int:
    """Return the number of results of the model with most, of all models or some: items x runs."""
    p, own = predictions, [predictions.runs_of(model) for model in models or predictions.models]
    if not _in_runs(p) or any(runs is p.runs for runs in own):
        return len(p)
    # The runs of all models together are as many as those of one unless these are repeated.
    if max(map(_n_distinct, own)) == _n_distinct(p.runs):
        return len(p)
    cells = _Cells.of(p)
    return max(map(cells.n_longest, own))


class _Cells(NamedTuple):
    """Rows of each cluster in each run of all models together, which has a result once.

    Parameters
    ----------
    run : ndarray of int of shape (n_rows,)
        Run of all models together.
    cluster_of, run_of, n_rows : ndarray of int of shape (n_cells,)
        Cluster, run and number of rows of each cell.
    """

    run: IntArray
    cluster_of: IntArray
    run_of: IntArray
    n_rows: IntArray

    @classmethod
    def of(cls, predictions: TestSet) -> _Cells:
        (cluster, _), (run, names) = map(pd.factorize, (predictions.groups, predictions.runs))
        cells, counts = np.unique(cluster * len(names) + run, return_counts=True)
        return cls(run, *np.divmod(cells, len(names)), counts)

    def n_longest(self, runs: AnyArray | None = None) -> int:
        """Sum the rows of the longest run of each cluster, or of each cluster in each own run."""
        part, n_parts = np.zeros(len(self.run), np.intp), 1
        if runs is not None:
            part, names = pd.factorize(runs)
            n_parts = len(names)
        part_of = np.zeros(int(self.run.max()) + 1, np.intp)
        part_of[self.run] = part
        which = np.unique(self.cluster_of * n_parts + part_of[self.run_of], return_inverse=True)[1]
        longest = np.zeros(int(which.max()) + 1, np.intp)
        np.maximum.at(longest, which, self.n_rows)
        return int(longest.sum())


def once(predictions: TestSet, model: str) -> TestSet:
    """Return the rows that hold each result of a model once."""
    p = predictions[[model]]
    if not repeats(p):
        return predictions
    runs = pd.DataFrame({"own": np.asarray(p.runs_of(model)), "row": np.asarray(p.runs)})
    first = runs.groupby("own", sort=False)["row"].transform("first")
    return predictions.subset((runs["row"] == first).to_numpy())


def class_counts(predictions: TestSet) -> IntArray:
    """Count the results of each true class, of which `n_seen` are all."""
    counts = np.bincount(np.asarray(predictions.codes), minlength=predictions.n_classes)
    found: IntArray = counts * n_seen(predictions) // len(predictions)
    return found


def repeats(predictions: TestSet) -> bool:
    """True if rows repeat results, of models with separate runs in different numbers."""
    return n_seen(predictions) < len(predictions)


def _n_distinct(runs: AnyArray | None) -> int:
    return 1 if runs is None else len(pd.unique(runs))


def _in_runs(predictions: TestSet) -> bool:
    if "rows" not in predictions.abilities or predictions.runs is None:
        return False
    return predictions.groups is not None
