"""Rows that all models have, where models have separate runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from modelcompare.data.checks import warn_of_data
from modelcompare.readers.cell_types import Column, present
from modelcompare.readers.messages import listed
from modelcompare.readers.options import OWN_RUN, Columns

# Largest number of rows of an item, in which the runs of every model are equally frequent.
_MOST_ROWS = 240
_UNNAMED = "unnamed"


def _with_run_names(rows: pd.DataFrame, run: str) -> Column:
    """Name the run of each row; a model that was trained once may have no name of its run."""
    lacking = rows[run].isna()
    if not lacking.any():
        return rows[run]
    of_model = lacking.groupby(rows["model"], sort=False)
    for model, n in of_model.sum()[of_model.any() & ~of_model.all()].items():
        raise ValueError(
            f"{n:,} rows of model {model!r} name no run, and its others do; write the run of each "
            "in its column, or leave these rows out."
        )
    return present(rows[run]).astype(str).reindex(rows.index).where(~lacking, _UNNAMED)


def with_own_runs(
    rows: pd.DataFrame, models: Sequence[str], run: str, columns: Columns
) -> pd.DataFrame:  # fmt: skip
    """Return the same number of rows of each item for all models, and every model's run in each.

    Models with 3 and 5 runs have 15 rows of an item, which repeat each run 5 or 3 times; the column
    `run` then numbers these rows. Rows remain if models share all runs, or some, and options select
    those or replace missing ones.
    """
    rows = rows.assign(**{run: _with_run_names(rows, run)})
    held = rows.groupby("model", sort=False)[run].unique()
    sets = {model: frozenset(held[model]) for model in models}
    distinct: dict[frozenset[object], str] = {}
    for model, names in sets.items():
        distinct.setdefault(names, model)
    selects = columns.ids == "intersect" or columns.missing != "refuse"
    if len(distinct) < 2 or (selects and frozenset.intersection(*distinct)):
        return rows
    n_rows = math.lcm(*map(len, distinct))
    if n_rows > _MOST_ROWS:
        counts = listed([f"{len(names)} of {model}" for names, model in distinct.items()], 5)
        raise ValueError(
            f"the models have different numbers of runs ({counts}), which would need {n_rows:,} "
            "rows of an item; give them equal numbers, or name fewer with models= (--model)."
        )
    overlaps = sum(map(len, distinct)) > len(frozenset.union(*distinct))
    if overlaps:
        warn_of_data(
            f"models {listed([*distinct.values()])} share some runs and not others; they are read "
            "as separate trainings. If runs of one name belong together, keep those that all have "
            "by ids='intersect' (--read ids=intersect).",
        )  # fmt: skip
    items, made = pd.unique(rows["id"]), []
    for model in models:
        part = rows[rows["model"] == model]
        own_runs = sorted(sets[model], key=str)
        _refuse_gaps(model, part, run, own_runs, items)
        place = part[run].map({name: place for place, name in enumerate(own_runs, start=1)})
        own = f"{distinct[sets[model]]} " + part[run].astype(str) if overlaps else part[run]
        made += [
            part.assign(**{run: (place + more).astype(str) + f" of {n_rows}", OWN_RUN: own})
            for more in range(0, n_rows, len(own_runs))
        ]
    return pd.concat(made)


def _refuse_gaps(model: str, part: pd.DataFrame, run: str, names: list[Any], items: Any) -> None:
    """Refuse a model without rows for some of its runs of an item."""
    held = {*zip(part["id"], part[run], strict=True)}
    gaps = [f"{item} in run {name}" for item in items for name in names if (item, name) not in held]
    if gaps:
        raise ValueError(
            f"model {model!r} has separate runs and lacks {len(gaps):,} results ({listed(gaps)}); "
            "each item must occur in every run of a model: add the rows, or leave out the items."
        )


RECORDS = (with_own_runs,)
