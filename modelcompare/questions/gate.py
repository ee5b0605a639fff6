"""Several decisions at once: a gate that opens where all of its rules are shown to hold.

No correction is needed: the gate opens wrongly only if the one rule that does not hold is shown to
hold, and that has the probability alpha at most, however many rules there are (intersection-union
test, Berger 1982). The price is power: every rule must be shown. A rule about any of several test
sets is corrected for their number, and so are opposites, each of which would close the gate.
"""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.comparison.compare_groups import complete
from modelcompare.comparison.suite import within
from modelcompare.comparison.warned import each_warning_once
from modelcompare.data.test_set import TestSet
from modelcompare.engine.units import THESE_RUNS
from modelcompare.questions.decide import (
    DecisionResult,
    check_known,
    check_sets,
    decide,
)
from modelcompare.questions.ledger import check_ledger
from modelcompare.questions.looks import Asked, at_look, check_looks
from modelcompare.questions.rules import read_rules
from modelcompare.report.document import Document
from modelcompare.report.numbers import some_of
from modelcompare.report.result import Result
from modelcompare.report.tables import VALUE, Table, interval_column
from modelcompare.significance.corrections import adjust
from modelcompare.words import (
    Answer,
    Spending,
    check_one_sided,
    check_text,
    signature,
    value_name,
)


@dataclass(frozen=True)
class GateResult(Result):
    """Decisions by several rules.

    Attributes
    ----------
    decisions : tuple of DecisionResult
        One for each rule; for a rule about each or any of several test sets, one for each set.
    rules : tuple of (str, int)
        What each rule is about ("" for a single test set, "mean", "each" or "any"), and the number
        of its decisions.
    alpha : float
        One-sided level of the gate; of one of several looks, that of the look.
    ledger : str
        Which look it was, and the head of the ledger; empty without a ledger.
    """

    decisions: tuple[DecisionResult, ...]
    rules: tuple[tuple[str, int], ...]
    alpha: float
    ledger: str = ""

    _stem: ClassVar[str] = "gate"
    _schema_version: ClassVar[int] = 4
    _members: ClassVar[str] = """
        answer passed ledger signature
        decisions=_rows: passed baseline candidate metric label test_set kind margin gain ci_low
          ci_high alpha answer p_value n_samples n_needed unit made_with assumption caveat sentence
    """

    @property
    def by_rule(self) -> list[tuple[str, tuple[DecisionResult, ...]]]:
        """Decisions of each rule, after what it is about."""
        stops = np.cumsum([number for _, number in self.rules]).tolist()
        return [
            (over, self.decisions[stop - number : stop])
            for (over, number), stop in zip(self.rules, stops, strict=True)
        ]

    @property
    def answers(self) -> list[Answer]:
        """Answer of each rule: of any test set the best one, else the worst."""
        return [_answer(over, decisions, self.alpha) for over, decisions in self.by_rule]

    @property
    def answer(self) -> Answer:
        """Shown if every rule is; shown otherwise if the opposite of one is."""
        return _all_of(self.answers)

    @property
    def passed(self) -> bool:
        """True where all rules are shown to hold."""
        return self.answer == "shown"

    @property
    def signature(self) -> str:
        first = self.decisions[0]
        return signature(
            "gate", n=sum(decision.n_samples for decision in self.by_rule[0][1]),
            rules=len(self.rules), alpha=self.alpha, **first.made_with,
            **{THESE_RUNS: first.of_these_runs},
        )  # fmt: skip

    def document(self) -> Document:
        first = self.decisions[0]
        holds = f"All rules must hold: {self.answer}."
        test_set = ["test_set"] if any(over for over, _ in self.rules) else []
        table = Table.of(
            f"May {first.candidate} replace {first.baseline}?", self._rows, VALUE, *test_set,
            "kind", "margin", "gain", interval_column(1 - 2 * first.alpha), "p_value", "answer",
            notes=[*([holds] if len(self.decisions) > 1 else []), *filter(None, [self.ledger])],
            decimals=[decision.decimals for decision in self.decisions],
        )  # fmt: skip
        return self._document({"decisions": table}, findings=self.sentences)

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
    return " ".join([count, *notes])


