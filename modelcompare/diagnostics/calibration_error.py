"""The expected calibration error of a population, and an interval that covers it at 0 too."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.metrics.debiased import COLUMNS, bin_gaps, debiased_error, folded_mean

_STEPS = 60


def calibration_error_interval(
    share: FloatArray, gap: FloatArray, error: FloatArray, n_samples: int, confidence_level: float
) -> tuple[float, float]:
    """Interval of the expected calibration error on given bins.

    The plug-in is a sum of folded normals, which determine its mean and variance from the gaps of
    the population. Of all gaps that make up the same error, equal ones in every bin give the
    smallest mean, and one large gap beside calibrated bins the largest: the upper end is tested
    with the former, the lower end with the latter, so that the interval covers whatever the shape.
    Quantiles are those of a gamma distribution with this mean and variance.

    Parameters
    ----------
    share, gap, error : ndarray of shape (n_bins,)
        Share of the samples, mean gap, and standard error of the gap in each bin.
    n_samples : int
        Number of samples; the shares vary as well.
    confidence_level : float
        A fraction in (0, 1).
    """
    observed = float((share * np.abs(gap)).sum())
    varying = max(float((share * gap**2).sum()) - observed**2, 0.0) / n_samples
    tail = (1 - confidence_level) / 2
    chance, spread = _folded_moments(share, np.zeros_like(gap), error)
    one_bin = spread + 2 / np.pi * float(((share * error) ** 2).max(initial=0.0)) + varying

    def too_small(size: float) -> bool:
        mean, variance = (size + chance, one_bin) if size > 0 else (chance, spread)
        return observed > _gamma_quantile(1 - tail, mean, variance)

    def small_enough(size: float) -> bool:
        mean, variance = _folded_moments(share, np.full_like(gap, size), error)
        return observed > _gamma_quantile(tail, mean, variance + (varying if size > 0 else 0.0))

    low, high = (_last(test) for test in (too_small, small_enough))
    return min(low, observed), max(high, observed)


def estimate_and_interval(
    confidence: FloatArray, right: FloatArray, inside: FloatArray, confidence_level: float
) -> tuple[float, float, float]:
    """The debiased error and the ends of its interval; `inside` says who is in which bin."""
    inside = inside[:, inside.any(axis=0)]
    n_bins = inside.shape[1]
    bins = np.concatenate([column(confidence, right) @ inside for column in COLUMNS])
    share, gap, variance = (part[0] for part in bin_gaps(bins, n_bins))
    estimate = float(debiased_error(bins, n_bins=n_bins))
    # Small bins may look surer than they are: two samples of a calibrated bin are added to each.
    n, binomial = inside.sum(axis=0), (confidence * (1 - confidence)) @ inside
    steady = ((n - 1) * variance + 2 * binomial / n**2) / (n + 1)
    low, high = calibration_error_interval(
        share, gap, np.sqrt(steady), len(confidence), confidence_level
    )
    return estimate, min(low, estimate), high


def _folded_moments(share: FloatArray, gap: FloatArray, error: FloatArray) -> tuple[float, float]:
    """Mean and variance of the plug-in error of independent bins."""
    mean = folded_mean(gap, error)
    variance = share**2 * np.maximum(gap**2 + error**2 - mean**2, 0.0)
    return float((share * mean).sum()), float(variance.sum())


def _gamma_quantile(level: float, mean: float, variance: float) -> float:
    from scipy.special import gammaincinv

    if mean <= 0 or variance <= 1e-24:
        return mean
    return float(gammaincinv(mean**2 / variance, level) * variance / mean)


def _last(holds: Callable[[float], bool]) -> float:
    """Largest error in [0, 1] for which a test holds that holds below it; 0 if for none."""
    if not holds(0.0):
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
