"""Tables and records -> Predictions, and how the source was understood, in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.data.predictions import Predictions
from modelcompare.directions import resolved, sentence
from modelcompare.readers.alignment import align, answer_key, check_same, ids_of, with_truth
from modelcompare.readers.assemble import Part, marked_missing, missing_results, predictions_of
from modelcompare.readers.cell_types import refuse_objects
from modelcompare.readers.column_roles import Roles
from modelcompare.readers.messages import counted
from modelcompare.readers.options import Columns, refuse_column
from modelcompare.readers.profile import Profile
from modelcompare.readers.records import PROBABILITY, SCORE, Records, chosen_part
from modelcompare.readers.tables import nested
from modelcompare.spelling import chosen, meant
from modelcompare.words import KindOrAuto

# Names that no column has, which may be called run and describe the samples.
_RUN, _GROUP, _ITEM = " run", " group", " item"


@dataclass(frozen=True)
class Reading:
    """Predictions, and which part of the source was taken for what."""

    predictions: Predictions
    parts: Mapping[str, str | None]

    @property
    def sentence(self) -> str:
        """The parts that there are, in one line: ``truth: label; id: image; models: 2 (a, b)``."""
        return in_one_line(self.parts)


def in_one_line(parts: Mapping[str, str | None]) -> str:
    """Write out which part of a source was taken for what."""
    return "; ".join(f"{part}: {text}" for part, text in parts.items() if text)


def directed(names: Sequence[str | None], told: bool | None) -> str:
    """Directions of scores, by their names; None stands for one without a name.

    Examples
    --------
    >>> directed(["wer", "judge"], None), directed([None], False)
    ('wer: lower is better, by its name, judge: higher is better, by default', 'lower is better')
    """
    ways = {name: sentence(*resolved(name, told)) for name in names}
    return ", ".join(way if name is None else f"{name}: {way}" for name, way in ways.items())


def wide_predictions(
    seen: Profile, roles: Roles, *, name: str | None, known: AnyArray | None = None
) -> Reading:
    """Predictions from a table in which each model has columns of its own.

    The classes are those `known`, in the order of the probabilities, where the table is a part of
    more rows; else those of its headings and cells.
    """
    columns, true = seen.columns, roles.true
    needed = [*([] if true is None else [true]), *roles.used]
    frame = seen.frame[[*dict.fromkeys([*needed, *columns.beside_names])]]
    if roles.id is not None:
        frame = frame.set_axis(ids_of(seen.frame[roles.id], seen.written))
    columns = columns if true is not None else replace(columns, kind="scores")
    (part,) = parts = marked_missing([Part(seen.where, frame, true, roles.outputs)], columns)
    lacking = part.cells.isna().sum()
    predictions = predictions_of(parts, columns, written=seen.written, name=name, known=known)
    return Reading(
        predictions.with_missing(missing_results(parts, columns, predictions)),
        {
            "truth": true or "none (scores)", "id": roles.id, "models": counted([*roles.outputs]),
            "missing": ", ".join(f"{n:,} in {column}" for column, n in lacking.items() if n),
            "left out": counted(roles.left_out),
            "direction": directed([None] * (true is None), columns.told_better),
        },
    )  # fmt: skip


def table_records(seen: Profile, roles: Roles) -> Records:
    """The records of a table whose roles are known; without a column of ids, rows are numbered."""
    frame = seen.frame
    found = {
        "model": roles.model, "set": roles.set, "run": roles.run, "filter": roles.filter,
        "id": roles.id, "y_true": roles.true,
    }  # fmt: skip
    made = {to: frame[heading] for to, heading in found.items() if heading is not None}
    if roles.id is None:
        made["id"] = pd.Series([*map(str, range(len(frame)))], index=frame.index, dtype=object)
    prefix = SCORE if roles.scored else PROBABILITY
    for what, heading in roles.outputs[""].items():
        made["y_pred" if what is None else prefix + what] = frame[heading]
    parts = {
        "truth": roles.true, "id": roles.id, "model": roles.model, "set": roles.set,
        "run": roles.run, "scores" if roles.scored else "predictions": ", ".join(roles.used),
    }  # fmt: skip
    return Records(
        frame=pd.DataFrame(made), beside=frame, written=seen.written,
        kind="scores" if roles.scored else seen.columns.kind, says="table",
        parts={part: f"column {heading}" for part, heading in parts.items() if heading},
    )  # fmt: skip


def record_predictions(records: Records, columns: Columns, *, name: str | None) -> Reading:
    """Predictions from the records of one test set."""
    records = chosen_part(records, "filter", columns.filter)
    refuse_objects(records.frame["id"])
    truths, rows = answer_key(records.frame.rename(columns={"run": _RUN, "group": _GROUP}))
    if len(rows) == 0:
        where = name or "the table"
        raise ValueError(f"{where} names no model in any row; write which model each row is of.")
    rows = rows.assign(model=rows["model"].map(str).astype(object))
    models = chosen(list(dict.fromkeys(rows["model"])), columns.models, name or "the table")
    scores = _chosen_scores(records, rows, columns)
    rows = _scored_samples(rows, scores) if columns.score else rows
    columns, table = _described(records, rows, scores, columns)
    kind: KindOrAuto = "scores" if scores else columns.kind
    columns = replace(columns, kind=records.kind if kind == "auto" else kind)
    frames = {model: _rows_of(model, table, rows["model"]) for model in models}
    frames = align(frames, columns, records)
    if truths is not None and not scores:
        frames = with_truth(frames, truths, records)
    check_same(frames, records.same, of_tasks=True)
    parts = marked_missing([_part(*each) for each in frames.items()], columns)
    if not scores and all(part.true is None for part in parts):
        raise ValueError(
            f"no file has the column {columns.true or 'y_true'!r}; name the column of true labels "
            "with true= (--true COLUMN)."
        )
    predictions = predictions_of(
        parts, columns, written=records.written, name=name, in_rows=True,
        named_scores=records.says != "table" or len(scores) > 1,
    )  # fmt: skip
    said = _understood(records, parts, scores, columns, predictions)
    missing = missing_results(parts, columns, predictions)
    return Reading(predictions.with_missing(missing), said)


def _understood(
    records: Records, parts: Sequence[Part], scores: Sequence[str], columns: Columns,
    predictions: Predictions,
) -> dict[str, str | None]:  # fmt: skip
    """Describe how the records were understood."""
    found = dict(records.parts)
    if "run" in found and predictions.runs is None:
        found["run"] = f"none ({found['run']} repeats no sample)"
    lacking = {
        model: int(part.frame[part.used].isna().any(axis=1).sum())
        for part in parts
        for model in part.outputs
    }
    runs, clusters = parts[0].frame.get(_RUN), columns.groups and columns.groups.strip()
    of_runs = runs is not None and columns.groups == _ITEM
    return {
        "format": records.says if records.says != "table" else "", **found,
        "models": counted([*lacking]), "scores": ", ".join(scores),
        "clusters": f"the {runs.nunique()} runs of each sample" if of_runs else clusters,
        "missing": ", ".join(f"{n:,} in {model}" for model, n in lacking.items() if n),
        "direction": directed(scores, columns.told_better),
    }  # fmt: skip


def _described(
    records: Records, rows: pd.DataFrame, scores: Sequence[str], columns: Columns
) -> tuple[Columns, pd.DataFrame]:
    """Results with the columns that describe the samples, and what was said of these.

    A row is named by sample and run where samples occur in several. Runs of one sample are not
    independent, so they are its cluster unless clusters were told.
    """
    if columns.groups == "id" and records.parts.get("id", "column id") == "column id":
        # A sample, with its runs, is the cluster, whatever clusters a log names itself.
        rows, columns = rows.drop(columns=_GROUP, errors="ignore"), replace(columns, groups=None)
    outputs = [SCORE + score for score in scores] or [
        c for c in rows.columns if c == "y_pred" or c.startswith(PROBABILITY)
    ]
    if not outputs:
        raise ValueError(
            "there are neither predictions nor scores; name the column of predictions with pred= "
            "(--read pred=COLUMN), or scores with score= (--read score=COLUMN)."
        )
    beside = _beside(records, columns).loc[rows.index]
    true = ["y_true"] if "y_true" in rows and not scores else []
    made = {"id": rows["id"]}
    n_runs, n_groups = (rows[c].nunique() if c in rows else 0 for c in (_RUN, _GROUP))
    # A column named like a repetition, of which each sample has one, repeats nothing.
    in_runs = n_runs > 1 and (columns.runs is not None or rows.duplicated(["model", "id"]).any())
    if columns.groups is None and (in_runs or n_groups > 1):
        # What another cluster would give cannot be known from one; its samples are all there is.
        name, column = (_GROUP, _GROUP) if n_groups > 1 else (_ITEM, "id")
        columns, made[name] = replace(columns, groups=name), rows[column]
    if in_runs:
        columns, made[_RUN] = replace(columns, runs=_RUN), rows[_RUN]
        made["id"] = rows["id"].astype(str) + " run " + rows[_RUN].astype(str)
    return columns, pd.concat([pd.DataFrame(made), rows[[*true, *outputs]], beside], axis=1)


def _rows_of(model: str, table: pd.DataFrame, models: pd.Series[Any]) -> pd.DataFrame:
    """The rows of one model, without columns that only other models' files have."""
    part = table[(models == model).to_numpy()].reset_index(drop=True)
    return part.dropna(axis="columns", how="all").infer_objects()


def _part(model: str, frame: pd.DataFrame) -> Part:
    """Outputs of one model, by the headings of records."""
    outputs: dict[str | None, str] = {None: "y_pred"} if "y_pred" in frame else {}
    for heading in frame.columns:
        for prefix in (PROBABILITY, SCORE):
            if heading.startswith(prefix):
                outputs[heading.removeprefix(prefix)] = heading
    if not outputs:
        raise ValueError(
            f"the file of model {model!r} has neither y_pred nor prob:class columns; it has "
            f"{', '.join(map(str, frame.columns[:5]))}."
        )
    true = "y_true" if "y_true" in frame else None
    return Part(f"the file of model {model!r}", frame, true, {model: outputs})


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
