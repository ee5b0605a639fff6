"""Weights x statistics -> totals -> values: every metric of every model, block by block.

`Evaluation` makes the statistics of all metrics and models the columns of one matrix. A resample is
a row of weights, so a block of resamples is one matrix product for any number of models and
metrics; the formulas are then applied to the totals of the whole block at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np

from modelcompare.arrays import CACHE_BYTES, PASS_BYTES, ROW_BLOCK, AnyArray, FloatArray
from modelcompare.engine.areas import BinnedAreas
from modelcompare.engine.axis import check_width
from modelcompare.engine.callables import evaluator
from modelcompare.engine.checkpoints import checkpoint_of
from modelcompare.engine.leave_out import leave_out, without
from modelcompare.engine.memory import check_replicates
from modelcompare.engine.parallel import map_blocks, on_threads, one_blas_thread, watched, work
from modelcompare.engine.partition import Partition
from modelcompare.engine.statistics import UnitStatistics
from modelcompare.metrics.base import AnyMetric, CallableMetric, Metric, OrderMetric, Outcomes
from modelcompare.metrics.counts import SUPPORT
from modelcompare.metrics.quotient import divide
from modelcompare.resampling.draws import RESAMPLE_BLOCK
from modelcompare.resampling.weights import GivenWeights, Weights

# Bytes of statistics that are summed at once; other groups of models would round differently.
TILE_BYTES = 96 * 2**20


class Evaluation(UnitStatistics):
    """All metrics of all models of one test set, as functions of the units' weights.

    Parameters
    ----------
    predictions : Predictions
        The test set and the models' outputs.
    metrics : sequence of metrics
        As returned by `metrics.resolve_metrics`.
    collapse : bool, optional
        Whether identical rows become one unit with a multiplicity, which is exact if all statistics
        are discrete. By default they do if that is much faster.
    stratify : bool
        Whether resamples keep the number of samples in each of `predictions.strata`.

    Attributes
    ----------
    models : tuple of str
        Axis of the models.
    keys : tuple of ValueKey
        Axis of the values: every metric, with its classes if it is per class.
    units : Units
        Units that are weighted: samples, clusters (`predictions.groups`), or distinct rows.
    """

    def of_metrics(self, metrics: Sequence[AnyMetric]) -> Evaluation:
        """Return the evaluation of other metrics on the same units, without strata."""
        return self.once(
            ("of", *(metric.name for metric in metrics)),
            lambda: Evaluation(self.predictions, metrics, collapse=self.collapsed, stratify=False),
        )

    # -- values -----------------------------------------------------------------------------

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest possible number of each value."""
        of_metrics = {metric.name: metric.bounds for metric in self.metrics}
        low, high = np.array([of_metrics[key.metric] for key in self.keys]).T
        return low, high

    def estimate(self) -> FloatArray:
        """Compute the values on the test set itself, of shape (n_models, n_values)."""
        everything = GivenWeights.everything(self.units)
        out = np.empty((1, len(self.models), len(self.keys)))
        if self._sums:
            self._fill_sums(out, self.grand_total[None, :], slice(None))
        self._fill_others(out, everything)
        if self.partition is not None and np.isnan(out).any():
            self._check_parts(out[0], self.partition)
        return out[0]

    def _check_parts(self, found: FloatArray, partition: Partition) -> None:
        """Refuse a metric that is undefined in a part, and not in another; classes may be."""
        for metric in self.metrics:
            missing = np.isnan(found[:, self.metric_slice(metric.name)]).any(axis=1)
            if metric.per_class or not missing.any():
                continue
            model = self.models[int(missing.argmax())]
            parts = map(self.predictions[[model]].subset, partition.rows)
            values = [Evaluation(part, [metric]).estimate()[0, 0] for part in parts]
            undefined = np.isnan(values)
            if not undefined.all():
                part = partition.called
                raise ValueError(
                    f"{metric.name} is the mean of its values over the {part}s, and that of "
                    f"{model!r} is undefined in {part} "
                    f"{partition.names[int(undefined.argmax())]!r}; leave the {part}, or the "
                    "metric, out."
                )

    def values(self, weights: FloatArray) -> FloatArray:
        """Compute the values under given weights.

        Parameters
        ----------
        weights : ndarray of shape (n_resamples, n_units)
            Weight of each unit in each resample.

        Returns
        -------
        ndarray of shape (n_resamples, n_models, n_values)
        """
        return self.replicates(GivenWeights.of(self.units, weights))

    def replicates(self, weights: Weights) -> FloatArray:
        """Compute the values under drawn weights.

        Parameters
        ----------
        weights : Weights
            Source of weights over `units`.

        Returns
        -------
        ndarray of shape (n_resamples, n_models, n_values)

        Raises
        ------
        ValueError
            If they would not fit into memory.
        """
        check_replicates(weights.n_resamples, len(self.models), len(self.keys))
        # A model's resamples are contiguous.
        shape = (len(self.models), len(self.keys), weights.n_resamples)
        out = np.empty(shape).transpose(2, 0, 1)
        if self._sums:
            # Several blocks of few units are processed together.
            width = max(self.units.n_units, self.columns(slice(None))[-1].stop)
            weights = weights.joined(max(1, CACHE_BYTES // (8 * width * RESAMPLE_BLOCK)))
        passes = self._passes(weights)
        n_tasks = len(self.units.row_blocks()) * sum(len(blocks) for _, blocks in passes)
        with watched(n_tasks):
            for models, blocks in passes:
                self._fill_pass(out, weights, models, blocks)
            self._fill_others(out, weights)
        # Free it: it is as large as the statistics, and used only once.
        self._sparse = None
        return out

    def totals(self, weights: Weights, models: slice, blocks: Sequence[int]) -> list[FloatArray]:
        """Compute ``weights @ statistics`` of some models, an array for each block of resamples."""
        row_blocks = self.units.row_blocks()
        summed = [(column.statistic.name, column.width) for column in self.columns(models)]
        task = {"blocks": [*blocks], "sums": summed, "models": self.models[models]}
        kept = None if self.collapsed else checkpoint_of(self.access, weights, task)
        start, totals = (0, []) if kept is None else kept.load()
        for row_block, rows in [*enumerate(row_blocks)][start:]:
            product = self.product(models, rows)

            def of_block(block: int, row_block: int = row_block, sums: Any = product.sums) -> Any:
                return sums(weights.narrow(block, row_block))

            n_weights = weights.block_size(0) * (rows.stop - rows.start)
            numbers = work(n_weights, product.n_columns, uniform=self.units.multiplicity is None)
            found = map_blocks(of_block, blocks, numbers=numbers)
            totals = [a + b for a, b in zip(totals, found, strict=True)] if totals else found
            if kept is not None:
                done = row_block + 1
                kept.save(done, totals, last=done == len(row_blocks))
        return totals

    @cached_property
    @one_blas_thread()
    def grand_total(self) -> FloatArray:
        """Totals of all models over the whole test set, bit-identical in memory and scans."""
        columns, blocks = self.columns(slice(None)), self.units.row_blocks()
        out = np.empty(columns[-1].stop if columns else 0)
        for models in self._tiles():
            total = np.sum([
                self.product(models, rows).sums(self.units.counts(rows)[None])[0] for rows in blocks
            ], axis=0)  # fmt: skip
            for column, part in zip(columns, self.columns(models), strict=True):
                here = slice(None) if part.statistic.shared else models
                column.of(out)[here] = part.of(total)
        # As after `replicates`.
        self._sparse = None
        return out

    @property
    def by_blocks(self) -> bool:
        """True if samples are read block by block."""
        return "units" not in self.access.abilities and not self.collapsed

    @cached_property
    def support(self) -> FloatArray | None:
        """Samples of each true class, or their weight in sums; None if unknown."""
        access, sums = self.access, self.access.sums
        in_rows = sums is None and self.labelled is None and not self.by_blocks
        if access.true_marks is not None if in_rows else sums is not None and sums.hard:
            return access.unit_weights(by_class=True).sum(axis=0)
        if not self.by_blocks:
            return None if self.labelled is None else self.labelled.support
        counted = [c for c in self.columns(slice(None)) if c.statistic == SUPPORT]
        if access.weighted or not counted:
            return None
        return counted[0].of(self.grand_total)[0]

    def values_of_totals(self, totals: FloatArray, models: slice = slice(None)) -> FloatArray:
        """Compute sum metrics from totals (..., n_columns), of shape (..., n_models, n_values)."""
        shape = *totals.shape[:-1], len(self.models[models]), len(self.keys)
        out = np.full(shape, np.nan)
        self._fill_sums(out, totals, models)
        return out

    # -- leave one out ----------------------------------------------------------------------

    def jackknife(self, rows: slice) -> FloatArray:
        """Compute the values without one sample (or cluster) of each given unit.

        Returns
        -------
        ndarray of shape (n_rows, n_models, n_values)
            For a distinct row of multiplicity m, the value without one of its m samples. The units
            of one value are contiguous.
        """
        return self._left(rows, self.statistics(rows), self._sums)

    def influence(self, rows: slice, estimate: FloatArray, *, undefined: float = 0.0) -> FloatArray:
        """Compute the influence of each unit: (n - 1) (estimate - leave-one-out value).

        Their mean square over n is the squared standard error of the estimate. If the leave-one-out
        value is undefined, the influence is `undefined`.
        """
        part = self.statistics(rows)
        means = {
            metric.name: self._of_mean(metric, part, estimate)
            for metric in self._sums if metric.ratio is not None and metric.is_mean
        }  # fmt: skip
        others = [metric for metric in self._sums if metric.name not in means]
        influence = (self.units.size - 1) * (estimate - self._left(rows, part, others))
        for name, of_mean in means.items():
            influence[..., self.metric_slice(name)] = of_mean
        if not np.isfinite(influence).all():
            influence = np.nan_to_num(influence, nan=undefined)
        return influence

    def _left(self, rows: slice, part: FloatArray, sums: Sequence[Metric]) -> FloatArray:
        """Compute such values from the statistics of units, which are overwritten.

        Of sum metrics those of `sums`; others are NaN.
        """
        shape = len(self.models), len(self.keys), len(part)
        out = np.full(shape, np.nan).transpose(2, 0, 1)
        if sums:
            self._fill_sums(out, without(self.grand_total, part, out=part), slice(None), sums)
        for metric in self.metrics:
            if not isinstance(metric, Metric):
                where = self.metric_slice(metric.name)
                for position, model in enumerate(self.models):
                    out[:, position, where] = self._leave_out(metric, model, rows)
        return out

    def _of_mean(self, metric: Metric, part: FloatArray, estimate: FloatArray) -> FloatArray:
        """Compute the influences of units on a mean from their statistics, (n_rows, n_models, 1).

        The difference of two means of large numbers, times n, has lost its digits.
        """
        assert metric.ratio is not None  # noqa: S101  a mean has one
        top, bottom = (each[..., None] for each in metric.ratio(*self.parts(metric, part)))
        whole = metric.ratio(*self.parts(metric, self.grand_total))[1][..., None]
        away = top - estimate[:, self.metric_slice(metric.name)] * bottom
        return (self.units.size - 1) * divide(away, without(whole, bottom))

    # -- workers ----------------------------------------------------------------------------

    def _tiles(self) -> list[slice]:
        """Return groups of models whose statistics fit into memory, independent of other use."""
        shared = sum(width for statistic, width in self._kept_widths.items() if statistic.shared)
        own = max(1, sum(self._kept_widths.values()) - shared)
        rows, n_models = min(self.units.n_units, ROW_BLOCK), len(self.models)
        check_width(self._sums, self._widths, rows)
        at_once = int(np.clip((TILE_BYTES // (8 * rows) - shared) // own, 1, n_models))
        return [
            slice(first, min(first + at_once, n_models)) for first in range(0, n_models, at_once)
        ]

    def _passes(self, weights: Weights) -> list[tuple[slice, Sequence[int]]]:
        """Return models and blocks of resamples whose totals fit into memory at once."""
        if not self._sums:
            return []
        tiles = self._tiles()
        block_bytes = 8 * weights.block_size(0) * self.columns(tiles[0])[-1].stop
        n_blocks = max(1, PASS_BYTES // (4 * block_bytes))
        return [
            (models, range(block, min(block + n_blocks, weights.n_blocks)))
            for models in tiles
            for block in range(0, weights.n_blocks, n_blocks)
        ]

    def _fill_pass(
        self, out: FloatArray, weights: Weights, models: slice, blocks: Sequence[int]
    ) -> None:
        totals = self.totals(weights, models, blocks)

        def fill(place: int) -> None:
            self._fill_sums(out[weights.rows(blocks[place]), models], totals[place], models)

        on_threads(fill, range(len(totals)), numbers=totals[0].size)

    def _fill_sums(
        self, out: FloatArray, totals: FloatArray, models: slice,
        sums: Sequence[Metric] | None = None,
    ) -> None:  # fmt: skip
        for metric in self._sums if sums is None else sums:
            value = metric.value(*self.parts(metric, totals, models))
            where = self.metric_slice(metric.name)
            out[..., where] = value if metric.per_class else value[..., None]

    def _fill_others(self, out: FloatArray, weights: Weights) -> None:
        """Compute values that are not sums: each block of weights is drawn once for all models."""
        others = [metric for metric in self.metrics if not isinstance(metric, Metric)]
        functions = [metric for metric in others if isinstance(metric, CallableMetric)]
        sorted_by = [metric for metric in others if isinstance(metric, OrderMetric)]
        if not self.by_blocks:
            self._fill_some(out, weights, sorted_by, "threads")
        elif sorted_by:
            for rows, areas in self._areas.values(weights):
                out[rows, :, self.metric_slice(sorted_by[0].name)] = areas[..., None]
        self._fill_some(out, weights, functions, "processes")

    def _fill_some(
        self,
        out: FloatArray,
        weights: Weights,
        metrics: Sequence[OrderMetric | CallableMetric],
        prefer: Literal["threads", "processes"],
    ) -> None:
        places = [(metric, position) for metric in metrics for position in range(len(self.models))]
        if not places:
            return
        evaluators = [
            evaluator(m, self.predictions, self.models[i], self.partition) for m, i in places
        ]

        def one_block(block: int) -> list[FloatArray]:
            values = [
                [evaluate(drawn).reshape(len(drawn), -1) for evaluate in evaluators]
                for drawn in self._sample_weights(weights, block)
            ]
            return [np.concatenate(parts) for parts in zip(*values, strict=True)]

        numbers = weights.block_size(0) * self.units.n_units * len(evaluators)
        found = map_blocks(one_block, range(weights.n_blocks), prefer=prefer, numbers=numbers)
        for block, values in enumerate(found):
            for (metric, position), value in zip(places, values, strict=True):
                out[weights.rows(block), position, self.metric_slice(metric.name)] = value

    def _sample_weights(self, weights: Weights, block: int) -> Iterator[AnyArray]:
        """Yield weights of all samples, some resamples of a block at a time."""
        if weights.whole and self.predictions.sample_weight is None:
            # Narrow integers, sample after sample: order metrics read them several times faster.
            for counts in weights.parts(block, counts=True):
                samples = np.ascontiguousarray(counts.T)
                yield (samples if self._unit_of is None else samples[self._unit_of]).T
        else:
            yield from map(self.per_sample, weights.parts(block))

    @cached_property
    def _areas(self) -> BinnedAreas:
        return BinnedAreas(self.predictions, self.units)

    def _leave_out(self, metric: OrderMetric | CallableMetric, model: str, rows: slice) -> Any:
        if self.by_blocks:
            part, here = self._blocks.part(rows)
            return self._areas.left_out(part, model, here)
        key = ("left out", metric.name, model)
        return self.once(key, lambda: self._all_left_out(metric, model))[rows]

    def _all_left_out(self, metric: OrderMetric | CallableMetric, model: str) -> FloatArray:
        if isinstance(metric, OrderMetric) and metric.jackknife and self._unit_of is None:
            outcomes = Outcomes.of(self.predictions, model)
            left = metric.jackknife(outcomes, self.per_sample(np.ones((1, len(outcomes))))[0])
            return left.reshape(len(left), -1)
        evaluate = evaluator(metric, self.predictions, model, self.partition)
        return leave_out(lambda weights: evaluate(self.per_sample(weights)), self.units.n_units)
