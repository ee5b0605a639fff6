"""Values over several runs: the mean of the values of the runs.

Scores of two trainings have no common scale, so a curve, a rank, a bin or a class is of one run. A
mean over samples is the same over all rows; any other sum has columns of each run, in which the
numbers of other runs' rows are 0, so that all that is made of sums, such as resamples and swaps of
items, has the runs apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.data.test_set import TestSet
from modelcompare.metrics.base import AnyMetric, Metric, Outcomes, Statistic
from modelcompare.metrics.outcomes import Entries
from modelcompare.metrics.quotient import divide
from modelcompare.metrics.scoring import COUNT


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of a test set, of all models together.

    Parameters
    ----------
    names : tuple of str
        Names of the runs, in the order of their first rows.
    rows : list of ndarray of int
        Rows of each run.
    sizes : ndarray of shape (n_runs,)
        Weight of the rows of each run.
    """

    names: tuple[str, ...]
    rows: list[IntArray]
    sizes: FloatArray

    @classmethod
    def of(cls, predictions: TestSet) -> Runs | None:
        """Return the runs of a test set in memory; None if it has one."""
        access = predictions.access
        if "rows" not in access.abilities or predictions.runs is None:
            return None
        # Models with separate runs have as many as their rows combine.
        own = {id(runs): np.asarray(runs) for runs in map(access.runs_of, predictions.models)}
        run_of, names = pd.factorize(pd.MultiIndex.from_arrays([*own.values()]))
        if len(names) < 2:
            return None
        rows = [np.flatnonzero(run_of == run) for run in range(len(names))]
        sizes = np.bincount(run_of, access.weights).astype(np.float64)
        texts = (" & ".join(dict.fromkeys(map(str, each))) for each in names)
        return cls(tuple(texts), rows, sizes)

    @cached_property
    def run_of(self) -> IntArray:
        """Number of the run of each row."""
        out = np.empty(sum(map(len, self.rows)), dtype=np.intp)
        for run, rows in enumerate(self.rows):
            out[rows] = run
        return out

    def apart(self, metric: Metric) -> Metric:
        """Return a sum metric whose value is the mean of the runs' values."""
        statistics = tuple(
            replace(
                each, name=f"{each.name} in runs", members_of=None,
                compute=partial(_numbers_in_runs, each, self),
                entries=each.entries and partial(_entries_in_runs, each.entries, each, self),
            )
            for each in (COUNT, *metric.statistics)
        )  # fmt: skip
        return replace(
            metric, statistics=statistics, value=partial(_value_over_runs, metric, self),
            ratio=None, average=None, proportion=False, zero_division=None,
        )  # fmt: skip

    def pooled(self, totals: list[FloatArray]) -> list[FloatArray]:
        """Return totals of the statistics of a metric over all runs from those of each run."""
        _, *parts = (self.split(total) for total in totals)
        return [part.sum(axis=-2) for part in parts]

    def split(self, totals: FloatArray) -> FloatArray:
        """Return totals (..., n_runs, width) of each run."""
        return totals.reshape(*totals.shape[:-1], len(self.rows), -1)

    def mean(self, values: FloatArray, weight: FloatArray) -> FloatArray:
        """Average values over the runs, the last axis, of which the rows have these weights.

        Runs count the same, however many rows they have.
        """
        return mean_of_runs(values, weight / self.sizes)


def mean_of_runs(values: FloatArray, times: FloatArray) -> FloatArray:
    """Average values over runs, the last axis, each of which was drawn some times.

    One that was not drawn does not count, whether it has a value or not.
    """
    drawn = np.where(times > 0, values, 0.0)
    return divide((drawn * times).sum(axis=-1), times.sum(axis=-1))


def is_of_rows(metric: AnyMetric) -> bool:
    """True if all rows together have the mean of the runs' values, or runs are answers to items."""
    return metric.of_items or (isinstance(metric, Metric) and metric.is_mean and metric.power == 1)


def _numbers_in_runs(statistic: Statistic, runs: Runs, outcomes: Outcomes) -> FloatArray:
    """Return numbers of a statistic in the columns of the row's run, and 0 in those of others."""
    if statistic.of_all:
        parts = [statistic.compute(outcomes.rows(rows)) for rows in runs.rows]
        numbers = np.empty((len(outcomes), parts[0].shape[1]))
        for rows, part in zip(runs.rows, parts, strict=True):
            numbers[rows] = part
    else:
        numbers = statistic.compute(outcomes)
    out = np.zeros((len(outcomes), len(runs.rows), numbers.shape[1]))
    out[np.arange(len(out)), runs.run_of] = numbers
    return out.reshape(len(out), -1)


def _entries_in_runs(
    entries: Callable[[Outcomes], Entries | None], statistic: Statistic, runs: Runs,
    outcomes: Outcomes,
) -> Entries | None:  # fmt: skip
    """Return the only numbers that are not 0, and their columns among those of each run."""
    of_all, width = entries(outcomes), outcomes.n_classes**statistic.class_axes
    return None if of_all is None else (of_all[0] + width * runs.run_of, of_all[1])


def _value_over_runs(metric: Metric, runs: Runs, *totals: FloatArray) -> FloatArray:
    """Compute the mean of a metric's values over the runs, from its totals in each run."""
    weight, *parts = map(runs.split, totals)
    values, weight = metric.value(*parts), weight[..., 0]
    if not metric.per_class:
        return runs.mean(values, weight)
    return runs.mean(np.swapaxes(values, -1, -2), weight[..., None, :])


def evaluate_runs(
    evaluators: Sequence[Callable[[FloatArray], FloatArray]], runs: Runs, weights: FloatArray
) -> FloatArray:
    """Compute the mean over the runs of functions of the weights of their rows."""
    # Sample after sample, as order metrics read weights faster.
    parts = [np.take(weights.T, rows, axis=0).T for rows in runs.rows]
    values = [of_run(part) for of_run, part in zip(evaluators, parts, strict=True)]
    weight = np.stack([part.sum(axis=1, dtype=np.float64) for part in parts], axis=-1)
    each = np.stack(values, axis=-1)
    return runs.mean(each, weight if each.ndim == 2 else weight[:, None])
