"""Values over the parts of a test set's rows: the mean of the values of the parts.

Scores of two parts have no common scale, so a curve, a rank, a bin or a class is of one part. A
mean over samples is the same over all rows; any other sum has columns of each part, in which the
numbers of other parts' rows are 0, so that all that is made of sums, such as resamples and swaps of
items, has the parts separate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.data.test_set import TestSet
from modelcompare.engine.units import check_repeats
from modelcompare.metrics.base import AnyMetric, Metric, Outcomes, Statistic
from modelcompare.metrics.outcomes import Entries
from modelcompare.metrics.quotient import divide
from modelcompare.metrics.scoring import COUNT
from modelcompare.plugs import first


@dataclass(frozen=True, eq=False)
class Partition:
    """Parts of the rows of a test set, of all models together.

    Parameters
    ----------
    names : tuple of str
        Names of the parts, in the order of their first rows.
    part_of : ndarray of int of shape (n_samples,)
        Position of the part of each row.
    sizes : ndarray of shape (n_parts,)
        Weight of the rows of each part.
    called : str
        Name of a part.
    """

    names: tuple[str, ...]
    part_of: IntArray
    sizes: FloatArray
    called: str

    @cached_property
    def rows(self) -> list[IntArray]:
        """Rows of each part."""
        return [np.flatnonzero(self.part_of == part) for part in range(len(self.names))]

    def separate(self, metric: Metric) -> Metric:
        """Return a sum metric whose value is the mean of the parts' values."""
        statistics = tuple(
            replace(
                each, name=f"{each.name} in parts", members_of=None,
                compute=partial(_numbers_in_parts, each, self),
                entries=each.entries and partial(_entries_in_parts, each.entries, each, self),
            )
            for each in (COUNT, *metric.statistics)
        )  # fmt: skip
        return replace(
            metric, statistics=statistics, value=partial(_value_over_parts, metric, self),
            ratio=None, average=None, proportion=False, zero_division=None,
        )  # fmt: skip

    def pooled(self, totals: list[FloatArray]) -> list[FloatArray]:
        """Return totals of the statistics of a metric over all parts from those of each part."""
        _, *parts = (self.split(total) for total in totals)
        return [part.sum(axis=-2) for part in parts]

    def split(self, totals: FloatArray) -> FloatArray:
        """Return totals (..., n_parts, width) of each part."""
        return totals.reshape(*totals.shape[:-1], len(self.names), -1)

    def mean(self, values: FloatArray, weight: FloatArray) -> FloatArray:
        """Average values over the parts, the last axis, of which the rows have these weights.

        Parts count the same, however many rows they have.
        """
        return mean_of_parts(values, weight / self.sizes)


def partition_of(predictions: TestSet) -> Partition | None:
    """Return the parts of a test set that are evaluated one by one; None if it has one.

    Raises
    ------
    ValueError
        If rows repeat samples, and no column identifies those of one sample.
    """
    found: Partition | None = first("partitions", predictions)
    check_repeats(predictions)
    return found


def mean_of_parts(values: FloatArray, times: FloatArray) -> FloatArray:
    """Average values over parts, the last axis, each of which was drawn some times.

    One that was not drawn does not count, whether it has a value or not.
    """
    drawn = np.where(times > 0, values, 0.0)
    return divide((drawn * times).sum(axis=-1), times.sum(axis=-1))


def is_of_rows(metric: AnyMetric) -> bool:
    """True if all rows have the mean of the parts' values, or parts are answers to items."""
    return metric.of_items or (isinstance(metric, Metric) and metric.is_mean and metric.power == 1)


def _numbers_in_parts(statistic: Statistic, partition: Partition, outcomes: Outcomes) -> FloatArray:
    """Return numbers of a statistic in the columns of the row's part, and 0 in those of others."""
    if statistic.of_all:
        parts = [statistic.compute(outcomes.rows(rows)) for rows in partition.rows]
        numbers = np.empty((len(outcomes), parts[0].shape[1]))
        for rows, part in zip(partition.rows, parts, strict=True):
            numbers[rows] = part
    else:
        numbers = statistic.compute(outcomes)
    out = np.zeros((len(outcomes), len(partition.names), numbers.shape[1]))
    out[np.arange(len(out)), partition.part_of] = numbers
    return out.reshape(len(out), -1)


def _entries_in_parts(
    entries: Callable[[Outcomes], Entries | None], statistic: Statistic, partition: Partition,
    outcomes: Outcomes,
) -> Entries | None:  # fmt: skip
    """Return the only numbers that are not 0, and their columns among those of each part."""
    of_all, width = entries(outcomes), outcomes.n_classes**statistic.class_axes
    return None if of_all is None else (of_all[0] + width * partition.part_of, of_all[1])


def _value_over_parts(metric: Metric, partition: Partition, *totals: FloatArray) -> FloatArray:
    """Compute the mean of a metric's values over the parts, from its totals in each part."""
    weight, *parts = map(partition.split, totals)
    values, weight = metric.value(*parts), weight[..., 0]
    if not metric.per_class:
        return partition.mean(values, weight)
    return partition.mean(np.swapaxes(values, -1, -2), weight[..., None, :])


def evaluate_parts(
    evaluators: Sequence[Callable[[FloatArray], FloatArray]], partition: Partition,
    weights: FloatArray,
) -> FloatArray:  # fmt: skip
    """Compute the mean over the parts of functions of the weights of their rows."""
    # Sample after sample, as order metrics read weights faster.
    parts = [np.take(weights.T, rows, axis=0).T for rows in partition.rows]
    values = [of_part(part) for of_part, part in zip(evaluators, parts, strict=True)]
    weight = np.stack([part.sum(axis=1, dtype=np.float64) for part in parts], axis=-1)
    each = np.stack(values, axis=-1)
    return partition.mean(each, weight if each.ndim == 2 else weight[:, None])
