"""Records, a row for each model and sample -> Predictions, aligned by the samples' ids."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.data.checks import DataWarning, refuse_rows
from modelcompare.data.predictions import Predictions
from modelcompare.readers import cell_types
from modelcompare.readers.alignment import (
    align,
    answer_key,
    check_same,
    common_headings,
    with_truth,
)
from modelcompare.readers.cell_types import column_array, refuse_objects
from modelcompare.readers.missing import filled, refuse_missing
from modelcompare.readers.options import Columns, refuse_column
from modelcompare.readers.reading import Reading, counted, directed
from modelcompare.readers.records import PROBABILITY, SCORE, Records
from modelcompare.readers.tables import nested
from modelcompare.spelling import chosen, meant
from modelcompare.words import KindOrAuto, SameIds

# A name that no column has, which may be called run and describe the samples.
_RUN = " run"
_OTHER_TASK = "the logs of {} and {} are of different tasks: they disagree on {} for {}"


def record_predictions(
    records: Records, columns: Columns, ids: SameIds, *, name: str | None
) -> Reading:
    """Predictions from the records of one test set."""
    frame = _chosen_filter(records, columns)
    refuse_objects(frame["id"])
    truths, rows = answer_key(frame.rename(columns={"run": _RUN}))
    rows = _of_named_models(rows, name or "the table")
    models = chosen(list(dict.fromkeys(rows["model"])), columns.models, name or "the table")
    scores = _chosen_scores(records, rows, columns)
    rows = _scored_samples(rows, scores) if columns.score else rows
    if columns.groups == "id" and records.parts.get("id", "column id") == "column id":
        # A sample, with its runs, is the cluster, whatever clusters a log names itself.
        rows, columns = rows.drop(columns="group", errors="ignore"), replace(columns, groups=None)
    beside = _beside(records, columns).loc[rows.index]
    table = pd.concat([_results(rows, scores), beside], axis=1)
    if columns.runs is None and not rows.duplicated(["model", "id"]).any():
        # A column named like a repetition, of which each sample has one, repeats nothing.
        table = table.drop(columns=_RUN, errors="ignore")
    columns, table = _with_runs(columns, table)
    columns = _as_recorded(columns, records, scores)
    parts = {model: _rows_of(model, table, rows["model"]) for model in models}
    parts = align(parts, columns, ids, records)
    true = None if scores else "y_true"
    if truths is not None and true is not None:
        parts = with_truth(parts, truths, records)
    check_same(parts, records.same, _OTHER_TASK, known=True)
    parts = _with_missing(parts, columns, true)
    lacking = {m: int(p[_used(p, None)].isna().any(axis=1).sum()) for m, p in parts.items()}
    parts = _settled(parts, columns, true)
    parts = {model: _typed(part, columns, records, true) for model, part in parts.items()}
    check_same(parts, columns.beside_names, "the files of {} and {} disagree on {} for {}")
    predictions = _predictions(parts, scores, columns, name, in_log=records.says != "table")
    columns.check_used(predictions, in_rows=True, scored=bool(scores))
    clusters = _clusters(columns, parts[models[0]])
    repeated = predictions.runs is not None
    understood = _understood(records, models, scores, clusters, lacking, repeated=repeated)
    return Reading(predictions, understood | {"direction": directed(scores, columns.told_better)})


def _of_named_models(rows: pd.DataFrame, where: str) -> pd.DataFrame:
    """Rows of models, whose names are texts."""
    if len(rows) == 0:
        raise ValueError(f"{where} names no model in any row; write which model each row is of.")
    return rows.assign(model=rows["model"].map(str).astype(object))


def _results(rows: pd.DataFrame, scores: Sequence[str]) -> pd.DataFrame:
    """What models gave, with the samples' ids and runs, and the truth if it is no score."""
    used = [SCORE + score for score in scores] or _said(rows)
    kept = [c for c in ("id", _RUN, "group", *([] if scores else ["y_true"])) if c in rows]
    return rows[[*kept, *used]]


def _as_recorded(columns: Columns, records: Records, scores: Sequence[str]) -> Columns:
    """What was said, and what the format says where nothing was."""
    kind: KindOrAuto = "scores" if scores else columns.kind
    return replace(columns, kind=records.kind if kind == "auto" else kind)


