"""Units that are swapped, or drawn, together: of very many samples or clusters, random groups.

Swapping whole groups is a subgroup of all swaps, so the test stays exact where the models are
exchangeable, for any groups that are fixed before any output is seen. Resamples of groups of equal
size vary as those of their members, which are independent. Groups keep clusters whole and strata
apart. Once joined, the work of a swap or of a resample does not grow with the test set.

Swaps that are drawn are of groups from 8,192 units on. A law is evaluated for single units up to
65,536: random groups of two change its p-values by a tenth, as much as 10,000 draws do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
from scipy import sparse

from modelcompare.arrays import CACHE_BYTES, PASS_BYTES, ROW_BLOCK, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.leave_out import without
from modelcompare.metrics.base import AnyMetric, Metric, Statistic
from modelcompare.resampling.draws import random_groups
from modelcompare.resampling.weights import Units, Weights

# Number of groups that units are joined into, and of units that are drawn one by one.
N_GROUPS = 4_096
MOST_DRAWN = 8_192
# Labels of more classes are sparse, and sums of groups of them are not.
_MOST_CLASSES = 512


@dataclass(frozen=True)
class JoinedUnits:
    """Units that are swapped or drawn, and the statistics of each.

    Parameters
    ----------
    evaluation : Evaluation
        The test set.
    units : Units
        Its units, or groups of them.
    group_of : ndarray of int of shape (n_units_of_the_evaluation,), optional
        Group of each unit, where they are joined.
    """

    evaluation: Evaluation
    units: Units
    group_of: IntArray | None = None

    @classmethod
    def of(cls, evaluation: Evaluation, *, drawn: bool = False) -> JoinedUnits:
        """Return the units of an evaluation, joined if they are many.

        These are more than one row block; where swaps are drawn, more than 8,192 of at most 512
        classes.
        """
        if not cls.are_many(evaluation, drawn=drawn):
            return cls(evaluation, evaluation.units)
        return evaluation.once("swap units", lambda: cls._in_groups(evaluation))

    @staticmethod
    def are_many(evaluation: Evaluation, *, drawn: bool) -> bool:
        """Return True if units are to be joined, for what is drawn or for all."""
        sparse_labels = evaluation.predictions.access.n_classes > _MOST_CLASSES
        most = min(ROW_BLOCK, MOST_DRAWN) if drawn and not sparse_labels else ROW_BLOCK
        return evaluation.units.n_units > most

    @classmethod
    def _in_groups(cls, evaluation: Evaluation) -> JoinedUnits:
        if evaluation.collapsed:
            # Equal rows of different samples belong to different groups.
            evaluation = type(evaluation)(
                evaluation.predictions, evaluation.metrics, collapse=False
            )
        strata = evaluation.units.strata
        if strata is None:
            group_of = random_groups(evaluation.units.n_units, N_GROUPS)
            return cls(evaluation, Units(N_GROUPS), group_of)
        group_of, stratum_of = _groups_in_strata(strata, N_GROUPS)
        return cls(evaluation, Units(len(stratum_of), strata=stratum_of), group_of)

    @property
    def joined(self) -> bool:
        """True where units are groups."""
        return self.group_of is not None

    def groups_of(self, units: IntArray) -> IntArray:
        """Return the groups that contain any of some units; the units if they are not joined."""
        return units if self.group_of is None else np.unique(self.group_of[units])

    def statistics(self, metrics: Sequence[Metric]) -> dict[Statistic, FloatArray]:
        """Return sums (n_units, n_models or 1, width) of the metrics' statistics over each unit."""
        evaluation, columns = self.evaluation, self.evaluation.columns(slice(None), metrics)
        if self.group_of is None:
            numbers = evaluation.statistics(metrics=metrics)
        elif 8 * self.units.n_units * columns[-1].stop > PASS_BYTES // 4:
            numbers = self._sums(metrics)
        else:
            key = "sums of groups", *(metric.name for metric in metrics)
            numbers = evaluation.once(key, lambda: self._sums(metrics))
        return {column.statistic: column.of(numbers) for column in columns}

    def _sums(self, metrics: Sequence[Metric]) -> FloatArray:
        """Compute sums of statistics over each group, (n_groups, n_columns)."""
        evaluation, n_groups = self.evaluation, self.units.n_units
        assert self.group_of is not None  # noqa: S101  asked for where units are joined
        sums = np.zeros((evaluation.columns(slice(None), metrics)[-1].stop, n_groups))
        for rows in evaluation.row_steps():
            group_of, numbers = self.group_of[rows], evaluation.statistics(rows, metrics)
            for out, column in zip(sums, numbers.T, strict=True):
                out += np.bincount(group_of, column, n_groups)
        return sums.T

    def replicates(self, metrics: Sequence[Metric], weights: Weights) -> FloatArray:
        """Compute metrics of one value under weights of the groups.

        Returns
        -------
        ndarray of shape (n_resamples, n_models, n_values)
            NaN for the evaluation's other metrics.
        """
        numbers, evaluation = self.statistics(metrics), self.evaluation
        metrics = [evaluation.valued(metric) for metric in metrics]
        shape = weights.n_resamples, len(evaluation.models), len(evaluation.keys)
        out = np.full(shape, np.nan)
        for block, drawn in enumerate(weights.blocks()):
            for metric in metrics:
                totals = (np.tensordot(drawn, numbers[s], 1) for s in metric.statistics)
                value, where = metric.value(*totals), evaluation.metric_slice(metric.name)
                out[weights.rows(block), :, where.start] = value
        return out

    def influences(self, metric: Metric, estimate: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Compute influences on a value, as of a delete-group jackknife (`engine.leave_out`).

        Returns
        -------
        influence : ndarray of shape (n_models, n_groups)
            Influence of each member of a group; 0 if the value is undefined without the group.
        size : ndarray of shape (n_groups,)
            Number of members.
        """
        assert self.group_of is not None  # noqa: S101  asked for where units are joined
        numbers, evaluation = self.statistics((metric,)), self.evaluation
        metric = evaluation.valued(metric)
        totals = evaluation.parts(metric, evaluation.grand_total)
        parts = zip(totals, metric.statistics, strict=True)
        left = metric.value(*(without(total, numbers[s]) for total, s in parts))
        size = np.bincount(self.group_of, minlength=self.units.n_units).astype(np.float64)
        share = (len(self.group_of) - size) / np.sqrt(size)
        return np.nan_to_num((estimate - left).T * share, nan=0.0), size

    def numbers(self, metrics: Sequence[Metric]) -> dict[Statistic, Any]:
        """Return `statistics`, computed for some units at a time where all would be too large."""
        columns = self.evaluation.columns(slice(None), metrics)
        n_bytes = 8 * self.units.n_units * columns[-1].stop
        clusters = self.evaluation.predictions.groups is not None
        if self.joined or clusters or n_bytes <= PASS_BYTES // 2:
            return self.statistics(metrics)
        return {c.statistic: OfSteps(self.evaluation, c.statistic, c.width) for c in columns}

    def members(self, rows: slice = slice(None)) -> sparse.csr_array:
        """Return a matrix (n_groups, n_rows), 1 where a unit of the evaluation is in a group."""
        assert self.group_of is not None  # noqa: S101  asked for where units are joined
        group_of = self.group_of[rows]
        places = (group_of, np.arange(len(group_of)))
        shape = (self.units.n_units, len(group_of))
        return sparse.csr_array((np.ones(len(group_of)), places), shape=shape)


def joins_influences(
    metric: AnyMetric, evaluation: Evaluation, *, drawn: bool = False
) -> TypeGuard[Metric]:
    """Return True for sums with a corner of very many independent samples, or clusters.

    Influences do not describe them: their resamples, and correlations, need not be of samples.
    Where resamples are `drawn`, these are many sooner.
    """
    return (
        isinstance(metric, Metric)
        and not (metric.smooth or metric.per_class)
        and evaluation.units.strata is None
        and JoinedUnits.are_many(evaluation, drawn=drawn)
    )


def _groups_in_strata(strata: IntArray, most: int) -> tuple[IntArray, IntArray]:
    """Return the group of each unit, and the stratum of each group.

    Raises
    ------
    ValueError
        If strata are so many that their groups are more than a row block.
    """
    sizes = np.bincount(strata)
    n_groups = np.minimum(sizes, np.maximum(2, most * sizes // len(strata)))
    if n_groups.sum() > ROW_BLOCK:
        raise ValueError(
            f"`strata` has {len(sizes):,} strata of few units, and swaps of so many units are of "
            f"two groups in each stratum, of at most {ROW_BLOCK:,} in all; merge strata, or use "
            "Wald's test."
        )
    group_of, members = np.empty(len(strata), dtype=np.intp), np.argsort(strata, kind="stable")
    first, last = np.cumsum(n_groups) - n_groups, np.cumsum(sizes)
    for n_before, size, stop, own in zip(first, sizes, last, n_groups, strict=True):
        group_of[members[stop - size : stop]] = n_before + random_groups(int(size), int(own))
    return group_of, np.repeat(np.arange(len(n_groups)), n_groups)


@dataclass(frozen=True)
class OfSteps:
    """Numbers of a statistic (n_units, n_models or 1, width), computed when they are read."""

    evaluation: Evaluation
    statistic: Statistic
    width: int

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of all numbers."""
        return self.evaluation.units.n_units, len(self._models), self.width

    def __getitem__(self, places: slice | tuple[slice, int]) -> FloatArray:
        """Return the numbers of some units, of all models or of one."""
        if isinstance(places, tuple):
            rows, model = places
            return self._of(self._models[model], rows)
        # Numbers of a model stay together.
        return np.stack([self._of(model, places) for model in self._models]).swapaxes(0, 1)

    def _of(self, model: str, rows: slice) -> FloatArray:
        outcomes = self.evaluation.outcomes(model, rows)
        return self.evaluation.numbers(self.statistic, model, outcomes, rows)

    @property
    def _models(self) -> Sequence[str]:
        return self.evaluation.models[: 1 if self.statistic.shared else None]


def steps(numbers: FloatArray | OfSteps) -> list[slice]:
    """Return the units to read at once: all that are stored, or those that stay in cache."""
    n_units, n_models, width = numbers.shape
    few = max(1, 4 * CACHE_BYTES // (8 * n_models * width))
    step = few if isinstance(numbers, OfSteps) else n_units
    return [slice(at, min(at + step, n_units)) for at in range(0, n_units, step)]
