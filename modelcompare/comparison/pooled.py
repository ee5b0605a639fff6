"""Means over independent test sets: intervals, and p-values that agree with the intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from modelcompare.arrays import FloatArray
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.evidence import RESAMPLED
from modelcompare.engine.contrasts import Contrasts, pair_differences
from modelcompare.intervals import Interval, intervals_of
from modelcompare.intervals.ratios import normal_quantile
from modelcompare.significance.extreme import resampling_p

# Relative rounding error of a replicate with the same absolute value as the estimate.
_TOLERANCE = 1e-10


@dataclass(frozen=True)
class PooledSets(Contrasts):
    """Means over test sets of the same models and values, or differences of these means.

    All sets have the same weight; `sample` is that of the first set.

    Attributes
    ----------
    results : sequence of Compared
        Results of the single sets.
    """

    results: Sequence[Compared]

    @property
    def drawn(self) -> bool:
        """True if intervals are computed from replicates, which are averaged over the sets."""
        return self.results[0].method in RESAMPLED

    @property
    def method(self) -> str:
        """Method of the pooled intervals."""
        return self.results[0].method if self.drawn else "mover"

    @property
    def test(self) -> str:
        """Method of the pooled p-values."""
        return "bootstrap" if self.drawn else "interval"

    @cached_property
    def of_sets(self) -> list[Contrasts]:
        """Contrasts of the single sets: their values, or differences of `pairs`."""
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
        """A sixth of the skewness of the mean: third moments of independent sets add up."""
        cubes = [rows.acceleration * rows.standard_error**3 for rows in self.of_sets]
        scale = (len(self.results) * self.standard_error) ** 3
        skewness = np.sum(cubes, axis=0)
        return np.divide(skewness, scale, out=np.zeros_like(scale), where=scale > 0)

    @property
    def blocks(self) -> list[Contrasts]:
        """All pairs at once."""
        return [self]

    def interval(self, level: float) -> Interval:
        """Compute intervals from the replicates, or from the intervals of the sets."""
        method = self.results[0].method
        if self.drawn:
            return intervals_of(self, method, level)
        info = self.results[0].metric_info
        low, high = np.array([info[key.metric].bounds for key in self.evaluation.keys]).T
        if self.pairs is not None:
            low, high = low - high, high - low
        ends = self._joined([
            result.bootstrap._intervals(self.pairs, method, level) for result in self.results
        ])  # fmt: skip
        below, above = (np.clip(end, low, high) for end in ends)
        return Interval.of(
            np.minimum(below, self.estimate), np.maximum(above, self.estimate), "mover"
        )

    def _joined(self, intervals: Sequence[Interval]) -> tuple[FloatArray, FloatArray]:
        """Compute bounds of a mean over independent sets, from the interval of each.

        The distances from estimate to bound are combined as in MOVER, and so are the half-widths;
        the larger result is used. MOVER alone fails for many sets near a bound, where intervals are
        one-sided: they extend to the side where the mean hardly varies. Half-widths alone fail for
        few sets, as they ignore the asymmetry of the intervals.

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
        """Compute p-values of the differences, below `alpha` if the interval excludes 0.

        The interval is that at the level 1 - alpha. Its half-width towards 0, over the normal
        quantile, is the standard error of a z-test. With replicates, the test is the bootstrap
        shifted to the null hypothesis.
        """
        difference = self.estimate
        if self.drawn:
            # Undefined replicates count as extreme; an undefined difference has no p-value.
            shifted = self.replicates - difference
            within = np.abs(shifted) < np.abs(difference) * (1 - _TOLERANCE)
            extreme = np.count_nonzero(~within, axis=0)
            found = resampling_p(extreme, len(shifted))
            return np.where(np.isnan(difference), np.nan, found)
        interval = self.interval(1 - alpha)
        reach = np.where(difference > 0, difference - interval.low, interval.high - difference)
        steps = np.divide(
            np.abs(difference), reach, out=np.zeros_like(difference), where=difference != 0
        )
        p_values: FloatArray = 2 * ndtr(-normal_quantile(1 - alpha) * steps)
        return p_values


def _mean(parts: Sequence[FloatArray]) -> FloatArray:
    found: FloatArray = np.mean(parts, axis=0)
    return found


def _root_of_squares(errors: Sequence[FloatArray]) -> FloatArray:
    """Return the standard error of a mean of independent values."""
    found: FloatArray = np.sqrt(np.sum(np.square(errors), axis=0)) / len(errors)
    return found
