"""Calibration errors and terms of the Brier score, from sums over bins of confidence.

A bin contributes a few sums: number of samples, confidence, hits. Bin edges are fixed on the whole
test set before resampling, so each bin is a column like any other.

Bins of equal width are half-open: [k / m, (k + 1) / m), and the last one [(m - 1) / m, 1]. A
confidence on an edge belongs to the bin above. Rounding does not matter: 0.3 is on the edge 3/10,
also as 0.30000001 in single precision or as 1 - 0.7, which are not exactly 0.3 in binary.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

import numpy as np

from modelcompare.arrays import FloatArray, IntArray, mass_edges
from modelcompare.metrics.base import AnyMetric, Factory, Metric, Outcomes, Statistic, divide
from modelcompare.metrics.factories import OwnIntervals
from modelcompare.metrics.outcomes import one_hot
from modelcompare.metrics.variants import with_options
from modelcompare.plugins.calibration.bin_gaps import (
    calibration_error,
    debiased_error,
    maximum_error,
    rms_error,
    squared_error,
)
from modelcompare.words import MOST_BINS, Strategy, check_choice, check_count

N_BINS = 15
# Of gaps in bins, which are biased by chance.
_INTERVALS = OwnIntervals(
    of="modelcompare.plugins.calibration.intervals:of_calibration",
    refusal="modelcompare.plugins.calibration.intervals:refusal",
    note=" The test of rms_calibration_error is of its value.",
)
_MEANINGS = {
    "n_bins": ("int", "Number of bins."),
    "strategy": ('{"width", "mass"}', "Bins of equal width, or of samples of equal weight."),
    "classwise": (
        "bool",
        "Mean over classes of the error of each class's probability, instead of the top label's.",
    ),
}
# A confidence this close below an edge is on it: four units in the last place of single precision.
_ON_EDGE = 2.0**-22


def bin_edges(
    confidence: FloatArray, n_bins: int, strategy: Strategy, weight: FloatArray | None = None
) -> FloatArray:
    """Inner edges of bins of equal width, or of samples of equal weight."""
    if strategy == "mass":
        return mass_edges(confidence, n_bins, weight)
    return np.arange(1, n_bins) / n_bins


def in_bins(confidence: FloatArray, edges: FloatArray, strategy: Strategy = "width") -> IntArray:
    """Return the bin of each confidence; one on an edge belongs to the bin above.

    Edges of equal weight are confidences of the test set itself, and are compared exactly.
    """
    slack = _ON_EDGE if strategy == "width" else 0.0
    return np.searchsorted(edges - slack, confidence, side="right")


def indicators(confidence: FloatArray, edges: FloatArray, strategy: Strategy) -> FloatArray:
    """Indicators of the bin of each sample, 0 or 1, of shape (n_samples, n_bins)."""
    return one_hot(in_bins(confidence, edges, strategy), len(edges) + 1)


def top_label(outcomes: Outcomes) -> tuple[FloatArray, FloatArray]:
    """Return the confidence and the correctness of the predicted class, (n_samples, 1)."""
    rows, top = np.arange(len(outcomes)), outcomes.predicted
    return outcomes.probabilities[rows, top][:, None], outcomes.truth[rows, top][:, None]


def each_class(outcomes: Outcomes) -> tuple[FloatArray, FloatArray]:
    """Return the confidence in each class, and its indicator, (n_samples, n_classes)."""
    return outcomes.probabilities, outcomes.truth


def columns_of(confidence: FloatArray, right: FloatArray) -> tuple[FloatArray, ...]:
    """Return the numbers that calibration errors and their intervals sum.

    1, confidence, correctness, their squared difference, and the variance of the correctness if the
    confidence is calibrated; for the terms of the Brier score also the squared correctness.
    """
    ones, gap = np.ones_like(confidence), confidence - right
    return ones, confidence, right, gap**2, confidence * (1 - confidence), right**2


# Number of these columns in calibration errors, and in terms of the Brier score.
_OF_ERRORS, _OF_TERMS = 5, 6
Pairs = Callable[[Outcomes], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True)
class Binned:
    """A formula over the sums of `columns_of` in bins, each of shape (..., n_classes, n_bins)."""

    formula: Callable[..., Any]
    n_bins: int
    n_columns: int = _OF_ERRORS

    def __call__(self, totals: FloatArray) -> Any:
        return self.formula(*self.columns(totals))

    def columns(self, totals: FloatArray) -> list[FloatArray]:
        """Sums of each column from totals of a binned statistic."""
        parts = totals.reshape(*totals.shape[:-1], -1, self.n_columns, self.n_bins)
        return [*np.moveaxis(parts, -2, 0)]

    def statistic(self, pairs: Pairs, strategy: Strategy) -> Statistic:
        """Return the statistic: a column for each (class, column, bin), bins innermost."""
        compute = partial(
            _in_their_bins, pairs=pairs, n_columns=self.n_columns, n_bins=self.n_bins,
            strategy=strategy,
        )  # fmt: skip
        over = "classes" if pairs is each_class else "top"
        name = f"calibration_{over}" if self.n_columns == _OF_ERRORS else "brier_terms"
        return Statistic(
            f"{name}_{strategy}_{self.n_bins}", compute, class_axes=int(pairs is each_class),
            of_all=strategy == "mass",
        )  # fmt: skip


def _in_their_bins(
    outcomes: Outcomes, *, pairs: Pairs, n_columns: int, n_bins: int, strategy: Strategy
) -> FloatArray:
    confidence, right = pairs(outcomes)
    # Bins of equal width do not depend on other samples.
    everyone = outcomes.whole if strategy == "mass" else outcomes
    of_all = confidence if everyone is outcomes else pairs(everyone)[0]
    n_samples, n_classes = confidence.shape
    numbers = columns_of(confidence, right)[:n_columns]
    # Filled column by column, as those who read it do.
    out, rows = np.zeros((n_classes, n_columns, n_bins, n_samples)), np.arange(n_samples)
    for j in range(n_classes):
        edges = bin_edges(of_all[:, j], n_bins, strategy, everyone.weight)
        inside = in_bins(confidence[:, j], edges, strategy)
        for column, number in zip(out[j], numbers, strict=True):
            column[inside, rows] = number[:, j]
    return out.reshape(-1, n_samples).T


def binned_metric(
    family: str, formula: Callable[..., FloatArray], *, n_bins: int = N_BINS,
    strategy: Strategy = "width", classwise: bool = False,
    contrast: Callable[..., tuple[FloatArray, FloatArray]] | None = None, **prose: Any,
) -> Metric:  # fmt: skip
    """Return the record of a calibration error, with its description."""
    check_choice("strategy", strategy, Strategy)
    check_count("n_bins", n_bins, at_least=1, at_most=MOST_BINS)
    error = Binned(formula, n_bins)
    variants = {
        "classwise": (classwise, "each class's own probability"),
        "mass": (strategy == "mass", "bins of equal weight"),
    }
    stem = "_".join([family, *(name for name, (asked, _) in variants.items() if asked)])
    options = {"n_bins": n_bins, "strategy": strategy, "classwise": classwise}
    # An absolute gap has a kink where a bin is calibrated, so no influence function.
    return Metric(
        name=stem if n_bins == N_BINS else f"{stem}_{n_bins}", family=family, smooth=False,
        statistics=(error.statistic(each_class if classwise else top_label, strategy),),
        value=error, needs="probabilities", greater_is_better=False,
        variant="; ".join(text for asked, text in variants.values() if asked),
        contrast=contrast and Binned(contrast, n_bins), intervals=_INTERVALS,
        factory=Factory(
            partial(binned_metric, family, formula, contrast=contrast, **prose), options,
            f"{stem}_{{n_bins}}", meanings=_MEANINGS,
        ),
        **prose,
    )  # fmt: skip


ECE = binned_metric(
    "ece", calibration_error,
    description="""
    Mean gap between confidence and accuracy over bins (expected calibration error).

    Rewards confidences that agree with frequencies, even if they are uninformative: a model that
    always predicts the base rate has an error of 0. It depends on the bins, and it is biased
    upward: gaps by chance count as error, so a calibrated model scores 0.07 on 100 samples,
    0.02 on 1000, and never 0. A bootstrap adds that bias again, and its interval
    never covers a calibrated model; the default interval does, as that of
    `modelcompare.inference.calibration_test`, and needs independent samples of equal weight.
    ``debiased_ece`` removes the bias from the value. Options are part of
    the name: ``ece_classwise`` uses each class's probability instead of the top one's,
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

    Measures the worst case. A bin of one sample can determine it, so with bins of equal width it
    depends mostly on the smallest bin; ``mce_mass``, with bins of equal weight, is more stable.""",
    references=("Naeini, Cooper & Hauskrecht (2015), AAAI.",),
    example=">>> round(mce([0, 1, 1, 1], [0.75, 0.75, 0.75, 0.25]), 4)\n0.25",
)  # fmt: skip


DEBIASED_ECE = binned_metric(
    "debiased_ece", debiased_error,
    description="""
    Mean gap between confidence and accuracy over bins, corrected for chance.

    Measures the same as `ece`, with the same options. In each bin the expected absolute value of
    a normal variable, with the observed gap as its mean and the gap's standard error, exceeds the
    observed one; that excess is subtracted, and a sum below 0 is 0. About half of the plug-in's
    bias is left where a model is calibrated, and almost none where it is not;
    ``rms_calibration_error`` has less. Weights count as repeats. The default interval is
    that of `modelcompare.inference.calibration_test`, which tests too; it needs independent
    samples of equal weight.""",
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

    Measures the same as `ece`, with the same options, but weighs large gaps more. The square of
    each gap minus its squared standard error is unbiased, and so is the square of this metric,
    except that sums below 0 become 0. Weights count as repeats. The default test of two models, of
    independent samples of equal weight, is of the squares over their standard error: of the values,
    where those of `ece` and other errors are of exchangeable models.""",
    contrast=squared_error,
    references=(
        "Broecker (2012), Estimating reliability and resolution of probability forecasts "
        "through decomposition of the empirical score, Climate Dynamics 39.",
        "Kumar, Liang & Ma (2019), Verified uncertainty calibration, NeurIPS.",
    ),
    example=">>> round(rms_calibration_error([0, 1, 1, 1] * 25, [0.25] * 100), 4)\n0.4981",
)  # fmt: skip


