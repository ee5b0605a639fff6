"""Labels by people on some samples, and a judge of all, as a design: labels are what is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.data.test_set import TestSet
from modelcompare.engine.design import Design, Estimator
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.engine.layers import Layers
from modelcompare.engine.scope import Part, Scope
from modelcompare.plugins.judges.drawn import influences_of, values_on
from modelcompare.plugins.judges.few_labels import warn_of_few_labels, worth
from modelcompare.plugins.judges.judged import Judged
from modelcompare.plugins.judges.labels_drawn import NOT_AT_RANDOM, not_drawn, p_at_random
from modelcompare.plugins.judges.patterns import are_enough
from modelcompare.plugins.judges.verdicts import (
    Judge,
    check_enough,
    check_one_run,
    judge_of,
)
from modelcompare.resampling.weights import BootstrapWeights, GivenWeights


@dataclass(frozen=True, kw_only=True)
class Labels(Part):
    """Labels by people that an answer rests on.

    Parameters
    ----------
    n_labels, n_samples : int
        Numbers of labels, and of samples that have one or a verdict alone.
    p : float
        P-value of the test of whether the labels were drawn at random.
    """

    mark: ClassVar[str] = "judge"
    n_labels: int
    n_samples: int
    p: float = 1.0

    @property
    def counts(self) -> dict[str, object]:
        return {"labels": self.n_labels}

    @property
    def notes(self) -> tuple[str, ...]:
        shown = f"= {self.p:.2f}" if self.p >= 0.005 else "< 0.005"
        return (
            f"Labels by people on {self.n_labels:,} of {self.n_samples:,} samples, a judge on all: "
            "valid if the labels were drawn at random (answers and verdicts there against those on "
            f"the other samples: p {shown}) and did not tune the judge.",
        )

    def beside(self, other: Self | None) -> Self:
        if other is None:
            return self
        n_labels, n_samples = self.n_labels + other.n_labels, self.n_samples + other.n_samples
        return type(self)(n_labels=n_labels, n_samples=n_samples, p=min(self.p, other.p))


class LabelEstimator(Estimator):
    """Values by labels of people and a judge (`judged`)."""

    @cached_property
    def judged(self) -> Judged:
        """Values of all models, and differences of pairs."""
        return Judged(self.evaluation)

    @cached_property
    def point(self) -> FloatArray:
        return self.judged.point

    def centre(self, pairs: Pairs, point: FloatArray) -> FloatArray:
        """Return the nearer to 0 of the differences and those with added labels."""
        plain, added = super().centre(pairs, point), self.judged.estimates(pairs).centre
        nearer = np.where(np.abs(added) < np.abs(plain), added, plain)
        return np.where(added * plain > 0, nearer, 0.0)

    def layers(self, pairs: Pairs | None) -> Layers:
        values = self.judged.estimates(pairs)
        return Layers.of_items(values.variance, values.degrees)

    def influences(self) -> Iterator[FloatArray]:
        """Yield the influences of samples, or clusters, and of labels of their samples."""
        yield influences_of(self.judged, self.evaluation.units.size)

    def values(self, weights: FloatArray) -> FloatArray:
        """Return values where samples, or clusters, with their labels count so many times."""
        return values_on(self.judged, GivenWeights.of(self.evaluation.units, weights))

    def drawn(self, weights: BootstrapWeights) -> FloatArray:
        """Return values on resamples of the samples, each with its label if it has one."""
        return values_on(self.judged, weights)

    @property
    def alone(self) -> BoolArray:
        return np.zeros(self.point.shape, dtype=np.bool_)

    def warnings(self, places: IntArray | None) -> list[str]:
        return warn_of_few_labels(self.evaluation, self.judged, places)

    def remarks(self, place: int) -> list[str]:
        return [worth(self.judged, self.evaluation.keys[place])]


class UnknownValues(Estimator):
    """Values of a part of a test set with too few labels: none is known."""

    @cached_property
    def point(self) -> FloatArray:
        return np.full((len(self.evaluation.models), len(self.evaluation.keys)), np.nan)

    def layers(self, pairs: Pairs | None) -> Layers:
        n_rows = len(self.point) if pairs is None else len(pairs[0])
        return Layers.of_items(np.full((n_rows, self.point.shape[1]), np.nan), 1.0)

    def influences(self) -> Iterator[FloatArray]:
        yield np.full((self.evaluation.units.size, *self.point.shape), np.nan)

    def drawn(self, weights: BootstrapWeights) -> FloatArray:
        return np.full((weights.n_resamples, *self.point.shape), np.nan)


@dataclass(frozen=True)
class LabelsBesideJudge(Design):
    """Labels by people on some samples, drawn at random, and verdicts of a judge on all."""

    beyond_items: ClassVar[bool] = True
    samples_decide: ClassVar[bool] = False
    unknown: ClassVar[str] = "the error of a judge"
    instead: ClassVar[str] = "leave `judge` (--judge) out"
    more: ClassVar[str] = "more labels by people"
    at_any_time: ClassVar[str] = (
        "labels beside a judge; ask once, without it, or take predictions.access.labelled, the "
        "samples with labels (on the command line leave --judge out and add --missing drop)"
    )
    intervals: ClassVar[str] = f"{__package__}.intervals:of_judged"
    plan: ClassVar[str] = f"{__package__}.plan:plan_labels"

    @property
    def judge(self) -> Judge:
        """Verdicts, and the samples with labels."""
        judge = judge_of(self.predictions)
        assert judge is not None  # noqa: S101  of `asked`
        return judge

    @cached_property
    def scope(self) -> Scope:
        n_samples, n_labels = len(self.predictions), self.judge.n_labels
        p = p_at_random(self.predictions)
        return Scope(n_samples, (Labels(n_labels=n_labels, n_samples=n_samples, p=p),))

    @property
    def counted(self) -> tuple[int, str]:
        return self.judge.n_labels, "labels"

    def estimator(self, evaluation: Evaluation) -> Estimator:
        # The design of runs holds that of each.
        check_one_run(self.predictions)
        check_enough(self.judge.labelled)
        return LabelEstimator(evaluation)

    def of_part(self, part: TestSet) -> LabelsBesideJudge:
        design = replace(self, predictions=part)
        return design if are_enough(part, design.judge) else FewLabels(part)

    def check_decision(self, n_asked: int = 1) -> None:
        if p_at_random(self.predictions) < NOT_AT_RANDOM / n_asked:
            raise not_drawn(self.predictions)


@dataclass(frozen=True)
class FewLabels(LabelsBesideJudge):
    """Too few labels by people for a value, in a part of a test set that has enough."""

    def estimator(self, evaluation: Evaluation) -> Estimator:
        return UnknownValues(evaluation)
