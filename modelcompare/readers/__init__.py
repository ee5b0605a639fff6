"""Files, folders and frames -> Predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from modelcompare.predictions import Predictions
from modelcompare.readers.aligned import record_predictions
from modelcompare.readers.arrays import read_arrays
from modelcompare.readers.asked import Columns
from modelcompare.readers.content import Content
from modelcompare.readers.formats import format_of
from modelcompare.readers.formats.base import Opened
from modelcompare.readers.frames import as_frame
from modelcompare.readers.gathered import (
    gathered,
    heading,
    named,
    of_model,
    one_set,
    part_of,
    records_of,
)
from modelcompare.readers.long import table_records
from modelcompare.readers.opening import opened
from modelcompare.readers.roles import find_roles
from modelcompare.readers.said import Reading
from modelcompare.readers.sources import Place, Source, places
from modelcompare.readers.tables import Table
from modelcompare.readers.wide import wide_predictions
from modelcompare.words import (
    KindOrAuto,
    MissingResults,
    SameIds,
    check_choice,
    check_flag,
    check_names,
    check_text,
)

__all__ = ["read_predictions", "read_sets"]

# A row for each kind of file that holds all models, and no table; tables stand in `TABLES`, logs in
# `FORMATS`.
WHOLE: dict[str, Callable[[Content, Columns], Reading]] = {"npz": read_arrays}


def read_predictions(
    source: Source | Sequence[Source] | Mapping[str, Source] | Any, *, true: str | None = None,
    id: str | None = None, groups: str | None = None, strata: str | None = None,
    runs: str | None = None, weight: str | None = None, pred: str | None = None,
    model_column: str | None = None, slices: Sequence[str] = (),
    models: Sequence[str] | None = None, scores: bool = False, lower_is_better: bool = False,
    score: str | Sequence[str] | None = None, set: str | None = None, filter: str | None = None,
    na: Sequence[str] | None = None, ids: SameIds = "same", missing: MissingResults = "refuse",
    normalize: bool = False, kind: KindOrAuto = "auto",
) -> Predictions:  # fmt: skip
    """Read the predictions of any number of models on one test set.

    A single file or frame is wide: a column of true labels, and for each model a column of labels
    or one column ``model:class`` of probabilities for each class. Without a column of true labels,
    numeric columns are scores per example. An ``.npz`` file holds ``y_true``, optionally
    ``labels`` or ``class_names``, ``ids`` or ``uid``, ``groups``, and an array for each model
    under its name, or ``probs__NAME``, ``logits__NAME``, ``pred__NAME``, ``scores__NAME``; other
    one-dimensional arrays become slices. Several files hold one model each, named by the file:
    ``id``, ``y_true``, ``y_pred`` and/or ``prob:class`` columns, or logs of
    lm-evaluation-harness; they are aligned by id. Pickles are never loaded.

    Parameters
    ----------
    source : path, sequence of paths, mapping of model names to paths, or DataFrame
        csv, tsv (also .gz), parquet, jsonl or npz; frames of pandas, polars (also lazy), pyarrow,
        DuckDB and whatever else narwhals knows. Pipes and ``/dev/stdin``
        without a suffix tell their kind by their first bytes.
    true, id, groups, strata, runs, weight : str, optional
        Names of columns. By default ``y_true`` and, if its values are distinct, the first of
        ``id``, ``uid``, ``doc_id``, ``seg_id``, ``sample_id``.
    slices : sequence of str
        Columns by which to look at subgroups.
    models : sequence of str, optional
        Models to keep; all by default.
    scores : bool
        The model columns are scores per example even though there is a column of true labels.
    lower_is_better : bool
        Low scores per example are good.
    score : str, optional
        Field of the score in logs of lm-evaluation-harness; acc or exact_match by default.
    ids : {"same", "intersect"}
        What to do where files hold different samples: refuse, or keep the common ones.
    missing : {"raise", "drop"}
        What to do with missing cells: refuse, or drop the rows that any model lacks.
    normalize, kind
        As for Predictions.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a file is empty, damaged, of an unknown kind, or its columns do not fit.

    Warns
    -----
    DataWarning
        If samples were left out, with their number.

    Notes
    -----
    Cells of csv and tsv stay the texts that they are, ``01``, ``1e3`` and ``NA`` too, where they
    are labels, ids, clusters or slices; they become integers if every cell of the column is one
    that would be written the same again. Labels with a fraction are values of a regression unless
    ``kind="labels"``. An empty cell is missing, but an answer if ``kind="texts"``. Integers become
    texts where they are compared with texts.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y_true": ["no", "yes"], "cnn": ["no", "no"], "bow": ["yes", "yes"]})
    >>> read_predictions(frame).models
    ('cnn', 'bow')
    """
    columns = asked(
        true=true, id=id, groups=groups, strata=strata, runs=runs, weight=weight, pred=pred,
        model_column=model_column, slices=slices, models=models, scores=scores,
        lower_is_better=lower_is_better, score=score, set=set, filter=filter, na=na,
        missing=missing, normalize=normalize, kind=kind,
    )  # fmt: skip
    check_choice("ids", ids, SameIds)
    return read(source, columns, ids).predictions


def read_sets(source: Source | Sequence[Source] | Any, **options: Any) -> dict[str, Predictions]:
    """Read the predictions of the same models on several test sets.

    Parameters
    ----------
    source : path, sequence of paths, or DataFrame
        Files that hold all models, each a test set named by its file; a folder, or several, of
        which a folder is a model and a file a test set; logs and tables that name the set.
    **options
        As for `read_predictions`.

    Returns
    -------
    dict of str to Predictions
        By the names of the sets.

    Raises
    ------
    ValueError
        If there is only one test set, or something does not fit.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({
    ...     "model": ["a", "a", "b", "b"] * 2, "task": ["x"] * 4 + ["y"] * 4,
    ...     "item": [1, 2] * 4, "score": [0.0, 1, 1, 1, 1, 0, 0, 1],
    ... })
    >>> {name: preds.n_samples for name, preds in read_sets(frame).items()}
    {'x': 2, 'y': 2}
    """
    ids = options.pop("ids", "same")
    columns = asked(**options)
    check_choice("ids", ids, SameIds)
    return {
        name: found.predictions for name, found in readings_of_sets(source, columns, ids).items()
    }


def asked(**said: Any) -> Columns:
    """What was said of a source, checked."""
    for option in (
        "true", "id", "groups", "strata", "runs", "weight", "pred", "model_column", "set", "filter",
    ):  # fmt: skip
        check_text(option, said.get(option), optional=True)
    for option in ("scores", "lower_is_better"):
        check_flag(option, said.get(option, False))
    score = said.get("score")
    if isinstance(score, str):
        score = (score,)
    said["score"] = () if score is None else check_names("score", score)
    said["slices"] = check_names("slices", said.get("slices", ()))
    for option in ("models", "na"):
        if said.get(option) is not None:
            said[option] = check_names(option, said[option])
    check_choice("missing", said.get("missing", "refuse"), MissingResults)
    check_choice("kind", said.get("kind", "auto"), KindOrAuto)
    return Columns(**said)


def read(source: Any, columns: Columns, ids: SameIds = "same") -> Reading:
    """Read one test set, and say what was understood."""
    found = places(source)
    if ids == "intersect" and (found is None or len(found) == 1):
        raise ValueError(
            "ids='intersect' (--ids intersect) keeps what several files share, but there is one; "
            "leave it out."
        )
    if found is None:
        return _read_table(Table(as_frame(source)), columns, ids, name=None, stem="model")
    if len(found) == 1 and not isinstance(source, Mapping):
        return _read_alone(found[0], columns, ids)
    records = one_set(gathered(found, columns), columns)
    return record_predictions(records, columns, ids, name=heading(found))


def readings_of_sets(source: Any, columns: Columns, ids: SameIds = "same") -> dict[str, Reading]:
    """Read every test set of a source by its name."""
    found = places(source)
    files = None if found is None else [(place, opened(place.path)) for place in found]
    if files is not None and not any(place.in_folder for place, _ in files):
        alone = {place.model: _whole(file, columns) for place, file in files}
        if all(alone.values()):
            return {name: reading for name, reading in alone.items() if reading is not None}
    if found is None:
        records = records_of(Table(as_frame(source)), columns, "the table", alone=True)
    else:
        records = gathered(found, columns)
    if "set" not in records.frame or records.frame["set"].nunique() < 2:
        raise ValueError("there is one test set only; compare its models with `compare`.")
    return {
        str(name): record_predictions(part_of(records, name), columns, ids, name=str(name))
        for name in dict.fromkeys(records.frame["set"].dropna())
    }


def _whole(file: Opened, columns: Columns) -> Reading | None:
    """What a file that holds all models of one test set says; None if it is of another kind."""
    if file.kind in WHOLE:
        return WHOLE[file.kind](file.payload, columns)
    if not isinstance(file.payload, Table) or format_of(file) is not None:
        return None
    table = named(file.payload, columns, file.name)
    roles = find_roles(table, columns, file.name, alone=True)
    if roles.layout != "wide":
        return None
    return wide_predictions(table, columns, roles, name=file.name)


def _read_alone(place: Place, columns: Columns, ids: SameIds) -> Reading:
    """What is in a single file."""
    file = opened(place.path)
    if file.kind in WHOLE:
        return WHOLE[file.kind](file.payload, columns)
    if isinstance(file.payload, Table) and format_of(file) is None:
        return _read_table(file.payload, columns, ids, name=file.name, stem=place.model)
    records = one_set(gathered([place], columns), columns)
    return record_predictions(records, columns, ids, name=file.name)


def _read_table(
    table: Table, columns: Columns, ids: SameIds, *, name: str | None, stem: str
) -> Reading:
    """What is in a table that stands alone: wide, long, or of one model."""
    where = name or "the table"
    table = named(table, columns, where)
    roles = find_roles(table, columns, where, alone=True)
    if roles.layout == "wide":
        return wide_predictions(table, columns, roles, name=name)
    records = one_set(of_model(table_records(table, roles, columns), stem), columns)
    return record_predictions(records, columns, ids, name=name)
