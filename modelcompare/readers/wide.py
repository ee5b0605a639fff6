"""A table in which each model has columns of its own -> Predictions."""

from __future__ import annotations

from dataclasses import replace

from modelcompare.arrays import AnyArray
from modelcompare.readers.alignment import ids_of
from modelcompare.readers.assemble import Part, marked_missing, missing_results, predictions_of
from modelcompare.readers.column_roles import Roles
from modelcompare.readers.messages import counted
from modelcompare.readers.options import Columns
from modelcompare.readers.reading import Reading, directed
from modelcompare.readers.tables import Table


def wide_predictions(
    table: Table, columns: Columns, roles: Roles, *, name: str | None,
    known: AnyArray | None = None,
) -> Reading:  # fmt: skip
    """Predictions from a table in which each model has columns of its own.

    The classes are those `known`, in the order of the probabilities, where the table is a part of
    more rows; else those of its headings and cells.
    """
    where, true = name or "the table", roles.true
    needed = [*([] if true is None else [true]), *roles.used]
    frame = table.frame[[*dict.fromkeys([*needed, *columns.beside_names])]]
    if roles.id is not None:
        frame = frame.set_axis(ids_of(table.frame[roles.id], table.written))
    columns = columns if true is not None else replace(columns, kind="scores")
    (part,) = parts = marked_missing([Part(where, frame, true, roles.outputs)], columns)
    lacking = part.cells.isna().sum()
    predictions = predictions_of(parts, columns, written=table.written, name=name, known=known)
    return Reading(
        predictions,
        {
            "truth": true or "none (scores)", "id": roles.id, "models": counted([*roles.outputs]),
            "missing": ", ".join(f"{n:,} in {column}" for column, n in lacking.items() if n),
            "left out": counted(roles.left_out),
            "direction": directed([None] * (true is None), columns.told_better),
        },
        missing_results(parts, columns, predictions),
    )  # fmt: skip
