"""Intervals for new runs of training procedures: coverage beside the answer for these runs.

Usage: python -m experiments.validity.repeated_runs [--trials 800] [--only REGEX] [--jobs 1]

Items x runs of a model, and of pairs of models with shared or separate runs, of the same numbers or
of different ones. Scores are sums of an item, a run and the rest, normal ones
or signs of them (0 or 1), so that the true mean over all items and runs is known. ``runs`` is the
standard deviation of a run's true mean. Coverage of ``generalize_to="items+runs"`` and "items" at
0.95, and their median widths, are written to ``results/repeated_runs.csv``; the lowest are printed.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

import modelcompare as mc
from experiments.validity.by_cell import simulate
from experiments.validity.catalogue import cell_id
from modelcompare.engine.design import design_of

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "repeated_runs.csv"
WANTED, LEVEL = 0.935, 0.95
# Test sets that are models, or pairs of models, of one call.
AT_ONCE = 100
# Means of the models; the true difference is the first minus the second.
MEANS = (0.7, 0.65)
# Standard deviations of items and rest; correlation of the models' items, and of shared runs.
ITEMS, REST, SAME_ITEMS, SAME_RUNS = 0.3, 0.3, 0.8, 0.5
QUANTITIES = ("score", "shared runs", "separate runs")
UNEQUAL = ((2, 6), (3, 6), (5, 10))


def cells() -> list[Params]:
    """Return normal and binary scores at all numbers of items and runs and spreads of runs."""
    common = [
        {"scores": scores, "items": items, "spread": spread}
        for scores in ("normal", "0/1")
        for items in (50, 200)
        for spread in (0.0, 0.02, 0.15)
    ]
    equal = [(quantity, (r, r)) for quantity in QUANTITIES for r in (2, 3, 5, 10)]
    unequal = [("separate runs", runs) for runs in UNEQUAL]
    return [
        {"quantity": quantity, **cell, "runs": runs[0], "runs_b": runs[1]}
        for quantity, runs in (*equal, *unequal)
        for cell in common
    ]


def _effects(rng: np.random.Generator, shape: tuple[int, ...], correlation: float) -> Array:
    """Return standard normal effects of two models, correlated, of shape (2, *shape)."""
    common, own = rng.standard_normal(shape), rng.standard_normal((2, *shape))
    return np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own


def draw(rng: np.random.Generator, cell: Params, n_trials: int) -> list[Array]:
    """Draw scores of two models, each of shape (n_trials, n_items, n_runs)."""
    n, runs = cell["items"], (cell["runs"], cell["runs_b"])
    items = _effects(rng, (n_trials, n), SAME_ITEMS)
    shared = cell["quantity"] == "shared runs"
    of_runs = _effects(rng, (n_trials, max(runs)), SAME_RUNS if shared else 0.0)
    found = []
    for items_of, runs_of, n_runs, mean in zip(items, of_runs, runs, MEANS, strict=True):
        rest = rng.standard_normal((n_trials, n, n_runs))
        spread = cell["spread"]
        if cell["scores"] == "0/1":
            # On the scale of the latent numbers, whose mean gives the true share exactly.
            spread *= np.hypot(1, 1) / stats.norm.pdf(stats.norm.ppf(mean))
            mean = stats.norm.ppf(mean) * np.sqrt(2 + spread**2)
            latent = mean + items_of[:, :, None] + spread * runs_of[:, None, :n_runs] + rest
            found.append((latent > 0).astype(float))
        else:
            scores = mean + ITEMS * items_of[:, :, None] + spread * runs_of[:, None, :n_runs]
            found.append(scores + REST * rest)
    return found


def ends(cell: Params, scores: Sequence[Array]) -> dict[str, Array]:
    """Return the intervals of all trials, of shape (2, n_trials), by what they are for."""
    n_trials, n_items, _ = scores[0].shape
    runs = (cell["runs"], cell["runs_b"])
    n_rows = int(np.lcm(*runs))
    outputs, of_rows = {}, {}
    chosen = zip("a" if cell["quantity"] == "score" else "ab", scores, runs, strict=False)
    for name, x, n_runs in chosen:
        run = np.tile(np.arange(n_rows) % n_runs, n_items)
        own = name if cell["quantity"] == "separate runs" else ""
        repeated = np.tile(x, (1, 1, n_rows // n_runs)).reshape(n_trials, -1)
        for trial in range(n_trials):
            outputs[f"{name}{trial}"] = repeated[trial]
            of_rows[f"{name}{trial}"] = np.char.add(own, run.astype(str))
    preds = mc.Predictions.from_scores(
        outputs, groups=np.repeat(np.arange(n_items), n_rows), runs=of_rows, greater_is_better=True
    )
    result, a = mc.bootstrap(preds, "mean_score", n_resamples=2), np.arange(n_trials)
    found = {}
    for name, new_runs in (("items+runs", True), ("items", False)):
        asked = replace(
            result,
            design=design_of(result.evaluation.predictions, "items+runs" if new_runs else "items"),
        )
        if cell["quantity"] == "score":
            ends = asked.score_interval("auto", LEVEL)
        else:
            ends = asked.difference_interval(a, a + n_trials, "auto", LEVEL)
        found[name] = np.stack([ends.low[:n_trials, 0], ends.high[:n_trials, 0]])
    return found


def run_cell(cell: Params, n_trials: int, seed: int) -> dict[str, float]:
    """Return coverage and median width of the intervals for new runs, and for these."""
    rng = np.random.default_rng(seed)
    truth = MEANS[0] if cell["quantity"] == "score" else MEANS[0] - MEANS[1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mc.SparseDataWarning)
        blocks = [
            ends(cell, draw(rng, cell, min(AT_ONCE, n_trials - start)))
            for start in range(0, n_trials, AT_ONCE)
        ]
    found: dict[str, float] = {"trials": n_trials}
    for name in blocks[0]:
        low, high = np.concatenate([block[name] for block in blocks], axis=1)
        found[f"covered, {name}"] = float(((low <= truth) & (truth <= high)).mean())
        found[f"width, {name}"] = float(np.median(high - low))
    return found


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return a row of the table."""
    seed = zlib.crc32(cell_id({"kind": "repeated_runs", **cell}).encode())
    return pd.DataFrame([{**cell, **run_cell(cell, n_trials, seed)}])


def short(table: pd.DataFrame) -> pd.Series:
    """Return which rows cover new runs less than wanted."""
    return table["covered, items+runs"] < WANTED


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the lowest coverage by quantity and smaller number of runs, and the price in width."""
    rows = {}
    fewest = table[["runs", "runs_b"]].min(axis=1)
    for (quantity, runs), part in table.groupby(["quantity", fewest], sort=False):
        worst = part.loc[part["covered, items+runs"].idxmin()]
        still = part[part["spread"] == 0]
        rows[f"{quantity}, fewest runs {runs}"] = {
            "cells": str(len(part)), "short": str(short(part).sum()),
            "lowest": worst["covered, items+runs"],
            "where": f"{worst['scores']}, {worst['items']} items, spread {worst['spread']:g}",
            "lowest, items": part["covered, items"].min(),
            "width over items', no spread":
                (still["width, items+runs"] / still["width, items"]).median(),
        }  # fmt: skip
    return pd.DataFrame.from_dict(rows, orient="index")


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print the lowest coverage."""
    simulate(__doc__, cells(), simulated, verdict, RESULTS, arguments, short)


if __name__ == "__main__":
    main()
