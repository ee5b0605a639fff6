"""A wide table -> Predictions."""

from __future__ import annotations

import difflib
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from modelcompare.checks import DataWarning
from modelcompare.kinds import Kind
from modelcompare.predictions import Predictions

if TYPE_CHECKING:
    import pandas as pd

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
    missing: Literal["raise", "drop"] = "raise"
    normalize: bool = False
    kind: Kind | Literal["auto"] = "auto"

    @property
    def named(self) -> dict[str, str]:
        """Columns that the user named, by role."""
        roles = ("true", "id", "groups", "strata", "runs", "weight")
        return {role: getattr(self, role) for role in roles if getattr(self, role) is not None}


def frame_predictions(frame: pd.DataFrame, columns: Columns, *, name: str | None) -> Predictions:
    """Predictions from a wide table.

    Raises
    ------
    ValueError
        If a named column is absent, no model column is left, columns are mixed, or cells are
        missing.
    """
    frame = frame.rename(columns=str)
    where = name or "the table"
    check_columns(frame, columns, where)
    true = columns.true or (DEFAULT_TRUE if DEFAULT_TRUE in frame.columns else None)
    id_name = columns.id or guess_id(frame)
    special = {true, id_name, *columns.named.values(), *columns.slices} - {None}
    model_columns = _model_columns(frame, special, true is None or columns.scores, where)
    chosen = _chosen_models(model_columns, columns.models, where)
    used = [column for model in chosen for column in model_columns[model]]
    frame = without_missing(frame, used, columns.missing, where, [c for c in [true] if c])
    truth = None if true is None or columns.scores else column_array(frame[true])
    labels, outputs = _outputs(frame, {model: model_columns[model] for model in chosen})
    kind: Kind | Literal["auto"] = "scores" if truth is None else columns.kind
    return Predictions(
        truth,
        outputs,
        kind=kind,
        labels=labels,
        ids=_optional(frame, id_name),
        groups=_optional(frame, columns.groups),
        strata=_optional(frame, columns.strata),
        runs=_optional(frame, columns.runs),
        sample_weight=_optional(frame, columns.weight),
        slices=frame[list(columns.slices)] if columns.slices else None,
        normalize=columns.normalize,
        greater_is_better=not columns.lower_is_better,
        name=name,
    )


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


def column_array(column: pd.Series[Any]) -> NDArray[Any]:
    """A column as numpy array: numbers as numbers, anything else as objects."""
    array: NDArray[Any] = column.to_numpy(None if column.dtype.kind in "iufb" else object)
    return array


def without_missing(
    frame: pd.DataFrame,
    used: list[str],
    missing: Literal["raise", "drop"],
    where: str,
    truth: list[str],
) -> pd.DataFrame:
    """The rows without missing cells, or an error that counts them by column."""
    empty = frame[[*truth, *used]].isna()
    if not empty.to_numpy().any():
        return frame
    bad = empty.any(axis=1).to_numpy()
    if missing == "drop":
        warnings.warn(
            f"{where}: left out {int(bad.sum()):,} of {len(frame):,} rows with missing cells.",
            DataWarning,
            stacklevel=5,
        )
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
    frame: pd.DataFrame, special: set[Any], numeric_only: bool, where: str
) -> dict[str, list[str]]:
    """Columns of each model: one of labels or scores, or one ``model:class`` for each class."""
    models: dict[str, list[str]] = {}
    for column in frame.columns:
        if column in special:
            continue
        if numeric_only and frame[column].dtype.kind not in "iufb":
            continue
        model = column.partition(":")[0] if not numeric_only else column
        models.setdefault(model, []).append(column)
    for model, names in models.items():
        if model in names and len(names) > 1:
            raise ValueError(
                f"{where}: model {model!r} has a column of labels and columns of probabilities "
                f"({names[1]}); drop one or the other."
            )
    if not models:
        raise ValueError(
            f"{where} has no model columns; it needs y_true (or --true COLUMN) and a column for "
            "each model, or numeric columns of scores per example."
        )
    return models


def _chosen_models(
    available: dict[str, list[str]], wanted: tuple[str, ...] | None, where: str
) -> list[str]:
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
    frame: pd.DataFrame, model_columns: dict[str, list[str]]
) -> tuple[NDArray[Any] | None, dict[str, NDArray[Any]]]:
    """Labels by the probabilities' headings, and each model's array in their order."""
    headings = {
        model: [name.partition(":")[2] for name in names]
        for model, names in model_columns.items()
        if ":" in names[0]
    }
    labels: NDArray[Any] | None = None
    if headings:
        first_model, first = next(iter(headings.items()))
        for model, classes in headings.items():
            if {*classes} != {*first}:
                raise ValueError(
                    f"model {model!r} has probabilities of {', '.join(classes)}, but model "
                    f"{first_model!r} of {', '.join(first)}; the classes must be the same."
                )
        labels = typed_labels(first)
    outputs: dict[str, NDArray[Any]] = {}
    for model, names in model_columns.items():
        if model in headings:
            position = {name.partition(":")[2]: name for name in names}
            ordered = [position[heading] for heading in next(iter(headings.values()))]
            outputs[model] = frame[ordered].to_numpy(dtype=np.float64)
        else:
            outputs[model] = column_array(frame[names[0]])
    return labels, outputs


def typed_labels(headings: list[str]) -> NDArray[Any]:
    """Class names from headings: whole numbers if all are, texts otherwise."""
    if all(heading.lstrip("-").isdigit() for heading in headings):
        return np.array([int(heading) for heading in headings])
    return np.array(headings, dtype=object)


def _optional(frame: pd.DataFrame, column: str | None) -> NDArray[Any] | None:
    return None if column is None else column_array(frame[column])
