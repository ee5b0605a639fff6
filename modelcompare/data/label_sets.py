"""Sets of labels, several for each sample or none, and counts of objects -> matrices.

The truth of a sample is a row of 0 and 1, a column for each label; outputs are such rows, or the
probability of each label. Of counts, the truth is the number of objects of each label, and outputs
are the numbers that were found and that were given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.data import checks
from modelcompare.words import Kind, KindOrAuto

SETS: frozenset[Kind] = frozenset(
    {"label_sets", "label_probabilities", "label_counts", "label_detections"}
)
# Overlaps of a detection and an object at which they are matched, 0.5 to 0.95.
N_OVERLAPS = 10
# The truth, the outputs and the output type of each model, and the labels.
Matrices: TypeAlias = tuple[FloatArray, dict[str, AnyArray], tuple[Kind, ...], AnyArray]
_N_SEEN = 1_000


def are_sets(y_true: Any, kind: KindOrAuto) -> bool:
    """Return whether the truth is sets of labels: as `kind` names it, or by its content.

    Lists of labels are sets; rows of 0 and 1 are, unless each has a single 1, which is one class.
    """
    if kind in SETS:
        return True
    if kind != "auto" or y_true is None or isinstance(y_true, str):
        return False
    if _of_lists(y_true):
        first = [*islice(map(_entries, y_true), _N_SEEN)]
        texts = any(isinstance(label, str) for label in chain.from_iterable(first))
        if texts or len({*map(len, first)}) > 1:
            return True
    array = np.asarray(y_true) if isinstance(y_true, list | tuple | np.ndarray) else np.empty(0)
    return (
        array.ndim == 2 and array.dtype.kind in "biuf"
        and bool(((array == 0) | (array == 1)).all()) and bool((array.sum(axis=1) != 1).any())
    )  # fmt: skip


def _of_lists(column: Any) -> bool:
    """Return whether a column's cells are lists or sets, and not numbers of a matrix."""
    if isinstance(column, np.ndarray) and column.ndim != 1:
        return False
    if not isinstance(column, list | tuple | np.ndarray | pd.Series):
        return False
    cells = [*islice(iter(column), _N_SEEN)]
    return bool(cells) and all(
        isinstance(cell, list | tuple | set | frozenset | np.ndarray) for cell in cells
    )


def _entries(cell: Any) -> list[Any]:
    return cell.tolist() if isinstance(cell, np.ndarray) else [*cell]


def as_matrices(
    y_true: Any, outputs: Mapping[str, Any], labels: ArrayLike | None, kind: KindOrAuto
) -> Matrices:
    """Convert lists of labels to rows of 0 and 1, and check all rows.

    Raises
    ------
    ValueError
        If rows have other numbers of labels, or numbers that are neither 0 and 1 nor probabilities.
    """
    if y_true is None:
        raise ValueError("`y_true` is missing; sets of labels need it.")
    if kind == "label_counts":
        return _of_counts(y_true, outputs, labels)
    if kind == "label_detections":
        return _of_detections(y_true, outputs, labels)
    lists = {m: [_entries(cell) for cell in given] for m, given in outputs.items()
             if _of_lists(given) and not _is_matrix(given)}  # fmt: skip
    truth = [_entries(cell) for cell in y_true] if _of_lists(y_true) else None
    truth = None if truth is not None and _is_matrix(y_true) else truth
    found = _known(labels, [*([truth] if truth is not None else []), *lists.values()])
    true = _indicators(truth, found, "`y_true`") if truth is not None else None
    if true is None:
        true = _zeros_and_ones(checks.as_array(y_true, "`y_true`"), "`y_true`")
        found = checks.classes(labels, np.arange(true.shape[1]), at_least=1)
    _check_width(true, found, "`y_true`")
    arrays: dict[str, AnyArray] = {}
    for model, given in outputs.items():
        where = f"model {model!r}"
        arrays[model] = (
            _indicators(lists[model], found, where) if model in lists
            else _numbers(checks.as_array(given, where), where)
        )  # fmt: skip
        _check_width(arrays[model], found, where)
    kinds: tuple[Kind, ...] = tuple(_kind_of(array) for array in arrays.values())
    if kind == "label_sets" and "label_probabilities" in kinds:
        model = next(m for m, k in zip(arrays, kinds, strict=True) if k != kind)
        raise ValueError(
            f"model {model!r} gave numbers other than 0 and 1; leave `kind` (--kind) out to take "
            "them for the probability of each label."
        )
    if kind == "label_probabilities":
        return true, arrays, (kind,) * len(kinds), found
    return true, arrays, kinds, found


def _is_matrix(rows: Any) -> bool:
    """Return whether lists are all numbers, as many in each: rows of a matrix."""
    cells = [_entries(cell) for cell in rows]
    numbers = all(isinstance(x, int | float | np.number) for x in chain.from_iterable(cells))
    return numbers and len({*map(len, cells)}) == 1 and len(cells[0]) > 0


