"""Decisions with a margin: non-inferiority, superiority, equivalence, each with three answers.

A test set shows the claim, shows its opposite, or has too few samples to decide. Both bounds of the
gain are one-sided bounds at the level alpha, and the p-value is the smallest level at which the
claim is shown, so interval, p-value and answer agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from scipy.optimize import brentq
from scipy.special import ndtri

from modelcompare.arguments import checked
from modelcompare.comparison.planning import serve
from modelcompare.data.checks import check_models
from modelcompare.data.test_set import TestSet
from modelcompare.engine.units import THESE_RUNS
from modelcompare.intervals.calibration import refusal, why_refused
from modelcompare.metrics.calibration import calibration_formula
from modelcompare.metrics.classes import one_value
from modelcompare.metrics.registry import MetricLike
from modelcompare.questions.contrast import Contrast, warn_of_undefined
from modelcompare.questions.unseen import Unseen
from modelcompare.report.document import Document
from modelcompare.report.numbers import (
    decimals_for,
    format_number,
    format_size,
    interval_clause,
    p_clause,
)
from modelcompare.report.result import Result
from modelcompare.report.tables import VALUE, Table, interval_column
from modelcompare.resampling.seeds import RngLike
from modelcompare.words import (
    Answer,
    Decision,
    IntervalMethod,
    Random,
    ZeroDivision,
    check_number,
    check_one_sided,
    giving,
    signature,
    value_name,
)

Ends = tuple[float, float]
# One-sided level -> lower and upper bound of the gain.
Bounds = Callable[[float], Ends]
# Words for a claim and for its opposite, between the candidate and the baseline.
_CLAIMED: dict[Decision, tuple[str, str]] = {
    "non-inferior": ("non-inferior to", "inferior to"),
    "superior": ("better than", "not better than"),
    "equivalent": ("equivalent to", "different from"),
}
_SMALLEST, _LARGEST = 1e-9, 0.5 - 1e-9
_POWER = 0.8


@dataclass(frozen=True)
class DecisionResult(Result):
    """Decision about a candidate against a baseline.

    Attributes
    ----------
    baseline, candidate, metric, label
        The compared models, the metric and its class.
    kind : {"non-inferior", "superior", "equivalent"}
        The claim that was tested.
    margin : float
        Margin in units of the metric.
    gain : float
        Candidate minus baseline, with the sign changed for losses, so that more is better.
    ci_low, ci_high : float
        Interval of the gain at the confidence level 1 - 2 alpha: each end is a one-sided bound.
    alpha : float
        One-sided level (of each of the two tests, for equivalence).
    answer : {"shown", "shown otherwise", "not enough data"}
        The claim is shown, its opposite is, or neither.
    p_value : float
        Smallest one-sided level at which the claim is shown.
    n_samples : int
        Number of samples (or clusters).
    n_needed : float
        Number of samples with which the test would have power 0.8 if the true gain is the observed
        one; NaN if the answer is definite or for new runs, infinite if the gain equals the margin.
    unit : {"samples", "clusters"}
        Unit of `n_samples`: clusters if `groups` are given.
    made_with : dict
        Interval method, number of resamples and seed, for the signature.
    assumption : str
        Assumed range of the scores, and their direction if it was not declared; empty for other
        metrics.
    caveat : str
        Caveat that the level is not guaranteed if single samples have no known range; else empty.
    notes : tuple of str
        Note on the training runs for which the answer holds, if there are several.
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
    answer: Answer
    p_value: float
    n_samples: int
    n_needed: float
    unit: str
    made_with: Mapping[str, object]
    assumption: str = ""
    caveat: str = ""
    notes: tuple[str, ...] = field(default=(), repr=False)

    _stem: ClassVar[str] = "decision"
    _schema_version: ClassVar[int] = 2
    _members: ClassVar[str] = """
        passed baseline candidate metric label kind:decision margin gain ci_low ci_high alpha answer
        p_value n_samples n_needed unit made_with assumption caveat sentence signature
        decision=_row: baseline candidate metric label kind:decision margin gain ci_low ci_high
          alpha answer p_value n_samples n_needed unit made_with assumption caveat
    """

    @property
    def passed(self) -> bool:
        """True if the claim is shown."""
        return self.answer == "shown"

    @property
    def new_runs(self) -> bool:
        """True if the answer is for new runs of the training procedures."""
        return "random" in self.made_with

    @property
    def signature(self) -> str:
        return signature(
            "decide", n=self.n_samples, kind=self.kind, margin=self.margin, alpha=self.alpha,
            **self.made_with, **{THESE_RUNS: bool(self.notes) and not self.new_runs},
        )  # fmt: skip

    @property
    def row(self) -> dict[str, object]:
        """The answer, all fields and the sentence, as one row."""
        return {name: value for name, value in self._values.items() if name != "signature"}

    def document(self) -> Document:
        table = Table.of(
            f"Is {self.candidate} {self.kind}?", self._row, "candidate", "baseline", VALUE,
            "margin", "gain", interval_column(1 - 2 * self.alpha), "p_value", "answer",
            decimals=self.decimals,
        )  # fmt: skip
        return self._document({"decision": table}, findings=[self.sentence()])

    @property
    def decimals(self) -> int:
        """Number of decimals at which a quarter of the interval's width has two digits."""
        return decimals_for([(self.ci_high - self.ci_low) / 4])

    def sentence(self) -> str:
        """Write the answer as one sentence, followed by the notes."""
        return " ".join([self._answer_in_words(), *self.notes])

    def _answer_in_words(self) -> str:
        margin = f" (margin {self.margin:g})"
        if self.kind == "superior":
            margin = f" by more than {self.margin:g}" if self.margin else ""
        claim, opposite = (f"{words} {self.baseline}{margin}" for words in _CLAIMED[self.kind])
        what = value_name(self.metric, self.label)
        n = f"{self.n_samples:,} {self.unit}"
        if math.isnan(self.gain):
            return (
                f"It cannot be decided whether {self.candidate} is {claim} in {what}, which is "
                f"undefined for one of the two on this test set ({n})."
            )
        gain = format_number(self.gain, self.decimals, signed=True)
        interval = interval_clause(self.ci_low, self.ci_high, self.decimals, 1 - 2 * self.alpha)
        numbers = f"gain {gain}, {interval}, {p_clause(self.p_value)}"
        alpha = f"one-sided alpha {self.alpha:g}"
        alpha += f"; {self.assumption}" if self.assumption else ""
        caveat = f" {self.caveat}" if self.caveat else ""
        if self.answer == "not enough data":
            asked = f"whether {self.candidate} is {claim} in {what}"
            return (
                f"{n} are not enough to decide {asked}: {numbers} ({alpha})."
                f"{self._what_would_settle()}{caveat}"
            )
        claimed = claim if self.passed else opposite
        return f"{self.candidate} is {claimed} in {what}: {numbers} ({n}, {alpha}).{caveat}"

    def _what_would_settle(self) -> str:
        if self.new_runs:
            return " More runs of both models would be, or more samples."
        if not self.n_needed <= 1e9:
            return " No test set of practical size would be, at the observed gain."
        needed = f"{format_size(self.n_needed)} {self.unit}"
        return f" About {needed} would be, if the true gain is the observed one."


