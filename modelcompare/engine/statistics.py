"""Statistics of a test set's units: the numbers that all metrics of all models sum."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np

from modelcompare.arrays import PASS_BYTES, FloatArray, Found, IntArray, once
from modelcompare.data.sums import EVERY_MODEL
from modelcompare.data.test_set import TestSet
from modelcompare.engine.areas import by_blocks
from modelcompare.engine.axis import Column, lay_out, value_keys
from modelcompare.engine.blocks import Blocks, in_steps
from modelcompare.engine.labels import Labels, distinct_rows, labels_of_blocks
from modelcompare.engine.parallel import on_threads
from modelcompare.engine.partition import is_of_rows, partition_of
from modelcompare.engine.products import Product, SparseColumns
from modelcompare.engine.units import cluster_sums, sample_units
from modelcompare.metrics.base import AnyMetric, Metric, Outcomes, Statistic
from modelcompare.resampling.weights import Units

# Statistics of so many columns (classes, bins) may be 0 for most units.
MANY_COLUMNS = 50


class UnitStatistics:
    """Statistics of all metrics and models of one test set, by unit; parameters of `Evaluation`."""

    def __init__(
        self,
        predictions: TestSet,
        metrics: Sequence[AnyMetric],
        *,
        collapse: bool | None = None,
        stratify: bool = True,
    ) -> None:
        access = predictions.access
        self.partition = partition_of(predictions)
        self.predictions, self.access = predictions, access
        self.metrics = tuple(by_blocks(metrics, predictions))
        self.models = predictions.models
        self.keys = tuple(value_keys(self.metrics, predictions))
        self._sums = [self.valued(m) for m in self.metrics if isinstance(m, Metric)]
        self._hard = any(s.discrete and not s.shared for m in self._sums for s in m.statistics)
        self._unit_of = None if access.unit == "samples" else access.unit_of
        self._blocks = Blocks(predictions)
        self._sparse: tuple[slice, slice, SparseColumns] | None = None
        # Statistics that are worth keeping, or all sums.
        sums = self.access.sums
        self._kept = {} if sums is None else {**sums.numbers}
        self._rows: Labels | None = None
        if collapse is not False:
            self._rows = distinct_rows(
                metrics, predictions, stratify=stratify, required=collapse is True
            )
        if self._rows is not None:
            self.units = Units(self._rows.n_rows, self._rows.multiplicity, self._rows.strata)
        else:
            strata = predictions.strata if stratify else None
            units = sample_units(len(predictions), self._unit_of, strata, self.metrics)
            sizes = None if strata is None or sums is None else sums.sizes
            self.units = replace(units, sizes=sizes)

    def once(self, key: Hashable, make: Callable[[], Found]) -> Found:
        """Return a result that is small, costly and used in several places; computed once."""
        return once(self._made, key, make)

    @cached_property
    def _made(self) -> dict[Hashable, Any]:
        return {}

    @cached_property
    def labelled(self) -> Labels | None:
        """True class, and all predicted classes, of rows that represent one or more samples.

        None if the true labels are not classes, or a model predicted none; and of blocks of rows if
        rows are weighted, or many distinct.
        """
        if self._rows is not None:
            return self._rows
        p = self.predictions
        if p.access.head is not p:
            return labels_of_blocks(p)
        if p.access.hard_codes is None or p.kind.real:
            return None
        return Labels.of_each(p)

    @property
    def collapsed(self) -> bool:
        """True if units are distinct rows with multiplicities."""
        return self._rows is not None

    def valued(self, metric: Metric) -> Metric:
        """Return a sum metric of each part, if its value is the mean of theirs."""
        partition = self.partition
        if partition is None or is_of_rows(metric):
            return metric
        return self.once(("valued", metric.name), lambda: partition.separate(metric))

    def metric_slice(self, metric: str) -> slice:
        """Return the positions of a metric's values along the axis of values."""
        return self._slices[metric]

    def of_values(self, places: IntArray) -> Self:
        """Return the same models and units with some of the values only."""
        out = copy(self)
        out.keys = tuple(self.keys[place] for place in places)
        vars(out).pop("_slices", None)
        return out

    @cached_property
    def _slices(self) -> dict[str, slice]:
        slices: dict[str, slice] = {}
        for position, key in enumerate(self.keys):
            first = slices.get(key.metric, slice(position, position)).start
            slices[key.metric] = slice(first, position + 1)
        return slices

    def statistics(
        self, rows: slice = slice(None), metrics: Sequence[Metric] | None = None
    ) -> FloatArray:
        """Compute statistics of all models and some units, of shape (n_rows, n_columns)."""
        columns = self.columns(slice(None), metrics)
        n_rows = len(range(*rows.indices(self.units.n_units)))
        # Filled column by column, so columns are contiguous.
        out = np.empty((columns[-1].stop if columns else 0, n_rows)).T
        # Outcomes of a model are freed before those of the next model are computed.
        for position, model in enumerate(self.models if columns else ()):
            for column, numbers in self._of_model(model, position, columns, rows):
                start = column.start + position * column.width
                out[:, start : start + column.width] = numbers
        return out

    def _of_model(
        self, model: str, position: int, columns: Sequence[Column], rows: slice
    ) -> Iterator[tuple[Column, FloatArray]]:
        """Yield a model's numbers of some units; those that models share only of the first."""
        outcomes = self.outcomes(model, rows)
        for column in columns:
            if position == 0 or not column.statistic.shared:
                yield column, self.numbers(column.statistic, model, outcomes, rows)

    def numbers(
        self, statistic: Statistic, model: str, outcomes: Outcomes, rows: slice
    ) -> FloatArray:
        """Compute one statistic of some units from their outcomes, (n_rows, width)."""
        if self._unit_of is not None:
            # The clusters of any rows are of all samples.
            every = partial(self._of_clusters, self._unit_of, statistic, model, outcomes)
            if 8 * self.units.n_units * self.columns(slice(None))[-1].stop > PASS_BYTES // 2:
                return every()[rows]
            key = "clusters", statistic.name, EVERY_MODEL if statistic.shared else model
            return self.once(key, every)[rows]
        numbers = self._computed(statistic, model, outcomes, rows)
        if self._rows is not None:
            return numbers
        p, here = self._blocks.part(rows)
        return numbers if p.sample_weight is None else numbers * p.sample_weight[here, None]

    def _of_clusters(
        self, unit_of: IntArray, statistic: Statistic, model: str, outcomes: Outcomes
    ) -> FloatArray:
        """Compute one statistic of all clusters, (n_units, width), for reading alone."""
        numbers = self._computed(statistic, model, outcomes, slice(None))
        weight = self.predictions.sample_weight
        sums = cluster_sums(numbers, unit_of, self.units.n_units, weight)
        sums.flags.writeable = False
        return sums

    def _computed(
        self, statistic: Statistic, model: str, outcomes: Outcomes, rows: slice
    ) -> FloatArray:
        """Compute the numbers of a model's samples; `rows` are the positions of `outcomes`."""
        key = (statistic.name, EVERY_MODEL if statistic.shared else model)
        if key not in self._kept:
            if not statistic.costly or self.access.head is not self.predictions:
                return statistic.compute(outcomes)
            # Texts in memory are compared once.
            self._kept[key] = statistic.compute(outcomes.whole)
        return self._kept[key][rows]

    def columns(self, models: slice, metrics: Sequence[Metric] | None = None) -> list[Column]:
        """Return the columns of the statistics of some models, for all metrics or some."""
        chosen = self._sums if metrics is None else [self.valued(metric) for metric in metrics]
        n_models, names = len(self.models[models]), tuple(metric.name for metric in chosen)
        return self.once(
            ("columns", n_models, names), lambda: lay_out(chosen, self._widths, n_models)
        )

    def parts(
        self, metric: Metric, totals: FloatArray, models: slice = slice(None)
    ) -> list[FloatArray]:
        """Return the arguments of a metric's formula, each (..., n_models or 1, width).

        They are of all rows together, also where its value is the mean of those of the parts.
        """
        columns = {column.statistic: column for column in self.columns(models)}
        valued = self.valued(metric)
        found = [columns[statistic].of(totals) for statistic in valued.statistics]
        if self.partition is None or valued is metric:
            return found
        return self.partition.pooled(found)

    @cached_property
    def _widths(self) -> dict[Statistic, int]:
        sample = self.outcomes(self.models[0], slice(0, 1))
        statistics = {s for metric in self._sums for s in metric.statistics}
        first = self.models[0], sample, slice(0, 1)
        return {s: self._computed(s, *first).shape[1] for s in statistics}

    @cached_property
    def _kept_widths(self) -> dict[Statistic, int]:
        """Numbers of each unit that `product` stores."""
        one = slice(0, 1)
        outcomes = self.outcomes(self.models[0], one)
        return {
            s: 1 if width >= MANY_COLUMNS and self.entries(s, outcomes, one) else width
            for s, width in self._widths.items()
        }

    def product(self, models: slice, rows: slice) -> Product | SparseColumns:
        """Return statistics of some models and units, to be summed under weights.

        With many classes most numbers are 0, and wide statistics are sparse.
        """
        n_classes, columns = self.access.n_classes, self.columns(models)
        n_rows, widest = rows.stop - rows.start, max(column.width for column in columns)
        if min(n_classes, widest) >= MANY_COLUMNS and len(self.units.row_blocks()) == 1:
            if self._sparse is None or self._sparse[:2] != (models, rows):
                self._sparse = models, rows, self._sparse_columns(models, rows, columns)
            return self._sparse[2]
        of_samples = self._rows is None and self._unit_of is None
        part, here = self._blocks.part(rows if of_samples else slice(0, 1))
        hard = part.access.true_distribution is None
        counted = hard and part.sample_weight is None and self._unit_of is None
        codes = (
            part.access.hard_codes[here]
            if of_samples and part.access.hard_codes is not None
            else None
        )
        product = Product(columns, n_rows, codes, n_classes, counted=counted)

        def fill(position: int) -> None:
            model = self.models[models][position]
            for column, numbers in self._of_model(model, position, product.columns, rows):
                product.fill(column, position, numbers)

        n_models = len(self.models[models])
        on_threads(fill, range(n_models), numbers=n_rows * columns[-1].stop / n_models)
        return product

    def _sparse_columns(
        self, models: slice, rows: slice, columns: Sequence[Column]
    ) -> SparseColumns:
        steps = [step for step in self.row_steps(models) if rows.start <= step.start < rows.stop]
        out = SparseColumns(rows.stop - rows.start, columns[-1].stop)
        for position, model in enumerate(self.models[models]):
            outcomes = self.outcomes(model, rows)
            for column in columns:
                if position and column.statistic.shared:
                    continue
                start = column.start + position * column.width
                found = self.entries(column.statistic, outcomes, rows)
                if found is not None:
                    out.put_entries(found[0], start + found[1], found[2])
                    continue
                out.put(start, (
                    self.numbers(column.statistic, model, self.outcomes(model, step), step)
                    for step in steps
                ))  # fmt: skip
        return out

    def entries(
        self, statistic: Statistic, outcomes: Outcomes, rows: slice
    ) -> tuple[IntArray, IntArray, FloatArray] | None:
        """Return units (from the first of `rows`), columns and numbers of a statistic.

        None if a sample has more than one non-zero number.
        """
        if statistic.entries is None or self.access.sums is not None:
            return None
        found = statistic.entries(outcomes)
        if found is None:
            return None
        places, numbers = found
        weight, unit_of = self.predictions.sample_weight, self._unit_of
        if unit_of is None:
            here = np.arange(len(places))
            return here, places, numbers if weight is None else numbers * weight[rows]
        first, last, _ = rows.indices(self.units.n_units)
        inside = (first <= unit_of) & (unit_of < last)
        numbers = numbers if weight is None else numbers * weight
        return unit_of[inside] - first, places[inside], numbers[inside]

    def row_steps(self, models: slice = slice(None)) -> Iterator[slice]:
        """Yield units whose statistics and values of some models fit into memory at once."""
        n_models = len(self.models[models])
        n_columns = max((column.stop for column in self.columns(models)), default=0)
        per_row = 8 * 4 * max(n_models * len(self.keys), n_columns)
        yield from in_steps(self.units.row_blocks(), max(1, PASS_BYTES // 4 // per_row))

    def per_sample(self, unit_weights: FloatArray) -> FloatArray:
        """Return weights of the samples in the units, times their sample weights."""
        weights = unit_weights if self._unit_of is None else unit_weights[:, self._unit_of]
        sample_weight = self.predictions.sample_weight
        return weights if sample_weight is None else weights * sample_weight

    def outcomes(self, model: str, rows: slice = slice(None)) -> Outcomes:
        """Return outcomes of some units: distinct rows, samples, or all samples if clustered."""
        if self._rows is not None:
            return self._rows.outcomes(self.models.index(model), rows)
        if self._unit_of is not None:
            return Outcomes.of(self.predictions, model)
        p, rows = self._blocks.part(rows)
        whole, decided = Outcomes.of(p, model), self._hard and p.access.kinds[model].distribution
        return replace(
            whole.rows(rows),
            predicted_codes=p.predicted(model)[rows] if decided else None,
            everyone=whole if p is self.predictions else None,
        )
