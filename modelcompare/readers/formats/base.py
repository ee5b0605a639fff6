"""Formats: how their files are recognised and read; columns of scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.data.checks import DataWarning
from modelcompare.readers.messages import counted
from modelcompare.readers.records import SCORE, Records, stacked
from modelcompare.words import FileKind, warn_caller


class UnscoredError(ValueError):
    """A log holds no scores."""


@dataclass(frozen=True)
class Opened:
    """A file whose kind is known, and what is in it.

    The payload is a `Table` for csv, tsv, parquet and jsonl; the parsed document for json; a list
    of lines without their ends for text; the open `Content` for eval, whose bytes are an archive's.
    A file that was found in a folder may be left out if nothing in it was scored.
    """

    path: Path
    kind: FileKind
    payload: Any
    in_folder: bool = False

    @property
    def name(self) -> str:
        """The file's name, for messages."""
        return self.path.name


@dataclass(frozen=True)
class Format:
    """One kind of log.

    Parameters
    ----------
    name : str
        What people call it.
    kinds : frozenset of str
        Kinds of file that it comes in.
    recognises : callable
        Whether a file is one, by what it holds (never by its name alone), without reading all.
    read : callable
        All files of this format that were named together -> their records. A row whose file does
        not say the model or the test set is given them by the caller, from ``frame["file"]``, the
        position of the file among those given.
    truth_is_a_file : bool
        The truth is one of the files, told by its name, or by the argument ``true`` of `read`.
    """

    name: str
    kinds: frozenset[FileKind]
    recognises: Callable[[Opened], bool]
    read: Callable[..., Records]
    truth_is_a_file: bool = False


def each(read_one: Callable[[Opened], Records]) -> Callable[[Sequence[Opened]], Records]:
    """Read files one by one, where each stands for itself.

    Where only some files say their model or test set, all are left to the caller to name.
    """

    def read(files: Sequence[Opened]) -> Records:
        found = _scored(read_one, files)
        parts = [*found.values()]
        told = stacked(parts)
        position = np.repeat([*found], [len(part.frame) for part in parts])
        unsaid = [n for n in ("model", "set") if any(n not in part.frame for part in parts)]
        frame = told.frame.drop(columns=unsaid, errors="ignore")
        frame.insert(0, "file", position)
        return replace(told, frame=frame)

    return read


def _scored(read_one: Callable[[Opened], Records], files: Sequence[Opened]) -> dict[int, Records]:
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


Cells = Iterable[Any]


def score_columns(
    values: Mapping[str, Cells], where: str, of_text: Callable[[str], float | None] = lambda _: None
) -> dict[str, FloatArray]:
    """The columns ``score:NAME`` of those values that are numbers, or missing, in every sample.

    Truth values are 1 and 0, texts what `of_text` says, and objects give ``score:NAME/KEY`` for
    each key that holds numbers.
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
    return scores


def check_named(columns: Mapping[str, Cells], where: str) -> None:
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


def cells_of(objects: Cells, key: str) -> list[Any]:
    """Values of objects under a key; None where there is no object."""
    return [each.get(key) if isinstance(each, dict) else None for each in objects]


def _flat(name: str, cells: Cells) -> dict[str, Cells]:
    """Objects as a column for each of their keys; anything else as it is."""
    held = list(cells) if not isinstance(cells, pd.Series) or cells.dtype == object else []
    objects = [cell for cell in held if not is_missing(cell)]
    if not objects or not all(isinstance(each, dict) for each in objects):
        return {name: cells}
    keys = dict.fromkeys(key for each in objects for key in each)
    return {f"{name}/{key}": cells_of(held, key) for key in keys}


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
