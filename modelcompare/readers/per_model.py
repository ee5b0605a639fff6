"""One table for each model, aligned by id -> Predictions."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.checks import DataWarning, check_columns_distinct, refuse_rows
from modelcompare.predictions import Predictions
from modelcompare.readers import cells
from modelcompare.readers.cells import column_array
from modelcompare.readers.columns import (
    DEFAULT_TRUE,
    ID_NAMES,
    Columns,
    check_columns,
    typed_labels,
    without_missing,
)
from modelcompare.readers.tables import Table
from modelcompare.words import KindOrAuto, SameIds

_HARNESS_FIELDS = ("doc_id", "target", "filtered_resps")
_HARNESS_SCORES = ("acc", "exact_match")
# What logs must share, and how the harness names the file of a task.
_HARNESS_SAME = ("task", "task_name", "target", "doc_hash", "target_hash")
_HARNESS_NAME = re.compile(r"samples_(?P<task>.+)_\d{4}-\d\d-\d\dT[\d.:-]+\.jsonl(\.gz)?")
_PROBABILITY = "prob:"
_N_EXAMPLES = 3


def is_harness_log(frame: pd.DataFrame) -> bool:
    """Whether a table is a sample log of lm-evaluation-harness."""
    return {*_HARNESS_FIELDS} <= {*frame.columns}


def one_table_per_model(
    tables: Mapping[str, Table], files: Sequence[str], columns: Columns, ids: SameIds
) -> Predictions:
    """Predictions from one table for each model, read from the files named."""
    sources = dict(zip(tables, files, strict=True))
    if columns.models is not None:
        unknown = [model for model in columns.models if model not in tables]
        if unknown:
            raise ValueError(f"no file holds model {unknown[0]!r}; there are {', '.join(tables)}.")
        tables = {model: tables[model] for model in columns.models}
    are_logs = all(is_harness_log(table.frame) for table in tables.values())
    is_scored = are_logs or columns.scores
    kind: KindOrAuto = "scores" if is_scored else columns.kind
    true = None if is_scored else columns.true or DEFAULT_TRUE
    frames = _aligned(tables, columns, ids)
    for model, frame in frames.items():
        if tables[model].written:
            used = cells.with_missing(frame[_used(frame, true)], kind)
            frames[model] = frame.assign(**used)
    frames = _complete(frames, columns, true, are_logs)
    scores = [*_HARNESS_SCORES] if columns.score is None else [columns.score]
    frames = {
        model: columns.typed(
            frame, kind, tables[model].written, true if true in frame.columns else None,
            [c for c in frame.columns if c == "y_pred"], [*_headings(frame), *scores],
        )
        for model, frame in frames.items()
    }  # fmt: skip
    if are_logs:
        _check_one_task(frames, sources)
    _check_same(frames, columns.beside_names, "the files of {} and {} disagree on {} for {}")
    first = next(iter(frames.values()))
    name = ", ".join([*sources.values()][:3]) + ", ..." * (len(sources) > 3)
    described = {"ids": first.index.to_numpy(), "name": name, **columns.beside(first)}
    if true is None:
        said = {
            model: _harness_score(model, frame, columns.score) if are_logs else _said(model, frame)
            for model, frame in frames.items()
        }
        better = not columns.lower_is_better
        predictions = Predictions.from_scores(said, greater_is_better=better, **described)
    else:
        predictions = _of_labels(frames, columns, true, described)
    columns.check_used(predictions, are_logs=are_logs)
    return predictions


def _of_labels(
    frames: dict[str, pd.DataFrame], columns: Columns, true: str, described: dict[str, Any]
) -> Predictions:
    """Predictions of labels, probabilities, values or texts."""
    holders = {model: frame for model, frame in frames.items() if true in frame.columns}
    if not holders:
        raise ValueError(
            f"no file has the column {true!r}; name the column of true labels with true= "
            "(--true COLUMN)."
        )
    _check_same(holders, [true], "the files of {} and {} disagree on {} for {}")
    headings = {model: _headings(frame) for model, frame in frames.items()}
    said = {model: _said(model, frames[model]) for model, found in headings.items() if not found}
    truth = column_array(next(iter(holders.values()))[true])
    truth, *same = cells.alike([truth, *said.values()])
    outputs = dict(zip(said, same, strict=True))
    shared = _common_headings({model: found for model, found in headings.items() if found})
    if shared:
        labels = described["labels"] = typed_labels(
            [heading.removeprefix(_PROBABILITY) for heading in shared], truth
        )
    for model in frames.keys() - said.keys():
        outputs[model] = frames[model][shared].to_numpy(dtype=np.float64)
        _check_likeliest(model, frames[model], outputs[model], labels)
    return Predictions(
        truth, {model: outputs[model] for model in frames}, kind=columns.kind,
        normalize=columns.normalize, **described,
    )  # fmt: skip


def _complete(
    frames: dict[str, pd.DataFrame], columns: Columns, true: str | None, are_logs: bool
) -> dict[str, pd.DataFrame]:
    """Aligned frames without the samples that any of them lacks a cell of."""
    used = {model: [] if are_logs else _used(frame, true) for model, frame in frames.items()}
    empty = {model: frame[used[model]].isna() for model, frame in frames.items()}
    bad = np.any([found.any(axis=1).to_numpy() for found in empty.values()], axis=0)
    if not bad.any():
        return frames
    if columns.missing == "drop":
        what = f"left out {int(bad.sum()):,} of {len(bad):,} samples with missing cells."
        warnings.warn(what, DataWarning, stacklevel=4)
        return {model: frame.loc[~bad] for model, frame in frames.items()}
    for part in ([true], ["y_pred"], None):
        for model, frame in frames.items():
            wanted = [c for c in used[model] if part is None or c in part]
            where = f"the file of model {model!r}"
            without_missing(frame.reset_index(drop=True), wanted, "raise", where)
    return frames


def _used(frame: pd.DataFrame, true: str | None) -> list[str]:
    said = [column for column in (true, "y_pred") if column in frame.columns]
    return [*map(str, said), *_headings(frame)]


def _headings(frame: pd.DataFrame) -> list[str]:
    return [column for column in frame.columns if column.startswith(_PROBABILITY)]


def _aligned(
    tables: Mapping[str, Table], columns: Columns, ids: SameIds
) -> dict[str, pd.DataFrame]:
    """Frames indexed by id, all with the same ids in the first one's order."""
    frames = {model: table.frame.rename(columns=str) for model, table in tables.items()}
    names = {}
    for model, frame in frames.items():
        check_columns_distinct(frame, f"the file of model {model!r}")
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
        names[model] = name
    found = [
        column_array(
            cells.names(frame[names[model]]) if tables[model].written else frame[names[model]]
        )
        for model, frame in frames.items()
    ]
    indexed = {}
    for (model, frame), array in zip(frames.items(), cells.alike(found), strict=True):
        index = pd.Index(array, dtype=array.dtype, name=names[model])
        repeated = index[index.duplicated()].unique()
        if len(repeated):
            raise ValueError(
                f"the file of model {model!r} repeats {len(repeated):,} ids ({_listed(repeated)}); "
                "each sample must occur once."
            )
        indexed[model] = frame.drop(columns=names[model]).set_axis(index)
    first_model, first = next(iter(indexed.items()))
    common = first.index
    for frame in indexed.values():
        common = common[common.isin(frame.index)]
    for model, frame in indexed.items():
        _report_difference(first_model, first, model, frame, ids, len(common))
    if len(common) == 0:
        raise ValueError("the files have no id in common; name the column of ids with id (--id).")
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


