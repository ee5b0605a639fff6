"""Intervals of calibration errors, which are valid at an error of 0 too, unlike the bootstrap.

A calibration error sums absolute values, or squares, of the gaps between confidence and accuracy in
bins. Chance creates gaps for a calibrated model, so the plug-in estimate is biased upwards. Its
mean and variance follow from the gaps in the population: the interval contains the errors for which
the observed value is not unlikely. Samples must be independent with equal weights; clusters,
weights and soft labels are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.data.test_set import TestSet
from modelcompare.engine.contrasts import Contrasts
from modelcompare.engine.influence import Pairs
from modelcompare.intervals.base import REFUSED, Interval
from modelcompare.intervals.differences import mover
from modelcompare.intervals.ratios import Bounds, clopper_pearson
from modelcompare.metrics.base import Metric
from modelcompare.metrics.quotient import divide
from modelcompare.plugins.calibration.bin_gaps import (
    bin_gaps,
    calibration_error,
    debiased_error,
    folded_mean,
    maximum_error,
    rms_error,
)
from modelcompare.plugins.calibration.metrics import Binned
from modelcompare.works import BROECKER, CLOPPER

# Names of intervals in the frames, and their phrases.
PHRASES = (
    ("test-inversion", ("inversion of two tests of the plug-in calibration error", (BROECKER,))),
    ("simultaneous", (
        "simultaneous intervals of Clopper and Pearson of the accuracy in each bin", (CLOPPER,))),
    (REFUSED, ("no interval, as calibration errors of such samples have none that covers", ())),
)  # fmt: skip
# Bounds of intervals are found by so many halvings, and then to this accuracy.
_HALVED, _ROUNDING = 10, 1e-15
# Mean of a plug-in, and its variance.
Law = tuple[FloatArray, FloatArray]


def of_calibration(contrasts: Contrasts, metric: Metric, level: float) -> Interval:
    """Compute intervals of a calibration error, for every model or every pair."""
    evaluation, pairs = contrasts.evaluation, contrasts.pairs
    error = cast(Binned, metric.value)
    n_rows = len(contrasts.estimate)
    if why_refused(evaluation.predictions):
        nothing = np.full((n_rows, 1), np.nan)
        return Interval.of(nothing, nothing, REFUSED, np.full((n_rows, 1), np.inf))
    totals, *_ = evaluation.parts(metric, evaluation.grand_total)
    columns, largest = error.columns(totals), error.formula is maximum_error
    ends = partial(_of_models, columns, error.formula)
    if pairs is None:
        (low, high), method = ends(level), "simultaneous" if largest else "test-inversion"
    else:
        # Errors for which the observed value is the median, or the observed value.
        centre = maximum_error(*columns) if largest else ends(0.0)[0]
        products = contrasts.sample.moments.second[evaluation.metric_slice(metric.name).start]
        low, high = _of_pairs(ends(level), centre, products, pairs, largest=largest)
        method = "mover"
    size = np.full((n_rows, 1), float(len(evaluation.predictions)))
    return Interval.of(low[:, None], high[:, None], method, size)


def why_refused(predictions: TestSet) -> str:
    """Return the reason why calibration errors of a test set have no interval; empty if none."""
    access = predictions.access
    if access.unit != "samples":
        return "the buckets of a sketch" if access.unit == "buckets" else "clusters"
    if predictions.sample_weight is not None:
        return "sample weights"
    return "" if access.true_distribution is None else "distributions as true labels"


def refusal(predictions: TestSet, metrics: Sequence[str]) -> str:
    """Explain why metrics have no interval, and name the remedy; empty where they have one."""
    if not (why := why_refused(predictions)):
        return ""
    return (
        f"{', '.join(metrics)}: intervals of calibration errors are for independent samples of "
        f"equal weight with one true class each, but these have {why}, so "
        "none is given. Take one sample of each cluster, or leave the weights out; "
        "method='percentile' resamples, and is invalid if a model is calibrated."
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
        """Return bins from sums of `columns_of`, with two calibrated samples added to each.

        Otherwise the standard errors of small bins may be too small.
        """
        share, gap, variance = bin_gaps(*columns)
        n, binomial = columns[0], columns[4]
        steady = ((n - 1) * variance + 2 * divide(binomial, n**2, 0.0)) / (n + 1)
        error = np.sqrt(np.where(n > 0, np.maximum(steady, 0.0), 0.0))
        return cls(share, gap, error, n.sum(axis=-1)[..., 0])

    def varying(self, sizes: FloatArray) -> FloatArray:
        """Compute the variance of the mean size of gaps due to varying shares, by class."""
        spread = (self.share * sizes**2).sum(axis=-1) - (self.share * sizes).sum(axis=-1) ** 2
        return np.maximum(spread, 0.0) / self.size[..., None]


def _of_models(
    columns: Sequence[FloatArray], formula: Callable[..., FloatArray], level: float
) -> Bounds:
    """Compute the interval of each model."""
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
    ends: Bounds, centre: FloatArray, products: FloatArray, pairs: Pairs, *, largest: bool
) -> Bounds:
    """Compute intervals of differences from those of the two errors and their influences.

    They are joined with the correlation of the influences if it is negative, or if both errors are
    above 0: at the boundary gaps have no sign that samples could share. For largest gaps, which
    influences do not describe, the ends themselves are subtracted.
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


