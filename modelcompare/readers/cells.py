"""Cells -> labels, names and numbers. Here alone a text becomes a number, or a number a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.words import KindOrAuto

Rule = Callable[[Any], Any]
# Whole numbers as Python writes them, of so many digits that they fit 64 bits: not 01, +1, 1e3.
_PLAIN = r"(?:0|-?[1-9][0-9]{0,17})"


def names(column: pd.Series[Any]) -> pd.Series[Any]:
    """Whole numbers where every cell is one and would be written the same again, else texts."""
    plain = column.str.fullmatch(_PLAIN)
    return column.astype(np.int64) if plain.all() else texts(column)


def texts(column: pd.Series[Any]) -> pd.Series[Any]:
    """Texts as they stand."""
    return column.astype(object)


def numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers where every cell is one, else texts."""
    found = pd.to_numeric(column, errors="coerce")
    return texts(column) if found.isna().any() else found


def said(column: pd.Series[Any]) -> pd.Series[Any]:
    """Names, unless all cells are numbers and one has a fraction, as no class name has."""
    named = names(column)
    if named.dtype.kind == "i":
        return named
    found = numbers(column)
    whole = found.dtype.kind != "f" or bool((np.isfinite(found) & (found % 1 == 0)).all())
    return named if whole else found


# What the cells of models are, by the kind of output that was told; true labels are names.
_SAID: Mapping[KindOrAuto, Rule] = {
    "auto": said, "labels": names, "probabilities": numbers, "values": numbers, "scores": numbers,
    "texts": texts, "text_lists": texts,
}  # fmt: skip


def typed(
    frame: pd.DataFrame, kind: KindOrAuto, *, true: str | None, models: Iterable[str],
    measures: Iterable[str],
) -> pd.DataFrame:  # fmt: skip
    """A written table with each column's cells as what it is for; those not named are names."""
    rules: dict[str, Rule] = dict.fromkeys(measures, numbers)
    out = {}
    if true is not None:
        out[true] = (names if kind == "probabilities" else _SAID[kind])(frame[true])
        # Where the truth is measured, so is what models say of it.
        kind = "values" if kind == "auto" and out[true].dtype.kind == "f" else kind
    rules |= dict.fromkeys(models, _SAID[kind])
    out |= {c: rules.get(c, names)(frame[c]) for c in frame.columns if c not in out}
    return pd.DataFrame(out, columns=frame.columns, index=frame.index)


def with_missing(frame: pd.DataFrame, kind: KindOrAuto) -> pd.DataFrame:
    """A written table whose cells are missing where they are empty, or nan among numbers.

    Among texts that are answers an empty cell is an answer too.
    """
    if kind == "texts":
        return frame.fillna("")
    return frame.apply(_without_nan) if len(frame.columns) else frame


def _without_nan(column: pd.Series[Any]) -> pd.Series[Any]:
    nan = column.str.lower().eq("nan").fillna(False).astype(bool)
    if not nan.any() or pd.to_numeric(column[~nan], errors="coerce")[column.notna()].isna().any():
        return column
    return column.mask(nan)


def are_numbers(column: pd.Series[Any], written: bool) -> bool:
    """Whether a column holds numbers, apart from missing cells."""
    if not written:
        return column.dtype.kind in "iufb"
    found = column.dropna()
    return len(found) > 0 and bool(pd.to_numeric(found, errors="coerce").notna().all())


def column_array(column: pd.Series[Any]) -> AnyArray:
    """A column as numpy array: numbers as numbers, anything else as objects."""
    array: AnyArray = column.to_numpy(None if column.dtype.kind in "iufb" else object)
    if array.dtype.kind != "O":
        return array
    held = pd.api.types.infer_dtype(array, skipna=False)
    if held == "integer":
        # Longer than 64 bits; they are compared, not computed with.
        return array.astype(str).astype(object)
    if held != "string" and any(isinstance(x, list | dict | np.ndarray) for x in array):
        raise ValueError(
            f"column {column.name!r} holds lists or objects; give one label, number or text for "
            "each sample."
        )
    return array


def alike(arrays: Sequence[AnyArray]) -> list[AnyArray]:
    """Whole numbers as texts, where there are texts among what they are compared with."""
    if not any(array.dtype.kind == "O" for array in arrays):
        return list(arrays)
    return [a.astype(str).astype(object) if _is_whole(a) else a for a in arrays]


def _is_whole(array: AnyArray) -> bool:
    return array.dtype.kind in "iu" and array.ndim == 1
