"""Cells -> labels, names and numbers. Here alone a text becomes a number, or a number a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.words import KindOrAuto

# Whole numbers as Python writes them, of so many digits that they fit 64 bits: not 01, +1, 1e3.
_PLAIN = re.compile(r"0|-?[1-9][0-9]{0,17}")
_NAN = ("nan", "NaN", "NAN")


def names(written: AnyArray) -> AnyArray:
    """Whole numbers where every cell is one and would be written the same again, else texts."""
    place, found = pd.factorize(written)
    plain = all(map(_PLAIN.fullmatch, found))
    return found.astype(np.int64)[place] if plain else written


def texts(written: AnyArray) -> AnyArray:
    """Texts as they stand."""
    return written


def numbers(written: AnyArray) -> AnyArray:
    """Numbers where every cell is one, else texts."""
    found: AnyArray = pd.to_numeric(written, errors="coerce")
    return written if np.isnan(found).any() else found


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
    "texts": texts, "text_lists": texts,
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


def with_missing(frame: pd.DataFrame, kind: KindOrAuto) -> pd.DataFrame:
    """A written table whose cells are missing where they are empty, or nan among numbers.

    Among texts that are answers an empty cell is an answer too.
    """
    if kind == "texts":
        return frame.fillna("")
    cells = frame.to_numpy()
    nan = np.any([cells == nan for nan in _NAN], axis=0)
    for place in np.flatnonzero(nan.any(axis=0)):
        others = pd.Series(cells[~nan[:, place], place]).dropna()
        if pd.to_numeric(others, errors="coerce").isna().any():
            nan[:, place] = False
    return frame.mask(nan) if nan.any() else frame


def are_numbers(column: pd.Series[Any], written: bool) -> bool:
    """Whether a column holds numbers, apart from missing cells."""
    if not written:
        return column.dtype.kind in "iufb"
    found = column.dropna().to_numpy()
    return len(found) > 0 and not np.isnan(pd.to_numeric(found, errors="coerce")).any()


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
