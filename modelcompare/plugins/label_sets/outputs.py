"""Sets of labels, several for each sample or none, and counts of objects -> matrices.

The truth of a sample is a row of 0 and 1, a column for each label; outputs are such rows, or the
probability of each label. Of counts, the truth is the number of objects of each label, and outputs
are the numbers that were found and that were given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, islice
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare import spelling
from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.data import checks
from modelcompare.data.kinds import Kind
from modelcompare.data.misspelt import FEW, refuse_mismatch, warn_of_lookalikes, warn_of_twins
from modelcompare.data.truths import numbers_of_labels, occurring
from modelcompare.engine.memory import check_memory
from modelcompare.plugins.label_sets.kinds import LABEL_COUNTS, LABEL_PROBABILITIES, LABEL_SETS

# The truth, the outputs and the output type of each model, and the labels.
Matrices: TypeAlias = tuple[FloatArray, dict[str, AnyArray], dict[str, Kind], AnyArray]
# Cells that show the type of a column.
_N_SEEN = 1_000
_CELLS = (list, tuple, set, frozenset, np.ndarray)
# What a row of the truth is.
_OBJECTS = "a row of counts for each sample, one for each label"


def are_sets(y_true: Any) -> bool:
    """Return whether the truth is sets of labels, by its content.

    Lists of labels are sets; rows of 0 and 1 are, unless each has a single 1, which is one class.
    """
    if y_true is None or isinstance(y_true, str) or checks.is_structured(y_true):
        return False
    rows = _rows(y_true, _N_SEEN)
    if rows is None and isinstance(y_true, list | tuple | pd.Series):
        return False
    if rows is not None:
        texts = any(isinstance(label, str) for label in chain.from_iterable(rows))
        if texts or len({*map(len, rows)}) > 1:
            return True
    array = checks.as_array(y_true, "`y_true`")
    matrix = array.ndim == 2 and array.dtype.kind in "biuf"
    return matrix and _are_marks(array) and bool((array.sum(axis=1) != 1).any())


def _rows(column: Any, most: int | None = None) -> list[list[Any]] | None:
    """Return the first cells of a column of lists or sets; None for any other column."""
    matrix = isinstance(column, np.ndarray) and column.ndim != 1
    if matrix or not isinstance(column, list | tuple | np.ndarray | pd.Series):
        return None
    cells = [*islice(column, most)]
    if not cells or not all(isinstance(cell, _CELLS) for cell in cells):
        return None
    return [cell.tolist() if isinstance(cell, np.ndarray) else [*cell] for cell in cells]


def _are_numbers(rows: list[list[Any]]) -> bool:
    """Return whether rows are all numbers, as many in each: those of a matrix."""
    numbers = all(isinstance(x, int | float | np.number) for x in chain.from_iterable(rows))
    return numbers and len({*map(len, rows)}) == 1 and len(rows[0]) > 0


def _are_marks(array: AnyArray) -> bool:
    return bool(((array == 0) | (array == 1)).all())


def as_matrices(
    y_true: Any, outputs: Mapping[str, Any], labels: ArrayLike | None, declared: Kind
) -> Matrices:
    """Convert lists of labels to rows of 0 and 1, and check all rows.

    Raises
    ------
    ValueError
        If rows have other numbers of labels, or numbers that are neither 0 and 1 nor probabilities.
    """
    columns = {"`y_true`": y_true} | {f"model {m!r}": given for m, given in outputs.items()}
    rows = {where: _rows(column) for where, column in columns.items()}
    lists = {w: each for w, each in rows.items() if each is not None and not _are_numbers(each)}
    what = "lists of labels, or a row of numbers for each sample, one for each label"
    if "`y_true`" in lists:
        known = occurring(chain.from_iterable(lists.values())) if labels is None else labels
        found = checks.classes(known, np.empty(0), at_least=1)
        _check_memory(len(lists["`y_true`"]), len(found), len(lists))
        true = _indicators(lists["`y_true`"], found, "`y_true`")
    else:
        true, found = numbers_of_labels(y_true, labels, what, at_most=1.0)
        wrong = ((true != 0) & (true != 1)).any(axis=1)
        checks.refuse_rows(wrong, "`y_true` must have 0 or 1 for each label, but does not")
    arrays: dict[str, AnyArray] = {}
    for model, given in outputs.items():
        where = f"model {model!r}"
        arrays[model] = (
            _indicators(lists[where], found, where) if where in lists
            else checks.matrix(given, where, what, len(found), at_most=1.0)
        )  # fmt: skip
    checks.check_lengths(arrays, true, len(true))
    kinds = {model: _kind_of(model, array, declared) for model, array in arrays.items()}
    if labels is None:
        _check_spelling(true, arrays, kinds, found)
    return true, arrays, kinds, found


def _check_memory(n_samples: int, n_labels: int, n_columns: int) -> None:
    """Refuse rows of 0 and 1 that do not fit into memory."""
    what = f"label sets of {n_samples:,} samples, {n_labels:,} labels and {n_columns:,} columns"
    remedy = "choose models (--model), a few after the others, or take a part of the samples"
    # One more, as each is checked and compared.
    check_memory(8 * n_samples * n_labels * (n_columns + 1), what, remedy)


def _indicators(rows: Sequence[Sequence[Any]], labels: AnyArray, where: str) -> FloatArray:
    """Return lists of labels as rows of 0 and 1."""
    place = {label: k for k, label in enumerate(labels.tolist())}
    lengths = np.array([*map(len, rows)], dtype=np.intp)
    codes = [place.get(label, -1) for label in chain.from_iterable(rows)]
    given = np.array(codes, dtype=np.intp)
    out = np.zeros((len(rows), len(labels)))
    out[np.repeat(np.arange(len(rows)), lengths)[given >= 0], given[given >= 0]] = 1.0
    bad = out.sum(axis=1) != lengths
    remedy = "name each once, and pass all labels as `labels` (--read labels=A --read labels=B)"
    checks.refuse_rows(bad, f"{where} has labels that are unknown or repeated", remedy)
    return checks.read_only(out)


def _kind_of(model: str, array: AnyArray, declared: Kind) -> Kind:
    """Return the output type of rows of numbers, as declared or by their content."""
    if declared is not LABEL_PROBABILITIES and _are_marks(array):
        return LABEL_SETS
    if declared is LABEL_SETS:
        raise ValueError(
            f"model {model!r} gave numbers other than 0 and 1; leave `kind` (--kind) out to take "
            "them for the probability of each label."
        )
    return LABEL_PROBABILITIES


def _check_spelling(
    true: AnyArray, arrays: Mapping[str, AnyArray], kinds: Mapping[str, Kind], labels: AnyArray
) -> None:
    """Refuse sets of labels that never match the true ones, and warn about misspelt labels.

    Truth and sets are rows of 0 and 1, a column for each label.
    """
    present = true.any(axis=0)
    known = labels[present].tolist()
    warn_of_lookalikes(labels[present])
    columns = dict(zip(labels.tolist(), true.T.astype(bool), strict=True))
    for model in (model for model, kind in kinds.items() if not kind.soft):
        given = arrays[model].astype(bool)
        marks = dict(zip(labels.tolist(), given.T, strict=True))
        unknown = labels[given.any(axis=0) & ~present].tolist()
        twins = spelling.twins(unknown, known)
        always = any(
            not marks[other].any()
            and marks[label].sum() >= FEW
            and 2 * (marks[label] & columns[other]).sum() >= marks[label].sum()
            for label, (other, _) in twins.items()
        )
        if always or (unknown and not given[:, present].any()):
            refuse_mismatch(model, labels[given.any(axis=0)], labels[present], unknown)
        warn_of_twins(model, twins, {label: marks[label].sum() for label in twins})


def of_counts(
    y_true: Any,
    outputs: Mapping[str, Any],
    labels: ArrayLike | None,
    declared: Kind,  # noqa: ARG001
) -> Matrices:
    """Check counts: found and given objects of each label side by side, (n_samples, 2 n_labels)."""
    true, found = numbers_of_labels(y_true, labels, _OBJECTS, of="counts")
    what = f"found and given objects of each of {len(found)} labels"
    arrays: dict[str, AnyArray] = {
        model: checks.matrix(given, f"model {model!r}", what, 2 * len(found), of="counts")
        for model, given in outputs.items()
    }
    checks.check_lengths(arrays, true, len(true))
    for model, array in arrays.items():
        hits, given = np.split(array, 2, axis=1)
        wrong = (hits > np.minimum(given, true)).any(axis=1)
        more = f"model {model!r} found more objects than it gave, or than there are"
        checks.refuse_rows(wrong, more)
    return true, arrays, dict.fromkeys(arrays, LABEL_COUNTS), found


def likely_labels(array: AnyArray) -> AnyArray:
    """Mark labels whose probability is above one half, as that of the second of two classes is."""
    return (array > 0.5).astype(np.float64)


def given_objects(array: AnyArray) -> AnyArray:
    """Return the numbers of objects that a model gave, beside which are those that it found."""
    return np.split(array, 2, axis=1)[1]


def found_objects(array: AnyArray) -> AnyArray:
    """Return the numbers of objects that a model found, beside which are those that it gave."""
    return np.split(array, 2, axis=1)[0]
