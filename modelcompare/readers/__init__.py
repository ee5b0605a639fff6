"""Files, folders and frames -> Predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from modelcompare import words
from modelcompare.arguments import ColumnRoles, checked, written_out
from modelcompare.data.kinds import check_kind
from modelcompare.data.predictions import Predictions
from modelcompare.data.scores import check_range
from modelcompare.plugs import first, require
from modelcompare.readers.content import File
from modelcompare.readers.contents import content_of_files
from modelcompare.readers.messages import ROLES, SEVERAL, MissingCellsError, listed
from modelcompare.readers.opening import all_opened
from modelcompare.readers.options import Columns
from modelcompare.readers.places import Source
from modelcompare.readers.reading import Reading
from modelcompare.readers.suggestions import with_options
from modelcompare.readers.tables import refuse_short_rows
from modelcompare.readers.test_sets import (
    reading_of_one,
)
from modelcompare.words import (
    Annotators,
    FileKind,
    MissingRead,
    SameIds,
    check_choice,
    check_names,
)

__all__ = ["read_predictions"]

_COLUMNS = ColumnRoles(ROLES, SEVERAL)
_LISTS = (*SEVERAL, "models", "na", "labels")


@checked(columns=_COLUMNS, kind=check_kind)
@written_out(kinds=words.listed(FileKind))
def read_predictions(
    source: Source | Sequence[Source] | Mapping[str, Source] | Any, *,
    columns: Mapping[str, str | Sequence[str] | None] | None = None,
    models: Sequence[str] | None = None, kind: str = "auto",
    labels: Sequence[str] | None = None, positive: Any = None,
    greater_is_better: bool | None = None, bounds: tuple[float, float] | None = None,
    na: Sequence[str] | None = None, ids: SameIds = "same", missing: MissingRead = "refuse",
    normalize: bool = False,
) -> Predictions:  # fmt: skip
    """Read the predictions of any number of models on one test set.

    The role of each column follows from usual names and from its content; ambiguous columns are
    refused, with the options that settle them. A single table is wide (a column of the truth, and
    for each model a column of labels, values or texts, or one ``model:class`` of probabilities for
    each class, or ``model_class`` if models have all classes of the truth; without a truth, numbers
    are scores per example), or long (a row for each model and sample: ``model``, ``item``, and
    ``y_pred``, ``prob:CLASS`` or scores; each metric of a column ``metric`` is one). A table may
    also have the documents that models rank for queries, or the confusion matrix of one model.
    Several files have one model each; tables that agree row by row in the columns that all have,
    and differ in the others, are one table. A JSON document may have results by id. A folder has a
    file for each model, or a folder for each model with a file for each test set or run; folders
    named like runs (``1``, ``seed_1``) have a file for each model, and files named like models in
    runs (``cnn_seed1``) are these. Logs of evaluation tools are recognized by their content. An
    archive (.npz) has arrays: the truth, and each model's under its name, or ``probs__NAME``,
    ``logits__NAME``, ``pred__NAME``, ``scores__NAME``; other one-dimensional arrays become slices.
    Pickles are never loaded.

    Parameters
    ----------
    source : path, sequence of paths, mapping of model names to paths, or DataFrame
        {kinds} (also .gz), or folders of them; frames
        of pandas, polars (also lazy), pyarrow, DuckDB and other libraries that narwhals knows;
        data sets of Hugging Face, as objects or folders of ``save_to_disk``. The
        format of pipes and of ``/dev/stdin`` without a suffix is detected from the first bytes.
    columns : mapping of str to str, optional
        The column of each role, as ``{"true": "label", "groups": "user"}``; see Notes. Columns
        that are not named are found.
    models : sequence of str, optional
        Models to keep, by name or by a pattern with ``*``; all by default.
    kind
        As for `modelcompare.Predictions`. With "scores", the model columns are scores per example
        even if the table has true labels.
    labels : sequence of str, optional
        The classes in their order; by default as an archive declares them, or sorted, for any order
        of columns. Probabilities in lists are in this order; a usual mark of a missing cell among
        them is a class.
    positive : optional
        The positive one of two classes, of which single probabilities and raw scores are; as for
        `modelcompare.Predictions`.
    greater_is_better : bool, optional
        Direction of scores per example; by default that which their name implies (``wer``,
        ``val_loss``), if it does.
    bounds : (float, float), optional
        Lowest and highest possible score per example.
    na : sequence of str, optional
        Marks of a missing cell; by default ``NA``, ``NaN``, ``null``, ``None``, ``-`` and the like,
        which are refused as ambiguous among true labels, clusters or strata: ``na=[""]`` makes them
        classes. An empty cell is always missing, except that it is an answer if ``kind="texts"``.
    ids : {"same", "intersect"}
        Treatment of files with different samples: refuse them, or keep the common samples.
    missing : {"refuse", "drop", "worst"}
        Treatment of missing results: refuse them, drop the samples that any model lacks, or count
        them as the worst result; samples that a file lacks are included unless ``ids="intersect"``
        leaves them out.
    normalize
        As for `modelcompare.Predictions`.

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    ValueError
        If a file is empty, damaged, of an unknown kind, or its columns do not fit.

    Warns
    -----
    DataWarning
        If samples were left out, with their number.

    Notes
    -----
    The roles of `columns` are:

    - ``true``, ``id``: the truth and the samples' names. By default the truth is found by its name
      (``y_true``, ``label``, ``gold``, ``target``), or by a name such as ``answer`` if models give
      the same values; the id by its name (``id``, ``item``, ``image``), whose values must be
      distinct unless ``groups`` or ``runs`` are given, or by its values: distinct texts, numbers of
      the rows, or, in tables of one model per row, those that every model has once, of one column
      or of several together. ``date+place`` names two columns as one; names with dots reach into
      objects.
    - ``groups``, ``strata``, ``runs``, ``weight``: clusters, strata, repetitions and sample
      weights; repetitions are found by their name (``run``, ``seed``, ``epoch``) in tables of one
      model per row, and in wide ones next to ids that repeat. Those of a sample are one cluster.
      Models with other runs than the first have separate runs.
    - ``judge``: a judge's label of each sample, where people labelled some only: the truth is empty
      on the others. Of scores, a pattern such as ``"{model}.judge"`` for the judge's scores of each
      model, whose own column has scores by people, empty where there are none; in a long table, the
      column of the judge's score of each answer.
    - ``label_weight``: the inverse of the known probability with which a sample was labelled.
    - ``annotators``: the use of labels by several people, whose columns ``true`` names by a pattern
      (``"ann*"``); they may have labelled different items. With "each", the default, each label is
      compared with, the labels of an item are one cluster, and items count the same: values are
      those of an annotator drawn at random, for any number of annotators, and intervals contain
      their disagreement. "soft" takes the shares of the labels as a distribution; values of counts
      are the same. "majority" takes the most frequent label; values then depend on the number of
      annotators, and ties are refused, or dropped with ``missing="drop"``.
    - ``event``: 1 if the event was seen at the time in ``true``, 0 if the sample was censored.
      Columns ``time`` and ``event`` are found, where there is no other truth.
    - ``pred``, ``model``: in tables of one model per row, its output, and its name.
    - ``slices``: columns that define subgroups.
    - ``score``: scores to read from logs and long tables, by default all that every model has; or
      the columns of a table that has scores of one model.
    - ``set``: the test set to read, if the source has several (a column ``set``, ``task``,
      ``dataset``); `modelcompare.io.read_sets` reads them all.
    - ``filter``: of several results for one sample (filters of a log), the one to read. Of a column
      ``metric`` each is a score, unless one is named.
    - ``battles``: two models that met and the winner, as ``("model_a", "model_b", "winner")``,
      which are found by these names; see `from_battles`. The users, whose battles are a cluster,
      are ``groups``.

    Labels, ids, clusters and slices of csv and tsv stay texts, ``01`` and ``1e3`` too; a column
    becomes integers if all its cells are integers in canonical form, or labels such as ``1.000``
    beside such integers. True and False are 1 and 0 as scores. Labels with a fraction are values
    of a regression unless ``kind="labels"``. Integers that are compared with texts become texts.
    Lists of probabilities (``[0.2, 0.8]``) are in the order of `labels`, or of the codes 0, 1, ...
    if the true labels are such codes. A csv without commas in its header is separated by
    semicolons or tabs.
    Secondary columns of a model (``bert_conf`` beside ``bert``), texts without any value of the
    truth, and 0 and 1 under names of properties (``is_weekend``) are left out. Blanks around
    headings belong to no name. Files without ids have the same samples in one order if their
    truths agree row by row.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y_true": ["no", "yes"], "cnn": ["no", "no"], "bow": ["yes", "yes"]})
    >>> read_predictions(frame).models
    ('cnn', 'bow')
    """
    options = checked_columns(
        columns, models=models, kind=kind, labels=labels, positive=positive,
        greater_is_better=greater_is_better, bounds=bounds, na=na, ids=ids, missing=missing,
        normalize=normalize,
    )  # fmt: skip
    return read(source, options).predictions


def checked_columns(columns: Mapping[str, Any] | None = None, **options: Any) -> Columns:
    """Check columns by their roles, and options of reading that are no choices."""
    every = {**(columns or {}), **options}
    given = {name: value for name, value in every.items() if value is not None}
    for name, value in given.items():
        # Commands give defaults too.
        if value != getattr(Columns, name, None):
            require(f"`{name}`")
        if name in _LISTS:
            one = name == "score" and isinstance(value, str)
            given[name] = (value,) if one else check_names(name, value)
    check_choice("annotators", given.get("annotators", "each"), Annotators)
    if "bounds" in given:
        given["bounds"] = check_range(given["bounds"])
    if "positive" in given:
        given["positive"] = str(given["positive"])
    return Columns(**given)


def read(source: Any, columns: Columns) -> Reading:
    """Read one test set, and describe how it was read."""
    with all_opened(source) as files:
        name = listed([*dict.fromkeys(file.name for file in files)]) or None
        try:
            return _of_files(files, columns, name)
        except ValueError as error:
            if isinstance(error, MissingCellsError):
                refuse_short_rows(files)
            if advice := first("advice", files, columns):
                raise ValueError(f"{error} {advice}") from None
            better = with_options(error, files, columns, partial(_of_files, files, name=name))
            if better is error:
                raise
            raise better from None


def _of_files(files: Sequence[File], columns: Columns, name: str | None) -> Reading:
    """Read one test set from open files."""
    return reading_of_one(content_of_files(files, columns), columns, name)
