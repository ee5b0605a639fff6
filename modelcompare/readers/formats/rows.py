"""Formats that are a list of results: each tool gives its rows, and all are read in one way."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pandas as pd

from modelcompare.data.kinds import kind_declared
from modelcompare.readers.cell_types import Column
from modelcompare.readers.content import File
from modelcompare.readers.formats.base import check_named, each, is_missing, score_columns
from modelcompare.readers.records import SCORE, Records
from modelcompare.words import shown

_KEYS = ("model", "set", "run", "filter", "group", "id", "y_true", "y_pred")
# Keys without which samples cannot be distinguished.
_NAMED = ("model", "set", "run", "filter", "id")
# Scores of verdicts.
RIGHT = {True: 1.0, False: 0.0}

Row = dict[str, Any]


def of_rows(
    rows: Callable[[File], pd.DataFrame], *, same: tuple[str, ...] = (), kind: str = "scores",
    roles: Mapping[str, str] = MappingProxyType({}), is_log: bool = False,
    of_text: Callable[[str], float | None] = lambda _: None, up: bool | None = None,
) -> Callable[[Sequence[File]], Records]:  # fmt: skip
    """Make the reader of a `Format` of a function that returns the results of a file.

    Parameters
    ----------
    rows : callable
        File -> a row for each result: ``id``, a column ``score:NAME`` for each score or ``y_true``
        and ``y_pred``, and where the file names them ``model``, ``set``, ``run``, ``filter`` and
        ``group``; other columns describe the samples.
    same : tuple of str
        Columns that all models must share for each sample.
    kind : str
        Output type of ``y_pred``, or "scores".
    roles : mapping
        Columns of `rows` that have another name, by their role.
    is_log : bool
        Each sample occurs once in a run, whose number is that of an answer, and scores that are no
        numbers describe it. Otherwise repeated results of a model and sample are numbered.
    of_text : callable
        As for `score_columns`.
    up : bool, optional
        Whether high scores are good, if the format determines it.
    """

    def read(file: File) -> Records:
        table = rows(file).rename(columns={field: role for role, field in roles.items()})
        found = table.reset_index(drop=True)
        named = {roles.get(key, key): found[key] for key in _NAMED if key in found}
        check_named(named, file.name)
        scores = {h.removeprefix(SCORE): found.pop(h) for h in [*found] if h.startswith(SCORE)}
        frame = found[[key for key in _KEYS if key in found]]
        beside = found.drop(columns=[*frame])
        if kind_declared(kind).scored:
            numbers, others = score_columns(scores, file.name, of_text)
            if others and not is_log:
                raise ValueError(
                    f"{file.name}: {next(iter(others))} is no number in some results; write the "
                    "file again."
                )
            frame, beside = frame.assign(**numbers), beside.assign(**others)
        frame, is_numbered = (frame, True) if is_log else with_run_numbers(frame)
        return Records(
            frame=frame, beside=beside, kind=kind, written=file.written,
            same=tuple(each for each in same if each in found), answers=is_numbered,
            greater_is_better=up,
        )  # fmt: skip

    return each(read)


def scores_of(
    cells: Sequence[Any] | Column, values: Mapping[Any, float], name: str, where: str
) -> list[float]:
    """Return the score that each status means; a missing one is missing."""
    for number, cell in enumerate(cells, start=1):
        if not is_missing(cell) and not (isinstance(cell, str | bool) and cell in values):
            known = ", ".join(map(str, values))
            raise ValueError(
                f"{where}: {name} of result {number:,} is {shown(cell)}, which is none of {known}; "
                "write the file again."
            )
    return [float("nan") if is_missing(cell) else values[cell] for cell in cells]


def stem_of(file: File, ending: str) -> str:
    """Return the model that a file is named after, without the tool's own ending."""
    return re.sub(rf"[-_. ]+(?:{ending})$", "", file.model)


def with_run_numbers(frame: pd.DataFrame) -> tuple[pd.DataFrame, bool]:
    """Number the results of a model and sample in a column ``run``, if there are several."""
    keys = [key for key in ("model", "set", "id") if key in frame]
    if "run" in frame or not frame.duplicated(keys).any():
        return frame, False
    # Objects stay whole numbers beside files without runs.
    runs = (frame.groupby(keys, dropna=False).cumcount() + 1).astype(object)
    frame.insert(0, "run", runs)
    return frame, True
