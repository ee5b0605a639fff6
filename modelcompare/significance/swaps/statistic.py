"""Statistics of pairs of models after swaps of their outputs.

A `SwapStatistic` gives the statistics of blocks of drawn swaps (`map`), counts those as extreme as
the observed ones (`n_extreme`), and enumerates all swaps of a few units (`enumerated_of`).
`UnitSwaps` does so for statistics that are made of sums over the units that swap.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import ceil
from typing import Any, Literal, TypeVar

import numpy as np
from scipy import sparse

from modelcompare.arrays import CACHE_BYTES, AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.joined import JoinedUnits
from modelcompare.engine.parallel import map_blocks, work
from modelcompare.metrics.base import AnyMetric
from modelcompare.resampling.draws import RESAMPLE_BLOCK
from modelcompare.resampling.weights import Units, Weights
from modelcompare.significance.extreme import as_extreme, n_rising, n_true
from modelcompare.significance.strata import Strata
from modelcompare.words import Alternative

Result = TypeVar("Result")

# Relative size of rounding errors of numbers that cancel.
ROUNDING = 1e-12
# Sums under a block of masks that are computed at once.
_SUM_NUMBERS = 2**18
# Masks of a product, and its sums, may take this share of the numbers that they are multiplied by:
# products of few masks spend their time on reading the numbers. In 64 masks at once 10 models of
# 1,000 classes take 1.2 times as long.
_SHARE = 1 / 32
# Number of steps for threads, and numbers of a step that make its formulas cheap in comparison.
_TASKS = 16
_STEP_NUMBERS = 2**23


class SwapStatistic(ABC):
    """A statistic of pairs of models, observed and after swaps of their outputs.

    Parameters
    ----------
    evaluation : Evaluation
        Models and units.
    model_a, model_b : ndarray of int of shape (n_pairs,)
        Positions of the models of each pair.
    """

    units: Units  # that swap: samples, clusters, or groups of them

    def __init__(self, evaluation: Evaluation, model_a: IntArray, model_b: IntArray) -> None:
        self.evaluation, self.model_a, self.model_b = evaluation, model_a, model_b

    @property
    @abstractmethod
    def observed(self) -> FloatArray:
        """Observed statistics, of shape (n_pairs, n_values)."""

    @abstractmethod
    def map(
        self,
        masks: Weights,
        reduce: Callable[[FloatArray], Result],
        *,
        n_jobs: int | None = None,
    ) -> list[Result]:
        """Reduce the statistics (block_size, n_pairs, n_values) of each block of swaps."""

    def n_rising(
        self, masks: Weights, at: IntArray, rising: tuple[IntArray, FloatArray]
    ) -> IntArray:
        """Count the swaps for the step-down of all pairs in a metric's values at some places.

        See `significance.extreme.n_rising`.
        """

        def count(t: FloatArray) -> IntArray:
            return n_rising(np.abs(t[:, :, at]).reshape(len(t), -1).T, rising)

        return np.asarray(np.sum(self.map(masks, count), axis=0))

    @abstractmethod
    def n_extreme(
        self,
        masks: Weights,
        pairs: IntArray,
        alternative: Alternative,
        *,
        n_jobs: int | None = None,
    ) -> IntArray:
        """Count the swaps as extreme as the data, of shape (n_chosen, n_values)."""

    def n_both(
        self, masks: Weights, rising: tuple[IntArray, FloatArray], *, n_jobs: int | None = None
    ) -> tuple[IntArray, IntArray]:
        """Count `n_extreme`, two-sided, and `n_rising`, of all pairs and values."""
        every, at = np.arange(len(self.model_a)), np.arange(self.observed.shape[1])
        extreme = self.n_extreme(masks, every, "two-sided", n_jobs=n_jobs)
        return extreme, self.n_rising(masks, at, rising)

    @abstractmethod
    def enumerated_of(
        self, pairs: IntArray, bits: FloatArray, units: IntArray
    ) -> Iterator[tuple[int, FloatArray]]:
        """Yield each pair's statistics (n_swaps, n_values), if units swap where a bit is 1."""

    @property
    def n_shared(self) -> int:
        """Number of sums of all models that each enumeration needs; 0 for sums of pairs."""
        return 0

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


