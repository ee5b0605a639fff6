"""Gaps between confidence and accuracy in bins, and the errors that are computed from them.

The gap in a bin of n samples varies by its standard error even if the model is calibrated, and
absolute values and squares turn that into error. The debiased errors subtract the expected chance
component, bin by bin.
"""

from __future__ import annotations

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.metrics.quotient import divide


def calibration_error(
    n: FloatArray, confidence: FloatArray, right: FloatArray, *_: FloatArray
) -> FloatArray:
    """Compute the mean gap of confidence and accuracy, weighted by samples; mean over classes."""
    gaps = np.abs(confidence - right).sum(axis=-1)
    return divide(gaps, n.sum(axis=-1)).mean(axis=-1)


def maximum_error(
    n: FloatArray, confidence: FloatArray, right: FloatArray, *_: FloatArray
) -> FloatArray:
    """Compute the largest gap of confidence and accuracy over bins with samples."""
    gaps = divide(np.abs(confidence - right), n, 0.0)
    there = n.sum(axis=(-1, -2)) > 0
    return np.where(there, gaps.max(axis=(-1, -2)), np.nan)


def bin_gaps(
    n: FloatArray, confidence: FloatArray, right: FloatArray, squares: FloatArray,
    binomial: FloatArray, *_: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:  # fmt: skip
    """Return share of samples, mean gap and its squared standard error, by class and bin.

    The variance is estimated from the samples of the bin; for one sample, from calibration.
    Weights count as repeats. Bins without samples have share, gap and error 0.
    """
    gap = divide(right - confidence, n, 0.0)
    within = divide(np.maximum(squares - n * gap**2, 0.0), np.maximum(n - 1, 0.0), 0.0)
    within = np.where(n > 1, np.minimum(within, 1.0), divide(binomial, n, 0.0))
    return divide(n, n.sum(axis=-1, keepdims=True)), gap, divide(within, n, 0.0)


def folded_mean(gap: FloatArray, error: FloatArray) -> FloatArray:
    """Compute the expected absolute value of a normal variable with this mean and deviation."""
    from scipy.special import ndtr

    scaled = divide(gap, error, 0.0)
    chance = error * np.sqrt(2 / np.pi) * np.exp(-(scaled**2) / 2)
    return np.where(error > 0, chance + gap * (1 - 2 * ndtr(-scaled)), np.abs(gap))


def debiased_error(*columns: FloatArray) -> FloatArray:
    """Compute the mean gap over bins minus the expected excess by chance; at least 0."""
    share, gap, variance = bin_gaps(*columns)
    size = np.abs(gap)
    corrected = share * (2 * size - folded_mean(size, np.sqrt(np.maximum(variance, 0.0))))
    return np.maximum(corrected.sum(axis=-1).mean(axis=-1), 0.0)


def rms_error(*columns: FloatArray) -> FloatArray:
    """Compute the root mean squared gap over bins, minus the expected excess; at least 0."""
    return np.sqrt(np.maximum(squared_error(*columns)[0], 0.0))


def squared_error(*columns: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute the mean squared gap over bins without bias, and its variance.

    A squared mean of a bin whose true gap is g varies by ``4 g^2 v + 2 v^2``, where v is the
    variance of the mean. The variance is at least twice that of calibrated bins, ``2 v^2``, as the
    estimate of g^2 is often below 0 there.
    """
    share, gap, variance = bin_gaps(*columns)
    squared = (share * (gap**2 - variance)).sum(axis=-1).mean(axis=-1)
    of_chance = ((share * variance) ** 2).sum(axis=-1).mean(axis=-1)
    of_gaps = (share**2 * gap**2 * variance).sum(axis=-1).mean(axis=-1)
    return squared, np.maximum(4 * of_gaps - 2 * of_chance, 4 * of_chance)
