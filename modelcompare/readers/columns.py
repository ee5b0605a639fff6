"""A wide table -> Predictions."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.checks import DataWarning, check_columns_distinct
from modelcompare.predictions import Predictions
from modelcompare.readers import cells
from modelcompare.readers.cells import column_array
from modelcompare.readers.tables import Table
from modelcompare.words import KindOrAuto, Missing

DEFAULT_TRUE = "y_true"
ID_NAMES = ("id", "uid", "doc_id", "seg_id", "sample_id")


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Which column is what, and what to do with cells that do not fit."""

    true: str | None = None
    id: str | None = None
    groups: str | None = None
    strata: str | None = None
    runs: str | None = None
    weight: str | None = None
    slices: tuple[str, ...] = ()
    models: tuple[str, ...] | None = None
    scores: bool = False
    lower_is_better: bool = False
    score: str | None = None
    missing: Missing = "raise"
    normalize: bool = False
    kind: KindOrAuto = "auto"

    @property
    def named(self) -> dict[str, str]:
        """Columns that the user named, by role."""
        roles = ("true", "id", "groups", "strata", "runs", "weight")
        return {role: getattr(self, role) for role in roles if getattr(self, role) is not None}

    @property
    def beside_names(self) -> list[str]:
        """Columns that describe the samples, besides their ids."""
        roles = (self.groups, self.strata, self.runs, self.weight)
        return [*(name for name in roles if name is not None), *self.slices]

    def beside(self, frame: pd.DataFrame) -> dict[str, Any]:
        """What the named columns of a table say of its samples, as arguments of Predictions."""
        roles = {
            "groups": self.groups, "strata": self.strata, "runs": self.runs,
            "sample_weight": self.weight,
        }  # fmt: skip
        found: dict[str, Any] = {
            role: column_array(frame[name]) for role, name in roles.items() if name is not None
        }
        return found | {"slices": frame[list(self.slices)] if self.slices else None}

    def typed(
        self, frame: pd.DataFrame, kind: KindOrAuto, written: bool, true: str | None,
        models: Sequence[str], measures: Sequence[str],
    ) -> pd.DataFrame:  # fmt: skip
        """A table without missing cells whose columns have the types of what they are for."""
        if not written:
            return frame.infer_objects()
        weight = [] if self.weight is None else [self.weight]
        return cells.typed(frame, kind, true=true, models=models, measures=[*measures, *weight])

    def check_used(self, predictions: Predictions, *, are_logs: bool = False) -> None:
        """Refuse options that change nothing about what was read."""
        kinds = {predictions.output(model).kind for model in predictions.models}
        if self.lower_is_better and kinds != {"scores"}:
            raise ValueError(
                f"lower_is_better (--lower-is-better) is for scores per example, but the models "
                f"gave {', '.join(sorted(kinds))}; leave it out, or pass scores=True (--scores)."
            )
        if self.score is not None and not are_logs:
            raise ValueError(
                "score (--score) names a field in logs of lm-evaluation-harness, which this is "
                "not; leave it out."
            )


def frame_predictions(table: Table, columns: Columns, *, name: str | None) -> Predictions:
    """Predictions from a wide table."""
    frame = table.frame.rename(columns=str)
    where = name or "the table"
    check_columns_distinct(frame, where)
    check_columns(frame, columns, where)
    true = columns.true or (DEFAULT_TRUE if DEFAULT_TRUE in frame.columns else None)
    id_name = columns.id or guess_id(frame)
    # An id that repeats (items times runs) names no samples, and is no model either.
    special = {true, id_name, *ID_NAMES, *columns.named.values(), *columns.slices} - {None}
    truth_name = None if columns.scores else true
    model_columns = _model_columns(table, frame, special, truth_name, columns.models, where)
    used = [column for names in model_columns.values() for column in names.values()]
    beside = [each for each in (id_name, *columns.beside_names) if each is not None]
    said = [*([] if truth_name is None else [truth_name]), *used]
    kind: KindOrAuto = "scores" if truth_name is None else columns.kind
    others = [name for name in dict.fromkeys(beside) if name not in {*said}]
    told = frame[said]
    if table.written:
        told = cells.with_missing(told, kind)
    frame = pd.concat([told, frame[others]], axis=1)
    frame = without_missing(frame, said, columns.missing, where)
    labelled = [names[None] for names in model_columns.values() if None in names]
    frame = columns.typed(frame, kind, table.written, truth_name, labelled, used)
    truth, labels, outputs = _outputs(frame, model_columns, truth_name)
    predictions = Predictions(
        truth, outputs, kind=kind, labels=labels,
        ids=None if id_name is None else column_array(frame[id_name]), normalize=columns.normalize,
        greater_is_better=not columns.lower_is_better, name=name, **columns.beside(frame),
    )  # fmt: skip
    columns.check_used(predictions)
    return predictions


