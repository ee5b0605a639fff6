"""Records -> Predictions, with a line on how the source was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pandas as pd

from modelcompare import plugs
from modelcompare.data.described import written_classes
from modelcompare.data.predictions import Predictions
from modelcompare.data.variants import with_source
from modelcompare.directions import resolved, sentence
from modelcompare.escape import terminal
from modelcompare.readers.alignment import align, answer_key, check_same, with_truth
from modelcompare.readers.assemble import Part, predictions_of
from modelcompare.readers.cell_types import Column, as_numbers, refuse_objects
from modelcompare.readers.messages import as_options, counted
from modelcompare.readers.missing_marks import marked_missing
from modelcompare.readers.options import ITEM, OWN_RUN, Columns, column_of
from modelcompare.readers.records import PROBABILITY, SCORE, Records, chosen_part
from modelcompare.readers.tables import column_at
from modelcompare.spelling import chosen

# Names that no column of a table has; a column named run may describe the samples.
_RUN, _GROUP = " run", " group"


@dataclass(frozen=True)
class Reading:
    """Predictions, and the role that each part of the source was given."""

    predictions: Predictions
    parts: Mapping[str, str | None]

    @property
    def sentence(self) -> str:
        """The roles, and the classes: ``truth: y; models: 1 (a); classes: 0, 1 (positive: 1)``."""
        return in_one_line({**self.parts, "classes": written_classes(self.predictions)})


def in_one_line(parts: Mapping[str, str | None]) -> str:
    """Write the roles of the parts of a source."""
    return terminal("; ".join(f"{part}: {text}" for part, text in parts.items() if text))


def write_directions(names: Sequence[str | None], as_options: bool | None) -> str:
    """Write the directions of scores by name; None is a score without a name.

    Examples
    --------
    >>> write_directions(["wer", "judge"], None), write_directions([None], False)
    ('wer: lower is better, by its name, judge: direction not known', 'lower is better')
    """
    ways = {name: sentence(*resolved(name, as_options)) for name in names}
    return ", ".join(way if name is None else f"{name}: {way}" for name, way in ways.items())


def with_scores_beside(
    predictions: Predictions, parts: Sequence[Part],
    scores: Mapping[str, Mapping[str, Column]], columns: Columns,
) -> Predictions:  # fmt: skip
    """Add numbers that all models have beside their outputs, by name and model, without gaps."""
    lacking = np.any([part.gaps.any(axis=1) for part in parts], axis=0)
    kept = ~lacking | (columns.missing != "drop")
    whole = [
        name for name, own in scores.items()
        if all(np.isfinite(as_numbers(cells)[kept]).all() for cells in own.values())
    ]  # fmt: skip
    if not whole or len(predictions) != np.count_nonzero(kept):
        return predictions
    return predictions.with_scores({
        model: {name: as_numbers(scores[name][model])[kept] for name in whole}
        for model in predictions.models
    })  # fmt: skip


def record_predictions(records: Records, columns: Columns, *, name: str | None) -> Reading:
    """Make predictions from the records of one test set."""
    records = chosen_part(records, "filter", columns.filter)
    given, where = columns.greater_is_better, name or "the table"
    up = records.greater_is_better if given is None else given
    columns = replace(columns, declared=records.classes, greater_is_better=up)
    refuse_objects(records.frame["id"])
    truths, rows = answer_key(records.frame.rename(columns={"run": _RUN, "group": _GROUP}))
    if len(rows) == 0:
        raise ValueError(f"{where} names no model in any row; write which model each row is of.")
    rows = rows.assign(model=rows["model"].map(str).astype(object))
    models = chosen(list(dict.fromkeys(rows["model"])), columns.models, where)
    scores = _chosen_scores(records, rows, columns)
    rows = _scored_samples(records, rows, scores, columns)
    for changed in plugs.rows("records") if _in_runs(rows, columns) and not records.answers else ():
        rows = changed(rows, models, _RUN, columns)
    columns, table = _add_beside(records, rows, scores, columns)
    kind = "scores" if scores else columns.kind
    columns = replace(columns, kind=records.kind if kind == "auto" else kind)
    frames = {model: _rows_of(model, table, rows["model"]) for model in models}
    frames = align(frames, columns, records)
    if truths is not None and not scores:
        frames = with_truth(frames, truths, records)
    check_same(frames, records.same, of_tasks=True)
    beside = [heading for own in columns.substitutes.values() for heading in own]
    parts = marked_missing([_part(*each, beside) for each in frames.items()], columns)
    if not scores and all(part.true is None for part in parts):
        raise ValueError(
            f"no file has the column {columns.true or 'y_true'!r}; name the column of true labels "
            f"with {as_options(true='COLUMN')}."
        )
    predictions = predictions_of(
        parts, columns, written=records.written, name=name, in_rows=True,
        named_scores=records.format != "table" or records.named_scores or len(scores) > 1,
    )  # fmt: skip
    if not scores:
        predictions = with_scores_beside(predictions, parts, _varying(records, parts), columns)
    used = (*scores, *columns.beside_names, *predictions.access.scores.beside)
    unread = [name for name in records.scores if name not in used]
    called = "answers" if records.answers and ITEM in parts[0].frame else None
    predictions = with_source(predictions, called, unread)
    return Reading(predictions, _describe_parts(records, parts, scores, columns, predictions))


def _varying(records: Records, parts: Sequence[Part]) -> dict[str, dict[str, Column]]:
    """Return scores beside outputs, by name and model; not those that describe the samples."""
    found = {
        name: {model: part.frame[SCORE + name] for part in parts for model in part.outputs}
        for name in records.scores if all(SCORE + name in part.frame for part in parts)
    }  # fmt: skip
    return {
        name: own for name, own in found.items()
        if len(own) == 1 or any(not a.equals(b) for a, b in pairwise(own.values()))
    }  # fmt: skip


def _describe_parts(
    records: Records, parts: Sequence[Part], scores: Sequence[str], columns: Columns,
    predictions: Predictions,
) -> dict[str, str | None]:  # fmt: skip
    """Describe how the records were understood."""
    found = dict(records.parts)
    if columns.groups == ITEM and records.answers and "run" in found:
        found["answer"] = found.pop("run")
    if "run" in found and predictions.runs is None:
        found["run"] = f"none ({found['run']} repeats no sample)"
    lacking = {
        model: int(part.frame[part.used].isna().any(axis=1).sum())
        for part in parts
        for model in part.outputs
    }
    clusters = columns.groups and columns.groups.strip()
    runs = [part.frame[c].nunique() for part in parts for c in (_RUN, OWN_RUN) if c in part.frame]
    if runs and columns.groups == ITEM:
        what = "answers" if records.answers else "runs"
        clusters = f"the {' or '.join(map(str, dict.fromkeys(runs)))} {what} of each sample"
    if columns.runs == OWN_RUN:
        found["run"] = f"{found.get('run', 'paths')} (separate runs of the models)"
    return {
        "format": records.format if records.format != "table" else "", **found,
        "models": counted([*lacking]), "scores": ", ".join(scores),
        "scores beside": counted([*predictions.access.scores.beside]),
        "scores left out": "" if columns.score or not scores else counted(
            [name for name in records.scores if name not in {*scores, *columns.beside_names}]
        ),
        "clusters": clusters,
        **{name: ", ".join(own) for name, own in columns.substitutes.items()},
        "missing": ", ".join(f"{n:,} in {model}" for model, n in lacking.items() if n),
        "direction": write_directions(scores, columns.direction()),
    }  # fmt: skip


def _add_beside(
    records: Records, rows: pd.DataFrame, scores: Sequence[str], columns: Columns
) -> tuple[Columns, pd.DataFrame]:
    """Add the columns that describe the samples, and return the options that name them.

    A row is named by sample and run if samples occur in several. Runs of one sample are not
    independent, so they form its cluster unless clusters were named.
    """
    if columns.groups == records.id_heading == "id":
        # A sample with its runs is the cluster, even if the log names other clusters.
        rows, columns = rows.drop(columns=_GROUP, errors="ignore"), replace(columns, groups=None)
    outputs = [SCORE + score for score in scores] or [
        c for c in rows.columns if c == "y_pred" or c.startswith((PROBABILITY, SCORE))
    ]
    beside = _beside(records, columns).loc[rows.index]
    true = ["y_true"] if "y_true" in rows and not scores else []
    beside = beside.drop(columns=true, errors="ignore")  # such as groups='y_true'
    made = {"id": rows["id"]}
    in_runs, n_groups = _in_runs(rows, columns), rows[_GROUP].nunique() if _GROUP in rows else 0
    if columns.groups is None and (in_runs or n_groups > 1):
        # One cluster has no information about others; its samples are then the units.
        name, column = (_GROUP, _GROUP) if n_groups > 1 else (ITEM, "id")
        columns, made[name] = replace(columns, groups=name), rows[column]
    if in_runs:
        run = OWN_RUN if OWN_RUN in rows else _RUN
        made |= {ITEM: rows["id"], run: rows[run]}
        if columns.runs is not None or not records.answers:
            columns = replace(columns, runs=run)
        made["id"] = rows["id"].astype(str) + " run " + rows[_RUN].astype(str)
    return columns, pd.concat([pd.DataFrame(made), rows[[*true, *outputs]], beside], axis=1)


def _in_runs(rows: pd.DataFrame, columns: Columns) -> bool:
    """Return whether samples occur in several runs."""
    if _RUN not in rows or rows[_RUN].nunique() < 2:
        return False
    # A column named like a run repeats nothing if each sample has one row.
    return columns.runs is not None or bool(rows.duplicated(["model", "id"]).any())


def _rows_of(model: str, table: pd.DataFrame, models: Column) -> pd.DataFrame:
    """Return the rows of one model, without columns of other models' files."""
    part = table[(models == model).to_numpy()].reset_index(drop=True)
    return part.dropna(axis="columns", how="all").infer_objects()


