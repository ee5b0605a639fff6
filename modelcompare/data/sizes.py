"""Sizes of test sets: items, runs, and rows, of which those that are repeated count once.

Models with separate runs in different numbers are stored in rows of every run of each: of 3 and 5
runs an item has 15 rows, which repeat the results of a run 5 or 3 times. Sums and means are
unaffected, and no number of rows may be shown, or decide, as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, IntArray
from modelcompare.data.test_set import TestSet

# Fewer values may be grades, of which each is as frequent as the others by design; so may fewer
# than each has rows, unless they are many.
_FEW_VALUES, _MANY_VALUES = 10, 30
# Classes of different sizes have fewer frequencies by design.
_FEW_FREQUENCIES = 5
# -log2 of the probability that all of many counts have a common divisor by chance.
_BITS = 20


def run_counts(predictions: TestSet) -> list[int]:
    """Return the number of runs of every model."""
    return [_n_distinct(predictions.access.runs_of(model)) for model in predictions.models]


def seen_runs(test_sets: Iterable[TestSet]) -> str:
    """Write the smallest and the largest number of runs of a model."""
    return written_range([n for each in test_sets for n in run_counts(each)])


def written_range(counts: Sequence[int]) -> str:
    """Write the smallest and the largest of several numbers."""
    return " to ".join(f"{n:,}" for n in dict.fromkeys((min(counts), max(counts))))


def n_items(predictions: TestSet) -> int:
    """Return the number of items; of clusters alone, of the rows of the longest run of each."""
    if not _in_runs(predictions):
        return len(predictions)
    (item, _), (run, names) = map(pd.factorize, (predictions.access.items, predictions.runs))
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
    p, own = predictions, predictions.access.runs_of(model)
    # The runs of all models together are more than those of one where it repeats them.
    if not _in_runs(p) or own is p.runs or _n_distinct(own) == _n_distinct(p.runs):
        return None
    item, run, together = (pd.factorize(each)[0] for each in (p.access.items, own, p.runs))
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


def repeats(predictions: TestSet) -> bool:
    """True if rows repeat results, of models with separate runs in different numbers."""
    return n_seen(predictions) < len(predictions)


def times_repeated(cells: AnyArray) -> int:
    """Return in how many rows each of many numbers or texts is, or in a multiple of them.

    1 where that is no evidence of repeats: few values, whole numbers that are about as frequent as
    each other (balanced classes), and what chance does in fewer than one of a million tables.

    Examples
    --------
    >>> times_repeated(np.repeat(np.linspace(0.1, 1, 10), 3))
    3
    >>> times_repeated(np.repeat(np.arange(10), 3))
    1
    """
    times = 0
    # Of most tables the first values show that there are no repeats.
    for cell in cells[:_FEW_VALUES]:
        times = math.gcd(times, np.count_nonzero(cells == cell))
        if times == 1:
            return 1
    codes, values = pd.factorize(cells)
    counts = np.bincount(codes[codes >= 0])
    times, n_values, frequencies = int(np.gcd.reduce(counts)), len(counts), len({*counts.tolist()})
    if times < 2 or n_values < _FEW_VALUES:
        return 1
    if (pd.to_numeric(values, errors="coerce") % 1 == 0).all():
        sure = frequencies >= _FEW_FREQUENCIES
    else:
        sure = frequencies > 1 or n_values >= min(times, _MANY_VALUES)
    by_chance = frequencies > 1 and (n_values - 1) * math.log2(times) < _BITS
    return times if sure and not by_chance else 1


def _n_distinct(runs: AnyArray | None) -> int:
    return 1 if runs is None else len(pd.unique(runs))


def _in_runs(predictions: TestSet) -> bool:
    if "rows" not in predictions.access.abilities or predictions.runs is None:
        return False
    return predictions.groups is not None
