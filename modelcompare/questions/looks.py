"""Looks: a gate that is asked again while samples are added, at one level for all answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from modelcompare.data.test_set import TestSet
from modelcompare.questions.ledger import (
    Ledger,
    check_grown,
    fingerprint,
    opened,
    outputs_of,
    plan_of,
    sizes_of,
)
from modelcompare.significance.repeated import level_of_look
from modelcompare.words import Answer, Spending, check_count

# An answer, and the numbers that are recorded with it.
Asked = tuple[Answer, Sequence[Mapping[str, Any]]]
_MOST_LOOKS = 1_000
check_looks = partial(check_count, at_least=1, at_most=_MOST_LOOKS)


def at_look(
    sets: Mapping[str, TestSet], models: tuple[str, str], rules: Sequence[Mapping[str, Any]],
    ask: Callable[[float, bool], Asked], *, ledger: str | os.PathLike[str], looks: int | None,
    spending: Spending, alpha: float, expect_head: str | None, options: Mapping[str, Any],
) -> str:  # fmt: skip
    """Ask at the level of the next look, record the answer, and return what the ledger knows.

    `ask` takes the level, and whether other looks will follow.

    Raises
    ------
    ValueError
        If all looks are used, one of them was decisive, or more changed than samples added.
    """
    for each in sets.values():
        each.require("rows", "predictions")
    path, sizes = Path(ledger), sizes_of(sets)

    def is_early(number: int) -> bool:
        return looks is not None and number < looks

    plan = plan_of("looks", rules, alpha, options, looks=looks, spending=spending)
    with opened(path, plan, expect_head) as known:
        entries, n = known.entries, sum(sizes.values())
        last = entries[-1] if entries else None
        if last is not None:
            check_grown(path, last, sets, models)
            if sum(last["sizes"].values()) == n:
                # Nothing was added: the same answer, which is no other look.
                ask(last["level"], is_early(len(entries)))
                return _in_words(known)
        _check_open(known)
        ns = [float(sum(entry["sizes"].values())) for entry in entries] + [float(n)]
        level = alpha if looks is None else level_of_look(ns, looks, alpha, spending)
        answer, found = ask(level, is_early(len(entries) + 1))
        roles = {
            role: {"name": model, "outputs": outputs_of(sets, model, sizes)}
            for role, model in zip(("baseline", "candidate"), models, strict=True)
        }
        known = known.added({
            "number": len(entries) + 1, "sizes": sizes, "test_set": fingerprint(sets, sizes),
            **roles, "level": level, "answer": answer, "found": found,
        })  # fmt: skip
        known.write()
        return _in_words(known)


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
