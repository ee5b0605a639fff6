"""Means with a judge: intervals of ppi-python and glide-py, of the labels alone, and ours.

Usage: python -m experiments.validity.beside_ppi [--trials 800] [--only REGEX] [--jobs 1]

Test sets of 2,000 answers, of which people scored 20 to 300 as 0 or 1 ("shares"), or with numbers
("numbers"); the judge is right on 0.5, 0.8 or 0.98 of the answers. Coverage at 0.95 and mean width
of prediction-powered inference with the coefficient of least variance (PPI++) of both packages, of
Wilson's interval (or Student's) of the labels alone, and of our default are written to
``results/beside_ppi.csv``. An interval that a package refuses, as all labels are equal, is counted
in a column and in no coverage. Needs ``pip install ppi-python==0.2.3 glide-py==0.10.0``; the latter
declares Python 3.12, and also runs on 3.11 (``--no-deps --ignore-requires-python``).
"""

from __future__ import annotations

import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

import modelcompare as mc
from experiments.validity.by_cell import simulate

Params = dict[str, Any]
Array = np.ndarray
Ends = tuple[float, float]
RESULTS = Path(__file__).resolve().parent / "results" / "beside_ppi.csv"
N_SAMPLES, LEVEL = 2_000, 0.95


def cells() -> list[Params]:
    """Return all families of scores, numbers of labels, judges and true means."""
    return [
        {"scores": scores, "labels": labels, "judge": judge, "mean": mean}
        for scores in ("shares", "numbers")
        for labels in (20, 50, 100, 300)
        for judge in (0.5, 0.8, 0.98)
        for mean in (0.8, 0.95)
    ]


def draw(rng: np.random.Generator, cell: Params) -> tuple[Array, Array, Array]:
    """Draw the scores of people on all answers, which of them are seen, and those of a judge."""
    people = (rng.random(N_SAMPLES) < cell["mean"]).astype(float)
    judge = np.where(rng.random(N_SAMPLES) < cell["judge"], people, 1 - people)
    if cell["scores"] == "numbers":
        people, judge = (x + 0.5 * rng.standard_normal(N_SAMPLES) for x in (people, judge))
    seen = np.zeros(N_SAMPLES, dtype=bool)
    seen[rng.permutation(N_SAMPLES)[: cell["labels"]]] = True
    return people, seen, judge


def ours(people: Array, seen: Array, judge: Array) -> Ends:
    """Return our default interval."""
    preds = mc.Predictions.from_scores(
        {"a": np.where(seen, people, np.nan)}, judge={"a": judge}, greater_is_better=True
    )
    row = mc.compare(preds).scores.iloc[0]
    return float(row["ci_low"]), float(row["ci_high"])


def alone(people: Array, seen: Array, judge: Array) -> Ends:  # noqa: ARG001
    """Return Wilson's interval of the labels, or Student's of numbers."""
    x = people[seen]
    if np.isin(x, (0, 1)).all():
        found = stats.binomtest(int(x.sum()), len(x)).proportion_ci(LEVEL, "wilson")
        return float(found.low), float(found.high)
    low, high = stats.t.interval(LEVEL, len(x) - 1, x.mean(), stats.sem(x))
    return float(low), float(high)


def ppi_python(people: Array, seen: Array, judge: Array) -> Ends:
    """Return the interval of ppi-python, with its default coefficient."""
    from ppi_py import ppi_mean_ci

    low, high = ppi_mean_ci(people[seen], judge[seen], judge[~seen], alpha=1 - LEVEL)
    return float(np.squeeze(low)), float(np.squeeze(high))


def glide(people: Array, seen: Array, judge: Array) -> Ends:
    """Return the interval of glide-py, with its default coefficient."""
    from glide.estimators import PPIMeanEstimator

    found = PPIMeanEstimator().estimate(np.where(seen, people, np.nan), judge)
    bounds = found.confidence_interval
    return float(bounds.lower_bound), float(bounds.upper_bound)


INTERVALS = {"ours": ours, "labels alone": alone, "ppi-python": ppi_python, "glide-py": glide}


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return coverage and width of each interval, a row for each."""
    rng = np.random.default_rng(zlib.crc32(str(cell).encode()))
    every: dict[str, list[Ends]] = {name: [] for name in INTERVALS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(n_trials):
            drawn = draw(rng, cell)
            for name, interval in INTERVALS.items():
                try:
                    every[name].append(interval(*drawn))
                except ValueError:
                    every[name].append((np.nan, np.nan))
    rows = []
    for name, found in every.items():
        low, high = np.array(found).T
        given = np.isfinite(low)
        covered = ((low <= cell["mean"]) & (cell["mean"] <= high))[given]
        rows.append({
            **cell, "interval": name, "trials": n_trials, "none": 1 - given.mean(),
            "covered": covered.mean(), "width": (high - low)[given].mean(),
        })  # fmt: skip
    return pd.DataFrame(rows)


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the lowest coverage and the width relative to the labels alone, by interval."""
    at = ["scores", "labels", "judge", "mean"]
    width = table.pivot(index=at, columns="interval", values="width")
    relative = width.div(width["labels alone"], axis=0)
    found = table.groupby(["scores", "interval"], sort=False)["covered"]
    shown = found.agg(["min", "median"]).add_prefix("covered, ").reset_index()
    middle = relative.groupby("scores").median().stack().rename("median relative width")
    return shown.merge(middle.reset_index())


if __name__ == "__main__":
    simulate(__doc__, cells(), simulated, verdict, RESULTS)
