"""Runs of which each has a separate design, such as labels by people beside a judge.

A value is the mean of the runs' values under that design, and influences of items in runs are those
that it gives: what is drawn of an item in all runs is the item's, and what is drawn in one of them
is left without items and runs (`engine.crossed`). What the variance of a difference, or of a value,
in one run has beyond squared influences, such as that of a label which is added to a cell, adds to
that of the items.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray, IntArray, once
from modelcompare.data.test_set import TestSet
from modelcompare.engine.crossed import CrossedTables
from modelcompare.engine.design import Design, Estimator, design_of
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.engine.layers import Layers, terms
from modelcompare.engine.scope import Scope
from modelcompare.plugins.runs.declared import gap_in_crossing
from modelcompare.plugins.runs.design import NewRuns, RunEstimator, TheseRuns
from modelcompare.plugins.runs.evaluations import evaluations_of_runs, parts_of_runs, sharing
from modelcompare.resampling.weights import BootstrapWeights


@dataclass(frozen=True)
class ComposedEstimator(RunEstimator):
    """Values and errors for new runs, each of which has a separate design.

    Parameters
    ----------
    evaluation : Evaluation
        Models, metrics and units of all runs.
    design : ComposedRuns
        The runs, and the design of each.
    """

    design: ComposedRuns

    @cached_property
    def runs(self) -> list[tuple[list[int], list[Estimator]]]:
        every = sharing(self.evaluation.predictions)
        return [(own, [*self.of_runs(models)]) for own, models in every]

    def of_runs(self, models: Sequence[str]) -> Iterator[Estimator]:
        predictions, metrics = self.evaluation.predictions, self.evaluation.metrics
        for each in evaluations_of_runs(predictions, metrics, models):
            yield self.design.of_run(each.predictions).estimator(each)

    @cached_property
    def point(self) -> FloatArray:
        return self.means([[run.point for run in runs] for _, runs in self.runs])

    def values(self, weights: FloatArray) -> FloatArray:
        """Return values under weights of the items, (n_resamples, n_models, n_values)."""
        return self.means([[run.values(weights) for run in runs] for _, runs in self.runs])

    def means(self, found: Sequence[Sequence[FloatArray]]) -> FloatArray:
        """Return the means over the runs of values (..., n_models, n_values)."""
        every = np.concatenate([np.mean(of_runs, axis=0) for of_runs in found], axis=-2)
        order = np.argsort([place for own, _ in self.runs for place in own])
        return np.asarray(every[..., order, :])

    @cached_property
    def tables(self) -> CrossedTables:
        return super().tables

    def layers(self, pairs: Pairs | None) -> Layers:
        key = None if pairs is None else np.stack(pairs).tobytes()
        return once(self._known, key, lambda: self._layers(pairs))

    @cached_property
    def _known(self) -> dict[Hashable, Any]:
        return {}

    def _layers(self, pairs: Pairs | None) -> Layers:
        found, (more, degrees) = self.variances.layers(pairs), self._beyond_influences(pairs)
        return replace(found, items=terms(found.items[0] + more, degrees))

    def _beyond_influences(self, pairs: Pairs | None) -> tuple[FloatArray, FloatArray]:
        """Return variances in a run beyond squared influences, and degrees, (n_rows, n_values).

        They are means over the runs of the first model, with answers of the second in these rows.
        """
        names, shape = self.evaluation.models, (-1, self.point.shape[1])
        rows = [(k,) for k in range(len(names))] if pairs is None else zip(*pairs, strict=True)
        found = [
            np.array([_beyond(run) for run in self.of_runs([names[k] for k in places])])
            for places in rows
        ]
        more = np.reshape([each[:, 0].mean(axis=0) for each in found], shape)
        degrees = np.reshape([each[:, 1].min(axis=0) for each in found], shape)
        return more, np.minimum(degrees, self.variances.degrees)

    @property
    def alone(self) -> BoolArray:
        return np.zeros(self.point.shape, dtype=np.bool_)

    def warnings(self, places: IntArray | None) -> list[str]:
        """Warn where few runs decide, or little within one of them."""
        return [*super().warnings(places), *self.within(places)]

    def within(self, places: IntArray | None) -> list[str]:
        """Warn where little decides within the first run."""
        return self.runs[0][1][0].warnings(places)


def _beyond(run: Estimator) -> tuple[FloatArray, FloatArray]:
    """Return what a variance in one run has beyond squared influences, and its degrees.

    Of a model, or of the difference of two, (n_values,).
    """
    both = len(run.point) > 1
    layers = run.layers((np.array([0]), np.array([1])) if both else None)
    if layers is None:
        return np.zeros(run.point.shape[1]), np.full(run.point.shape[1], np.inf)
    u = np.concatenate([*run.influences()])
    u = u[:, 0] - u[:, 1] if both else u[:, 0]
    variance, degrees = layers.variance[:, 0]
    return np.maximum(variance - (u**2).sum(axis=0) / len(u) ** 2, 0.0), degrees


class EstimatorAtHand(ComposedEstimator):
    """Values and errors for the runs at hand, each of which has a separate design."""

    def layers(self, pairs: Pairs | None) -> Layers:
        items = super().layers(pairs).items
        return replace(Layers.of_items(items[0], 1.0), items=items)

    def crossed(self) -> None:
        """Return None: the runs do not vary."""

    def influences(self) -> Iterator[FloatArray]:
        """Yield the influences of items, which are means over the runs."""
        yield np.stack([table.mean(axis=-1).T for table in self.tables.tables], axis=1)

    def drawn(self, weights: BootstrapWeights) -> FloatArray:
        """Return values on resamples of the items."""
        return self.means([[run.drawn(weights) for run in runs] for _, runs in self.runs])

    def replicates(self, weights: BootstrapWeights) -> FloatArray:
        return self.drawn(weights)

    def warnings(self, places: IntArray | None) -> list[str]:
        return self.within(places)


@dataclass(frozen=True)
class ComposedRuns(TheseRuns):
    """Several runs, for which alone an answer is, each with a separate design.

    Parameters
    ----------
    predictions : TestSet
        The test set.
    within : Design
        The design of a run.
    whole : bool
        False for a part of a test set, in which too little may be known for a value.
    """

    within: Design
    whole: bool = True
    beyond_items: ClassVar[bool] = True
    samples_decide: ClassVar[bool] = False
    at_any_time: ClassVar[str] = "runs that have separate designs; ask once"

    @cached_property
    def scope(self) -> Scope:
        found = super().scope
        return replace(found, parts=(*found.parts, *self.within.scope.parts))

    def check(self, what: str, name: str, argument: str = "") -> None:
        self.within.check(what, name, argument)

    def check_decision(self, n_asked: int = 1) -> None:
        runs = parts_of_runs(self.predictions, self.predictions.models[0])
        for run in runs:
            self.of_run(run).check_decision(n_asked * len(runs))

    def of_part(self, part: TestSet) -> ComposedRuns:
        return replace(self, predictions=part, whole=False)

    def of_run(self, run: TestSet) -> Design:
        """Return the design of one run."""
        return design_of(run) if self.whole else self.within.of_part(run)

    def estimator(self, evaluation: Evaluation) -> Estimator:
        return EstimatorAtHand(evaluation, self)


@dataclass(frozen=True)
class NewComposedRuns(ComposedRuns, NewRuns):
    """Runs as a sample of those of the procedures, each with a separate design."""

    allowed: ClassVar = {}
    intervals: ClassVar[str] = ""

    @property
    def at_hand(self) -> ComposedRuns:
        return ComposedRuns(self.predictions, self.within, self.whole)

    def estimator(self, evaluation: Evaluation) -> ComposedEstimator:
        return ComposedEstimator(evaluation, self)


def composed(predictions: TestSet, *, new: bool) -> Any:
    """Return the design of runs with that of each, of the run in which least decides."""
    if gap := gap_in_crossing(predictions):
        raise ValueError(
            f"runs beside what is known of some samples need every item in every run, but {gap}; "
            "leave such models, items or runs out."
        )
    designs = map(design_of, parts_of_runs(predictions, predictions.models[0]))
    within = min(designs, key=lambda each: each.counted or (0, ""))
    return (NewComposedRuns if new else ComposedRuns)(predictions, within)
