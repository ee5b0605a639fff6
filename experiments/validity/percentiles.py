"""Percentiles of latencies: coverage of scores and differences, gates at the margin, size.

Usage: python -m experiments.validity.percentiles [--trials 800] [--only REGEX] [--jobs 1]

The 50 %, 95 % and 99 % quantiles of 50, 200 and 1,000 latencies of two models, correlated between
them: normal ("light"), lognormal ("lognormal") or with Pareto's tail of index 1.5 ("heavy"). Models
are exchangeable ("equal"), agree on 95 % of the samples besides ("near"), have one quantile of
unlike distributions ("unlike"), or the second is slower by a fifth ("slower"). Other designs are
clusters of 20 and lognormal weights. Coverage at 0.95 of the first model's quantile and of the
difference; the larger share of gates (one-sided, 0.05) that pass on either side of the true
difference, their margin; of equal values the share of p-values of `compare` below 0.05; the share
of test sets in which fewer than ten samples decide, which is a note, or fewer than ten clusters,
which is a warning; and the share of differences without bounds are written to
``results/percentiles.csv``.
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
from modelcompare.intervals.auto import FEW

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "percentiles.csv"
LARGEST, LEVEL, GATE = 0.06, 0.95, 0.9
WANTED = {"independent": 0.935, "clusters": 0.925, "weights": 0.925}
# Test sets whose models are models of one call.
AT_ONCE, CLUSTER = 100, 20
LAWS = {
    "light": stats.norm(100, 20), "lognormal": stats.lognorm(1.0, scale=100),
    "heavy": stats.pareto(1.5, scale=100),
}  # fmt: skip
# The second model's, where it is unlike the first.
UNLIKE = {"light": "lognormal", "lognormal": "light", "heavy": "light"}
# Correlation of the normal numbers behind the models' latencies; shares of a cluster, and of a
# sample, of that which is common to the models.
CORRELATION, OF_CLUSTER = 0.6, 0.5


def cells() -> list[Params]:
    """Return all metrics, sizes, tails and pairs of models; of other designs some."""
    found = [
        {"metric": metric, "n": n, "tails": tails, "models": models, "design": "independent"}
        for metric in ("p50", "p95", "p99")
        for n in (50, 200, 1000)
        for tails in LAWS
        for models in ("equal", "near", "unlike", "slower")
    ]
    found += [
        {"metric": metric, "n": n, "tails": "lognormal", "models": models, "design": design}
        for design in ("clusters", "weights")
        for metric in ("p50", "p95")
        for n in (200, 400, 1000)
        for models in ("equal", "unlike", "slower")
    ]
    return found


def truths(cell: Params) -> tuple[float, float]:
    """Return the two models' quantiles."""
    own = float(LAWS[cell["tails"]].ppf(int(cell["metric"][1:]) / 100))
    return own, own * (1.2 if cell["models"] == "slower" else 1.0)


