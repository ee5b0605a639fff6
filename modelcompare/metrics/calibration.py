"""Calibration: what confidences mean, from sums over bins of confidence.

A bin contributes a few sums: how many samples, how confident, how often right. Bin edges are fixed
on the whole test set before resampling, so each bin is a column like any other. A confidence on an
edge belongs to the bin above; 1 belongs to the last. Edges k / m are compared exactly, since the
float k * (1 / m) would move samples over them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.confidences import mass_edges
from modelcompare.metrics.base import AnyMetric, Metric, Outcomes, Statistic, divide
from modelcompare.metrics.scoring import COUNT

Strategy = Literal["width", "mass"]
N_BINS = 15


def bin_edges(
    confidence: FloatArray, n_bins: int, strategy: Strategy, weight: FloatArray | None = None
) -> FloatArray:
    """Inner edges of bins of equal width, or of samples of equal weight."""
    if strategy not in ("width", "mass"):
        raise ValueError(f"`strategy` must be width or mass, got {strategy!r}.")
    if strategy == "mass":
        return mass_edges(confidence, n_bins, weight)
    return np.arange(1, n_bins) / n_bins


def in_bins(confidence: FloatArray, edges: FloatArray) -> IntArray:
    """Bin of each confidence; one on an edge belongs above."""
    return np.searchsorted(edges, confidence, side="right")


def top_label(outcomes: Outcomes) -> tuple[FloatArray, FloatArray]:
    """Confidence of the predicted class, and how right it is, of shape (n_samples, 1)."""
    rows, top = np.arange(len(outcomes)), outcomes.predicted
    return outcomes.probabilities[rows, top][:, None], outcomes.truth[rows, top][:, None]


def each_class(outcomes: Outcomes) -> tuple[FloatArray, FloatArray]:
    """Confidence in each class, and whether it is the true one, of shape (n_samples, n_classes)."""
    return outcomes.probabilities, outcomes.truth


Pairs = Callable[[Outcomes], tuple[FloatArray, FloatArray]]
Column = Callable[[FloatArray, FloatArray], FloatArray]

ONES: Column = lambda confidence, _: np.ones(len(confidence))  # noqa: E731
CONFIDENCE: Column = lambda confidence, _: confidence  # noqa: E731
RIGHT: Column = lambda _, right: right  # noqa: E731
_MOMENTS: tuple[Column, ...] = (
    ONES, CONFIDENCE, RIGHT, lambda p, _: p * p, lambda p, o: p * o, lambda _, o: o * o,
)  # fmt: skip


def binned(
    name: str, pairs: Pairs, columns: tuple[Column, ...], n_bins: int, strategy: Strategy
) -> Statistic:
    """Sums of `columns` in each bin: one for each (class, column, bin), bins innermost."""

    def compute(outcomes: Outcomes) -> FloatArray:
        confidence, right = pairs(outcomes)
        everyone = pairs(outcomes.whole)[0] if strategy == "mass" else confidence
        n, n_classes = confidence.shape
        out = np.zeros((n, n_classes, len(columns), n_bins))
        rows = np.arange(n)
        for j in range(n_classes):
            edges = bin_edges(everyone[:, j], n_bins, strategy, outcomes.whole.weight)
            bins = in_bins(confidence[:, j], edges)
            for place, column in enumerate(columns):
                out[rows, j, place, bins] = column(confidence[:, j], right[:, j])
        return out.reshape(n, -1)

    return Statistic(f"{name}_{strategy}_{n_bins}", compute)


def unpacked(bins: FloatArray, n_columns: int, n_bins: int) -> tuple[FloatArray, ...]:
    """The columns of a binned statistic, each of shape (..., n_classes, n_bins)."""
    parts = bins.reshape(*bins.shape[:-1], -1, n_columns, n_bins)
    return tuple(parts[..., place, :] for place in range(n_columns))


def calibration_error(bins: FloatArray, count: FloatArray, *, n_bins: int) -> FloatArray:
    """Mean gap of confidence and accuracy, weighted by samples; the mean over classes."""
    confidence, right = unpacked(bins, 2, n_bins)
    gaps = np.abs(confidence - right).sum(axis=-1).mean(axis=-1)
    return divide(gaps, count[..., 0])


def maximum_error(bins: FloatArray, *, n_bins: int) -> FloatArray:
    """Largest gap of confidence and accuracy over bins that hold samples."""
    confidence, right, ones = unpacked(bins, 3, n_bins)
    gaps = divide(np.abs(confidence - right), ones, 0.0)
    there = ones.sum(axis=(-1, -2)) > 0
    return np.where(there, gaps.max(axis=(-1, -2)), np.nan)


def _murphy(bins: FloatArray, part: str) -> FloatArray:
    """A term of the Brier score's decomposition (Stephenson et al. 2008).

    Brier score = reliability - resolution + uncertainty. Resolution is the generalized one, which
    takes in the spread within bins, so that the identity is exact for forecasts of any value.
    """
    ones, p, o, pp, po, oo = unpacked(bins, len(_MOMENTS), N_BINS)
    total = ones.sum(axis=-1)
    if part == "reliability":
        value = divide((p - o) ** 2, ones, 0.0).sum(axis=-1)
    elif part == "uncertainty":
        value = oo.sum(axis=-1) - divide(o.sum(axis=-1) ** 2, total)
    else:
        between = divide(o * o, ones, 0.0).sum(axis=-1) - divide(o.sum(axis=-1) ** 2, total)
        spread = (pp - divide(p * p, ones, 0.0)).sum(axis=-1)
        shared = (po - divide(p * o, ones, 0.0)).sum(axis=-1)
        value = between - spread + 2 * shared
    summed = divide(value, total).sum(axis=-1)
    # brier_score halves the sum over two classes.
    return summed / 2 if bins.shape[-1] == 2 * len(_MOMENTS) * N_BINS else summed


_NAME = re.compile(r"(ece|mce)(_classwise)?(_mass)?(?:_([1-9]\d*))?")


def calibration_metric(name: str) -> Metric | None:
    """``ece``, ``mce``; ``_classwise``, ``_mass`` and a number of bins may follow: ``ece_mass_10``.

    None for any other name.
    """
    parsed = _NAME.fullmatch(name)
    if parsed is None:
        return None
    kind, classwise, mass, number = parsed.groups()
    n_bins = int(number or N_BINS)
    pairs: Pairs = each_class if classwise else top_label
    strategy: Strategy = "mass" if mass else "width"
    columns = (CONFIDENCE, RIGHT) if kind == "ece" else (CONFIDENCE, RIGHT, ONES)
    bins = binned(
        f"{kind}_{'classes' if classwise else 'top'}", pairs, columns, n_bins, strategy
    )  # fmt: skip
    value = partial(calibration_error if kind == "ece" else maximum_error, n_bins=n_bins)
    return Metric(
        name=name,
        statistics=(bins, COUNT) if kind == "ece" else (bins,),
        value=value,
        needs="probabilities",
        greater_is_better=False,
        # An absolute value has a corner where a bin is calibrated: no influence function there.
        smooth=False,
    )


def _named(*names: str) -> tuple[Metric, ...]:
    return tuple(metric for name in names if (metric := calibration_metric(name)) is not None)


def _murphy_metrics() -> tuple[Metric, ...]:
    bins = binned("murphy", each_class, _MOMENTS, N_BINS, "width")
    return tuple(
        Metric(
            name=f"brier_{part}",
            statistics=(bins,),
            value=partial(_murphy, part=part),
            needs="probabilities",
            greater_is_better=part == "resolution",
            bounds=(-2.0, 2.0) if part == "resolution" else (0.0, 2.0),
        )
        for part in ("reliability", "resolution", "uncertainty")
    )


METRICS: tuple[AnyMetric, ...] = (
    *_named("ece", "ece_mass", "ece_classwise", "ece_classwise_mass", "mce", "mce_mass"),
    *_murphy_metrics(),
)
