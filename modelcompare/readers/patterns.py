"""Columns that a pattern names: labels by several people, or a column beside each model.

Labels by several people (`true` = "ann*") become one truth, by a plugin.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

import pandas as pd

from modelcompare.data.checks import check_columns_distinct
from modelcompare.plugs import behind
from modelcompare.readers.beside import substitutes
from modelcompare.readers.options import Columns, refuse_column

# The place of a model's name in the pattern of columns beside each model.
_MODEL = "{model}"


def with_patterns(
    frame: pd.DataFrame, columns: Columns, where: str
) -> tuple[pd.DataFrame, Columns]:  # fmt: skip
    """Find the columns that patterns name, and add the truth of labels by several people."""
    check_columns_distinct(frame, where)
    headings = [str(heading) for heading in frame.columns]
    columns = _beside_models(headings, columns, where)
    true = columns.true or ""
    people = [h for h in headings if fnmatchcase(h, true) and h not in columns.slices]
    if "*" not in true or true in headings or len(people) < 2:
        return frame, columns
    columns = replace(columns, people=tuple(people))
    found: tuple[pd.DataFrame, Columns] = behind("annotators").with_truth(frame, columns)
    return found


def _beside_models(headings: Sequence[str], columns: Columns, where: str) -> Columns:
    """Return the options with the columns of patterns that have a place for a model's name."""
    for name in (each.option for each in substitutes()):
        pattern = columns.named.get(name, "")
        if _MODEL in pattern:
            form = re.escape(pattern).replace(re.escape(_MODEL), "(.+)", 1)
            found = {match[1]: h for h in headings if (match := re.fullmatch(form, h))}
            if not found:
                refuse_column(pattern, headings, where)
            changes: dict[str, Any] = {name: None, "by_model": {**columns.by_model, name: found}}
            columns = replace(columns, **changes)
    return columns


def of_models(columns: Columns, models: Sequence[str], where: str) -> Columns:
    """Return the options with the columns beside these models only."""
    kept = {}
    for name, own in columns.by_model.items():
        for model in (m for m in models if m not in own):
            known, heading = next(iter(own.items()))
            refuse_column(heading.replace(known, model), [*own.values()], where)
        kept[name] = {m: heading for m, heading in own.items() if m in models}
    return replace(columns, by_model=kept)


def refuse_in_rows(columns: Columns, where: str) -> None:
    """Refuse patterns where each row is of one model."""
    if columns.by_pattern:
        options = ", ".join(["true", *(each.option for each in substitutes())])
        raise ValueError(
            f"{where}: each row is of one model, and a pattern ({options}) names several columns "
            f"({', '.join(columns.by_pattern[:3])}); make a table with a column for each model."
        )
