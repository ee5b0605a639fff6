"""Files, folders and tables of several test sets -> Predictions by the names of the sets."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from modelcompare.arguments import ColumnRoles, checked
from modelcompare.data.kinds import check_kind
from modelcompare.data.predictions import Predictions
from modelcompare.readers import checked_columns, read_predictions
from modelcompare.readers.content import File
from modelcompare.readers.contents import content_of_files, known_content
from modelcompare.readers.messages import ROLES, SEVERAL
from modelcompare.readers.opening import all_opened
from modelcompare.readers.options import Columns
from modelcompare.readers.places import Source
from modelcompare.readers.reading import Reading, record_predictions
from modelcompare.readers.records import Records, names_in, part_of
from modelcompare.readers.test_sets import Content, WideSets
from modelcompare.spelling import chosen

_EACH_A_SET = (
    "Or, as each file has several models and is a test set: compare on all with `modelcompare "
    "groups`, or decide on all with `modelcompare gate --rule mean:-MARGIN`."
)


@checked(read_predictions, columns=ColumnRoles(ROLES, SEVERAL), kind=check_kind)
def read_sets(source: Source | Sequence[Source] | Any, **options: Any) -> dict[str, Predictions]:
    """Read the predictions of the same models on several test sets.

    Parameters
    ----------
    source : path, sequence of paths, or DataFrame
        Files with all models (or a folder of them), each a test set named after its file; one or
        several folders, in which a folder is a model and a file a test set; logs and tables that
        name the set.
    **options
        As for `read_predictions`.

    Returns
    -------
    dict of str to Predictions
        By the names of the sets.

    Raises
    ------
    ValueError
        If the source has only one test set, or something does not fit.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({
    ...     "model": ["a", "a", "b", "b"] * 2, "task": ["x"] * 4 + ["y"] * 4,
    ...     "item": [1, 2] * 4, "score": [0.0, 1, 1, 1, 1, 0, 0, 1],
    ... })
    >>> {name: len(preds) for name, preds in read_sets(frame).items()}
    {'x': 2, 'y': 2}
    """
    found = readings_of_sets(source, checked_columns(**options))
    return {name: reading.predictions for name, reading in found.items()}


def readings_of_sets(source: Any, columns: Columns) -> dict[str, Reading]:
    """Read each test set of a source, by name."""
    with all_opened(source) as files:
        try:
            whole, flaw = _whole_sets(files, columns), ""
        except ValueError as error:
            if columns.models and _are_sets(files, columns):
                raise
            whole, flaw = None, f" Read as a test set in each file: {error}"
        if whole is not None:
            return whole
        try:
            content = content_of_files(files, columns)
        except ValueError as error:
            raise (ValueError(f"{error}{flaw}") if flaw else error) from None
    return _of_content(content, columns)


def _whole_sets(files: Sequence[File], columns: Columns) -> dict[str, Reading] | None:
    """Read files that have all models each, so that a file is a test set; None for others."""
    if len(files) < 2 or not all(file.name and file.set is file.run is None for file in files):
        return None
    found: dict[str, Reading] = {}
    known: list[str] = []
    several = False
    for file in files:
        models = _models_of(file, columns)
        # A set may lack some of the models asked for.
        own = tuple(m for m in models if any(fnmatchcase(m, x) for x in columns.models or ()))
        alone = _whole_set(file, replace(columns, models=own) if own else columns)
        if alone is None:
            return None
        found[file.model] = alone
        known += models
        several |= max(len(models), len(alone.predictions.models)) > 1
    # Files of one model each are of one test set.
    if not several:
        return None
    if known:
        chosen([*dict.fromkeys(known)], columns.models, "the test sets")
    return found


def _are_sets(files: Sequence[File], columns: Columns) -> bool:
    """Return whether files are a test set each, for any models asked for."""
    with suppress(ValueError):
        return _whole_sets(files, replace(columns, models=None)) is not None
    return False


def _models_of(file: File, columns: Columns) -> tuple[str, ...]:
    """Return all models of a file of one test set, if some are asked for and all can be read."""
    whole = None
    if columns.models:
        with suppress(ValueError):
            whole = _whole_set(file, replace(columns, models=None))
    return () if whole is None else whole.predictions.models


def _whole_set(file: File, columns: Columns) -> Reading | None:
    """Read a file as one test set; None for a log, or records of several sets."""
    # A file that is a test set has no name of a model.
    alone = known_content([replace(file, is_named=False)], columns)
    if isinstance(alone, Records):
        return None if "set" in alone.frame else record_predictions(alone, columns, name=file.model)
    # Files of several models are test sets, also if a column names others.
    return alone.whole(file.model) if isinstance(alone, WideSets) else alone


def _of_content(content: Content, columns: Columns) -> dict[str, Reading]:
    """Read each of several test sets, by its name."""
    sets = []
    if isinstance(content, Records):
        names_in(content, "filter", columns.filter)
        sets = names_in(content, "set")
    elif isinstance(content, WideSets):
        sets = names_in(content.names, "set")
    if isinstance(content, Reading) or len(sets) < 2:
        raise ValueError(
            "the source has only one test set; compare its models with `compare`, or in subgroups "
            "with `modelcompare groups --by COLUMN`."
        )
    if isinstance(content, WideSets):
        return _of_each(content)
    found_sets, asked = {}, columns.models
    if asked and "model" in content.frame:
        asked = (*chosen([*content.frame["model"].dropna().unique()], asked, "the test sets"),)
    for name in sets:
        part = part_of(content, "set", name)
        if asked and "model" in part.frame:
            # A set may lack some of the models.
            own = tuple(model for model in asked if (part.frame["model"] == model).any())
            columns = replace(columns, models=own or asked)
        # The filter of one set may not exist in another, which then has one filter.
        of_set = columns if len(names_in(part, "filter")) > 1 else replace(columns, filter=None)
        found_sets[name] = record_predictions(part, of_set, name=name)
    return found_sets


def _of_each(table: WideSets) -> dict[str, Reading]:
    """Read each test set of a table, by its name."""
    seen = table.seen
    lacking = seen.frame[table.column].isna()
    if lacking.any():
        raise ValueError(
            f"{seen.where}: column {table.column!r} names no test set in {lacking.sum():,} rows; "
            "name one there, or leave these rows out."
        )
    return {
        name: table.of_rows(part_of(table.names, "set", name).frame.index, name)
        for name in names_in(table.names, "set")
    }


def each_a_set(files: Sequence[File], columns: Columns) -> str | None:
    """Return the commands for files that are a test set each; None for others."""
    with suppress(ValueError):
        return None if _whole_sets(files, columns) is None else _EACH_A_SET
    return None


ADVICE = (each_a_set,)
