"""Means over independent test sets: intervals, and p-values that agree with the intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.correction import Procedure, correct
from modelcompare.comparison.evidence import winners
from modelcompare.engine.axis import pair_frame
from modelcompare.engine.contrasts import Contrasts, Sample
from modelcompare.engine.influence import Pairs
from modelcompare.engine.scope import Scope
from modelcompare.intervals import Interval
from modelcompare.intervals.extended import extend_intervals
from modelcompare.intervals.ratios import t_quantile
from modelcompare.metrics.planning import known_range
from modelcompare.plugins.suites.means import Incomplete, MeanOfSets
from modelcompare.significance import Outcome
from modelcompare.significance.extreme import student_p
from modelcompare.words import Alternative, IntervalMethod


@dataclass(frozen=True)
class Means:
    """Means over test sets: the lowest and the highest possible ones, the same if none is lacking.

    A model's value on a set that it lacks may be anything within the range of the metric.
    """

    low: MeanOfSets
    high: MeanOfSets

    @classmethod
    def of(
        cls, samples: Sequence[Sample], models: Sequence[str], pairs: Pairs | None,
        shares: FloatArray, scope: Scope,
    ) -> Means:  # fmt: skip
        """Return means of the values of models, or of the differences of pairs of them.

        Parameters
        ----------
        samples : sequence of Sample
            Samples of the test sets, with the same values; some may lack models.
        models : sequence of str
            All models.
        pairs : tuple of ndarray of int, or None
            Positions of the models of each pair.
        shares : ndarray of shape (n_sets,)
            Share of each test set.
        scope : Scope
            What the means are about.
        """
        ends = [
            MeanOfSets(samples[0], pairs, parts, shares, scope)
            for parts in _possible_rows(samples, models, pairs)
        ]
        return cls(ends[0], ends[-1])

    @property
    def bounded(self) -> bool:
        """True if values are lacking, so that there are only bounds of the means."""
        return self.high is not self.low

    @cached_property
    def estimate(self) -> FloatArray:
        """Values that nothing is lacking for; NaN for the others."""
        return np.where(self.low.estimate == self.high.estimate, self.low.estimate, np.nan)

    @cached_property
    def sign(self) -> FloatArray:
        """Sign that all possible differences have, 1 or -1; 0 if they have none in common."""
        return np.subtract(self.low.estimate > 0, self.high.estimate < 0, dtype=float)

    def interval(self, method: IntervalMethod, level: float) -> Interval:
        """Return intervals from the lower bound of the lowest to the upper bound of the highest."""
        lowest = self.low.interval(method, level)
        highest = self.high.interval(method, level) if self.bounded else lowest
        return Interval.of(lowest.low, highest.high, self.low.method)

    def p_values(
        self, method: IntervalMethod, alpha: float, alternative: Alternative = "two-sided"
    ) -> FloatArray:
        """Return the p-values of the possible differences that are nearest to 0."""
        low = _p_values(self.low, method, alpha, alternative)
        if not self.bounded:
            return low
        high = _p_values(self.high, method, alpha, alternative)
        return np.where(self.sign > 0, low, np.where(self.sign < 0, high, 1.0))


def difference_frame(
    pooled: Means, models: Sequence[str], pairs: Pairs, first: Compared
) -> pd.DataFrame:
    """Return the frame of `GroupComparison.pooled_differences`; settings are those of a set."""
    interval = pooled.interval(first.method, first.confidence_level)
    alpha = first.alpha
    outcome = Outcome(pooled.estimate, pooled.p_values(first.method, alpha))
    procedure = Procedure(test=first.test, correction=first.correction, alpha=alpha)
    adjusted, _ = correct(pooled.low, outcome, procedure)
    leads = pooled.sign * first.direction > 0
    return pair_frame(
        models, *pairs, first.keys, difference=pooled.estimate, ci_low=interval.low,
        ci_high=interval.high, p_value=outcome.p_value, p_adjusted=adjusted,
        better=winners(models, *pairs, leads, (adjusted < alpha) & first.directed),
    )  # fmt: skip


def _possible_rows(
    samples: Sequence[Sample], models: Sequence[str], pairs: Pairs | None
) -> Sequence[Sequence[Contrasts]]:
    """Return the rows on each test set; the lowest and the highest ones where sets lack models."""
    places = [[x.models.index(m) if m in x.models else -1 for m in models] for x in samples]
    if min(map(min, places)) >= 0:
        return [[Contrasts(each, pairs) for each in samples]]
    evaluation = samples[0].evaluation
    test_sets = [each.evaluation.predictions for each in samples]
    ranges = {metric.name: known_range(metric, test_sets) for metric in evaluation.metrics}
    low, high = np.array([ranges[key.metric] for key in evaluation.keys]).T
    return [
        [Incomplete(x, pairs, np.array(own), fills) for x, own in zip(samples, places, strict=True)]
        for fills in ((low, high), (high, low))
    ]


def _p_values(
    mean: MeanOfSets, method: IntervalMethod, alpha: float, alternative: Alternative
) -> FloatArray:
    """Compute p-values of differences, below `alpha` if the interval at 1 - alpha excludes 0.

    The half-width towards 0, over the quantile, is the standard error of a z-test, and for new runs
    or sets of a t-test as well: the larger p-value counts.
    """
    these, unlimited = mean.joined_interval(method, 1 - alpha), np.full(1, np.inf)
    p_values = _p_of(mean.estimate, these, unlimited, alpha, alternative)
    if mean.extends:
        nothing = np.full(mean.estimate.shape, np.nan)
        none = Interval.of(nothing, nothing, mean.method)
        ends = extend_intervals(none, mean, 1 - alpha, mean.method)
        new = _p_of(mean.estimate, ends, mean.degrees, alpha, alternative)
        p_values = np.maximum(p_values, new)
    return p_values


def _p_of(
    difference: FloatArray, interval: Interval, degrees: FloatArray, alpha: float,
    alternative: Alternative,
) -> FloatArray:  # fmt: skip
    """Return Student's p-values of differences, by their intervals at the level 1 - alpha."""
    reach = np.where(difference > 0, difference - interval.low, interval.high - difference)
    with np.errstate(divide="ignore"):
        steps = np.divide(difference, reach, out=np.zeros_like(difference), where=difference != 0)
    return student_p(t_quantile(degrees, 1 - alpha) * steps, degrees, alternative)
