"""A wide table -> Predictions."""

from __future__ import annotations

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.data.predictions import Predictions
from modelcompare.readers import cell_types
from modelcompare.readers.cell_types import column_array
from modelcompare.readers.column_roles import Roles
from modelcompare.readers.missing import settled
from modelcompare.readers.options import Columns
from modelcompare.readers.reading import Reading, counted, directed
from modelcompare.readers.tables import Table
from modelcompare.spelling import chosen
from modelcompare.words import KindOrAuto


def wide_predictions(
    table: Table, columns: Columns, roles: Roles, *, name: str | None,
    known: AnyArray | None = None,
) -> Reading:  # fmt: skip
    """Predictions from a table in which each model has columns of its own.

    The classes are those `known`, in the order of the probabilities, where the table is a part of
    more rows; else those of its headings and cells.
    """
    frame, where, true = table.frame, name or "the table", roles.true
    model_columns = columns_of_models(frame, roles, columns.models, where, known)
    used = [column for names in model_columns.values() for column in names.values()]
    beside = [each for each in (roles.id, *columns.beside_names) if each is not None]
    said = [*([] if true is None else [true]), *used]
    kind: KindOrAuto = "scores" if true is None else columns.kind
    others = [name for name in dict.fromkeys(beside) if name not in {*said}]
    classes = {*(columns.labels or ()), *cell_types.headed_classes(used)}
    cell_types.refuse_marks([frame[said]], true, kind, marks=columns.na, classes=classes)
    told = cell_types.with_missing(frame[said], kind, marks=columns.na, classes=classes)
    lacking = {column: int(count) for column, count in told.isna().sum().items() if count}
    frame = pd.concat([told, frame[others]], axis=1)
    frame = settled(frame, used, true, columns, where)
    labelled = [names[None] for names in model_columns.values() if None in names]
    frame = columns.typed(frame, kind, table.written, true, labelled, used)
    truth, labels, outputs = _outputs(frame, model_columns, true)
    labels = columns.told_labels(labels, truth) if known is None else known
    predictions = Predictions(
        truth, outputs, kind=kind, labels=labels,
        ids=None if roles.id is None else column_array(frame[roles.id]),
        normalize=columns.normalize, greater_is_better=columns.greater_is_better(),
        bounds=columns.bounds if kind == "scores" else None, name=name, **columns.beside(frame),
    )  # fmt: skip
    columns.check_used(predictions)
    return Reading(
        predictions,
        {
            "truth": true or "none (scores)", "id": roles.id, "models": counted([*model_columns]),
            "missing": ", ".join(f"{n:,} in {column}" for column, n in lacking.items()),
            "left out": counted(roles.left_out),
            "direction": directed([None] * (true is None), columns.told_better),
        },
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


def _outputs(
    frame: pd.DataFrame, model_columns: dict[str, dict[str | None, str]], true: str | None
) -> tuple[AnyArray | None, AnyArray | None, dict[str, AnyArray]]:
    """The truth, labels by the probabilities' headings, and each model's array in their order."""
    headings = {
        model: [heading for heading in names if heading is not None]
        for model, names in model_columns.items()
        if None not in names
    }
    first = next(iter(headings.values()), [])
    for model, classes in headings.items():
        if {*classes} != {*first}:
            raise ValueError(
                f"model {model!r} has probabilities of {', '.join(classes)}, but model "
                f"{next(iter(headings))!r} of {', '.join(first)}; the classes must be the same."
            )
    outputs: dict[str, AnyArray] = {}
    for model, names in model_columns.items():
        if model in headings:
            outputs[model] = _probabilities(frame, [names[heading] for heading in first])
        else:
            outputs[model] = column_array(frame[names[None]])
    if true is None:
        return None, None, outputs
    truth, *same = cell_types.alike([column_array(frame[true]), *outputs.values()])
    labels = cell_types.typed_labels(first, truth) if headings else None
    return truth, labels, dict(zip(outputs, same, strict=True))


def _probabilities(frame: pd.DataFrame, names: list[str]) -> AnyArray:
    for name in names:
        if frame[name].dtype.kind not in "iufb":
            raise ValueError(f"column {name!r} must hold probabilities; it holds texts.")
    array: AnyArray = frame[names].to_numpy(dtype=np.float64)
    return array
