"""Calibration: what confidences mean, from sums over bins of confidence.

A bin contributes a few sums: how many samples, how confident, how often right. Bin edges are fixed
on the whole test set before resampling, so each bin is a column like any other.

Bins of equal width are half-open: [k / m, (k + 1) / m), and the last one [(m - 1) / m, 1]. A
confidence on an edge belongs to the bin above. On an edge is what is written so: 0.3 is on 3/10,
also as 0.30000001 in single precision or as 1 - 0.7, which are not quite 0.3 in binary.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, get_args

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.data.confidences import mass_edges
from modelcompare.metrics.base import (
    AnyMetric,
    Factory,
    Metric,
    Outcomes,
    Statistic,
    divide,
    varied,
)
from modelcompare.metrics.outcomes import one_hot
from modelcompare.words import MOST_BINS, Strategy, check_choice, check_count

N_BINS = 15
# A confidence this close below an edge is on it: four units in the last place of single precision.
_ON_EDGE = 2.0**-22


def bin_edges(
    confidence: FloatArray, n_bins: int, strategy: Strategy, weight: FloatArray | None = None
) -> FloatArray:
    """Inner edges of bins of equal width, or of samples of equal weight."""
    if strategy not in ("width", "mass"):
        raise ValueError(f"`strategy` must be width or mass, got {strategy!r}.")
    if strategy == "mass":
        return mass_edges(confidence, n_bins, weight)
    return np.arange(1, n_bins) / n_bins


def in_bins(confidence: FloatArray, edges: FloatArray, strategy: Strategy = "width") -> IntArray:
    """Bin of each confidence; one on an edge belongs above.

    Edges of equal weight are confidences of the test set itself, and are compared as they are.
    """
    slack = _ON_EDGE if strategy == "width" else 0.0
    return np.searchsorted(edges - slack, confidence, side="right")


def indicators(confidence: FloatArray, edges: FloatArray, strategy: Strategy) -> FloatArray:
    """Indicators of the bin of each sample, 0 or 1, of shape (n_samples, n_bins)."""
    return one_hot(in_bins(confidence, edges, strategy), len(edges) + 1)


def top_label(outcomes: Outcomes) -> tuple[FloatArray, FloatArray]:
    """Confidence of the predicted class, and how right it is, of shape (n_samples, 1)."""
    rows, top = np.arange(len(outcomes)), outcomes.predicted
    return outcomes.probabilities[rows, top][:, None], outcomes.truth[rows, top][:, None]


def each_class(outcomes: Outcomes) -> tuple[FloatArray, FloatArray]:
    """Confidence in each class, and whether it is the true one, of shape (n_samples, n_classes)."""
    return outcomes.probabilities, outcomes.truth


Pairs = Callable[[Outcomes], tuple[FloatArray, FloatArray]]
Columns = Callable[[FloatArray, FloatArray], tuple[FloatArray, ...]]
N_COLUMNS, N_MOMENTS = 5, 6


def columns_of(confidence: FloatArray, right: FloatArray) -> tuple[FloatArray, ...]:
    """Return the numbers that calibration errors and their intervals are made of.

    1, confidence, truth, their squared difference, and the variance of the truth where the
    confidence is right.
    """
    ones, gap = np.ones_like(confidence), confidence - right
    return ones, confidence, right, gap**2, confidence * (1 - confidence)


def _moments(p: FloatArray, o: FloatArray) -> tuple[FloatArray, ...]:
    return np.ones_like(p), p, o, p * p, p * o, o * o


def _binned(
    name: str, pairs: Pairs, columns: Columns, n_bins: int, strategy: Strategy
) -> Statistic:
    """Sums of `columns` in each bin: one for each (class, column, bin), bins innermost."""
    compute = partial(
        _in_their_bins, pairs=pairs, columns=columns, n_bins=n_bins, strategy=strategy
    )
    return Statistic(
        f"{name}_{strategy}_{n_bins}", compute, class_axes=int(pairs is each_class),
        of_all=strategy == "mass",
    )  # fmt: skip


def _in_their_bins(
    outcomes: Outcomes, *, pairs: Pairs, columns: Columns, n_bins: int, strategy: Strategy
) -> FloatArray:
    confidence, right = pairs(outcomes)
    # Bins of equal width are the same whoever else there is.
    everyone = outcomes.whole if strategy == "mass" else outcomes
    of_all = confidence if everyone is outcomes else pairs(everyone)[0]
    numbers = np.stack(columns(confidence, right), axis=-1)
    out, rows = np.zeros((*numbers.shape, n_bins)), np.arange(len(numbers))
    for j in range(numbers.shape[1]):
        edges = bin_edges(of_all[:, j], n_bins, strategy, everyone.weight)
        out[rows, j, :, in_bins(confidence[:, j], edges, strategy)] = numbers[:, j]
    return out.reshape(len(numbers), -1)


def unpacked(bins: FloatArray, n_columns: int, n_bins: int) -> tuple[FloatArray, ...]:
    """The columns of a binned statistic, each of shape (..., n_classes, n_bins)."""
    parts = bins.reshape(*bins.shape[:-1], -1, n_columns, n_bins)
    return tuple(parts[..., place, :] for place in range(n_columns))


def calibration_error(bins: FloatArray, *, n_bins: int) -> FloatArray:
    """Mean gap of confidence and accuracy, weighted by samples; the mean over classes."""
    ones, confidence, right, *_ = unpacked(bins, N_COLUMNS, n_bins)
    gaps = np.abs(confidence - right).sum(axis=-1)
    return divide(gaps, ones.sum(axis=-1)).mean(axis=-1)


def maximum_error(bins: FloatArray, *, n_bins: int) -> FloatArray:
    """Largest gap of confidence and accuracy over bins that hold samples."""
    ones, confidence, right, *_ = unpacked(bins, N_COLUMNS, n_bins)
    gaps = divide(np.abs(confidence - right), ones, 0.0)
    there = ones.sum(axis=(-1, -2)) > 0
    return np.where(there, gaps.max(axis=(-1, -2)), np.nan)


def binned_metric(
    family: str, value: Callable[..., FloatArray], *, n_bins: int = N_BINS,
    strategy: Strategy = "width", classwise: bool = False, **prose: Any,
) -> Metric:  # fmt: skip
    """Record of an error over bins, and its texts."""
    check_choice("strategy", strategy, Strategy)
    check_count("n_bins", n_bins, at_least=1, at_most=MOST_BINS)
    pairs, over = (each_class, "classes") if classwise else (top_label, "top")
    bins = _binned(f"calibration_{over}", pairs, columns_of, n_bins, strategy)
    variants = {
        "classwise": (classwise, "each class's own probability"),
        "mass": (strategy == "mass", "bins of equal weight"),
    }
    stem = "_".join([family, *(name for name, (asked, _) in variants.items() if asked)])
    options = {"n_bins": n_bins, "strategy": strategy, "classwise": classwise}
    # A size has a corner where a bin is calibrated: no influence function there.
    return Metric(
        name=stem if n_bins == N_BINS else f"{stem}_{n_bins}", family=family, smooth=False,
        statistics=(bins,), value=partial(value, n_bins=n_bins), needs="probabilities",
        greater_is_better=False,
        variant="; ".join(text for asked, text in variants.values() if asked),
        factory=Factory(
            partial(binned_metric, family, value, **prose), options, f"{stem}_{{n_bins}}"
        ),
        **prose,
    )  # fmt: skip


ECE = binned_metric(
    "ece", calibration_error,
    description="""
    Mean gap between confidence and accuracy over bins (expected calibration error).

    Values confidences that can be read as frequencies, whatever they are worth: a model that
    always says the base rate has an error of 0. It depends on the bins, and it is biased
    upward: gaps that chance makes count as error, so a calibrated model scores 0.07 on 100
    samples, 0.02 on 1000, and never 0. A bootstrap adds that bias once more, and its interval
    never covers a calibrated model; the default one does, as that of
    `modelcompare.calibration_test`, and needs independent samples of equal weight.
    ``debiased_ece`` takes the bias off the value. In names the options
    follow: ``ece_classwise`` takes each class's probability instead of the top one's,
    ``ece_mass`` bins of equal weight, ``ece_10`` ten bins. Bins of equal width are half-open,
    [0.3, 0.4) and so on, 1 in the last: a confidence on an edge belongs to the bin above, and
    one written 0.3 is on the edge 3/10 in single precision too.""",
    references=(
        "Guo et al. (2017), On calibration of modern neural networks, ICML.",
        "Kull et al. (2019), Beyond temperature scaling, NeurIPS (classwise).",
    ),
    example=">>> round(ece([0, 1, 1, 1], [0.75, 0.75, 0.75, 0.75]), 4)\n0.0",
)  # fmt: skip


MCE = binned_metric(
    "mce", maximum_error,
    description="""
    Largest gap between confidence and accuracy over bins (maximum calibration error).

    Values the worst case. A bin of one sample can decide it, so on bins of equal width it
    measures how small the smallest bin is; ``mce_mass``, bins of equal weight, is the steadier
    form.""",
    references=("Naeini, Cooper & Hauskrecht (2015), AAAI.",),
    example=">>> round(mce([0, 1, 1, 1], [0.75, 0.75, 0.75, 0.25]), 4)\n0.25",
)  # fmt: skip


def murphy_term(bins: FloatArray, part: str) -> FloatArray:
    """A term of the Brier score's decomposition (Stephenson et al. 2008).

    Brier score = reliability - resolution + uncertainty. Resolution is the generalized one, which
    takes in the spread within bins, so that the identity is exact for forecasts of any value.
    """
    ones, p, o, pp, po, oo = unpacked(bins, N_MOMENTS, N_BINS)
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
    return summed / 2 if bins.shape[-1] == 2 * N_MOMENTS * N_BINS else summed


_MURPHY_BINS = _binned("murphy", each_class, _moments, N_BINS, "width")
_STEPHENSON = "Stephenson, Coelho & Jolliffe (2008), Weather and Forecasting 23, 752-757."

BRIER_RELIABILITY = Metric(
    name="brier_reliability", statistics=(_MURPHY_BINS,),
    value=partial(murphy_term, part="reliability"), needs="probabilities", greater_is_better=False,
    bounds=(0.0, 2.0),
    description="""
    Squared gap of confidence and frequency over bins: the Brier score's calibration part.

    Brier score = reliability - resolution + uncertainty. Values confidences that are frequencies,
    as `ece` does, but squared, so it is smooth and a term of a proper score. Over 15 bins of equal
    width, classes summed, halved for two classes as the Brier score is.""",
    references=("Murphy (1973), Journal of Applied Meteorology 12, 595-600.", _STEPHENSON),
    example=">>> round(brier_reliability([0, 1, 1, 1], [0.5, 0.5, 0.5, 0.5]), 4)\n0.0625",
)  # fmt: skip

BRIER_RESOLUTION = Metric(
    name="brier_resolution", statistics=(_MURPHY_BINS,),
    value=partial(murphy_term, part="resolution"), needs="probabilities", bounds=(-2.0, 2.0),
    description="""Spread of the frequencies between bins: what the confidences tell apart.

    Values forecasts that differ where outcomes do; 0 for a model that always says the same. Taken
    with what the spread of confidences within a bin adds, so that Brier score = reliability -
    resolution + uncertainty holds exactly; it can be slightly negative then.""",
    references=(_STEPHENSON,),
    example=">>> round(brier_resolution([0, 0, 1, 1], [0.25, 0.25, 0.75, 0.75]), 4)\n0.25",
)  # fmt: skip

BRIER_UNCERTAINTY = Metric(
    name="brier_uncertainty", statistics=(_MURPHY_BINS,),
    value=partial(murphy_term, part="uncertainty"), needs="probabilities", greater_is_better=False,
    bounds=(0.0, 2.0),
    description="""Variance of the truth: the Brier score of always saying the base rates.

    Values nothing in the model: it says how hard the test set is, and completes the decomposition.
    """,
    example=">>> brier_uncertainty([0, 0, 1, 1], [0.25, 0.25, 0.75, 0.75])\n0.25",
)  # fmt: skip

METRICS: tuple[AnyMetric, ...] = (
    *(varied(error, {"classwise": classwise, "strategy": strategy}) for error in (ECE, MCE)
      for classwise in (False, True) for strategy in get_args(Strategy)),
    BRIER_RELIABILITY, BRIER_RESOLUTION, BRIER_UNCERTAINTY,
)  # fmt: skip