def check_columns(frame: pd.DataFrame, columns: Columns, where: str) -> None:
    """Every named column is there."""
    for wanted in (*columns.named.values(), *columns.slices):
        if wanted not in frame.columns:
            names = [str(column) for column in frame.columns]
            nearest = difflib.get_close_matches(wanted, names, n=3, cutoff=0.4) or names[:5]
            raise ValueError(
                f"{where} has no column {wanted!r}; there are {', '.join(nearest)}"
                f"{', ...' if len(names) > len(nearest) else ''}."
            )


def guess_id(frame: pd.DataFrame) -> str | None:
    """The first usual id column whose values are distinct."""
    return next((n for n in ID_NAMES if n in frame.columns and frame[n].is_unique), None)


def without_missing(
    frame: pd.DataFrame, used: list[str], missing: Missing, where: str
) -> pd.DataFrame:
    """The rows without missing cells, or an error that counts them by column."""
    empty = frame[used].isna()
    if not empty.to_numpy().any():
        return frame
    bad = empty.any(axis=1).to_numpy()
    if missing == "drop":
        what = f"{where}: left out {int(bad.sum()):,} of {len(bad):,} rows with missing cells."
        warnings.warn(what, DataWarning, stacklevel=5)
        return frame.loc[~bad].reset_index(drop=True)
    counts = empty.sum()
    parts = [f"{column} {count:,}" for column, count in counts[counts > 0].items()]
    shown = ", ".join(parts[:5]) + (", ..." if len(parts) > 5 else "")
    rows = ", ".join(map(str, np.flatnonzero(bad)[:3]))
    raise ValueError(
        f"{where} has missing cells ({shown}; first rows: {rows}); fill them in, or drop these "
        "rows with missing='drop' (--missing drop)."
    )


def _model_columns(
    table: Table, frame: pd.DataFrame, special: set[Any], true: str | None,
    wanted: tuple[str, ...] | None, where: str,
) -> dict[str, dict[str | None, str]]:  # fmt: skip
    """Each wanted model's columns by class: one without (labels or scores), or ``model:class``."""
    classes = set() if true is None else {str(label) for label in frame[true].unique()}
    models: dict[str, dict[str | None, str]] = {}
    for column in frame.columns:
        if column not in special:
            model, heading = (column, None) if true is None else _split(column, classes)
            models.setdefault(model, {})[heading] = column
    if true is None:
        asked = {*models} if wanted is None else {*models} & {*wanted}
        numeric = {m for m in asked if cells.are_numbers(frame[m], table.written)}
        models = {m: names for m, names in models.items() if m in numeric or m not in asked}
    if not models:
        raise ValueError(
            f"{where} has no model columns; it needs y_true (or --true COLUMN) and a column for "
            "each model, or numeric columns of scores per example."
        )
    chosen = _chosen_models(models, wanted, where)
    for model, names in chosen.items():
        if None in names and len(names) > 1:
            other = next(name for heading, name in names.items() if heading is not None)
            raise ValueError(
                f"{where}: model {model!r} has a column of labels and columns of probabilities "
                f"({other}); drop one or the other."
            )
    return chosen


def _split(column: str, classes: set[str]) -> tuple[str, str | None]:
    """Model and class of a heading; where it has several colons, as the true classes say."""
    places = [place for place, sign in enumerate(column) if sign == ":"]
    if not places:
        return column, None
    place = next((p for p in places if column[p + 1 :] in classes), places[-1])
    return column[:place], column[place + 1 :]


def _chosen_models(
    available: dict[str, dict[str | None, str]], wanted: tuple[str, ...] | None, where: str
) -> dict[str, dict[str | None, str]]:
    if wanted is None:
        return available
    for model in wanted:
        if model not in available:
            nearest = difflib.get_close_matches(model, [*available], n=3, cutoff=0.4)
            raise ValueError(
                f"{where} has no model {model!r}; there are "
                f"{', '.join(nearest or [*available][:5])}."
            )
    return {model: available[model] for model in wanted}


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
    truth, *same = cells.alike([column_array(frame[true]), *outputs.values()])
    labels = typed_labels(first, truth) if headings else None
    return truth, labels, dict(zip(outputs, same, strict=True))


def _probabilities(frame: pd.DataFrame, names: list[str]) -> AnyArray:
    for name in names:
        if frame[name].dtype.kind not in "iufb":
            raise ValueError(f"column {name!r} must hold probabilities; it holds texts.")
    array: AnyArray = frame[names].to_numpy(dtype=np.float64)
    return array


def typed_labels(headings: list[str], truth: AnyArray | None = None) -> AnyArray:
    """Class names from headings, of the true labels' type: numbers, truth values or texts."""
    if truth is not None and truth.dtype.kind == "b":
        values = {"False": False, "True": True}
        if {*headings} <= {*values}:
            return np.array([values[heading] for heading in headings])
    if truth is not None and truth.dtype.kind == "O":
        return np.array(headings, dtype=object)
    return cells.names(np.array(headings, dtype=object))
