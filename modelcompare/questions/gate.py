"""Several decisions at once: a gate that opens where all of its rules are shown to hold.

No correction is needed: the gate opens wrongly only if the one rule that does not hold is shown to
hold, and that has the probability alpha at most, however many rules there are (intersection-union
test, Berger 1982). The price is power: every rule must be shown. A rule about any of several test
sets is corrected for their number, and so are opposites, each of which would close the gate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from modelcompare import plugs
from modelcompare.arguments import checked
from modelcompare.comparison.warned import each_warning_once
from modelcompare.data.given_arrays import check_asked, takes_arrays
from modelcompare.data.test_set import TestSet
from modelcompare.questions.decide import DecisionResult, decide
from modelcompare.questions.gate_result import GateResult, RuleAnswer
from modelcompare.questions.rules import read_rules
from modelcompare.significance.corrections import adjust
from modelcompare.words import MissingSets, WeightsOfSets, check_one_sided

# Options of several test sets together, and their defaults.
_OF_SEVERAL: Mapping[str, str] = {"weights": "equal", "missing": "refuse"}


@takes_arrays
@checked(
    decide, predictions=check_asked, alpha=check_one_sided,
    weights=None,
)  # fmt: skip
def gate(
    predictions: TestSet | Mapping[str, TestSet],
    baseline: str,
    candidate: str,
    rules: Iterable[str | Mapping[str, Any]],
    *,
    alpha: float = 0.05,
    weights: WeightsOfSets | Mapping[str, float] = "equal",
    missing: MissingSets = "refuse",
    ledger: Any = None,
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
    weights : {"equal", "samples"} or mapping of str to float
        Weights of several test sets in their mean, as in `compare_groups`; those without weight do
        not count.
    missing : {"refuse", "drop", "bounds"}
        Treatment of several test sets of which some lack a model, as in `compare_groups`. With
        "bounds" the answer holds for all values that the model may have there; the claim, or its
        opposite, is shown only if it is for all of them.
    ledger : Ledger or path, optional
        Ledger of looks: the gate is asked again about this candidate while samples are added at
        the end of the test set, and `alpha` is the level of all answers together. For other
        candidates on the same samples see `keep`.
    **options
        Further options of `decide`.

    Returns
    -------
    GateResult

    Raises
    ------
    ValueError
        If there is no rule, or one cannot be read; if the ledger was edited, its looks are used, or
        more than added samples differs from the look before; of looks, if samples that are added
        change those before: blocks in time, and strengths of battles.

    Warns
    -----
    SparseDataWarning
        If intervals may cover less than their level; see `compare`.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> found = mc.gate(preds, "naive_bayes", "bow_pair", ["accuracy:+0", "recall[neutral]:-0.01"])
    >>> found.answer, [round(decision.gain, 3) for decision in found.decisions]
    ('shown', [0.018, 0.022])
    """
    read = read_rules(rules, predictions)
    models, options = (baseline, candidate), {**options, "weights": weights, "missing": missing}
    ask = partial(_by_rules, models=models, rules=read)
    if ledger is None:
        return ask(predictions, alpha=alpha, options=options)
    answer: Callable[..., GateResult] = plugs.behind("ledger")
    return answer(predictions, models, read, ledger=ledger, alpha=alpha, options=options, ask=ask)


def _by_rules(
    predictions: TestSet | Mapping[str, TestSet], *, models: tuple[str, str],
    rules: Sequence[Mapping[str, Any]], alpha: float, options: Mapping[str, Any],
    early: bool = False,
) -> GateResult:  # fmt: skip
    """Return the decisions by all rules at a level, at an `early` look or not."""
    together = {name: options[name] for name in _OF_SEVERAL}
    others = {name: value for name, value in options.items() if name not in together}
    asked = [{"alpha": alpha, **others, **rule} for rule in rules]
    with each_warning_once():
        found = [_decided(predictions, models, each, together) for each in asked]
    if early:
        found = [
            replace(rule, decisions=tuple(map(_at_early_look, rule.decisions))) for rule in found
        ]
    return GateResult(by_rule=tuple(_corrected(found, alpha)), alpha=alpha)


def _decided(
    predictions: Any, models: tuple[str, str], asked: dict[str, Any], together: Mapping[str, Any]
) -> RuleAnswer:
    """Return the answer to a rule about a test set, or over several of them."""
    label = asked.pop("label")
    if label is not None:
        asked["metric"] = asked["metric"], label
    if "over" in asked:
        found: RuleAnswer = plugs.several("gate")(predictions, models, asked, **together)
        return found
    for name, value in together.items():
        if value != _OF_SEVERAL[name]:
            raise ValueError(f"{name}={value!r} is for several test sets; leave it out of one.")
    return RuleAnswer((decide(predictions, *models, **asked),))


def _at_early_look(decision: DecisionResult) -> DecisionResult:
    """Return a decision, without bounds if it is too early for them."""
    no_bounds = {"ci_low": -math.inf, "ci_high": math.inf, "p_value": 0.5}
    return _undecided(decision, decision.too_early, **no_bounds) if decision.too_early else decision


def _undecided(decision: DecisionResult, note: str, **changes: Any) -> DecisionResult:
    """Return a decision as undecided, with a note that gives the reason."""
    notes = (*decision.notes, note)
    return replace(decision, answer="not enough data", notes=notes, **changes)


def _corrected(found: Sequence[RuleAnswer], alpha: float) -> Iterator[RuleAnswer]:
    """Yield answers to rules, where opposites of several claims need Holm's steps (closed)."""
    alone = [1 - each.p_value for rule in found if rule.closing for each in rule.decisions]
    adjusted = iter(adjust(np.array(alone), "holm").tolist())
    note = f"Its opposite is not shown once corrected for {len(alone):,} claims (Holm)."

    def shown(each: DecisionResult) -> DecisionResult:
        decisive = next(adjusted) < alpha or each.answer != "shown otherwise"
        return each if decisive else _undecided(each, note)

    for rule in found:
        yield replace(rule, decisions=tuple(map(shown, rule.decisions))) if rule.closing else rule
