"""Recognition and reading of formats; columns of scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.data.checks import warn_of_data
from modelcompare.readers.content import File
from modelcompare.readers.messages import counted
from modelcompare.readers.records import SCORE, Records, stack_records
from modelcompare.readers.tables import lookup
from modelcompare.words import FileKind

Cells = Iterable[Any]


class UnscoredError(ValueError):
    """A log without scores."""


@dataclass(frozen=True)
class Format:
    """Format of a log.

    Parameters
    ----------
    name : str
        Name in messages.
    kinds : frozenset of str
        File types of the format.
    read : callable
        Files of this format that were named together -> their records. If a file does not name the
        model or the test set of a row, the caller does, from ``frame["file"]``, the position of the
        file among those given.
    fields : frozenset of str
        Columns of its tables.
    looks_like : callable
        Whether a file has this format, by its content (never by its name alone), without reading
        all of it.
    truth_is_a_file : bool
        The truth is one of the files, by its name or by the argument ``true`` of `read`.
    companions : str
        Pattern of the names of other files that the tool writes into the same folder.
    any_name : bool
        Whether the content is enough, even against the suffix.
    any_text : bool
        Whether most texts are of it, so that the other formats are tried first.
    """

    name: str
    kinds: frozenset[FileKind]
    read: Callable[..., Records]
    fields: frozenset[str] = frozenset()
    looks_like: Callable[[File], bool] = lambda _: True
    truth_is_a_file: bool = False
    companions: str = ""
    any_name: bool = False
    any_text: bool = False

    def recognises(self, file: File) -> bool:
        """Return whether a file is of this format."""
        if file.kind not in self.kinds:
            return False
        is_table = isinstance(file.payload, pd.DataFrame)
        return (not is_table or self.fields <= {*file.payload.columns}) and self.looks_like(file)


def each(read_one: Callable[[File], Records]) -> Callable[[Sequence[File]], Records]:
    """Read independent files one by one.

    If only some files name their model or test set, the caller names those of all.
    """

    def read(files: Sequence[File]) -> Records:
        found = _read_scored(read_one, files)
        parts = [*found.values()]
        records = stack_records(parts)
        position = np.repeat([*found], [len(part.frame) for part in parts])
        unnamed = [n for n in ("model", "set") if any(n not in part.frame for part in parts)]
        frame = records.frame.drop(columns=unnamed, errors="ignore")
        frame.insert(0, "file", position)
        return replace(records, frame=frame)

    return read


def _read_scored(read_one: Callable[[File], Records], files: Sequence[File]) -> dict[int, Records]:
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
        warn_of_data(f"left out logs without scores: {counted([*unscored])}.")
    return found


def score_columns(
    values: Mapping[str, Cells], where: str, of_text: Callable[[str], float | None] = lambda _: None
) -> tuple[dict[str, FloatArray], dict[str, Cells]]:
    """Return columns ``score:NAME`` of the values that are numeric, or missing, throughout.

    Truth values are 1 and 0, texts are parsed by `of_text`, and objects give ``score:NAME/KEY`` for
    each key with numbers. Values that are no such columns are returned separately.
    """
    flat = {name: cells for each in values.items() for name, cells in _flatten(*each).items()}
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
    """Check that each key column has a text or a number in each row."""
    for name, cells in columns.items():
        for number, cell in enumerate(cells, start=1):
            if is_missing(cell) or not isinstance(cell, str | Real):
                raise ValueError(
                    f"{where}: sample {number:,} has no {name}, a text or a number; without it "
                    "samples cannot be distinguished."
                )


def is_missing(cell: Any) -> bool:
    """Return whether a cell is missing."""
    return cell is None or cell is pd.NA or (isinstance(cell, float) and cell != cell)


def cells_of(objects: Cells, *keys: str) -> list[Any]:
    """Return the values of objects under nested keys; None where a key is absent."""
    return [lookup(each, keys) for each in objects]


def keys_of(objects: Cells) -> list[str]:
    """Return all keys of the objects among the cells."""
    return [*dict.fromkeys(key for each in objects if isinstance(each, dict) for key in each)]


def _flatten(name: str, cells: Cells) -> dict[str, Cells]:
    """Split objects into one column per key; return anything else unchanged."""
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
