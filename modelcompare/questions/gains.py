"""The gain of a candidate over a baseline on a test set."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from scipy.special import ndtri

from modelcompare.arrays import FloatArray
from modelcompare.comparison.planning import Settings
from modelcompare.data.test_set import TestSet
from modelcompare.directions import known_direction
from modelcompare.engine.contrasts import Contrasts
from modelcompare.engine.influence import unit_influences
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.engine.scope import Scope
from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.classes import ValueLike
from modelcompare.plugs import load
from modelcompare.questions.claims import POWER, claims_of, n_needed
from modelcompare.questions.contrast import Contrast
from modelcompare.questions.unseen import Unseen
from modelcompare.significance.inverted import Ends, p_above, turned
from modelcompare.words import Decision, IntervalMethod

# Observations that asymptotic bounds need, in all and in favour of each model.
LEAST_UNITS, LEAST_OF_EACH = 50, 10


def not_at_any_time(what: str) -> ValueError:
    """Return the error about what else is random than the samples of one test set."""
    return ValueError(
        "method='any-time' (--looks any) is for samples that are added to one test set, not for "
        f"{what}."
    )


@dataclass(frozen=True)
class Gain:
    """Gain of a candidate: the difference in a metric, with the sign changed for losses.

    Attributes
    ----------
    contrast : Contrast
        Candidate minus baseline.
    models : tuple of (str, str)
        Candidate and baseline.
    """

    contrast: Contrast
    models: tuple[str, str]
    # Whether bounds hold for all numbers of samples together.
    any_time: ClassVar[bool] = False

    @classmethod
    def of(
        cls, predictions: TestSet, models: tuple[str, str], metric: ValueLike, settings: Settings
    ) -> Self:
        """Return the gain of the first model over the second."""
        contrast = Contrast.on(predictions, models, metric, settings)
        contrast.sample.design.check_decision()
        return cls(contrast, models)

    @property
    def method(self) -> IntervalMethod:
        """Interval method."""
        return self.contrast.method

    @property
    def metric(self) -> AnyMetric:
        """Metric on which the models are compared."""
        return self.contrast.metric

    @property
    def sign(self) -> float:
        """1 for metrics of which more is better, else -1."""
        up = known_direction(self.metric.name, self.metric.greater_is_better)
        return 1.0 if up else -1.0

    @property
    def n_units(self) -> int:
        """Number of samples, or clusters."""
        return self.contrast.n_units

    @property
    def unit(self) -> str:
        """Unit that is counted."""
        return self.contrast.unit

    @property
    def scope(self) -> Scope:
        """Runs and labels that bounds are for."""
        return replace(self.contrast.scope, any_time=self.any_time)

    @property
    def test_set(self) -> str:
        """Name of what the gain is measured on; empty for a test set without a name."""
        return ""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the runs for which the gain holds, if there are several."""
        return self.contrast.notes

    @cached_property
    def unseen(self) -> Unseen:
        """The gain with what is needed to add unobserved units."""
        return Unseen.of(self.contrast, self.contrast, self.sign)

    @property
    def gain(self) -> float:
        """The gain; NaN if it is undefined."""
        return self.unseen.gain

    @one_blas_thread()
    def seen(self, level: float) -> Ends:
        """Return the bounds of the gain at a one-sided level, from the samples alone."""
        return turned(self.sign, self.contrast.interval(self.method, 1 - 2 * level))

    def bounds(self, level: float) -> Ends:
        """Return the bounds of the gain at a one-sided level, with unobserved units."""
        return self.unseen.widened(self.seen(level), level)

    def planned(self, level: float) -> Ends:
        """Return the bounds by which more samples are planned: without unobserved units."""
        return self.seen(level)

    def p_value(self, sign: float, threshold: float) -> float:
        """Return the smallest one-sided level at which ``sign * gain > threshold`` is shown."""
        return p_above(sign, threshold, self.bounds)

    def n_needed(self, kind: Decision, margin: float, level: float, ends: Ends) -> float:
        """Return the number of samples with which the test would have the power `POWER`.

        `ends` are the bounds by which more samples are planned.
        """
        gain, n = self.gain, self.n_units
        # For equivalence, the threshold nearer to the gain.
        nearer = math.copysign(margin, gain)
        threshold = nearer if kind == "equivalent" else claims_of(kind, margin)[0][1]
        return max(
            n_needed(kind, threshold, gain, ends, level, n),
            self.unseen.n_needed(threshold, level, float(ndtri(POWER)), n),
        )

    def warn_of_sparse_data(self, method: IntervalMethod) -> None:
        """Warn, at the caller's line, if intervals are in doubt, or few labels or runs decide."""
        self.contrast.warn_of_sparse_data(method)

    @cached_property
    def of_units(self) -> tuple[FloatArray, FloatArray]:
        """Gains of samples, or clusters, and how many have each."""
        return gains_of_units(self.contrast, self.contrast, self.sign)

    @cached_property
    def has_enough(self) -> bool:
        """True if there are enough samples, and enough in favour of each model."""
        return are_enough(self.contrast, *self.of_units)

    @property
    def least(self) -> str:
        """Number of samples that asymptotic bounds need before the last look, in words."""
        return f"{LEAST_UNITS} {self.contrast.unit}, and {LEAST_OF_EACH} in favour of each model"

    @property
    def too_early(self) -> str:
        """Reason why bounds do not decide before the last look, if there is one.

        Losses that the samples do not contain are allowed for where single samples have a known
        range. Other metrics need samples in favour of each model.
        """
        if self.unseen.of_means or self.has_enough:
            return ""
        return f"Before the last look, {self.metric.name} needs {self.least}."

    def check_width(self, ends: Ends) -> None:
        """Raise an error that gives the reason why the gain has no interval."""
        if np.isnan(self.gain) or ends[0] < ends[1]:
            return
        predictions = self.contrast.evaluation.predictions
        own = self.metric.intervals if self.method == "auto" else None
        if own and (why := load(own.refusal)(predictions, [self.metric.name])):
            raise ValueError(why)
        raise ValueError(
            f"the {self.method} interval of the gain in {self.metric.name} has "
            f"{'no bounds' if np.isnan(ends[0]) else 'width 0'}: the resamples do not determine "
            "its uncertainty. Use method='auto'."
        )


def gains_of_units(
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


def are_enough(contrast: Contrast, gains: FloatArray, counts: FloatArray) -> bool:
    """Return whether asymptotic bounds may decide before the last look."""
    return contrast.n_units >= LEAST_UNITS and min(_in_favour(gains, counts)) >= LEAST_OF_EACH


def _in_favour(gains: FloatArray, counts: FloatArray) -> list[float]:
    """Return the numbers of samples in favour of each model."""
    # Gains are about 0 where the models agree, which counts for neither.
    apart = gains**2 > gains**2 @ counts / counts.sum() / 4
    return [float(counts[apart & (side * gains > 0)].sum()) for side in (1, -1)]