def _check_same(frames: Mapping[str, pd.DataFrame], names: Sequence[str], what: str) -> None:
    """Refuse frames that say different things of the same samples."""
    for name in names:
        holders = {model: frame for model, frame in frames.items() if name in frame.columns}
        pairs = zip(
            holders, cells.alike([f[name].to_numpy() for f in holders.values()]), strict=True
        )
        first_model, first = next(pairs, ("", np.empty(0)))
        for model, found in pairs:
            differs = np.array([a != b for a, b in zip(first, found, strict=True)], dtype=bool)
            differs &= ~(pd.isna(first) & pd.isna(found))
            if differs.any():
                where = holders[model].index[np.flatnonzero(differs)]
                ids = f"{len(where):,} ids ({_listed(where)})"
                raise ValueError(what.format(repr(first_model), repr(model), name, ids) + ".")


def _check_one_task(frames: Mapping[str, pd.DataFrame], files: Mapping[str, str]) -> None:
    """Refuse logs of different tasks, by the names that the harness gives or by what they hold."""
    named = {model: _HARNESS_NAME.fullmatch(files[model]) for model in frames}
    tasks = {files[model]: found["task"] for model, found in named.items() if found}
    if len({*tasks.values()}) > 1:
        told = ", ".join(f"{file} of {task}" for file, task in tasks.items())
        raise ValueError(f"the logs are of different tasks ({told}); compare logs of one task.")
    by_file = {files[model]: frame for model, frame in frames.items()}
    what = "the logs {} and {} are of different tasks: they disagree on {} for {}"
    _check_same(by_file, _HARNESS_SAME, what)


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


def _check_likeliest(
    model: str, frame: pd.DataFrame, probabilities: AnyArray, labels: AnyArray
) -> None:
    """A label beside probabilities is the likeliest one, or two answers were given."""
    if "y_pred" not in frame.columns:
        return
    place = {str(label): code for code, label in enumerate(labels.tolist())}
    said = np.array([place.get(str(label), -1) for label in frame["y_pred"]])
    chosen = probabilities[np.arange(len(said)), said]
    other = (said < 0) | (chosen < probabilities.max(axis=1))
    what = f"the file of model {model!r} has a y_pred that is not the likeliest class"
    refuse_rows(other, what, "keep y_pred or the prob: columns")


def _said(model: str, frame: pd.DataFrame) -> AnyArray:
    """The column of a model's labels, values or scores."""
    if "y_pred" not in frame.columns:
        raise ValueError(
            f"the file of model {model!r} has neither y_pred nor prob:class columns; it has "
            f"{', '.join(map(str, frame.columns[:5]))}."
        )
    return column_array(frame["y_pred"])


def _common_headings(headings: dict[str, list[str]]) -> list[str]:
    """Headings of the first model, which must be those of all; none where there are only labels."""
    first_model, first = next(iter(headings.items()), ("", []))
    for model, found in headings.items():
        if {*found} != {*first}:
            classes = [
                ", ".join(heading.removeprefix(_PROBABILITY) for heading in each[:5])
                for each in (first, found)
            ]
            raise ValueError(
                f"the files of {first_model!r} and {model!r} have probabilities of different "
                f"classes ({classes[0]} and {classes[1]})."
            )
    return first


def _listed(values: Any) -> str:
    shown = ", ".join(str(value) for value in list(values)[:_N_EXAMPLES])
    return shown + (", ..." if len(values) > _N_EXAMPLES else "")
