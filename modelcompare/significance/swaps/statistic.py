"""What a statistic of pairs of models after swaps is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.resampling.weights import Units, Weights
from modelcompare.significance.exact import as_extreme
from modelcompare.significance.extreme import n_true
from modelcompare.words import Alternative

Result = TypeVar("Result")


class SwapStatistic(ABC):
    """A statistic of pairs of models, as it is and after swaps of their outputs.

    Parameters
    ----------
    evaluation : Evaluation
        Models and units.
    model_a, model_b : ndarray of int of shape (n_pairs,)
        Positions of the models of each pair.
    """

    units: Units  # what swaps: samples, clusters, or groups of them

    def __init__(self, evaluation: Evaluation, model_a: IntArray, model_b: IntArray) -> None:
        self.evaluation, self.model_a, self.model_b = evaluation, model_a, model_b

    def map(
        self,
        masks: Weights,
        reduce: Callable[[FloatArray], Result],
        *,
        pairs: IntArray | None = None,
        n_jobs: int | None = None,
    ) -> list[Result]:
        """Reduce the statistics (block_size, n_pairs, n_values) of each block of swaps."""
        chosen = np.arange(len(self.model_a)) if pairs is None else pairs
        return self.reduced(masks, reduce, chosen, n_jobs)

    def n_extreme(
        self,
        masks: Weights,
        pairs: IntArray,
        alternative: Alternative,
        *,
        n_jobs: int | None = None,
    ) -> IntArray:
        """How many swaps are as extreme as what was observed, of shape (n_chosen, n_values)."""
        observed = self.observed[pairs]

        def counted(found: FloatArray) -> IntArray:
            return n_true(as_extreme(found, observed, alternative))

        return np.sum(self.map(masks, counted, pairs=pairs, n_jobs=n_jobs), axis=0)

    @abstractmethod
    def reduced(
        self,
        masks: Weights,
        reduce: Callable[[FloatArray], Result],
        pairs: IntArray,
        n_jobs: int | None,
    ) -> list[Result]:
        """The same, of the pairs at these places."""

    @property
    @abstractmethod
    def observed(self) -> FloatArray:
        """Statistics of the data as they are, of shape (n_pairs, n_values)."""

    @abstractmethod
    def enumerated(self, pair: int, bits: FloatArray, units: IntArray) -> FloatArray:
        """Statistics (n_swaps, n_values) of one pair when these units swap where a bit is 1."""

    def enumerated_of(
        self, pairs: IntArray, bits: FloatArray, units: IntArray
    ) -> Iterator[tuple[int, FloatArray]]:
        """The same of several pairs, one after the other."""
        for pair in pairs.tolist():
            yield pair, self.enumerated(pair, bits, units)

    @property
    def n_shared(self) -> int:
        """Sums of all models that each enumeration makes anew; 0 where a pair has its own."""
        return 0

    @abstractmethod
    def movable(self, enough: int) -> tuple[IntArray, list[IntArray | None]]:
        """Samples that a swap changes.

        Returns
        -------
        count : ndarray of int of shape (n_pairs, n_values)
            How many samples there are whose outputs differ in a value; counting may end at
            `enough`.
        units : list of ndarray
            Units that differ in any value, once for each of their samples, for each pair; None
            where there are `enough`.
        """


@dataclass(frozen=True)
class DrawnSwaps:
    """Swaps that were drawn for a metric, and its place among the values of their statistic."""

    statistic: SwapStatistic
    masks: Weights
    values: slice

    @property
    def observed(self) -> FloatArray:
        """Statistics of the data as they are, of shape (n_pairs, n_values_of_the_metric)."""
        return self.statistic.observed[:, self.values]

    def map(self, reduce: Callable[[FloatArray], Result]) -> list[Result]:
        """Reduce the metric's statistics (block_size, n_pairs, n_values) of each block."""
        return self.statistic.map(self.masks, lambda found: reduce(found[:, :, self.values]))
