"""Files, folders and frames -> Predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any

import pandas as pd

from modelcompare import words
from modelcompare.arguments import check_arguments, checked
from modelcompare.data.predictions import Predictions
from modelcompare.data.scores import check_range
from modelcompare.readers.arrays import read_arrays
from modelcompare.readers.column_roles import with_roles
from modelcompare.readers.content import File
from modelcompare.readers.formats import format_of
from modelcompare.readers.many_files import gathered
from modelcompare.readers.messages import listed
from modelcompare.readers.opening import all_opened
from modelcompare.readers.options import ROLES, Columns
from modelcompare.readers.places import Source
from modelcompare.readers.reading import (
    Reading,
    record_predictions,
    table_records,
    wide_predictions,
)
from modelcompare.readers.records import Records, chosen_part, names_in, part_of
from modelcompare.words import (
    FileKind,
    KindOrAuto,
    MissingResults,
    SameIds,
    check_choice,
    check_flag,
    check_names,
    check_text,
    written_out,
)

__all__ = ["read_predictions", "read_sets"]

_LISTS = ("models", "score", "na", "labels")
_CHECKS: dict[str, Callable[[str, Any], None]] = {
    **dict.fromkeys((*ROLES, "set", "filter"), partial(check_text, optional=True)),
    "scores": check_flag,
    "lower_is_better": partial(check_flag, optional=True),
    "ids": partial(check_choice, choices=SameIds),
    "missing": partial(check_choice, choices=MissingResults),
    "kind": partial(check_choice, choices=KindOrAuto),
}


@checked()
@written_out(kinds=words.listed(FileKind))
def read_predictions(
    source: Source | Sequence[Source] | Mapping[str, Source] | Any, *, true: str | None = None,
    id: str | None = None, groups: str | None = None, strata: str | None = None,
    runs: str | None = None, weight: str | None = None, pred: str | None = None,
    model_column: str | None = None, slices: Sequence[str] = (),
    models: Sequence[str] | None = None, scores: bool = False,
    lower_is_better: bool | None = None, bounds: tuple[float, float] | None = None,
    score: str | Sequence[str] | None = None, set: str | None = None, filter: str | None = None,
    na: Sequence[str] | None = None, ids: SameIds = "same", missing: MissingResults = "refuse",
    normalize: bool = False, kind: KindOrAuto = "auto", labels: Sequence[str] | None = None,
) -> Predictions:  # fmt: skip
    """Read the predictions of any number of models on one test set.

    Which column is what is found by usual names and by what the columns hold; what that leaves
    open is refused, with the options that settle it. A single table is wide (a column of the
    truth, and for each model a column of labels, values or texts, or one ``model:class`` of
    probabilities for each class; without a truth, numbers are scores per example), or long (a row
    for each model and sample: ``model``, ``item``, and ``y_pred``, ``prob:CLASS`` or scores).
    Several files hold one model each. A folder holds a file for each model, or a folder for each
    model with a file for each test set or run; folders named like runs (``1``, ``seed_1``) hold a
    file for each model. Logs of evaluation tools are known by what they hold. An archive (.npz)
    holds arrays: the truth, and each model's under its name, or ``probs__NAME``,
    ``logits__NAME``, ``pred__NAME``, ``scores__NAME``; others of one dimension become slices.
    Pickles are never loaded.

    Parameters
    ----------
    source : path, sequence of paths, mapping of model names to paths, or DataFrame
        {kinds} (also .gz), or folders of them; frames
        of pandas, polars (also lazy), pyarrow, DuckDB and whatever else narwhals knows. Pipes and
        ``/dev/stdin`` without a suffix tell their kind by their first bytes.
    true, id : str, optional
        Columns of the truth and of the samples' names. By default found: the truth by its name
        (``y_true``, ``label``, ``gold``, ``target``), or by a name such as ``answer`` if models
        say the same things; the id by its name (``id``, ``item``, ``image``) if its values differ,
        or as texts that all differ. Names with dots reach into objects.
    groups, strata, runs, weight : str, optional
        Columns of clusters, strata, repetitions and sample weights; repetitions are found by their
        name (``run``, ``seed``, ``epoch``) in tables of one model a row, and are clusters then.
    pred, model_column : str, optional
        Where each row is of one model: the column of what it gave, and of the model's name.
    slices : sequence of str
        Columns by which to look at subgroups.
    models : sequence of str, optional
        Models to keep, by name or by a pattern with ``*``; all by default.
    scores : bool
        The model columns are scores per example even though there is a column of true labels.
    lower_is_better : bool, optional
        Whether low scores per example are good; by default what the name of a score says (``wer``,
        ``val_loss``), and not where it says nothing.
    bounds : (float, float), optional
        Lowest and highest possible score per example.
    score : str or sequence of str, optional
        Scores to read from logs and long tables; all that every model has by default.
    set : str, optional
        The test set to read, where there are several; `read_sets` reads them all.
    filter : str, optional
        Of several results for one sample (filters of a log, a column ``metric``), the one to read.
    na : sequence of str, optional
        How a missing cell is written; by default ``NA``, ``NaN``, ``null``, ``None``, ``-`` and
        the like, which are asked about where they stand among true labels, clusters or strata:
        ``na=[""]`` makes them classes. An empty cell is missing whatever is told, but an answer if
        ``kind="texts"``.
    ids : {"same", "intersect"}
        What to do where files hold different samples: refuse, or keep the common ones.
    missing : {"refuse", "drop", "worst"}
        What to do with missing results: refuse, drop the samples that any model lacks, or count
        them as the worst result, among them the samples that a file lacks unless
        ``ids="intersect"`` leaves these out.
    normalize, kind
        As for `modelcompare.Predictions`.
    labels : sequence of str, optional
        The classes, in the order of probabilities that stand in lists; a usual mark of a missing
        cell among them is a class.

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
    Cells of csv and tsv stay the texts that they are, ``01`` and ``1e3`` too, where they are
    labels, ids, clusters or slices; they become integers if every cell of the column is one that
    would be written the same again, and True and False are 1 and 0 where they are scores. Labels
    with a fraction are values of a regression unless ``kind="labels"``. Integers become texts where
    they are compared with texts. Lists of probabilities (``[0.2, 0.8]``) are those of `labels`, or
    of the codes 0, 1, ... that the true labels are. A csv without commas in its header is parted
    by semicolons or tabs.
    Columns beside a model's own (``bert_conf`` beside ``bert``) and texts that say nothing of what
    the truth says are left out. Files without ids are of the same samples in one order where they
    hold the same truth row by row.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y_true": ["no", "yes"], "cnn": ["no", "no"], "bow": ["yes", "yes"]})
    >>> read_predictions(frame).models
    ('cnn', 'bow')
    """
    columns = checked_columns(
        true=true, id=id, groups=groups, strata=strata, runs=runs, weight=weight, pred=pred,
        model_column=model_column, slices=slices, models=models, scores=scores,
        lower_is_better=lower_is_better, bounds=bounds, score=score, set=set, filter=filter, na=na,
        ids=ids, missing=missing, normalize=normalize, kind=kind, labels=labels,
    )  # fmt: skip
    return read(source, columns).predictions


@checked(read_predictions)
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
    found = readings_of_sets(source, checked_columns(**options))
    return {name: reading.predictions for name, reading in found.items()}


def checked_columns(**said: Any) -> Columns:
    """Check what was said of a source."""
    check_arguments("read_predictions", [field.name for field in fields(Columns)], said)
    for option, value in said.items():
        if option in _CHECKS:
            _CHECKS[option](option, value)
        elif option == "slices" or (option in _LISTS and value is not None):
            one = option == "score" and isinstance(value, str)
            said[option] = (value,) if one else check_names(option, value)
    if said.get("bounds") is not None:
        said["bounds"] = check_range(said["bounds"])
    return Columns(**{**said, "score": said.get("score") or ()})


def read(source: Any, columns: Columns) -> Reading:
    """Read one test set, and say what was understood."""
    with all_opened(source) as files:
        name = listed([*dict.fromkeys(file.name for file in files)]) or None
        held = _together(files, columns)
    if isinstance(held, Reading):
        return held
    return record_predictions(chosen_part(held, "set", columns.set), columns, name=name)


def readings_of_sets(source: Any, columns: Columns) -> dict[str, Reading]:
    """Read every test set of a source by its name."""
    with all_opened(source) as files:
        if all(file.name and not file.in_folder for file in files):
            alone = {file.model: _alone(file, columns) for file in files}
            whole = {name: each for name, each in alone.items() if isinstance(each, Reading)}
            if len(whole) == len(files):
                return whole
        held = _together(files, columns)
    sets = []
    if isinstance(held, Records):
        names_in(held, "filter", columns.filter)
        sets = names_in(held, "set")
    if isinstance(held, Reading) or len(sets) < 2:
        raise ValueError("there is one test set only; compare its models with `compare`.")
    found_sets = {}
    for name in sets:
        part = part_of(held, "set", name)
        # A filter of one set's answers may be none of another's, which has nothing to choose.
        of_set = columns if len(names_in(part, "filter")) > 1 else replace(columns, filter=None)
        found_sets[name] = record_predictions(part, of_set, name=name)
    return found_sets


def _together(files: Sequence[File], columns: Columns) -> Reading | Records:
    """Read what one file says that stands alone, or what several say together."""
    is_alone = len(files) == 1 and not files[0].is_named
    return (_alone(files[0], columns) if is_alone else None) or gathered(files, columns)


def _alone(file: File, columns: Columns) -> Reading | Records | None:
    """Read a file that may hold all models: predictions side by side, or records; None of a log."""
    if file.kind == "npz":
        return read_arrays(file, columns)
    if not isinstance(file.payload, pd.DataFrame) or format_of(file) is not None:
        return None
    name = file.name or None
    seen, roles = with_roles(file, columns, name or "the table", alone=True)
    if roles.wide:
        return wide_predictions(seen, roles, name=name)
    records = table_records(seen, roles)
    if "model" in records.frame:
        return records
    return replace(records, frame=records.frame.assign(model=file.model))
