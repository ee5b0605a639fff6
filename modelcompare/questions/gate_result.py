"""The result of `gate`: decisions by several rules, and the answer of all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from modelcompare.comparison.conclusion import all_of
from modelcompare.questions.decide import DecisionResult
from modelcompare.report.document import Document
from modelcompare.report.fields import HIDDEN, member, value
from modelcompare.report.numbers import format_percent
from modelcompare.report.result import Result
from modelcompare.report.tables import VALUE, Table, column, interval_column
from modelcompare.words import Answer, signature

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


@dataclass(frozen=True)
class RuleAnswer:
    """Answer to a rule, which has one decision, or several.

    Attributes
    ----------
    decisions : tuple of DecisionResult
        The decisions.
    """

    decisions: tuple[DecisionResult, ...]

    @property
    def answer(self) -> Answer:
        """Shown if every decision is; shown otherwise if the opposite of one is."""
        return all_of(decision.answer for decision in self.decisions)

    @property
    def answered(self) -> list[tuple[Answer, str]]:
        """Answers, each with its sentence."""
        return [(each.answer, each.sentence()) for each in self.decisions]

    @property
    def closing(self) -> bool:
        """True if the opposite of each decision alone closes the gate."""
        return True


@dataclass(frozen=True, kw_only=True)
class GateResult(GateAnswer, stem="gate", version=5):
    """Decisions by several rules.

    Attributes
    ----------
    by_rule : tuple of RuleAnswer
        The answer to each rule, with its decisions.
    alpha : float
        One-sided level of the gate; of one of several looks, that of the look.
    ledger : str
        Which look it was, and the head of the ledger; empty without a ledger.
    """

    by_rule: tuple[RuleAnswer, ...] = field(metadata=HIDDEN)
    alpha: float = field(metadata=HIDDEN)
    ledger: str = field(default="", metadata=value(after="passed"))

    @property
    def decisions(self) -> tuple[DecisionResult, ...]:
        """Decisions of all rules."""
        return tuple(each for rule in self.by_rule for each in rule.decisions)

    @property
    def answers(self) -> list[Answer]:
        """Answer of each rule."""
        return [rule.answer for rule in self.by_rule]

    @property
    @member()
    def answer(self) -> Answer:
        """Shown if every rule is; shown otherwise if the opposite of one is."""
        return all_of(self.answers)

    @property
    def signature(self) -> str:
        first = self.decisions[0]
        return signature(
            "gate", n=sum(decision.n_samples for decision in self.by_rule[0].decisions),
            rules=len(self.by_rule), alpha=self.alpha, **first.made_with,
            **first.scope.at_hand,
        )  # fmt: skip

    def document(self) -> Document:
        first = self.decisions[0]
        holds = f"All rules must hold: {self.answer}."
        test_set = ["test_set"] if any(each.test_set for each in self.decisions) else []
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
        """Sentences of the answers."""
        return [sentence for _, sentence in self.answered]

    @property
    def answered(self) -> list[tuple[Answer, str]]:
        """Answers, each with its sentence of `sentences`."""
        return [each for rule in self.by_rule for each in rule.answered]

    @property
    @member(name="decisions", rows_of=DecisionResult)
    def _rows(self) -> pd.DataFrame:
        frame = pd.DataFrame([decision.row for decision in self.decisions])
        # Beside a missing label, pandas would make integers floats.
        labels = pd.Series([decision.label for decision in self.decisions], dtype=object)
        return frame.assign(label=labels)
