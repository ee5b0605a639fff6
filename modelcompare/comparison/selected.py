"""Selection of the values of requested classes from a bootstrap result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.comparison.bootstrap_result import BootstrapResult
from modelcompare.engine.contrasts import Sample
from modelcompare.engine.design import Estimator
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import InfluenceMoments, Pairs
from modelcompare.engine.layers import Layers
from modelcompare.intervals import Interval
from modelcompare.significance import Outcome, PairView


def places_of(evaluation: Evaluation, classes: Mapping[str, Sequence[Any]]) -> IntArray | None:
    """Return the positions of the values of some classes; None if all are asked for."""
    if not classes:
        return None
    return np.flatnonzero([
        key.metric not in classes or key.label in classes[key.metric] for key in evaluation.keys
    ])  # fmt: skip


def select_values(result: BootstrapResult, places: IntArray | None) -> BootstrapResult:
    """Select values of a result by their positions; all if none are given."""
    if places is None:
        return result
    axis = result.evaluation.of_values(places)
    return SelectedResult(
        axis, result.weights, result.design, whole=result, places=places,
    )  # fmt: skip


def select_tests(
    asked: BootstrapResult, pairs: PairView, outcome: Outcome
) -> tuple[PairView, Outcome]:
    """Select the values of a result among those of pairs and of their test.

    Step-downs are restricted to these values.
    """
    if not isinstance(asked, SelectedResult):
        return pairs, outcome
    places, step_down = asked.places, {}
    for metric, stepped in outcome.step_down.items():
        every = pairs.evaluation.metric_slice(metric)
        within = places[(places >= every.start) & (places < every.stop)]
        step_down[metric] = partial(stepped, within - every.start)
    floor, ways = (
        None if each is None else each[:, places] for each in (outcome.floor, outcome.ways)
    )
    return replace(pairs, sample=asked), replace(
        outcome, statistic=outcome.statistic[:, places], p_value=outcome.p_value[:, places],
        floor=floor, step_down=step_down, ways=ways,
    )  # fmt: skip


def intervals_at(whole: Interval, places: IntArray | slice | None) -> Interval:
    """Select the intervals of some values; all if no place is given."""
    return whole if places is None else whole.columns(places)


@dataclass(frozen=True, repr=False)
class SelectedResult(BootstrapResult):
    """Some values of a bootstrap result; all computations are those of the whole result.

    Attributes
    ----------
    whole : BootstrapResult
        All values.
    places : ndarray of int of shape (n_selected,)
        Positions of the selected values along the axis of values.
    """

    whole: BootstrapResult = field(kw_only=True)
    places: IntArray = field(kw_only=True)

    @property
    def names(self) -> list[str]:
        """The metrics as arguments of `compare`, with the selected classes."""
        every, found = self.whole.evaluation, self.evaluation
        names: list[str] = []
        for metric in found.metrics:
            keys = [key for key in found.keys if key.metric == metric.name]
            whole = every.metric_slice(metric.name)
            partly = len(keys) < whole.stop - whole.start
            names += [f"{metric.name}[{key.label}]" for key in keys] if partly else [metric.name]
        return names

    @cached_property
    def point(self) -> FloatArray:
        return self.whole.point[:, self.places]

    @cached_property
    def draws(self) -> FloatArray:
        return self.whole.draws[:, :, self.places]

    @cached_property
    def n_undefined(self) -> IntArray:
        return self.whole.n_undefined[:, self.places]

    @cached_property
    def moments(self) -> InfluenceMoments:
        return self.whole.moments.of_values(self.places)

    def centre(self, pairs: Pairs) -> FloatArray:
        return self.whole.centre(pairs)[:, self.places]

    @cached_property
    def estimator(self) -> Estimator:
        return self.whole.estimator

    @cached_property
    def at_hand(self) -> Self:
        whole = self.whole.at_hand
        return self if whole is self.whole else replace(self, whole=whole, design=whole.design)

    def layers(self, pairs: Pairs | None = None) -> Layers:
        return self.whole.layers(pairs).at(self.places)

    @cached_property
    def replicate_moments(self) -> FloatArray:
        return self.whole.replicate_moments[:, self.places]

    @property
    def _selection(self) -> tuple[Sample, IntArray]:
        return self.whole, self.places
