"""Calibration errors without what chance adds to them.

The gap of confidence and accuracy in a bin of n samples strays by its standard error even where
the model is calibrated, and absolute values and squares turn that into error. Both metrics take
the expected share of chance off, bin by bin, from the sums that each bin contributes.
"""

from __future__ import annotations

import re
from functools import partial

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.metrics.base import AnyMetric, Metric, divide
from modelcompare.metrics.calibration import (
    CONFIDENCE,
    N_BINS,
    ONES,
    RIGHT,
    Column,
    Strategy,
    binned,
    top_label,
    unpacked,
)

COLUMNS: tuple[Column, ...] = (
    ONES, CONFIDENCE, RIGHT, lambda p, o: (p - o) ** 2, lambda p, _: p * (1 - p),
)  # fmt: skip


def bin_gaps(bins: FloatArray, n_bins: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Share of the samples, mean gap and the gap's squared standard error in each bin.

    The variance within a bin is that of its own samples; a bin of one has that of a calibrated one.
    Weights count as repeats. Bins without samples have share, gap and error 0.
    """
    n, confidence, right, squares, binomial = (
        part[..., 0, :] for part in unpacked(bins, len(COLUMNS), n_bins)
    )
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
    corrected = (share * (2 * size - folded_mean(size, np.sqrt(variance)))).sum(axis=-1)
    return np.maximum(corrected, 0.0)


def _rms_error(bins: FloatArray, *, n_bins: int) -> FloatArray:
    share, gap, variance = bin_gaps(bins, n_bins)
    return np.sqrt(np.maximum((share * (gap**2 - variance)).sum(axis=-1), 0.0))


_VALUES = {"debiased_ece": debiased_error, "rms_calibration_error": _rms_error}
_NAME = re.compile(rf"({'|'.join(_VALUES)})(_mass)?(?:_([1-9]\d*))?")


def debiased_metric(name: str) -> Metric | None:
    """``debiased_ece``, ``rms_calibration_error``; ``_mass`` and a number of bins may follow.

    None for any other name.
    """
    parsed = _NAME.fullmatch(name)
    if parsed is None:
        return None
    stem, mass, number = parsed.groups()
    n_bins = int(number or N_BINS)
    strategy: Strategy = "mass" if mass else "width"
    return Metric(
        name=name,
        statistics=(binned("gaps_top", top_label, COLUMNS, n_bins, strategy),),
        value=partial(_VALUES[stem], n_bins=n_bins),
        needs="probabilities",
        greater_is_better=False,
        # At 0 they have a corner: no influence function there.
        smooth=False,
    )


METRICS: tuple[AnyMetric, ...] = tuple(
    metric
    for name in ("debiased_ece", "debiased_ece_mass", "rms_calibration_error")
    if (metric := debiased_metric(name)) is not None
)
