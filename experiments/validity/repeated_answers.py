"""Metrics of repeated answers: coverage and size where items have several answers.

Usage: python -m experiments.validity.repeated_answers [--trials 800] [--only REGEX] [--jobs 1]

Test sets of 20 and 164 items with 10 answers of 0 or 1 each. An item's rate is drawn from a beta
distribution, or is exactly 0 or 1, so that the true pass@k, pass^k and majority of k over all items
are known. Two models have correlated rates, of one distribution ("equal") or of two ("better").
Coverage at 0.95 of the score of the first model and of the difference, the share of trials that
miss the true value and warn of nothing, the share of p-values below 0.05, and that of trials with a
warning of few items are written to ``results/repeated_answers.csv``; the lowest and the highest are
printed.
"""

from __future__ import annotations

import argparse
import re
import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy import stats

import modelcompare as mc
from experiments.validity.catalogue import cell_id
from experiments.validity.results import markdown
from modelcompare.report.writers.files import write_text

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "repeated_answers.csv"
WANTED, LARGEST = 0.935, 0.06
ANSWERS, K = 10, 5
METRICS = ("pass_at_1", "pass_at_5", "pass_hat_5", "majority_of_5")
# Shares of items that always fail, and that always pass; beta distribution of the others' rates.
WORLDS = {
    "hard": (0.0, 0.0, 0.3, 3.0),
    "even": (0.0, 0.0, 1.0, 1.0),
    "easy": (0.0, 0.0, 3.0, 0.3),
    "half never": (0.5, 0.0, 1.0, 3.0),
    "ends": (0.45, 0.45, 1.0, 1.0),
    "nearly all": (0.0, 0.9, 1.0, 1.0),
}
# What the second model has where it is better.
BETTER = {
    "hard": (0.0, 0.0, 0.5, 3.0),
    "even": (0.0, 0.0, 1.5, 1.0),
    "easy": (0.0, 0.0, 4.0, 0.3),
    "half never": (0.35, 0.0, 1.0, 3.0),
    "ends": (0.35, 0.55, 1.0, 1.0),
    "nearly all": (0.0, 0.95, 1.0, 1.0),
}
# Correlation of the normal numbers behind the two models' rates.
SAME_ITEMS = 0.8


def cells() -> list[Params]:
    """Return all worlds, numbers of items, and pairs of models."""
    return [
        {"items": items, "rates": rates, "models": models}
        for items in (20, 164)
        for rates in WORLDS
        for models in ("equal", "better")
    ]


