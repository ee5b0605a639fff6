"""Calibration errors without what chance adds to them.

The gap of confidence and accuracy in a bin of n samples strays by its standard error even where
the model is calibrated, and absolute values and squares turn that into error. Both metrics take
the expected share of chance off, bin by bin, from the sums that each bin contributes.
"""

from __future__ import annotations

from functools import partial
from typing import TypeGuard

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.metrics.base import AnyMetric, Metric, divide, varied
from modelcompare.metrics.calibration import (
    N_COLUMNS,
    binned_metric,
    calibration_error,
    maximum_error,
    unpacked,
)


def bin_gaps(bins: FloatArray, n_bins: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Share of the samples, mean gap and the gap's squared standard error, by class and bin.

    The variance within a bin is that of its own samples; a bin of one has that of a calibrated one.
    Weights count as repeats. Bins without samples have share, gap and error 0.
    """
    n, confidence, right, squares, binomial = unpacked(bins, N_COLUMNS, n_bins)
    gap = divide(right - confidence, n, 0.0)
    within = divide(np.maximum(squares - n * gap**2, 0.0), np.maximum(n - 1, 0.0), 0.0)
    within = np.where(n > 1, np.minimum(within, 1.0), divide(binomial, n, 0.0))
    return divide(n, n.sum(axis=-1, keepdims=True)), gap, divide(within, n, 0.0)


def folded_mean(gap: FloatArray, error: FloatArray) -> FloatArray:
    """Expected absolute value of a normal number with this mean and standard deviation."""
    from scipy.special import ndtr

    scaled = divide(gap, error, 0.0)
    chance = error * np.sqrt(2 / np.pi) * np.exp(-(scaled**2) / 2)
    return np.where(error > 0, chance + gap * (1 - 2 * ndtr(-scaled)), np.abs(gap))


def debiased_error(bins: FloatArray, *, n_bins: int) -> FloatArray:
    """Mean gap over bins, less the excess that chance is expected to add; at least 0."""
    share, gap, variance = bin_gaps(bins, n_bins)
    size = np.abs(gap)
    corrected = share * (2 * size - folded_mean(size, np.sqrt(np.maximum(variance, 0.0))))
    return np.maximum(corrected.sum(axis=-1).mean(axis=-1), 0.0)


def rms_error(bins: FloatArray, *, n_bins: int) -> FloatArray:
    """Root of the mean squared gap over bins, less what chance adds to it; at least 0."""
    share, gap, variance = bin_gaps(bins, n_bins)
    squared = (share * (gap**2 - variance)).sum(axis=-1).mean(axis=-1)
    return np.sqrt(np.maximum(squared, 0.0))


def is_calibration_error(metric: AnyMetric) -> TypeGuard[Metric]:
    """Return whether a metric measures gaps in bins, so that chance adds to it."""
    value = metric.value if isinstance(metric, Metric) else None
    if not isinstance(value, partial):
        return False
    errors = (calibration_error, maximum_error, debiased_error, rms_error)
    return value.func in errors or value.keywords.get("part") == "reliability"


DEBIASED_ECE = binned_metric(
    "debiased_ece", debiased_error,
    description="""
    Mean gap between confidence and accuracy over bins, less what chance adds to it.

    Values what `ece` does, with its options. In each bin the expected absolute value of a
    normal number with the observed gap as its mean, and the gap's standard error, exceeds the
    observed one; that excess is taken off, and a sum below 0 is 0. About half of the plug-in's
    bias is left where a model is calibrated, and next to none where it is not;
    ``rms_calibration_error`` has less. Weights count as repeats. The default interval is
    that of `modelcompare.calibration_test`, which tests too; it needs independent samples of
    equal weight.""",
    references=(
        "Roelofs, Cain, Shlens & Mozer (2022), Mitigating bias in calibration error "
        "estimation, AISTATS.",
    ),
    example=">>> round(debiased_ece([0, 1, 1] * 10, [0.6] * 30), 4)  # ece: 0.0667\n0.0442",
)  # fmt: skip


RMS_CALIBRATION_ERROR = binned_metric(
    "rms_calibration_error", rms_error,
    description="""
    Root of the mean squared gap between confidence and accuracy over bins, debiased.

    Values what `ece` does, with its options, and large gaps more. The square of each gap less
    its squared standard error is unbiased, so the square of this metric is, but for the root of
    a sum below 0, which is 0. Weights count as repeats.""",
    references=(
        "Broecker (2012), Estimating reliability and resolution of probability forecasts "
        "through decomposition of the empirical score, Climate Dynamics 39.",
        "Kumar, Liang & Ma (2019), Verified uncertainty calibration, NeurIPS.",
    ),
    example=">>> round(rms_calibration_error([0, 1, 1, 1] * 25, [0.25] * 100), 4)\n0.4981",
)  # fmt: skip


# Of the other bins these have names; the rest are had by their options.
METRICS: tuple[AnyMetric, ...] = (
    DEBIASED_ECE,
    varied(DEBIASED_ECE, {"strategy": "mass"}),
    varied(DEBIASED_ECE, {"classwise": True}),
    RMS_CALIBRATION_ERROR,
)
