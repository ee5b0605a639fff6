"""Runs of the same procedures as a design: for those at hand, or for new ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self, cast, get_args

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.comparison.warned import warn_of_few
from modelcompare.data.sizes import n_items, run_counts, seen_runs, written_range
from modelcompare.data.test_set import TestSet
from modelcompare.engine.crossed import CrossedTables, CrossedVariances
from modelcompare.engine.design import Design, Estimator
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.engine.layers import Layers
from modelcompare.engine.scope import Part, Scope
from modelcompare.plugins.runs.declared import INSTEAD, RUN_TEST, runs_are_random, several_runs
from modelcompare.plugins.runs.evaluations import (
    OfRuns,
    evaluations_of_runs,
    run_replicates,
    run_tables,
    sharing,
)
from modelcompare.plugins.runs.several import check_common_rows, check_runs_of_sets
from modelcompare.plugs import load
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.words import GeneralizeTo, Undefined


@dataclass(frozen=True, kw_only=True)
class Runs(Part):
    """Runs that an answer is for.

    Parameters
    ----------
    n_runs : tuple of int
        Numbers of runs of the models, in ascending order; empty if they are unknown.
    """

    name: ClassVar[str] = "runs"
    more: ClassVar[str] = "runs of both models"
    n_runs: tuple[int, ...]

    @property
    def at_hand(self) -> dict[str, bool]:
        return {"for these runs": not self.new}

    @property
    def notes(self) -> tuple[str, ...]:
        runs = f"{written_range(self.n_runs)} runs" if self.n_runs else "runs"
        if self.new:
            return (f"For the training procedures, seen in {runs} each: new runs are allowed for.",)
        return (f"For these {runs}: others of the same models would vary more.",)

    def beside(self, other: Self | None) -> Self:
        others = (1,) if other is None else other.n_runs
        n_runs = (*sorted({*self.n_runs, *others}),) if self.n_runs and others else ()
        return replace(self, new=self.new or (other is not None and other.new), n_runs=n_runs)


@dataclass(frozen=True)
class TheseRuns(Design):
    """Several runs of the models, for which alone an answer is."""

    composes: ClassVar[bool] = True
    # True for an answer about new runs.
    new: ClassVar[bool] = False

    @cached_property
    def scope(self) -> Scope:
        # Sums do not know how many runs there were.
        summed = self.predictions.access.sums is not None
        counts = () if summed else (*sorted({*run_counts(self.predictions)}),)
        return Scope(len(self.predictions), (Runs(n_runs=counts, new=self.new),))

    @property
    def crossed(self) -> bool:
        return "rows" in self.predictions.access.abilities

    def n_items(self, name: str) -> int:
        if not self.crossed:
            raise ValueError(
                f"test set {name!r} is a sketch of several runs, which has no number of items; "
                "give the weights as numbers, e.g. {'a': 100, 'b': 200}, or the predictions "
                "themselves."
            )
        return n_items(self.predictions)

    def check_common_rows(self) -> None:
        check_common_rows(self.predictions)

    def written_size(self, others: Sequence[Design] = ()) -> str:
        if not all(each.crossed for each in (self, *others)):
            return super().written_size(others)
        test_sets = [each.predictions for each in (self, *others)]
        return f"{sum(map(n_items, test_sets)):,} items x {seen_runs(test_sets)} runs"


class RunEstimator(Estimator):
    """Values of which errors are for new items and new runs (`engine.crossed`)."""

    @property
    def runs(self) -> OfRuns:
        """Places of models that share their runs, and the values of each run."""
        for own, models in sharing(self.evaluation.predictions):
            yield own, self.of_runs(models)

    def of_runs(self, models: Sequence[str]) -> Iterator[Estimator]:
        """Yield the values of each run of models that share their runs."""
        predictions, metrics = self.evaluation.predictions, self.evaluation.metrics
        return map(Estimator, evaluations_of_runs(predictions, metrics, models))

    @cached_property
    def variances(self) -> CrossedVariances:
        """Variances for new items and new runs."""
        return CrossedVariances.of(self.tables)

    def layers(self, pairs: Pairs | None) -> Layers:
        return self.variances.layers(pairs)

    def crossed(self) -> CrossedTables | None:
        return self.tables

    @property
    def tables(self) -> CrossedTables:
        """Influences of items in runs."""
        return run_tables(self.evaluation, self.point.shape, self.runs)

    def drawn(self, weights: BootstrapWeights) -> FloatArray:
        """Return values on resamples of items and of runs."""
        return run_replicates(self.evaluation, weights, self.runs)

    def replicates(self, weights: BootstrapWeights) -> FloatArray:
        """Return values on resamples of items and runs, with the spread of new ones."""
        drawn, linear = self.drawn(weights), self.variances.of_resamples
        variances = self.variances.layers().variance[0]
        stretch = np.sqrt(np.divide(variances, linear, out=np.ones_like(linear), where=linear > 0))
        # A value may be undefined on all resamples.
        defined = np.maximum(np.isfinite(drawn).sum(axis=0), 1)
        centre = np.nansum(drawn, axis=0) / defined
        return np.clip(centre + stretch * (drawn - centre), *self.evaluation.bounds)

    def warnings(self, places: IntArray | None) -> list[str]:  # noqa: ARG002  of all values
        fewest = min(run_counts(self.evaluation.predictions))
        return warn_of_few(fewest, "runs of a model", "runs", "items", "runs")


@dataclass(frozen=True)
class NewRuns(TheseRuns):
    """Runs as a sample of those that the training procedures may give."""

    new: ClassVar[bool] = True
    beyond_items: ClassVar[bool] = True
    allowed: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "test": ("wald", RUN_TEST), "undefined": get_args(Undefined),
    }  # fmt: skip
    given: ClassVar[str] = "`runs` are declared, and "
    unknown: ClassVar[str] = "how new runs vary"
    instead: ClassVar[str] = INSTEAD
    more: ClassVar[str] = "more runs"
    at_any_time: ClassVar[str] = (
        "new runs; for an answer about these runs use generalize_to='items' (--generalize-to "
        "items), or plan the times of asking with a ledger of `looks` (--looks N)"
    )
    intervals: ClassVar[str] = f"{__package__}.intervals:for_new_runs"

    @property
    def at_hand(self) -> TheseRuns:
        return TheseRuns(self.predictions)

    def sized(self, unit: str, n_levels: int) -> tuple[str, str]:  # noqa: ARG002
        return "items", f" x {n_levels:,} runs"

    def estimator(self, evaluation: Evaluation) -> RunEstimator:
        self.check_influences(evaluation)
        return RunEstimator(evaluation)

    def are_crossed(self, others: Sequence[Design]) -> bool:
        if not all(isinstance(each, NewRuns) for each in others):
            raise ValueError(
                "some test sets have several `runs` of each model and others have none, or one, so "
                "that new runs vary the value on a part of the sets alone; evaluate the same runs "
                "on all sets, or for an answer about these runs use generalize_to='items' "
                "(--generalize-to items)."
            )
        return check_runs_of_sets([self.predictions, *(each.predictions for each in others)])


def in_runs(predictions: TestSet, generalize_to: str, test: str) -> Any:
    """Return the design of a test set of which models have several runs; None of others."""
    asked = generalize_to == "items+runs" or test == RUN_TEST
    if not asked and predictions.runs is None and predictions.access.sums is None:
        return None
    new = runs_are_random(predictions, cast("GeneralizeTo", generalize_to), test)
    if not (new or several_runs(predictions)):
        return None
    # Only what plugins attach gives a run a separate design.
    if predictions.access.attachments:
        return load(f"{__package__}.composed:composed")(predictions, new=new)
    return (NewRuns if new else TheseRuns)(predictions)


DESIGNS = (in_runs,)
