"""One file for each model, aligned by id -> Predictions."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.checks import DataWarning
from modelcompare.predictions import Predictions
from modelcompare.readers.columns import (
    DEFAULT_TRUE,
    ID_NAMES,
    Columns,
    check_columns,
    column_array,
    typed_labels,
    without_missing,
)
from modelcompare.readers.tables import read_table
from modelcompare.words import SameIds

_HARNESS_FIELDS = ("doc_id", "target", "filtered_resps")
_HARNESS_SCORES = ("acc", "exact_match")
_PROBABILITY = "prob:"
_N_EXAMPLES = 3


def is_harness_log(frame: pd.DataFrame) -> bool:
    """Whether a table is a sample log of lm-evaluation-harness."""
    return {*_HARNESS_FIELDS} <= {*frame.columns}


def one_file_per_model(paths: Mapping[str, Path], columns: Columns, ids: SameIds) -> Predictions:
    """Predictions from one file for each model."""
    frames = {model: read_table(path).rename(columns=str) for model, path in paths.items()}
    if columns.models is not None:
        unknown = [model for model in columns.models if model not in frames]
        if unknown:
            raise ValueError(f"no file holds model {unknown[0]!r}: there are {', '.join(frames)}.")
        frames = {model: frames[model] for model in columns.models}
    are_logs = all(is_harness_log(frame) for frame in frames.values())
    frames = _aligned(frames, columns, ids)
    true = columns.true or DEFAULT_TRUE
    if columns.missing == "drop" and not are_logs:
        frames = _without_missing(frames, true)
    first = next(iter(frames.values()))
    name = ", ".join([path.name for path in paths.values()][:3]) + ", ..." * (len(paths) > 3)
    described = {"ids": first.index.to_numpy(), "name": name, **columns.beside(first)}
    if are_logs or columns.scores:
        scores = {
            model: _harness_score(model, frame, columns.score) if are_logs else _said(model, frame)
            for model, frame in frames.items()
        }
        better = not columns.lower_is_better
        return Predictions.from_scores(scores, greater_is_better=better, **described)
    truth = _common_truth(frames, true)
    read = {model: _one_model(model, frame) for model, frame in frames.items()}
    given = {model: classes for model, (classes, _) in read.items() if classes is not None}
    labels = _common_labels(given)
    if labels:
        described["labels"] = typed_labels(labels, truth)
    outputs = {
        model: array if classes is None else array[:, [classes.index(label) for label in labels]]
        for model, (classes, array) in read.items()
    }
    kind, normalize = columns.kind, columns.normalize
    return Predictions(truth, outputs, kind=kind, normalize=normalize, **described)


def _without_missing(frames: dict[str, pd.DataFrame], true: str) -> dict[str, pd.DataFrame]:
    """Aligned frames without the samples that any of them lacks a cell of."""
    bad = np.zeros(len(next(iter(frames.values()))), dtype=bool)
    for frame in frames.values():
        used = [c for c in frame.columns if c in (true, "y_pred") or c.startswith(_PROBABILITY)]
        bad |= frame[used].isna().any(axis=1).to_numpy()
    if bad.any():
        what = f"left out {int(bad.sum()):,} of {len(bad):,} samples with missing cells."
        warnings.warn(what, DataWarning, stacklevel=4)
    return {model: frame.loc[~bad] for model, frame in frames.items()}


def _aligned(
    frames: dict[str, pd.DataFrame], columns: Columns, ids: SameIds
) -> dict[str, pd.DataFrame]:
    """Frames indexed by id, all with the same ids in the first one's order."""
    indexed = {}
    for model, frame in frames.items():
        check_columns(frame, columns, f"the file of model {model!r}")
        name = columns.id or next((n for n in ID_NAMES if n in frame.columns), None)
        if name is None:
            raise ValueError(
                f"the file of model {model!r} has no id column ({', '.join(ID_NAMES)}); files are "
                "aligned by id, so name it with id= (--id COLUMN)."
            )
        absent = frame[name].isna()
        if absent.any():
            raise ValueError(f"the file of model {model!r} lacks {int(absent.sum()):,} ids.")
        repeated = frame[name][frame[name].duplicated()].unique()
        if len(repeated):
            raise ValueError(
                f"the file of model {model!r} repeats {len(repeated):,} ids ({_listed(repeated)}); "
                "each sample must occur once."
            )
        indexed[model] = frame.set_index(name)
    first_model, first = next(iter(indexed.items()))
    common = first.index
    for frame in indexed.values():
        common = common[common.isin(frame.index)]
    for model, frame in indexed.items():
        _report_difference(first_model, first, model, frame, ids, len(common))
    if len(common) == 0:
        raise ValueError("the files have no id in common.")
    left_out = {model: len(frame) - len(common) for model, frame in indexed.items()}
    if any(left_out.values()):
        counts = ", ".join(f"{n:,} of {model}" for model, n in left_out.items() if n)
        what = f"kept the {len(common):,} ids that all files share; left out {counts}."
        warnings.warn(what, DataWarning, stacklevel=4)
    return {model: frame.loc[common] for model, frame in indexed.items()}


