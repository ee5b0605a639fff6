"""Confusion matrices in files and frames: a row and a column for each class -> Predictions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from modelcompare.plugins.published.counts import matrix_predictions
from modelcompare.readers import cell_types, names
from modelcompare.readers.content import File
from modelcompare.readers.messages import as_options, listed
from modelcompare.readers.options import Columns
from modelcompare.readers.reading import Reading
from modelcompare.spelling import chosen

_SIDES = ("rows", "columns")
# Words of the truth that name no side: both have classes, labels and answers.
_OF_BOTH = ("label", "labels", "class", "category", "intent", "outcome", "answer", "y")
_TRUTH = tuple({*names.TRUE, *names.MEASURED, *names.MAYBE_TRUE} - {*_OF_BOTH})
_MOST_CLASSES = 1000
# Between what the cell in the corner calls the rows and what it calls the columns.
_BETWEEN = re.compile(r"\s*[\\/|,]\s*")


@dataclass(frozen=True)
class _Matrix:
    """Counts of samples by the classes of both sides, and the side of the truth if it is named."""

    counts: pd.DataFrame
    truth: str | None

    def of(self, side: str) -> pd.DataFrame:
        """Return the counts with the truth, which is on this side, in the rows."""
        return self.counts if side == "rows" else self.counts.T


def confusion_reading(files: Sequence[File], columns: Columns) -> Reading | None:
    """Read the confusion matrix of one model; None for other files.

    Nothing but headings shows whether rows or columns are the truth, so without them an option
    names it.
    """
    if columns.output_kind.scored:
        return None
    where = files[0].name or "the table"
    found = [matrix for file in files if (matrix := _matrix_in(file)) is not None]
    if not found or len(found) < len(files):
        return None
    if len(found) > 1:
        raise ValueError(
            f"{listed([file.name for file in files])} are confusion matrices, which do not show on "
            "which samples two models both err, so the models cannot be compared in pairs. Read "
            "one at a time, or compare them as on two test sets, which shows fewer "
            "differences: mc.inference.unpaired_test("
            "mc.read_predictions(FILE), mc.read_predictions(OTHER), 'accuracy')."
        )
    (matrix,) = found
    columns.refuse_beside(
        {"true", "models", "labels", "positive", "directs_functions", "declared"},
        f"{where} is a confusion matrix",
    )
    side = matrix.truth or columns.true
    if side not in _SIDES or columns.true not in (None, side):
        sides = [matrix.truth] if matrix.truth else _SIDES
        how = " as its headings do" if matrix.truth else ""
        raise ValueError(
            f"{where} is a confusion matrix of the classes {listed(matrix.counts.index)}; name the "
            f"side of the true ones{how}: {' or '.join(as_options(true=each) for each in sides)}."
        )
    (name,) = chosen([files[0].model], columns.models, where)
    predictions = matrix_predictions(
        matrix.of(side), name, columns.labels, positive=columns.positive, name=files[0].name or None
    )
    parts = {"confusion matrix": f"the true classes are its {side}", "models": f"1 ({name})"}
    return Reading(predictions, parts)


def _matrix_in(file: File) -> _Matrix | None:
    """Return the confusion matrix in a file; None for any other table."""
    table = file.payload
    if not isinstance(table, pd.DataFrame) or max(table.shape) > _MOST_CLASSES + 1:
        return None
    if len(table) < 2 or table.shape[1] < 2:
        return None
    if not isinstance(table.index, pd.RangeIndex):
        table = table.reset_index()
    headings = [*map(str, table.columns)]
    if headings == [*map(str, range(len(table)))]:
        return _of_sides((None, headings), (None, headings), table)
    _refuse_bare(table, headings, file)
    corner, *others = _BETWEEN.split(headings[0])
    rows = _side_and_classes([*map(str, table.iloc[:, 0])], corner)
    beside = others[0] if len(others) == 1 else str(table.columns.name or "")
    return _of_sides(rows, _side_and_classes(headings[1:], beside), table.iloc[:, 1:])


def _side_and_classes(headings: list[str], called: str) -> tuple[str | None, list[str]]:
    """Return "truth" or "outputs" where a side is called so, and its classes.

    Each heading may name the side before the class: ``true_no, true_yes``.
    """
    for side, usual in (("truth", _TRUTH), ("outputs", names.PRED)):
        if names.plain(called) in usual:
            return side, headings
        rests = [names.usual_and_rest(heading, usual, prefix=True)[1] for heading in headings]
        classes = [heading[-len(rest) :] for heading, rest in zip(headings, rests, strict=True)]
        if all(rests) and [*map(names.words, classes)] == rests:
            return side, classes
    return None, headings


def _of_sides(
    rows: tuple[str | None, list[str]], columns: tuple[str | None, list[str]], cells: pd.DataFrame
) -> _Matrix | None:  # fmt: skip
    """Return whole numbers by the classes of both sides; None if they are of other things.

    A class that a model never predicts may be missing where a side is named.
    """
    (row_side, row_classes), (column_side, column_classes) = rows, columns
    sides = {(row_side, "rows"), (column_side, "columns")}
    truth = {other for side, other in sides if side == "truth"} | {
        {"rows": "columns", "columns": "rows"}[other] for side, other in sides if side == "outputs"
    }
    held, headed = {*row_classes}, {*column_classes}
    fit = held == headed or (truth and (held < headed or headed < held) and len(headed) > 1)
    distinct = len(held) == len(row_classes) and len(headed) == len(column_classes)
    if not (fit and distinct):
        return None
    numbers = np.column_stack([cell_types.as_numbers(column) for _, column in cells.items()])
    whole = bool(np.isfinite(numbers).all() and (numbers >= 0).all() and (numbers % 1 == 0).all())
    # A matrix of costs has none for right answers.
    agree = [row == column for row in row_classes for column in column_classes]
    if not (whole and numbers.ravel()[agree].any()):
        return None
    counts = pd.DataFrame(
        numbers, cell_types.typed_labels(row_classes), cell_types.typed_labels(column_classes)
    )
    return _Matrix(counts, truth.pop() if len(truth) == 1 else None)


def _refuse_bare(table: pd.DataFrame, headings: Sequence[str], file: File) -> None:
    """Refuse a square of whole numbers, of which the first line was taken for headings."""
    numbers = all(map(str.isdecimal, headings)) and len(headings) == len(table) + 1
    if numbers and all(column.astype(str).str.isdecimal().all() for _, column in table.items()):
        raise ValueError(
            f"{file.name}: the first line has numbers, as data do and headings do not. If it is a "
            "confusion matrix, write the classes above it and before each row; or read it with "
            f"mc.io.from_counts(numpy.loadtxt({file.name!r}, delimiter=','), {file.model!r})."
        )


READERS = (confusion_reading,)