def reliability_term(
    n: FloatArray, confidence: FloatArray, right: FloatArray, *_: FloatArray
) -> FloatArray:
    """Compute squared gaps in bins, weighted by samples: the Brier score's calibration term."""
    return _as_brier(divide((confidence - right) ** 2, n, 0.0).sum(axis=-1), n)


def _resolution(
    n: FloatArray, confidence: FloatArray, right: FloatArray, gaps: FloatArray, *others: FloatArray
) -> FloatArray:
    """Compute reliability + uncertainty - Brier score, which includes the spread within bins."""
    columns = (n, confidence, right, gaps, *others)
    return reliability_term(*columns) + _uncertainty(*columns) - _as_brier(gaps.sum(axis=-1), n)


def _uncertainty(
    n: FloatArray, _confidence: FloatArray, right: FloatArray, *others: FloatArray
) -> FloatArray:
    truth = right.sum(axis=-1)
    return _as_brier(others[-1].sum(axis=-1) - divide(truth**2, n.sum(axis=-1)), n)


def _as_brier(of_classes: FloatArray, n: FloatArray) -> FloatArray:
    """Average over samples and sum over classes; halved for two classes, as brier_score is."""
    summed = divide(of_classes, n.sum(axis=-1)).sum(axis=-1)
    return summed / 2 if of_classes.shape[-1] == 2 else summed


