"""Means over independent test sets: intervals, and p-values that agree with the intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.comparison.bootstrap_result import BootstrapResult
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.correction import correct
from modelcompare.comparison.evidence import RESAMPLED, winners
from modelcompare.engine.axis import pair_frame
from modelcompare.engine.contrasts import Contrasts, Sample
from modelcompare.engine.influence import Pairs
from modelcompare.intervals import Interval, intervals_of
from modelcompare.intervals.ratios import t_quantile
from modelcompare.intervals.runs import extended
from modelcompare.intervals.sets import Incomplete, MeanOfSets
from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.planning import range_of_samples
from modelcompare.significance import Outcome
from modelcompare.significance.extreme import resampling_p, student_p
from modelcompare.words import IntervalMethod

# Relative rounding error of a replicate with the same absolute value as the estimate.
_TOLERANCE = 1e-10


@dataclass(frozen=True)
class PooledSets(MeanOfSets):
    """Means over the test sets of a comparison, or differences of these means.

    Parameters
    ----------
    asked : str
        Interval method of the sets.
    """

    asked: IntervalMethod = "auto"

    @property
    def drawn(self) -> bool:
        """True if intervals are computed from replicates, which are averaged over the sets."""
        return self.asked in RESAMPLED

    @property
    def method(self) -> str:
        """Method of the pooled intervals."""
        return self.asked if self.drawn else super().method

    @property
    def test(self) -> str:
        """Method of the pooled p-values."""
        return "bootstrap" if self.drawn else "interval"

    def interval(self, method: IntervalMethod, level: float) -> Interval:
        """Compute intervals from the replicates, or from the intervals of the sets."""
        return intervals_of(self, method, level) if self.drawn else super().interval(method, level)

    def _of_set(self, part: Contrasts, method: IntervalMethod, level: float) -> Interval:
        sample = part.sample.of_these_runs
        assert isinstance(sample, BootstrapResult)  # noqa: S101  of a comparison
        return sample._intervals(part.pairs, method, level)

    def p_values(self, alpha: float) -> FloatArray:
        """Compute p-values of the differences, below `alpha` if the interval excludes 0.

        The interval is that at the level 1 - alpha. Its half-width towards 0, over the quantile, is
        the standard error of a z-test, and for new runs or sets of a t-test as well: the larger
        p-value counts. With replicates, the test is the bootstrap shifted to the null hypothesis.
        """
        difference = self.estimate
        if self.drawn:
            # Undefined replicates count as extreme; an undefined difference has no p-value.
            shifted = self.replicates - difference
            within = np.abs(shifted) < np.abs(difference) * (1 - _TOLERANCE)
            extreme = np.count_nonzero(~within, axis=0)
            found = resampling_p(extreme, len(shifted))
            return np.where(np.isnan(difference), np.nan, found)
        joined, unlimited = self.joined_interval(self.asked, 1 - alpha), np.full(1, np.inf)
        p_values = _p_of(difference, joined, unlimited, alpha)
        if self.extends:
            nothing = np.full(difference.shape, np.nan)
            none = Interval.of(nothing, nothing, self.method)
            ends = extended(none, self, 1 - alpha, self.method)
            p_values = np.maximum(p_values, _p_of(difference, ends, self.degrees, alpha))
        return p_values


@dataclass(frozen=True)
class Means:
    """Means over test sets: the lowest and the highest possible ones, the same if none is lacking.

    A model's value on a set that it lacks may be anything within the range of the metric.
    """

    low: PooledSets
    high: PooledSets

    @cached_property
    def estimate(self) -> FloatArray:
        """Values that nothing is lacking for; NaN for the others."""
        return np.where(self.low.estimate == self.high.estimate, self.low.estimate, np.nan)

    @cached_property
    def nearest(self) -> FloatArray:
        """Possible difference that is nearest to 0."""
        low, high = self.low.estimate, self.high.estimate
        return np.where(low > 0, low, np.where(high < 0, high, 0.0))

    def interval(self, method: IntervalMethod, level: float) -> Interval:
        """Return intervals from the lower bound of the lowest to the upper bound of the highest."""
        lowest = self.low.interval(method, level)
        highest = lowest if self.high is self.low else self.high.interval(method, level)
        return Interval.of(lowest.low, highest.high, self.low.method)

    def p_values(self, alpha: float) -> FloatArray:
        """Return the p-values of the possible differences that are nearest to 0."""
        low = self.low.p_values(alpha)
        if self.high is self.low:
            return low
        high = self.high.p_values(alpha)
        return np.where(self.nearest > 0, low, np.where(self.nearest < 0, high, 1.0))


def pooled_sets(
    results: Mapping[str, Compared], models: Sequence[str], shares: FloatArray, pairs: Pairs | None,
    *, sets_vary: bool,
) -> Means:  # fmt: skip
    """Return means of the values of models, or of the differences of pairs of them.

    Parameters
    ----------
    results : mapping of str to Compared
        Results of the test sets, with the same values; some may lack models.
    models : sequence of str
        All models.
    shares : ndarray of shape (n_sets,)
        Share of each test set.
    pairs : tuple of ndarray of int, or None
        Positions of the models of each pair.
    sets_vary : bool
        Whether the means are for new test sets.
    """
    samples = [each.bootstrap for each in results.values()]
    method = next(iter(results.values())).method
    ends = [
        PooledSets(samples[0], pairs, parts, shares, sets_vary, method)
        for parts in possible_rows(samples, models, pairs)
    ]
    return Means(ends[0], ends[-1])


def possible_rows(
    samples: Sequence[Sample], models: Sequence[str], pairs: Pairs | None
) -> Sequence[Sequence[Contrasts]]:
    """Return the rows on each test set; the lowest and the highest ones where sets lack models."""
    places = [[x.models.index(m) if m in x.models else -1 for m in models] for x in samples]
    if min(map(min, places)) >= 0:
        return [[Contrasts(each, pairs) for each in samples]]
    evaluation = samples[0].evaluation
    ranges = {metric.name: _range(samples, metric) for metric in evaluation.metrics}
    low, high = np.array([ranges[key.metric] for key in evaluation.keys]).T
    return [
        [Incomplete(x, pairs, np.array(own), fills) for x, own in zip(samples, places, strict=True)]
        for fills in ((low, high), (high, low))
    ]


def difference_frame(
    pooled: Means, models: Sequence[str], pairs: Pairs, first: Compared
) -> pd.DataFrame:
    """Return the frame of `GroupComparison.pooled_differences`; settings are those of a set."""
    interval = pooled.interval(first.method, first.confidence_level)
    alpha = first.alpha
    outcome = Outcome(pooled.estimate, pooled.p_values(alpha))
    adjusted, _ = correct(pooled.low, outcome, first.correction, family="metric", alpha=alpha)
    leads = pooled.nearest * first.direction > 0
    return pair_frame(
        models, *pairs, first.keys, difference=pooled.estimate, ci_low=interval.low,
        ci_high=interval.high, p_value=outcome.p_value, p_adjusted=adjusted,
        better=winners(models, *pairs, leads, adjusted < alpha),
    )  # fmt: skip


def _range(samples: Sequence[Sample], metric: AnyMetric) -> tuple[float, float]:
    """Return the range of a metric's values on all test sets."""
    ranges = [metric.bounds]
    if not np.isfinite(metric.bounds).all():
        ranges = [range_of_samples(metric, each.evaluation.predictions) for each in samples]
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    if not np.isfinite([low, high]).all():
        raise ValueError(
            f"missing='bounds' needs metrics with a range, which {metric.name} has not; declare "
            "that of scores (bounds=, --read range=LOW,HIGH), or use missing='drop' (--missing "
            "drop)."
        )
    return low, high


def _p_of(
    difference: FloatArray, interval: Interval, degrees: FloatArray, alpha: float
) -> FloatArray:
    """Return Student's p-values of differences, by their intervals at the level 1 - alpha."""
    reach = np.where(difference > 0, difference - interval.low, interval.high - difference)
    steps = np.divide(
        np.abs(difference), reach, out=np.zeros_like(difference), where=difference != 0
    )
    return student_p(t_quantile(degrees, 1 - alpha) * steps, degrees, "two-sided")
