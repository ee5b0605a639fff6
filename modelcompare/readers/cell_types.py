"""Cells -> labels, names and numbers. Here alone a text becomes a number, or a number a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, BoolArray
from modelcompare.data.checks import rows_text
from modelcompare.readers.messages import told
from modelcompare.words import KindOrAuto

# Whole numbers as Python writes them, of so many digits that they fit 64 bits: not 01, +1, 1e3.
_PLAIN = re.compile(r"0|-?[1-9][0-9]{0,17}")
_YES, _NO = ["True", "true", "TRUE"], ["False", "false", "FALSE"]
# How a missing cell is written where nobody says otherwise, beside an empty one.
MISSING_MARKS = frozenset(
    ("-", "#N/A", "<NA>", "N/A", "NA", "NAN", "NULL", "NaN", "None", "n/a", "na", "nan", "null")
)


def names(written: AnyArray) -> AnyArray:
    """Whole numbers where every cell is one and would be written the same again, else texts.

    Where a cell is missing the others stay texts: it is no number, and must be seen to be missing.
    """
    place, found = pd.factorize(written)
    plain = (place >= 0).all() and all(map(_PLAIN.fullmatch, found))
    return found.astype(np.int64)[place] if plain else written


def as_numbers(cells: Any) -> AnyArray:
    """Cells as numbers, True and False too; NaN where one is none."""
    found = pd.to_numeric(cells, errors="coerce")
    array: AnyArray = pd.Series(found).to_numpy(np.float64, na_value=np.nan)
    if not np.isnan(array).any():
        return array
    held = pd.Series(cells, dtype=object).to_numpy()
    return np.where(np.isin(held, _YES), 1.0, np.where(np.isin(held, _NO), 0.0, array))


def numbers(written: AnyArray) -> AnyArray:
    """Numbers where every cell is one, else texts."""
    place, held = pd.factorize(written)
    found = as_numbers(held)
    return written if np.isnan(found).any() or (place < 0).any() else found[place]


def said(written: AnyArray) -> AnyArray:
    """Names, unless all cells are numbers and one has a fraction, as no class name has."""
    named = names(written)
    if named.dtype.kind == "i":
        return named
    found = numbers(written)
    fractions = found.dtype.kind == "f" and bool((found[np.isfinite(found)] % 1).any())
    return found if fractions else written


# What the cells of models are, by the kind of output that was told; true labels are names.
_SAID: Mapping[KindOrAuto, Callable[[AnyArray], AnyArray]] = {
    "auto": said, "labels": names, "probabilities": numbers, "values": numbers, "scores": numbers,
    "texts": lambda written: written, "text_lists": lambda written: written,
}  # fmt: skip


def typed(
    frame: pd.DataFrame, kind: KindOrAuto, *, true: str | None, models: Iterable[str],
    measures: Iterable[str],
) -> pd.DataFrame:  # fmt: skip
    """A written table with each column's cells as what it is for; those not named are names."""
    rules: dict[str, Callable[[AnyArray], AnyArray]] = dict.fromkeys(measures, numbers)
    if true is not None:
        rule = names if kind == "probabilities" else _SAID[kind]
        truth = rule(frame[true].to_numpy())
        rules[true] = lambda _: truth
        # Where the truth is measured, so is what models say of it.
        kind = "values" if kind == "auto" and truth.dtype.kind == "f" else kind
    rules |= dict.fromkeys(models, _SAID[kind])
    columns = {name: rules.get(name, names)(column.to_numpy()) for name, column in frame.items()}
    return pd.DataFrame(columns, index=frame.index, copy=False)


def marked(column: pd.Series[Any], marks: Collection[str]) -> BoolArray:
    """Mask of cells whose texts stand for a missing one."""
    if column.dtype.kind in "iufbM":
        return np.zeros(len(column), dtype=bool)
    found: BoolArray = column.isin([*marks]).to_numpy()
    return found


def with_missing(frame: pd.DataFrame, marks: Collection[str]) -> pd.DataFrame:
    """A table whose cells are missing where they are empty, or hold a mark of a missing one."""
    places = frame.apply(lambda column: marked(column, marks))
    return frame.mask(places) if places.to_numpy().any() else frame


def refuse_marks(frames: Sequence[pd.DataFrame], true: str | None, marks: Collection[str]) -> None:
    """Refuse a truth that holds usual marks of missing cells: they may as well name a class.

    Among numbers they do not. The commands named keep the marks that the models' columns hold.
    """
    truth = next((frame[true] for frame in frames if true in frame), None)
    held = [] if truth is None else sorted({*truth[marked(truth, marks)]})
    if truth is None or not held or share_of_numbers(truth, marks) == 1:
        return
    columns = [column for frame in frames for _, column in frame.items()]
    every = {cell for column in columns for cell in column[marked(column, marks)]}
    counts = ", ".join(f"{mark!r} in {rows_text(truth == mark)}" for mark in held)
    missing, others = sorted(every), sorted(every - {*held}) or [""]
    raise ValueError(
        f"column {true!r} holds {counts}; if these are missing pass {told(na=missing)}, "
        f"if they name classes {told(na=others)}."
    )


def share_of_numbers(column: pd.Series[Any], marks: Collection[str]) -> float:
    """Share of the cells that are not missing which are numbers; 0 where all are missing."""
    if column.dtype.kind in "iufb":
        return float(column.notna().any())
    if holds_objects(column):
        return 0.0
    place, held = pd.factorize(column)
    distinct = pd.Series(held, dtype=object)
    values, present = as_numbers(distinct), ~marked(distinct, marks)
    place = place[place >= 0]
    place = place[present[place]]
    return float((~np.isnan(values[place])).mean()) if len(place) else 0.0


def column_array(column: pd.Series[Any]) -> AnyArray:
    """A column as numpy array: numbers as numbers, anything else as objects."""
    array: AnyArray = column.to_numpy(None if column.dtype.kind in "iufb" else object)
    if array.dtype.kind != "O":
        return array
    if pd.api.types.infer_dtype(array, skipna=False) == "integer":
        # Longer than 64 bits; they are compared, not computed with.
        return array.astype(str).astype(object)
    refuse_objects(column)
    return array


def refuse_objects(column: pd.Series[Any]) -> None:
    """An error where cells of a column hold lists or objects."""
    if holds_objects(column):
        raise ValueError(
            f"column {column.name!r} holds lists or objects; give one label, number or text for "
            "each sample."
        )


def holds_objects(column: pd.Series[Any]) -> bool:
    """Return whether cells of a column hold lists or objects."""
    if column.dtype.kind != "O" or pd.api.types.infer_dtype(column) == "string":
        return False
    return any(isinstance(cell, list | dict | np.ndarray) for cell in column)


def alike(arrays: Sequence[AnyArray]) -> list[AnyArray]:
    """Whole numbers as texts, where there are texts among what they are compared with."""
    if not any(array.dtype.kind == "O" for array in arrays):
        return list(arrays)
    return [a.astype(str).astype(object) if _is_whole(a) else a for a in arrays]


def _is_whole(array: AnyArray) -> bool:
    return array.dtype.kind in "iu" and array.ndim == 1


def typed_labels(headings: list[str], truth: AnyArray | None = None) -> AnyArray:
    """Class names from headings, of the true labels' type: numbers, truth values or texts."""
    if truth is not None and truth.dtype.kind == "b":
        values = {"False": False, "True": True}
        if {*headings} <= {*values}:
            return np.array([values[heading] for heading in headings])
    if truth is not None and truth.dtype.kind == "O":
        return np.array(headings, dtype=object)
    return names(np.array(headings, dtype=object))
