"""Rules over several test sets: decisions about their mean, each of them, or any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from modelcompare.data.test_set import TestSet
from modelcompare.escape import terminal
from modelcompare.plugins.suites.checks import check_decided
from modelcompare.plugins.suites.weights import weighted_sets, within
from modelcompare.questions.decide import DecisionResult, decide
from modelcompare.questions.gate_result import RuleAnswer
from modelcompare.report.numbers import some_of
from modelcompare.words import Answer, MissingSets, WeightsOfSets, value_name


@dataclass(frozen=True)
class AnswerOnEach(RuleAnswer):
    """Answer to a rule about each of several test sets, which all must show."""

    @property
    def answered(self) -> list[tuple[Answer, str]]:
        """The count of test sets, and the sentences of those where the rule fails."""
        failed = [(each.answer, each.sentence()) for each in self.decisions if not each.passed]
        return [(self.answer, self._count), *failed]

    @property
    def _count(self) -> str:
        """On how many test sets the claim is shown, in words, and the notes of all."""
        first, n = self.decisions[0], len(self.decisions)
        where, what = self._where, value_name(first.metric, first.label)
        n_shown = sum(each.passed for each in self.decisions)
        count = f"{first.candidate} is {first.claims[0]} in {what} on {n_shown} of {n} test sets"
        notes = [note for note in first.notes if all(note in x.notes for x in self.decisions)]
        return terminal(" ".join([f"{count}{where}.", *notes]))

    @property
    def _where(self) -> str:
        return ""


@dataclass(frozen=True)
class AnswerOnAny(AnswerOnEach):
    """Answer to a rule about any of several test sets, one of which must show it.

    Attributes
    ----------
    alpha : float
        One-sided level of the gate.
    """

    alpha: float

    @property
    def answer(self) -> Answer:
        """Shown if one decision is; shown otherwise if the opposites of all are."""
        if any(decision.passed for decision in self.decisions):
            return "shown"
        # No correction: all of the opposites must be shown.
        otherwise = all(1 - decision.p_value < self.alpha for decision in self.decisions)
        return "shown otherwise" if otherwise else "not enough data"

    @property
    def answered(self) -> list[tuple[Answer, str]]:
        """The count of test sets; if the rule is not shown, the sentences of all."""
        found = super().answered
        return found[:1] if self.answer == "shown" else found

    @property
    def closing(self) -> bool:
        """False: the gate closes if the opposites of all decisions are shown."""
        return False

    @property
    def _where(self) -> str:
        names = [each.test_set for each in self.decisions if each.passed]
        return f" ({some_of(names)})" if names else ""


def answer_rule(
    predictions: TestSet | Mapping[str, TestSet], models: tuple[str, str], asked: dict[str, Any],
    *, weights: WeightsOfSets | Mapping[str, float], missing: MissingSets,
) -> RuleAnswer:  # fmt: skip
    """Return the answer to a rule over several test sets."""
    over, alpha = asked.pop("over"), asked["alpha"]
    if over not in ("mean", "each", "any"):
        raise ValueError(f"a rule is over 'mean', 'each' or 'any' test set, got {over!r}.")
    if not isinstance(predictions, Mapping):
        if missing != "refuse":
            raise ValueError(f"missing={missing!r} is for several test sets; leave it out of one.")
        return _answer(over, (decide(predictions, *models, **asked),), alpha)
    check_decided(predictions, *models)
    generalize_to = asked.get("generalize_to", "auto")
    if over == "mean":
        suite = weighted_sets(predictions, models, weights, generalize_to, missing)
        return _answer(over, (decide(suite, *models, **asked),), alpha)
    asked["generalize_to"] = within(generalize_to)
    return _answer(over, tuple(_on_each(predictions, models, asked, over, missing)), alpha)


def _answer(over: str, decisions: tuple[DecisionResult, ...], alpha: float) -> RuleAnswer:
    if over == "any":
        return AnswerOnAny(decisions, alpha)
    return AnswerOnEach(decisions) if over == "each" else RuleAnswer(decisions)


def _on_each(
    predictions: Mapping[str, TestSet], models: tuple[str, str], asked: dict[str, Any], over: str,
    missing: MissingSets,
) -> Sequence[DecisionResult]:  # fmt: skip
    """Decide on each test set, of which some may lack a model."""
    generalize_to = asked["generalize_to"]
    found = weighted_sets(predictions, models, "equal", generalize_to, missing)
    if over == "any":
        asked["alpha"] /= len(found)
    decisions = []
    for own in found:
        asked_of: TestSet | Mapping[str, TestSet] = found[own]
        if not {*models} <= {*found[own].models}:
            of_one = {name: float(name == own) for name in found}
            asked_of = weighted_sets(found, models, of_one, generalize_to, missing)
        decision = decide(asked_of, *models, **asked)
        note = found.notes if missing == "drop" else ()
        decisions.append(replace(decision, test_set=own, notes=(*decision.notes, *note)))
    return decisions
