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
from modelcompare.comparison.compare_groups import weighted_sets
from modelcompare.comparison.suite import check_weights, within
from modelcompare.comparison.suite_checks import check_known, check_sets
from modelcompare.comparison.warned import each_warning_once
from modelcompare.data.given_arrays import takes_arrays
from modelcompare.data.test_set import TestSet
from modelcompare.questions.decide import (
    DecisionResult,
    decide,
)
from modelcompare.questions.gate_result import GateResult
from modelcompare.questions.rules import read_rules
from modelcompare.significance.corrections import adjust
from modelcompare.words import MissingSets, WeightsOfSets, check_one_sided


@takes_arrays
@checked(decide, predictions=check_sets, alpha=check_one_sided, weights=check_weights)
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
    together = {name: options[name] for name in ("weights", "missing")}
    others = {name: value for name, value in options.items() if name not in together}
    asked = [{"alpha": alpha, **others, **rule} for rule in rules]
    with each_warning_once():
        found = [_decided(predictions, models, each, **together) for each in asked]
    if early:
        found = [(over, [*map(_at_early_look, own)]) for over, own in found]
    return GateResult(by_rule=tuple(_corrected(found, alpha)), alpha=alpha)


def _decided(
    predictions: TestSet | Mapping[str, TestSet],
    models: tuple[str, str],
    asked: dict[str, Any],
    *,
    weights: WeightsOfSets | Mapping[str, float],
    missing: MissingSets,
) -> tuple[str, list[DecisionResult]]:
    """Return what a rule is over, and its decisions: one, or one for each test set."""
    over, label = asked.pop("over", ""), asked.pop("label")
    if label is not None:
        asked["metric"] = asked["metric"], label
    if over not in ("", "mean", "each", "any"):
        raise ValueError(f"a rule is over 'mean', 'each' or 'any' test set, got {over!r}.")
    if not isinstance(predictions, Mapping):
        if missing != "refuse":
            raise ValueError(f"missing={missing!r} is for several test sets; leave it out of one.")
        return over, [decide(predictions, *models, **asked)]
    check_known(predictions, *models)
    generalize_to = asked.get("generalize_to", "auto")
    if over in ("", "mean"):
        suite = weighted_sets(predictions, models, weights, generalize_to, missing)
        return over, [decide(suite, *models, **asked)]
    generalize_to = within(generalize_to)
    found = weighted_sets(predictions, models, "equal", generalize_to, missing)
    sets, note = found.sets, found.notes if missing == "drop" else ()
    asked["alpha"] /= len(sets) if over == "any" else 1
    decisions = []
    for own in sets:
        of_one = {name: float(name == own) for name in sets}
        alone = weighted_sets(sets, models, of_one, generalize_to, missing)
        decision = decide(alone, *models, **asked)
        decisions.append(replace(decision, notes=(*decision.notes, *note)))
    return over, decisions


def _at_early_look(decision: DecisionResult) -> DecisionResult:
    """Return a decision, without bounds if it is too early for them."""
    no_bounds = {"ci_low": -math.inf, "ci_high": math.inf, "p_value": 0.5}
    return _undecided(decision, decision.too_early, **no_bounds) if decision.too_early else decision


def _undecided(decision: DecisionResult, note: str, **changes: Any) -> DecisionResult:
    """Return a decision as undecided, with a note that gives the reason."""
    notes = (*decision.notes, note)
    return replace(decision, answer="not enough data", notes=notes, **changes)


def _corrected(
    found: Sequence[tuple[str, Sequence[DecisionResult]]], alpha: float
) -> Iterator[tuple[str, tuple[DecisionResult, ...]]]:
    """Yield decisions by rule, where opposites of several claims need Holm's steps (closed)."""
    alone = np.array([1 - each.p_value for over, own in found if over != "any" for each in own])
    adjusted = iter(adjust(alone, "holm").tolist())
    note = f"Its opposite is not shown once corrected for {len(alone):,} claims (Holm)."

    def shown(each: DecisionResult, opposite: float) -> DecisionResult:
        decisive = each.answer != "shown otherwise" or opposite < alpha
        return each if decisive else _undecided(each, note)

    for over, own in found:
        yield over, tuple(shown(each, 0.0 if over == "any" else next(adjusted)) for each in own)
