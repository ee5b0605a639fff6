"""Means over independent test sets: their intervals, and p-values that agree with these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from modelcompare.arrays import FloatArray
from modelcompare.comparison.compared import Compared
from modelcompare.engine.contrasts import Contrasts, pair_differences
from modelcompare.intervals import Interval, held_intervals, intervals_of
from modelcompare.intervals.ratios import normal_quantile
from modelcompare.significance.extreme import resampling_p

# Methods of replicates: sets that were drawn independently have means of replicates.
_DRAWN = frozenset({"BCa", "percentile", "basic", "studentized"})
# What floating point may take off a replicate as far from 0 as the estimate.
_TOLERANCE = 1e-10


@dataclass(frozen=True)
class PooledSets(Contrasts):
    """Means over test sets of the same models and values, or differences of these means.

    Each set counts alike; the sample is the first one's.

    Attributes
    ----------
    results : sequence of Compared
        One for each set.
    """

    results: Sequence[Compared]

    @property
    def drawn(self) -> bool:
        """Return whether intervals are of replicates."""
        return all(result.method in _DRAWN for result in self.results)

    @property
    def method(self) -> str:
        """Name of what makes the pooled intervals."""
        return self.results[0].method if self.drawn else "mover"

    @property
    def test(self) -> str:
        """Name of what makes the pooled p-values."""
        return "bootstrap" if self.drawn else "interval"

    @cached_property
    def of_sets(self) -> list[Contrasts]:
        """Return the same values or differences of each set."""
        return [Contrasts(result.bootstrap, self.pairs) for result in self.results]

    @cached_property
    def estimate(self) -> FloatArray:
        means = _mean([result.point for result in self.results])
        return means if self.pairs is None else pair_differences(means, *self.pairs)

    @cached_property
    def replicates(self) -> FloatArray:
        return _mean([rows.replicates for rows in self.of_sets])

    @cached_property
    def standard_error(self) -> FloatArray:
        return _root_of_squares([rows.standard_error for rows in self.of_sets])

    @cached_property
    def replicate_errors(self) -> FloatArray:
        return _root_of_squares([rows.replicate_errors for rows in self.of_sets])

    @cached_property
    def acceleration(self) -> FloatArray:
        """A sixth of the skewness of the mean: third moments of independent sets add."""
        cubes = [rows.acceleration * rows.standard_error**3 for rows in self.of_sets]
        scale = (len(self.results) * self.standard_error) ** 3
        skewness = np.sum(cubes, axis=0)
        return np.divide(skewness, scale, out=np.zeros_like(scale), where=scale > 0)

    @property
    def blocks(self) -> list[Contrasts]:
        """All pairs at once."""
        return [self]

    def interval(self, level: float) -> Interval:
        """Intervals from the replicates, or from the sets' intervals."""
        method = self.results[0].method
        if self.drawn:
            return intervals_of(self, method, level)
        info = self.results[0].metric_info
        low, high = np.array([info[key.metric].bounds for key in self.evaluation.keys]).T
        if self.pairs is not None:
            low, high = low - high, high - low
        ends = self._joined([held_intervals(rows, method, level) for rows in self.of_sets])
        below, above = (np.clip(end, low, high) for end in ends)
        return Interval.of(
            np.minimum(below, self.estimate), np.maximum(above, self.estimate), "mover"
        )

    def _joined(self, intervals: Sequence[Interval]) -> tuple[FloatArray, FloatArray]:
        """Bounds of a mean over independent sets, from the interval of each.

        Reaches are joined as in MOVER, and so are half widths; the longer one counts. MOVER alone
        fails with many sets near a bound: intervals are one-sided there, and reach where the mean
        does not stray. Half widths alone fail with few sets, whose intervals say to which side they
        stray.

        References
        ----------
        .. [1] Zou & Donner (2008), Statistics in Medicine 27, 1693-1702.
        """
        points = [rows.estimate for rows in self.of_sets]
        centre, pairs = _mean(points), list(zip(points, intervals, strict=True))
        half = _root_of_squares([(found.high - found.low) / 2 for found in intervals])
        below = np.maximum(half, _root_of_squares([point - found.low for point, found in pairs]))
        above = np.maximum(half, _root_of_squares([found.high - point for point, found in pairs]))
        return centre - below, centre + above

    def p_values(self, alpha: float) -> FloatArray:
        """P-values of the differences, below `alpha` where the interval at 1 - alpha leaves out 0.

        The distance from 0 over the reach of the interval towards it, read as a normal number; of
        replicates the bootstrap shifted to the null.
        """
        difference = self.estimate
        if self.drawn:
            # Undefined resamples count as extreme, an undefined difference has no p-value.
            within = np.abs(self.shifted) < np.abs(difference) * (1 - _TOLERANCE)
            extreme = np.count_nonzero(~within, axis=0)
            found = resampling_p(extreme, len(self.shifted))
            return np.where(np.isnan(difference), np.nan, found)
        interval = self.interval(1 - alpha)
        reach = np.where(difference > 0, difference - interval.low, interval.high - difference)
        steps = np.divide(
            np.abs(difference), reach, out=np.zeros_like(difference), where=difference != 0
        )
        p_values: FloatArray = 2 * ndtr(-normal_quantile(1 - alpha) * steps)
        return p_values

    @cached_property
    def shifted(self) -> FloatArray:
        """Replicates, less the values on the test sets."""
        return self.replicates - self.estimate


def _mean(parts: Sequence[FloatArray]) -> FloatArray:
    found: FloatArray = np.mean(parts, axis=0)
    return found


def _root_of_squares(errors: Sequence[FloatArray]) -> FloatArray:
    """Standard error of a mean of independent values."""
    found: FloatArray = np.sqrt(np.sum(np.square(errors), axis=0)) / len(errors)
    return found