def truth(world: tuple[float, float, float, float], metric: str) -> float:
    """Return the mean over all items of the chance that enough of k answers pass."""
    never, always, *shape = world
    k = 1 if metric == "pass_at_1" else K
    enough = {"pass_hat_5": K, "majority_of_5": K // 2 + 1}.get(metric, 1)
    others = stats.betabinom(k, *shape).sf(enough - 1)
    return float(always + (1 - never - always) * others)


def draw(rng: np.random.Generator, cell: Params) -> dict[str, Array]:
    """Draw the answers of two models, each of shape (n_items, n_answers)."""
    n, second = cell["items"], BETTER if cell["models"] == "better" else WORLDS
    common, own = rng.standard_normal(n), rng.standard_normal((2, n))
    levels = stats.norm.cdf(np.sqrt(SAME_ITEMS) * common + np.sqrt(1 - SAME_ITEMS) * own)
    found = {}
    for name, level, worlds in zip("ab", levels, (WORLDS, second), strict=True):
        never, always, *shape = worlds[cell["rates"]]
        inside = np.clip((level - never) / (1 - never - always), 0.0, 1.0)
        rate = stats.beta.ppf(inside, *shape)
        found[name] = (rng.random((n, ANSWERS)) < rate[:, None]).astype(float)
    return found


def trial(rng: np.random.Generator, cell: Params) -> dict[tuple[str, str], float]:
    """Return whether each interval covers, whether p is below 0.05, and warnings, by metric."""
    n, second = cell["items"], BETTER if cell["models"] == "better" else WORLDS
    scores = {model: x.ravel() for model, x in draw(rng, cell).items()}
    preds = mc.Predictions.from_scores(
        scores, groups=np.repeat(np.arange(n), ANSWERS), greater_is_better=True
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = mc.compare(preds, METRICS, n_resamples=499, rng=int(rng.integers(2**31)))
    warned = " ".join(str(each.message) for each in caught)
    rows = result.scores[result.scores["model"] == "a"].set_index("metric")
    found = {}
    for metric, difference in result.differences.set_index("metric").iterrows():
        a, b = (truth(worlds[cell["rates"]], metric) for worlds in (WORLDS, second))
        for what, row, true in (("score", rows.loc[metric], a), ("difference", difference, a - b)):
            covers = row["ci_low"] - 1e-12 <= true <= row["ci_high"] + 1e-12
            found[metric, f"covered, {what}"] = covers
            found[metric, f"missed unwarned, {what}"] = not covers and metric not in warned
            found[metric, f"width, {what}"] = row["ci_high"] - row["ci_low"]
        found[metric, "p below 0.05"] = difference["p_value"] < 0.05
        found[metric, "warned"] = metric in warned
    return found


def run_cell(cell: Params, n_trials: int, seed: int) -> pd.DataFrame:
    """Return the means over trials: a row for each metric."""
    rng = np.random.default_rng(seed)
    trials = [trial(rng, cell) for _ in range(n_trials)]
    columns = pd.MultiIndex.from_tuples(trials[0])
    means = np.mean([[*each.values()] for each in trials], axis=0)
    found = pd.Series(means, columns).unstack(sort=False)
    found.insert(0, "trials", n_trials)
    return found.rename_axis("metric").reset_index()


def short(table: pd.DataFrame, models: str) -> pd.Series:
    """Return which rows fall short: of coverage without a warning, or of size."""
    missed = table[["missed unwarned, score", "missed unwarned, difference"]].max(axis=1)
    return (missed > 1 - WANTED) | ((table["p below 0.05"] > LARGEST) & (models == "equal"))


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return a cell's rows of the table: of five times as many trials where one falls short."""
    seed = zlib.crc32(cell_id({"kind": "repeated_answers", **cell}).encode())
    found = run_cell(cell, n_trials, seed)
    if short(found, cell["models"]).any():
        found = run_cell(cell, 5 * n_trials, seed)
    return pd.DataFrame([cell] * len(found)).join(found)


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the lowest coverage and the highest size by metric and number of items."""
    rows = {}
    for (items, metric), part in table.groupby(["items", "metric"], sort=False):
        equal = part[part["models"] == "equal"]
        worst = part.loc[part["covered, score"].idxmin()]
        rows[f"{metric}, {items} items"] = {
            "cells": str(len(part)), "lowest, score": worst["covered, score"],
            "where": worst["rates"], "lowest, difference": part["covered, difference"].min(),
            "most missed unwarned":
                part[["missed unwarned, score", "missed unwarned, difference"]].max(axis=None),
            "highest size": equal["p below 0.05"].max(), "warned": part["warned"].max(),
        }  # fmt: skip
    return pd.DataFrame.from_dict(rows, orient="index")


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print the lowest coverage and highest size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=800, help="of a cell; 5 times if it is short")
    parser.add_argument("--only", default="", help="regular expression of a cell's values")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    chosen = [c for c in cells() if re.search(options.only, " ".join(map(str, c.values())))]
    if not chosen:
        parser.error(f"--only {options.only!r} fits no cell.")
    tasks = (delayed(simulated)(cell, options.trials) for cell in chosen)
    parts = []
    for part in Parallel(n_jobs=options.jobs, return_as="generator")(tasks):
        parts.append(part)
        table = pd.concat(parts, ignore_index=True)
        write_text(options.output, table.to_csv(index=False, float_format="%.5g"))
    print(markdown(verdict(table)))


if __name__ == "__main__":
    main()
