"""Columns of the samples: ids, clusters, strata, runs, weights, and variables of subgroups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.data.checks import (
    check_columns_distinct,
    check_defined,
    distinct,
    frozen,
    listed,
    real_values,
    refuse_rows,
)
from modelcompare.data.inputs import as_array, columns_of
from modelcompare.plugs import require
from modelcompare.words import shown


class Made(NamedTuple):
    """A score that is computed from a source without scores, and is good if it is high."""

    name: str
    called: str  # what has a row each in such a source
    description: str


class Source(NamedTuple):
    """Names in the source of a test set."""

    called: str = "samples"  # what has a row each, such as labels or answers of items
    unread: tuple[str, ...] = ()  # columns without a role, which a metric may be mistaken for
    made: tuple[Made, ...] = ()  # scores that are computed from such a source
    pseudo: bool = False  # whether scores are pseudo-values of a fit to all rows
    decided: bool = False  # whether labels are decisions at thresholds

    @property
    def notes(self) -> tuple[str, ...]:
        """Scope of all answers, if labels are decisions at thresholds."""
        text = (
            "For these thresholds: chosen again on other data, they and the values would vary more."
        )
        return (text,) if self.decided else ()


def read_columns(n_samples: int, **columns: ArrayLike | None) -> dict[str, AnyArray | None]:
    """Check ids, clusters, strata and runs, each by itself and together."""
    found = {
        name: None if column is None else frozen(checked_column(name, column, n_samples))
        for name, column in columns.items()
    }
    check_ids(found["ids"], found["runs"])
    return nested(found)


def nested(columns: dict[str, AnyArray | None]) -> dict[str, AnyArray | None]:
    """Keep the runs of an item in one cluster, and check that each cluster is in one stratum."""
    check_plugins(columns)
    ids, groups, items = columns["ids"], columns["groups"], columns.get("items")
    if ids is not None and columns["runs"] is not None and len(pd.unique(ids)) < len(ids):
        groups = ids if groups is None else groups
        remedy = "the runs of an item are not independent, so a cluster must hold all of them"
        refuse_rows(_inconsistent(groups, ids), "`groups` split the runs of an item", remedy)
        items = ids
    if items is not None and (groups is None or _inconsistent(groups, items).any()):
        items = None
    strata = columns["strata"]
    if groups is not None and strata is not None:
        remedy = "a cluster must lie in one stratum, or it cannot be drawn whole"
        refuse_rows(_inconsistent(strata, groups), "`groups` cross `strata`", remedy)
    return {**columns, "groups": groups, "items": items}


def check_plugins(columns: Mapping[str, object]) -> None:
    """Refuse a column that only a plugin knows, which is absent; None is no column."""
    for name in (name for name, column in columns.items() if column is not None):
        require(f"`{name}`")


def split_runs(
    runs: ArrayLike | Mapping[str, ArrayLike] | None, models: Sequence[str], n_samples: int
) -> tuple[ArrayLike | None, dict[str, AnyArray]]:
    """Return the runs of all models together, and those of each model that has its own."""
    if not isinstance(runs, Mapping):
        return runs, {}
    if {*runs} != {*models}:
        raise ValueError(
            f"`runs` names the models {', '.join(map(str, runs))}, and there are "
            f"{', '.join(models)}; give the runs of each model, or one column for all."
        )
    own = {m: frozen(checked_column(f"runs[{m!r}]", runs[m], n_samples)) for m in models}
    texts = [column.astype(str).tolist() for column in own.values()]
    return [" & ".join(dict.fromkeys(row)) for row in zip(*texts, strict=True)], own


def checked_column(name: str, data: ArrayLike, n_samples: int) -> AnyArray:
    """Return a column with one value per sample, none missing."""
    array = one_each(name, data, n_samples)
    check_defined(array, f"`{name}`")
    return array


def one_each(name: str, data: ArrayLike, n_samples: int) -> AnyArray:
    """Return a column with one value per sample."""
    array = as_array(data, f"`{name}`")
    if array.shape != (n_samples,):
        raise ValueError(f"`{name}` must have shape ({n_samples},), got {array.shape}.")
    return array


def check_ids(ids: AnyArray | None, runs: AnyArray | None = None) -> None:
    """Refuse repeated ids; with several runs, ids repeated within a run."""
    if ids is None:
        return
    rows = pd.DataFrame({"id": ids, "run": runs}) if runs is not None else pd.Index(ids, ids.dtype)
    again = np.asarray(rows.duplicated())
    if again.any():
        repeated = distinct(ids[again], "`ids`")
        within = "" if runs is None else " within a run"
        raise ValueError(
            f"`ids` repeats {len(repeated):,} ids{within} ({listed(repeated)}); ids must be "
            f"distinct{within}. For clusters use `groups`, for several runs of an item `runs`."
        )


def _inconsistent(column: AnyArray, by: AnyArray) -> BoolArray:
    """Return rows that differ from the first row with the same entry of `by`."""
    group, value = pd.factorize(by)[0], pd.factorize(column)[0]
    first = np.full(group.max() + 1, -1)
    first[group[::-1]] = value[::-1]
    inconsistent: BoolArray = value != first[group]
    return inconsistent


def checked_weights(sample_weight: ArrayLike | None, n_samples: int) -> FloatArray | None:
    """Return finite, non-negative weights, not all 0."""
    if sample_weight is None:
        return None
    array = one_each("sample_weight", sample_weight, n_samples)
    values = real_values(array, "`sample_weight`")
    refuse_rows(values < 0, "`sample_weight` is negative")
    if not values.any():
        raise ValueError("`sample_weight` is 0 for every sample.")
    return frozen(values)


def slice_frame(
    slices: pd.DataFrame | Mapping[str, ArrayLike] | None, n_samples: int
) -> pd.DataFrame | None:
    """Return a new frame with one row per sample."""
    if slices is None:
        return None
    if isinstance(slices, pd.DataFrame):
        check_columns_distinct(slices, "`slices`")
    columns = columns_of(slices)
    if columns is None:
        raise TypeError(
            f"`slices` must be a DataFrame or a mapping of names to columns, got {shown(slices)}."
        )
    arrays = {name: one_each("slices", column, n_samples) for name, column in columns.items()}
    return pd.DataFrame(arrays, index=range(n_samples))


def row_positions(rows: ArrayLike, n: int) -> IntArray:
    """Return positions of some of n samples, given by a mask or by positions."""
    index = np.asarray(rows)
    if index.size == 0:
        index = index.astype(np.intp)
    if index.dtype == bool:
        if index.shape != (n,):
            raise ValueError(
                f"`rows` is a mask of shape {index.shape}, but there are {n:,} samples."
            )
        index = np.flatnonzero(index)
    if index.ndim != 1 or index.dtype.kind not in "iu":
        raise TypeError(f"`rows` must be a mask or row numbers, got {shown(rows)}.")
    if not ((-n <= index) & (index < n)).all():
        raise ValueError(f"`rows` must lie between 0 and {n - 1:,}, got {shown(rows)}.")
    return index
