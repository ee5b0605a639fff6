"""Tables of one model, or with a row for each model and sample -> Records."""

from __future__ import annotations

import pandas as pd

from modelcompare.readers.column_roles import Roles
from modelcompare.readers.options import Columns
from modelcompare.readers.records import PROBABILITY, SCORE, Records
from modelcompare.readers.tables import Table


def table_records(table: Table, roles: Roles, columns: Columns) -> Records:
    """The records of a table whose roles are known; without a column of ids, rows are numbered."""
    frame = table.frame
    found = {
        "model": roles.model, "set": roles.set, "run": roles.run, "filter": roles.filter,
        "id": roles.id, "y_true": roles.true,
    }  # fmt: skip
    made = {to: frame[heading] for to, heading in found.items() if heading is not None}
    if roles.id is None:
        made["id"] = pd.Series([*map(str, range(len(frame)))], index=frame.index, dtype=object)
    for heading in roles.outputs:
        made[_name_of(heading, roles)] = frame[heading]
    parts = {
        "truth": roles.true, "id": roles.id, "model": roles.model, "set": roles.set,
        "run": roles.run, "scores" if roles.scored else "predictions": ", ".join(roles.outputs),
    }  # fmt: skip
    return Records(
        frame=pd.DataFrame(made), beside=frame, written=table.written,
        kind="scores" if roles.scored else columns.kind, says="table",
        parts={part: f"column {heading}" for part, heading in parts.items() if heading},
    )  # fmt: skip


def _name_of(heading: str, roles: Roles) -> str:
    if roles.scored:
        return SCORE + heading
    return heading if heading.startswith(PROBABILITY) else "y_pred"
