"""Cells that mark missing results, and what missing cells make of the others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from modelcompare.readers.assemble import Part
from modelcompare.readers.cell_types import Column, refuse_marks, with_missing
from modelcompare.readers.options import Columns

_FLOAT = re.compile(r"-?[0-9]+\.0")


def marked_missing(parts: Sequence[Part], options: Columns) -> list[Part]:
    """Replace empty cells and marks of missing cells by missing cells.

    If outputs are texts, an empty cell is an answer, and only marks that were named are marks.
    """
    are_texts = options.output_kind.single_text
    usual = options.marks([column for part in parts for column in part.used])
    marks = options.na or () if are_texts else usual
    cells = [part.cells for part in parts]
    found = [with_missing(each.fillna("") if are_texts else each, marks) for each in cells]
    changed = [after is not before for before, after in zip(cells, found, strict=True)]
    if any(changed) and not are_texts and options.na is None:
        true = next((part.true for part in parts if part.true is not None), None)
        refuse_marks(cells, true, marks)
    marked = [
        part.holding(after) if is_other else part
        for part, after, is_other in zip(parts, found, changed, strict=True)
    ]
    return marked if are_texts else _whole_again(marked)


def _whole_again(parts: Sequence[Part]) -> list[Part]:
    """Write labels that missing cells made floats (``1.0``) as those without gaps are (``1``).

    Labels that are all written as floats are the same with and without gaps.
    """
    labels = [
        (part, heading)
        for part in parts
        for heading in [part.true, *(columns.get(None) for columns in part.outputs.values())]
        if heading is not None
    ]
    classes = {str(what) for part in parts for _, what, _ in part.columns if what is not None}
    floats = [(part, heading) for part, heading in labels if _are_floats(part.frame[heading])]
    if len(floats) == len(labels) and all(map(_FLOAT.fullmatch, classes)):
        return [*parts]
    # Models that share a column of a long table share its gaps.
    gaps = {heading for part, heading in floats if part.frame[heading].hasnans}
    return [
        part.holding({
            heading: part.frame[heading].str.removesuffix(".0")
            for of, heading in floats if of is part and heading in gaps
        })
        for part in parts
    ]  # fmt: skip


def _are_floats(column: Column) -> bool:
    """Return whether all cells that are not missing are texts of whole numbers as floats."""
    # The first text decides for most columns.
    if column.dtype.kind in "iufb" or not _FLOAT.fullmatch(_first_text(column)):
        return False
    held = column.dropna().unique()
    return len(held) > 0 and all(isinstance(x, str) and _FLOAT.fullmatch(x) for x in held)


def _first_text(column: Column) -> str:
    return next((cell for cell in column if isinstance(cell, str)), "")
