"""Decisions with a margin: non-inferiority, superiority, equivalence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from modelcompare.metrics.registry import MetricLike
from modelcompare.predictions import Predictions
from modelcompare.questions.contrast import Contrast
from modelcompare.report.numbers import decimals_for, format_interval, format_number, interval_title
from modelcompare.report.result import Result
from modelcompare.report.tables import VALUE, Column, Table, interval_column
from modelcompare.resampling import RngLike
from modelcompare.words import (
    Decision,
    IntervalMethod,
    ZeroDivision,
    check_choice,
    check_count,
    check_fraction,
    signature,
    value_name,
)


@dataclass(frozen=True)
class DecisionResult(Result):
    """What the test set says about a candidate against a baseline.

    Attributes
    ----------
    baseline, candidate, metric, label
        What was compared.
    kind : {"non-inferior", "superior", "equivalent"}
        What was asked.
    margin : float
        In units of the metric.
    gain : float
        Candidate minus baseline, turned so that more is better.
    ci_low, ci_high : float
        Interval of the gain at the confidence 1 - 2 alpha: its lower end is a one-sided bound.
    alpha : float
        One-sided level (of each of the two tests, for equivalence).
    passed : bool
        Whether it is shown.
    n_samples : int
        Samples (or clusters).
    unit : {"samples", "clusters"}
        What is counted: clusters where `groups` are given.
    """

    baseline: str
    candidate: str
    metric: str
    label: Any
    kind: Decision
    margin: float
    gain: float
    ci_low: float
    ci_high: float
    alpha: float
    passed: bool
    n_samples: int
    unit: str = "samples"

    stem: ClassVar[str] = "decision"

    @property
    def signature(self) -> str:
        parts = {
            "n": self.n_samples, "kind": self.kind, "margin": f"{self.margin:g}",
            "alpha": f"{self.alpha:g}",
        }  # fmt: skip
        return signature("decide", parts)

    def findings(self) -> list[str]:
        return [self.sentence()]

    def tables(self) -> dict[str, Table]:
        columns = [
            Column("candidate"), Column("baseline"), VALUE, Column("margin", "setting"),
            Column("gain", "difference"), interval_column(1 - 2 * self.alpha),
            Column("shown", of=["passed"]),
        ]  # fmt: skip
        title, frame = f"Is {self.candidate} {self.kind}?", pd.DataFrame([vars(self)])
        table = Table(title, columns, frame, decimals=self._decimals)
        return {"decision": table}

    @property
    def _decimals(self) -> int:
        """As many as the interval bears: two digits of a quarter of its width."""
        return decimals_for([(self.ci_high - self.ci_low) / 4])

    def sentence(self) -> str:
        """Say it in one honest sentence."""
        what = value_name(self.metric, self.label)
        word = {
            "non-inferior": f"not worse than {self.baseline} by {self.margin:g} or more",
            "superior": f"better than {self.baseline}"
            + (f" by more than {self.margin:g}" if self.margin else ""),
            "equivalent": f"within {self.margin:g} of {self.baseline}",
        }[self.kind]
        shown = "is shown to be" if self.passed else "is not shown to be"
        if math.isnan(self.gain):
            return (
                f"{self.candidate} {shown} {word} in {what}, which is undefined for one of the two "
                f"on this test set ({self.n_samples:,} {self.unit})."
            )
        gain = format_number(self.gain, self._decimals, signed=True)
        interval = format_interval(self.ci_low, self.ci_high, self._decimals)
        return (
            f"{self.candidate} {shown} {word} in {what}: gain {gain}, "
            f"{interval_title(1 - 2 * self.alpha)} {interval} ({self.n_samples:,} {self.unit}, "
            f"one-sided alpha {self.alpha:g})."
        )


def decide(
    predictions: Predictions,
    baseline: str,
    candidate: str,
    metric: MetricLike = "f1_macro",
    *,
    kind: Decision = "non-inferior",
    margin: float = 0.0,
    label: Any = None,
    alpha: float = 0.05,
    method: IntervalMethod = "auto",
    n_resamples: int = 9999,
    zero_division: ZeroDivision = math.nan,
    n_jobs: int | None = None,
    rng: RngLike = 0,
) -> DecisionResult:
    """Decide between a baseline and a candidate on the same test set.

    Parameters
    ----------
    predictions : Predictions
        A test set that holds both models.
    baseline, candidate : str
        The models.
    metric : str, metric or callable
        What counts; losses are turned, so that a gain is always good.
    kind : {"non-inferior", "superior", "equivalent"}
        Non-inferior: the lower bound of the gain lies above -margin. Superior: above +margin.
        Equivalent: the whole interval lies within the margins (two one-sided tests, TOST).
    margin : float
        The smallest difference that matters, not negative; above 0 unless superiority is asked.
    label : optional
        The class, for a metric per class.
    alpha : float
        One-sided level; the interval has the confidence 1 - 2 alpha.
    method, n_resamples, zero_division, n_jobs, rng
        As in `compare`.

    Returns
    -------
    DecisionResult

    Raises
    ------
    ValueError
        If the margin does not fit the question.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> result = mc.decide(preds, "bow_pair", "naive_bayes", "accuracy", margin=0.005)
    >>> print(result.sentence())
    naive_bayes is not shown to be not worse than bow_pair by 0.005 or more in accuracy: gain
    -0.0182, 90 % CI -0.0249 to -0.0116 (9,824 samples, one-sided alpha 0.05).
    """
    check_choice("kind", kind, Decision)
    check_choice("method", method, IntervalMethod)
    check_fraction("alpha", alpha, below=0.5)
    check_count("n_resamples", n_resamples)
    if margin < 0 or not math.isfinite(margin) or (margin == 0 and kind != "superior"):
        raise ValueError(
            f"`margin` must be {'at least' if kind == 'superior' else 'above'} 0 to ask for "
            f"{kind}, got {margin:g}."
        )
    contrast = Contrast.of(
        predictions, candidate, baseline, metric, label=label, zero_division=zero_division,
        n_resamples=n_resamples, n_jobs=n_jobs, rng=rng,
    )  # fmt: skip
    sign = 1.0 if contrast.metric.greater_is_better else -1.0
    low, high = sorted(sign * end for end in contrast.interval(method, 1 - 2 * alpha))
    gain = sign * contrast.difference
    passed = {
        "non-inferior": low > -margin,
        "superior": low > margin,
        "equivalent": low > -margin and high < margin,
    }[kind]
    return DecisionResult(
        baseline, candidate, contrast.metric.name, label, kind, margin, gain, low, high, alpha,
        bool(passed), contrast.n_units, contrast.unit,
    )  # fmt: skip
