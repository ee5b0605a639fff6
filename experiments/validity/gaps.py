"""Gaps of a metric between two subgroups: coverage, size, and the answer at the margin.

Usage: python -m experiments.validity.gaps [--trials 800] [--only REGEX] [--jobs 1]

Two groups, of equal or of very unequal sizes; a classifier that is right more often in the
second, or equally often. Of recall, selection rate, macro F1 and the mean absolute error of a
regression: how often the interval of the gap holds it, how often a gap is found where there is
none (0.05), how often the answer is that all gaps are within a margin that equals the gap (0.05),
and how often the interval of the worst group's value holds it. Trials with a warning are left out;
that fewer than ten samples decide in a group is a note.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import modelcompare as mc
from experiments.validity.by_cell import simulate
from experiments.validity.catalogue import cell_id

Params = dict[str, Any]
RESULTS = Path(__file__).resolve().parent / "results" / "gaps.csv"
WANTED, LARGEST = 0.935, 0.06
METRICS = ("recall", "selection_rate", "f1_macro", "mae")
# Share of right answers in the first group, and of the true class.
RIGHT, TRUE, MANY = 0.75, 0.4, 1_000_000


def cells() -> list[Params]:
    """Return all metrics, sizes of groups and gaps."""
    return [
        {"metric": metric, "first": first, "second": second, "better": better}
        for metric in METRICS
        for first, second in ((50, 50), (50, 500), (500, 500))
        for better in (0.0, 0.15)
    ]


def draw(rng: np.random.Generator, cell: Params, sizes: Sequence[int]) -> mc.Predictions:
    """Draw a test set of two groups."""
    group = np.repeat([0, 1], sizes)
    if cell["metric"] == "mae":
        error = rng.standard_normal(len(group)) * (1 - cell["better"] * group)
        return mc.Predictions(
            np.zeros(len(group)), {"a": error}, kind="values", slices={"g": group}
        )
    true = rng.random(len(group)) < TRUE
    right = rng.random(len(group)) < RIGHT + cell["better"] * group
    answer = np.where(right, true, ~true).astype(int)
    return mc.Predictions(true.astype(int), {"a": answer}, labels=[0, 1], slices={"g": group})


def asked(cell: Params, preds: mc.Predictions, **options: Any) -> Any:
    """Return the gaps of a test set."""
    of_class = 1 if cell["metric"] in ("recall", "selection_rate") else None
    return mc.diagnostics.gaps(preds, (cell["metric"], of_class), n_resamples=2, **options)


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return the row of a cell."""
    rng = np.random.default_rng(zlib.crc32(cell_id({"kind": "gaps", **cell}).encode()))
    truth = asked(cell, draw(rng, cell, (MANY, MANY)))
    gap = 0.0 if cell["better"] == 0 else truth.gaps["difference"].item()
    worst = truth.models["worst"].item()
    marks = []
    while len(marks) < n_trials:
        preds = draw(rng, cell, (cell["first"], cell["second"]))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = asked(cell, preds, margin=max(abs(gap), 1e-9))
        row, of_model = found.gaps.iloc[0], found.models.iloc[0]
        few = any(issubclass(each.category, mc.SparseDataWarning) for each in caught)
        marks.append({
            "gap": row["ci_low"] <= gap <= row["ci_high"],
            "worst": of_model["ci_low"] <= worst <= of_model["ci_high"],
            "size": row["p_value"] < 0.05, "margin": of_model["within"] == "shown", "few": few,
        })  # fmt: skip
    table = pd.DataFrame(marks)
    share = table[~table.pop("few").astype(bool)].mean()
    # Without a gap there is none that equals the margin; with one, finding it is no error.
    share["margin" if cell["better"] == 0 else "size"] = np.nan
    return pd.DataFrame([{**cell, **share, "trials": n_trials}])


def short(table: pd.DataFrame) -> pd.Series:
    """Return which rows fall short of coverage, or err more often."""
    covered = table[["gap", "worst"]].min(axis=1)
    return (covered < WANTED) | (table[["size", "margin"]].max(axis=1) > LARGEST)


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the extremes of each metric."""
    rows = [
        {"metric": metric, "cells": len(part), "lowest, gaps": part["gap"].min(),
         "worst group": part["worst"].min(), "largest, size": part["size"].max(),
         "at the margin": part["margin"].max()}
        for metric, part in table.groupby("metric", sort=False)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print the extremes."""
    simulate(__doc__, cells(), simulated, verdict, RESULTS, arguments, short)


if __name__ == "__main__":
    main()
