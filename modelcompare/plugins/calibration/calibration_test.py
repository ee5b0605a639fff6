"""A test of calibration, and an interval of the calibration error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from modelcompare.arguments import checked
from modelcompare.data.predictions import Predictions
from modelcompare.engine.partition import partition_of
from modelcompare.metrics import resolve_metrics
from modelcompare.plugins.calibration.bin_gaps import calibration_error
from modelcompare.plugins.calibration.in_bins import interval_of_model, sums_in_bins
from modelcompare.plugins.calibration.metrics import bin_edges, indicators
from modelcompare.plugins.calibration.reliability import confidences
from modelcompare.report.document import Document
from modelcompare.report.result import Result
from modelcompare.report.tables import Table, column, interval_column
from modelcompare.resampling.draws import events
from modelcompare.resampling.seeds import RngLike, rng_label, seed_sequence
from modelcompare.significance.extreme import n_extreme, resampling_p
from modelcompare.words import Strategy, signature


@dataclass(frozen=True, kw_only=True)
class CalibrationTest(Result, stem="calibration", title="Calibration", row="calibration"):
    """A test of the calibration of one model, and its calibration error.

    Attributes
    ----------
    model, label
        The model, and the class whose probabilities are tested; None for the predicted class.
    statistic : float
        The plug-in expected calibration error (`modelcompare.metrics.ece`).
    p_value : float
        P-value of the test: the probability of an error at least as large if the model is
        calibrated.
    estimate : float
        The debiased error (`modelcompare.metrics.debiased_ece`).
    ci_low, ci_high : float
        Interval of the error that the model has in the population, on the same bins.
    confidence_level : float
        Confidence level of the interval.
    n_bins, strategy
        Number of bins, and how they are chosen.
    n_samples, n_resamples : int
        Number of samples, and of sets of events drawn under the null.
    seed_label : str
        Seed of these draws.
    """

    model: str
    label: Any
    statistic: float
    p_value: float
    estimate: float
    ci_low: float
    ci_high: float
    confidence_level: float
    n_bins: int
    strategy: Strategy
    n_samples: int
    n_resamples: int
    seed_label: str

    @property
    def signature(self) -> str:
        return signature(
            "calibration_test", n=self.n_samples, B=self.n_resamples, bins=self.n_bins,
            by=self.strategy, label="top" if self.label is None else str(self.label),
            level=self.confidence_level, rng=self.seed_label,
        )  # fmt: skip

    def document(self) -> Document:
        about = "the predicted class" if self.label is None else f"class {self.label}"
        table = Table.of(
            f"Are the probabilities of {about} right?", self._row, "model",
            column("plug-in error", "statistic", kind="estimate"), "p_value",
            column("debiased error", "estimate"), interval_column(self.confidence_level),
            decimals=3,
        )  # fmt: skip
        return self._document({"calibration": table})


@checked()
def calibration_test(
    predictions: Predictions,
    *,
    n_bins: int = 15,
    strategy: Strategy = "width",
    label: Any = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    rng: RngLike = 0,
) -> CalibrationTest:
    """Test whether a model is calibrated, and estimate its calibration error.

    The null is that every probability is correct: each sample's event (that the predicted class, or
    `label`, is the true one) occurs independently, with the probability that the model gave it.
    Under the null, and given the probabilities, the distribution of the expected calibration error
    is known for any number of samples and bins. The test draws from it, so its level is exact.

    Parameters
    ----------
    predictions : Predictions
        A test set with probabilities of one model, as in ``preds["cnn"]``; independent samples of
        equal weight, hard labels.
    n_bins : int
        Number of bins of confidence.
    strategy : {"width", "mass"}
        Bins of equal width, or of equally many samples. A confidence on an edge belongs to the bin
        above, 1 to the last.
    label : label, optional
        The class whose probabilities are tested; by default the predicted class.
    confidence_level : float
        Confidence level of the interval.
    n_resamples : int
        Number of sets of events that are drawn under the null.
    rng : int, Generator, SeedSequence or None
        Source of randomness.

    Returns
    -------
    CalibrationTest

    Raises
    ------
    ValueError
        If there are several models, or no probabilities, or samples are weighted, clustered or have
        soft labels.

    Notes
    -----
    The interval is that of `compare` for ``debiased_ece``: it inverts two tests of the plug-in
    error and covers also if the true error is 0, where bootstrap intervals never cover. It does not
    account for miscalibration within bins. A single event with a probability of exactly 1 that does
    not occur refutes the null.

    References
    ----------
    .. [1] Broecker & Smith (2007), Increasing the reliability of reliability diagrams, Weather and
       Forecasting 22 (consistency resampling).
    .. [2] Vaicenavicius et al. (2019), Evaluating model calibration in classification, AISTATS.

    Examples
    --------
    >>> import modelcompare as mc
    >>> found = mc.inference.calibration_test(mc.load_example("snli")["mlp"], n_resamples=999)
    >>> print(f"{found.estimate:.3f} ({found.ci_low:.3f} to {found.ci_high:.3f})")
    0.037 (0.019 to 0.046)
    """
    if len(predictions.models) != 1:
        known = ", ".join(predictions.models)
        first = f"preds[{predictions.models[0]!r}]"
        raise ValueError(f"calibration is tested of one model; choose it, as {first}, of {known}.")
    (chosen,) = predictions.models
    _check_plain(predictions)
    resolve_metrics("ece", predictions)
    confidence, right = confidences(predictions, chosen, label)
    inside = indicators(confidence, bin_edges(confidence, n_bins, strategy), strategy)
    n = len(confidence)
    columns = sums_in_bins(confidence, right, inside, np.ones((1, n)))
    statistic = float(calibration_error(*columns))
    extreme = 0
    for drawn in events(confidence, n_resamples, seed_sequence(rng)):
        errors = np.abs(drawn @ inside - confidence @ inside).sum(axis=1) / n
        extreme += int(n_extreme(errors, statistic, "greater", scale=statistic))
    estimate, low, high = interval_of_model(columns, confidence_level)
    return CalibrationTest(
        model=chosen, label=label, statistic=statistic,
        p_value=float(resampling_p(extreme, n_resamples)), estimate=estimate, ci_low=low,
        ci_high=high, confidence_level=confidence_level, n_bins=n_bins, strategy=strategy,
        n_samples=n, n_resamples=n_resamples, seed_label=rng_label(rng),
    )  # fmt: skip


def _check_plain(predictions: Predictions) -> None:
    if partition_of(predictions) is not None or not predictions.access.plain:
        raise ValueError(
            "calibration_test needs independent samples of equal weight: take one sample of each "
            "cluster, or leave the weights out; `reliability` has bands for both."
        )
    if predictions.access.true_distribution is not None:
        raise ValueError("calibration_test needs hard labels; `y_true` holds distributions.")