def _with_missing(
    parts: dict[str, pd.DataFrame], columns: Columns, true: str | None
) -> dict[str, pd.DataFrame]:
    """Parts whose cells are missing where they hold a mark of a missing one."""
    used = {model: part[_used(part, true)] for model, part in parts.items()}
    headings = [heading for part in used.values() for heading in part]
    classes = {*(columns.labels or ()), *cell_types.headed_classes(headings)}
    told: dict[str, Any] = {"marks": columns.na, "classes": classes}
    cell_types.refuse_marks([*used.values()], true, columns.kind, **told)
    return {
        model: part.assign(**cell_types.with_missing(used[model], columns.kind, **told))
        for model, part in parts.items()
    }


def _typed(
    part: pd.DataFrame, columns: Columns, records: Records, true: str | None
) -> pd.DataFrame:  # fmt: skip
    """A part whose columns have the types of what they are for."""
    return columns.typed(
        part, columns.kind, records.written, true if true in part.columns else None,
        [c for c in part.columns if c == "y_pred"],
        [c for c in part.columns if c.startswith((PROBABILITY, SCORE))],
    )  # fmt: skip


def _predictions(
    parts: dict[str, pd.DataFrame], scores: Sequence[str], columns: Columns, name: str | None,
    *, in_log: bool,
) -> Predictions:  # fmt: skip
    """Predictions of scores, or of labels, probabilities, values or texts."""
    first = next(iter(parts.values()))
    described = {"ids": first.index.to_numpy(), "name": name, **columns.beside(first)}
    if scores:
        return _of_scores(parts, scores, columns, described, named=in_log or len(scores) > 1)
    return _of_labels(parts, columns, described)


def _understood(
    records: Records, models: Sequence[str], scores: Sequence[str], clusters: str | None,
    lacking: dict[str, int], *, repeated: bool,
) -> dict[str, str | None]:  # fmt: skip
    """What was taken for what, in words."""
    missing = ", ".join(f"{count:,} in {model}" for model, count in lacking.items() if count)
    parts = dict(records.parts)
    if "run" in parts and not repeated:
        parts["run"] = f"none ({parts['run']} repeats no sample)"
    return {
        "format": records.says if records.says != "table" else "", **parts,
        "models": counted(models), "scores": ", ".join(scores), "clusters": clusters,
        "missing": missing,
    }  # fmt: skip


def _clusters(columns: Columns, part: pd.DataFrame) -> str | None:
    """What is kept together, in words."""
    if _RUN in part and columns.groups == "item":
        return f"the {part[_RUN].nunique()} runs of each sample"
    return columns.groups


def _rows_of(model: str, table: pd.DataFrame, models: pd.Series[Any]) -> pd.DataFrame:
    """The rows of one model, without columns that only other models' files have."""
    part = table[(models == model).to_numpy()].reset_index(drop=True)
    return part.dropna(axis="columns", how="all").infer_objects()


def _chosen_filter(records: Records, columns: Columns) -> pd.DataFrame:
    """The rows of the filter that was asked for, or of the only one."""
    frame = records.frame
    check_filter(frame, columns)
    if columns.filter is not None:
        return frame[frame["filter"].isna() | (frame["filter"] == columns.filter)]
    if "filter" in frame and frame["filter"].nunique() > 1:
        known = sorted(map(str, frame["filter"].dropna().unique()))
        raise ValueError(
            f"there are results by {len(known)} filters ({', '.join(known)}); choose one with "
            f"filter={known[0]!r} (--filter {known[0]})."
        )
    return frame


def check_filter(frame: pd.DataFrame, columns: Columns) -> None:
    """Refuse a filter that there is not."""
    if columns.filter is None:
        return
    held = frame["filter"].dropna() if "filter" in frame else ()
    known = sorted({*map(str, held)})
    if not known:
        raise ValueError("filter (--filter) is for logs that hold a filter; leave it out.")
    if columns.filter not in known:
        raise ValueError(
            f"there is no filter {columns.filter!r}; there are {meant(columns.filter, known)}."
        )


def _beside(records: Records, columns: Columns) -> pd.DataFrame:
    """The columns beside the results that were named, and those that all models must share."""
    found = {}
    wanted = [*columns.beside_names, *records.same]
    for name in dict.fromkeys(wanted):
        if name in ("id", "y_pred") or name.startswith(PROBABILITY):
            raise ValueError(
                f"column {name!r} names the samples or holds what a model gave; name a column that "
                "describes the samples."
            )
        source = records.frame if records.beside is None else records.beside
        column = nested(source, name)
        if column is None:
            known = next((n for n in (name, SCORE + name) if n in records.frame), None)
            column = None if known is None else records.frame[known]
        if column is None:
            refuse_column(name, [str(each) for each in source.columns], f"the {records.says}")
        found[name] = column
    return pd.DataFrame(found, index=records.frame.index)


