"""`keep`: one candidate after another on the same samples, and a word for each.

What a search learns about the samples is the number of answers it got and the candidates that it
kept. Levels therefore depend on both (`significance.repeated`), and an answer is a word and no
number: who reads estimates in between learns more than the level accounts for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from modelcompare.arguments import checked
from modelcompare.data.checks import check_models
from modelcompare.data.given_arrays import check_asked
from modelcompare.data.test_set import TestSet
from modelcompare.escape import terminal
from modelcompare.plugins.ledgers.fingerprints import (
    ROLES,
    changes,
    check_kept_in_memory,
    in_order,
    question_of,
)
from modelcompare.plugins.ledgers.history import History, n_of
from modelcompare.plugins.ledgers.ledger import Ledger, check_ledger, open_ledger
from modelcompare.plugins.ledgers.levels import level_of_candidate
from modelcompare.plugins.ledgers.words import Word
from modelcompare.plugs import by_name, first
from modelcompare.questions.decide import decide
from modelcompare.questions.gate import gate
from modelcompare.questions.gate_result import GateAnswer, GateResult
from modelcompare.questions.rules import read_rules
from modelcompare.report.document import Document
from modelcompare.report.fields import HIDDEN, member
from modelcompare.report.tables import Table
from modelcompare.words import (
    Answer,
    check_one_sided,
    signature,
)

WORDS: Mapping[Answer, Word] = {
    "shown": "keep", "shown otherwise": "discard", "not enough data": "undecided",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class KeepResult(GateAnswer, stem="keep", row="answer"):
    """Answer about one of many candidates: a word and its reason.

    Attributes
    ----------
    word : {"keep", "discard", "undecided"}
        Keep where all rules are shown to hold, discard where the opposite of one is shown.
    reason : str
        The reason in words, without any estimate.
    baseline, candidate : str
        The models.
    number, kept : int
        Number of the candidate in its ledger, and how many were kept until now.
    level : float
        One-sided level of this candidate.
    head : str
        Head of the ledger after this answer, for `expect_head`.
    repeated : bool
        Whether the same candidate was asked about before; nothing is spent then.
    plan : mapping
        Settings of the ledger, for the signature.
    """

    word: Word
    reason: str
    baseline: str
    candidate: str
    number: int
    kept: int
    level: float
    head: str
    repeated: bool
    plan: Mapping[str, object] = field(metadata=HIDDEN)

    @property
    @member(after="reason")
    def passed(self) -> bool:
        """True if the candidate is to be kept."""
        return self.word == "keep"

    @property
    def answer(self) -> Answer:
        """The word as an answer of `gate`."""
        return next(answer for answer, word in WORDS.items() if word == self.word)

    @property
    def answered(self) -> list[tuple[Answer, str]]:
        """The answer with its sentence, as those of `gate`."""
        return [(self.answer, self.sentence())]

    @property
    def ledger(self) -> str:
        """Number of the candidate, and the head of the ledger."""
        return f"Candidate {self.number}, {self.kept} kept; ledger head {self.head}."

    @property
    def signature(self) -> str:
        return signature("keep", **self.plan)

    def document(self) -> Document:
        table = Table.of(
            f"May {self.candidate} replace {self.baseline}?", self._row, "candidate", "baseline",
            "word", "number", "kept", "level", notes=[self.ledger],
        )  # fmt: skip
        return self._document({"answer": table}, findings=[self.sentence()])

    def sentence(self) -> str:
        """Write the word and the reason."""
        return f"{self.word}: {self.reason}"


@checked(
    decide, gate, predictions=check_asked, ledger=check_ledger, alpha=check_one_sided,
    weights=None,
)  # fmt: skip
def keep(
    predictions: TestSet | Mapping[str, TestSet],
    baseline: str,
    candidate: str,
    rules: str | Mapping[str, Any] | Iterable[str | Mapping[str, Any]],
    *,
    ledger: Ledger | str | os.PathLike[str],
    alpha: float = 0.05,
    **options: Any,
) -> KeepResult:
    """Decide whether one of many candidates, asked about on the same samples, may be kept.

    Of 20 candidates that are no better than the margin, one passes a gate at the level 0.05 with
    a probability of up to 0.63. Here the level holds for all candidates of a `ledger` together.

    Parameters
    ----------
    predictions : Predictions, or mapping of str to Predictions
        The test set, or several by name: the same samples for all candidates.
    baseline : str
        The model to replace: the one kept last, or that of the first question.
    candidate : str
        The model that would replace it.
    rules : str, mapping or iterable
        As in `gate`: ``"f1_macro:+0"`` keeps what is better; all rules must hold.
    ledger : Ledger or path
        Ledger of candidates, which records every question.
    alpha : float
        Level of all candidates together.
    **options
        Further options of `gate`.

    Returns
    -------
    KeepResult
        A word and a reason. Estimates are in the ledger, and in `modelcompare.diagnostics.
        keep_report`, which corrects them for having been chosen; reading them before the next
        candidate is made voids the level.

    Raises
    ------
    ValueError
        If the test set, the rules or the baseline are not those of the ledger, it was edited, or
        the planned candidates are used.

    Warns
    -----
    SparseDataWarning
        If intervals may cover less than their level; see `compare`.

    Notes
    -----
    The level is guaranteed by a union bound over numbers of kept candidates and of candidates since
    then, for a search whose next candidate depends on the answers by these two numbers. Searches
    in which each candidate is a change of the last one kept are simulated in
    ``experiments/validity``.

    Examples
    --------
    >>> import tempfile, modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = mc.keep(preds, "mlp", "bow_pair", "accuracy:+0", ledger=f"{folder}/l.jsonl")
    >>> found.word, found.number, round(found.level, 4)
    ('keep', 1, 0.0185)
    """
    sets = by_name(predictions)
    read = read_rules(rules, predictions)
    if options.get("method") == "any-time":
        raise ValueError(
            "method='any-time' is for samples that are added, `keep` for the same ones."
        )
    models = dict.fromkeys(model for each in sets.values() for model in each.models)
    check_models((*models,), baseline=baseline, candidate=candidate)
    check_kept_in_memory(sets, by_design=True)
    with open_ledger(Ledger.of(ledger), "candidates", read, alpha, options) as known:
        earliest = known.entries[0] if known.entries else None
        predictions = in_order(predictions, earliest)
        asked = question_of(predictions, (baseline, candidate), like=earliest)
        alike = known.entries.containing(asked[ROLES[1]]["outputs"])
        before = next((entry for entry in alike if _is_same(entry, asked)), None)
        if before is None:
            _check_same(known, asked)
            known.check_left()
            level = next_level(known, 1)
            found = gate(predictions, baseline, candidate, read, alpha=level, **options)
            known = known.recorded(asked, level, found, reason=_reason(found, sets))
        return _result(known, before)


def next_level(known: History, further: int) -> float:
    """Return the one-sided level of a further candidate, if those before it are not kept."""
    kept, number = known.kept, len(known.entries) + further
    since = number - (kept[-1]["number"] if kept else 0)
    how = {name: known.plan[name] for name in ("alpha", "control", "n_candidates")}
    return level_of_candidate(number, len(kept), since, **how)


def _is_same(entry: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    """Return whether two questions are about equal test sets and outputs, under any names."""
    same_outputs = all(entry[role]["outputs"] == asked[role]["outputs"] for role in ROLES)
    return same_outputs and bool(entry["test_set"] == asked["test_set"])


def _check_same(known: History, asked: Mapping[str, Any]) -> None:
    """Refuse another test set, or a baseline that is not the model kept last."""
    if not known.entries:
        return
    first, kept = known.entries[0], known.kept
    if asked["test_set"] != first["test_set"]:
        raise ValueError(
            f"the test set is not that of {known.path}; changed: {changes(first, asked)}. Ask with "
            "the samples of its first question. Fresh samples renew what can be asked: begin "
            "another ledger with them."
        )
    model = kept[-1]["candidate"] if kept else first["baseline"]
    if asked["baseline"]["outputs"] != model["outputs"]:
        if asked["baseline"]["name"] == model["name"]:
            raise ValueError(
                f"the outputs of the baseline {model['name']!r} are not those in {known.path}. Ask "
                "with the same ones; scores that are computed from all rows and models need all "
                "candidates in the table of the first question."
            )
        why = f"kept as candidate {kept[-1]['number']}" if kept else "as in the first question"
        raise ValueError(
            f"the baseline of {known.path} is {model['name']!r}, {why}; "
            f"{asked['baseline']['name']!r} has other outputs. Name that model as the baseline "
            "(--baseline)."
        )


def _reason(found: GateResult, sets: Mapping[str, TestSet]) -> str:
    """Write why, without numbers of this test set."""
    # The first rule with the answer of all, and the first of its decisions that has it too.
    decisions = next(rule.decisions for rule in found.by_rule if rule.answer == found.answer)
    each = next((each for each in decisions if each.answer == found.answer), decisions[0])
    claim, opposite = (f"{each.candidate} is {words} in {each.what}." for words in each.claims)
    if found.answer == "shown otherwise":
        return opposite
    if not found.passed:
        return f"it is not shown that {claim}"
    limits = [first("limits", each) for each in sets.values()]
    return f"{claim} {limits[0]}" if all(limits) else claim


def _result(known: History, before: Mapping[str, Any] | None) -> KeepResult:
    entry, plan = before or known.entries[-1], known.plan
    kept = [each for each in known.kept if each["number"] <= entry["number"]]
    again = f" It was asked before, as candidate {entry['number']}." if before else ""
    return KeepResult(
        word=WORDS[entry["answer"]], reason=terminal(entry["reason"] + again),
        baseline=entry["baseline"]["name"], candidate=entry["candidate"]["name"],
        number=entry["number"], kept=len(kept), level=entry["level"], head=known.head,
        repeated=before is not None,
        plan={"n": n_of(entry), "rules": len(plan["rules"]), "alpha": plan["alpha"],
         "control": plan["control"], "candidates": plan["n_candidates"]},
    )  # fmt: skip