@dataclass(frozen=True)
class Rows:
    """Columns that are summed over the units that swap.

    Parameters
    ----------
    columns : matrix of shape (n_columns, n_units)
        Dense or sparse.
    units : ndarray of int, optional
        Units of the columns, in order; all by default.
    """

    columns: Any
    units: IntArray | None = None

    def among(self, chosen: slice | IntArray) -> tuple[Any, IntArray | None]:
        """Return the columns of chosen units, and the places of these units."""
        if isinstance(chosen, slice):
            return self.columns, self.units
        if self.units is None:
            return self.columns[:, chosen], None
        place = np.minimum(np.searchsorted(self.units, chosen), len(self.units) - 1)
        here = np.flatnonzero(self.units[place] == chosen)
        return self.columns[:, place[here]], here


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
    own : ndarray of shape (n_own, n_masks)
        Sums of the columns of pairs that are kept.
    in_strata : list of ndarray of shape (n_strata, n_models, width, n_masks)
        Sums of the first blocks in each stratum; empty where there are no strata.
    grown : dict
        Results of formulas that all pairs share.
    """

    draw: Callable[[], AnyArray]
    n_masks: int
    units: slice | IntArray = field(default_factory=lambda: slice(None))
    sums: list[FloatArray] = field(default_factory=list)
    own: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    in_strata: list[FloatArray] = field(default_factory=list)
    grown: dict[Any, Any] = field(default_factory=dict)

    def times(self, columns: Any) -> FloatArray:
        """Return sums (n_columns, n_masks) of columns over the units that swap."""
        return self.times_each([Rows(columns)])[0]

    def times_each(self, matrices: Sequence[Rows]) -> list[FloatArray]:
        """Return sums of several matrices of columns, with masks converted once."""
        chosen = [rows.among(self.units) for rows in matrices]
        at_once = max([CACHE_BYTES, *(_SHARE * rows.columns.size for rows in matrices)])
        n_parts = max(1, ceil(self.masks.size / at_once))
        parts = []
        for masks in np.array_split(self.masks, n_parts):
            wide: dict[Any, AnyArray] = {}
            part = []
            for rows, (columns, units) in zip(matrices, chosen, strict=True):
                # Sparse products read masks of one unit after the other.
                order: Literal["C", "F"] = "C" if sparse.issparse(columns) else "F"
                key = columns.dtype, order, id(rows.units)
                if key not in wide:
                    piece = (masks if units is None else masks[:, units]).T
                    wide[key] = piece.astype(columns.dtype, order=order, copy=False)
                part.append(np.asarray(columns @ wide[key], dtype=np.float64))
            parts.append(part)
        if n_parts == 1:
            return parts[0]
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
    joined : JoinedUnits
        Units of a test set.
    model_a, model_b : ndarray of int of shape (n_pairs,)
        Positions of the models of each pair.
    """

    metrics: tuple[AnyMetric, ...]  # whose values are concatenated

    def __init__(self, joined: JoinedUnits, model_a: IntArray, model_b: IntArray) -> None:
        super().__init__(joined.evaluation, model_a, model_b)
        self.joined, self.units = joined, joined.units

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """Number of columns that a mask is multiplied by."""

    @abstractmethod
    def of_pairs(self, pairs: IntArray, swapped: Swapped) -> FloatArray:
        """Return statistics (n_pairs, n_values, n_masks) of some pairs."""

    def sum_up(self, swapped: Swapped) -> None:
        """Compute the sums that pairs share."""

    def pairs_at_once(self, pairs: IntArray) -> Iterator[IntArray]:
        """Yield pairs for which there is room at once."""
        yield pairs

    @cached_property
    def strata(self) -> Strata | None:
        """Strata of the units."""
        return Strata.of(self.units)

    @cached_property
    def observed(self) -> FloatArray:
        """Observed statistics, of shape (n_pairs, n_values).

        They are 0 where a value is lost in rounding of the sum of the two models' totals.
        """
        nothing = Swapped(lambda: np.zeros((1, 0)), 1, np.empty(0, dtype=np.intp))
        self.sum_up(nothing)
        found = self._of_all_pairs(nothing)[0]
        if np.isnan(found).any():
            places = [self.evaluation.metric_slice(metric.name) for metric in self.metrics]
            point = self.evaluation.estimate()[:, np.r_[tuple(places)]]
            found[np.isnan(found) & ~np.isnan(point[self.model_a] - point[self.model_b])] = 0.0
        return found

    def map(
        self,
        masks: Weights,
        reduce: Callable[[FloatArray], Result],
        *,
        n_jobs: int | None = None,
    ) -> list[Result]:
        return self._mapped(masks, lambda swapped: reduce(self._of_all_pairs(swapped)), n_jobs)

    def n_extreme(
        self,
        masks: Weights,
        pairs: IntArray,
        alternative: Alternative,
        *,
        n_jobs: int | None = None,
    ) -> IntArray:
        parts = []
        for some in self.pairs_at_once(pairs):
            count = partial(self.n_extreme_of, some, alternative)
            parts.append(np.sum(self._mapped(masks, count, n_jobs), axis=0))
        return np.concatenate(parts)

    def enumerated_of(
        self, pairs: IntArray, bits: FloatArray, units: IntArray
    ) -> Iterator[tuple[int, FloatArray]]:
        swapped = Swapped(lambda: bits, len(bits), units)
        self.sum_up(swapped)
        for some in self.few(pairs, swapped):
            yield from zip(some.tolist(), self.of_pairs(some, swapped).swapaxes(1, 2), strict=True)

    def n_extreme_of(self, pairs: IntArray, alternative: Alternative, swapped: Swapped) -> IntArray:
        """Count the masks as extreme as the data, of shape (n_pairs, n_values)."""
        parts = []
        for some in self.few(pairs, swapped):
            found, observed = self.of_pairs(some, swapped), self.observed[some][..., None]
            parts.append(n_true(as_extreme(found, observed, alternative), axis=2))
        return np.concatenate(parts)

    def _of_all_pairs(self, swapped: Swapped) -> FloatArray:
        """Return statistics (n_masks, n_pairs, n_values)."""
        every = np.arange(len(self.model_a))
        found = [self.of_pairs(some, swapped) for some in self.few(every, swapped)]
        return np.concatenate(found).transpose(2, 0, 1)

    def few(
        self, pairs: IntArray, swapped: Swapped, n_masks: int | None = None
    ) -> Iterator[IntArray]:
        """Yield pairs whose numbers, of all masks or of some, stay in the processor's cache."""
        width = max((sums.shape[1] for sums in swapped.sums), default=1)
        step = max(1, CACHE_BYTES // (8 * (n_masks or swapped.n_masks) * width))
        for start in range(0, len(pairs), step):
            yield pairs[start : start + step]

    def _mapped(
        self, masks: Weights, task: Callable[[Swapped], Result], n_jobs: int | None
    ) -> list[Result]:
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

        return map_blocks(one, range(blocks.n_blocks), n_jobs, numbers=step * cost)


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
