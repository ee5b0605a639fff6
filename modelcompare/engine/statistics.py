"""Statistics of a test set's units: what every metric of every model sums, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.engine.axis import Column, KeptNumbers, lay_out, value_keys
from modelcompare.engine.units import (
    DistinctRows,
    cluster_codes,
    cluster_sums,
    collapsible,
    sample_units,
)
from modelcompare.metrics.base import AnyMetric, Metric, Outcomes, Statistic
from modelcompare.predictions import Predictions
from modelcompare.resampling import Units

# Bytes that the statistics, or the totals, of one pass may take.
PASS_BYTES = 96 * 2**20
# Share of numbers other than 0 below which sparse products are faster, and small.
_SPARSE_BELOW = 1 / 16
# Distinct rows are worth a multinomial draw of their own only if they are few.
COLLAPSE_AT = 1 / 16


class UnitStatistics:
    """Statistics of all metrics and models of one test set, by unit; parameters of `Evaluation`."""

    def __init__(
        self,
        predictions: Predictions,
        metrics: Sequence[AnyMetric],
        *,
        collapse: bool | None = None,
        stratify: bool = True,
    ) -> None:
        self.predictions = predictions
        self.metrics = tuple(metrics)
        self.models = predictions.models
        self.keys = tuple(value_keys(self.metrics, predictions))
        self._sums = [metric for metric in self.metrics if isinstance(metric, Metric)]
        self._hard = any(s.discrete and not s.shared for m in self._sums for s in m.statistics)
        self._unit_of = cluster_codes(predictions.groups)
        strata = predictions.strata if stratify else None
        self._grand_totals: dict[tuple[int, int], FloatArray] = {}
        self._sparse: dict[tuple[int, int, int], Any] = {}
        self._kept = KeptNumbers()
        self._rows: DistinctRows | None = None
        if collapse is not False:
            self._rows = self._distinct(strata, required=collapse is True)
        self.units = (
            sample_units(len(predictions), self._unit_of, strata, self.metrics)
            if self._rows is None
            else Units(self._rows.n_rows, self._rows.multiplicity, self._rows.strata)
        )

    @cached_property
    def labelled(self) -> DistinctRows | None:
        """True class, and all models' predicted classes, of rows that each stand for some samples.

        None where the truth is no class, or a model did not choose one.
        """
        if self._rows is not None:
            return self._rows
        p = self.predictions
        if p.codes is None or p.true_distribution is not None:
            return None
        if any(p.output(model).kind == "values" for model in p.models):
            return None
        return DistinctRows.of_each(p)

    @property
    def collapsed(self) -> bool:
        """Whether units are distinct rows with multiplicities."""
        return self._rows is not None

    def metric_slice(self, metric: str) -> slice:
        """Where a metric's values stand along the axis of values."""
        positions = [i for i, key in enumerate(self.keys) if key.metric == metric]
        return slice(positions[0], positions[-1] + 1)

    def statistics(
        self,
        models: slice = slice(None),
        rows: slice = slice(None),
        metrics: Sequence[Metric] | None = None,
    ) -> FloatArray:
        """Statistics of some models and units, of shape (n_rows, n_columns); of all metrics."""
        columns = self.columns(models, metrics)
        outcomes = [self._outcomes(model, rows) for model in self.models[models]]
        n_rows = len(range(*rows.indices(self.units.n_units)))
        here = rows if self._unit_of is None else slice(None)
        # Filled column by column, so columns lie contiguously.
        out = np.empty((columns[-1].stop if columns else 0, n_rows)).T
        for column in columns:
            sources = outcomes[:1] if column.statistic.shared else outcomes
            for position, outcome in enumerate(sources):
                start = column.start + position * column.width
                model = self.models[models][position]
                numbers = self._kept.of(column.statistic, model, outcome, here)
                numbers = self._weighted(numbers, rows)
                if self._unit_of is not None:
                    numbers = cluster_sums(numbers, self._unit_of, self.units)[rows]
                out[:, start : start + column.width] = numbers
        return out

    def outcomes(self, model: str) -> Outcomes:
        """Truth and a model's outputs of every unit; of every sample, where units are clusters."""
        return self._outcomes(model, slice(None))

    def columns(self, models: slice, metrics: Sequence[Metric] | None = None) -> list[Column]:
        """Where the statistics of some models stand, of all metrics or of some."""
        metrics = self._sums if metrics is None else metrics
        return lay_out(metrics, self._widths, len(self.models[models]))

    @cached_property
    def _widths(self) -> dict[Statistic, int]:
        sample = self._outcomes(self.models[0], slice(0, 1))
        statistics = {s for metric in self._sums for s in metric.statistics}
        return {s: s.compute(sample).shape[1] for s in statistics}

    def _narrow(self, models: slice, rows: slice) -> Any:
        """Statistics of some models, as a sparse matrix where most are 0: those of many classes."""
        place = models.indices(len(self.models))
        if place in self._sparse:
            return self._sparse[place]
        steps = list(self.row_steps(models))
        first = self.statistics(models, steps[0])
        if len(steps) == 1 or np.count_nonzero(first) > _SPARSE_BELOW * first.size:
            return self.statistics(models, rows)
        from scipy.sparse import csr_array, vstack

        parts = [csr_array(self.statistics(models, step)) for step in steps[1:]]
        self._sparse[place] = vstack([csr_array(first), *parts], format="csr")
        return self._sparse[place]

    def row_steps(self, models: slice = slice(None)) -> Iterator[slice]:
        """Units whose statistics and values of some models fit into memory at once."""
        n_models = len(self.models[models])
        n_columns = max((column.stop for column in self.columns(models)), default=0)
        per_row = 8 * 4 * max(n_models * len(self.keys), n_columns)
        step = max(1, PASS_BYTES // 4 // per_row)
        for block in self.units.row_blocks():
            for start in range(block.start, block.stop, step):
                yield slice(start, min(start + step, block.stop))

    def per_sample(self, unit_weights: FloatArray) -> FloatArray:
        """Weights of the samples behind the units, times their sample weights."""
        weights = unit_weights if self._unit_of is None else unit_weights[:, self._unit_of]
        sample_weight = self.predictions.sample_weight
        return weights if sample_weight is None else weights * sample_weight

    def grand_total(self, models: slice) -> FloatArray:
        """Totals over the whole test set, kept because every leave-one-out block needs them."""
        first, last, _ = models.indices(len(self.models))
        if (first, last) not in self._grand_totals:
            total = np.zeros(self.columns(models)[-1].stop)
            for rows in self.row_steps(models):
                counts = self.units.counts(rows).astype(np.float64)
                total += counts @ self.statistics(models, rows)
            self._remember_total(models, total)
        return self._grand_totals[first, last]

    def _remember_total(self, models: slice, total: FloatArray) -> None:
        first, last, _ = models.indices(len(self.models))
        self._grand_totals[first, last] = total

    def _distinct(self, strata: AnyArray | None, *, required: bool) -> DistinctRows | None:
        """Distinct rows, where they are all that matters, and few or asked for."""
        if not collapsible(self.metrics, self.predictions, required=required):
            return None
        rows = DistinctRows.of(self.predictions, strata)
        return rows if required or rows.n_rows <= COLLAPSE_AT * len(self.predictions) else None

    def _part(self, rows: slice) -> tuple[Predictions, slice]:
        """Predictions that hold some samples, and where these stand in them."""
        return self.predictions, rows

    def _everyone(self, model: str) -> Outcomes | None:
        """Outcomes of all samples, where they are at hand."""
        return Outcomes.of(self.predictions, model)

    def _outcomes(self, model: str, rows: slice) -> Outcomes:
        """Outcomes behind some units: distinct rows, samples, or all samples if clustered."""
        if self._rows is not None:
            return self._rows.outcomes(model, rows)
        if self._unit_of is not None:
            return Outcomes.of(self.predictions, model)
        p, rows = self._part(rows)
        output = p.output(model)
        return Outcomes(
            output.rows(rows),
            None if p.codes is None else p.codes[rows],
            p.n_classes,
            None if p.y_true is None else p.y_true[rows],
            None if p.true_distribution is None else p.true_distribution[rows],
            p.predicted(model)[rows] if self._hard and output.kind == "probabilities" else None,
            everyone=self._everyone(model),
        )

    def _weighted(self, numbers: FloatArray, rows: slice) -> FloatArray:
        p, here = self._part(slice(None) if self._unit_of is not None else rows)
        return numbers if p.sample_weight is None else numbers * p.sample_weight[here, None]
