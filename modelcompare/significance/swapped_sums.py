"""Sums over the samples that swap, for all models and pairs at once.

For a mask Z the totals of a pair after the swap are ``total_a - Z @ S_a + Z @ S_b`` and the mirror
image: ``Z @ S`` is computed once for each model and serves all of its pairs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from modelcompare.arrays import PASS_BYTES, BoolArray, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.halves import Exchange, Halves, masks_first
from modelcompare.engine.parallel import map_blocks, work
from modelcompare.engine.products import MatrixProduct, Product
from modelcompare.engine.weights import GivenWeights, Weights
from modelcompare.metrics.base import Metric
from modelcompare.significance.exact import as_extreme
from modelcompare.significance.extreme import n_true
from modelcompare.significance.strata import Strata
from modelcompare.significance.swap_columns import Columns, apart
from modelcompare.significance.swap_statistic import Result, SwapStatistic
from modelcompare.words import Alternative

# What rounding leaves of numbers that cancel.
ROUNDING = 1e-12
# Numbers of one block of pairs: few enough for the processor's last cache, and worth a step.
_CACHED_NUMBERS = 2**20


class SwappedSums(SwapStatistic):
    """A statistic of pairs of models after swaps, from sums over the units that swap.

    Parameters
    ----------
    evaluation : Evaluation
        Models and units.
    metrics : sequence of Metric
        Some of its metrics, whose values stand side by side.
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
        super().__init__(evaluation, model_a, model_b)
        self.metrics = tuple(metrics)
        self._statistics_used = [*dict.fromkeys(s for m in metrics for s in m.statistics)]
        self._last_sums: tuple[Weights, list[list[FloatArray]]] | None = None

    @abstractmethod
    def of_pairs(self, halves: Sequence[Halves], pairs: IntArray) -> FloatArray:
        """Statistics (n_resamples, n_pairs, n_values) of some pairs.

        `halves` are sums over the units that keep their output and over those that swap, as
        `arranged` gives them.
        """

    def arranged(self, sums: FloatArray) -> list[FloatArray]:
        """What pairs are made of, from sums (n_resamples, n_columns); one array for each group.

        Each is of shape (n_resamples, n_models or 1, width).
        """
        return self.groups(sums)

    def products(self, parts: list[FloatArray], rows: slice) -> list[Any]:  # noqa: ARG002
        """Further columns, each (n_rows, n_models or 1, width), from the metrics' statistics."""
        return []

    def stratified(self, parts: list[FloatArray]) -> Sequence[FloatArray]:  # noqa: ARG002
        """Numbers (n_rows, n_models, width) whose sums in each stratum are needed."""
        return ()

    @cached_property
    def strata(self) -> Strata | None:
        """Strata of the units."""
        return Strata.of(self.evaluation.units)

    def reduced(
        self,
        masks: Weights,
        reduce: Callable[[FloatArray], Result],
        pairs: IntArray,
        n_jobs: int | None,
    ) -> list[Result]:
        return self._mapped(masks, lambda moved: reduce(self._statistics(moved, pairs)), n_jobs)

    def n_extreme(
        self,
        masks: Weights,
        pairs: IntArray,
        alternative: Alternative,
        *,
        n_jobs: int | None = None,
    ) -> IntArray:
        def counted(moved: FloatArray) -> IntArray:
            return np.concatenate(
                [
                    self.extreme_of_pairs(halves, some, alternative)
                    for halves, some in self._in_parts(moved, pairs)
                ]
            )

        return np.sum(self._mapped(masks, counted, n_jobs), axis=0)

    def extreme_of_pairs(
        self, halves: Sequence[Halves], pairs: IntArray, alternative: Alternative
    ) -> IntArray:
        """How many statistics of some pairs are as extreme as observed, (n_pairs, n_values)."""
        found = self.of_pairs(halves, pairs)
        return n_true(as_extreme(found, self.observed[pairs], alternative))

    def enumerated(self, pair: int, bits: FloatArray, units: IntArray) -> FloatArray:
        """Statistics (n_swaps, n_values) of one pair when these units swap where a bit is 1."""
        return next(found for _, found in self.enumerated_of(np.array([pair]), bits, units))

    def enumerated_of(
        self, pairs: IntArray, bits: FloatArray, units: IntArray
    ) -> Iterator[tuple[int, FloatArray]]:
        """The same of several pairs, whose sums over the units are made once."""
        if len(self.evaluation.units.row_blocks()) == 1:
            sums = self._only_matrix[units].weighted(bits)
        else:
            each = [self._matrix(slice(unit, unit + 1)) for unit in units]
            sums = np.sum([m.weighted(bits[:, [i]]) for i, m in enumerate(each)], axis=0)
        for halves, some in self._in_parts(sums, pairs):
            yield from zip(some.tolist(), self.of_pairs(halves, some).swapaxes(0, 1), strict=True)

    @property
    def n_shared(self) -> int:
        return len(self.total)

    @cached_property
    def observed(self) -> FloatArray:
        """Statistics of the data as they are, of shape (n_pairs, n_values)."""
        return self._statistics(np.zeros((1, len(self.total))))[0]

    def movable(self, enough: int) -> tuple[IntArray, list[IntArray | None]]:
        count = np.zeros(self.observed.shape, dtype=np.intp)
        multiplicity = self.evaluation.units.counts()
        for rows in growing(self.evaluation.units.n_units):
            open_pairs = np.flatnonzero((count < enough).any(axis=1))
            if not len(open_pairs):
                break
            columns = self.differing(self.parts(rows))
            step = max(1, _CACHED_NUMBERS // columns[0][:, 0].size)
            for start in range(0, len(open_pairs), step):
                some = open_pairs[start : start + step]
                count[some] += np.tensordot(multiplicity[rows], self._differ(columns, some), 1)
        few = [self._moving(pair, enough) if (found < enough).all() else None
               for pair, found in enumerate(count)]  # fmt: skip
        return count, few

    def _moving(self, pair: int, enough: int) -> IntArray | None:
        """Units that differ in any value, once for each of their samples; None if `enough`."""
        multiplicity, places = self.evaluation.units.counts(), []
        for rows in growing(self.evaluation.units.n_units):
            differ = self._differ(self.differing(self.parts(rows)), np.array([pair]))
            here = rows.start + np.flatnonzero(differ.any(axis=(1, 2)))
            places.append(np.repeat(here, multiplicity[here]))
        units = np.concatenate(places)
        return units if len(units) < enough else None

    def _differ(self, columns: Sequence[FloatArray], pairs: IntArray) -> BoolArray:
        """Where the two models' numbers differ, of shape (n_rows, n_pairs, n_values)."""
        a, b = self.model_a[pairs], self.model_b[pairs]
        return np.any([part[:, a] != part[:, b] for part in columns], axis=0)

    @abstractmethod
    def differing(self, parts: list[FloatArray]) -> Sequence[FloatArray]:
        """Numbers (n_rows, n_models, n_values) in which outputs may differ."""

    # -- columns and their sums ---------------------------------------------------------------

    def parts(self, rows: slice) -> list[FloatArray]:
        """The metrics' statistics of some units, each (n_rows, n_models or 1, width)."""
        return self._parted_columns(self._statistics_of(rows))

    def _statistics_of(self, rows: slice) -> FloatArray:
        if len(self.evaluation.units.row_blocks()) == 1:
            return self._all_statistics[rows]
        return self.evaluation.statistics(rows=rows, metrics=self.metrics)

    @cached_property
    def _all_statistics(self) -> FloatArray:
        """Statistics of all units, where they fit into memory at once."""
        return self.evaluation.statistics(metrics=self.metrics)

    def _parted_columns(self, numbers: FloatArray) -> list[FloatArray]:
        columns = self.evaluation.columns(slice(None), self.metrics)
        found = {column.statistic: column.of(numbers) for column in columns}
        return [found[statistic] for statistic in self._statistics_used]

    def parts_of(self, metric: Metric, parts: Sequence[FloatArray]) -> list[FloatArray]:
        """One metric's among the statistics of all."""
        return [parts[self._statistics_used.index(s)] for s in metric.statistics]

    def differences(self, halves: Sequence[Halves], pairs: IntArray) -> FloatArray:
        """Differences of the values (n_resamples, n_pairs, n_values) after swaps."""
        a, b = self.model_a[pairs], self.model_b[pairs]
        first, second = (
            self.values(after(halves, Exchange.of(*both))) for both in ((a, b), (b, a))
        )
        return first - second

    def values(self, parts: list[FloatArray]) -> FloatArray:
        """Values (..., n_values) of the metrics' totals."""
        found = [(m.per_class, m.value(*self.parts_of(m, parts))) for m in self.metrics]
        values = [value if per_class else value[..., None] for per_class, value in found]
        return values[0] if len(values) == 1 else np.concatenate(values, axis=-1)

    @cached_property
    def total(self) -> FloatArray:
        """Sums of all columns over the test set."""
        counts = self.evaluation.units.counts().astype(np.float64)
        everything = GivenWeights(counts[None, :], self.evaluation.units)
        return self._sums(everything, [0], None)[0][0]

    def groups(self, sums: FloatArray) -> list[FloatArray]:
        """Sums (n_resamples, n_columns) by group, each (n_resamples, n_models or 1, width)."""
        edges = np.cumsum([models * width for models, width in self._shapes])[:-1]
        return [
            part.reshape(len(sums), *shape)
            for part, shape in zip(np.split(sums, edges, axis=1), self._shapes, strict=True)
        ]

    def _columns(self, rows: slice) -> list[FloatArray]:
        parts = self.parts(rows)
        return [*parts, *self.products(parts, rows)]

    @cached_property
    def _shapes(self) -> list[tuple[int, ...]]:
        shapes = [part.shape[1:] for part in self._columns(slice(0, 1))]
        if self.strata is not None:
            for part in self.stratified(self.parts(slice(0, 1))):
                shapes.append((part.shape[1], len(self.strata.size) * part.shape[2]))
        return shapes

    def _matrix(self, rows: slice) -> Columns:
        dense = self._statistics_of(rows)
        parts = self._parted_columns(dense)
        products = apart(self.products(parts, rows), self.evaluation.classes(rows))
        numbers = () if self.strata is None else self.stratified(parts)
        if self.strata is None or not numbers:
            return Columns(dense, products)
        spread = sparse.hstack([self.strata.spread(x, rows) for x in numbers]).tocsr()
        return Columns(dense, products, spread)

    @cached_property
    def _only_matrix(self) -> Columns:
        return self._matrix(slice(0, self.evaluation.units.n_units))

    def _product(self, rows: slice) -> Product | MatrixProduct:
        return self.evaluation.product(slice(None), rows, self.metrics)

    @cached_property
    def _only_product(self) -> Product | MatrixProduct:
        return self._product(slice(0, self.evaluation.units.n_units))

    def _passes(self, masks: Weights) -> Iterator[range]:
        # Two blocks at least, for two threads.
        step = max(2, PASS_BYTES // (64 * masks.block_size(0) * len(self.total)))
        for start in range(0, masks.n_blocks, step):
            yield range(start, min(start + step, masks.n_blocks))

    def _sums(self, masks: Weights, blocks: Sequence[int], n_jobs: int | None) -> list[FloatArray]:
        sums: list[FloatArray] = []
        row_blocks = self.evaluation.units.row_blocks()
        for row_block, rows in enumerate(row_blocks):
            alone = len(row_blocks) == 1
            statistics = self._only_product if alone else self._product(rows)
            matrix = None
            if len(self._shapes) > len(self._statistics_used):
                matrix = self._only_matrix if alone else self._matrix(rows)

            def product(
                block: int, row_block: int = row_block, matrix: Columns | None = matrix,
                statistics: Product | MatrixProduct = statistics,
            ) -> FloatArray:  # fmt: skip
                drawn = masks.narrow(block, row_block)
                sums = statistics.sums(drawn, whole=masks.whole)
                if matrix is None:
                    return sums
                return np.hstack([sums, *matrix.further(drawn)])

            n_masks, alike = masks.block_size(0), self.evaluation.units.multiplicity is None
            numbers = work(n_masks * (rows.stop - rows.start), statistics.n_columns, alike=alike)
            products = map_blocks(product, blocks, n_jobs, numbers=numbers)
            sums = [x + y for x, y in zip(sums, products, strict=True)] if sums else products
        return sums

    def _mapped(
        self, masks: Weights, task: Callable[[FloatArray], Result], n_jobs: int | None
    ) -> list[Result]:
        """What a task makes of the sums over the units that swap, of each block of masks."""
        out: list[Result] = []
        for moved in self._moved(masks, n_jobs):

            def one(place: int, moved: list[FloatArray] = moved) -> Result:
                return task(moved[place])

            numbers = 8 * masks.block_size(0) * len(self.model_a) * len(self.evaluation.keys)
            out += map_blocks(one, range(len(moved)), n_jobs, numbers=numbers)
        return out

    def _moved(self, masks: Weights, n_jobs: int | None) -> Iterator[list[FloatArray]]:
        """Sums over the units that swap, some blocks of masks after others.

        Where they are small those of the masks that were asked for last are kept: what steps down
        after a test asks for them once more.
        """
        if self._last_sums is not None and self._last_sums[0] is masks:
            yield from self._last_sums[1]
            return
        passes = (self._sums(masks, blocks, n_jobs) for blocks in self._passes(masks))
        if 8 * masks.n_resamples * len(self.total) > PASS_BYTES:
            yield from passes
        else:
            self._last_sums = masks, [*passes]
            yield from self._last_sums[1]

    def halves(self, moved: FloatArray) -> list[Halves]:
        """What pairs are made of, from sums (n_resamples, n_columns) over the units that swap."""
        # Columns lie contiguously: formulas go through all masks of a pair and class at once.
        moved = np.asfortranarray(moved)
        kept = self.total - moved
        np.copyto(kept, 0.0, where=np.abs(kept) <= ROUNDING * np.abs(self.total))
        both = zip(self.arranged(kept), self.arranged(moved), strict=True)
        return [Halves.of(*each) for each in both]

    def _statistics(self, moved: FloatArray, pairs: IntArray | None = None) -> FloatArray:
        pairs = np.arange(len(self.model_a)) if pairs is None else pairs
        parts = self._in_parts(moved, pairs)
        return np.concatenate([self.of_pairs(*part) for part in parts], axis=1)

    def _in_parts(
        self, moved: FloatArray, pairs: IntArray
    ) -> Iterator[tuple[list[Halves], IntArray]]:
        """What `of_pairs` takes, for some pairs after others."""
        halves = self.halves(moved)
        width = max(1, len(moved) * max(each.kept.shape[1] for each in halves))
        step = max(1, _CACHED_NUMBERS // width)
        for start in range(0, len(pairs), step):
            yield halves, pairs[start : start + step]


class SwappedDifferences(SwappedSums):
    """The difference itself, over the sum of the two values' sizes; not studentized."""

    def of_pairs(self, halves: Sequence[Halves], pairs: IntArray) -> FloatArray:
        size, difference = np.abs(self._estimate), self.differences(halves, pairs)
        scale = size[self.model_a[pairs]] + size[self.model_b[pairs]]
        np.copyto(difference, 0.0, where=np.abs(difference) <= 1e-13 * scale)
        return np.divide(difference, scale, out=difference, where=scale > 0)

    def differing(self, parts: list[FloatArray]) -> Sequence[FloatArray]:
        n_models = len(self.evaluation.models)
        n_values = self._estimate.shape[1]
        differ = [np.broadcast_to(x, (len(x), n_models, x.shape[2])) for x in parts]
        # Every value may depend on every statistic.
        return [np.repeat(x[..., [j]], n_values, axis=2) for x in differ for j in range(x.shape[2])]

    @cached_property
    def _estimate(self) -> FloatArray:
        return self.values(self.groups(self.total[None]))[0]


def after(halves: Sequence[Halves], swap: Exchange) -> list[FloatArray]:
    """Totals (n_resamples, n_pairs or 1, width) of models after swaps."""
    return [masks_first(each.after(swap)) for each in halves]


def growing(n_units: int, first: int = 64, most: int = 8192) -> Iterator[slice]:
    """Blocks of units, the first ones small: often they tell all."""
    start, step = 0, first
    while start < n_units:
        yield slice(start, min(start + step, n_units))
        start, step = start + step, min(2 * step, most)
