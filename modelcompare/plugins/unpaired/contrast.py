"""The difference of two models in one value, each on a different test set."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from modelcompare.comparison.few_samples import notes_on_few_samples
from modelcompare.data.predictions import Predictions
from modelcompare.data.test_set import TestSet
from modelcompare.data.variants import joined
from modelcompare.engine.contrasts import Sample
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.scope import Scope
from modelcompare.intervals.closed import proportions
from modelcompare.metrics import AnyMetric
from modelcompare.metrics.planning import positive_note
from modelcompare.questions.contrast import Difference, value_position
from modelcompare.words import Alternative

# Arguments of the two test sets of an unpaired question.
SIDES = ("predictions_a", "predictions_b")


@dataclass(frozen=True)
class Unpaired(Difference):
    """Difference of two models in one value, each on a different test set."""

    sides: tuple[tuple[Sample, int], tuple[Sample, int]]  # each with the position of the value
    label: Any
    alternative: Alternative
    n_resamples: int
    seed: np.random.SeedSequence

    @property
    def models(self) -> tuple[str, ...]:
        """Models a and b."""
        return tuple(model for each in self.evaluations for model in each.models)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the runs for which the result holds, few samples, and the positive class."""
        notes = [note for sample, _ in self.sides for note in sample.scope.notes]
        notes += [note for each in self.predictions for note in each.access.source.notes]
        for name, (sample, place) in zip(SIDES, self.sides, strict=True):
            few = notes_on_few_samples(sample, places=np.array([place]))
            notes += [f"`{name}`: {note}" for note in few]
        classes = [n for each in self.predictions for n in positive_note(self.metric, each)]
        return tuple(dict.fromkeys([*notes, *classes]))

    @property
    def scope(self) -> Scope:
        """Runs that the result is about."""
        return Scope.together(sample.scope for sample, _ in self.sides)

    @property
    def evaluations(self) -> list[Evaluation]:
        """Models, metric and units of each side."""
        return [sample.evaluation for sample, _ in self.sides]

    @property
    def metric(self) -> AnyMetric:
        """Metric on which the models are compared."""
        (metric,) = self.evaluations[0].metrics
        return metric

    @property
    def predictions(self) -> list[TestSet]:
        """Test set of each side."""
        return [evaluation.predictions for evaluation in self.evaluations]

    @property
    def sizes(self) -> list[int]:
        """Number of samples, or clusters, of each side."""
        return [evaluation.units.size for evaluation in self.evaluations]

    @cached_property
    def estimates(self) -> list[float]:
        """Value of each model."""
        return [float(sample.point[0, place]) for sample, place in self.sides]

    @property
    def difference(self) -> float:
        """Difference of the two values."""
        a, b = self.estimates
        return a - b

    @cached_property
    def variances(self) -> list[float]:
        """Squared standard error of each value."""
        return [float(s.moments.standard_error()[0, place] ** 2) for s, place in self.sides]

    @property
    def smallest_p_value(self) -> float:
        """Smallest p-value of a permutation test over all splits of the samples, or clusters."""
        extreme = 2 if self.alternative == "two-sided" else 1
        smallest = extreme / math.comb(sum(self.sizes), self.sizes[0])
        return max(smallest, float(np.finfo(np.float64).tiny))

    @cached_property
    def pooled(self) -> tuple[Evaluation, int]:
        """Both test sets joined, the first one's samples first, and the position of the value."""
        pooled = Evaluation(
            joined(*cast(list[Predictions], self.predictions)), (self.metric,), collapse=False
        )
        return pooled, value_position(pooled, self.label)

    @property
    def proportions(self) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """Counts and trials of both sides if the value is a binomial proportion, else None."""
        plain = all(p.access.plain for p in self.predictions)
        if not plain or not getattr(self.metric, "proportion", False):
            return None
        found = [
            tuple(round(float(each[0, place])) for each in proportions(sample.evaluation))
            for sample, place in self.sides
        ]
        (count_a, trials_a), (count_b, trials_b) = found
        return ((count_a, count_b), (trials_a, trials_b)) if trials_a and trials_b else None