def mean_gap_interval(bins: Bins, level: float) -> Bounds:
    """Compute the interval of the expected calibration error on given bins; the mean over classes.

    The plug-in is a sum of folded normals, so its mean and variance follow from the gaps in the
    population. Of all gaps with the same error, equal ones in every bin give the
    smallest mean, and one large gap among calibrated bins the largest: the upper end is tested
    with the former, the lower end with the latter, so that the interval is valid for any shape.
    Quantiles are those of a gamma distribution with this mean and variance. Errors of several
    classes are assumed to vary together.
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


def squared_gap_interval(bins: Bins, level: float) -> Bounds:
    """Compute the interval of the mean squared gap on given bins; the mean over classes.

    The mean of the plug-in is that of the population plus the squared standard errors, for any
    shape; its variance is largest with one large gap, in the bin with the largest standard error.
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
) -> Bounds:
    """Compute the interval of the largest gap, from simultaneous ones of the accuracy in each bin.

    Clopper and Pearson's at Bonferroni's level: the bin of the largest gap may have a single
    sample.

    Parameters
    ----------
    n, confidence, right : ndarray of shape (..., n_classes, n_bins)
        Sums in each bin: of ones, of confidences, and of hits.
    level : float
        A fraction in (0, 1).
    """
    filled = n > 0
    tail = (1 - level) / (2 * np.maximum(filled.sum(axis=(-1, -2), keepdims=True), 1))
    (low, high), mean = clopper_pearson(right, n, tail), divide(confidence, n, 0.0)
    ends = np.maximum(low - mean, mean - high), np.maximum(mean - low, high - mean)
    nearest, furthest = (np.where(filled, end, 0.0).max(axis=(-1, -2)) for end in ends)
    return np.maximum(nearest, 0.0), furthest


def _over_classes(numbers: FloatArray) -> FloatArray:
    mean: FloatArray = numbers.sum(axis=-1).mean(axis=-1)
    return mean


def _together(variances: FloatArray) -> FloatArray:
    """Compute the variance of a mean over classes that vary together, (..., n_classes)."""
    joint: FloatArray = np.sqrt(variances).mean(axis=-1) ** 2
    return joint


def _folded_moments(share: FloatArray, gap: FloatArray, error: FloatArray) -> Law:
    """Compute the plug-in error's mean over classes, and variance in each, of independent bins."""
    mean = folded_mean(gap, error)
    variance = share**2 * np.maximum(gap**2 + error**2 - mean**2, 0.0)
    return _over_classes(share * mean), variance.sum(axis=-1)


def _ends(
    observed: FloatArray, largest: Callable[[FloatArray], Law],
    smallest: Callable[[FloatArray], Law], level: float,
) -> Bounds:  # fmt: skip
    """Return the smallest and largest error that the observed value does not reject."""
    tail = (1 - level) / 2
    low = _last(lambda size: observed - _gamma_quantile(1 - tail, *largest(size)), observed)
    high = _last(lambda size: observed - _gamma_quantile(tail, *smallest(size)), observed)
    return np.minimum(low, observed), np.maximum(high, observed)


def _gamma_quantile(level: float, mean: FloatArray, variance: FloatArray) -> FloatArray:
    from scipy.special import gammaincinv

    known = (mean <= 0) | (variance <= 1e-24)
    safe, spread = np.where(known, 1.0, mean), np.where(known, 1.0, variance)
    return np.where(known, mean, gammaincinv(safe**2 / spread, level) * spread / safe)


def _last(excess: Callable[[FloatArray], FloatArray], like: FloatArray) -> FloatArray:
    """Find the largest error in [0, 1] up to which an excess is positive; 0 if for none.

    First by halving, as an excess may jump at 0 and have several roots.
    """
    from scipy.optimize.elementwise import find_root

    low, high = np.zeros_like(like), np.ones_like(like)
    starts, ends = excess(low) > 0, excess(high) > 0
    for _ in range(_HALVED):
        middle = (low + high) / 2
        found = excess(middle) > 0
        low, high = np.where(found, middle, low), np.where(found, high, middle)

    def of_some(size: FloatArray, place: IntArray) -> FloatArray:
        sizes = low.copy()
        sizes.flat[place] = size
        return excess(sizes).flat[place]

    inside = np.flatnonzero(starts & ~ends)
    bracket = low.flat[inside], high.flat[inside]
    tolerances = {"xatol": _ROUNDING, "xrtol": _ROUNDING}
    out = np.where(starts & ends, 1.0, 0.0)
    out.flat[inside] = find_root(of_some, bracket, args=(inside,), tolerances=tolerances).x
    return np.where(out <= _ROUNDING, 0.0, out)
