"""Leaders of one value among other models, and whom they are better than, from frames of pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import pandas as pd

from modelcompare.engine.axis import ValueKey
from modelcompare.report.numbers import EXCLUDES_0, grounds, p_clause
from modelcompare.report.tables import rows_at

# Its name, or its place.
Model = TypeVar("Model")


def best_first(
    scores: pd.DataFrame, differences: pd.DataFrame, key: ValueKey, by: str, *, upwards: bool
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of one value in both frames: models from best to worst, and their pairs."""
    own, pairs = (rows_at(x, metric=key.metric, label=key.label) for x in (scores, differences))
    return own.sort_values(by, ascending=not upwards, kind="stable"), pairs


def pairs_of_leader(
    differences: pd.DataFrame, leader: str, others: Sequence[str], *, below: float | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return rows of a leader's pairs by other model: significantly worse ones, and the rest.

    At the level `below` they are lower ones, of a metric whose direction is not known.
    """
    rows: dict[str, Any] = {
        row.model_b if row.model_a == leader else row.model_a: row
        for row in differences.itertuples()
        if leader in (row.model_a, row.model_b)
    }
    beaten = {model: rows[model] for model in others if _is_led(rows[model], leader, below)}
    return beaten, {model: rows[model] for model in others if model not in beaten}


def _is_led(row: Any, leader: str, below: float | None) -> bool:
    if below is None:
        return bool(row.better == leader)
    return row.p_adjusted < below and (row.ci_low + row.ci_high > 0) == (row.model_a == leader)


def leaders_of(models: Sequence[Model], values: Sequence[float]) -> tuple[list[Model], list[Model]]:
    """Return the models of the best value, of values in order, and the others."""
    # Without arrays: a verdict asks for each of a thousand classes.
    n = max(sum(math.isclose(each, values[0], rel_tol=1e-12) for each in values), 1)
    return list(models[:n]), list(models[n:])


def pairs_of_leaders(
    differences: pd.DataFrame, leaders: Sequence[str], others: Sequence[str], *,
    below: float | None = None,
) -> tuple[dict[str, Any], dict[str, Any], list[str]]:  # fmt: skip
    """Return rows of models that are worse than all leaders of one value, than none, and the rest.

    No leader comes before the others: a row is that of the largest p-value.
    """
    each = [pairs_of_leader(differences, leader, others, below=below) for leader in leaders]
    beaten, tied = (
        {m: max((found[m] for found in side), key=lambda row: row.p_adjusted)
         for m in others if all(m in found for found in side)}
        for side in zip(*each, strict=True)
    )  # fmt: skip
    return beaten, tied, [m for m in others if m not in beaten and m not in tied]


def led_clauses(
    differences: pd.DataFrame, leaders: Sequence[str], others: Sequence[str],
    level: float | None = None,
) -> list[str]:  # fmt: skip
    """Return clauses: significant and other differences of the leaders, which have one value.

    With the level of the intervals, they name p-values, and intervals that part from them.
    """
    beaten, tied, partly = pairs_of_leaders(differences, leaders, others)
    named, level_with = [*beaten], [*tied]
    if level is not None:
        named = [f"{x} ({_ahead(x, row, level)})" for x, row in beaten.items()]
        level_with = [f"{x} ({_tied(row, level)})" for x, row in tied.items()]
    is_ = "is" if len(leaders) == 1 else "are"
    verbs = {
        f"{is_} better than": named, "some of them are better than": partly,
        f"{is_} not significantly different from": level_with,
    }  # fmt: skip
    return [f"{verb} {', '.join(names)}" for verb, names in verbs.items() if names]


def _ahead(model: str, row: Any, level: float) -> str:
    return grounds({model: (row.ci_low, row.ci_high, row.p_adjusted)}, level)


def _tied(row: Any, level: float) -> str:
    """Return the p-value of a tie; the interval is of the difference by itself."""
    apart = (row.ci_low > 0 or row.ci_high < 0) and row.p_value >= 1 - level
    return f"{p_clause(row.p_adjusted)}{EXCLUDES_0 * apart}"
