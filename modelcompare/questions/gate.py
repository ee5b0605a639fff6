"""Several decisions at once: a gate that opens where all of its rules are shown to hold.

No correction is needed: the gate opens wrongly only if the one rule that does not hold is shown to
hold, and that has the probability alpha at most, however many rules there are (intersection-union
test, Berger 1982). The price is power: every rule must be shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from modelcompare.arguments import checked
from modelcompare.comparison.warned import each_warning_once
from modelcompare.data.test_set import TestSet
from modelcompare.engine.units import THESE_RUNS
from modelcompare.metrics.registry import split_class
from modelcompare.questions.decide import DecisionResult, decide
from modelcompare.report.document import Document
from modelcompare.report.result import Result
from modelcompare.report.tables import VALUE, Table, interval_column
from modelcompare.words import (
    Answer,
    Decision,
    check_one_sided,
    check_sequence,
    giving,
    signature,
)

_KINDS: dict[str, Decision] = {"-": "non-inferior", "+": "superior", "±": "equivalent"}


def read_rule(rule: str | Mapping[str, Any]) -> dict[str, Any]:
    """Read one condition of a gate: a metric, a class where it is per class, and a margin.

    Parameters
    ----------
    rule : str or mapping
        ``metric[class]:-0.005`` (not worse by 0.005 or more), ``metric:+0.01`` (better by more than
        0.01) or ``metric:±0.01``, also ``metric:+-0.01`` (within 0.01). Or arguments of `decide`,
        metric and margin among them.

    Returns
    -------
    dict
        Arguments of `decide`.

    Raises
    ------
    ValueError
        If it is written in another way.

    Examples
    --------
    >>> read_rule("recall[toxic]:-0.01")
    {'metric': 'recall', 'label': 'toxic', 'kind': 'non-inferior', 'margin': 0.01}
    """
    if isinstance(rule, Mapping):
        return dict(rule)
    if not isinstance(rule, str):
        raise TypeError(f"a rule must be a text, got {rule!r}.")
    value, _, margin = rule.rpartition(":")
    margin = margin.strip().replace("+-", "±")
    metric, label = split_class(value.strip())
    try:
        number = float(margin[1:])
    except ValueError:
        number = math.nan
    if not (metric and "[" not in metric and margin[:1] in _KINDS and number >= 0):
        raise ValueError(
            f"rule {rule!r} must read METRIC:-MARGIN (not worse), METRIC:+MARGIN (better) or "
            "METRIC:+-MARGIN (equivalent), with a class as in recall[toxic]:-0.01."
        )
    return {"metric": metric, "label": label, "kind": _KINDS[margin[0]], "margin": number}


@dataclass(frozen=True)
class GateResult(Result):
    """Decisions by several rules.

    Attributes
    ----------
    decisions : tuple of DecisionResult
        One for each rule.
    """

    decisions: tuple[DecisionResult, ...]

    _stem: ClassVar[str] = "gate"
    _schema_version: ClassVar[int] = 2
    _members: ClassVar[str] = """
        answer passed signature
        decisions=_rows: passed baseline candidate metric label kind margin gain ci_low ci_high
          alpha answer p_value n_samples n_needed unit made_with assumption caveat sentence
    """

    @property
    def answer(self) -> Answer:
        """Shown if every rule is; shown otherwise if the opposite of one is."""
        answers = {decision.answer for decision in self.decisions}
        if answers == {"shown"}:
            return "shown"
        return "shown otherwise" if "shown otherwise" in answers else "not enough data"

    @property
    def passed(self) -> bool:
        """True where all rules are shown to hold."""
        return self.answer == "shown"

    @property
    def signature(self) -> str:
        first = self.decisions[0]
        return signature(
            "gate", n=first.n_samples, rules=len(self.decisions), alpha=first.alpha,
            **first.made_with, **{THESE_RUNS: bool(first.notes) and not first.new_runs},
        )  # fmt: skip

    def document(self) -> Document:
        first = self.decisions[0]
        holds = f"All rules must hold: {self.answer}."
        table = Table.of(
            f"May {first.candidate} replace {first.baseline}?", self._rows, VALUE, "kind", "margin",
            "gain", interval_column(1 - 2 * first.alpha), "p_value", "answer",
            notes=[holds] if len(self.decisions) > 1 else [],
            decimals=[decision.decimals for decision in self.decisions],
        )  # fmt: skip
        findings = [decision.sentence() for decision in self.decisions]
        return self._document({"decisions": table}, findings=findings)

    @property
    def _rows(self) -> pd.DataFrame:
        frame = pd.DataFrame([decision.row for decision in self.decisions])
        # Beside a missing label, pandas would make integers floats.
        labels = pd.Series([decision.label for decision in self.decisions], dtype=object)
        return frame.assign(label=labels)


@checked(decide, predictions=giving("sums"), alpha=check_one_sided)
def gate(
    predictions: TestSet,
    baseline: str,
    candidate: str,
    rules: Iterable[str | Mapping[str, Any]],
    *,
    alpha: float = 0.05,
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
        arguments of `decide`: ``{"metric": "f1_macro", "margin": 0.005}``.
    alpha : float
        One-sided level of each; the gate opens wrongly with at most this probability.
    **options
        Further options of `decide`.

    Returns
    -------
    GateResult

    Raises
    ------
    ValueError
        If there is no rule, or one cannot be read.

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
    given = [rules] if isinstance(rules, str) else check_sequence("rules", rules, "rules")
    read = [read_rule(rule) for rule in given]
    if not read:
        raise ValueError("`rules` is empty; give at least one, e.g. 'f1_macro:-0.005'.")
    with each_warning_once():
        return GateResult(
            tuple(
                decide(
                    predictions, baseline, candidate, alpha=alpha, **options,
                    **{**rule, "label": predictions.class_named(rule.get("label"))},
                )
                for rule in read
            )
        )  # fmt: skip
