"""Intervals of macro and weighted averages of counted values, in closed form.

Two classes: the two intervals, joined (MOVER). From three on the average is treated as one
proportion whose number of trials matches its variance: joining fails there, because intervals of
classes of a few samples are one-sided.

These are of the classes that occur in `y_true` and have a value. A class that was only predicted
may never be true, and counts as 0, or be true and missing by chance: the lower bound counts it, the
upper one does not. A class whose value is 0 / 0 adds its weight times that value by convention; how
far its value may be from that is added by `intervals.unknown`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.intervals.confusions import CellSums, Confusions, Margins, select_classes
from modelcompare.intervals.ratios import (
    Bounds,
    Trials,
    class_interval,
    normal_quantile,
    proportion,
    share_of_value,
    t_quantile,
    value_of_share,
)
from modelcompare.metrics.base import Metric
from modelcompare.metrics.quotient import ClassAverage, ClassRatio, Quotient, divide


def outcome_counts(margins: Margins) -> FloatArray:
    """Return TP, FN, FP and TN of each class, (..., n_classes, 4), from margins."""
    true, named, hits = margins
    missed, alarms, total = true - hits, named - hits, true.sum(axis=-1)[..., None]
    counts = np.stack([hits, missed, alarms, total - hits - missed - alarms], axis=-1)
    # Counts that cancel in exact arithmetic are 0.
    return np.where(counts <= 1e-12 * total[..., None], 0.0, counts)


@dataclass(frozen=True)
class Average:
    """Values of classes, their weighted mean, and the confusion matrices that they come from.

    Attributes
    ----------
    cells : Confusions
        Confusion matrices of one or many models.
    ratio : ClassRatio
        The metric of one class.
    support_weighted : bool
        Whether classes are weighted by their support, which then varies too.
    only : int, optional
        A single class, which is not averaged with others.
    value : Quotient, optional
        The average over all classes; by default that of the ratio.
    """

    cells: Confusions
    ratio: ClassRatio
    support_weighted: bool = False
    only: int | None = None
    value: Quotient | None = None

    @cached_property
    def counts(self) -> FloatArray:
        """Outcomes of each class, of shape (..., n_classes, 4)."""
        return outcome_counts(self.cells.margins)

    @cached_property
    def trials(self) -> Trials:
        """Successes of each class."""
        return Trials.of(self.counts, outcome_counts(self.cells.margins_of_squares), self.ratio)

    @property
    def mass(self) -> FloatArray:
        """Sum of the weights of each class."""
        return self.cells.margins[0]

    @cached_property
    def support(self) -> FloatArray:
        """Effective number of samples of each class."""
        return divide(self.mass**2, self.cells.margins_of_squares[0], 0.0)

    @cached_property
    def counted(self) -> BoolArray:
        """Mask of the classes with an interval: those that occur in `y_true` and have a value."""
        occurs = (self.support > 0) | (self.ratio.numerator[0] == 0)
        return occurs & (self.trials.size > 0)

    @cached_property
    def others(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weights of all but the counted classes: those that are 0 / 0, their value, and others."""
        average: ClassAverage = "weighted" if self.support_weighted else "macro"
        of_all = self.value or Quotient(self.ratio, average=average)
        true, named, hits = self.cells.margins
        share, value = of_all.shares(hits, named, true)
        undefined, rest = share * (self.denominators == 0), share * ~self.counted
        weight = undefined.sum(axis=-1)
        return weight, (undefined * value).sum(axis=-1), rest.sum(axis=-1) - weight

    def with_undefined(self, mean: FloatArray) -> FloatArray:
        """Return an average of the counted classes with those that are 0 / 0."""
        weight, value, _ = self.others
        return (1 - weight) * mean + value

    def of_all(self, low: FloatArray, high: FloatArray) -> Bounds:
        """Return bounds of the average of all classes; of any value without a counted class."""
        weight, value, failed = self.others
        low = (1 - weight - failed) * low + value
        high = ((1 - weight - failed) * high + value) / np.where(failed < 1, 1 - failed, 1.0)
        return np.where(self.of_any, low, 0.0), np.where(self.of_any, high, 1.0)

    @cached_property
    def weights(self) -> FloatArray:
        """Share of each class in the average, 0 where it does not occur or has no value."""
        if self.only is not None:
            return np.broadcast_to(np.eye(self.values.shape[-1])[self.only], self.values.shape)
        mass: FloatArray = self.counted * (self.mass if self.support_weighted else np.ones(1))
        return divide(mass, mass.sum(axis=-1, keepdims=True), 0.0)

    @property
    def of_any(self) -> BoolArray:
        """True if any class counts; without any the interval is [0, 1]."""
        return np.asarray(self.weights.any(axis=-1))

    @cached_property
    def denominators(self) -> FloatArray:
        """Denominator of each class's value."""
        return self.counts @ np.array(self.ratio.denominator)

    @cached_property
    def values(self) -> FloatArray:
        """Value of each class, 0 where it has none."""
        return divide(self.counts @ np.array(self.ratio.numerator), self.denominators, 0.0)

    @cached_property
    def shrunk(self) -> FloatArray:
        """Share of successes of each class, shrunk towards that of all."""
        n_classes = self.trials.share.shape[-1]
        prior = (self.trials.share.sum(axis=-1) + 0.5) / (n_classes + 1)
        return self.trials.shrunk(prior[..., None])

    @cached_property
    def shrunk_values(self) -> FloatArray:
        """Value of each class at its shrunk share."""
        return self.trials.value(self.shrunk)

    @cached_property
    def size(self) -> FloatArray:
        """Effective number of samples."""
        return self.mass.sum(axis=-1) ** 2 / self.cells.squares.sum(axis=-1)

    def mean(self, values: FloatArray) -> FloatArray:
        """Compute the average of values of the classes."""
        return (self.weights * values).sum(axis=-1)

    def gains(self, values: FloatArray) -> FloatArray:
        """Compute the influence of one sample of each outcome of each class, (..., n_classes, 4).

        It is the class's weight times ``(numerator - value * denominator)`` of its
        outcome over the class's denominator.
        """
        gain = self._excess(values)
        return gain * divide(self.weights, self.denominators, 0.0)[..., None]

    def _excess(self, values: FloatArray) -> FloatArray:
        top, bottom = np.array(self.ratio.numerator), np.array(self.ratio.denominator)
        return top - values[..., None] * bottom

    def around_mean(self, values: FloatArray) -> FloatArray:
        """Compute the distance of each class's value from the average."""
        return (values - self.mean(values)[..., None]) * self.counted

    def variance_of_weights(self, values: FloatArray) -> FloatArray:
        """Compute the variance that the varying shares of classes add to a weighted average."""
        if not self.support_weighted:
            return np.zeros(values.shape[:-1])
        around = self.around_mean(values)
        # A class that is frequent by chance also has more hits for its false alarms.
        gains = CellSums.of_gains(self.gains(values)).of(self.cells)
        both = self.cells.squares * gains * select_classes(around, self.cells.true)
        of_both = 2 * both.sum(axis=-1) / self.mass.sum(axis=-1)
        return self.mean(around**2) / self.size + of_both

    @cached_property
    def _of_members(self) -> FloatArray:
        """Share of a class's successes that are of its samples, less that of its failures."""
        success = self.ratio.success
        failure = self.trials.failure_share() * self.ratio.failure_weights
        return success[:2].sum() / success.sum() - divide(
            failure[..., :2].sum(axis=-1), failure.sum(axis=-1), 0.0
        )

    def excess_of_weights(self) -> FloatArray:
        """Compute the covariance of a class's share with its value, summed over classes."""
        if not self.support_weighted:
            return np.zeros(self.values.shape[:-1])
        values = self.shrunk_values
        excess = self._of_members * values * (1 - values)
        return (self.counted * excess).sum(axis=-1) / self.size

    def slopes_without_excess(self) -> FloatArray:
        """Compute how fast the average less its `excess_of_weights` follows each class's value.

        1 for that of the average. The excess is larger where a value is nearer to one half, so
        a value above it that is high by chance is subtracted too little of.
        """
        if not self.support_weighted:
            return np.ones(1)
        excess = self._of_members * (1 - 2 * self.shrunk_values)
        return 1 - divide(excess, self.size[..., None] * self.weights, 0.0)

    @property
    def odds(self) -> FloatArray:
        """Weight of a success over that of a failure, for the average as one proportion."""
        weights = np.where(self.of_any, self.mean(self.trials.mean_failure_weight()), 1.0)
        return self.ratio.success_weight / weights

    @cached_property
    def certainty(self) -> tuple[FloatArray, FloatArray]:
        """Variance of the average at shrunk shares, and its degrees of freedom."""
        size, values = self.trials.size, self.shrunk_values
        own = self.weights**2 * self.trials.variance(self.shrunk)
        own = own / (1 - size / (size + 2) ** 2)
        # Square of a sample's influence over all classes minus the squares: covariance of classes.
        shared = self.cells.shared(self.gains(values))
        if self.ratio.denominator[1] and self.ratio.denominator[2]:
            # An error fails two classes, and so does one that is added, not seen.
            seen = self.weights**2 * self.trials.variance(self.trials.share)
            shared = shared + (own - seen).sum(axis=-1)
        total = own.sum(axis=-1) + shared + self.variance_of_weights(values)
        total = np.where(self.of_any, np.maximum(total, own.max(axis=-1)), 1.0)
        return total, divide(total**2, divide(own**2, size, 0.0).sum(axis=-1), 0.0)