def _brier_term(name: str, formula: Callable[..., FloatArray], **prose: Any) -> Metric:
    """Return the record of a term of the Brier score (Stephenson et al. 2008).

    Brier score = reliability - resolution + uncertainty, exactly for forecasts of any value.
    """
    term = Binned(formula, N_BINS, _OF_TERMS)
    return Metric(
        name=name, statistics=(term.statistic(each_class, "width"),), value=term,
        needs="probabilities", **prose,
    )  # fmt: skip


_STEPHENSON = "Stephenson, Coelho & Jolliffe (2008), Weather and Forecasting 23, 752-757."

BRIER_RELIABILITY = _brier_term(
    "brier_reliability", reliability_term, greater_is_better=False, bounds=(0.0, 2.0),
    intervals=_INTERVALS,
    description="""
    Squared gap of confidence and frequency over bins: the calibration term of the Brier score.

    Brier score = reliability - resolution + uncertainty. Rewards confidences that agree with
    frequencies, as `ece` does, but squared, so it is smooth and a term of a proper score. Over 15
    bins of equal width, classes summed, halved for two classes as the Brier score is.""",
    references=("Murphy (1973), Journal of Applied Meteorology 12, 595-600.", _STEPHENSON),
    example=">>> round(brier_reliability([0, 1, 1, 1], [0.5, 0.5, 0.5, 0.5]), 4)\n0.0625",
)  # fmt: skip

BRIER_RESOLUTION = _brier_term(
    "brier_resolution", _resolution, bounds=(-2.0, 2.0),
    description="""Spread of the frequencies between bins.

    Rewards forecasts that differ where outcomes differ; 0 for a constant forecast. It includes the
    spread of confidences within a bin, so that Brier score = reliability - resolution +
    uncertainty holds exactly; it can therefore be slightly negative.""",
    references=(_STEPHENSON,),
    example=">>> round(brier_resolution([0, 0, 1, 1], [0.25, 0.25, 0.75, 0.75]), 4)\n0.25",
)  # fmt: skip

BRIER_UNCERTAINTY = _brier_term(
    "brier_uncertainty", _uncertainty, greater_is_better=False, bounds=(0.0, 2.0),
    description="""Variance of the true labels: the Brier score of always predicting the base rates.

    It does not depend on the model: it measures the difficulty of the test set, and completes the
    decomposition.
    """,
    example=">>> brier_uncertainty([0, 0, 1, 1], [0.25, 0.25, 0.75, 0.75])\n0.25",
)  # fmt: skip

METRICS: tuple[AnyMetric, ...] = (
    *(with_options(error, {"classwise": classwise, "strategy": strategy}) for error in (ECE, MCE)
      for classwise in (False, True) for strategy in get_args(Strategy)),
    BRIER_RELIABILITY, BRIER_RESOLUTION, BRIER_UNCERTAINTY,
    # These have names of their bins; other bins are options.
    DEBIASED_ECE, with_options(DEBIASED_ECE, {"strategy": "mass"}),
    with_options(DEBIASED_ECE, {"classwise": True}), RMS_CALIBRATION_ERROR,
)  # fmt: skip
