"""Bounds of a difference that allow for rare failures that the test set does not contain.

If none of n samples fails, the failure rate may still be up to 3 / n (Hanley & Lippman-Hand 1983),
and an interval of the observed samples does not allow for this. Each bound of a decision is
therefore computed from the data and `unseen_units` more samples, or clusters, with the most extreme
difference in the bound's direction: 1.28 of them at the level 0.05. Consider a candidate that loses
the whole range on a share of the samples as large as the margin and is otherwise equal to the
baseline. It passes with a probability of at most 5.4 %, for any margin and n; with 1 added unit the
probability would be up to 7.1 % (no failure observed, margin times n of 2.65 ranges), with half a
unit 19 %. In metrics of counts of classes, such as F1, the added units have the most extreme
influence (`intervals.extremes`); in losses of probabilities without an upper bound, as log loss,
a failure costs `metrics.planning.loss_of_failure`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from modelcompare.arrays import FloatArray
from modelcompare.directions import sentence
from modelcompare.engine.contrasts import Contrasts
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.intervals.extremes import extreme_influences
from modelcompare.intervals.ratios import t_quantile
from modelcompare.intervals.sizes import effective_sizes, effective_units
from modelcompare.metrics.base import AnyMetric, Metric
from modelcompare.metrics.planning import loss_of_failure, range_of_samples
from modelcompare.metrics.quantiles import is_quantile
from modelcompare.questions.contrast import Contrast


def unseen_units(level: float) -> float:
    """Return the number of extreme units that are added for a bound at a one-sided level.

    It is one, plus half of the correction for the skewness of rare failures (Cornish-Fisher:
    ``(z^2 - 1) / 3`` units); the variance of the added units accounts for the other half.

    Examples
    --------
    >>> print(f"{unseen_units(0.05):.2f} {unseen_units(0.01):.2f}")
    1.28 1.74
    """
    return float(5 + ndtri(level) ** 2) / 6


def is_bounded_mean(metric: AnyMetric, low: float, high: float) -> bool:
    """Return whether a metric is a mean of numbers of samples, whose range is known."""
    return isinstance(metric, Metric) and metric.is_mean and math.isfinite(high - low)


def ends_of_units(
    evaluation: Evaluation, metric: AnyMetric, pairs: Pairs, apart: FloatArray, size: float
) -> tuple[FloatArray, FloatArray] | None:
    """Return the lowest and the highest difference of one unit; None where they are not known.

    Parameters
    ----------
    evaluation, metric, pairs
        Models, metric, and pairs of them.
    apart : ndarray of shape (n_pairs, n_values)
        Differences on the test set.
    size : float
        Effective number of units.
    """
    low, high = range_of_samples(metric, evaluation.predictions)
    if is_bounded_mean(metric, low, high):
        return np.full_like(apart, low - high), np.full_like(apart, high - low)
    if loss := loss_of_failure(metric):
        return np.full_like(apart, -loss), np.full_like(apart, loss)
    found = extreme_influences(evaluation, metric, pairs, size)
    return None if found is None else (apart + found[0], apart + found[1])


@dataclass(frozen=True)
class Unseen:
    """A difference to whose bounds unobserved units at the ends of its range are added.

    Parameters
    ----------
    gain, error : float
        Difference on the test set, and its standard error.
    size : float
        Effective number of units; for unequal weights w, (sum w)^2 / sum w^2. Infinite where the
        design allows for what was not seen.
    low, high : float
        Range of the numbers of single samples, infinite if it is not known.
    ends : tuple of float, optional
        Lowest and highest difference of a unit; None where it is not known.
    of_means : bool
        Whether the metric is a mean of numbers, whose range is known.
    """

    gain: float
    error: float
    size: float
    low: float
    high: float
    ends: tuple[float, float] | None
    of_means: bool = False

    @classmethod
    def of(cls, contrast: Contrast, row: Contrasts, sign: float) -> Unseen:
        """Return the difference of a row of a contrast with what is needed to add units to it."""
        metric, evaluation, k = contrast.metric, contrast.evaluation, contrast.position
        gain, error = sign * float(row.estimate[0, k]), float(row.standard_error[0, k])
        low, high = range_of_samples(metric, evaluation.predictions)
        if not contrast.sample.design.samples_decide:
            # Beside a judge an added label in each cell stands for what was not seen.
            return cls(gain, error, math.inf, low, high, None)
        access, of_means = evaluation.access, is_bounded_mean(metric, low, high)
        if access.unit == "buckets" or ("rows" in access.abilities and access.plain):
            size = float(contrast.n_units)
        elif of_means:
            size = float(effective_units(evaluation, [metric])[0, 0])
        else:
            size = float(effective_sizes(access, by_class=False)[0])
        found = ends_of_units(evaluation, metric, contrast.pairs, row.estimate, size)
        if found is None:
            return cls(gain, math.nan, math.nan, low, high, None)
        least, most = sorted(sign * float(end[0, k]) for end in found)
        return cls(gain, error, size, low, high, (least, most), of_means)

    def widened(self, bounds: tuple[float, float], level: float) -> tuple[float, float]:
        """Return the bounds of the gain at a one-sided level, widened by the added units."""
        if self.ends is None:
            return bounds
        # Differences of numbers in this range do not exceed its width.
        most = self.high - self.low
        low, high = (
            self._end(side, end, level) for side, end in zip((-1.0, 1.0), self.ends, strict=True)
        )
        return min(bounds[0], max(low, -most)), max(bounds[1], min(high, most))

    def _end(self, side: float, end: float, level: float, n: float | None = None) -> float:
        """Compute the bound from the data, or `n` units like them, and added units at an end."""
        size = self.size if n is None else n
        added = unseen_units(level)
        share = added / (size + added)
        away = end - self.gain
        squared = (1 - share) ** 2 * self.error**2 * self.size / size + (share * away) ** 2 / added
        quantile = float(t_quantile(np.array(size), 1 - 2 * level))
        return self.gain + share * away + side * quantile * math.sqrt(squared)

    def n_needed(self, threshold: float, level: float, reserve: float, n_units: int) -> float:
        """Return the number of units with which the bound excludes the threshold.

        `reserve` standard errors are added to the bound: the normal quantile of the power.
        """
        if self.ends is None or self.gain == threshold:
            return 0.0
        side, far = (-1.0, self.ends[0]) if self.gain > threshold else (1.0, self.ends[1])

        def is_enough(times: float) -> bool:
            error = reserve * self.error / math.sqrt(times)
            end = self._end(side, far, level, times * self.size) + side * error
            return side * (end - threshold) < 0

        if not is_enough(2.0**60):
            return math.inf
        low, high = 0.0, 60.0
        while high - low > 1e-6:
            middle = (low + high) / 2
            low, high = (low, middle) if is_enough(2.0**middle) else (middle, high)
        return n_units * 2.0**high

    def assumption(self, metric: AnyMetric) -> str:
        """Describe the assumed range of scores, and their direction if it is not declared."""
        parts = []
        if self.of_means and metric.kind.scored:
            parts.append(f"assuming scores lie within {self.low:g} and {self.high:g}")
        up, known = metric.greater_is_better, metric.direction_from
        if known == "name" or (metric.kind.scored and not up):
            parts.append(sentence(up, known))
        return "; ".join(parts)

    def caveat(self, metric: AnyMetric, n_units: int, unit: str) -> str:
        """Return the caveat that the level is not guaranteed, if the range is not known.

        Bounds of quantiles hold without a range.
        """
        if is_quantile(metric) or math.isfinite(self.high - self.low):
            return ""
        given = metric.kind.scored
        remedy = " (declare it with bounds= or --read range=LOW,HIGH)" if given else ""
        return (
            f"No level is promised, as {metric.name} has no known range{remedy}: losses on fewer "
            f"than {300 / n_units:.2g} % of the {unit} would not have been seen."
        )