def mover_interval(average: Average, confidence_level: float = 0.95) -> Bounds:
    """Compute the interval of an average of two classes by joining their intervals.

    The distances of the bounds from the values replace standard errors in the variance of a sum,
    with the correlation of the two values from counts plus a half.

    References
    ----------
    .. [1] Zou & Donner (2008), Statistics in Medicine 27, 1693-1702.
    """
    correlation = _class_correlation(average)
    squared = normal_quantile(confidence_level) ** 2
    of_weights = squared * average.variance_of_weights(average.values)
    ends = []
    bounds = class_interval(average.trials, confidence_level)
    for sign, bound in zip((-1, 1), bounds, strict=True):
        reach = average.weights * np.abs(bound - average.values)
        joined = np.einsum("...k,...kl,...l->...", reach, correlation, reach)
        half = np.sqrt(np.maximum(joined + of_weights, 0.0))
        ends.append(np.clip(average.mean(average.values) + sign * half, 0.0, 1.0))
    return average.of_all(*ends)


def _class_correlation(average: Average) -> FloatArray:
    """Compute the correlation of the classes' values, with half a sample added to every cell."""
    k = average.cells.n_classes
    counts = average.cells.weights.reshape(*average.mass.shape, k) + 0.5
    more = Average(Confusions.of_tables(counts, counts), average.ratio)
    own = np.eye(k, dtype=bool)
    # Outcome for class k of a sample of true class j and predicted class m.
    outcome = 2 * ~own[:, :, None] + ~own[:, None, :]
    classes = np.arange(len(own))[:, None, None]
    influence = more.gains(more.values)[..., classes, outcome]
    covariance = np.einsum("...jm,...kjm,...ljm->...kl", counts, influence, influence)
    error = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    return divide(covariance, error[..., :, None] * error[..., None, :], 0.0)


