"""Metrics of repeated answers: coverage, and size of the default test.

Usage: python -m experiments.validity.repeated_answers [--trials 800] [--only REGEX] [--jobs 1]

Test sets of 20 and 164 items with 10 answers of 0 or 1 each. An item's rate is drawn from a beta
distribution, or is exactly 0 or 1, so that the true pass@k, pass^k and majority of k over all items
are known. Two models have correlated rates, of one distribution ("equal") or of two ("better").
Coverage at 0.95 of the first model's score and of the difference, their mean widths, and of equal
models the share of p-values below 0.05, are written to ``results/repeated_answers.csv``; the lowest
and the highest are printed.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

import modelcompare as mc
from experiments.validity.by_cell import simulate
from experiments.validity.catalogue import cell_id

Params = dict[str, Any]
Array = np.ndarray
World = tuple[float, float, float, float]
RESULTS = Path(__file__).resolve().parent / "results" / "repeated_answers.csv"
WANTED, LARGEST, LEVEL = 0.935, 0.06, 0.95
# Test sets whose models are models of one call.
AT_ONCE = 100
ANSWERS, K = 10, 5
METRICS = ("pass_at_1", "pass_at_5", "pass_hat_5", "majority_of_5")
# Shares of items that always fail, and that always pass; beta distribution of the others' rates.
WORLDS: dict[str, World] = {
    "hard": (0.0, 0.0, 0.3, 3.0),
    "even": (0.0, 0.0, 1.0, 1.0),
    "easy": (0.0, 0.0, 3.0, 0.3),
    "half never": (0.5, 0.0, 1.0, 3.0),
    "ends": (0.45, 0.45, 1.0, 1.0),
    "nearly all": (0.0, 0.9, 1.0, 1.0),
}
# The second model's, where it is better.
BETTER: dict[str, World] = {
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
    """Return all numbers of items, distributions of rates, and pairs of models."""
    return [
        {"items": items, "rates": rates, "models": models}
        for items in (20, 164)
        for rates in WORLDS
        for models in ("equal", "better")
    ]


def worlds(cell: Params) -> tuple[World, World]:
    """Return the distributions of the two models' rates."""
    second = BETTER if cell["models"] == "better" else WORLDS
    return WORLDS[cell["rates"]], second[cell["rates"]]


def truth(world: World, metric: str) -> float:
    """Return the mean over all items of the chance that enough of k answers pass."""
    never, always, *shape = world
    k = 1 if metric == "pass_at_1" else K
    enough = {"pass_hat_5": K, "majority_of_5": K // 2 + 1}.get(metric, 1)
    others = stats.betabinom(k, *shape).sf(enough - 1)
    return float(always + (1 - never - always) * others)


def draw(rng: np.random.Generator, cell: Params, n_trials: int) -> list[Array]:
    """Draw the answers of two models, each of shape (n_trials, n_items, n_answers)."""
    shape = n_trials, cell["items"]
    common, own = rng.standard_normal(shape), rng.standard_normal((2, *shape))
    levels = stats.norm.cdf(np.sqrt(SAME_ITEMS) * common + np.sqrt(1 - SAME_ITEMS) * own)
    found = []
    for level, (never, always, *others) in zip(levels, worlds(cell), strict=True):
        inside = np.clip((level - never) / (1 - never - always), 0.0, 1.0)
        rate = stats.beta.ppf(inside, *others)
        found.append((rng.random((*shape, ANSWERS)) < rate[..., None]).astype(float))
    return found


def predictions(answers: Sequence[Array]) -> mc.Predictions:
    """Return models a0, a1, ..., b0, b1, ..., a pair for each trial."""
    scores = {
        f"{name}{trial}": own.ravel()
        for name, of_trials in zip("ab", answers, strict=True)
        for trial, own in enumerate(of_trials)
    }
    item = np.repeat(np.arange(answers[0].shape[1]), ANSWERS)
    return mc.Predictions.from_scores(scores, groups=item, greater_is_better=True)


def ends(preds: mc.Predictions) -> dict[str, Array]:
    """Return intervals of all trials, (2, n_trials, n_metrics), by what they are of."""
    result, n = mc.bootstrap(preds, METRICS, n_resamples=2), len(preds.models) // 2
    scores = result.score_interval("auto", LEVEL)
    differences = result.difference_interval(np.arange(n), np.arange(n, 2 * n), "auto", LEVEL)
    return {
        "score": np.stack([scores.low[:n], scores.high[:n]]),
        "difference": np.stack([differences.low, differences.high]),
    }


def p_values(preds: mc.Predictions, rng: np.random.Generator) -> Array:
    """Return the default test's p-values, of shape (n_trials, n_metrics)."""
    found = []
    for trial in range(len(preds.models) // 2):
        pair = preds[[f"a{trial}", f"b{trial}"]]
        result = mc.compare(pair, METRICS, n_resamples=499, rng=int(rng.integers(2**31)))
        found.append(result.differences["p_value"])
    return np.array(found)


def run_cell(cell: Params, n_trials: int, seed: int) -> pd.DataFrame:
    """Return coverage, widths and size: a row for each metric."""
    rng, blocks, p = np.random.default_rng(seed), [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for start in range(0, n_trials, AT_ONCE):
            preds = predictions(draw(rng, cell, min(AT_ONCE, n_trials - start)))
            blocks.append(ends(preds))
            p += [p_values(preds, rng)] if cell["models"] == "equal" else []
    a, b = (np.array([truth(world, metric) for metric in METRICS]) for world in worlds(cell))
    found: dict[str, Any] = {"metric": METRICS, "trials": n_trials}
    for what, true in (("score", a), ("difference", a - b)):
        low, high = np.concatenate([block[what] for block in blocks], axis=1)
        covers = (low <= true + 1e-12) & (true <= high + 1e-12)
        found |= {f"covered, {what}": covers.mean(axis=0)}
        found |= {f"width, {what}": (high - low).mean(axis=0)}
    found["p below 0.05"] = (np.concatenate(p) < 0.05).mean(axis=0) if p else np.nan
    return pd.DataFrame(found)


def short(table: pd.DataFrame) -> pd.Series:
    """Return which rows fall short of coverage or, where models are equal, of size."""
    covered = table[["covered, score", "covered, difference"]].min(axis=1)
    return (covered < WANTED) | (table["p below 0.05"] > LARGEST)


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return a cell's rows of the table."""
    seed = zlib.crc32(cell_id({"kind": "repeated_answers", **cell}).encode())
    found = run_cell(cell, n_trials, seed)
    return pd.DataFrame([cell] * len(found)).join(found)


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the lowest coverage and the highest size by metric and number of items."""
    rows = {}
    for (items, metric), part in table.groupby(["items", "metric"], sort=False):
        worst = part.loc[part["covered, score"].idxmin()]
        rows[f"{metric}, {items} items"] = {
            "cells": str(len(part)), "short": str(short(part).sum()),
            "lowest, score": worst["covered, score"], "where": worst["rates"],
            "lowest, difference": part["covered, difference"].min(),
            "highest size": part["p below 0.05"].max(),
        }  # fmt: skip
    return pd.DataFrame.from_dict(rows, orient="index")


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print the lowest coverage and highest size."""
    simulate(__doc__, cells(), simulated, verdict, RESULTS, arguments, short)


if __name__ == "__main__":
    main()
