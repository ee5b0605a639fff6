"""Columns of sets of labels -> columns of tuples, one for the truth and one for each model.

Sets are lists in cells (JSON lines, Parquet), written ones (``['a', 'b']``, or ``a;b`` with
``kind="label_sets"``), or columns of 0 and 1 for each label (``y_true:a``, ``cnn:a``).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.data.checks import refuse_rows
from modelcompare.data.kinds import UNDECLARED
from modelcompare.plugins.label_sets.kinds import KINDS
from modelcompare.readers import cell_types, names
from modelcompare.readers.cell_types import Column
from modelcompare.readers.profile import Profile
from modelcompare.readers.role_table import NAMED_TRUTH
from modelcompare.readers.roles import solve
from modelcompare.spelling import in_one_case

_WRITTEN = re.compile(r"\s*[\[({](.*)[\])}]\s*", re.DOTALL)
_QUOTED = re.compile(r"""\s*(?:'([^']*)'|"([^"]*)")\s*(?:,|$)""")
_SEPARATORS = (";", "|", ",")
# Share of a column's labels that are labels of the truth.
_SHARED = 0.5


def with_label_sets(seen: Profile) -> Profile:
    """Replace lists of labels, and columns of 0 and 1 for each label of the truth, by tuples."""
    declared = seen.columns.output_kind
    if seen.columns.score or declared not in (UNDECLARED, *KINDS):
        return seen
    seen = _of_indicators(seen)
    true = solve(seen, [NAMED_TRUTH])["truth"]
    truth = None if true is None else _tuples(seen.frame[true], seen, true)
    if true is None or truth is None:
        return seen
    # Labels in another spelling are refused with the predictions, not left out.
    known = {in_one_case(label) for cell in truth.dropna() for label in cell}
    found = {true: truth}
    for heading in (h for h in seen.headings if h != true):
        cells = _tuples(seen.frame[heading], seen, true)
        labels = [label for cell in ([] if cells is None else cells.dropna()) for label in cell]
        shared = [in_one_case(label) in known for label in labels]
        if cells is None or (labels and np.mean(shared) < _SHARED):
            continue
        found[heading] = cells
    return seen.holding(seen.frame.assign(**found))


def _tuples(column: Column, seen: Profile, true: str) -> Column | None:
    """Return the labels in each cell, in order; None where cells are no lists of labels."""
    if column.dtype.kind in "iufbM":
        return None
    if isinstance(next(iter(column.dropna()), None), tuple):
        return column
    split = seen.columns.output_kind in KINDS
    first = next(iter(column.dropna()), None)
    written = isinstance(first, str) and _WRITTEN.fullmatch(first)
    if not (split or written or isinstance(first, list | set | frozenset | np.ndarray)):
        # All cells are read only if the first one is a list.
        return None
    separator = _separator(seen.frame[true]) if split else ""
    rows = [_labels(cell, separator) for cell in column]
    missing = column.isna() & (not split)
    bad = [row is None and not gone for row, gone in zip(rows, missing, strict=True)]
    if any(bad) or not any(row is not None for row in rows):
        return None
    cells = [None if row is None else tuple(sorted(row)) for row in rows]
    return pd.Series(cells, index=column.index, name=column.name, dtype=object)


def _separator(column: Column) -> str:
    """Return the sign between labels: the first one of the usual signs that occurs."""
    texts = [cell for cell in column if isinstance(cell, str)]
    return next((s for s in _SEPARATORS if any(s in text for text in texts)), ";")


def _labels(cell: Any, separator: str) -> list[str] | None:
    """Return the labels of a cell; None if it is no list of texts."""
    if isinstance(cell, list | tuple | set | frozenset | np.ndarray):
        entries = [*cell]
        return entries if all(isinstance(entry, str) for entry in entries) else None
    if separator and (cell is None or cell != cell or not str(cell).strip()):
        return []
    if not isinstance(cell, str):
        return [str(cell)] if separator else None
    written = _WRITTEN.fullmatch(cell)
    if written is not None:
        inside = written[1].strip()
        parts = [*_QUOTED.finditer(inside)]
        if "".join(part[0] for part in parts) == inside and (parts or not inside):
            return [part[1] if part[1] is not None else part[2] for part in parts]
    return [part.strip() for part in cell.split(separator)] if separator else None


def _of_indicators(seen: Profile) -> Profile:
    """Replace columns ``y_true:label`` of 0 and 1 by one of tuples, and those of models too.

    Columns of a model with other numbers are its probabilities, and stay.
    """
    by_name: dict[str, dict[str, str]] = {}
    for heading in seen.headings:
        name, sign, label = heading.partition(":")
        if sign and label:
            by_name.setdefault(name, {})[label] = heading
    true = seen.columns.true or names.first(by_name, names.TRUE)
    if true not in by_name or true in seen.headings:
        return seen
    labels = [*by_name[true]]
    made: dict[str, Column] = {}
    place: dict[str, str] = {}
    for name, columns in by_name.items():
        numbers = pd.DataFrame(
            {label: cell_types.as_numbers(seen.frame[h]) for label, h in columns.items()},
            index=seen.frame.index,
        )  # fmt: skip
        ones = numbers.isin([0, 1]).all(axis=1)
        if name == true and seen.columns.kind == "auto" and (numbers.sum(axis=1) == 1).all():
            return seen  # one class for each sample, which is refused elsewhere
        if name == true:
            refuse_rows(
                ~ones.to_numpy(), f"{seen.where}: columns {true}:LABEL must hold 0 or 1, but do not"
            )
        if not {*columns} <= {*labels} or not ones.all():
            continue
        if lacking := [label for label in labels if label not in columns]:
            raise ValueError(
                f"{seen.where}: model {name!r} has no column {f'{name}:{lacking[0]}'!r}, as "
                f"{true!r} has for this label; add it, with 0 where the label is not given."
            )
        cells = [tuple(sorted(numbers.columns[row == 1])) for row in numbers.to_numpy()]
        made[name] = pd.Series(cells, index=seen.frame.index, dtype=object)
        place |= dict.fromkeys(columns.values(), name)
    # In the order of the table.
    order = dict.fromkeys(place.get(heading, heading) for heading in seen.headings)
    frame = pd.DataFrame({h: made[h] if h in made else seen.frame[h] for h in order})
    return seen.holding(frame, replace(seen.columns, labels=seen.columns.labels or (*labels,)))


TABLES = (with_label_sets,)