def _answer(over: str, decisions: Sequence[DecisionResult], alpha: float) -> Answer:
    """Return the answer of a rule from its decisions."""
    if over != "any":
        return _all_of([decision.answer for decision in decisions])
    if any(decision.passed for decision in decisions):
        return "shown"
    # No correction: all of the opposites must be shown.
    otherwise = all(1 - decision.p_value < alpha for decision in decisions)
    return "shown otherwise" if otherwise else "not enough data"


def _all_of(answers: Sequence[Answer]) -> Answer:
    """Return the answer to whether all claims hold."""
    if {*answers} == {"shown"}:
        return "shown"
    return "shown otherwise" if "shown otherwise" in answers else "not enough data"


@checked(
    decide,
    predictions=check_sets,
    alpha=check_one_sided,
    looks=check_looks,
    ledger=check_ledger,
    expect_head=check_text,
)
def gate(
    predictions: TestSet | Mapping[str, TestSet],
    baseline: str,
    candidate: str,
    rules: Iterable[str | Mapping[str, Any]],
    *,
    alpha: float = 0.05,
    looks: int | None = None,
    spending: Spending = "obrien-fleming",
    ledger: str | os.PathLike[str] | None = None,
    expect_head: str | None = None,
    **options: Any,
) -> GateResult:
    """Decide between a baseline and a candidate by several rules, all of which must hold.

    Parameters
    ----------
    predictions, baseline, candidate
        As in `decide`.
    rules : iterable of str or mapping
        ``"f1_macro:-0.005"`` (not worse by 0.005 or more), ``"f1_macro:+0.01"`` (better by more),
        ``"f1_macro:+-0.01"`` (within 0.01), with a class as in ``"recall[toxic]:-0.01"``. Or
        arguments of `decide`: ``{"metric": "f1_macro", "margin": 0.005}``. Of several test sets
        ``"mean(f1_macro):-0.005"`` is about the mean over them, ``"each(f1_macro):-0.02"`` about
        all of them and ``"any(f1_macro):+0"`` about at least one of them; ``"mean:-0.005"`` is of
        the default metric.
    alpha : float
        One-sided level of each; the gate opens wrongly with at most this probability. Decisions
        about any of several test sets are at this level divided by their number. Opposites of
        several claims are shown after Holm's correction.
    looks : int, optional
        Planned number of times that the gate is asked about this candidate while samples are added
        at the end of the test set. `alpha` is then the level of all answers together, which are
        recorded in the `ledger`. For any number of looks see `any_time` of `decide`.
    spending : {"obrien-fleming", "pocock"}
        Spending of alpha: little at first, with almost no loss of power at the last look, or about
        the same level at each look.
    ledger : path, optional
        File of JSON lines that records looks; it is begun if it does not exist. For other
        candidates on the same samples see `keep`.
    expect_head : str, optional
        Head of the ledger after the answer before; another one is refused.
    **options
        Further options of `decide`.

    Returns
    -------
    GateResult

    Raises
    ------
    ValueError
        If there is no rule, or one cannot be read; if the ledger was edited, its looks are used, or
        more than added samples differs from the look before.

    Warns
    -----
    SparseDataWarning
        If the metric depends on fewer than ten samples, or clusters; see `compare`.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> found = mc.gate(preds, "naive_bayes", "bow_pair", ["accuracy:+0", "recall[neutral]:-0.01"])
    >>> found.answer, [round(decision.gain, 3) for decision in found.decisions]
    ('shown', [0.018, 0.022])
    """
    read = read_rules(rules, predictions)
    ask = partial(_by_rules, predictions, baseline, candidate, read, options)
    if ledger is None:
        if looks is not None or expect_head is not None:
            raise ValueError(
                "`looks` (--looks) and `expect_head` (--expect-head) are of a `ledger` (--ledger "
                "FILE); name it."
            )
        return ask(alpha, False)
    if looks is None and not options.get("any_time"):
        raise ValueError(
            "a `ledger` of one candidate needs `looks` (--looks N) or any_time=True (--any-time); "
            "other candidates on the same samples are asked about by `keep`."
        )
    if looks is not None and options.get("any_time"):
        raise ValueError(
            "`looks` (--looks) and `any_time` (--any-time) exclude each other; give one."
        )
    answers: list[GateResult] = []

    def record(level: float, early: bool) -> Asked:
        answers.append(ask(level, early))
        return answers[-1].answer, answers[-1].recorded

    sets = predictions if isinstance(predictions, Mapping) else {"": predictions}
    words = at_look(
        sets, (baseline, candidate), read, record, ledger=ledger, looks=looks, spending=spending,
        alpha=alpha, expect_head=expect_head, options=settings_of(options),
    )  # fmt: skip
    return replace(answers[-1], ledger=words)


