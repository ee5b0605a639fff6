"""Means over independent test sets: intervals, and p-values that agree with the intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from modelcompare.arrays import FloatArray
from modelcompare.comparison.bootstrap_result import BootstrapResult
from modelcompare.comparison.evidence import RESAMPLED
from modelcompare.engine.contrasts import Contrasts
from modelcompare.intervals import Interval, intervals_of
from modelcompare.intervals.ratios import t_quantile
from modelcompare.intervals.runs import extended
from modelcompare.intervals.sets import MeanOfSets
from modelcompare.significance.extreme import resampling_p
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
            p_values = np.maximum(p_values, _p_of(difference, ends, self.run_degrees, alpha))
        return p_values


def _p_of(
    difference: FloatArray, interval: Interval, degrees: FloatArray, alpha: float
) -> FloatArray:
    """Return Student's p-values of differences, by their intervals at the level 1 - alpha."""
    reach = np.where(difference > 0, difference - interval.low, interval.high - difference)
    steps = np.divide(
        np.abs(difference), reach, out=np.zeros_like(difference), where=difference != 0
    )
    p_values: FloatArray = 2 * stdtr(degrees, -t_quantile(degrees, 1 - alpha) * steps)
    return p_values
