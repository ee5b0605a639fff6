"""Tables of true positives, false positives and false negatives of each item -> Predictions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arguments import ColumnRoles, checked
from modelcompare.data.checks import check_columns_distinct, refuse_rows
from modelcompare.data.predictions import Predictions
from modelcompare.engine.memory import check_memory
from modelcompare.readers import cell_types, names
from modelcompare.readers.cell_types import Column
from modelcompare.readers.content import File
from modelcompare.readers.formats import lone_table
from modelcompare.readers.messages import as_options, counted, listed
from modelcompare.readers.options import Columns, refuse_column
from modelcompare.readers.profile import Profile
from modelcompare.readers.reading import Reading
from modelcompare.readers.roles import Role, Roles, solve
from modelcompare.spelling import chosen
from modelcompare.words import check_names

# Usual names of each number.
_NUMBERS = {
    "tp": ("tp", "true_positives", "true_positive", "tps", "n_tp"),
    "fp": ("fp", "false_positives", "false_positive", "fps", "n_fp"),
    "fn": ("fn", "false_negatives", "false_negative", "fns", "n_fn"),
}
_LABEL = ("label", "class", "category", "type", "entity", "entity_type", "class_name")
_ROLES = (
    Role(name="id", usual=(*names.ID, "document", "doc"), shares=True),
    Role(name="label", usual=_LABEL), Role(name="model", usual=names.MODEL),
    *(Role(name=what, usual=usual) for what, usual in _NUMBERS.items()),
)  # fmt: skip
_WIDE = re.compile(r"(.+?)[_: .-]+(tp|fp|fn)", re.IGNORECASE)
_ALL, _WHERE = "all", "the table"
# Three numbers of each item, label and model, side by side, apart, and joined.
_COPIES = 12


@checked(columns=ColumnRoles(("id", "model", "label", "groups")))
def from_item_counts(
    table: pd.DataFrame, *, columns: Mapping[str, str | None] | None = None,
    models: Sequence[str] | None = None, name: str | None = None,
) -> Predictions:  # fmt: skip
    """Make predictions from counts of each item: documents, images, sessions.

    The item is the unit, for counts of entities, of boxes at a threshold of their overlap, or of
    pixels: those of one item are not independent. ``f1_micro`` is pooled over all items,
    ``f1_samples`` is the mean over items, ``f1_macro`` the mean over labels, ``f1`` of each label.
    F1 of pixels is Dice, ``jaccard`` is the intersection over union.

    Parameters
    ----------
    table : DataFrame
        A row for each item and model, and label if there are several, with columns ``tp``, ``fp``
        and ``fn``; or a row for each item with columns ``cnn_tp``, ``cnn_fp``, ``cnn_fn``, ...
    columns : mapping of str to str, optional
        The column of each role: ``id`` (items), ``model`` and ``label``, by default those with
        usual names, and ``groups``, clusters of items; by default each item is one.
    models : sequence of str, optional
        The models to read; all by default.
    name : str, optional
        Heading in tables.

    Returns
    -------
    Predictions
        Of the type ``label_counts``. An item and label without a row has the counts 0.

    Raises
    ------
    ValueError
        If a column is lacking, a count is negative or no whole number, an item has two rows of a
        model and label or none of a model, or its true objects (tp + fn) differ between models.

    Examples
    --------
    >>> import pandas as pd
    >>> import modelcompare as mc
    >>> counts = pd.DataFrame({
    ...     "document": [1, 2, 3], "a_tp": [4, 3, 5], "a_fp": [1, 0, 2], "a_fn": [1, 1, 0],
    ...     "b_tp": [3, 3, 4], "b_fp": [1, 1, 1], "b_fn": [2, 1, 1],
    ... })
    >>> preds = mc.io.from_item_counts(counts, columns={"id": "document"})
    >>> mc.bootstrap(preds, "f1_micro").estimate.round(4).tolist()
    [0.8276, 0.7407]
    """
    if models is not None and not check_names("models", models):
        raise ValueError("`models` names no model; leave it out to read all.")
    given = Roles.given(**(columns or {}))
    frame = table.rename(columns=str).reset_index(drop=True)
    check_columns_distinct(frame, _WHERE)
    rows = _rows(frame, given)
    wanted = chosen([*dict.fromkeys(rows["model"])], models and (*models,), _WHERE)
    rows = rows[rows["model"].isin(wanted)]
    twice = rows.duplicated(["id", "model", "label"]).to_numpy()
    refuse_rows(twice, f"{_WHERE} has an item, model and label more than once")
    clusters = rows.groupby("id", sort=False)["group"].agg(["nunique", "first"])
    if (clusters["nunique"] > 1).any():
        raise ValueError(f"column {given['groups']!r} has several clusters for one item.")
    items = clusters.index
    labels = [*dict.fromkeys(rows["label"])]
    what = f"counts of {len(items):,} items, {len(labels):,} labels and {len(wanted):,} models"
    remedy = "choose models (models=[...], --model), a few after the others"
    check_memory(8 * _COPIES * len(items) * len(labels) * len(wanted), what, remedy)
    wide = rows.set_index(["id", "model", "label"])[["tp", "fp", "fn"]].unstack("label")
    sums = {m: _of_model(wide, m, items, labels) for m in wanted}
    truth = _same_truth({m: tp + fn for m, (tp, _, fn) in sums.items()}, items)
    outputs = {m: np.concatenate([tp, tp + fp], axis=1) for m, (tp, fp, _) in sums.items()}
    return Predictions(
        truth, outputs, kind="label_counts", labels=np.array(labels, dtype=object),
        ids=items.to_numpy(), groups=clusters["first"].to_numpy(), name=name,
    )  # fmt: skip


def counts_reading(files: Sequence[File], columns: Columns) -> Reading | None:
    """Read a table of counts of each item; None for other files."""
    frame, name = lone_table(files), files[0].name or None
    if frame is None or not is_of_counts(frame):
        return None
    used = {"id", "model", "groups", "models", "labels", "directs_functions"}
    columns.refuse_beside(used, f"{name or 'the table'} has counts of each item (tp, fp, fn)")
    roles = {"id": columns.id, "model": columns.model, "groups": columns.groups}
    found = from_item_counts(frame, columns=roles, models=columns.models, name=name)
    labels = [] if found.labels is None else found.labels.tolist()
    parts = {
        "counts": "tp, fp, fn", "models": counted(found.models), "labels": counted(labels),
        "clusters": columns.groups,
    }  # fmt: skip
    return Reading(found, parts)


def is_of_counts(frame: pd.DataFrame) -> bool:
    """Return whether a table has counts of true positives, false positives and false negatives."""
    headings = [*map(str, frame.columns)]
    return all(names.first(headings, usual) for usual in _NUMBERS.values()) or bool(_wide(headings))


def _wide(headings: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the three columns of each model."""
    found: dict[str, dict[str, str]] = {}
    for heading in headings:
        match = _WIDE.fullmatch(heading)
        if match is not None:
            found.setdefault(match[1], {})[match[2].lower()] = heading
    return {model: columns for model, columns in found.items() if {*columns} == {*_NUMBERS}}


