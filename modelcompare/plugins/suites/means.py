"""Means over independent test sets, for the sets at hand or for new ones like them.

Sets are fixed by default: an interval generalizes to other samples of the same sets. If sets vary,
the spread of their values is the error, with one degree of freedom less than there are sets. What
varies beside the items, such as runs of a model, and was evaluated on all sets is crossed with
them: what is good luck on one set is so on all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.contrasts import Contrasts, Sample
from modelcompare.engine.design import are_crossed
from modelcompare.engine.scope import Scope
from modelcompare.intervals import intervals_around
from modelcompare.intervals.base import Interval
from modelcompare.intervals.counts import corrected_average
from modelcompare.intervals.extended import extend_intervals
from modelcompare.intervals.influences import macro_corrections, share_of_occurring
from modelcompare.plugins.suites.layers import layers_of_new_sets, layers_of_sets
from modelcompare.plugins.suites.scope import are_new
from modelcompare.words import IntervalMethod

FIXED, NEW_SETS = "mover", "sets-t"
# Distances of centres from estimates, and of both bounds from centres.
Reach = tuple[FloatArray, FloatArray, FloatArray]
_ROUNDING = 1e-13


@dataclass(frozen=True)
class Incomplete(Contrasts):
    """Rows of a test set that lacks some models, which have fixed values there.

    Parameters
    ----------
    sample, pairs
        As in `Contrasts`: the sample is of the models that the set has, pairs are positions among
        all models.
    places : ndarray of int of shape (n_models,)
        Position of each model in the sample, -1 where it is lacking.
    fills : tuple of two ndarrays of shape (n_values,)
        Value of a lacking model, and of a lacking second model of a pair.
    """

    places: IntArray
    fills: tuple[FloatArray, FloatArray]

    @cached_property
    def estimate(self) -> FloatArray:
        first, second = (
            np.where(self.places[:, None] < 0, fill, self.sample.point[self.places])
            for fill in self.fills
        )
        return first if self.pairs is None else first[self.pairs[0]] - second[self.pairs[1]]

    @cached_property
    def standard_error(self) -> FloatArray:
        return self._known(lambda rows: (rows.standard_error,) * 3)[1]

    def reach(self, of: Callable[[Contrasts], Interval]) -> Reach:
        """Return what `_reach` does, of the sample's intervals; a fixed value has no width."""
        return self._known(partial(_reach, of=of))

    def _known(self, read: Callable[[Contrasts], Reach]) -> Reach:
        """Return the reach, or errors, of all rows; 0 for a lacking model."""
        shift, below, above = (
            # A lacking model has the last place.
            np.vstack([each, np.zeros_like(each[:1])])[self.places]
            for each in read(Contrasts(self.sample, None))
        )
        if self.pairs is not None:
            a, b = self.pairs
            shift, below, above = shift[a] - shift[b], below[a] + above[b], above[a] + below[b]
            first, second = self.places[a], self.places[b]
            known = np.flatnonzero((first >= 0) & (second >= 0))
            both = Contrasts(self.sample, (first[known], second[known]))
            shift[known], below[known], above[known] = read(both)
        return shift, below, above


def _reach(contrasts: Contrasts, of: Callable[[Contrasts], Interval]) -> Reach:
    """Return how far the centre lies above the estimate, and both bounds from the centre.

    The centre is the value corrected for its bias, which the number of sets does not lessen. Most
    biases cancel in differences.
    """
    found, estimate = of(contrasts), contrasts.estimate
    centre = estimate if contrasts.pairs is not None else corrected_values(contrasts.sample)
    centre = np.clip(centre, found.low, found.high)
    return centre - estimate, centre - found.low, found.high - centre


def corrected_values(sample: Sample) -> FloatArray:
    """Return values corrected for bias on few samples, where it is known: averages over classes."""
    evaluation, found = sample.evaluation, sample.point.copy()
    for metric in evaluation.metrics if sample.design.samples_decide else []:
        where = evaluation.metric_slice(metric.name)
        average = corrected_average(evaluation, metric)
        if average is None:
            bias, _ = macro_corrections(evaluation, metric)
            average = found[:, where] * share_of_occurring(evaluation, metric) - bias[:, None]
        found[:, where] = average
    return found


