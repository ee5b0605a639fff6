"""A wide table -> Predictions."""

from __future__ import annotations

import difflib
import re
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.checks import DataWarning
from modelcompare.predictions import Predictions
from modelcompare.words import KindOrAuto, Missing

DEFAULT_TRUE = "y_true"
_WHOLE = re.compile(r"-?[0-9]+")
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


def frame_predictions(frame: pd.DataFrame, columns: Columns, *, name: str | None) -> Predictions:
    """Predictions from a wide table."""
    frame = frame.rename(columns=str)
    where = name or "the table"
    check_columns(frame, columns, where)
    true = columns.true or (DEFAULT_TRUE if DEFAULT_TRUE in frame.columns else None)
    id_name = columns.id or guess_id(frame)
    # An id that repeats (items times runs) names no samples, and is no model either.
    special = {true, id_name, *ID_NAMES, *columns.named.values(), *columns.slices} - {None}
    scores = true is None or columns.scores
    whole = None if true is None or scores else column_array(frame[true])
    model_columns = _model_columns(frame, special, scores, whole, where)
    chosen = _chosen_models(list(model_columns), columns.models, where)
    used = [column for model in chosen for column in model_columns[model].values()]
    frame = without_missing(frame, used, columns.missing, where, [c for c in [true] if c])
    truth = None if true is None or scores else column_array(frame[true])
    labels, outputs = _outputs(frame, {model: model_columns[model] for model in chosen}, truth)
    kind: KindOrAuto = "scores" if truth is None else columns.kind
    return Predictions(
        truth, outputs, kind=kind, labels=labels,
        ids=None if id_name is None else column_array(frame[id_name]), normalize=columns.normalize,
        greater_is_better=not columns.lower_is_better, name=name, **columns.beside(frame),
    )  # fmt: skip


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


def column_array(column: pd.Series[Any]) -> AnyArray:
    """A column as numpy array: numbers as numbers, anything else as objects."""
    array: AnyArray = column.to_numpy(None if column.dtype.kind in "iufb" else object)
    if array.dtype.kind == "O" and any(isinstance(x, list | dict | np.ndarray) for x in array):
        raise ValueError(
            f"column {column.name!r} holds lists or objects; give one label, number or text for "
            "each sample."
        )
    return array


def without_missing(
    frame: pd.DataFrame, used: list[str], missing: Missing, where: str, truth: list[str]
) -> pd.DataFrame:
    """The rows without missing cells, or an error that counts them by column."""
    empty = frame[[*truth, *used]].isna()
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
    frame: pd.DataFrame, special: set[Any], scores: bool, truth: AnyArray | None, where: str
) -> dict[str, dict[str | None, str]]:
    """Each model's columns by class: one without (labels or scores), or ``model:class`` ones."""
    classes = set() if truth is None else {str(label) for label in {*truth.tolist()}}
    models: dict[str, dict[str | None, str]] = {}
    for column in frame.columns:
        if column in special or (scores and frame[column].dtype.kind not in "iufb"):
            continue
        model, heading = (column, None) if scores else _split(column, classes)
        models.setdefault(model, {})[heading] = column
    for model, names in models.items():
        if None in names and len(names) > 1:
            other = next(name for heading, name in names.items() if heading is not None)
            raise ValueError(
                f"{where}: model {model!r} has a column of labels and columns of probabilities "
                f"({other}); drop one or the other."
            )
    if not models:
        raise ValueError(
            f"{where} has no model columns; it needs y_true (or --true COLUMN) and a column for "
            "each model, or numeric columns of scores per example."
        )
    return models


def _split(column: str, classes: set[str]) -> tuple[str, str | None]:
    """Model and class of a heading; where it has several colons, as the true classes say."""
    places = [place for place, sign in enumerate(column) if sign == ":"]
    if not places:
        return column, None
    place = next((p for p in places if column[p + 1 :] in classes), places[-1])
    return column[:place], column[place + 1 :]


def _chosen_models(available: list[str], wanted: tuple[str, ...] | None, where: str) -> list[str]:
    if wanted is None:
        return list(available)
    for model in wanted:
        if model not in available:
            nearest = difflib.get_close_matches(model, available, n=3, cutoff=0.4)
            raise ValueError(
                f"{where} has no model {model!r}; there are {', '.join(nearest or available)}."
            )
    return list(wanted)


def _outputs(
    frame: pd.DataFrame, model_columns: dict[str, dict[str | None, str]], truth: AnyArray | None
) -> tuple[AnyArray | None, dict[str, AnyArray]]:
    """Labels by the probabilities' headings, and each model's array in their order."""
    headings = {
        model: [heading for heading in names if heading is not None]
        for model, names in model_columns.items()
        if None not in names
    }
    labels: AnyArray | None = None
    if headings:
        first_model, first = next(iter(headings.items()))
        for model, classes in headings.items():
            if {*classes} != {*first}:
                raise ValueError(
                    f"model {model!r} has probabilities of {', '.join(classes)}, but model "
                    f"{first_model!r} of {', '.join(first)}; the classes must be the same."
                )
        labels = typed_labels(first, truth)
    outputs: dict[str, AnyArray] = {}
    for model, names in model_columns.items():
        if model in headings:
            ordered = [names[heading] for heading in next(iter(headings.values()))]
            outputs[model] = _probabilities(frame, ordered)
        else:
            outputs[model] = _like_truth(column_array(frame[names[None]]), truth)
    return labels, outputs


def _probabilities(frame: pd.DataFrame, names: list[str]) -> AnyArray:
    for name in names:
        if frame[name].dtype.kind not in "iufb":
            raise ValueError(f"column {name!r} must hold probabilities; it holds texts.")
    array: AnyArray = frame[names].to_numpy(dtype=np.float64)
    return array


def _like_truth(array: AnyArray, truth: AnyArray | None) -> AnyArray:
    """Whole numbers as texts, where the true labels are texts among which they are."""
    if truth is None or truth.dtype.kind != "O" or array.dtype.kind not in "iu":
        return array
    texts = array.astype(str).astype(object)
    return texts if {*texts.tolist()} & {*truth.tolist()} else array


def typed_labels(headings: list[str], truth: AnyArray | None = None) -> AnyArray:
    """Class names from headings, of the true labels' type: numbers, truth values or texts."""
    if truth is not None and truth.dtype.kind == "b":
        values = {"False": False, "True": True}
        if {*headings} <= {*values}:
            return np.array([values[heading] for heading in headings])
    texts = truth is not None and truth.dtype.kind == "O"
    if not texts and all(_WHOLE.fullmatch(heading) for heading in headings):
        return np.array([int(heading) for heading in headings])
    return np.array(headings, dtype=object)