def effective_size_interval(average: Average, confidence_level: float = 0.95) -> Bounds:
    """Compute Wilson's interval of a proportion with the variance of an average of many classes.

    Notes
    -----
    Shares of successes are shrunk towards their mean by two trials, so that a class with all or no
    successes is not treated as certain. Variances of the classes are those of independent trials at
    these shares; covariances are counted. A concave value of few trials is biased downwards: the
    centre is corrected for that. The quantile is Student's, with the degrees of freedom of the
    variance (Satterthwaite); near 0 and 1 the ends are at least those of `proportion`.
    """
    variance, degrees = average.certainty
    odds = average.odds
    middle = share_of_value(average.mean(average.shrunk_values), odds)
    slope = odds / (1 + (odds - 1) * middle) ** 2
    size = middle * (1 - middle) * slope**2 / variance
    centre = share_of_value(np.clip(_corrected(average), 0.0, 1.0), odds)
    quantile = t_quantile(degrees, confidence_level)
    ends = proportion(centre, size, confidence_level, quantile)
    low, high = (value_of_share(end, odds) for end in ends)
    mean = average.mean(average.values)
    return average.of_all(np.minimum(low, mean), np.maximum(high, mean))


def corrected_mean(average: Average) -> FloatArray:
    """Return the average, corrected for its bias on few samples."""
    return average.with_undefined(_corrected(average))