def _rows(frame: pd.DataFrame, given: Roles) -> pd.DataFrame:
    """Return a row for each item, model and label, with the cluster of the item."""
    roles = solve(Profile(frame, Columns(), _WHERE), _ROLES, given)
    items = _texts(frame, roles, "id")
    groups = _texts(frame, roles, "groups") if roles["groups"] else items
    labels = _texts(frame, roles, "label") if roles["label"] else _ALL
    parts = []
    for name, columns in (_wide([*frame.columns]) or {"": _long(frame, roles)}).items():
        models = name or _texts(frame, roles, "model")
        numbers = {what: _counts(frame[heading]) for what, heading in columns.items()}
        made = {"id": items, "group": groups, "model": models, "label": labels}
        parts.append(pd.DataFrame({**made, **numbers}))
    return pd.concat(parts, ignore_index=True)


def _long(frame: pd.DataFrame, roles: Roles) -> dict[str, str]:
    """Return the three columns of all models."""
    return {what: roles[what] or refuse_column(what, [*frame.columns], _WHERE) for what in _NUMBERS}


def _texts(frame: pd.DataFrame, roles: Roles, role: str) -> Column:
    """Return the texts of the column of a role."""
    heading = roles[role]
    if heading is None:
        what = "item" if role == "id" else role
        raise ValueError(
            f"{_WHERE} has no column of each row's {what}; there are {listed(frame.columns, 8)}. "
            f"Name it with {as_options(**{role: 'COLUMN'})}."
        )
    if heading not in frame:
        refuse_column(heading, [*frame.columns], _WHERE)
    refuse_rows(frame[heading].isna().to_numpy(), f"column {heading!r} has missing cells")
    return frame[heading].astype(str)


def _counts(column: Column) -> Column:
    numbers = pd.Series(cell_types.as_numbers(column), index=column.index)
    bad = ~((numbers >= 0) & np.isfinite(numbers) & (numbers % 1 == 0))
    refuse_rows(bad.to_numpy(), f"column {column.name!r} must hold whole counts of at least 0")
    return numbers


def _of_model(
    wide: pd.DataFrame, model: str, items: pd.Index[Any], labels: Sequence[str]
) -> tuple[Any, Any, Any]:
    """Return the three counts of one model, each (n_items, n_labels)."""
    own = wide.xs(model, level="model")
    lacking = items.difference(own.index)
    if len(lacking):
        raise ValueError(
            f"model {model!r} has no row of {len(lacking):,} items (first: "
            f"{listed([*lacking])}); every model needs all items."
        )
    return tuple(
        own[what].reindex(index=items, columns=labels).fillna(0.0).to_numpy() for what in _NUMBERS
    )


def _same_truth(truths: dict[str, Any], items: pd.Index[Any]) -> Any:
    first, truth = next(iter(truths.items()))
    for model, other in truths.items():
        apart = np.flatnonzero((truth != other).any(axis=1))
        if len(apart):
            raise ValueError(
                f"models {first!r} and {model!r} have other numbers of true objects (tp + fn) in "
                f"{len(apart):,} items (first: {listed([*items[apart]])}); both must be counted "
                "against the same annotation."
            )
    return truth


def counts_of_items(frame: pd.DataFrame) -> str:
    """Return what a table of counts has, for the error where it is read block by block."""
    return "counts of each item (tp, fp, fn)" if is_of_counts(frame) else ""


READERS = (counts_reading,)
WHOLE = (counts_of_items,)
