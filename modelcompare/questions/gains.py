"""The gain of a candidate over a baseline, on one test set or in the mean of several."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.comparison.compare_groups import WeightedSets
from modelcompare.comparison.planning import serve
from modelcompare.comparison.pooled import Means
from modelcompare.comparison.suite import (
    WITHIN,
    notes_of_sets,
    within,
)
from modelcompare.data.test_set import TestSet
from modelcompare.directions import known_direction
from modelcompare.engine.contrasts import Contrasts
from modelcompare.engine.design import design_of
from modelcompare.engine.influence import unit_influences
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.engine.scope import Scope
from modelcompare.intervals.calibration import refusal, why_refused
from modelcompare.intervals.sets import MeanOfSets
from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.calibration import calibration_formula
from modelcompare.metrics.classes import ValueLike, one_value
from modelcompare.questions.contrast import Contrast, Draws
from modelcompare.questions.unseen import Unseen
from modelcompare.resampling.seeds import child_seed, seed_sequence
from modelcompare.significance.inverted import Ends, ends_of, p_above, turned
from modelcompare.significance.repeated import LEAST_OF_EACH, LEAST_UNITS
from modelcompare.words import (
    IntervalMethod,
    ZeroDivision,
)


@dataclass(frozen=True)
class Gain:
    """Gain of a candidate: the difference in a metric, with the sign changed for losses.

    Attributes
    ----------
    contrasts : mapping of str to Contrast
        Candidate minus baseline on each test set, by its name.
    models : tuple of (str, str)
        Candidate and baseline.
    method : str
        Interval method.
    shares : ndarray of shape (n_sets,)
        Share of each test set in the mean.
    scope : Scope
        Runs, labels and test sets that bounds are for.
    lacking : tuple of str
        Note on test sets that lack a model, if there are any.
    """

    contrasts: Mapping[str, Contrast]
    models: tuple[str, str]
    method: IntervalMethod
    shares: FloatArray
    scope: Scope
    lacking: tuple[str, ...]
    # Whether bounds hold for all numbers of samples together.
    any_time: ClassVar[bool] = False

    @classmethod
    def of(
        cls, suite: WeightedSets[TestSet], models: tuple[str, str], metric: ValueLike, *,
        method: IntervalMethod, zero_division: ZeroDivision, draws: Draws,
    ) -> Self:  # fmt: skip
        """Return the gain of the first model on the test sets that have a weight."""
        (sets, shares, generalize_to, lacking), contrasts, used = suite, {}, method
        seed, alone = seed_sequence(draws.rng), np.count_nonzero(shares) == 1
        for place, (name, predictions) in enumerate(sets.items()):
            if shares[place] == 0:
                continue
            own, own_label = one_value(metric, predictions)
            served, used, *_ = serve(predictions, own, method=method, zero_division=zero_division)
            # A test set may lack one of the models, or both.
            both = [model for model in models if model in served.models]
            pair = served[both or [*served.models[:1]]]
            contrasts[name] = Contrast.between(
                pair, own, own_label, zero_division=zero_division,
                design=design_of(pair, within(generalize_to)),
                draws=draws if alone else replace(draws, rng=child_seed(seed, place)),
            )  # fmt: skip
            contrasts[name].sample.design.check_decision()
        first, *others = contrasts.values()
        if any(each.evaluation.keys != first.evaluation.keys for each in others):
            raise ValueError(
                f"the test sets have different classes, and {first.metric.name} is per class; "
                "decide on an average, e.g. f1_macro."
            )
        scopes = [each.scope for each in contrasts.values()]
        scope = Scope.of_sets(scopes, new_sets=generalize_to in WITHIN, any_time=cls.any_time)
        return cls(contrasts, models, used, shares[shares > 0], scope, lacking)

    @property
    def first(self) -> Contrast:
        """Contrast on the first test set, or the only one."""
        return next(iter(self.contrasts.values()))

    @property
    def metric(self) -> AnyMetric:
        """Metric on which the models are compared."""
        return self.first.metric

    @property
    def sign(self) -> float:
        """1 for metrics of which more is better, else -1."""
        up = known_direction(self.metric.name, self.metric.greater_is_better)
        return 1.0 if up else -1.0

    @property
    def n_units(self) -> int:
        """Number of samples, or clusters, of all test sets."""
        return sum(each.n_units for each in self.contrasts.values())

    @property
    def test_set(self) -> str:
        """Name of what the gain is measured on; empty for a test set without a name."""
        name, *others = self.contrasts
        return f"mean of {len(self.contrasts)} test sets" if others else name

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the runs and test sets for which the gain holds, if there are several."""
        notes = notes_of_sets({name: each.notes for name, each in self.contrasts.items()})
        return (*notes, *self.scope.notes_of_sets, *self.lacking)

    @cached_property
    def _means(self) -> Means:
        """The lowest and the highest possible mean over the test sets."""
        samples = [each.sample for each in self.contrasts.values()]
        return Means.of(samples, self.models, self.first.pairs, self.shares, self.scope)

    @property
    def bounded(self) -> bool:
        """True if results are lacking, so that there are only bounds of the gain."""
        return self._means.bounded

    @cached_property
    def unseen(self) -> tuple[Unseen, Unseen]:
        """The lowest and the highest possible gain, with what is needed to add unobserved units."""
        if not self.bounded:
            only = self._unseen_of(self._means.low)
            return only, only
        lowest, highest = self._unseen_of(self._means.low), self._unseen_of(self._means.high)
        return (lowest, highest) if self.sign > 0 else (highest, lowest)

    def _unseen_of(self, mean: MeanOfSets) -> Unseen:
        """Return a mean over the test sets with what is needed to add unobserved units."""
        pairs = zip(self.contrasts.values(), mean.parts, strict=True)
        parts = [Unseen.of(contrast, row, self.sign) for contrast, row in pairs]
        return parts[0] if len(parts) == 1 else Unseen.of_sets(parts, self.shares)

    @property
    def gain(self) -> float:
        """The gain; NaN if it is undefined, or if results are lacking."""
        return math.nan if self.bounded else self.unseen[0].gain

    @one_blas_thread()
    def seen(self, level: float) -> Ends:
        """Return the bounds of the gain at a one-sided level, from the samples alone."""
        if len(self.contrasts) == 1 and not self.bounded:
            return turned(self.sign, self.first.interval(self.method, 1 - 2 * level))
        found = self._means.interval(self.method, 1 - 2 * level)
        return turned(self.sign, ends_of(found, 0, self.first.position))

    def bounds(self, level: float) -> Ends:
        """Return the bounds of the gain at a one-sided level, with unobserved units."""
        seen = self.seen(level)
        lowest, highest = (each.widened(seen, level) for each in self.unseen)
        return lowest[0], highest[1]

    def planned(self, level: float) -> Ends:
        """Return the bounds by which more samples are planned: without unobserved units."""
        return self.seen(level)

    def p_value(self, sign: float, threshold: float) -> float:
        """Return the smallest one-sided level at which ``sign * gain > threshold`` is shown."""
        return p_above(sign, threshold, self.bounds)

    @cached_property
    def of_units(self) -> list[tuple[FloatArray, FloatArray]]:
        """Gains of samples, or clusters, of each test set, and how many have each."""
        pairs = zip(self.contrasts.values(), self._means.low.parts, strict=True)
        return [_gains_of_units(contrast, row, self.sign) for contrast, row in pairs]

    @cached_property
    def has_enough(self) -> bool:
        """True if each test set has enough samples, and enough in favour of each model."""
        sizes = (each.n_units for each in self.contrasts.values())
        return all(n >= LEAST_UNITS for n in sizes) and all(
            min(_in_favour(*each)) >= LEAST_OF_EACH for each in self.of_units
        )

    @property
    def least(self) -> str:
        """Number of samples that asymptotic bounds need before the last look, in words."""
        return f"{LEAST_UNITS} {self.first.unit}, and {LEAST_OF_EACH} in favour of each model"

    @property
    def too_early(self) -> str:
        """Reason why bounds do not decide before the last look, if there is one.

        Losses that the samples do not contain are allowed for where single samples have a known
        range. Other metrics need samples in favour of each model.
        """
        if self.unseen[0].of_means or (not self.bounded and self.has_enough):
            return ""
        return f"Before the last look, {self.metric.name} needs {self.least}."

    def check_width(self, ends: Ends) -> None:
        """Raise an error that gives the reason why the gain has no interval."""
        if np.isnan(self.gain) or ends[0] < ends[1]:
            return
        predictions = self.first.evaluation.predictions
        if self.method == "auto" and calibration_formula(self.metric) and why_refused(predictions):
            raise ValueError(refusal(predictions, [self.metric.name]))
        raise ValueError(
            f"the {self.method} interval of the gain in {self.metric.name} has "
            f"{'no bounds' if np.isnan(ends[0]) else 'width 0'}: the resamples do not determine "
            "its uncertainty. Use method='auto'."
        )


def _gains_of_units(
    contrast: Contrast, row: Contrasts, sign: float
) -> tuple[FloatArray, FloatArray]:
    """Return gains of samples, or clusters, by their influences, and how many have each."""
    sample, place = contrast.sample, contrast.position
    parts = [
        (np.nan_to_num(u[0] - u[1], nan=0.0), counts)
        for value, u, counts in unit_influences(sample.evaluation, sample.point)
        if value == place
    ]
    influences, counts = (np.concatenate(side) for side in zip(*parts, strict=True))
    return sign * (influences + float(row.estimate[0, place])), counts


def _in_favour(gains: FloatArray, counts: FloatArray) -> list[float]:
    """Return the numbers of samples in favour of each model."""
    # Gains are about 0 where the models agree, which counts for neither.
    apart = gains**2 > gains**2 @ counts / counts.sum() / 4
    return [float(counts[apart & (side * gains > 0)].sum()) for side in (1, -1)]
