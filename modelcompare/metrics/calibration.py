"""Calibration and n-best metrics: what confidences mean, and where the truth ranks.

A bin of confidences contributes three sums: how many samples, how confident, how often right. Bin
edges are fixed before resampling, so each bin is a column like any other. A confidence on an edge
belongs to the bin above; 1 belongs to the last. Edges k / m are compared exactly, since the float
k * (1 / m) would move samples over them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from modelcompare.metrics.base import AnyMetric, FloatArray, Metric, Outcomes, Statistic, divide
from modelcompare.metrics.probabilistic import COUNT, mean

IntArray = NDArray[np.intp]
N_BINS = 15
Norm = Literal["mean", "max"]


def equal_width_bins(confidence: FloatArray, n_bins: int = N_BINS) -> IntArray:
    """Bin of each confidence among bins of equal width."""
    edges = np.arange(1, n_bins) / n_bins
    return np.searchsorted(edges, confidence, side="right")


def _bin_sums(bins: IntArray, n_bins: int, columns: tuple[FloatArray, ...]) -> FloatArray:
    out = np.zeros((len(bins), n_bins * len(columns)))
    rows = np.arange(len(bins))
    for place, column in enumerate(columns):
        out[rows, bins + place * n_bins] = column
    return out


def _top_label(outcomes: Outcomes) -> FloatArray:
    p = outcomes.probabilities
    rows = np.arange(len(p))
    top = outcomes.predicted
    confidence, right = p[rows, top], outcomes.truth[rows, top]
    return _bin_sums(equal_width_bins(confidence), N_BINS, (confidence, right))


def _classwise(outcomes: Outcomes) -> FloatArray:
    p, truth = outcomes.probabilities, outcomes.truth
    parts = [
        _bin_sums(equal_width_bins(p[:, j]), N_BINS, (p[:, j], truth[:, j]))
        for j in range(p.shape[1])
    ]
    return np.hstack(parts)


TOP_LABEL_BINS = Statistic("top_label_bins", _top_label)
CLASSWISE_BINS = Statistic("classwise_bins", _classwise)


def calibration_error(bins: FloatArray, count: FloatArray) -> FloatArray:
    """Mean gap of confidence and accuracy over bins, weighted by their samples."""
    pairs = bins.reshape(*bins.shape[:-1], 2, N_BINS)
    gaps = np.abs(pairs[..., 0, :] - pairs[..., 1, :])
    return divide(gaps.sum(axis=-1), count[..., 0])


def classwise_error(bins: FloatArray, count: FloatArray) -> FloatArray:
    """Mean over classes of the calibration error of each class's own probability."""
    pairs = bins.reshape(*bins.shape[:-1], -1, 2, N_BINS)
    gaps = np.abs(pairs[..., 0, :] - pairs[..., 1, :]).sum(axis=-1).mean(axis=-1)
    return divide(gaps, count[..., 0])


TOP_LABEL_COUNTS = Statistic("top_label_bin_counts", lambda o: _bin_counts(o))


def _bin_counts(outcomes: Outcomes) -> FloatArray:
    confidence = outcomes.probabilities[np.arange(len(outcomes)), outcomes.predicted]
    return _bin_sums(equal_width_bins(confidence), N_BINS, (np.ones(len(outcomes)),))


def maximum_error(bins: FloatArray, counts: FloatArray) -> FloatArray:
    """Largest gap of confidence and accuracy over bins that hold samples."""
    pairs = bins.reshape(*bins.shape[:-1], 2, N_BINS)
    gaps = divide(np.abs(pairs[..., 0, :] - pairs[..., 1, :]), counts, 0.0)
    return np.where(counts.sum(axis=-1) > 0, gaps.max(axis=-1), np.nan)


def _entropy_terms(outcomes: Outcomes) -> FloatArray:
    """Kullback-Leibler divergence of the output from the soft labels, per sample."""
    truth, p = outcomes.truth, outcomes.probabilities
    smallest = np.finfo(outcomes.output.array.dtype).eps
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(truth > 0, truth * np.log(np.where(truth > 0, truth, 1.0)), 0.0)
    cross = truth * np.log(np.clip(p, smallest, 1.0))
    return (own - cross).sum(axis=1, keepdims=True)


DIVERGENCE = Statistic("divergence", _entropy_terms)


def _true_rank(outcomes: Outcomes) -> FloatArray:
    """Place of the true class among the classes by probability; ties before it count half."""
    if outcomes.codes is None:
        raise ValueError("this metric needs true labels.")
    p = outcomes.probabilities
    own = p[np.arange(len(p)), outcomes.codes][:, None]
    above = (p > own).sum(axis=1)
    tied = (p == own).sum(axis=1) - 1
    return 1.0 + above + tied / 2


RECIPROCAL_RANK = Statistic("reciprocal_rank", lambda o: (1 / _true_rank(o))[:, None])


def top_k_metric(k: int) -> Metric:
    """Share of samples whose true class is among the k most probable: ``top_3_accuracy``.

    As in scikit-learn, of tied classes the later ones come first.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}.")
    return Metric(
        name=f"top_{k}_accuracy",
        statistics=(Statistic(f"in_top_{k}", _in_top(k)), COUNT),
        value=mean,
        needs="probabilities",
    )


def _in_top(k: int) -> Callable[[Outcomes], FloatArray]:
    def compute(outcomes: Outcomes) -> FloatArray:
        if outcomes.codes is None:
            raise ValueError("this metric needs true labels.")
        best = np.argsort(outcomes.probabilities, axis=1, kind="stable")[:, -k:]
        return (best == outcomes.codes[:, None]).any(axis=1, keepdims=True).astype(np.float64)

    return compute


def _loss(
    name: str, statistics: tuple[Statistic, ...], value: Callable[..., FloatArray],
    bounds: tuple[float, float] = (0.0, 1.0), smooth: bool = True,
) -> Metric:  # fmt: skip
    return Metric(
        name=name, statistics=statistics, value=value, needs="probabilities",
        greater_is_better=False, bounds=bounds, smooth=smooth,
    )  # fmt: skip


METRICS: tuple[AnyMetric, ...] = (
    # An absolute value has a corner where a bin is calibrated: no influence function there.
    _loss("ece", (TOP_LABEL_BINS, COUNT), calibration_error, smooth=False),
    _loss("ece_classwise", (CLASSWISE_BINS, COUNT), classwise_error, smooth=False),
    _loss("mce", (TOP_LABEL_BINS, TOP_LABEL_COUNTS), maximum_error, smooth=False),
    _loss("kl_divergence", (DIVERGENCE, COUNT), mean, bounds=(0.0, np.inf)),
    Metric(
        name="mean_reciprocal_rank",
        statistics=(RECIPROCAL_RANK, COUNT),
        value=mean,
        needs="probabilities",
    ),
    top_k_metric(3),
    top_k_metric(5),
)
