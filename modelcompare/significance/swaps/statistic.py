"""Statistics of pairs of models after swaps of their outputs.

A `SwapStatistic` counts the swaps that are as extreme as the observed ones, and those that matter
for a step-down, among drawn swaps or among all swaps of a few units. `UnitSwaps` does so for
statistics that are made of sums over the units that swap.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import ceil
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from scipy import sparse

from modelcompare.arrays import CACHE_BYTES, AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.engine.joined import JoinedUnits
from modelcompare.engine.parallel import map_blocks, work
from modelcompare.metrics.base import AnyMetric
from modelcompare.resampling.draws import RESAMPLE_BLOCK
from modelcompare.resampling.weights import SwapMasks, Units
from modelcompare.significance.extreme import Rising, as_extreme, beyond, n_rising, n_true
from modelcompare.words import Alternative

Result = TypeVar("Result")
Counts = tuple[IntArray, IntArray]
"""Swaps as extreme as the data, (n_chosen, n_values), and those for a step-down, (n_defined,)."""

# Relative size of rounding errors of numbers that cancel.
ROUNDING = 1e-12
# What is not counted.
NOTHING: IntArray = np.empty((0, 0), dtype=np.intp)
# Sums under a block of masks that are computed at once.
_SUM_NUMBERS = 2**18
# Masks of a product, and its sums, may take this share of the numbers that they are multiplied by:
# products of few masks spend their time on reading the numbers. In 64 masks at once 10 models of
# 1,000 classes take 1.2 times as long.
_SHARE = 1 / 32
# Number of steps for threads, and numbers of a step that make its formulas cheap in comparison.
_TASKS = 16
_STEP_NUMBERS = 2**23


class Asked(NamedTuple):
    """Swaps to count; None for those that are not.

    Parameters
    ----------
    alternative : {"two-sided", "greater", "less"}, optional
        Swaps as extreme as the data.
    rising : tuple of ndarray, optional
        Swaps for a step-down of the pairs and their values, by `rising_order` of observed sizes.
    ties : bool
        Whether swaps that equal the data are as extreme; else those beyond are counted.
    """

    alternative: Alternative | None = None
    rising: Rising | None = None
    ties: bool = True


class SwapStatistic(ABC):
    """A statistic of pairs of models, observed and after swaps of their outputs.

    Parameters
    ----------
    evaluation : Evaluation
        Models and units.
    pairs : tuple of two ndarrays of int of shape (n_pairs,)
        Positions of the models of each pair.
    """

    units: Units  # that swap: samples, clusters, or groups of them

    def __init__(self, evaluation: Evaluation, pairs: Pairs) -> None:
        self.evaluation = evaluation
        self.model_a, self.model_b = pairs

    @property
    @abstractmethod
    def observed(self) -> FloatArray:
        """Observed statistics, of shape (n_pairs, n_values)."""

    @abstractmethod
    def counts(self, masks: SwapMasks, pairs: IntArray, asked: Asked) -> Counts:
        """Count extreme swaps of the pairs at some places, and those for their step-down."""

    @abstractmethod
    def moving(self, pair: int) -> IntArray:
        """Return units whose swap changes any value of a pair, once for each of their samples."""

    def movable(self, enough: int) -> tuple[IntArray, list[IntArray | None]]:
        """Find the samples that a swap changes.

        Returns
        -------
        count : ndarray of int of shape (n_pairs, n_values)
            Number of samples whose outputs differ in a value; counting may end at `enough`.
        units : list of ndarray
            Units from `moving`, for each pair; None where there are `enough`.
        """
        found = [self.moving(pair)[:enough] for pair in range(len(self.model_a))]
        count = np.empty(self.observed.shape, dtype=np.intp)
        count[:] = np.array([len(units) for units in found])[:, None]
        return count, [units if len(units) < enough else None for units in found]


@dataclass
class Swapped:
    """Swaps of units, and sums over the units that swap.

    Parameters
    ----------
    draw : callable
        Draws the masks (n_masks, n_chosen) when they are first read.
    n_masks : int
        Number of swaps.
    units : slice or ndarray of int
        Units that the masks are of.
    sums : list of ndarray of shape (n_models, width, n_masks)
        Sums of each block of models' columns, less those of the first model.
    in_strata : list of ndarray of shape (n_strata, n_models, width, n_masks)
        Sums of the first blocks in each stratum; empty where there are no strata.
    grown : dict
        Results of formulas that all pairs share.
    """

    draw: Callable[[], AnyArray]
    n_masks: int
    units: slice | IntArray = field(default_factory=lambda: slice(None))
    sums: list[FloatArray] = field(default_factory=list)
    in_strata: list[FloatArray] = field(default_factory=list)
    grown: dict[Any, Any] = field(default_factory=dict)

    def times_each(self, matrices: Sequence[Any]) -> list[FloatArray]:
        """Return sums of several matrices of columns (n_columns, n_units), dense or sparse.

        Masks are converted once.
        """
        every = isinstance(self.units, slice)
        chosen = [matrix if every else matrix[:, self.units] for matrix in matrices]
        at_once = max([CACHE_BYTES, *(_SHARE * matrix.size for matrix in matrices)])
        n_parts = max(1, ceil(self.masks.size / at_once))
        parts = []
        for masks in np.array_split(self.masks, n_parts):
            wide: dict[Any, AnyArray] = {}
            part = []
            for columns in chosen:
                # Sparse products read masks of one unit after the other.
                order: Literal["C", "F"] = "C" if sparse.issparse(columns) else "F"
                key = columns.dtype, order
                if key not in wide:
                    wide[key] = masks.T.astype(columns.dtype, order=order, copy=False)
                part.append(np.asarray(columns @ wide[key], dtype=np.float64))
            parts.append(part)
        return [np.concatenate(each, axis=1) for each in zip(*parts, strict=True)]

    def only(self, chosen: BoolArray) -> Swapped:
        """Return some of the swaps, chosen by a mask."""
        some = partial(np.compress, chosen, self.masks, axis=0)
        sums, in_strata = (
            [part[..., chosen] for part in parts] for parts in (self.sums, self.in_strata)
        )
        return Swapped(some, int(n_true(chosen)), self.units, sums, in_strata=in_strata)

    @property
    def is_nothing(self) -> bool:
        """True if nothing is swapped."""
        return not isinstance(self.units, slice) and len(self.units) == 0

    @cached_property
    def masks(self) -> AnyArray:
        """Masks (n_masks, n_chosen) in as few bits as they need."""
        return self.draw()


class UnitSwaps(SwapStatistic):
    """A statistic of pairs of models after swaps of units, or of fixed groups of very many.

    Parameters
    ----------
    evaluation, pairs
        As in `SwapStatistic`.
    metrics : sequence of metrics
        Metrics, whose values are concatenated.
    drawn : bool
        Whether all swaps are drawn: groups are then of fewer units.
    """

    def __init__(
        self, evaluation: Evaluation, metrics: Sequence[AnyMetric], pairs: Pairs, *,
        drawn: bool = False,
    ) -> None:  # fmt: skip
        self.joined = JoinedUnits.of(evaluation, drawn=drawn)
        super().__init__(self.joined.evaluation, pairs)
        self.metrics, self.units = tuple(metrics), self.joined.units

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """Number of columns that a mask is multiplied by."""

    @abstractmethod
    def of_pairs(self, pairs: IntArray, swapped: Swapped) -> FloatArray:
        """Return statistics (n_pairs, n_values, n_masks) of some pairs."""

    def sum_up(self, swapped: Swapped) -> None:
        """Compute the sums that pairs share."""

    @cached_property
    def observed(self) -> FloatArray:
        """Observed statistics, of shape (n_pairs, n_values).

        They are 0 where a value is lost in rounding of the sum of the two models' totals.
        """
        nothing = Swapped(lambda: np.zeros((1, 0)), 1, np.empty(0, dtype=np.intp))
        self.sum_up(nothing)
        every = np.arange(len(self.model_a))
        found = np.concatenate([*self.statistics(every, nothing)])[..., 0]
        if np.isnan(found).any():
            places = [self.evaluation.metric_slice(metric.name) for metric in self.metrics]
            point = self.evaluation.estimate()[:, np.r_[tuple(places)]]
            found[np.isnan(found) & ~np.isnan(point[self.model_a] - point[self.model_b])] = 0.0
        return found

    def counts(self, masks: SwapMasks, pairs: IntArray, asked: Asked) -> Counts:
        if masks.movable is None:
            parts = self._mapped(masks, partial(self.counts_of, pairs, asked))
            extreme, steps = zip(*parts, strict=True)
            return np.sum(extreme, axis=0), np.sum(steps, axis=0)
        swapped = Swapped(lambda: masks.every, masks.n_resamples, masks.movable)
        self.sum_up(swapped)
        return count_extreme(self.statistics(pairs, swapped), None, asked)

    def counts_of(self, pairs: IntArray, asked: Asked, swapped: Swapped) -> Counts:
        """Count some of the drawn swaps, as `counts`."""
        return count_extreme(self.statistics(pairs, swapped), self.observed[pairs], asked)

    def statistics(self, pairs: IntArray, swapped: Swapped) -> Iterator[FloatArray]:
        """Yield `of_pairs` of some pairs after others."""
        return (self.of_pairs(some, swapped) for some in self.few(pairs, swapped))

    def few(
        self, pairs: IntArray, swapped: Swapped, n_masks: int | None = None
    ) -> Iterator[IntArray]:
        """Yield pairs whose numbers, of all masks or of some, stay in the processor's cache."""
        width = max((sums.shape[1] for sums in swapped.sums), default=1)
        step = max(1, CACHE_BYTES // (8 * (n_masks or swapped.n_masks) * width))
        for start in range(0, len(pairs), step):
            yield pairs[start : start + step]

    def _mapped(self, masks: SwapMasks, task: Callable[[Swapped], Result]) -> list[Result]:
        """Return the results of a task on swaps, some blocks of masks after others."""
        n_units, n_columns = self.units.n_units, max(1, self.n_columns)
        uniform = self.units.multiplicity is None
        cost = work(RESAMPLE_BLOCK * n_units, n_columns, uniform=uniform)
        wanted = max(masks.n_blocks / _TASKS, _STEP_NUMBERS / cost)
        at_once = int(max(_SUM_NUMBERS // n_columns, _SHARE * n_units)) // RESAMPLE_BLOCK
        step = int(np.clip(ceil(wanted), 1, max(1, at_once)))
        blocks = masks.joined(step)

        def one(block: int) -> Result:
            swapped = Swapped(partial(blocks.narrow, block, 0), blocks.block_size(block))
            self.sum_up(swapped)
            return task(swapped)

        return map_blocks(one, range(blocks.n_blocks), numbers=step * cost)


def count_extreme(found: Iterable[FloatArray], observed: FloatArray | None, asked: Asked) -> Counts:
    """Count extreme statistics (n_some, n_values, n_masks), of some pairs after others.

    Without `observed` the first mask, which swaps nothing, is the data: what all swaps of few units
    give is rounded otherwise than what was observed before.
    """
    extreme, sizes, first = [], [], 0
    for some in found:
        if asked.alternative is not None:
            here = slice(first, first := first + len(some))
            least = some[..., :1] if observed is None else observed[here, :, None]
            count = as_extreme if asked.ties else beyond
            extreme.append(n_true(count(some, least, asked.alternative), axis=2))
        if asked.rising is not None:
            sizes.append(np.abs(some).reshape(-1, some.shape[2]))
    steps = NOTHING if asked.rising is None else n_rising(np.concatenate(sizes), asked.rising)
    return np.concatenate(extreme) if extreme else NOTHING, steps


def studentized(score: FloatArray, square: FloatArray, size: int, *, centred: bool) -> FloatArray:
    """Divide by the root of a sum of squares, which is at least that of equal numbers."""
    least = score * score
    least /= size
    # A centred sum may be 0: the addition keeps the statistic finite and its order.
    square = square + least if centred else np.maximum(square, least, out=square)
    np.sqrt(square, out=square)
    with np.errstate(divide="ignore", invalid="ignore"):
        score /= square
    if np.isnan(score.min(initial=0.0)):
        score[np.isnan(score)] = 0.0
    return score
