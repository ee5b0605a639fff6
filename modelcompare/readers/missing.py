"""Missing results: refused, left out with their samples, or counted as the worst or the best.

The best is for `bounds`, which asks what would follow if they had been good.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.data.checks import DataWarning, row_numbers
from modelcompare.data.scores import Range
from modelcompare.readers.cell_types import as_numbers, refuse_objects
from modelcompare.readers.options import Columns

_REMEDY = (
    "fill them in, drop these samples with missing='drop' (--missing drop), or count them as the "
    "worst result with missing='worst' (--missing worst)"
)


def settled(
    frame: pd.DataFrame, used: Sequence[str], true: str | None, columns: Columns, where: str
) -> pd.DataFrame:
    """A wide table without missing cells, in the way that was asked for."""
    read = list(dict.fromkeys([*([] if true is None else [true]), *used]))
    empty = frame[read].isna()
    if not empty.to_numpy().any():
        return frame
    if columns.missing == "worst":
        refuse_missing(frame, [] if true is None else [true], where)
        truth = None if true is None else frame[true]
        return frame.assign(**filled({c: frame[c] for c in used}, truth, columns))
    if columns.missing == "drop":
        bad = empty.any(axis=1).to_numpy()
        what = f"{where}: left out {int(bad.sum()):,} of {len(bad):,} rows with missing cells."
        warnings.warn(what, DataWarning, stacklevel=5)
        return frame.loc[~bad].reset_index(drop=True)
    refuse_missing(frame, read, where)
    return frame


def refuse_missing(frame: pd.DataFrame, read: Sequence[str], where: str) -> None:
    """An error that counts the missing cells by column, where there are any."""
    empty = frame[list(read)].isna()
    if not empty.to_numpy().any():
        return
    counts = empty.sum()
    parts = [f"{column} {count:,}" for column, count in counts[counts > 0].items()]
    shown = ", ".join(parts[:5]) + (", ..." if len(parts) > 5 else "")
    rows = ", ".join(map(str, row_numbers(empty.any(axis=1))[:3]))
    raise ValueError(f"{where} has missing cells ({shown}; first rows: {rows}); {_REMEDY}.")


def filled(
    outputs: Mapping[str, pd.Series[Any]], truth: pd.Series[Any] | None, columns: Columns,
    score: str | None = None,
) -> dict[str, pd.Series[Any]]:  # fmt: skip
    """Columns whose missing cells count as the worst result, or as the best, of a named score.

    Of scores that is the end of their declared range, or of 0 to 1 where all lie there; of others
    the worst, or best, that any model has; of labels a wrong one (the most frequent class that is
    not the true one), or the true one.
    """
    best = columns.as_best
    lacking = {name: column for name, column in outputs.items() if column.isna().any()}
    if truth is None:
        up = columns.greater_is_better(score) is not False
        value = _extreme(list(outputs.values()), columns.bounds, high=best == up)
        return {name: column.where(column.notna(), value) for name, column in lacking.items()}
    refuse_objects(truth)
    for name, column in lacking.items():
        if _is_soft(column, truth) or columns.kind not in ("auto", "labels"):
            raise ValueError(
                f"column {name!r} has missing results, and what the worst of them would be is "
                "known for scores and labels only; use missing='drop' (--missing drop)."
            )
    stand_in = truth if best else _wrong(truth)
    return {name: column.where(column.notna(), stand_in) for name, column in lacking.items()}


def _extreme(columns: Sequence[pd.Series[Any]], declared: Range | None, *, high: bool) -> Any:
    """The end of the scores' range, in the cells' own type: a number, or a number as written."""
    cells = pd.concat(list(columns)).dropna()
    values = as_numbers(cells)
    if np.isnan(values).any() or not len(values):
        raise ValueError("the scores hold texts; name the models with models= (--model).")
    unit = bool(((values >= 0) & (values <= 1)).all())
    end = float(high) if unit else float(values.max() if high else values.min())
    end = end if declared is None else float(declared[high])
    return str(end) if cells.dtype == object and isinstance(cells.iloc[0], str) else end


def _is_soft(column: pd.Series[Any], truth: pd.Series[Any]) -> bool:
    """Whether a column holds numbers with fractions, which are no labels."""
    values = pd.to_numeric(column.dropna(), errors="coerce")
    return bool(values.notna().all() and (values % 1 != 0).any()) and not column.isin(truth).any()


def _wrong(truth: pd.Series[Any]) -> pd.Series[Any]:
    """For each sample the most frequent class that is not its own."""
    classes = truth.value_counts().index.tolist()
    if len(classes) < 2:
        raise ValueError("there is one class only, so no label is wrong; use missing='drop'.")
    return truth.map({each: classes[1] if each == classes[0] else classes[0] for each in classes})