@checked(predictions=giving("sums"), alpha=check_one_sided)
def decide(
    predictions: TestSet,
    baseline: str,
    candidate: str,
    metric: MetricLike = "f1_macro",
    *,
    kind: Decision = "non-inferior",
    margin: float = 0.0,
    label: Any = None,
    alpha: float = 0.05,
    method: IntervalMethod = "auto",
    random: Random = "auto",
    n_resamples: int = 9999,
    zero_division: ZeroDivision = math.nan,
    n_jobs: int | None = None,
    rng: RngLike = 0,
) -> DecisionResult:
    """Decide between a baseline and a candidate on the same test set.

    If the metric is a mean of numbers with a known range (accuracy, the Brier score, scores within
    `Predictions.bounds`), each bound allows for about one more sample, or cluster, with the worst
    possible difference: a failure that the test set did not contain. For models that hardly differ
    on the test set, non-inferiority or equivalence is therefore not shown by a margin below about
    three times the range over the number of samples.

    Parameters
    ----------
    predictions : Predictions
        A test set with both models.
    baseline, candidate : str
        The models.
    metric : str, metric or callable
        Metric on which to decide. Losses change sign, so that a gain is always good. If scores or
        functions have no declared direction, it is inferred from their name, and the sentence
        states this.
    kind : {"non-inferior", "superior", "equivalent"}
        Non-inferior: the lower bound of the gain lies above -margin. Superior: above +margin.
        Equivalent: the whole interval lies within the margins (two one-sided tests, TOST). The
        opposite is shown if the other bound lies beyond the margin.
    margin : float
        The smallest difference that matters, at least 0; above 0 unless `kind` is "superior".
    label : optional
        The class, for a metric per class.
    alpha : float
        One-sided level; the interval has the confidence level 1 - 2 alpha.
    method, random, n_resamples, zero_division, n_jobs, rng
        As in `compare`. For new runs no number of samples is given that would decide: more runs may
        be needed as well.

    Returns
    -------
    DecisionResult

    Raises
    ------
    ValueError
        If the margin is not valid for `kind`.

    Warns
    -----
    SparseDataWarning
        If the metric depends on fewer than ten samples, or clusters; see `compare`.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> result = mc.decide(preds, "bow_pair", "naive_bayes", "accuracy", margin=0.005)
    >>> print(result.sentence())
    naive_bayes is inferior to bow_pair (margin 0.005) in accuracy: gain -0.0182,
    90 % CI -0.0250 to -0.0115, p = 1.00 (9,824 samples, one-sided alpha 0.05).
    """
    check_models(predictions.models, baseline=baseline, candidate=candidate)
    if check_number("margin", margin) == 0 and kind != "superior":
        raise ValueError(f"`margin` must be above 0 to ask for {kind}, got 0.")
    metric, label = one_value(metric, label, predictions)
    predictions, method, *_ = serve(predictions, metric, method=method, zero_division=zero_division)
    contrast = Contrast.between(
        predictions, candidate, baseline, metric, label=label, zero_division=zero_division,
        n_resamples=n_resamples, n_jobs=n_jobs, rng=rng, random=random,
    )  # fmt: skip
    new_runs, sign = contrast.sample.new_runs, 1.0 if contrast.metric.greater_is_better else -1.0
    unseen, claims, n = Unseen.of(contrast, sign), _claims(kind, margin), contrast.n_units

    def seen(level: float) -> Ends:
        return _turned(sign, contrast.interval(method, 1 - 2 * level))

    contrast.warn_of_sparse_data()
    ends, gain = seen(alpha), unseen.gain
    warn_of_undefined(contrast.metric.name, label, gain, (baseline, candidate))
    if not (math.isnan(gain) or ends[0] < ends[1]):
        _refuse_no_width(contrast, method, ends[0])
    # For equivalence, the threshold nearer to the gain.
    threshold = math.copysign(margin, gain) if kind == "equivalent" else claims[0][1]
    needed = max(
        _n_needed(kind, threshold, gain, ends, alpha, n),
        unseen.n_needed(threshold, alpha, float(ndtri(_POWER)), n),
    )

    def bounds(level: float) -> Ends:
        return unseen.widened(seen(level), level)

    low, high = unseen.widened(ends, alpha)
    found = _answer(claims, (low, high))
    return DecisionResult(
        baseline, candidate, contrast.metric.name, label, kind, margin, gain, low, high, alpha,
        found, max(_p_above(*claim, bounds) for claim in claims), n,
        needed if found == "not enough data" and not new_runs else math.nan, contrast.unit,
        {"B": n_resamples, "ci": method, **({"random": "items+runs"} if new_runs else {})},
        unseen.assumption(contrast.metric),
        unseen.caveat(contrast.metric, n, contrast.unit), contrast.notes,
    )  # fmt: skip


