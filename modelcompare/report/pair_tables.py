"""Tables of values and of differences a - b, each row rounded as its own interval bears."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from modelcompare.report.numbers import decimals_for, interval_title
from modelcompare.report.tables import (
    ESTIMATE,
    SIDES,
    Column,
    Table,
    column,
    interval_column,
)
from modelcompare.words import INTERVALS, PAIRED_TESTS

# Intervals of differences that are made only if asked for by name.
_ASKED_FOR = {*INTERVALS} - {"auto"}


def pair_table(
    title: str, named: Sequence[Column], frame: pd.DataFrame, confidence_level: float,
    correction: str,
) -> Table:  # fmt: skip
    """Make a table of differences a - b, each with its own interval beside its own p-value."""
    excluded = (frame["ci_low"] > 0) | (frame["ci_high"] < 0)
    known = frame["p_value"].notna() & frame["ci_low"].notna()
    told = frame["p_value"] < round(1 - confidence_level, 12)
    frame = frame.assign(at_odds=known & (excluded != told))
    odd = odd_notes(frame, confidence_level, frame[frame["at_odds"]])
    columns = [
        *named, *SIDES, column("a - b", "difference"), interval_column(confidence_level),
        column("p", "p_value", "at_odds"),
    ]  # fmt: skip
    if correction == "none":
        return table_of(title, columns, frame, odd)
    level = interval_title(confidence_level)
    alone = f"{level} and p are those of each difference by itself; p ({correction}) is corrected."
    columns.append(column(f"p ({correction})", "p_adjusted"))
    return table_of(title, columns, frame, [alone, *odd])


def table_of(
    title: str, columns: Sequence[Column], frame: pd.DataFrame, notes: Sequence[str] = ()
) -> Table:
    """Make a table of unlike values, each rounded as its own interval bears."""
    return Table(title, columns, frame, notes=notes, decimals=row_decimals(frame))


def value_columns(confidence_level: float) -> list[Column]:
    """Show a value and its interval."""
    return [ESTIMATE, interval_column(confidence_level)]


def row_decimals(frame: pd.DataFrame) -> list[int]:
    """Decimals that each row bears: two digits of its standard error, or of a quarter interval."""
    quarters = (frame["ci_high"] - frame["ci_low"]) / 4
    return [decimals_for([error]) for error in frame.get("standard_error", quarters)]


def odd_notes(
    frame: pd.DataFrame, confidence_level: float, made: pd.DataFrame | None = None
) -> list[str]:
    """Explain a star behind a p-value, if there is one, and whether p or the interval decides.

    `made` names what intervals and p-values were made with, in the columns method and test.
    """
    if not frame["at_odds"].any():
        return []
    level = interval_title(confidence_level)
    parts = (
        f"* the {level} and p part at {1 - confidence_level:.2g}: they answer one question by two "
        "methods, which part where the difference is close to the edge or samples are few."
    )
    if made is None or not {"method", "test"} <= {*made.columns}:
        return [f"{parts} Decide by p."]
    pairs = made.loc[:, ["method", "test"]].dropna().drop_duplicates().astype(str)
    weaker = pairs[[not _p_decides(*pair) for pair in pairs.itertuples(index=False)]]
    if weaker.empty:
        return [f"{parts} Decide by p."]
    if weaker["method"].isin(_ASKED_FOR).any():
        return [
            f"{parts} The defaults of `method` and `test`, which hold more widely, decide better."
        ]
    tests = " and ".join(dict.fromkeys(weaker["test"]))
    return [f"{parts} Decide by the interval: p is of the test {tests}, which holds less widely."]


def _p_decides(method: str, test: str) -> bool:
    """Return whether p holds as widely as its interval, being of the default test or alike."""
    if test in ("studentized-permutation", "max-t") or test not in PAIRED_TESTS:
        return True
    of_resamples = {"BCa", "percentile", "basic", "studentized"}
    kinds = {"bootstrap": of_resamples, "wald": {"normal"}, "delong": {"delong"}}
    return method in kinds.get(test, set())
