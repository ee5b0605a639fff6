"""Each model's rows in one order, by the samples' ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from modelcompare.data.checks import warn_of_data
from modelcompare.readers import cell_types
from modelcompare.readers.cell_types import Column, column_array
from modelcompare.readers.messages import as_options, listed
from modelcompare.readers.options import Columns
from modelcompare.readers.records import PROBABILITY, SCORE, Records

# The rows of each model.
Frames: TypeAlias = dict[str, pd.DataFrame]


def answer_key(frame: pd.DataFrame) -> tuple[pd.DataFrame | None, pd.DataFrame]:
    """Split records into the truth from rows without a model, and the rows of models."""
    of_none = frame["model"].isna()
    if not of_none.any():
        return None, frame
    if "y_true" not in frame:
        raise ValueError(
            f"rows that name no model: {of_none.sum():,} ({listed(frame['id'][of_none])}); write "
            "which model each is of, or leave them out."
        )
    truths = frame.loc[of_none, ["id", "y_true"]]
    if truths["id"].duplicated().any():
        truths = truths.groupby("id", sort=False)["y_true"].agg(tuple).reset_index()
    return truths, frame[~of_none]


def with_truth(aligned: Frames, truths: pd.DataFrame, records: Records) -> Frames:
    """Add the truth of an answer key to each model's rows."""
    key = truths.set_axis(ids_of(truths["id"], records.written))["y_true"]
    first = next(iter(aligned.values()))
    absent = first.index[~first.index.isin(key.index)]
    if len(absent):
        raise ValueError(
            f"the {records.format} has no truth for {len(absent):,} ids ({listed(absent)})."
        )
    return {model: part.assign(y_true=key.loc[part.index]) for model, part in aligned.items()}


def align(parts: Frames, columns: Columns, records: Records) -> Frames:
    """Index each model's rows by id, all in the order of the first model's."""
    for model, part in parts.items():
        # A column without any id was dropped before.
        absent = int(part["id"].isna().sum()) if "id" in part else len(part)
        if absent:
            raise ValueError(f"the file of model {model!r} lacks {absent:,} ids.")
    found = [ids_of(part["id"], records.written).to_numpy() for part in parts.values()]
    indexed = {}
    for (model, part), array in zip(parts.items(), cell_types.same_types(found), strict=True):
        index = pd.Index(array, dtype=array.dtype, name="id")
        repeated = index[index.duplicated()].unique()
        if len(repeated):
            of_table = (
                "each sample must occur once, or once in each run (--read run=COLUMN); number "
                "repeated answers of one model in a column attempt"
            )
            remedy = of_table if records.format == "table" else "keep one result of each sample"
            raise ValueError(
                f"the file of model {model!r} repeats {len(repeated):,} ids ({listed(repeated)}); "
                f"{remedy}."
            )
        indexed[model] = part.drop(columns="id").set_axis(index)
    if columns.missing == "worst" and columns.ids != "intersect":
        return _with_all_ids(indexed)
    first_model, first = next(iter(indexed.items()))
    common = first.index[np.all([first.index.isin(p.index) for p in indexed.values()], axis=0)]
    if columns.missing == "refuse" and columns.ids != "intersect":
        for model, part in indexed.items():
            _refuse_difference(first_model, first.index, model, part.index, len(common))
    if len(common) == 0:
        raise ValueError("the files have no id in common; name the column of ids with id (--id).")
    left_out = {model: len(part) - len(common) for model, part in indexed.items()}
    if any(left_out.values()):
        counts = ", ".join(f"{n:,} of {model}" for model, n in left_out.items() if n)
        warn_of_data(f"kept the {len(common):,} ids that all files share; left out {counts}.")
    return {model: part.loc[common] for model, part in indexed.items()}


def ids_of(column: Column, written: bool) -> pd.Index[Any]:
    """Return sample names as an index; texts of whole numbers become numbers."""
    column = column if written else column.infer_objects()
    array = cell_types.names(column.to_numpy(object)) if written else column_array(column)
    return pd.Index(array, dtype=array.dtype, name="id")


def _with_all_ids(parts: Frames) -> Frames:
    """Give every model the ids of all: its absent results are missing, the rest is shared."""
    every = pd.Index(dict.fromkeys(i for part in parts.values() for i in part.index), name="id")
    united = {model: part.reindex(every) for model, part in parts.items()}
    for model, part in united.items():
        for column in part.columns:
            if column == "y_pred" or column.startswith((PROBABILITY, SCORE)):
                continue
            for other in united.values():
                if column in other:
                    part[column] = part[column].where(part[column].notna(), other[column])
        united[model] = part
    return united


def _refuse_difference(
    first_model: str, first: pd.Index[Any], model: str, found: pd.Index[Any], n_common: int
) -> None:
    missing, extra = first[~first.isin(found)], found[~found.isin(first)]
    parts = []
    if len(missing):
        parts.append(f"lacks {len(missing):,} ids of {first_model!r} ({listed(missing)})")
    if len(extra):
        parts.append(f"has {len(extra):,} ids that {first_model!r} lacks ({listed(extra)})")
    if not parts:
        return
    remedy = f"keep the {n_common:,} common ids with ids='intersect' (--read ids=intersect)"
    if not n_common:
        remedy = (
            "they have no id in common: name the column of ids with "
            f"{as_options(id='COLUMN')}, or write the ids of all files in the same way"
        )
    raise ValueError(f"the file of model {model!r} {' and '.join(parts)}; {remedy}.")


def check_same(frames: Frames, names: Sequence[str], *, of_tasks: bool = False) -> None:
    """Refuse frames whose cells disagree for the same samples.

    Logs `of_tasks` disagree only where both have a cell.
    """
    of_logs = "the logs of {} and {} are of different tasks: they"
    what = of_logs if of_tasks else "the files of {} and {}"
    for name in names:
        holders = {model: frame for model, frame in frames.items() if name in frame.columns}
        if len(holders) < 2:
            continue
        cells = cell_types.same_types([frame[name].to_numpy() for frame in holders.values()])
        pairs = zip(holders, cells, strict=True)
        first_model, first = next(pairs)
        for model, found in pairs:
            differs = np.asarray(first != found, dtype=bool)
            absent = pd.isna(first), pd.isna(found)
            differs &= ~(absent[0] | absent[1] if of_tasks else absent[0] & absent[1])
            if differs.any():
                where = holders[model].index[np.flatnonzero(differs)]
                raise ValueError(
                    f"{what.format(repr(first_model), repr(model))} disagree on {name.strip()} for "
                    f"{len(where):,} ids ({listed(where)})."
                )
