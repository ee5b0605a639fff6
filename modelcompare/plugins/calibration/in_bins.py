"""Sums over samples in bins of confidence, and the debiased error that follows from them."""

from __future__ import annotations

from collections.abc import Sequence

from modelcompare.arrays import FloatArray
from modelcompare.plugins.calibration.bin_gaps import debiased_error
from modelcompare.plugins.calibration.intervals import Bins, mean_gap_interval
from modelcompare.plugins.calibration.metrics import columns_of


def sums_in_bins(
    confidence: FloatArray, right: FloatArray, inside: FloatArray, weight: FloatArray
) -> list[FloatArray]:
    """Sum these columns in each bin under weights (1, n_samples), each (1, n_bins).

    `inside` is the matrix of `indicators`.
    """
    return [(weight * column) @ inside for column in columns_of(confidence, right)]


def interval_of_model(columns: Sequence[FloatArray], level: float) -> tuple[float, float, float]:
    """Return the debiased error of one model and the ends of its interval, from `sums_in_bins`."""
    estimate = float(debiased_error(*columns))
    low, high = mean_gap_interval(Bins.of(columns), level)
    return estimate, min(float(low), estimate), float(high)