@dataclass(frozen=True)
class MeanOfSets(Contrasts):
    """Weighted means over test sets of the same models and values, or differences of these means.

    Parameters
    ----------
    sample, pairs
        As in `Contrasts`; the sample is that of the first set.
    parts : sequence of Contrasts
        The same rows on each set.
    weights : ndarray of shape (n_sets,)
        Weights of the sets, whose sum is 1; equal if sets vary.
    scope : Scope
        What errors are for: new sets, or more than the items, or these.
    """

    parts: Sequence[Contrasts]
    weights: FloatArray
    scope: Scope

    @cached_property
    def estimate(self) -> FloatArray:
        parts = [part.estimate for part in self.parts]
        mean = self._mean(parts)
        # Differences that cancel leave rounding.
        return np.where(np.abs(mean) <= _ROUNDING * self._mean([*np.abs(parts)]), 0.0, mean)

    @cached_property
    def replicates(self) -> FloatArray:
        return self._mean([part.replicates for part in self.parts])

    @cached_property
    def standard_error(self) -> FloatArray:
        if self.extends:
            return np.asarray(np.sqrt(self._variance[0]))
        return self._root_of_squares([part.standard_error for part in self.parts])

    @cached_property
    def degrees(self) -> FloatArray:
        degrees: FloatArray = self._variance[1]
        return degrees

    @property
    def size(self) -> int:
        """Number of sets if these vary, else of the units of all."""
        return len(self.parts) if are_new(self.scope) else sum(part.size for part in self.parts)

    @property
    def extends(self) -> bool:
        """True if errors are for more than the items of these sets."""
        return self.scope.generalize_to is not None

    @property
    def method(self) -> str:
        """Name of intervals that are joined from those of the sets."""
        if are_new(self.scope):
            return NEW_SETS
        return f"{self.scope.generalize_to}-t" if self.extends else FIXED

    def joined_interval(self, method: IntervalMethod, level: float) -> Interval:
        """Compute intervals for what is at hand, from the interval of each set.

        The distances from a set's value, corrected for its bias, to the bounds are combined as in
        MOVER, and so are the half-widths; the larger result is used. MOVER alone fails for many
        sets near a bound, where intervals are one-sided: they extend to the side where the mean
        hardly varies. Half-widths alone fail for few sets, as they ignore the asymmetry of the
        intervals.

        References
        ----------
        .. [1] Zou & Donner (2008), Statistics in Medicine 27, 1693-1702.
        """
        low, high = self.evaluation.bounds
        if self.pairs is not None:
            low, high = low - high, high - low
        of = partial(self._of_set, method=method, level=level)
        reaches = [
            part.reach(of) if isinstance(part, Incomplete) else _reach(part, of)
            for part in self.parts
        ]
        half = self._root_of_squares([(below + above) / 2 for _, below, above in reaches])
        shifts, *sides = zip(*reaches, strict=True)
        below, above = (np.maximum(half, self._root_of_squares(side)) for side in sides)
        centre = self.estimate + self._mean(shifts)
        ends = np.clip([centre - below, centre + above], low, high)
        return Interval.of(
            np.minimum(ends[0], self.estimate), np.maximum(ends[1], self.estimate), FIXED
        )

    def interval(self, method: IntervalMethod, level: float) -> Interval:
        """Compute intervals of the means, for new sets and more where errors are for these."""
        found = self.joined_interval(method, level)
        return extend_intervals(found, self, level, self.method) if self.extends else found

    def _of_set(self, part: Contrasts, method: IntervalMethod, level: float) -> Interval:
        """Compute the intervals of one set, for what is at hand."""
        these = Contrasts(part.sample.at_hand, part.pairs)
        return intervals_around(these, method, level)

    @cached_property
    def _variance(self) -> FloatArray:
        """Variances and degrees of freedom, of shape (2, n_rows, n_values)."""
        crossed = are_crossed([part.sample.design for part in self.parts])
        layers = [part.sample.layers(part.pairs) for part in self.parts]
        if are_new(self.scope):
            values = np.stack([part.estimate for part in self.parts])
            variance, degrees = layers_of_new_sets(values, layers, crossed=crossed).variance
            # Satterthwaite's of three sets and five runs would cover 0.926 of 0.95.
            return np.stack([variance, np.minimum(degrees, len(self.parts) - 1.0)])
        return layers_of_sets(layers, self.weights, crossed=crossed).variance

    def _mean(self, values: Sequence[FloatArray]) -> FloatArray:
        return np.average(values, axis=0, weights=self.weights)

    def _root_of_squares(self, errors: Sequence[FloatArray]) -> FloatArray:
        """Return the standard error of a mean of independent values."""
        return np.sqrt(np.average(np.square(errors), axis=0, weights=self.weights**2)
                       * (self.weights**2).sum())  # fmt: skip
