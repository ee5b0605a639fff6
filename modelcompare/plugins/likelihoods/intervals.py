"""Intervals of ratios of two rates of one class, such as likelihood ratios.

The rates are of different samples: recall of those of the class, the false positive rate of all
others. So the intervals of two proportions are joined, which hold for few samples: of three false
alarms in 100 the logarithm of the ratio is skewed, and its standard error by the delta method is as
uncertain as the three are few. Differences of two models join the intervals of both, with the
correlation of their influences.
"""

from __future__ import annotations

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.contrasts import Contrasts
from modelcompare.engine.labels import Labels
from modelcompare.intervals.averages import outcome_counts
from modelcompare.intervals.base import Interval
from modelcompare.intervals.confusions import Confusions, chunks
from modelcompare.intervals.differences import mover
from modelcompare.intervals.ratios import Bounds, Trials, class_interval
from modelcompare.metrics.base import AnyMetric, Metric
from modelcompare.metrics.quotient import Quotient, divide
from modelcompare.plugins.likelihoods.metrics import RatioOfRates


def of_rate_ratios(contrasts: Contrasts, metric: AnyMetric, level: float) -> Interval | None:
    """Compute intervals of ratios of rates; None for other metrics, and for clusters."""
    evaluation, value = contrasts.evaluation, metric.value if isinstance(metric, Metric) else None
    rates = value.parts if isinstance(value, Quotient) else None
    if not isinstance(rates, RatioOfRates) or evaluation.predictions.groups is not None:
        return None
    if (labels := evaluation.labelled) is None:
        return None
    low, high, size = _scores(labels, rates, level)
    if contrasts.pairs is None:
        return Interval.of(low, high, "mover", size)
    (a, b), where = contrasts.pairs, evaluation.metric_slice(metric.name)
    covariance = contrasts.sample.moments.covariance()[where]
    own = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    correlation = divide(covariance[:, a, b], own[:, a] * own[:, b], 0.0).T
    values = contrasts.sample.point[:, where]
    ends = mover(values, values - low, high - values, correlation, contrasts.pairs)
    return Interval.of(*ends, "mover", np.minimum(size[a], size[b]))


def _scores(labels: Labels, rates: RatioOfRates, level: float) -> FloatArray:
    """Return bounds of each model's ratios, and the smaller number of trials: (3, n_models, k)."""
    parts = []
    for models in chunks(labels):
        cells = Confusions.of(labels, models)
        counts = outcome_counts(cells.margins), outcome_counts(cells.margins_of_squares)
        first, second = (Trials.of(*counts, rate) for rate in (rates.first, rates.second))
        ends = ratio_bounds(
            first.share, class_interval(first, level), second.share, class_interval(second, level)
        )
        parts.append(np.stack([*ends, np.minimum(first.size, second.size)]))
    return np.concatenate(parts, axis=1)


def ratio_bounds(top: FloatArray, of_top: Bounds, bottom: FloatArray, of_bottom: Bounds) -> Bounds:
    """Compute bounds of a ratio of two independent rates from the rates' bounds (MOVER).

    References
    ----------
    .. [1] Donner & Zou (2012), Statistical Methods in Medical Research 21, 347-359.

    Examples
    --------
    >>> low, high = ratio_bounds(0.8, (0.6, 0.92), 0.1, (0.02, 0.3))
    >>> print(f"{low:.2f} to {high:.2f}")
    2.54 to 40.11
    """
    (low_top, high_top), (low_bottom, high_bottom) = of_top, of_bottom
    both = top * bottom

    def root(end: FloatArray, other: FloatArray) -> FloatArray:
        squared = both**2 - end * other * (2 * top - end) * (2 * bottom - other)
        return np.sqrt(np.maximum(squared, 0.0))

    # The lower bound is the textbook's, times the conjugate: its denominator may be 0.
    low = divide(low_top * (2 * top - low_top), both + root(low_top, high_bottom), 0.0)
    high = divide(both + root(high_top, low_bottom), low_bottom * (2 * bottom - low_bottom), np.inf)
    return low, high


INTERVALS = (of_rate_ratios,)
