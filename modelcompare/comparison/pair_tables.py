"""Tables of differences between any two models, of which + means that the first is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from modelcompare.directions import words_of
from modelcompare.report.numbers import interval_title, joined
from modelcompare.report.tables import Column, Table, column, interval_column


def pair_table(
    title: str, named: Sequence[Column], frame: pd.DataFrame, upwards: Mapping[str, bool | None],
    confidence_level: float, correction: str,
) -> Table:  # fmt: skip
    """Make a table of differences, each with an uncorrected interval and p-value.

    `upwards` has the direction of each metric. In the table + means that a is better.
    """
    corrected, notes = [], []
    if correction != "none":
        level = interval_title(confidence_level)
        alone = f"{level} and p are those of each difference by itself"
        notes = [f"{alone}; p ({correction}) is corrected."]
        corrected = [column(f"p ({correction})", "p_adjusted")]
    shown = orient(frame, upwards, ("difference", "difference"), ("ci_low", "ci_high"))
    return Table.of(
        title, shown, *named, "model_a", "model_b", column("lead", "difference"),
        interval_column(confidence_level), column("p", "p_value"), *corrected,
        subtitle=lead_meaning(upwards), notes=notes, decimals=None,
    )  # fmt: skip


def lead_meaning(upwards: Mapping[str, bool | None]) -> str:
    """Return the meaning of the sign of differences of models a and b, as text.

    >>> lead_meaning({"rmse": False, "own": None})
    '+: a is better, of own higher'
    """
    unknown = [metric for metric, up in upwards.items() if up is None]
    if len(unknown) == len(upwards):
        return f"+: a is {words_of(None).better}"
    of_others = f", of {joined(unknown)} {words_of(None).better}" if unknown else ""
    return f"+: a is {words_of(True).better}{of_others}"


def orient(
    differences: pd.DataFrame, upwards: Mapping[str, bool | None], *ends: tuple[str, str]
) -> pd.DataFrame:
    """Return differences a - b of which + means that a is better; `ends` are pairs of columns."""
    falls = differences["metric"].map(upwards).eq(False)
    return differences.assign(**{
        end: differences[end].mask(falls, 0 - differences[other])
        for pair in ends for end, other in (pair, pair[::-1])
    })  # fmt: skip