def _report_difference(
    first_model: str, first: pd.DataFrame, model: str, frame: pd.DataFrame, ids: SameIds,
    n_common: int,
) -> None:  # fmt: skip
    missing = first.index[~first.index.isin(frame.index)]
    extra = frame.index[~frame.index.isin(first.index)]
    if ids == "intersect" or not (len(missing) or len(extra)):
        return
    parts = []
    if len(missing):
        parts.append(f"lacks {len(missing):,} ids of {first_model!r} ({_listed(missing)})")
    if len(extra):
        parts.append(f"has {len(extra):,} ids that {first_model!r} lacks ({_listed(extra)})")
    raise ValueError(
        f"the file of model {model!r} {' and '.join(parts)}; keep the {n_common:,} common ids with "
        "ids='intersect' (--ids intersect)."
    )


def _harness_score(model: str, frame: pd.DataFrame, score: str | None) -> AnyArray:
    numeric = [c for c in frame.columns if frame[c].dtype.kind in "iufb" and c != "doc_id"]
    chosen = score or next((name for name in _HARNESS_SCORES if name in numeric), None)
    if chosen is None or chosen not in numeric:
        wanted = f"no score {score!r}" if score else "neither acc nor exact_match"
        raise ValueError(
            f"the log of model {model!r} has {wanted}; name one of its numeric fields with score= "
            f"(--score FIELD): {', '.join(numeric) or 'there are none'}."
        )
    scores: AnyArray = frame[chosen].to_numpy(dtype=np.float64)
    return scores


def _common_truth(frames: dict[str, pd.DataFrame], true: str) -> AnyArray:
    holders = {model: frame for model, frame in frames.items() if true in frame.columns}
    if not holders:
        raise ValueError(
            f"no file has the column {true!r}; name the column of true labels with true= "
            "(--true COLUMN)."
        )
    first_model, first = next(iter(holders.items()))
    for model, frame in holders.items():
        without_missing(frame.reset_index(), [true], "raise", f"the file of model {model!r}", [])
    truth = column_array(first[true])
    for model, frame in holders.items():
        differs = column_array(frame[true]) != truth
        if np.any(differs):
            where = frame.index[np.flatnonzero(differs)]
            raise ValueError(
                f"the files of {first_model!r} and {model!r} disagree on {true} for "
                f"{len(where):,} ids ({_listed(where)})."
            )
    return truth


def _one_model(model: str, frame: pd.DataFrame) -> tuple[list[str] | None, AnyArray]:
    """Classes of the probability columns, or None for labels, and the model's array."""
    names = [column for column in frame.columns if column.startswith(_PROBABILITY)]
    if names:
        without_missing(frame.reset_index(), names, "raise", f"the file of model {model!r}", [])
        return [n[len(_PROBABILITY) :] for n in names], frame[names].to_numpy(dtype=np.float64)
    return None, _said(model, frame)


def _said(model: str, frame: pd.DataFrame) -> AnyArray:
    """The column of a model's labels, values or scores."""
    if "y_pred" not in frame.columns:
        raise ValueError(
            f"the file of model {model!r} has neither y_pred nor prob:class columns; it has "
            f"{', '.join(map(str, frame.columns[:5]))}."
        )
    without_missing(frame.reset_index(), ["y_pred"], "raise", f"the file of model {model!r}", [])
    return column_array(frame["y_pred"])


def _common_labels(classes: dict[str, list[str]]) -> list[str]:
    """Classes of the first model, which must be those of all; none where there are only labels."""
    first_model, first = next(iter(classes.items()), ("", []))
    for model, names in classes.items():
        if {*names} != {*first}:
            raise ValueError(
                f"the files of {first_model!r} and {model!r} have probabilities of different "
                f"classes ({', '.join(first[:5])} and {', '.join(names[:5])})."
            )
    return first


def _listed(values: Any) -> str:
    shown = ", ".join(str(value) for value in list(values)[:_N_EXAMPLES])
    return shown + (", ..." if len(values) > _N_EXAMPLES else "")