def _known(labels: ArrayLike | None, lists: Iterable[Sequence[Sequence[Any]]]) -> AnyArray:
    """Return the labels, given or those that occur."""
    if labels is not None:
        return checks.classes(labels, np.empty(0), at_least=1)
    occurring = {label: None for rows in lists for row in rows for label in row}
    if not occurring:
        return np.arange(0)
    array = np.fromiter(occurring, dtype=object, count=len(occurring))
    return checks.distinct(checks.as_array(array, "`y_true`"), "`y_true` or a model")


def _indicators(rows: Sequence[Sequence[Any]], labels: AnyArray, where: str) -> FloatArray:
    """Return lists of labels as rows of 0 and 1."""
    place = {label: k for k, label in enumerate(labels.tolist())}
    out = np.zeros((len(rows), len(labels)))
    bad = np.zeros(len(rows), dtype=bool)
    for k, row in enumerate(rows):
        codes = [place.get(label, -1) for label in row]
        bad[k] = -1 in codes or len({*codes}) < len(codes)
        out[k, [code for code in codes if code >= 0]] = 1.0
    checks.refuse_rows(
        bad, f"{where} has labels that are unknown or repeated",
        "name each once, and pass all labels as `labels` (--read labels=A --read labels=B)",
    )  # fmt: skip
    return out


def _zeros_and_ones(array: AnyArray, where: str) -> FloatArray:
    numbers = _numbers(array, where)
    checks.refuse_rows(
        ((numbers != 0) & (numbers != 1)).any(axis=1),
        f"{where} must have 0 or 1 for each label, but does not",
    )
    return numbers


def _numbers(array: AnyArray, where: str) -> FloatArray:
    """Return rows of numbers between 0 and 1."""
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise ValueError(
            f"{where} must give lists of labels, or a row of numbers for each sample, a number for "
            f"each label; got shape {array.shape}."
        )
    numbers = array.astype(np.float64)
    checks.refuse_rows(
        ~((numbers >= 0) & (numbers <= 1)).all(axis=1),
        f"{where} must have numbers between 0 and 1 for each label, but does not",
    )
    return numbers


def _kind_of(array: AnyArray) -> Kind:
    return "label_sets" if ((array == 0) | (array == 1)).all() else "label_probabilities"


def _check_width(array: AnyArray, labels: AnyArray, where: str) -> None:
    if array.shape[1] != len(labels) or not len(labels):
        raise ValueError(
            f"{where} has {array.shape[1]} numbers a sample, but there are {len(labels)} labels; "
            "give one for each label."
        )


def _of_counts(y_true: Any, outputs: Mapping[str, Any], labels: ArrayLike | None) -> Matrices:
    """Check counts: found and given objects of each label side by side, (n_samples, 2 n_labels)."""
    true = _whole(checks.as_array(y_true, "`y_true`"), "`y_true`")
    found = checks.classes(labels, np.arange(true.shape[1]), at_least=1)
    _check_width(true, found, "`y_true`")
    arrays: dict[str, AnyArray] = {}
    for model, given in outputs.items():
        where = f"model {model!r}"
        array = _whole(checks.as_array(given, where), where)
        if array.shape[1] != 2 * len(found):
            raise ValueError(
                f"{where} must have found and given objects of {len(found)} labels, "
                f"(n_samples, {2 * len(found)}); got {array.shape}."
            )
        hits, predicted = np.split(array, 2, axis=1)
        rows = min(len(hits), len(true))
        checks.refuse_rows(
            (hits > predicted).any(axis=1) | (hits[:rows] > true[:rows]).any(axis=1)
            if rows == len(hits) else np.zeros(len(hits), dtype=bool),
            f"{where} found more objects than it gave, or than there are",
        )  # fmt: skip
        arrays[model] = array
    kinds: list[Kind] = ["label_counts" for _ in arrays]
    return true, arrays, (*kinds,), found


def _whole(array: AnyArray, where: str) -> FloatArray:
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise ValueError(f"{where} must have a row of counts for each sample, got {array.shape}.")
    numbers = array.astype(np.float64)
    checks.refuse_rows(
        ~((numbers >= 0) & np.isfinite(numbers)).all(axis=1),
        f"{where} must have counts of at least 0, but does not",
    )
    return numbers


def _of_detections(y_true: Any, outputs: Mapping[str, Any], labels: ArrayLike | None) -> Matrices:
    """Check detections: rows of a label's code, a score, and marks of a match, for each image."""
    true = _whole(checks.as_array(y_true, "`y_true`"), "`y_true`")
    found = checks.classes(labels, np.arange(true.shape[1]), at_least=1)
    _check_width(true, found, "`y_true`")
    arrays: dict[str, AnyArray] = {}
    for model, given in outputs.items():
        width = 2 + N_OVERLAPS
        rows = [np.asarray(each if len(each) else np.empty((0, width)), float) for each in given]
        bad = [each.ndim != 2 or each.shape[1] != width for each in rows]
        checks.refuse_rows(
            np.array(bad, dtype=bool),
            f"model {model!r} must have rows of {width} numbers for each image",
            "make them with modelcompare.io.from_coco",
        )  # fmt: skip
        arrays[model] = np.empty(len(rows), dtype=object)
        arrays[model][:] = rows
    kinds: list[Kind] = ["label_detections" for _ in arrays]
    return true, arrays, (*kinds,), found
