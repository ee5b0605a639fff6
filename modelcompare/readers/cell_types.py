"""Cells -> labels, names and numbers: all conversions between texts and numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, BoolArray, IntArray
from modelcompare.data.checks import rows_text
from modelcompare.data.kind_inference import are_values, is_real
from modelcompare.data.kinds import UNDECLARED, VALUES, Kind
from modelcompare.plugs import load
from modelcompare.readers.messages import as_options

Column: TypeAlias = "pd.Series[Any]"
# Canonical integers of at most 18 digits, which fit 64 bits: not 01, +1, 1e3.
_PLAIN = re.compile(r"0|-?[1-9][0-9]{0,17}")
# So many texts are recognized as integers together, and are names if all differ; powers of ten.
_MANY_NAMES = 1_000
_TENS = 10 ** np.arange(19, dtype=np.int64)
_WITH_POINT = re.compile(r"(?:0|-?[1-9][0-9]{0,17})\.0+")
_YES, _NO = ["True", "true", "TRUE"], ["False", "false", "FALSE"]
# Default marks of a missing cell, besides an empty one.
MISSING_MARKS = frozenset(
    ("-", "#N/A", "<NA>", "N/A", "NA", "NAN", "NULL", "NaN", "None", "n/a", "na", "nan", "null")
)


def names(written: AnyArray) -> AnyArray:
    """Convert texts to integers if every one is an integer in canonical form.

    With a missing cell the others stay texts, so that it is reported as missing.
    """
    return _as_names(written, *_distinct(written))


def _distinct(written: AnyArray) -> tuple[IntArray, AnyArray]:
    """Return the place of each cell among the distinct ones; of names, that hardly repeat, all."""
    first = {*written[:_MANY_NAMES]}
    if len(first) < _MANY_NAMES or pd.isna(written).any():
        return pd.factorize(written)
    return np.arange(len(written)), written


def _as_names(written: AnyArray, place: IntArray, found: AnyArray) -> AnyArray:
    """Convert texts, given by their places among the distinct ones, as `names` does."""
    if (place < 0).any() or (len(found) and not _PLAIN.fullmatch(found[0])):
        return written
    if len(found) < _MANY_NAMES:
        plain = all(map(_PLAIN.fullmatch, found))
        return found.astype(np.int64)[place] if plain else written
    try:
        whole = found.astype(np.int64)
    except (ValueError, OverflowError):
        return written
    # No text of an integer is shorter than the canonical one.
    texts, size = "".join(found), np.abs(whole)
    n_digits = np.maximum(np.searchsorted(_TENS, size, side="right"), 1) + (whole < 0)
    plain = texts.isascii() and len(texts) == n_digits.sum() and size.max() < _TENS[-1]
    return whole[place] if plain else written


# Signs as papers write them, and markup without meaning for a number.
_SIGNS = {r"\\%": "%", r"\\pm\b|\+/?-": "±", "−": "-", r"_\{([^{}]*)\}": r" (\1)"}
_MARKUP = re.compile(
    r"\\(?:textbf|textit|underline|emph|mathbf|bm|text)\b|</?(?:b|strong|u|i|em)>|\*\*|(?<!\d)__|__(?!\d)|[{}$]"
)
_NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_IN_BRACKETS = r"[-+±.0-9][-+±0-9.,;%\s–]*"
_PRINTED = re.compile(
    rf"({_NUMBER})\s*%?\s*(±\s*{_NUMBER}|\(\s*{_IN_BRACKETS}\)|\[\s*{_IN_BRACKETS}\])?\s*%?"
)


def parse_printed(column: Column, marks: Collection[str]) -> pd.DataFrame:
    """Read cells as papers print scores: ``93.3 ± 0.5``, ``**93.3 %**``, ``93.3 (0.5)``.

    Returns
    -------
    DataFrame
        A row for each cell: `cell`, as text; `value`, NaN if it is no number; `second`, what
        follows the number; `missing`, whether it marks no result.

    Examples
    --------
    >>> parse_printed(pd.Series(["**93.3%** ± 0.5", "12/13", "n/a"]), MISSING_MARKS)
                  cell  value second  missing
    0  **93.3%** ± 0.5   93.3  ± 0.5    False
    1            12/13    NaN           False
    2              n/a    NaN            True
    """
    rows = []
    for cell, empty in zip(column, column.isna(), strict=True):
        text = "" if empty else str(cell)
        for pattern, sign in _SIGNS.items():
            text = re.sub(pattern, sign, text)
        text = _MARKUP.sub("", text).strip()
        found = _PRINTED.fullmatch(text)
        value, second = found.groups("") if found else ("nan", "")
        rows.append((str(cell), float(value), second, text.strip("–—-") == "" or text in marks))
    return pd.DataFrame(rows, column.index, ["cell", "value", "second", "missing"])


def as_numbers(cells: Any) -> AnyArray:
    """Convert cells to numbers, True and False to 1 and 0, anything else to NaN."""
    array: AnyArray = pd.to_numeric(cells, errors="coerce")
    # A series takes longer to make than most columns to convert.
    if not (isinstance(array, np.ndarray) and array.dtype.kind in "iufb"):
        array = pd.Series(array).to_numpy(np.float64, na_value=np.nan)
    array = array.astype(np.float64, copy=False)
    if not np.isnan(array).any():
        return array
    of_objects = isinstance(cells, np.ndarray) and cells.dtype == object
    held = cells if of_objects else pd.Series(cells, dtype=object).to_numpy()
    return np.where(np.isin(held, _YES), 1.0, np.where(np.isin(held, _NO), 0.0, array))


def numbers(written: AnyArray) -> AnyArray:
    """Convert texts to numbers if every one is a number."""
    return _as_numbers(written, *_distinct(written))


def _as_numbers(written: AnyArray, place: IntArray, held: AnyArray) -> AnyArray:
    """Convert texts, given by their places among the distinct ones, as `numbers` does."""
    found = as_numbers(held)
    return written if np.isnan(found).any() or (place < 0).any() else found[place]


def names_or_numbers(written: AnyArray) -> AnyArray:
    """Convert texts to names, or to numbers if all are numbers and one has a fraction."""
    place, held = _distinct(written)
    named = _as_names(written, place, held)
    if named.dtype.kind == "i":
        return named
    found = _as_numbers(written, place, held)
    fractions = found.dtype.kind == "f" and bool((found[np.isfinite(found)] % 1).any())
    return found if fractions else written


def present(column: Column) -> Column:
    """Return the cells that are not missing; whole numbers that missing ones made floats are whole.

    Examples
    --------
    >>> present(pd.Series([1.0, np.nan])).tolist(), present(pd.Series(["2.0", None])).tolist()
    ([1], ['2'])
    """
    held = column.dropna()
    if len(held) == len(column):
        return held
    if column.dtype.kind == "f" and (held % 1 == 0).all():
        return held.astype("int64")
    texts = column.dtype.kind not in "iufbM" and pd.api.types.infer_dtype(held) == "string"
    return held.str[:-2] if texts and held.str.fullmatch(r"-?[0-9]+\.0").all() else held


def with_gaps(cells: AnyArray, rule: Callable[[AnyArray], AnyArray]) -> AnyArray:
    """Convert the cells that are not missing by a rule.

    Examples
    --------
    >>> with_gaps(np.array(["1", None, "2"], dtype=object), names)
    array([ 1., nan,  2.])
    """
    here = ~pd.isna(cells)
    if here.all():
        return rule(cells)
    found = rule(present(pd.Series(cells)).to_numpy())
    gaps = np.full(len(cells), np.nan, dtype=np.float64 if found.dtype.kind in "iuf" else object)
    gaps[here] = found
    return gaps


def with_types(
    frame: pd.DataFrame, kind: Kind, *, true: str | None, models: Sequence[str],
    measures: Iterable[str],
) -> pd.DataFrame:  # fmt: skip
    """Convert a table of texts: each column to the type of its role, others to names."""
    measured = partial(with_gaps, rule=numbers)
    rules: dict[str, Callable[[AnyArray], AnyArray]] = dict.fromkeys(measures, measured)
    if true is not None:
        # The labels of probabilities are names.
        rule = names if kind.distribution else load(kind.cells)
        cells = frame[true].to_numpy()
        made = isinstance(next(iter(cells), None), tuple)
        truth = cells if made else with_gaps(cells, rule)
        if kind is UNDECLARED and not made:
            # Outputs are values if the truth is.
            found = with_gaps(cells, numbers)
            outputs = (with_gaps(frame[model].to_numpy(), numbers) for model in models)
            if is_real(found) or are_values(found, outputs):
                truth, kind = found, VALUES
        rules[true] = lambda _: truth
    rules |= dict.fromkeys(models, load(kind.cells))
    columns = {
        name: cells
        # Columns that were made have numbers already, or sets of labels.
        if cells.dtype.kind in "iufb" or isinstance(next(iter(cells), None), tuple)
        else rules.get(name, names)(cells)
        for name, cells in ((name, column.to_numpy()) for name, column in frame.items())
    }
    # Texts stay objects: as pandas' type of texts they would be converted there and back.
    typed = {
        name: pd.Series(cells, index=frame.index, dtype=cells.dtype, copy=False)
        for name, cells in columns.items()
    }
    return pd.DataFrame(typed, copy=False)


def written_alike(columns: Sequence[Column]) -> list[Column]:
    """Write whole numbers as ``1`` in all columns, where some have ``1.000000``.

    Examples
    --------
    >>> [c.tolist() for c in written_alike([pd.Series(["0", "1"]), pd.Series(["1.00", "0.00"])])]
    [['0', '1'], ['1', '0']]
    """
    texts = [column if column.dtype.kind == "O" else () for column in columns]
    first = [next((cell for cell in column if isinstance(cell, str)), "") for column in texts]
    if not (any(map(_WITH_POINT.fullmatch, first)) and any(map(_PLAIN.fullmatch, first))):
        return [*columns]
    return [
        column.str.replace(r"\.0+$", "", regex=True)
        if _WITH_POINT.fullmatch(cell) and column.dropna().str.fullmatch(_WITH_POINT).all()
        else column
        for column, cell in zip(columns, first, strict=True)
    ]


def missing_mask(column: Column, marks: Collection[str]) -> BoolArray:
    """Return a mask of cells whose texts mark a missing cell."""
    if column.dtype.kind in "iufbM":
        return np.zeros(len(column), dtype=bool)
    found: BoolArray = column.isin([*marks]).to_numpy()
    return found


def with_missing(frame: pd.DataFrame, marks: Collection[str]) -> pd.DataFrame:
    """Replace cells with a mark of a missing cell by missing cells."""
    places = frame.apply(lambda column: missing_mask(column, marks))
    return frame.mask(places) if places.to_numpy().any() else frame


def refuse_marks(frames: Sequence[pd.DataFrame], true: str | None, marks: Collection[str]) -> None:
    """Refuse a truth with usual marks of missing cells, which may also name a class.

    Among numbers they do not. The suggested options keep the marks in the models' columns.
    """
    truth = next((frame[true] for frame in frames if true in frame), None)
    held = [] if truth is None else sorted({*truth[missing_mask(truth, marks)]})
    if truth is None or not held or share_of_numbers(truth, marks) == 1:
        return
    columns = [column for frame in frames for _, column in frame.items()]
    every = {cell for column in columns for cell in column[missing_mask(column, marks)]}
    counts = ", ".join(f"{mark!r} in {rows_text(truth == mark)}" for mark in held)
    missing, others = sorted(every), sorted(every - {*held}) or [""]
    raise ValueError(
        f"column {true!r} has {counts}; if these are missing pass {as_options(na=missing)}, "
        f"if they name classes {as_options(na=others)}."
    )


def share_of_numbers(column: Column, marks: Collection[str]) -> float:
    """Compute the fraction of numbers among the cells that are not missing; 0 if all are."""
    if column.dtype.kind in "iufb":
        return float(column.notna().any())
    if holds_objects(column):
        return 0.0
    place, held = pd.factorize(column)
    distinct, marked = np.asarray(held, dtype=object), {*marks}
    values = as_numbers(distinct)
    present = np.array([cell not in marked for cell in distinct], dtype=bool)
    place = place[place >= 0]
    place = place[present[place]]
    return float((~np.isnan(values[place])).mean()) if len(place) else 0.0


def column_array(column: Column) -> AnyArray:
    """Convert a column to an array: numbers to numbers, anything else to objects."""
    array: AnyArray = column.to_numpy(None if column.dtype.kind in "iufb" else object)
    if array.dtype.kind != "O":
        return array
    if pd.api.types.infer_dtype(array, skipna=False) == "integer":
        # Longer than 64 bits: only compared, never computed with.
        return array.astype(str).astype(object)
    refuse_objects(column)
    return array


def as_text(cell: object) -> object:
    """Return a cell as a text; several references stay several."""
    return cell if isinstance(cell, str | tuple) else str(cell)


def are_texts(cells: Any) -> bool:
    """Return whether cells are objects, and each is a text."""
    return cells.dtype == object and pd.api.types.infer_dtype(cells, skipna=False) == "string"


def refuse_objects(column: Column) -> None:
    """Refuse a column whose cells are lists or objects."""
    if holds_objects(column):
        raise ValueError(
            f"column {column.name!r} contains lists or objects; give one label, number or text for "
            "each sample."
        )


def holds_objects(column: Column) -> bool:
    """Return whether cells of a column are lists or objects."""
    if column.dtype.kind != "O" or pd.api.types.infer_dtype(column) == "string":
        return False
    return any(isinstance(cell, list | dict | np.ndarray) for cell in column)


def same_types(arrays: Sequence[AnyArray]) -> list[AnyArray]:
    """Convert whole numbers to texts if any of the arrays compared with them has texts."""
    if not any(array.dtype.kind == "O" for array in arrays):
        return list(arrays)
    return [a.astype(str).astype(object) if _is_whole(a) else a for a in arrays]


def _is_whole(array: AnyArray) -> bool:
    return array.dtype.kind in "iu" and array.ndim == 1


def typed_labels(headings: list[str], truth: AnyArray | None = None) -> AnyArray:
    """Convert headings to classes of the true labels' type: numbers, bool or texts."""
    if truth is not None and truth.dtype.kind == "b":
        values = {"False": False, "True": True}
        if {*headings} <= {*values}:
            return np.array([values[heading] for heading in headings])
    if truth is not None and truth.dtype.kind == "O":
        return np.array(headings, dtype=object)
    return names(np.array(headings, dtype=object))
