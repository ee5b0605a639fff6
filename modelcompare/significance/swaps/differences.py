"""Differences of values that are not smooth after swaps.

Plain ones are not studentized, and their null hypothesis is that the models are exchangeable. Where
a metric declares a quantity without bias and its variance (`Metric.contrast`), differences of that
are divided by their standard error. The variances of two models are added: their correlation is
nearly the same after each swap, and p-values do not depend on a common factor.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.metrics.base import Metric
from modelcompare.significance.swaps.bounds import Places
from modelcompare.significance.swaps.ratio import SLACK, Quotient
from modelcompare.significance.swaps.statistic import Swapped
from modelcompare.significance.swaps.sums import Formula, SwappedSums

# Differences without variance are divided by the root of this.
_NO_VARIANCE = 1e-300


def plain_difference(swaps: SwappedSums, metric: Metric) -> Difference:
    """Return the formula of plain differences."""
    quotient = metric.ratio is not None and metric.average is None
    return (QuotientDifference if quotient else Difference)(swaps, metric)


class Difference(Formula):
    """Differences of values over the sum of their sizes."""

    studentized = False

    def statistics(self, pairs: IntArray, swapped: Swapped) -> FloatArray:
        both = self.swaps.both(self.metric, Places(pairs), swapped)
        first, second = (self.swaps.values(self.metric, sides) for sides in both)
        shape = len(pairs), first.shape[1], swapped.n_masks
        return np.subtract(first, second, out=np.empty(shape)) * self.over[pairs]

    def differ(self, rows: slice, pairs: IntArray) -> BoolArray:
        # Every value may depend on every statistic.
        return np.repeat(super().differ(rows, pairs), self.values.shape[1], axis=2)

    @cached_property
    def over(self) -> FloatArray:
        """1 over the sum of the sizes, (n_pairs, n_values, 1); 0 of values that are 0."""
        size = np.abs(self.values)
        scale = (size[self.swaps.model_a] + size[self.swaps.model_b])[..., None]
        return np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)

    @cached_property
    def values(self) -> FloatArray:
        """Values (n_models, n_values)."""
        found = self.metric.value(*(self.swaps.totals[s] for s in self.metric.statistics))
        return found if self.metric.per_class else found[:, None]


class QuotientDifference(Quotient, Difference):
    """Plain differences of a quotient: scores over ``D_a D_b / (D_a + D_b)`` instead of errors."""

    kinds = ()

    def _at(self, where: Places, swapped: Swapped) -> tuple[FloatArray, FloatArray]:
        score, unequal = self._score(where, swapped)
        _, _, _, d_all, _ = map(where.of, self._fixed)
        with np.errstate(divide="ignore", invalid="ignore"):
            score /= d_all * (0.25 - unequal * unequal)
        score *= where.of(self.over)
        return score, unequal

    def _divisor(self, pairs: IntArray, apart: FloatArray) -> tuple[FloatArray, FloatArray]:
        over, d_all = (part.take(pairs, axis=0) for part in (self.over, self._fixed[3]))
        size = np.divide(d_all, over, out=np.zeros_like(over), where=over > 0)
        return size * (0.25 - (apart + SLACK) ** 2), size * (0.25 + SLACK)

    @cached_property
    def _nothing(self) -> FloatArray:
        return np.zeros_like(self._fixed[0])

    def _by_convention(self, difference: FloatArray, pairs: IntArray) -> FloatArray:
        return difference * self.over[pairs]


class Contrast(Formula):
    """Differences of the quantity that a metric declares, over their standard error."""

    studentized = False

    def statistics(self, pairs: IntArray, swapped: Swapped) -> FloatArray:
        assert self.metric.contrast is not None  # noqa: S101  such metrics alone are asked
        both = self.swaps.both(self.metric, Places(pairs), swapped)
        (first, of_first), (second, of_second) = (
            self.metric.contrast(*(sides[s] for s in self.metric.statistics)) for sides in both
        )
        error = np.sqrt(np.maximum(of_first + of_second, _NO_VARIANCE))
        shape = len(pairs), swapped.n_masks
        return np.divide(first - second, error, out=np.empty(shape))[:, None]
