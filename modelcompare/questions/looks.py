"""Looks: a gate that is asked again while samples are added, at one level for all answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from modelcompare.data.test_set import TestSet
from modelcompare.questions.gate_result import GateResult
from modelcompare.questions.ledger import (
    Ledger,
    check_grown,
    n_of,
    opened,
    plan_of,
    question_of,
    sizes_of,
)
from modelcompare.significance.repeated import level_of_look
from modelcompare.words import Spending, check_count

_MOST_LOOKS = 1_000
check_looks = partial(check_count, at_least=1, at_most=_MOST_LOOKS)


def at_look(
    sets: Mapping[str, TestSet], models: tuple[str, str], rules: Sequence[Mapping[str, Any]],
    ask: Callable[[float, bool], GateResult], *, ledger: str | os.PathLike[str], looks: int | None,
    spending: Spending, alpha: float, expect_head: str | None, options: Mapping[str, Any],
) -> GateResult:  # fmt: skip
    """Ask at the level of the next look, and record the answer.

    `ask` takes the level, and whether other looks will follow.

    Raises
    ------
    ValueError
        If all looks are used, one of them was decisive, or more changed than samples added.
    """
    for each in sets.values():
        each.require("rows", "predictions")
    path, sizes = Path(ledger), sizes_of(sets)
    plan = plan_of("looks", rules, alpha, options, looks=looks, spending=spending)
    with opened(path, plan, expect_head) as known:
        ns, n = [float(n_of(entry)) for entry in known.entries], float(sum(sizes.values()))
        if ns:
            check_grown(path, known.entries[-1], sets, models)
        # Where nothing was added it is the same answer, which is no other look.
        again = n in ns[-1:]
        early = looks is not None and len(ns) + (not again) < looks
        if again:
            return replace(ask(known.entries[-1]["level"], early), ledger=_in_words(known))
        _check_open(known)
        level = alpha if looks is None else level_of_look([*ns, n], looks, alpha, spending)
        found = ask(level, early)
        known = known.recorded({
            **question_of(sets, models, sizes), "level": level, "answer": found.answer,
            "found": found.recorded,
        })  # fmt: skip
        return replace(found, ledger=_in_words(known))


def _check_open(known: Ledger) -> None:
    """Refuse a look after the last one, or after a decisive one."""
    entries, looks = known.entries, known.plan["looks"]
    if entries and entries[-1]["answer"] != "not enough data":
        raise ValueError(
            f"look {len(entries)} in {known.path} answered {entries[-1]['answer']!r}, and that "
            "stands; begin another ledger, with a fresh test set, for another question."
        )
    if looks is not None and len(entries) >= looks:
        raise ValueError(
            f"all {looks} looks in {known.path} are used, and alpha with them: the answer is not "
            "enough data. Begin another ledger with a fresh test set."
        )


def _in_words(known: Ledger) -> str:
    """Write which look it was, and the head of the ledger."""
    looks, number = known.plan["looks"], len(known.entries)
    which = f"Look {number}" if looks is None else f"Look {number} of {looks}"
    how = "at any time" if looks is None else str(known.plan["spending"])
    return f"{which} (alpha {known.plan['alpha']:g} in all, {how}); ledger head {known.head}."
