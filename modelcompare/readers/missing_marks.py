"""Cells that mark missing results, and whole numbers that missing cells made floats."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from modelcompare.readers import cell_types
from modelcompare.readers.assemble import Part
from modelcompare.readers.cell_types import refuse_marks, with_missing
from modelcompare.readers.options import Columns


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
    return marked if are_texts else _written_alike(marked)


def _written_alike(parts: Sequence[Part]) -> list[Part]:
    """Write whole numbers in one way in the labels of all parts, as in the classes of headings."""
    places = [(part, heading) for part in parts for heading in part.labelled]
    classes = [what for part in parts for _, what, _ in part.columns if what is not None]
    given = [*(part.frame[heading] for part, heading in places), pd.Series(classes, dtype=object)]
    found = zip(places, given, cell_types.written_alike(given)[:-1], strict=False)
    changed = [(*place, column) for place, before, column in found if column is not before]
    return [part.holding({h: c for own, h, c in changed if own is part}) for part in parts]
