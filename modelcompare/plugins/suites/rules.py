"""Rules of a gate about several test sets: the mean of them, each, or any."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from modelcompare.questions.rules import misread, read_claim

# What a rule is over, and the metric in parentheses.
_OVER = re.compile(r"(mean|each|any)(?:\((.+)\))?")
_FORM = ("OVER(METRIC)", "each(recall[toxic]):-0.01, OVER mean, each or any")


def read_rule(rule: str | Mapping[str, Any]) -> dict[str, Any]:
    """Read a rule about several test sets, as `questions.rules.read_rule` does that of one.

    The metric is in parentheses after what the rule is over, as in ``each(recall[toxic]):-0.01``;
    ``mean:-0.01`` is of the default metric. A mapping has the member "over", "mean" by default.

    Examples
    --------
    >>> read_rule("each(recall[toxic]):-0.01")["over"]
    'each'
    """
    if isinstance(rule, Mapping):
        return {"over": "mean", **rule}
    if not isinstance(rule, str):
        raise TypeError(f"a rule must be a text, got {rule!r}.")
    found = read_over(rule)
    if found is None:
        raise misread(rule, _FORM)
    return found


def read_over(rule: str | Mapping[str, Any]) -> dict[str, Any] | None:
    """Read a rule if it is about several test sets; None for others."""
    if not isinstance(rule, str):
        return None
    value, _, margin = rule.rpartition(":")
    over = _OVER.fullmatch(value.strip())
    return over and {**read_claim(rule, over[2] or "", margin, _FORM), "over": over[1]}


RULES = (read_over,)
