"""The result of `gate`: decisions by several rules, and the answer of all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from modelcompare.comparison.conclusion import all_of
from modelcompare.escape import terminal
from modelcompare.questions.decide import DecisionResult
from modelcompare.report.document import Document
from modelcompare.report.fields import HIDDEN, member, value
from modelcompare.report.numbers import format_percent, some_of
from modelcompare.report.result import Result
from modelcompare.report.tables import VALUE, Table, column, interval_column
from modelcompare.words import Answer, signature, value_name

_PASS: dict[Answer, str] = {"shown": "PASS", "shown otherwise": "FAIL"}


class GateAnswer(Result, ABC):
    """Base of the answers about a candidate that may replace a baseline."""

    @property
    def ledger(self) -> str:
        """Number of the answer and head of its record, or empty."""
        return ""

    @property
    def decisions(self) -> tuple[DecisionResult, ...]:
        """Decisions with estimates, if the answer has any."""
        return ()

    @property
    @abstractmethod
    def answer(self) -> Answer:
        """Shown, shown otherwise, or not enough data."""

    @property
    @abstractmethod
    def answered(self) -> list[tuple[Answer, str]]:
        """Answers, each with its sentence."""

    @property
    @member(after="answer")
    def passed(self) -> bool:
        """True where all that was asked is shown to hold."""
        return self.answer == "shown"

    @property
    def lines(self) -> list[str]:
        """Sentences of the answers, as a screen shows them."""
        return [sentence for _, sentence in self.answered]


@dataclass(frozen=True, kw_only=True)
class GateResult(GateAnswer, stem="gate", version=5):
    """Decisions by several rules.

    Attributes
    ----------
    by_rule : tuple of (str, tuple of DecisionResult)
        What each rule is about ("" for a single test set, "mean", "each" or "any"), and its
        decisions: one, or of a rule about each or any of several test sets one for each set.
    alpha : float
        One-sided level of the gate; of one of several looks, that of the look.
    ledger : str
        Which look it was, and the head of the ledger; empty without a ledger.
    """

    by_rule: tuple[tuple[str, tuple[DecisionResult, ...]], ...] = field(metadata=HIDDEN)
    alpha: float = field(metadata=HIDDEN)
    ledger: str = field(default="", metadata=value(after="passed"))

    @property
    def decisions(self) -> tuple[DecisionResult, ...]:
        """Decisions of all rules."""
        return tuple(each for _, own in self.by_rule for each in own)

    @property
    def answers(self) -> list[Answer]:
        """Answer of each rule: of any test set the best one, else the worst."""
        return [_answer(over, decisions, self.alpha) for over, decisions in self.by_rule]

    @property
    @member()
    def answer(self) -> Answer:
        """Shown if every rule is; shown otherwise if the opposite of one is."""
        return all_of(self.answers)

    @property
    def signature(self) -> str:
        first = self.decisions[0]
        return signature(
            "gate", n=sum(decision.n_samples for decision in self.by_rule[0][1]),
            rules=len(self.by_rule), alpha=self.alpha, **first.made_with,
            **first.scope.at_hand,
        )  # fmt: skip

    def document(self) -> Document:
        first = self.decisions[0]
        holds = f"All rules must hold: {self.answer}."
        test_set = ["test_set"] if any(over for over, _ in self.by_rule) else []
        levels = [1 - 2 * decision.alpha for decision in self.decisions]
        intervals = [interval_column(levels[0])]
        if len({*levels}) > 1:
            level = column("CI level", "ci_level", kind="leader")
            intervals = [level, column("CI", "ci_low", "ci_high", kind="interval")]
        rows = self._rows.assign(ci_level=[format_percent(level) for level in levels])
        table = Table.of(
            f"May {first.candidate} replace {first.baseline}?", rows, VALUE, *test_set,
            "kind", "margin", "gain", *intervals, "p_value", "answer",
            notes=[*([holds] if len(self.decisions) > 1 else []), *filter(None, [self.ledger])],
            decimals=None,
        )  # fmt: skip
        return self._document({"decisions": table}, findings=self.lines)

    @property
    def lines(self) -> list[str]:
        """Sentences of the answers, PASS, FAIL or "not enough data" first."""
        first, *others = super().lines
        word = _PASS.get(self.answer, self.answer)
        if len(self.by_rule) == 1:
            return [f"{word}: {first}", *others]
        n_shown = self.answers.count("shown")
        return [f"{word}: {n_shown:,} of {len(self.by_rule):,} rules hold.", first, *others]

    @property
    def recorded(self) -> list[dict[str, Any]]:
        """Numbers of each decision that a ledger holds."""
        names = ("metric", "label", "test_set", "kind", "margin", "gain", "ci_low", "ci_high",
                 "p_value", "alpha", "n_samples", "answer")  # fmt: skip
        return [{name: getattr(each, name) for name in names} for each in self.decisions]

    @property
    def sentences(self) -> list[str]:
        """Sentences of the answers; of a rule about several test sets, of those where it fails."""
        return [sentence for _, sentence in self.answered]

    @property
    def answered(self) -> list[tuple[Answer, str]]:
        """Answers, each with its sentence of `sentences`."""
        found: list[tuple[Answer, str]] = []
        for (over, decisions), answer in zip(self.by_rule, self.answers, strict=True):
            if over in ("each", "any"):
                found.append((answer, _count(over, decisions)))
            if over != "any" or answer != "shown":
                own = [each for each in decisions if over in ("", "mean") or not each.passed]
                found += [(each.answer, each.sentence()) for each in own]
        return found

    @property
    @member(name="decisions", rows_of=DecisionResult)
    def _rows(self) -> pd.DataFrame:
        frame = pd.DataFrame([decision.row for decision in self.decisions])
        # Beside a missing label, pandas would make integers floats.
        labels = pd.Series([decision.label for decision in self.decisions], dtype=object)
        return frame.assign(label=labels)


def _count(over: str, decisions: Sequence[DecisionResult]) -> str:
    """Write on how many test sets a claim is shown, on which of any, and the notes of all."""
    first, names = decisions[0], [each.test_set for each in decisions if each.passed]
    where = f" ({some_of(names)})" if over == "any" and names else ""
    count = (
        f"{first.candidate} is {first.claims[0]} in {value_name(first.metric, first.label)} on "
        f"{len(names)} of {len(decisions)} test sets{where}."
    )
    notes = [note for note in first.notes if all(note in each.notes for each in decisions)]
    return terminal(" ".join([count, *notes]))


def _answer(over: str, decisions: Sequence[DecisionResult], alpha: float) -> Answer:
    """Return the answer of a rule from its decisions."""
    if over != "any":
        return all_of(decision.answer for decision in decisions)
    if any(decision.passed for decision in decisions):
        return "shown"
    # No correction: all of the opposites must be shown.
    otherwise = all(1 - decision.p_value < alpha for decision in decisions)
    return "shown otherwise" if otherwise else "not enough data"
