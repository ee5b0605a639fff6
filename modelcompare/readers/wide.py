"""A table in which each model has columns of its own -> Predictions."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.readers.alignment import ids_of
from modelcompare.readers.assemble import Part, marked_missing, missing_results, predictions_of
from modelcompare.readers.column_roles import Roles
from modelcompare.readers.messages import counted
from modelcompare.readers.options import Columns
from modelcompare.readers.reading import Reading, directed
from modelcompare.readers.tables import Table
from modelcompare.spelling import chosen


def wide_predictions(
    table: Table, columns: Columns, roles: Roles, *, name: str | None,
    known: AnyArray | None = None,
) -> Reading:  # fmt: skip
    """Predictions from a table in which each model has columns of its own.

    The classes are those `known`, in the order of the probabilities, where the table is a part of
    more rows; else those of its headings and cells.
    """
    where, true = name or "the table", roles.true
    outputs = columns_of_models(table.frame, roles, columns.models, where, known)
    needed = [*([] if true is None else [true]), *(c for o in outputs.values() for c in o.values())]
    frame = table.frame[[*dict.fromkeys([*needed, *columns.beside_names])]]
    if roles.id is not None:
        frame = frame.set_axis(ids_of(table.frame[roles.id], table.written))
    columns = columns if true is not None else replace(columns, kind="scores")
    (part,) = parts = marked_missing([Part(where, frame, true, outputs)], columns)
    lacking = part.cells.isna().sum()
    predictions = predictions_of(parts, columns, written=table.written, name=name, known=known)
    return Reading(
        predictions,
        {
            "truth": true or "none (scores)", "id": roles.id, "models": counted([*outputs]),
            "missing": ", ".join(f"{n:,} in {column}" for column, n in lacking.items() if n),
            "left out": counted(roles.left_out),
            "direction": directed([None] * (true is None), columns.told_better),
        },
        missing_results(parts, columns, predictions),
    )  # fmt: skip


def columns_of_models(
    frame: pd.DataFrame, roles: Roles, wanted: tuple[str, ...] | None, where: str,
    known: AnyArray | None = None,
) -> dict[str, dict[str | None, str]]:  # fmt: skip
    """Each wanted model's columns by class: one without (labels or scores), or ``model:class``."""
    true = roles.true
    held = [] if true is None else frame[true].unique() if known is None else known
    classes = {str(label) for label in held}
    models: dict[str, dict[str | None, str]] = {}
    for column in roles.outputs:
        model, heading = (column, None) if true is None else _split(column, classes)
        models.setdefault(model, {})[heading] = column
    if not models:
        raise ValueError(
            f"{where} has no model columns; it needs y_true (or --true COLUMN) and a column for "
            "each model, or numeric columns of scores per example."
        )
    names_of = {model: models[model] for model in chosen([*models], wanted, where)}
    for model, names in names_of.items():
        if None in names and len(names) > 1:
            other = next(name for heading, name in names.items() if heading is not None)
            raise ValueError(
                f"{where}: model {model!r} has a column of labels and columns of probabilities "
                f"({other}); drop one or the other."
            )
    return names_of


def _split(column: str, classes: set[str]) -> tuple[str, str | None]:
    """Model and class of a heading; where it has several colons, as the true classes say."""
    places = [place for place, sign in enumerate(column) if sign == ":"]
    if not places:
        return column, None
    place = next((p for p in places if column[p + 1 :] in classes), places[-1])
    return column[:place], column[place + 1 :]
