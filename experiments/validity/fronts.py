"""Pareto fronts: the error of calling a model dominated that is on the true front.

Usage: python -m experiments.validity.fronts [--trials 800] [--only REGEX] [--jobs 1]

Three or six models have labels and latencies, correlated between models, the mean latency of 100
samples or its 95th percentile of 400. The models are exchangeable ("equal"); the first is slower
than the others by half, which are worse in accuracy by hardly more than the margin, so that it is
on the front as well ("edge"); they are better and slower one by one ("trade"); or the same, but the
last is worse in both ("dominated"). Fronts are without a margin or with one of 0.05 in accuracy;
models are on the true front if no other one is better in one metric and worse in the other by the
margin at most. The shares of test sets in which any model of the true front is called dominated,
and in which any other one is called one of the front, are at most 0.06; they, and the shares of the
models of either kind that are recognised, are written to ``results/fronts.csv``.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

import modelcompare as mc
from experiments.validity.by_cell import Params, simulate
from experiments.validity.catalogue import cell_id

RESULTS = Path(__file__).resolve().parent / "results" / "fronts.csv"
LARGEST, MARGIN, SPREAD = 0.06, 0.05, 0.5
# So much beyond the margin a difference is on its other side.
_HARDLY = 1e-6


def cells() -> list[Params]:
    """Return all worlds, numbers of models, sizes, costs and margins."""
    return [
        {"world": world, "models": k, "n": n, "cost": cost, "margin": margin}
        for world in ("equal", "edge", "trade", "dominated")
        for k in (3, 6)
        for n, cost in ((100, "ms"), (400, "ms_p95"))
        for margin in (0.0, MARGIN)
    ]


def spec(cell: Params) -> np.ndarray:
    """Return the accuracy and the median latency of each model, (n_models, 2)."""
    steps = np.arange(cell["models"])
    right, cost = np.full(len(steps), 0.8), np.full(len(steps), 100.0)
    if cell["world"] == "edge":
        right[1:] -= cell["margin"] + _HARDLY
        cost[0] = 150.0
    if cell["world"] in ("trade", "dominated"):
        right, cost = 0.7 + 0.04 * steps, 100 * 1.15**steps
    if cell["world"] == "dominated":
        right[-1], cost[-1] = 0.6, cost[-2] * 1.5
    return np.column_stack([right, cost])


def true_front(cell: Params) -> np.ndarray:
    """Return which models no other one dominates, up to the margin, (n_models,)."""
    merit = spec(cell) * [1, -1]
    gain = merit[:, None] - merit[None]
    not_worse = (gain >= [-cell["margin"] - _HARDLY / 2, 0.0]).all(axis=2)
    return ~(not_worse & (gain > 0).any(axis=2)).any(axis=0)


def draw(rng: np.random.Generator, cell: Params) -> mc.Predictions:
    """Draw a test set: labels 0 and 1, and latencies beside them."""
    n, common, length = cell["n"], *rng.standard_normal((2, cell["n"]))
    truth, outputs, scores = rng.integers(0, 2, n), {}, {}
    for model, (right, median) in enumerate(spec(cell)):
        own, noise = rng.standard_normal((2, n))
        hit = (common + own) / np.sqrt(2) < stats.norm.ppf(right)
        outputs[f"m{model}"] = np.where(hit, truth, 1 - truth)
        latency = median * np.exp(SPREAD * (length + noise) / np.sqrt(2))
        scores[f"m{model}"] = {"ms": latency}
    return mc.Predictions(truth, outputs, labels=[0, 1]).with_scores(
        scores, greater_is_better=False
    )


def run_cell(cell: Params, n_trials: int, seed: int) -> dict[str, float]:
    """Return the errors of either kind, and how many models are recognised."""
    rng, on_front = np.random.default_rng(seed), true_front(cell)
    margins = {"accuracy": cell["margin"]} if cell["margin"] else None
    status = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for _ in range(n_trials):
            result = mc.compare(
                draw(rng, cell), ["accuracy", cell["cost"]], n_resamples=999,
                rng=int(rng.integers(2**31)),
            )  # fmt: skip
            status.append(result.pareto(margins=margins)["status"].to_numpy(str))
    dominated, front = (np.array(status) == word for word in ("dominated", "front"))
    of_others = {} if on_front.all() else {
        "dominated called front": float(front[:, ~on_front].any(axis=1).mean()),
        "dominated recognised": float(dominated[:, ~on_front].mean()),
    }  # fmt: skip
    return {
        "trials": n_trials,
        "front called dominated": float(dominated[:, on_front].any(axis=1).mean()),
        "front recognised": float(front[:, on_front].mean()),
        "dominated called front": np.nan, "dominated recognised": np.nan, **of_others,
    }  # fmt: skip


def short(table: pd.DataFrame) -> pd.Series:
    """Return which rows exceed an error."""
    return table[["front called dominated", "dominated called front"]].max(axis=1) > LARGEST


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return a cell's row of the table: of five times as many trials where it falls short."""
    seed = zlib.crc32(cell_id({"kind": "fronts", **cell}).encode())
    found = pd.DataFrame([{**cell, **run_cell(cell, n_trials, seed)}])
    if short(found).any():
        found = pd.DataFrame([{**cell, **run_cell(cell, 5 * n_trials, seed)}])
    return found


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the highest errors and the mean shares that are recognised, by world and margin."""
    rows = {}
    for (world, margin), part in table.groupby(["world", "margin"], sort=False):
        rows[f"{world}, margin {margin:g}"] = {
            "cells": str(len(part)), "short": str(short(part).sum()),
            "front called dominated": part["front called dominated"].max(),
            "dominated called front": part["dominated called front"].max(),
            "front recognised": part["front recognised"].mean(),
            "dominated recognised": part["dominated recognised"].mean(),
        }  # fmt: skip
    return pd.DataFrame.from_dict(rows, orient="index")


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print the highest errors."""
    simulate(__doc__, cells(), simulated, verdict, RESULTS, arguments)


if __name__ == "__main__":
    main()