def _refuse_no_width(contrast: Contrast, method: IntervalMethod, low: float) -> None:
    """Raise an error that gives the reason why the gain has no interval."""
    predictions = contrast.evaluation.predictions
    if method == "auto" and calibration_formula(contrast.metric) and why_refused(predictions):
        raise ValueError(refusal(predictions, [contrast.metric.name]))
    raise ValueError(
        f"the {method} interval of the gain in {contrast.metric.name} has "
        f"{'no bounds' if math.isnan(low) else 'width 0'}: the resamples do not determine "
        "its uncertainty. Use method='auto'."
    )


def _claims(kind: Decision, margin: float) -> list[tuple[float, float]]:
    """Return the one-sided claims of which a claim consists: sign * gain > threshold."""
    above = (1.0, margin if kind == "superior" else -margin)
    return [above, (-1.0, -margin)] if kind == "equivalent" else [above]


def _turned(sign: float, ends: Ends) -> Ends:
    """Return the bounds of a quantity times a sign, given the bounds of the quantity."""
    return ends if sign > 0 else (-ends[1], -ends[0])


def _answer(claims: Sequence[tuple[float, float]], ends: Ends) -> Answer:
    """Return the answer that an interval of the gain gives; undefined bounds decide nothing."""
    turned = [(*_turned(sign, ends), threshold) for sign, threshold in claims]
    if all(low > threshold for low, _, threshold in turned):
        return "shown"
    otherwise = any(high < threshold for _, high, threshold in turned)
    return "shown otherwise" if otherwise else "not enough data"


def _p_above(sign: float, threshold: float, bounds: Bounds) -> float:
    """Return the level at which the lower bound equals a threshold, which is the p-value.

    Above a half it is one minus the level at which the upper bound equals the threshold.
    """
    lower, upper = _turned(sign, bounds(_LARGEST))
    if math.isnan(lower):
        return math.nan
    side = 0 if lower > threshold else 1 if upper < threshold else None
    if side is None:
        return 0.5

    def distance(level: float) -> float:
        return _turned(sign, bounds(level))[side] - threshold

    at_smallest = distance(_SMALLEST)
    reached = at_smallest > 0 if side == 0 else at_smallest < 0
    level = _SMALLEST if reached else float(brentq(distance, _SMALLEST, _LARGEST, xtol=1e-10))
    return level if side == 0 else 1 - level


def _n_needed(
    kind: Decision, threshold: float, gain: float, ends: Ends, alpha: float, n: int
) -> float:
    """Return the number of samples needed to decide if the interval shrinks with 1 / sqrt(n)."""
    low, high = ends
    reach = gain - low if gain > threshold else high - gain
    if kind == "equivalent":
        reach = (high - low) / 2
    distance = abs(gain - threshold)
    if distance == 0 or math.isnan(distance):
        return math.inf
    z_alpha, z_power = float(-ndtri(alpha)), float(ndtri(_POWER))
    needed = n * ((z_alpha + z_power) / z_alpha * (reach / distance)) ** 2
    return math.ceil(needed) if math.isfinite(needed) else math.inf
