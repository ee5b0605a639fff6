"""Statistics of pairs of models from sums over the units that swap.

With a mask Z of 0 and 1 a model's sums after a swap are ``total_a + Z @ (S_b - S_a)``: one product
of the masks with each model's columns, as they differ from the first model's, serves all of its
pairs. Some numbers are a pair's own; they are summed by a product of their own.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial

import numpy as np

from modelcompare.arrays import PASS_BYTES, BoolArray, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.exchange import Exchange
from modelcompare.engine.parallel import map_blocks, work
from modelcompare.metrics.base import Metric, Statistic
from modelcompare.resampling.draws import RESAMPLE_BLOCK
from modelcompare.resampling.weights import Weights
from modelcompare.significance.exact import as_extreme
from modelcompare.significance.extreme import n_true
from modelcompare.significance.strata import Strata
from modelcompare.significance.swaps.columns import ModelColumns
from modelcompare.significance.swaps.moved import Drawn, Given, Moved
from modelcompare.significance.swaps.statistic import Result, SwapStatistic
from modelcompare.significance.swaps.units import SwapUnits
from modelcompare.words import Alternative

# Relative size of what rounding leaves of numbers that cancel.
ROUNDING = 1e-12
# Sums under a block of masks, and of some pairs, that are worked on at once.
_SUM_NUMBERS = 2**21
_PAIR_NUMBERS = 2**18
# Blocks of masks at least, so that threads share them.
_TASKS = 8


class UnitSwaps(SwapStatistic):
    """A statistic of pairs of models after swaps of units, or of fixed groups of very many.

    Parameters
    ----------
    joined : SwapUnits
        Units of a test set.
    model_a, model_b : ndarray of int of shape (n_pairs,)
        Positions of the models of each pair.
    """

    def __init__(self, joined: SwapUnits, model_a: IntArray, model_b: IntArray) -> None:
        super().__init__(joined.evaluation, model_a, model_b)
        self.joined, self.units = joined, joined.units

    @cached_property
    def strata(self) -> Strata | None:
        """Strata of the units."""
        return Strata.of(self.units)

    def mapped(
        self,
        masks: Weights,
        task: Callable[[Drawn], Result],
        n_columns: int,
        n_jobs: int | None,
    ) -> list[Result]:
        """Results of a task on masks, some blocks of them after others."""
        at_once = _SUM_NUMBERS // (RESAMPLE_BLOCK * max(1, n_columns))
        step = int(np.clip(at_once, 1, max(1, -(-masks.n_blocks // _TASKS))))

        def some(start: int) -> Result:
            blocks = range(start, min(start + step, masks.n_blocks))
            return task(Drawn(masks, blocks, self.units.n_units))

        alike = self.units.multiplicity is None
        numbers = work(step * RESAMPLE_BLOCK * self.units.n_units, n_columns, alike=alike)
        return map_blocks(some, range(0, masks.n_blocks, step), n_jobs, numbers=numbers)


class SwappedSums(UnitSwaps):
    """A statistic of pairs of models after swaps, from sums over the units that swap.

    Parameters
    ----------
    evaluation : Evaluation
        Models and units.
    metrics : sequence of Metric
        Metrics whose values stand side by side.
    model_a, model_b : ndarray of int of shape (n_pairs,)
        Positions of the models of each pair.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        metrics: Sequence[Metric],
        model_a: IntArray,
        model_b: IntArray,
    ) -> None:
        super().__init__(SwapUnits.of(evaluation), model_a, model_b)
        self.metrics = tuple(metrics)
        self.numbers = self.joined.statistics(self.metrics)
        self._last: tuple[Weights, list[Moved]] | None = None

    # -- what a statistic is made of ------------------------------------------------------------

    @abstractmethod
    def of_pairs(self, pairs: IntArray, moved: Moved) -> FloatArray:
        """Return statistics (n_pairs, n_values, n_masks) of some pairs."""

    @abstractmethod
    def differing(self, rows: slice) -> Iterator[FloatArray]:
        """Numbers (n_rows, n_models, n_values) in which two models' outputs may differ."""

    def products(self) -> list[Callable[[], FloatArray]]:
        """Blocks (n_units, n_models, width) whose sums are needed beside the statistics'."""
        return []

    def arranged(self, sums: list[FloatArray]) -> list[FloatArray]:
        """Sums (n_models, width, n_masks) that pairs are made of, those of statistics first."""
        return sums

    @cached_property
    def linear(self) -> dict[Statistic, int]:
        """Places of the statistics in which models differ: the first of the blocks."""
        unlike = [s for s, numbers in self.numbers.items() if numbers.shape[1] > 1]
        return {statistic: place for place, statistic in enumerate(unlike)}

    @cached_property
    def columns(self) -> ModelColumns:
        """Blocks of numbers of the models."""
        linear = [partial(self.numbers.__getitem__, statistic) for statistic in self.linear]
        return ModelColumns.of([*linear, *self.products()], self.own)

    @property
    def own(self) -> FloatArray:
        """Columns (n_units, n_own) of pairs themselves, summed with those of models."""
        return np.empty((self.units.n_units, 0))

    @cached_property
    def totals(self) -> dict[Statistic, FloatArray]:
        """Totals of the statistics, each (n_models or 1, width)."""
        counts = self.units.counts().astype(np.float64)
        return {s: np.tensordot(counts, part, 1) for s, part in self.numbers.items()}

    def exchange(self, pairs: IntArray) -> Exchange:
        """Pairs whose first models gain what the second models' moved units sum to."""
        return Exchange.of(self.model_b[pairs], self.model_a[pairs])

    def differences(self, pairs: IntArray, moved: Moved) -> FloatArray:
        """Differences of the values (n_pairs, n_values, n_masks), 0 where rounding leaves them."""
        found = []
        for metric in self.metrics:
            first, second = (metric.value(*side) for side in self.sides(metric, pairs, moved))
            difference = np.asarray(first - second)
            difference[np.abs(difference) <= 1e-13 * (np.abs(first) + np.abs(second))] = 0.0
            found.append(
                np.moveaxis(difference, -1, 1) if metric.per_class else difference[:, None]
            )
        return found[0] if len(found) == 1 else np.concatenate(found, axis=1)

    def sides(
        self, metric: Metric, pairs: IntArray, moved: Moved
    ) -> tuple[list[FloatArray], list[FloatArray]]:
        """Totals (n_pairs or 1, n_masks or 1, width) of a metric's statistics in both models."""
        a, b, gains = self.model_a[pairs], self.model_b[pairs], self.exchange(pairs)
        first, second = [], []
        for statistic in metric.statistics:
            total = self.totals[statistic]
            if statistic in self.linear:
                sums = moved.sums[self.linear[statistic]]
                growth = gains.combined(np.subtract, sums, sums)
                both = _cleared(total[a], growth), _cleared(total[b], -growth)
            else:
                both = total[:, :, None], total[:, :, None]
            first.append(np.moveaxis(both[0], 1, -1))
            second.append(np.moveaxis(both[1], 1, -1))
        return first, second

    # -- swaps ----------------------------------------------------------------------------------

    def reduced(
        self,
        masks: Weights,
        reduce: Callable[[FloatArray], Result],
        pairs: IntArray,
        n_jobs: int | None,
    ) -> list[Result]:
        return self._mapped(masks, lambda moved: reduce(self._of_pairs(pairs, moved)), n_jobs)

    def n_extreme(
        self,
        masks: Weights,
        pairs: IntArray,
        alternative: Alternative,
        *,
        n_jobs: int | None = None,
    ) -> IntArray:
        def counted(moved: Moved) -> IntArray:
            return np.concatenate([
                self.extreme_of_pairs(some, moved, alternative)
                for some in self._few_pairs(pairs, moved)
            ])  # fmt: skip

        return np.sum(self._mapped(masks, counted, n_jobs), axis=0)

    def extreme_of_pairs(self, pairs: IntArray, moved: Moved, alternative: Alternative) -> IntArray:
        """Count the masks as extreme as what was observed, of shape (n_pairs, n_values)."""
        found = self.of_pairs(pairs, moved)
        extreme = as_extreme(found, self.observed[pairs][..., None], alternative)
        return n_true(extreme, axis=2)

    def enumerated(self, pair: int, bits: FloatArray, units: IntArray) -> FloatArray:
        return next(found for _, found in self.enumerated_of(np.array([pair]), bits, units))

    def enumerated_of(
        self, pairs: IntArray, bits: FloatArray, units: IntArray
    ) -> Iterator[tuple[int, FloatArray]]:
        """Statistics of several pairs, whose sums over the units are made once."""
        moved = self.moved(Given(bits), units)
        for some in self._few_pairs(pairs, moved):
            yield from zip(some.tolist(), self.of_pairs(some, moved).swapaxes(1, 2), strict=True)

    @property
    def n_shared(self) -> int:
        return len(self.evaluation.models) * sum(self.columns.widths) + self.columns.n_own

    @cached_property
    def observed(self) -> FloatArray:
        nothing = self.moved(Given(np.zeros((1, 0))), np.empty(0, dtype=np.intp))
        return self._of_pairs(np.arange(len(self.model_a)), nothing)[0]

    def moved(self, masks: Drawn | Given, units: slice | IntArray = slice(None)) -> Moved:
        """Sums over the units that swap."""
        found = [self.columns.sums(piece, units) for piece in masks.each()]
        blocks = [_side_by_side(parts) for parts in zip(*(each for each, _ in found), strict=True)]
        own, sums = _side_by_side([each for _, each in found]), self.arranged(blocks)
        if self.strata is None:
            return Moved(masks, units, sums, own, [])
        codes = self.strata.codes[units]
        everyone = np.arange(self.units.n_units)[units]
        by_stratum = []
        for stratum in range(len(self.strata.size)):
            here = np.flatnonzero(codes == stratum)
            inside = [self.columns.sums(x[:, here], everyone[here])[0] for x in masks.pieces]
            blocks = [_side_by_side(parts) for parts in zip(*inside, strict=True)]
            by_stratum.append(blocks[: len(self.linear)])
        in_strata = [np.stack(part) for part in zip(*by_stratum, strict=True)]
        return Moved(masks, units, sums, own, in_strata)

    def _mapped(
        self, masks: Weights, task: Callable[[Moved], Result], n_jobs: int | None
    ) -> list[Result]:
        """Results of a task on the sums over the units that swap, some blocks after others.

        Where they are small those of the masks that were asked for last are kept: what steps down
        after a test asks for them once more.
        """
        if self._last is not None and self._last[0] is masks:
            kept = self._last[1]
            numbers = 8 * len(self.model_a) * max(moved.n_masks for moved in kept)
            places = range(len(kept))
            return map_blocks(lambda i: task(kept[i].drawn_anew()), places, n_jobs, numbers=numbers)
        keep = 8 * masks.n_resamples * self.n_shared <= PASS_BYTES

        def one(drawn: Drawn) -> tuple[Result, Moved | None]:
            moved = self.moved(drawn)
            return task(moved), moved.drawn_anew() if keep else None

        done = self.mapped(masks, one, self.columns.n_columns, n_jobs)
        if keep:
            self._last = masks, [moved for _, moved in done if moved is not None]
        return [found for found, _ in done]

    def _of_pairs(self, pairs: IntArray, moved: Moved) -> FloatArray:
        """Return statistics (n_masks, n_pairs, n_values)."""
        found = [self.of_pairs(some, moved) for some in self._few_pairs(pairs, moved)]
        return np.concatenate(found).transpose(2, 0, 1)

    def _few_pairs(self, pairs: IntArray, moved: Moved) -> Iterator[IntArray]:
        width = max(sums.shape[1] for sums in moved.sums)
        step = max(1, _PAIR_NUMBERS // (moved.n_masks * width))
        for start in range(0, len(pairs), step):
            yield pairs[start : start + step]

    # -- units that a swap changes ---------------------------------------------------------------

    def movable(self, enough: int) -> tuple[IntArray, list[IntArray | None]]:
        count = np.zeros(self.observed.shape, dtype=np.intp)
        multiplicity = self.units.counts()
        for rows in growing(self.units.n_units):
            open_pairs = np.flatnonzero((count < enough).any(axis=1))
            if not len(open_pairs):
                break
            step = max(1, _PAIR_NUMBERS // (rows.stop - rows.start))
            for start in range(0, len(open_pairs), step):
                some = open_pairs[start : start + step]
                differ = self._differ(rows, some)
                count[some] += np.tensordot(multiplicity[rows], differ, 1)
        few = [self._moving(pair, enough) if (found < enough).all() else None
               for pair, found in enumerate(count)]  # fmt: skip
        return count, few

    def _moving(self, pair: int, enough: int) -> IntArray | None:
        """Units that differ in any value, once for each of their samples; None if `enough`."""
        everything = slice(0, self.units.n_units)
        differ = np.asarray(self._differ(everything, np.array([pair])).any(axis=(1, 2)))
        units = np.repeat(np.flatnonzero(differ), self.units.counts()[differ])
        return units if len(units) < enough else None

    def _differ(self, rows: slice, pairs: IntArray) -> BoolArray:
        """Where the two models' numbers differ, of shape (n_rows, n_pairs, n_values)."""
        a, b = self.model_a[pairs], self.model_b[pairs]
        return np.any([part[:, a] != part[:, b] for part in self.differing(rows)], axis=0)


def _side_by_side(parts: Sequence[FloatArray]) -> FloatArray:
    """One array of the sums of all pieces of masks."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-1)


def _cleared(before: FloatArray, growth: FloatArray) -> FloatArray:
    """Totals after they grow, 0 where they cancel but for rounding."""
    after = before[..., None] + growth
    after[np.abs(after) <= ROUNDING * np.abs(before)[..., None]] = 0.0
    return after


def growing(n_units: int, first: int = 64, most: int = 8192) -> Iterator[slice]:
    """Blocks of units, the first ones small: often they tell all."""
    start, step = 0, first
    while start < n_units:
        yield slice(start, min(start + step, n_units))
        start, step = start + step, min(2 * step, most)