def settings_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `decide` that change its answer: not those left at their defaults."""
    defaults = {name: each.default for name, each in inspect.signature(decide).parameters.items()}
    return {
        name: value
        for name, value in options.items()
        if name != "n_jobs" and str(value) != str(defaults.get(name))
    }


def _by_rules(
    predictions: TestSet | Mapping[str, TestSet], baseline: str, candidate: str,
    rules: Sequence[Mapping[str, Any]], options: Mapping[str, Any], alpha: float, early: bool,
) -> GateResult:  # fmt: skip
    """Return the decisions by all rules at a level, at an `early` look or not."""
    with each_warning_once():
        found = [_decided(predictions, baseline, candidate, rule, alpha, options) for rule in rules]
    if early:
        found = [[_waiting(each) if each.too_early else each for each in own] for own in found]
    overs = [rule.get("over", "") for rule in rules]
    return GateResult(
        tuple(_corrected(overs, found, alpha)),
        tuple((over, len(own)) for over, own in zip(overs, found, strict=True)), alpha,
    )  # fmt: skip


def _decided(
    predictions: TestSet | Mapping[str, TestSet], baseline: str, candidate: str,
    rule: Mapping[str, Any], alpha: float, options: Mapping[str, Any],
) -> list[DecisionResult]:  # fmt: skip
    """Return the decisions of one rule: one, or one for each test set."""
    rule = dict(rule)
    over = rule.pop("over", "")
    sets = predictions if isinstance(predictions, Mapping) else {"": predictions}
    asked = {"alpha": alpha, **options, **rule}
    if over not in ("", "mean", "each", "any"):
        raise ValueError(f"a rule is over 'mean', 'each' or 'any' test set, got {over!r}.")
    if over in ("", "mean") or not isinstance(predictions, Mapping):
        return [decide(predictions, baseline, candidate, **asked)]
    dropped: tuple[str, ...] = ()
    check_known(sets, baseline, candidate)
    if asked.get("missing") == "drop":
        sets, dropped = complete(sets, (baseline, candidate), "drop")
    asked |= {"random": within(asked.get("random", "auto"))}
    asked["alpha"] /= len(sets) if over == "any" else 1
    found = []
    for own in sets:
        weights = {name: float(name == own) for name in sets}
        alone = decide(sets, baseline, candidate, **{**asked, "weights": weights})
        found.append(replace(alone, notes=(*alone.notes, *dropped)))
    return found


def _waiting(decision: DecisionResult) -> DecisionResult:
    """Return a decision without bounds, of an early look."""
    return replace(
        decision, answer="not enough data", ci_low=-math.inf, ci_high=math.inf, p_value=0.5,
        notes=(*decision.notes, decision.too_early),
    )  # fmt: skip


def _corrected(
    overs: Sequence[str], found: Sequence[Sequence[DecisionResult]], alpha: float
) -> Iterator[DecisionResult]:
    """Yield the decisions, where opposites of several claims are shown by Holm's steps (closed)."""
    every = [each for over, own in zip(overs, found, strict=True) if over != "any" for each in own]
    opposite = {id(each): 1 - each.p_value for each in every}
    adjusted = dict(zip(opposite, adjust(np.array([*opposite.values()]), "holm"), strict=True))
    note = f"Its opposite is not shown once corrected for {len(every):,} claims (Holm)."
    for each in (each for own in found for each in own):
        if each.answer == "shown otherwise" and adjusted.get(id(each), 0.0) >= alpha:
            yield replace(each, answer="not enough data", notes=(*each.notes, note))
        else:
            yield each
