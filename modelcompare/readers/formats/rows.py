"""Formats that are a list of results: each tool gives its rows, and all are read in one way."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format, check_named, each, is_missing, score_columns
from modelcompare.readers.records import SCORE, Records
from modelcompare.words import FileKind, KindOrAuto, shown

_KEYS = ("model", "set", "run", "group", "id", "y_true", "y_pred")
# Scores of verdicts.
RIGHT = {True: 1.0, False: 0.0}
_OBJECTS: frozenset[FileKind] = frozenset({"json", "jsonl"})

Row = dict[str, Any]


def of_rows(
    name: str, rows: Callable[[File], pd.DataFrame], *, kinds: frozenset[FileKind] = _OBJECTS,
    fields: frozenset[str] = frozenset(), looks_like: Callable[[File], bool] = lambda _: True,
    companions: str = "", same: tuple[str, ...] = (), kind: KindOrAuto = "scores",
) -> Format:  # fmt: skip
    """Make a format of a function that returns the results of a file.

    Parameters
    ----------
    name, kinds, fields, looks_like, companions
        As for `Format`.
    rows : callable
        File -> a row for each result: ``id``, a column ``score:NAME`` for each score or ``y_true``
        and ``y_pred``, and where the file names them ``model``, ``set``, ``run`` and ``group``;
        other columns describe the samples. Repeated results of a model and sample are numbered.
    same : tuple of str
        Columns that all models must share for each sample.
    kind : str
        Output type of ``y_pred``, or "scores".
    """

    def read(file: File) -> Records:
        found = rows(file).reset_index(drop=True)
        check_named(found[[key for key in ("model", "run", "id") if key in found]], file.name)
        scores = [heading for heading in found if heading.startswith(SCORE)]
        frame = found[[key for key in _KEYS if key in found]]
        if kind == "scores":
            frame = frame.assign(**_numbers(found[scores], file.name))
        frame, is_numbered = _numbered(frame)
        return Records(
            frame=frame, beside=found.drop(columns=[*frame, *scores], errors="ignore"), kind=kind,
            written=file.written, same=tuple(each for each in same if each in found),
            answers=is_numbered,
        )  # fmt: skip

    return Format(name, kinds, each(read), fields, looks_like, companions=companions)


def renamed(table: pd.DataFrame, roles: Mapping[str, str]) -> pd.DataFrame:
    """Return a table whose columns are named after their roles, those present."""
    return table.rename(columns={field: role for role, field in roles.items()})


def scored(
    cells: Sequence[Any] | pd.Series[Any], values: Mapping[Any, float], name: str, where: str
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


def _numbers(scores: pd.DataFrame, where: str) -> Mapping[str, Any]:
    """Return the columns of scores, each of numbers or missing cells throughout."""
    given = {str(name).removeprefix(SCORE): column for name, column in scores.items()}
    found, others = score_columns(given, where)
    for name in others:
        raise ValueError(f"{where}: {name} is no number in some results; write the file again.")
    return found


def _numbered(frame: pd.DataFrame) -> tuple[pd.DataFrame, bool]:
    """Number the results of a model and sample in a column ``run``, if there are several."""
    keys = [key for key in ("model", "set", "id") if key in frame]
    if "run" in frame or not frame.duplicated(keys).any():
        return frame, False
    # Objects stay whole numbers beside files without runs.
    runs = (frame.groupby(keys, dropna=False).cumcount() + 1).astype(object)
    frame.insert(0, "run", runs)
    return frame, True
