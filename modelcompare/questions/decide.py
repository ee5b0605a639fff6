"""Decisions with a margin: non-inferiority, superiority, equivalence, each with three answers.

A test set shows the claim, shows its opposite, or has too few samples to decide. Both bounds of the
gain are one-sided bounds at the level alpha, and the p-value is the smallest level at which the
claim is shown, so interval, p-value and answer agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from scipy.special import ndtri

from modelcompare import plugs
from modelcompare.arguments import checked
from modelcompare.comparison.planning import Settings
from modelcompare.comparison.warned import each_warning_once
from modelcompare.data.checks import check_models
from modelcompare.data.given_arrays import check_asked, takes_arrays
from modelcompare.data.test_set import TestSet
from modelcompare.engine.scope import Scope
from modelcompare.escape import terminal
from modelcompare.metrics.classes import ValueLike
from modelcompare.questions.claims import POWER, answer_of, check_margin, claims_of
from modelcompare.questions.contrast import warn_of_undefined
from modelcompare.questions.gains import Gain
from modelcompare.report.document import Document
from modelcompare.report.fields import HIDDEN, member, value
from modelcompare.report.numbers import (
    decimals_for,
    format_number,
    interval_clause,
    p_clause,
)
from modelcompare.report.result import Result
from modelcompare.report.tables import VALUE, Table, interval_column
from modelcompare.resampling.seeds import RngLike
from modelcompare.words import (
    Answer,
    Decision,
    DecisionMethod,
    GeneralizeToOfSets,
    IntervalMethod,
    ZeroDivision,
    check_number,
    check_one_sided,
    signature,
    value_name,
)

# Words for a claim and for its opposite, between the candidate and the baseline.
_CLAIMED: dict[Decision, tuple[str, str]] = {
    "non-inferior": ("non-inferior to", "inferior to"),
    "superior": ("better than", "not better than"),
    "equivalent": ("equivalent to", "different from"),
}


@dataclass(frozen=True, kw_only=True)
class DecisionResult(Result, stem="decision", version=4, row="decision"):
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
        Candidate minus baseline, with the sign changed for losses, so that more is better. NaN
        where results are lacking, whose possible values determine the interval.
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
    unit : {"samples", "battles", "clusters"}
        Unit of `n_samples`: clusters if `groups` are given.
    method : str
        Interval method.
    n_resamples : int
        Number of resamples.
    assumption : str
        Assumed range of the scores, and their direction if it was not declared; empty for other
        metrics.
    caveat : str
        Caveat that the level is not guaranteed if single samples have no known range; else empty.
    notes : tuple of str
        Notes on the training runs and test sets for which the answer holds, if there are several.
    test_set : str
        Test set on which the gain is measured, or "mean of 6 test sets"; empty for a single one
        without a name.
    needed : float
        `n_needed`, also of definite answers.
    too_early : str
        Reason why the answer does not count before the last of several looks; else empty.
    scope : Scope
        Runs, labels and test sets that the answer is about.
    """

    baseline: str
    candidate: str
    metric: str
    label: Any
    test_set: str = ""
    kind: Decision
    margin: float
    gain: float
    ci_low: float
    ci_high: float
    alpha: float
    answer: Answer
    p_value: float
    n_samples: int
    unit: str = field(metadata=value(json="unit", after="n_needed"))
    method: IntervalMethod = field(metadata=HIDDEN)
    n_resamples: int = field(repr=False, metadata=HIDDEN)
    assumption: str = field(default="", metadata=value(after="made_with"))
    caveat: str = field(default="", metadata=value(after="assumption"))
    notes: tuple[str, ...] = field(default=(), repr=False, metadata=HIDDEN)
    needed: float = field(default=math.nan, repr=False, metadata=HIDDEN)
    too_early: str = field(default="", repr=False, metadata=HIDDEN)
    scope: Scope = field(repr=False, metadata=HIDDEN)

    @property
    @member(in_row=False, before="baseline")
    def passed(self) -> bool:
        """True if the claim is shown."""
        return self.answer == "shown"

    @property
    @member(after="n_samples")
    def n_needed(self) -> float:
        """Number of samples with which the test would have power 0.8.

        If the true gain is the observed one. NaN if the answer is definite, results are lacking, or
        for new runs or test sets; infinite if the gain equals the margin.
        """
        undecided = self.answer == "not enough data" and not self.varies
        return self.needed if undecided else math.nan

    @property
    @member(after="n_needed")
    def detectable(self) -> float:
        """True gain at which this test set shows the claim with power 0.8; of equivalence, margin.

        That of equivalence is for a true gain of 0. Infinite without bounds.
        """
        times = 1 + float(ndtri(POWER) / -ndtri(self.alpha))
        if self.kind != "equivalent":
            threshold = self.margin if self.kind == "superior" else -self.margin
            return threshold + times * (self.gain - self.ci_low)
        times = 1 + float(ndtri((1 + POWER) / 2) / -ndtri(self.alpha))
        return times * (self.ci_high - self.ci_low) / 2

    @property
    @member(after="unit")
    def made_with(self) -> dict[str, object]:
        """Number of resamples, interval method and scope, for the signature."""
        scope = self.scope
        beside = {
            "any-time": scope.any_time, "generalize_to": scope.generalize_to,
            **scope.marks,
        }  # fmt: skip
        given = {name: value for name, value in beside.items() if value}
        return {"B": self.n_resamples, "ci": self.method, **given}

    @property
    def varies(self) -> bool:
        """True if the answer is for new runs of the training procedures, or for new test sets."""
        return self.scope.generalize_to is not None

    @property
    def signature(self) -> str:
        return signature(
            "decide", n=self.n_samples, kind=self.kind, margin=self.margin, alpha=self.alpha,
            **self.made_with, **self.scope.at_hand,
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

    @member(in_row=False, after="caveat")
    def sentence(self) -> str:
        """Write the answer as one sentence, followed by the notes."""
        return terminal(" ".join([self._answer_in_words(), *self.notes]))

    @property
    def claims(self) -> tuple[str, str]:
        """The claim and its opposite in words."""
        margin = f" (margin {self.margin:g})"
        if self.kind == "superior":
            margin = f" by more than {self.margin:g}" if self.margin else ""
        claim, opposite = (f"{words} {self.baseline}{margin}" for words in _CLAIMED[self.kind])
        return claim, opposite

    @property
    def what(self) -> str:
        """The metric, its class and the test set, in words."""
        where = f" ({self.test_set})" if self.test_set else ""
        return f"{value_name(self.metric, self.label)}{where}"

    def _answer_in_words(self) -> str:
        (claim, opposite), what = self.claims, self.what
        n = f"{self.n_samples:,} {self.unit}"
        if math.isnan(self.ci_low):
            return (
                f"It cannot be decided whether {self.candidate} is {claim} in {what}, which is "
                f"undefined for one of the two on this test set ({n})."
            )
        known = not math.isnan(self.gain)
        gain = format_number(self.gain, self.decimals, signed=True) if known else "unknown"
        interval = interval_clause(self.ci_low, self.ci_high, self.decimals, 1 - 2 * self.alpha)
        numbers = f"gain {gain}, {interval}, {p_clause(self.p_value)}"
        when = " at any time" if self.scope.any_time else ""
        alpha = f"one-sided alpha {self.alpha:.3g}{when}"
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
        if self.varies:
            return f" More {self.scope.more} would be, or more samples."
        if math.isnan(self.gain):
            return " The lacking results may be."
        if math.isinf(self.ci_high - self.ci_low):
            return f" More {self.unit} would give the gain bounds."
        least = format_number(self.detectable, self.decimals, signed=self.kind != "equivalent")
        if self.kind == "equivalent":
            return f" At a true gain of 0 they decide margins of {least} or more (power {POWER:g})."
        return f" They decide it at a true gain of {least} or more (power {POWER:g})."


@takes_arrays
@checked(predictions=check_asked, alpha=check_one_sided)
def decide(
    predictions: TestSet | Mapping[str, TestSet],
    baseline: str,
    candidate: str,
    metric: ValueLike = "f1_macro",
    *,
    kind: Decision = "non-inferior",
    margin: float = 0.0,
    alpha: float = 0.05,
    method: DecisionMethod = "auto",
    generalize_to: GeneralizeToOfSets = "auto",
    n_resamples: int = 9999,
    zero_division: ZeroDivision = math.nan,
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
    predictions : Predictions, or mapping of str to Predictions
        A test set with both models; or several by name, to decide on the mean over them, with equal
        weights. For other weights, test sets that lack a model, and decisions on each of them see
        `gate`.
    baseline, candidate : str
        The models.
    metric : str, metric or callable, or a pair of it and a class
        Metric on which to decide; of a metric per class also the class, as in ``"f1[fraud]"``, or
        as ``(metric, "fraud")``. By default that is the positive one of two. Losses change sign, so
        that a gain is always good. If scores or functions have no declared direction, it is
        inferred from their name, and the sentence states this.
    kind : {"non-inferior", "superior", "equivalent"}
        Non-inferior: the lower bound of the gain lies above -margin. Superior: above +margin.
        Equivalent: the whole interval lies within the margins (two one-sided tests, TOST). The
        opposite is shown if the other bound lies beyond the margin.
    margin : float
        The smallest difference that matters, at least 0; above 0 unless `kind` is "superior".
    alpha : float
        One-sided level; the interval has the confidence level 1 - 2 alpha.
    method : str
        Type of interval, as in `compare`; or "any-time" for bounds whose level holds for all
        answers together while samples are added, however often and whenever they are asked for.
        Means of numbers with a known range are then bounded by betting, at about half the power of
        a single look; other metrics asymptotically, from 50 samples and ten in favour of each model
        on.
    generalize_to, n_resamples, zero_division, rng
        As in `compare`; for several test sets `generalize_to` is as in `compare_groups`. For new
        runs, or test sets, no number of samples is given that would decide: more of these may be
        needed.

    Returns
    -------
    DecisionResult

    Raises
    ------
    ValueError
        If the margin is not valid for `kind`, or a test set lacks a model.

    Warns
    -----
    SparseDataWarning
        If intervals may cover less than their level; see `compare`.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> result = mc.decide(preds, "bow_pair", "naive_bayes", "accuracy", margin=0.005)
    >>> print(result.sentence())
    naive_bayes is inferior to bow_pair (margin 0.005) in accuracy: gain -0.0182,
    90 % CI -0.0250 to -0.0115, p = 1.00 (9,824 samples, one-sided alpha 0.05).
    """
    if check_number("margin", margin) == 0 and kind != "superior":
        raise ValueError(f"`margin` must be above 0 to ask for {kind}, got 0.")
    gain_on: Callable[..., Gain] = plugs.answering(predictions, "decide", _gain_on)
    found = gain_on(
        predictions, (candidate, baseline), metric, method, Settings(
            generalize_to=generalize_to, n_resamples=n_resamples, zero_division=zero_division,
            rng=rng,
        ),
    )  # fmt: skip
    with each_warning_once():
        found.warn_of_sparse_data("auto" if method == "any-time" else method)
    return _decision(found, baseline, candidate, kind, margin, alpha, n_resamples)


def _gain_on(
    predictions: TestSet, models: tuple[str, str], metric: ValueLike, method: DecisionMethod,
    settings: Settings,
) -> Gain:  # fmt: skip
    """Return the gain of the first model over the second on a test set."""
    check_models(predictions.models, baseline=models[1], candidate=models[0])
    if method == "any-time":
        at_any_time: type[Gain] = plugs.behind("method='any-time'")
        return at_any_time.of(predictions, models, metric, replace(settings, method="auto"))
    return Gain.of(predictions, models, metric, replace(settings, method=method))


def _decision(
    found: Gain, baseline: str, candidate: str, kind: Decision, margin: float, alpha: float,
    n_resamples: int,
) -> DecisionResult:  # fmt: skip
    """Decide about a gain."""
    first, unseen, n = found.contrast, found.unseen, found.n_units
    check_margin(margin, first.metric)
    warn_of_undefined(first.metric.name, first.label, unseen.gain, (baseline, candidate))
    ends = found.planned(alpha)
    found.check_width(ends)
    claims = claims_of(kind, margin)
    low, high = found.bounds(alpha)
    return DecisionResult(
        baseline=baseline, candidate=candidate, metric=first.metric.name, label=first.label,
        kind=kind, margin=margin, gain=found.gain, ci_low=low, ci_high=high, alpha=alpha,
        answer=answer_of(claims, (low, high)),
        p_value=max(found.p_value(*claim) for claim in claims), n_samples=n, unit=found.unit,
        method=found.method, n_resamples=n_resamples, assumption=unseen.assumption(first.metric),
        caveat=unseen.caveat(first.metric, n, found.unit), notes=found.notes,
        test_set=found.test_set, needed=found.n_needed(kind, margin, alpha, ends),
        too_early=found.too_early, scope=found.scope,
    )  # fmt: skip