def _corrected(average: Average) -> FloatArray:
    """Return the average of the counted classes, corrected for its bias on few samples."""
    share = share_of_value(average.mean(average.values) + _concavity(average), average.odds)
    mean = value_of_share(np.minimum(share, 1.0) * _share_seen(average), average.odds)
    return mean - average.excess_of_weights()


def comparable_mean(average: Average) -> FloatArray:
    """Return the average for a difference of two models, in which most biases cancel.

    Exceptions are the frequency of a class, which raises its precision and its weight, and, for
    precision, classes that are predicted but never true.
    """
    of_predicted = average.ratio.denominator[1] == 0
    seen = _share_seen(average) if of_predicted else 1.0
    mean = average.mean(average.values) * seen - average.excess_of_weights()
    return average.with_undefined(mean)


def _concavity(average: Average) -> FloatArray:
    """Compute the difference between values at the mean share and the mean of values."""
    trials, share = average.trials, average.shrunk
    odds = average.ratio.success_weight / trials.mean_failure_weight()
    curvature = odds * (odds - 1) * share * (1 - share) / (1 + (odds - 1) * share) ** 3
    return average.mean(divide(curvature, trials.size, 0.0))


def _share_seen(average: Average) -> FloatArray:
    """Estimate the share of the classes with trials that occur in `y_true`.

    Restricting the average to classes that occur leaves out those that were only predicted, which
    are all failures, and is too optimistic. They are included again, but no more of them than
    classes whose samples are missing by chance (Chao 1984, from the classes of one and two
    samples): a label that is never true has no information on the others.
    """
    if average.support_weighted or average.ratio.numerator[0] == 0:
        return np.ones(average.mass.shape[:-1])
    support = average.support
    once, twice = (((support > n - 0.5) & (support <= n + 0.5)).sum(axis=-1) for n in (1, 2))
    unseen = once * (once - 1) / (2 * (twice + 1))
    predicted_only = ((support == 0) & (average.trials.size > 0)).sum(axis=-1)
    seen = average.counted.sum(axis=-1)
    return divide(seen, seen + np.minimum(unseen, predicted_only), 0.0)


def class_slopes(metric: Metric, *totals: FloatArray) -> FloatArray:
    """Return the weight of each class in an average over its denominator, (..., n_classes).

    0 where the denominator is.
    """
    if metric.ratio is None or metric.average is None or not isinstance(metric.value, Quotient):
        raise TypeError(f"{metric.name} is not an average of ratios of classes.")
    _, denominator = np.broadcast_arrays(*metric.ratio(*totals))
    if metric.average == "macro" and denominator.all():
        return 1.0 / (denominator * denominator.shape[-1])
    return divide(metric.value.shares(*totals)[0], denominator, 0.0)