def _part(model: str, frame: pd.DataFrame, substitutes: Sequence[str]) -> Part:
    """Return the outputs of one model, by the headings of records."""
    outputs: dict[str | None, str] = {None: "y_pred"} if "y_pred" in frame else {}
    outputs |= {h.removeprefix(PROBABILITY): h for h in frame if h.startswith(PROBABILITY)}
    outputs = outputs or {h.removeprefix(SCORE): h for h in frame if h.startswith(SCORE)}
    if not outputs:
        raise ValueError(
            f"the file of model {model!r} has neither y_pred nor prob:class columns; it has "
            f"{', '.join(map(str, frame.columns[:5]))}."
        )
    true = "y_true" if "y_true" in frame else None
    return Part(f"the file of model {model!r}", frame, true, {model: outputs}, substitutes)


def _beside(records: Records, columns: Columns) -> pd.DataFrame:
    """Return the named columns beside the results, and those that all models must share."""
    found = {}
    wanted = [*columns.beside_names, *records.same]
    for name in dict.fromkeys(wanted):
        if name in ("id", "y_pred") or name.startswith(PROBABILITY):
            raise ValueError(
                f"column {name!r} names the samples or has a model's outputs; name a column that "
                "describes the samples."
            )
        source = records.frame if records.beside is None else records.beside
        known = next((n for n in (name, SCORE + name) if n in records.frame), None)
        if known is None or column_at(source, name) is not None:
            found[name] = column_of(source, name, f"the {records.format}")
        else:
            found[name] = records.frame[known]
    return pd.DataFrame(found, index=records.frame.index)


