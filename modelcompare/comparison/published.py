"""Conversion of published tables to scores of each model, a row for each fold or data set."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.data.checks import check_columns_distinct, refuse_rows
from modelcompare.readers.names import COUNT, plain
from modelcompare.readers.tables import as_frame
from modelcompare.words import shown

# Headings that name rows, not models: a table lies on its side.
_NUMBERED = re.compile(r"(fold|split|repeat|run|data ?set|set)?[ _-]?\d+", re.IGNORECASE)


def frame_of(table: Any) -> pd.DataFrame:
    """Return a table as a frame whose column names are distinct texts."""
    if isinstance(table, Mapping) and not hasattr(table, "columns"):
        try:
            table = pd.DataFrame(dict(table))
        except ValueError:
            raise ValueError(
                "`table` must map each model to its scores, as many of each as there are rows."
            ) from None
    if not hasattr(table, "columns") or isinstance(table, str):
        raise TypeError(
            f"`table` must be a DataFrame or a mapping of models to scores, got {shown(table)}."
        )
    frame = as_frame(table).copy()
    frame.columns = pd.Index([str(column) for column in frame.columns], dtype=object)
    check_columns_distinct(frame, "`table`")
    return frame


def scores_of(frame: pd.DataFrame, rows: str) -> pd.DataFrame:
    """Return the scores of each model, as finite numbers.

    Parameters
    ----------
    frame : DataFrame
        A column for each model and nothing else.
    rows : str
        Name of a row in messages, e.g. "fold".

    Raises
    ------
    ValueError
        If there are fewer than two models or rows, or a score is missing or no number.
    """
    models = list(frame.columns)
    if len(models) < 2:
        raise ValueError(
            "`table` needs a column of scores for each of 2 models or more; it has "
            f"{', '.join(models) or 'none'}."
        )
    if all(map(_NUMBERED.fullmatch, models)):
        raise ValueError(
            f"`table` has the headings {models[0]}, {models[1]}, ..., which name no models; give a "
            f"row for each {rows} and a column for each model, table.T perhaps."
        )
    if len(frame) < 2:
        raise ValueError(f"`table` needs a row for each of 2 {rows}s or more; it has {len(frame)}.")
    scores = pd.DataFrame({model: numbers(frame[model], model) for model in models}, frame.index)
    refuse_counts(scores, rows)
    return scores


def refuse_counts(scores: pd.DataFrame, rows: str) -> None:
    """Raise for a column that counts or numbers the rows, which would be ranked as a model."""
    values = scores.to_numpy()
    whole, sizes = (values % 1 == 0).all(axis=0), np.abs(values).max(axis=0)
    if whole.all():
        return
    second, largest = np.partition(sizes, -2)[-2:]
    for place in np.flatnonzero(whole):
        name, of_others = scores.columns[place], second if sizes[place] == largest else largest
        apart = values[:, place].max() > 1 >= of_others
        if apart or plain(str(name)) in COUNT:
            raise ValueError(
                f"`table`: column {name!r} holds whole numbers and the others do not, as counts "
                f"and numbers of each {rows} do; leave it out, or if it is a model write its "
                "scores like the others'."
            )


def numbers(column: pd.Series[Any], name: str) -> FloatArray:
    """Return one column as finite numbers."""
    found = np.asarray(pd.to_numeric(column, errors="coerce"), dtype=np.float64)
    bad = ~np.isfinite(found) | (column.dtype.kind == "b")
    what = f"`table` must hold finite numbers, but column {name!r} does not"
    refuse_rows(bad, what, "leave these rows, or the column, out")
    return found