def _chosen_scores(records: Records, rows: pd.DataFrame, columns: Columns) -> list[str]:
    """The scores to compare by: those asked for, or all that every model has."""
    known = [name for name in records.scores if name not in columns.beside_names]
    if columns.score:
        for wanted in columns.score:
            if wanted not in known:
                raise ValueError(
                    f"the {records.says} has no score {wanted!r}; there are "
                    f"{meant(wanted, known) or 'none'}."
                )
        return list(columns.score)
    if not known or ("y_pred" in rows and not columns.scores):
        return []
    held = rows.groupby("model")[[SCORE + name for name in known]].count()
    shared = [name for name in known if (held[SCORE + name] > 0).all()]
    if not shared:
        raise ValueError(
            f"the models of the {records.says} share no score ({', '.join(known)}); name models "
            "that do with models= (--model)."
        )
    # A score that no model has on some samples was not asked there; it is compared by name alone.
    asked = rows.groupby("id")[[SCORE + name for name in shared]].count() > 0
    return [name for name in shared if asked[SCORE + name].all()] or shared[:1]


def _scored_samples(rows: pd.DataFrame, scores: Sequence[str]) -> pd.DataFrame:
    """The rows of samples that a score was asked of: some model has it."""
    held = rows[[SCORE + name for name in scores]].notna().any(axis=1)
    return rows[held.groupby(rows["id"]).transform("any")]


def _said(rows: pd.DataFrame) -> list[str]:
    found = [c for c in rows.columns if c == "y_pred" or c.startswith(PROBABILITY)]
    if not found:
        raise ValueError(
            "there are neither predictions nor scores; name the column of predictions with pred= "
            "(--pred COLUMN), or scores with score= (--score COLUMN)."
        )
    return found


def _with_runs(columns: Columns, table: pd.DataFrame) -> tuple[Columns, pd.DataFrame]:
    """Where samples occur in several runs: rows named by both, and samples kept together.

    Runs of one sample are not independent, so they are its cluster unless clusters were told.
    """
    if "group" in table and columns.groups != "group" and table["group"].nunique() < 2:
        # What another cluster would give cannot be known from one; its samples are all there is.
        table = table.drop(columns="group")
    if _RUN not in table or table[_RUN].nunique() < 2:
        table = table.drop(columns=_RUN, errors="ignore")
        if columns.groups is None and "group" in table:
            return replace(columns, groups="group"), table
        return columns, table.drop(columns="group", errors="ignore")
    runs = table[_RUN].astype(str)
    table = table.assign(id=table["id"].astype(str) + " run " + runs, item=table["id"])
    groups = columns.groups or ("group" if "group" in table else "item")
    table = table.drop(columns=[c for c in ("item", "group") if c in table and c != groups])
    return replace(columns, groups=groups, runs=_RUN), table


def _of_scores(
    parts: dict[str, pd.DataFrame], scores: Sequence[str], columns: Columns,
    described: dict[str, Any], *, named: bool,
) -> Predictions:  # fmt: skip
    """Predictions of scores by their names; the only one of a table needs none."""
    better = columns.greater_is_better(None if named else scores[0])
    if not named:
        given: Any = {model: column_array(part[SCORE + scores[0]]) for model, part in parts.items()}
    else:
        given = {
            model: {name: column_array(part[SCORE + name]) for name in scores}
            for model, part in parts.items()
        }
    return Predictions.from_scores(
        given, greater_is_better=better, bounds=columns.bounds, **described
    )


