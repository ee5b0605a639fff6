"""Units that swap: samples or clusters, and of very many fixed random groups of them.

Swapping whole groups is a subgroup of all swaps, so the test stays exact where the models are
exchangeable, for any groups that are fixed before any output is seen. Groups keep
clusters whole and strata apart. Once joined, the work of a swap does not grow with the test set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from modelcompare.arrays import CACHE_BYTES, PASS_BYTES, ROW_BLOCK, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.base import Metric, Statistic
from modelcompare.resampling.draws import random_groups
from modelcompare.resampling.weights import Units

# Number of groups that units are joined into.
N_GROUPS = 4_096


@dataclass(frozen=True)
class SwapUnits:
    """Units that swap, and the statistics of each.

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
    def of(cls, evaluation: Evaluation) -> SwapUnits:
        """Return the units of an evaluation, joined if they are more than one row block."""
        if evaluation.units.n_units <= ROW_BLOCK:
            return cls(evaluation, evaluation.units)
        return evaluation.once("swap units", lambda: cls._in_groups(evaluation))

    @classmethod
    def _in_groups(cls, evaluation: Evaluation) -> SwapUnits:
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

    def statistics(
        self, metrics: Sequence[Metric], models: slice = slice(None)
    ) -> dict[Statistic, FloatArray]:
        """Return sums (n_units, n_models or 1, width) of the metrics' statistics over each unit."""
        columns = self.evaluation.columns(models, metrics)
        if self.group_of is None:
            numbers = self.evaluation.statistics(models, metrics=metrics)
        else:
            numbers = np.zeros((self.units.n_units, columns[-1].stop))
            for rows in self.evaluation.row_steps(models):
                members = self.members(rows)
                numbers += members @ self.evaluation.statistics(models, rows, metrics)
        return {column.statistic: column.of(numbers) for column in columns}

    def numbers(self, metrics: Sequence[Metric]) -> dict[Statistic, Any]:
        """Return `statistics`, computed for some units at a time where all would be too large."""
        columns = self.evaluation.columns(slice(None), metrics)
        n_bytes = 8 * self.units.n_units * columns[-1].stop
        clusters = self.evaluation.predictions.groups is not None
        if self.joined or clusters or n_bytes <= PASS_BYTES // 4:
            return self.statistics(metrics)
        return {c.statistic: OfSteps(self.evaluation, c.statistic, c.width) for c in columns}

    def members(self, rows: slice = slice(None)) -> sparse.csr_array:
        """Return a matrix (n_groups, n_rows), 1 where a unit of the evaluation is in a group."""
        assert self.group_of is not None  # noqa: S101  asked for where units are joined
        group_of = self.group_of[rows]
        places = (group_of, np.arange(len(group_of)))
        shape = (self.units.n_units, len(group_of))
        return sparse.csr_array((np.ones(len(group_of)), places), shape=shape)


def _groups_in_strata(strata: IntArray, most: int) -> tuple[IntArray, IntArray]:
    """Return the group of each unit, and the stratum of each group."""
    group_of, n_groups = np.empty(len(strata), dtype=np.intp), []
    for stratum, size in enumerate(np.bincount(strata).tolist()):
        n_groups.append(min(size, max(2, most * size // len(strata))))
        inside = random_groups(size, n_groups[-1])
        group_of[strata == stratum] = sum(n_groups[:-1]) + inside
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

    def __getitem__(self, rows: slice) -> FloatArray:
        evaluation, statistic = self.evaluation, self.statistic
        found = (
            evaluation.numbers(statistic, model, evaluation.outcomes(model, rows), rows)
            for model in self._models
        )
        return np.stack([*found], axis=1)

    @property
    def _models(self) -> Sequence[str]:
        return self.evaluation.models[: 1 if self.statistic.shared else None]


def steps(numbers: FloatArray | OfSteps) -> list[slice]:
    """Return the units to read at once: all that are stored, or those that stay in cache."""
    n_units, n_models, width = numbers.shape
    few = max(1, 4 * CACHE_BYTES // (8 * n_models * width))
    step = few if isinstance(numbers, OfSteps) else n_units
    return [slice(at, min(at + step, n_units)) for at in range(0, n_units, step)]
