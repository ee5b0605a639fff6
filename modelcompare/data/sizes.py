"""Sizes of test sets: items, runs, and rows, of which those that are repeated count once.

Models with separate runs in different numbers are stored in rows of every run of each: of 3 and 5
runs an item has 15 rows, which repeat the results of a run 5 or 3 times. Sums and means are
unaffected, and no number of rows may be shown, or decide, as it is.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, IntArray
from modelcompare.data.test_set import TestSet

# Fewer real values may be grades, each as frequent as the others.
_FEW_VALUES = 10


def run_counts(predictions: TestSet) -> list[int]:
    """Return the number of runs of every model."""
    return [_n_distinct(predictions.runs_of(model)) for model in predictions.models]


def seen_runs(test_sets: Iterable[TestSet]) -> str:
    """Write the smallest and the largest number of runs of a model."""
    counts = sorted({n for each in test_sets for n in run_counts(each)})
    return " to ".join(f"{n:,}" for n in dict.fromkeys((counts[0], counts[-1])))


def n_items(predictions: TestSet) -> int:
    """Return the number of items; of clusters alone, of the rows of the longest run of each."""
    if not _in_runs(predictions):
        return len(predictions)
    (item, _), (run, names) = map(pd.factorize, (predictions.items, predictions.runs))
    cells, n_rows = np.unique(item * len(names) + run, return_counts=True)
    longest = np.zeros(int(item.max()) + 1, dtype=np.intp)
    np.maximum.at(longest, cells // len(names), n_rows)
    return int(longest.sum())


def n_seen(predictions: TestSet, *models: str) -> int:
    """Return the number of results of the model with most, of all models or some: items x runs."""
    most = 0
    for model in models or predictions.models:
        if (rows := _distinct_rows(predictions, model)) is None:
            return len(predictions)
        most = max(most, len(rows))
    return most


def once(predictions: TestSet, model: str) -> TestSet:
    """Return the rows that hold each result of a model once."""
    rows = _distinct_rows(predictions, model)
    return predictions if rows is None else predictions.subset(rows)


def _distinct_rows(predictions: TestSet, model: str) -> IntArray | None:
    """Return the first row of each result of a model; None unless the others all repeat these.

    Different answers of one run to an item are separate results.
    """
    p, own = predictions, predictions.runs_of(model)
    # The runs of all models together are more than those of one where it repeats them.
    if not _in_runs(p) or own is p.runs or _n_distinct(own) == _n_distinct(p.runs):
        return None
    item, run, together = (pd.factorize(each)[0] for each in (p.items, own, p.runs))
    frame = pd.DataFrame({"item": item, "run": run, "row": np.arange(len(p))})
    # A cluster without named items has several in a run, always in the same order.
    frame["place"] = frame["row"].groupby([item, together], sort=False).cumcount()
    first = frame.groupby(["item", "run", "place"], sort=False)["row"].transform("min")
    output = p.output(model).array
    if not _are_equal(output, output[first.to_numpy()]):
        return None
    return np.flatnonzero(first == frame["row"])


def _are_equal(a: AnyArray, b: AnyArray) -> bool:
    if a.dtype == object:
        return all(x is y or np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    return bool((a == b).all())


def class_counts(predictions: TestSet) -> IntArray:
    """Count the results of each true class, of which `n_seen` are all."""
    counts = np.bincount(np.asarray(predictions.codes), minlength=predictions.n_classes)
    found: IntArray = counts * n_seen(predictions) // len(predictions)
    return found


def repeats(predictions: TestSet) -> bool:
    """True if rows repeat results, of models with separate runs in different numbers."""
    return n_seen(predictions) < len(predictions)


def times_repeated(truth: AnyArray | None) -> int:
    """Return in how many rows each of many real values is, or in a multiple of them.

    1 for labels, of which each may be in as many rows as the others.

    Examples
    --------
    >>> times_repeated(np.tile(np.linspace(0.1, 1, 10), 3)), times_repeated(np.tile([0.1, 0.2], 9))
    (3, 1)
    """
    # Most values are in one row, so that the first ones decide.
    if truth is None or truth.dtype.kind != "f" or truth.ndim > 1 or (truth == truth[0]).sum() < 2:
        return 1
    values, counts = np.unique(truth, return_counts=True)
    times = int(np.gcd.reduce(counts))
    few = len(values) < max(_FEW_VALUES, times)
    return 1 if few or (values == np.trunc(values)).all() else times


def _n_distinct(runs: AnyArray | None) -> int:
    return 1 if runs is None else len(pd.unique(runs))


def _in_runs(predictions: TestSet) -> bool:
    if "rows" not in predictions.abilities or predictions.runs is None:
        return False
    return predictions.groups is not None
