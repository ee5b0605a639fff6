"""Files and frames -> Predictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from modelcompare.predictions import Predictions
from modelcompare.readers.arrays import read_arrays
from modelcompare.readers.columns import Columns, frame_predictions
from modelcompare.readers.content import Content, content, file_stem
from modelcompare.readers.per_model import is_harness_log, one_table_per_model
from modelcompare.readers.tables import Table, as_frame, read_table, table_of
from modelcompare.words import (
    KindOrAuto,
    Missing,
    SameIds,
    check_choice,
    check_flag,
    check_names,
    check_text,
    shown,
)

__all__ = ["read_predictions", "read_sets"]

Source = str | PathLike[str]

# A row for each kind of file that holds all models, and no table; the tables stand in `TABLES`.
WHOLE: dict[str, Callable[[Content, Columns], Predictions]] = {"npz": read_arrays}


def read_predictions(
    source: Source | Sequence[Source] | Mapping[str, Source] | Any, *, true: str | None = None,
    id: str | None = None, groups: str | None = None, strata: str | None = None,
    runs: str | None = None, weight: str | None = None, slices: Sequence[str] = (),
    models: Sequence[str] | None = None, scores: bool = False, lower_is_better: bool = False,
    score: str | None = None, ids: SameIds = "same", missing: Missing = "raise",
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
        csv, tsv (also .gz), parquet, jsonl or npz; pandas or polars. Pipes and ``/dev/stdin``
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
    for option, column in {
        "true": true, "id": id, "groups": groups, "strata": strata, "runs": runs, "weight": weight,
        "score": score,
    }.items():  # fmt: skip
        check_text(option, column, optional=True)
    check_flag("scores", scores)
    check_flag("lower_is_better", lower_is_better)
    columns = Columns(
        true=true, id=id, groups=groups, strata=strata, runs=runs, weight=weight,
        slices=check_names("slices", slices),
        models=None if models is None else check_names("models", models),
        scores=scores, lower_is_better=lower_is_better, score=score, missing=missing,
        normalize=normalize, kind=kind,
    )  # fmt: skip
    check_choice("ids", ids, SameIds)
    check_choice("missing", missing, Missing)
    check_choice("kind", kind, KindOrAuto)
    paths = _paths(source)
    if paths is None or len(paths) == 1:
        if ids == "intersect":
            raise ValueError(
                "ids='intersect' (--ids intersect) keeps what several files share, but there is "
                "one; leave it out."
            )
        if paths is None:
            return frame_predictions(Table(as_frame(source)), columns, name=None)
    if len(paths) == 1 and not isinstance(source, Mapping):
        return _read_file(next(iter(paths.values())), columns)
    tables = {model: read_table(path) for model, path in paths.items()}
    return one_table_per_model(tables, [path.name for path in paths.values()], columns, ids)


def read_sets(sources: Sequence[Source], **columns: Any) -> dict[str, Predictions]:
    """Read several test sets of the same models, a file each.

    Parameters
    ----------
    sources : sequence of paths
        Files that `read_predictions` reads; a test set is named like its file.
    **columns
        Options of `read_predictions`, for all files.

    Raises
    ------
    ValueError
        If two files have the same name.
    """
    _check_paths(sources)
    stems = [file_stem(Path(source)) for source in sources]
    if repeated := [stem for stem, count in Counter(stems).items() if count > 1]:
        raise ValueError(
            f"several files are named {repeated[0]!r}, so their test sets would be too; rename one."
        )
    return {
        stem: read_predictions(source, **columns)
        for stem, source in zip(stems, sources, strict=True)
    }


def _paths(source: Any) -> dict[str, Path] | None:
    """The files named, by the models that they would hold alone; None for a frame."""
    if isinstance(source, str | PathLike):
        return {"": Path(source)}
    if isinstance(source, Mapping) and not hasattr(source, "columns"):
        _check_paths(list(source.values()))
        return {str(name): Path(path) for name, path in source.items()}
    if isinstance(source, Sequence) and not isinstance(source, bytes):
        _check_paths(source)
        return _by_stem([Path(path) for path in source])
    return None


def _check_paths(paths: Sequence[Any]) -> None:
    if not paths:
        raise ValueError("no file named; give at least one.")
    for path in paths:
        if not isinstance(path, str | PathLike):
            raise TypeError(f"`source` must name files by their paths, got {shown(path)}.")


def _read_file(path: Path, columns: Columns) -> Predictions:
    opened = content(path)
    read = WHOLE.get(opened.kind)
    if read is not None:
        return read(opened, columns)
    table = table_of(opened)
    # The table of one model has its labels under y_pred, or probabilities under prob:class.
    names = [str(column) for column in table.frame.columns]
    of_one = "y_pred" in names or any(name.startswith("prob:") for name in names)
    if of_one or is_harness_log(table.frame):
        return one_table_per_model({file_stem(path): table}, [path.name], columns, "same")
    return frame_predictions(table, columns, name=path.name)


def _by_stem(paths: Sequence[Path]) -> dict[str, Path]:
    stems = [file_stem(path) for path in paths]
    repeated = [stem for stem, count in Counter(stems).items() if count > 1]
    if repeated:
        raise ValueError(
            f"several files are named {repeated[0]!r}, so their models would be too; rename one, "
            "or pass a mapping of model names to files."
        )
    return dict(zip(stems, paths, strict=True))