def draw(rng: np.random.Generator, cell: Params, n_trials: int) -> tuple[Array, Array]:
    """Draw the latencies of two models, each of shape (n_trials, n)."""
    n, p = cell["n"], int(cell["metric"][1:]) / 100
    common = rng.standard_normal((n_trials, n))
    if cell["design"] == "clusters":
        of_cluster = np.repeat(rng.standard_normal((n_trials, n // CLUSTER)), CLUSTER, axis=1)
        common = np.sqrt(OF_CLUSTER) * of_cluster + np.sqrt(1 - OF_CLUSTER) * common
    own = rng.standard_normal((2, n_trials, n))
    levels = stats.norm.cdf(np.sqrt(CORRELATION) * common + np.sqrt(1 - CORRELATION) * own)
    law = LAWS[cell["tails"]]
    a, b = law.ppf(levels[0]), law.ppf(levels[1])
    if cell["models"] == "near":
        b = np.where(rng.random(a.shape) < 0.95, a, b)
    if cell["models"] == "unlike":
        other = LAWS[UNLIKE[cell["tails"]]]
        b = other.ppf(levels[1]) * (law.ppf(p) / other.ppf(p))
    return a, b * (1.2 if cell["models"] == "slower" else 1.0)


def options(rng: np.random.Generator, cell: Params) -> dict[str, Any]:
    """Return clusters or weights of the samples, the same in some test sets."""
    if cell["design"] == "clusters":
        return {"groups": np.arange(cell["n"]) // CLUSTER}
    return {"sample_weight": rng.lognormal(0, 0.7, cell["n"])} if "w" in cell["design"] else {}


def predictions(a: Array, b: Array, design: Params) -> mc.Predictions:
    """Return models a0, a1, ..., b0, b1, ..., a pair for each trial."""
    scores = {
        f"{name}{trial}": own
        for name, of_trials in (("a", a), ("b", b))
        for trial, own in enumerate(of_trials)
    }
    return mc.Predictions.from_scores(scores, greater_is_better=False, **design)


def ends(preds: mc.Predictions, metric: str) -> dict[str, Array]:
    """Return intervals of all trials, each (2, n_trials), by what they are of."""
    result, n = mc.bootstrap(preds, metric, n_resamples=2), len(preds.models) // 2
    a, b = np.arange(n), np.arange(n, 2 * n)
    found = {
        "score": result.score_interval("auto", LEVEL),
        "difference": result.difference_interval(a, b, "auto", LEVEL),
        "gate": result.difference_interval(a, b, "auto", GATE),
    }
    bounds = {what: np.stack([each.low[:n, 0], each.high[:n, 0]]) for what, each in found.items()}
    few = np.asarray(found["difference"].n_informative)[:n, 0] < FEW
    return {**bounds, "warned": np.stack([few, few])}


def p_values(
    preds: mc.Predictions, metric: str, without_0: Array, rng: np.random.Generator
) -> Array:  # fmt: skip
    """Return the p-values of the trials whose intervals do not contain 0, 1 for the others.

    The default p-value of a quantile is not below the error at which its interval ends at 0.
    """
    found = np.ones(len(without_0))
    for trial in np.flatnonzero(without_0):
        pair = preds[[f"a{trial}", f"b{trial}"]]
        result = mc.compare(pair, metric, n_resamples=299, rng=int(rng.integers(2**31)))
        found[trial] = result.differences["p_value"].iloc[0]
    return found


def run_cell(cell: Params, n_trials: int, seed: int) -> dict[str, float]:
    """Return coverage, gates that pass, size, and how often there are no bounds."""
    rng, p = np.random.default_rng(seed), []
    blocks: list[dict[str, Array]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for start in range(0, n_trials, AT_ONCE):
            a, b = draw(rng, cell, min(AT_ONCE, n_trials - start))
            preds = predictions(a, b, options(rng, cell))
            blocks.append(ends(preds, cell["metric"]))
            if cell["models"] != "slower":
                low, high = blocks[-1]["difference"]
                p.append(p_values(preds, cell["metric"], (low > 0) | (high < 0), rng))
    of_a, of_b = truths(cell)
    found: dict[str, float] = {"trials": n_trials}
    for what, true in (("score", of_a), ("difference", of_a - of_b), ("gate", of_a - of_b)):
        low, high = np.concatenate([block[what] for block in blocks], axis=1)
        below, above = low > true, high < true
        if what == "gate":
            found["gates at the margin"] = float(max(below.mean(), above.mean()))
            continue
        found[f"covered, {what}"] = float(1 - (below | above).mean())
        found[f"endless, {what}"] = float(np.isinf(high - low).mean())
    found["warned"] = float(np.concatenate([block["warned"][0] for block in blocks]).mean())
    found["p below 0.05"] = float((np.concatenate(p) < 0.05).mean()) if p else np.nan
    return found


def short(table: pd.DataFrame) -> pd.Series:
    """Return which rows fall short of coverage, or exceed the error of gates or of tests.

    A warning in most trials that few clusters decide excuses a row.
    """
    covered = table[["covered, score", "covered, difference"]].min(axis=1)
    errors = table[["gates at the margin", "p below 0.05"]].max(axis=1)
    falls = (covered < table["design"].map(WANTED)) | (errors > LARGEST)
    return falls & ((table["warned"] < 0.5) | (table["design"] != "clusters"))


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return a cell's row of the table."""
    seed = zlib.crc32(cell_id({"kind": "percentiles", **cell}).encode())
    return pd.DataFrame([{**cell, **run_cell(cell, n_trials, seed)}])


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the lowest coverage and the highest errors by metric, design and size."""
    rows = {}
    for (design, metric, n), part in table.groupby(["design", "metric", "n"], sort=False):
        rows[f"{metric}, n = {n}, {design}"] = {
            "cells": str(len(part)), "short": str(short(part).sum()),
            "lowest, score": part["covered, score"].min(),
            "lowest, difference": part["covered, difference"].min(),
            "highest gate": part["gates at the margin"].max(),
            "highest size": part["p below 0.05"].max(),
            "endless": part["endless, difference"].mean(),
        }  # fmt: skip
    return pd.DataFrame.from_dict(rows, orient="index")


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print the lowest coverage and highest errors."""
    simulate(__doc__, cells(), simulated, verdict, RESULTS, arguments, short)


if __name__ == "__main__":
    main()