def _chosen_scores(records: Records, rows: pd.DataFrame, columns: Columns) -> list[str]:
    """Return the scores to compare by: those named, or all that every model has."""
    known = [name for name in records.scores if name not in columns.beside_names]
    if columns.score:
        return chosen(known, columns.score, f"the {records.format}", "score")
    predicted = any(c == "y_pred" or c.startswith(PROBABILITY) for c in rows)
    if not known or (predicted and not columns.output_kind.scored):
        return []
    held = rows.groupby("model")[[SCORE + name for name in known]].count()
    shared = [name for name in known if (held[SCORE + name] > 0).all()]
    if not shared:
        raise ValueError(
            f"the models of the {records.format} share no score ({', '.join(known)}); name models "
            "that do with models= (--model)."
        )
    # A score that no model has on some samples was not measured there; only `score` selects it.
    scored = rows.groupby("id")[[SCORE + name for name in shared]].count() > 0
    return [name for name in shared if scored[SCORE + name].all()] or shared[:1]


def _scored_samples(
    records: Records, rows: pd.DataFrame, scores: Sequence[str], columns: Columns
) -> pd.DataFrame:
    """Return the rows of samples for which some model has one of the named scores.

    A log has scores of other tasks, which are of other samples. An empty cell of a table
    is missing.
    """
    if not columns.score or columns.substitutes or records.format == "table":
        return rows
    held = rows[[SCORE + name for name in scores]].notna().any(axis=1)
    return rows[held.groupby(rows["id"]).transform("any")]
