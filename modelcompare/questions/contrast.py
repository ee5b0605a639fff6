"""The difference of models a and b in one value."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from modelcompare.comparison.few_samples import notes_on_few_samples
from modelcompare.comparison.planning import Settings, prepare
from modelcompare.comparison.warned import warn_of_little_data
from modelcompare.data.positive import positive_for
from modelcompare.data.test_set import TestSet
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.engine.scope import Scope
from modelcompare.intervals import intervals_around
from modelcompare.intervals.unknown import convention, turned_by_convention
from modelcompare.metrics import AnyMetric, UndefinedMetricWarning
from modelcompare.metrics.classes import ValueLike, one_value
from modelcompare.metrics.planning import positive_note
from modelcompare.significance import Outcome, PairView, run_named
from modelcompare.significance.inverted import Ends, ends_of
from modelcompare.words import (
    Alternative,
    IntervalMethod,
    shown,
    value_name,
    warn_caller,
)


class Difference(ABC):
    """Difference of models a and b in one value, and what it is about."""

    label: Any
    alternative: Alternative

    @property
    @abstractmethod
    def models(self) -> tuple[str, ...]:
        """Models a and b."""

    @property
    @abstractmethod
    def metric(self) -> AnyMetric:
        """Metric on which the models are compared."""

    @property
    @abstractmethod
    def difference(self) -> float:
        """Difference of the two values."""

    @property
    @abstractmethod
    def notes(self) -> tuple[str, ...]:
        """Notes on the result."""

    @property
    @abstractmethod
    def scope(self) -> Scope:
        """Runs and labels that the result is about."""


@dataclass(frozen=True)
class Contrast(PairView, Difference):
    """Difference a - b of two models in one value, on the same test set.

    Parameters
    ----------
    label
        The class, for a metric per class.
    position : int
        Position of the value along the axis of values.
    method, tested_by : str
        Interval method and test to compute with. The other parameters are those of `PairView`, for
        one pair.
    """

    label: Any = None
    position: int = 0
    method: IntervalMethod = "normal"
    tested_by: str = "wald"

    @classmethod
    def on(
        cls, predictions: TestSet, models: Sequence[str], value: ValueLike, settings: Settings
    ) -> Contrast:
        """Return the contrast of two models of a test set.

        If one of them is lacking, the sample is of the other one (`Gain`).
        """
        metric, label = one_value(value, predictions)
        found = prepare(predictions, [metric], settings, models)
        evaluation = found.sample.evaluation
        label = chosen_class(evaluation, label)
        return cls(
            found.sample, (np.array([0]), np.array([1])), settings.n_resamples, label=label,
            position=value_position(evaluation, label), method=found.method, tested_by=found.test,
        )  # fmt: skip

    @property
    def models(self) -> tuple[str, ...]:
        """Models a and b."""
        return self.evaluation.models

    @property
    def metric(self) -> AnyMetric:
        """Metric on which the models are compared."""
        (metric,) = self.evaluation.metrics
        return metric

    @property
    def difference(self) -> float:
        """Difference on the test set."""
        return float(self.estimate[0, self.position])

    @property
    def error(self) -> float:
        """Influence-function standard error of the difference."""
        return float(self.standard_error[0, self.position])

    @property
    def n_units(self) -> int:
        """Number of samples, of clusters if `groups` are given, or of labels beside a judge."""
        evaluation, counted = self.evaluation, self.sample.design.counted
        if counted is not None:
            return counted[0]
        if evaluation.access.unit == "buckets":
            return len(evaluation.predictions)
        return evaluation.units.size

    @property
    def unit(self) -> str:
        """Unit that is counted: "samples", "battles", "clusters", or "labels" beside a judge."""
        access, counted = self.evaluation.access, self.sample.design.counted
        if counted is not None:
            return counted[1]
        return "clusters" if access.unit == "clusters" else access.source.called

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the runs for which the result holds, the positive class, and few samples."""
        predictions = self.evaluation.predictions
        turned = f"The models are in this order {convention(self.metric)}."
        more = [turned] if self.by_convention else []
        more = [*predictions.access.source.notes, *positive_note(self.metric, predictions), *more]
        few = notes_on_few_samples(self.sample, places=np.array([self.position]))
        return (*self.scope.notes, *more, *few)

    @property
    def by_convention(self) -> bool:
        """True if the difference turns without classes that are 0 / 0."""
        if len(self.models) < 2:
            return False
        return bool(turned_by_convention(self.evaluation, self.metric, self.pairs)[0])

    @property
    def scope(self) -> Scope:
        """Runs and labels that the result is about."""
        return self.sample.scope

    def test(self, name: str) -> Outcome:
        """Run a test on this value alone; the arrays of its outcome have shape (1, 1)."""
        found, here = run_named(name, self), np.s_[:, self.position : self.position + 1]
        return replace(found, statistic=found.statistic[here], p_value=found.p_value[here])

    def warn_of_sparse_data(self, method: IntervalMethod = "auto") -> None:
        """Warn, at the caller's line, if intervals are in doubt, or few labels or runs decide."""
        pairs = self.pairs if len(self.models) > 1 else None
        places = np.array([self.position])
        warn_of_little_data(self.sample, method=method, pairs=pairs, places=places)

    @one_blas_thread()
    def interval(self, method: IntervalMethod, confidence_level: float) -> Ends:
        """Compute a confidence interval of the difference."""
        return ends_of(intervals_around(self, method, confidence_level), 0, self.position)


def warn_of_undefined(metric: str, label: Any, difference: float, models: Sequence[str]) -> None:
    """Warn that the difference is undefined if one of the two values is."""
    if math.isnan(difference):
        warn_caller(
            f"{value_name(metric, label)} of {models[0]!r} or {models[1]!r} is undefined on this "
            "test set, so there is no difference to test.",
            UndefinedMetricWarning,
        )


def chosen_class(evaluation: Evaluation, label: Any) -> Any:
    """Return the class of one value: as given, or of a metric of each of two the positive one."""
    predictions = evaluation.predictions
    if label is None and len(evaluation.keys) == 2 and predictions.kind.exclusive:
        return positive_for(f"metric {evaluation.metrics[0].name!r} is per class", predictions)
    return label


def value_position(evaluation: Evaluation, label: Any) -> int:
    """Return the position of one value of the only metric along the axis of values.

    Raises
    ------
    ValueError
        If the metric is per class and no class is given, the class does not exist, or the metric is
        not per class.
    """
    labels = [key.label for key in evaluation.keys]
    name = evaluation.metrics[0].name
    if label is None and len(labels) > 1:
        example = f"{name}[{labels[0]}]"
        raise ValueError(
            f"metric {name!r} is per class; name one, as in {example!r}: "
            f"{', '.join(map(str, labels))}."
        )
    if label is not None and labels == [None]:
        raise ValueError(f"metric {name!r} has one value for all classes; leave the class out.")
    if label not in labels:
        raise ValueError(f"{shown(label)} is not a class; there are {labels}.")
    return labels.index(label)
