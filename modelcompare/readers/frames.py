"""Frames of any library -> tables."""

from __future__ import annotations

from typing import Any

import pandas as pd

from modelcompare.inputs import cells, flat, narwhals_of
from modelcompare.words import shown


def as_frame(source: Any) -> pd.DataFrame:
    """A pandas frame from pandas, or by narwhals from polars, pyarrow, DuckDB and others.

    Lazy frames are collected. Categories come as their labels, decimals as floats, dates as texts;
    whole numbers beside missing ones stay exact.
    """
    if isinstance(source, pd.DataFrame):
        return flat(source, "the table")
    import narwhals as nw

    found = narwhals_of(source)
    if isinstance(found, nw.DataFrame):
        return pd.DataFrame({name: cells(found[name]) for name in found.columns})
    raise TypeError(
        "`source` must be a path, several paths, or a data frame (pandas, polars, pyarrow, "
        f"DuckDB), got {shown(source)}."
    )
