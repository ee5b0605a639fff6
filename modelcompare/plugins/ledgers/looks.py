"""Looks: a gate that is asked again while samples are added, at one level for all answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from modelcompare.plugins.ledgers.fingerprints import (
    Asked,
    check_grown,
    check_stays,
    in_order,
    question_of,
)
from modelcompare.plugins.ledgers.history import History, n_of
from modelcompare.plugins.ledgers.ledger import Ledger, check_ledger, open_ledger
from modelcompare.plugins.ledgers.levels import levels_of_looks
from modelcompare.questions.gate_result import GateResult


def at_look(
    predictions: Asked, models: tuple[str, str], rules: Sequence[Mapping[str, Any]], *,
    ledger: Any, alpha: float, options: Mapping[str, Any],
    ask: Callable[..., GateResult],
) -> GateResult:  # fmt: skip
    """Ask at the level of the next look, and record the answer.

    `ask` takes the predictions, and `alpha`, the options, and whether the look is `early`: others
    will follow.

    Raises
    ------
    ValueError
        If all looks are used, one of them was decisive, or more changed than samples added.
    """
    check_ledger("ledger", ledger)
    check_stays(predictions)
    with open_ledger(Ledger.of(ledger), "looks", rules, alpha, options) as known:
        _check_method(known, options.get("method", "auto"))
        before = known.entries[-1] if known.entries else None
        if before is not None:
            check_grown(known, predictions, models)
        predictions = in_order(predictions, before)
        # Of all samples, in their order.
        asked = question_of(predictions, models, {})
        sizes = [n_of(entry) for entry in known.entries]
        # Where nothing was added it is the same answer, which is no other look.
        again = sizes[-1:] == [n_of(asked)]
        if not again:
            _check_undecided(known)
            known.check_left()
            sizes.append(n_of(asked))
        level, looks = level_at(known.plan, sizes), known.planned
        if looks is None:
            options = {**options, "method": "any-time"}
        early = looks is not None and len(sizes) < looks
        found = ask(predictions, alpha=level, options=options, early=early)
        if not again:
            known = known.recorded(asked, level, found)
        return replace(found, ledger=_in_words(known))


def level_at(plan: Mapping[str, Any], sizes: Sequence[float]) -> float:
    """Return the level of the latest look, from the numbers of samples at all of them."""
    return levels_at(plan, sizes)[-1]


def levels_at(plan: Mapping[str, Any], sizes: Sequence[float]) -> list[float]:
    """Return the levels of all looks, from their numbers of samples."""
    if plan["looks"] is None:
        return [float(plan["alpha"])] * len(sizes)
    return levels_of_looks(sizes, plan["looks"], plan["alpha"], plan["spending"])


def _check_method(known: History, method: str) -> None:
    """Refuse bounds at any time at the levels of planned looks, and other bounds without a plan."""
    if known.planned is not None and method == "any-time":
        raise ValueError(
            f"{known.path} has the levels of {known.planned} looks, and bounds at any time need "
            "none; leave `method` out, or begin a ledger with looks='any' (--looks any)."
        )
    if known.planned is None and method not in ("auto", "any-time"):
        raise ValueError(
            f"{known.path} plans no looks, so its bounds are those of method='any-time', not of "
            f"{method!r}; leave `method` out, or begin a ledger with a number of looks."
        )


def _check_undecided(known: History) -> None:
    """Refuse a look after a decisive one."""
    entries = known.entries
    if entries and entries[-1]["answer"] != "not enough data":
        raise ValueError(
            f"look {len(entries)} in {known.path} answered {entries[-1]['answer']!r}, and that "
            "stands; begin another ledger, with a fresh test set, for another question."
        )


def _in_words(known: History) -> str:
    """Write which look it was, and the head of the ledger."""
    plan, which, how = known.plan, f"Look {len(known.entries)}", "at any time"
    if plan["looks"] is not None:
        which, how = f"{which} of {plan['looks']}", plan["spending"]
    return f"{which} (alpha {plan['alpha']:g} in all, {how}); ledger head {known.head}."