def _of_labels(
    parts: dict[str, pd.DataFrame], columns: Columns, described: dict[str, Any]
) -> Predictions:
    """Predictions of labels, probabilities, values or texts."""
    holders = {model: part for model, part in parts.items() if "y_true" in part.columns}
    if not holders:
        raise ValueError(
            f"no file has the column {columns.true or 'y_true'!r}; name the column of true labels "
            "with true= (--true COLUMN)."
        )
    check_same(holders, ["y_true"], "the files of {} and {} disagree on {} for {}")
    headings = {model: _headings(part) for model, part in parts.items()}
    said = {model: _column(model, parts[model]) for model, found in headings.items() if not found}
    truth = column_array(next(iter(holders.values()))["y_true"])
    truth, *same = cell_types.alike([truth, *said.values()])
    outputs = dict(zip(said, same, strict=True))
    shared = common_headings({model: found for model, found in headings.items() if found})
    headed = [heading.removeprefix(PROBABILITY) for heading in shared]
    labels = columns.told_labels(cell_types.typed_labels(headed, truth) if shared else None, truth)
    for model in parts.keys() - said.keys():
        outputs[model] = parts[model][shared].to_numpy(dtype=np.float64)
        _check_likeliest(model, parts[model], outputs[model], headed)
    return Predictions(
        truth, {model: outputs[model] for model in parts}, kind=columns.kind, labels=labels,
        normalize=columns.normalize, **described,
    )  # fmt: skip


def _settled(
    parts: dict[str, pd.DataFrame], columns: Columns, true: str | None
) -> dict[str, pd.DataFrame]:
    """Aligned parts without missing results, in the way that was asked for."""
    used = {model: _used(part, true) for model, part in parts.items()}
    empty = {model: part[used[model]].isna() for model, part in parts.items()}
    bad = np.any([found.any(axis=1).to_numpy() for found in empty.values()], axis=0)
    if not bad.any():
        return parts
    if columns.missing == "drop":
        what = f"left out {int(bad.sum()):,} of {len(bad):,} samples with missing cells."
        warnings.warn(what, DataWarning, stacklevel=4)
        return {model: part.loc[~bad] for model, part in parts.items()}
    if columns.missing == "worst":
        return _with_stand_ins(parts, columns, true)
    for group in ([true], ["y_pred"], None):
        for model, part in parts.items():
            wanted = [c for c in used[model] if group is None or c in group]
            where = f"the file of model {model!r}"
            plain = part[wanted].rename(columns=lambda name: name.removeprefix(SCORE))
            refuse_missing(plain.reset_index(drop=True), list(plain.columns), where)
    return parts


def _with_stand_ins(
    parts: dict[str, pd.DataFrame], columns: Columns, true: str | None
) -> dict[str, pd.DataFrame]:
    """Parts whose missing results count as the worst or the best."""
    truth = None
    if true is not None:
        holder = next((part for part in parts.values() if true in part), None)
        truth = None if holder is None else holder[true]
    said = {m: [c for c in _used(p, None) if c != true] for m, p in parts.items()}
    found = dict(parts)
    for column in dict.fromkeys(c for each in said.values() for c in each):
        holders = {model: parts[model][column] for model in parts if column in said[model]}
        score = column.removeprefix(SCORE) if column.startswith(SCORE) else None
        for model, series in filled(holders, truth, columns, score).items():
            found[model] = found[model].assign(**{column: series})
    return found


def _used(part: pd.DataFrame, true: str | None) -> list[str]:
    said = [column for column in (true, "y_pred") if column in part.columns]
    return [*map(str, said), *[c for c in part.columns if c.startswith((PROBABILITY, SCORE))]]


def _headings(part: pd.DataFrame) -> list[str]:
    return [column for column in part.columns if column.startswith(PROBABILITY)]


def _check_likeliest(
    model: str, frame: pd.DataFrame, probabilities: AnyArray, labels: Sequence[str]
) -> None:
    """A label beside probabilities is the likeliest one, or two answers were given."""
    if "y_pred" not in frame.columns:
        return
    place = {label: code for code, label in enumerate(labels)}
    said = np.array([place.get(str(label), -1) for label in frame["y_pred"]])
    chosen = probabilities[np.arange(len(said)), said]
    other = (said < 0) | (chosen < probabilities.max(axis=1))
    what = f"the file of model {model!r} has a y_pred that is not the likeliest class"
    refuse_rows(other, what, "keep y_pred or the prob: columns")


def _column(model: str, frame: pd.DataFrame) -> AnyArray:
    """The column of a model's labels, values or scores."""
    if "y_pred" not in frame.columns:
        raise ValueError(
            f"the file of model {model!r} has neither y_pred nor prob:class columns; it has "
            f"{', '.join(map(str, frame.columns[:5]))}."
        )
    return column_array(frame["y_pred"])
