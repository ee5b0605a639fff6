"""Formats: how their files are recognised and read; columns of scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.data.checks import DataWarning
from modelcompare.readers.content import File
from modelcompare.readers.messages import counted
from modelcompare.readers.records import SCORE, Records, stacked
from modelcompare.readers.tables import reached
from modelcompare.words import FileKind, warn_caller

Cells = Iterable[Any]


class UnscoredError(ValueError):
    """A log holds no scores."""


@dataclass(frozen=True)
class Format:
    """One kind of log.

    Parameters
    ----------
    name : str
        What people call it.
    kinds : frozenset of str
        Kinds of file that it comes in.
    read : callable
        All files of this format that were named together -> their records. A row whose file does
        not say the model or the test set is given them by the caller, from ``frame["file"]``, the
        position of the file among those given.
    fields : frozenset of str
        Columns that a table has if it is one.
    looks_like : callable
        Whether a file is one, by what else it holds (never by its name alone), without reading all.
    truth_is_a_file : bool
        The truth is one of the files, told by its name, or by the argument ``true`` of `read`.
    """

    name: str
    kinds: frozenset[FileKind]
    read: Callable[..., Records]
    fields: frozenset[str] = frozenset()
    looks_like: Callable[[File], bool] = lambda _: True
    truth_is_a_file: bool = False

    def recognises(self, file: File) -> bool:
        """Return whether a file is of this format."""
        if file.kind not in self.kinds:
            return False
        is_table = isinstance(file.payload, pd.DataFrame)
        return (not is_table or self.fields <= {*file.payload.columns}) and self.looks_like(file)


def each(read_one: Callable[[File], Records]) -> Callable[[Sequence[File]], Records]:
    """Read files one by one, where each stands for itself.

    Where only some files say their model or test set, all are left to the caller to name.
    """

    def read(files: Sequence[File]) -> Records:
        found = _scored(read_one, files)
        parts = [*found.values()]
        told = stacked(parts)
        position = np.repeat([*found], [len(part.frame) for part in parts])
        unsaid = [n for n in ("model", "set") if any(n not in part.frame for part in parts)]
        frame = told.frame.drop(columns=unsaid, errors="ignore")
        frame.insert(0, "file", position)
        return replace(told, frame=frame)

    return read


def _scored(read_one: Callable[[File], Records], files: Sequence[File]) -> dict[int, Records]:
    """Read files by their position; leave unscored ones out of a folder that holds others."""
    found: dict[int, Records] = {}
    unscored: dict[str, UnscoredError] = {}
    for place, file in enumerate(files):
        try:
            found[place] = read_one(file)
        except UnscoredError as error:
            if not file.in_folder:
                raise
            unscored[file.name] = error
    if not found:
        raise next(iter(unscored.values()))
    if unscored:
        what = f"left out logs without scores: {counted([*unscored])}."
        warn_caller(what, DataWarning)
    return found


def score_columns(
    values: Mapping[str, Cells], where: str, of_text: Callable[[str], float | None] = lambda _: None
) -> tuple[dict[str, FloatArray], dict[str, Cells]]:
    """The columns ``score:NAME`` of those values that are numbers, or missing, in every sample.

    Truth values are 1 and 0, texts what `of_text` says, and objects give ``score:NAME/KEY`` for
    each key that holds numbers. The values that are no such columns stand beside.
    """
    flat = {name: cells for each in values.items() for name, cells in _flat(*each).items()}
    found = {name: _numbers(cells, of_text) for name, cells in flat.items()}
    scores = {SCORE + name: array for name, array in found.items() if array is not None}
    if not scores:
        names = f"it has {', '.join(flat)}" if flat else "it has none"
        what = (
            f"{where}: no score is a number for each sample ({names}); score the samples with a "
            "metric that gives each a number."
        )
        raise ValueError(what) if flat else UnscoredError(what)
    return scores, {name: cells for name, cells in values.items() if SCORE + name not in scores}


def check_named(columns: Mapping[str, Cells] | pd.DataFrame, where: str) -> None:
    """Each row has a text or a number in each of the columns that name it."""
    for name, cells in columns.items():
        for number, cell in enumerate(cells, start=1):
            if is_missing(cell) or not isinstance(cell, str | Real):
                raise ValueError(
                    f"{where}: sample {number:,} has no {name}, a text or a number; without it "
                    "samples cannot be told apart."
                )


def is_missing(cell: Any) -> bool:
    """Return whether a cell holds nothing."""
    return cell is None or cell is pd.NA or (isinstance(cell, float) and cell != cell)


def cells_of(objects: Cells, *keys: str) -> list[Any]:
    """Values of objects under a key, or under keys in each other; None where there is no object."""
    return [reached(each, keys) for each in objects]


def keys_of(objects: Cells) -> list[str]:
    """All keys of objects; other cells have none."""
    return [*dict.fromkeys(key for each in objects if isinstance(each, dict) for key in each)]


def _flat(name: str, cells: Cells) -> dict[str, Cells]:
    """Objects as a column for each of their keys; anything else as it is."""
    held = list(cells) if not isinstance(cells, pd.Series) or cells.dtype == object else []
    objects = [cell for cell in held if not is_missing(cell)]
    if not objects or not all(isinstance(each, dict) for each in objects):
        return {name: cells}
    return {f"{name}/{key}": cells_of(held, key) for key in keys_of(objects)}


def _numbers(cells: Cells, of_text: Callable[[str], float | None]) -> FloatArray | None:
    if isinstance(cells, pd.Series) and cells.dtype.kind in "iufb":
        return cells.to_numpy(dtype=np.float64)
    found = [_number(cell, of_text) for cell in cells]
    return None if None in found else np.array(found, dtype=np.float64)


def _number(cell: Any, of_text: Callable[[str], float | None]) -> float | None:
    if is_missing(cell):
        return np.nan
    if isinstance(cell, Real | np.bool_):
        return float(cell)
    return of_text(cell) if isinstance(cell, str) else None
