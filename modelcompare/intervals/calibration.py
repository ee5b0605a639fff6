"""Intervals of calibration errors, which cover at an error of 0 too, where a bootstrap never does.

A calibration error sums sizes, or squares, of the gaps of confidence and accuracy in bins. Chance
makes gaps where the model has none, so the plug-in lies above the error of the population. Its mean
and variance follow from the gaps of the population: the interval holds the errors under which what
was observed is not unlikely. Samples are independent and count alike; clusters, weights and soft
labels are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.data.test_set import TestSet
from modelcompare.engine.contrasts import Contrasts
from modelcompare.engine.influence import Pairs
from modelcompare.intervals.base import Interval
from modelcompare.intervals.differences import mover
from modelcompare.intervals.ratios import clopper_pearson
from modelcompare.metrics.base import Metric
from modelcompare.metrics.calibration import (
    Binned,
    bin_gaps,
    calibration_error,
    debiased_error,
    folded_mean,
    maximum_error,
    rms_error,
)
from modelcompare.metrics.quotient import divide

# Marks values without an interval.
REFUSED = "refused"
_STEPS = 60
Ends = tuple[FloatArray, FloatArray]
# Mean of a plug-in, and its variance.
Law = tuple[FloatArray, FloatArray]


def of_calibration(contrasts: Contrasts, metric: Metric, error: Binned, level: float) -> Interval:
    """Intervals of a calibration error, of every model or of every pair."""
    evaluation, pairs = contrasts.evaluation, contrasts.pairs
    n_rows = len(contrasts.estimate)
    if why_refused(evaluation.predictions):
        nothing = np.full((n_rows, 1), np.nan)
        return Interval.of(nothing, nothing, REFUSED, np.full((n_rows, 1), np.inf))
    totals, *_ = evaluation.parts(metric, evaluation.grand_total(slice(None)))
    columns, largest = error.columns(totals), error.formula is maximum_error
    ends = partial(_of_models, columns, error.formula)
    if pairs is None:
        (low, high), method = ends(level), "simultaneous" if largest else "test-inversion"
    else:
        # Errors under which what was observed is the median, or what was observed.
        centre = maximum_error(*columns) if largest else ends(0.0)[0]
        products = contrasts.sample.moments.second[evaluation.metric_slice(metric.name).start]
        low, high = _of_pairs(ends(level), centre, products, pairs, largest=largest)
        method = "mover"
    size = np.full((n_rows, 1), float(len(evaluation.predictions)))
    return Interval.of(low[:, None], high[:, None], method, size)


def why_refused(predictions: TestSet) -> str:
    """Return what of a test set leaves calibration errors without an interval; empty if nothing."""
    if predictions.unit != "samples":
        return "the buckets of a sketch" if predictions.unit == "buckets" else "clusters"
    if predictions.sample_weight is not None:
        return "sample weights"
    return "" if predictions.true_distribution is None else "distributions as true labels"


def refusal(predictions: TestSet, metrics: Sequence[str]) -> str:
    """Explain why metrics have no interval, and name the remedy."""
    return (
        f"{', '.join(metrics)}: intervals of calibration errors are for independent samples of "
        f"equal weight with one true class each, and these have {why_refused(predictions)}, so "
        "none is given. Take one sample of each cluster, or leave the weights out; "
        "method='percentile' resamples, and does not cover where a model is calibrated."
    )


@dataclass(frozen=True)
class Bins:
    """Gaps in bins, each of shape (..., n_classes, n_bins).

    Attributes
    ----------
    share, gap, error
        Share of the samples (0 in empty bins), mean gap, and its standard error.
    size : ndarray of shape (...)
        Number of samples; the shares vary as well.
    """

    share: FloatArray
    gap: FloatArray
    error: FloatArray
    size: FloatArray

    @classmethod
    def of(cls, columns: Sequence[FloatArray]) -> Bins:
        """Bins from sums of `columns_of`; each holds two samples of a calibrated bin more.

        Small bins may look surer than they are.
        """
        share, gap, variance = bin_gaps(*columns)
        n, binomial = columns[0], columns[4]
        steady = ((n - 1) * variance + 2 * divide(binomial, n**2, 0.0)) / (n + 1)
        error = np.sqrt(np.where(n > 0, np.maximum(steady, 0.0), 0.0))
        return cls(share, gap, error, n.sum(axis=-1)[..., 0])

    def varying(self, sizes: FloatArray) -> FloatArray:
        """Variance that varying shares give the mean of some sizes of gaps, by class."""
        spread = (self.share * sizes**2).sum(axis=-1) - (self.share * sizes).sum(axis=-1) ** 2
        return np.maximum(spread, 0.0) / self.size[..., None]


def _of_models(
    columns: Sequence[FloatArray], formula: Callable[..., FloatArray], level: float
) -> Ends:
    """Interval of each model."""
    if formula is maximum_error:
        return largest_gap_interval(*columns[:3], level=level)
    bins = Bins.of(columns)
    if formula in (calibration_error, debiased_error):
        return mean_gap_interval(bins, level)
    low, high = squared_gap_interval(bins, level)
    if formula is rms_error:
        return np.sqrt(low), np.sqrt(high)
    # The Brier score is a sum over classes, and halved for two of them.
    n_classes = bins.gap.shape[-2]
    times = n_classes if n_classes > 2 else 1
    return times * low, times * high


def _of_pairs(
    ends: Ends, centre: FloatArray, products: FloatArray, pairs: Pairs, *, largest: bool
) -> Ends:
    """Differences, from the intervals of the two errors, and the products of their influences.

    They are joined with the correlation of the influences, which counts where it is negative, and
    where both errors are above 0: on the boundary gaps have no sign that samples could share. Of
    largest gaps, which influences do not describe, the two ends themselves are subtracted.
    """
    a, b = pairs
    low, high = ends
    below, above = np.maximum(centre - low, 0.0), np.maximum(high - centre, 0.0)
    own, inside = np.diagonal(products), (low[a] > 0) & (low[b] > 0)
    scale = np.sqrt(own[a] * own[b])
    correlation = divide(products[a, b], scale, 0.0)
    correlation = np.where(inside, correlation, np.minimum(correlation, 0.0))
    if largest:
        correlation = np.where(scale > 0, -1.0, 0.0)
    return mover(centre, below, above, correlation, pairs)


def interval_of_model(columns: Sequence[FloatArray], level: float) -> tuple[float, float, float]:
    """Return the debiased error of one model and the ends of its interval, from `sums_in_bins`."""
    estimate = float(debiased_error(*columns))
    low, high = mean_gap_interval(Bins.of(columns), level)
    return estimate, min(float(low), estimate), float(high)


def mean_gap_interval(bins: Bins, level: float) -> Ends:
    """Interval of the expected calibration error on given bins; the mean over classes.

    The plug-in is a sum of folded normals, which determine its mean and variance from the gaps of
    the population. Of all gaps that make up the same error, equal ones in every bin give the
    smallest mean, and one large gap among calibrated bins the largest: the upper end is tested
    with the former, the lower end with the latter, so that the interval covers for any shape.
    Quantiles are those of a gamma distribution with this mean and variance. Errors of several
    classes are taken to vary together.
    """
    share, error = bins.share, bins.error
    observed = _over_classes(share * np.abs(bins.gap))
    varying = bins.varying(np.abs(bins.gap))
    chance, spread = _folded_moments(share, np.zeros_like(bins.gap), error)
    one_bin = spread + 2 / np.pi * ((share * error) ** 2).max(axis=-1) + varying

    def largest(size: FloatArray) -> Law:
        here = size > 0
        return size + chance, np.where(here, _together(one_bin), _together(spread))

    def smallest(size: FloatArray) -> Law:
        gaps = np.broadcast_to(size[..., None, None], bins.gap.shape)
        mean, variance = _folded_moments(share, gaps, error)
        return mean, _together(variance + np.where(size[..., None] > 0, varying, 0.0))

    return _ends(observed, largest, smallest, level)


def squared_gap_interval(bins: Bins, level: float) -> Ends:
    """Interval of the mean squared gap on given bins; the mean over classes.

    The plug-in's mean is that of the population and the gaps' squared errors, for any shape;
    its variance is largest with one large gap, in the bin where that strays most.
    """
    share, squared = bins.share, bins.error**2
    observed = _over_classes(share * bins.gap**2)
    varying = bins.varying(bins.gap**2)
    chance = _over_classes(share * squared)
    null, most = 2 * (share * squared) ** 2, (share * squared).max(axis=-1)

    def law(size: FloatArray) -> Law:
        here = size[..., None]
        variance = null.sum(axis=-1) + 4 * here * most + np.where(here > 0, varying, 0.0)
        return size + chance, _together(variance)

    return _ends(observed, law, law, level)


def largest_gap_interval(
    n: FloatArray, confidence: FloatArray, right: FloatArray, *, level: float
) -> Ends:
    """Interval of the largest gap, from simultaneous ones of the accuracy in each bin.

    Clopper and Pearson's at Bonferroni's level: the bin that decides may hold a single sample.

    Parameters
    ----------
    n, confidence, right : ndarray of shape (..., n_classes, n_bins)
        Sums in each bin: of ones, of confidences, and of samples that came true.
    level : float
        A fraction in (0, 1).
    """
    there = n > 0
    tail = (1 - level) / (2 * np.maximum(there.sum(axis=(-1, -2), keepdims=True), 1))
    (low, high), said = clopper_pearson(right, n, tail), divide(confidence, n, 0.0)
    ends = np.maximum(low - said, said - high), np.maximum(said - low, high - said)
    nearest, furthest = (np.where(there, end, 0.0).max(axis=(-1, -2)) for end in ends)
    return np.maximum(nearest, 0.0), furthest


def _over_classes(numbers: FloatArray) -> FloatArray:
    mean: FloatArray = numbers.sum(axis=-1).mean(axis=-1)
    return mean


def _together(variances: FloatArray) -> FloatArray:
    """Variance of a mean over classes that vary together, (..., n_classes)."""
    joint: FloatArray = np.sqrt(variances).mean(axis=-1) ** 2
    return joint


def _folded_moments(share: FloatArray, gap: FloatArray, error: FloatArray) -> Law:
    """Mean of the plug-in error over classes, and its variance in each, of independent bins."""
    mean = folded_mean(gap, error)
    variance = share**2 * np.maximum(gap**2 + error**2 - mean**2, 0.0)
    return _over_classes(share * mean), variance.sum(axis=-1)


def _ends(
    observed: FloatArray, largest: Callable[[FloatArray], Law],
    smallest: Callable[[FloatArray], Law], level: float,
) -> Ends:  # fmt: skip
    """Errors that are neither too small nor too large for what was observed."""
    tail = (1 - level) / 2
    low = _last(lambda size: observed > _gamma_quantile(1 - tail, *largest(size)), observed)
    high = _last(lambda size: observed > _gamma_quantile(tail, *smallest(size)), observed)
    return np.minimum(low, observed), np.maximum(high, observed)


def _gamma_quantile(level: float, mean: FloatArray, variance: FloatArray) -> FloatArray:
    from scipy.special import gammaincinv

    known = (mean <= 0) | (variance <= 1e-24)
    safe, spread = np.where(known, 1.0, mean), np.where(known, 1.0, variance)
    return np.where(known, mean, gammaincinv(safe**2 / spread, level) * spread / safe)


def _last(holds: Callable[[FloatArray], BoolArray], like: FloatArray) -> FloatArray:
    """Largest error in [0, 1] for which a test holds that holds below it; 0 if for none."""
    low, high = np.zeros_like(like), np.ones_like(like)
    any_size = holds(low)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        found = holds(middle)
        low, high = np.where(found, middle, low), np.where(found, high, middle)
    return np.where(any_size, low, 0.0)
