"""What scorers said of each sample -> columns of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.readers.formats.base import UnscoredError
from modelcompare.readers.records import SCORE

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
    """Whether a cell holds nothing."""
    return cell is None or cell is pd.NA or (isinstance(cell, float) and cell != cell)


def cells_of(objects: Cells, key: str) -> list[Any]:
    """What objects hold under a key; None where there is no object."""
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
