"""Survival: coverage, gates and tests of the defaults for c-indices and the integrated Brier score.

Usage: python -m experiments.validity.survival [--trials 800] [--only REGEX] [--jobs 1]

Times until an event are exponential, with a hazard that grows with a patient's risk; times until
censoring are exponential too, and hide 0.34 (in cells of 0.3) or 0.7 of the events. Two models see
the risk with errors, partly the same; models are equal, or the second one sees it less well. Their
survival probabilities follow from the risk that they see. For each metric: how often the default
interval of a value, and of the difference, holds its true value; how often a gate at a margin of
the true difference opens (0.05); and, of equal models, how often the default test finds a
difference (0.05). Trials with fewer than ten effective events have a warning, and are left out, and
cells in which these are most have no value. The truth is that of a hundred thousand patients; of
Harrell's c-index with the same censoring.
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
from modelcompare.intervals.auto import FEW

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "survival.csv"
WANTED, LARGEST = 0.935, 0.06
LEVEL, ALPHA, N_SWAPS = 0.95, 0.05, 499
# Patients whose values are taken for the true ones, in parts.
MANY, PARTS = 100_000, 10
TIMES = np.linspace(0.1, 0.8, 8)
RISKS, CURVES = ("c_index", "c_index_ipcw_at_0.8"), ("integrated_brier_score",)
# Rates of censoring by the share of events that they hide.
RATES = {0.3: 0.45, 0.7: 2.8}


def cells() -> list[Params]:
    """Return all outputs, sizes, shares of censored patients and differences."""
    return [
        {"outputs": outputs, "n": n, "censored": censored, "gap": gap}
        for outputs in ("risks", "curves") for n in (50, 200, 500)
        for censored in RATES for gap in (0.0, 0.5)
    ]  # fmt: skip


def draw(rng: np.random.Generator, cell: Params, n: int) -> mc.Predictions:
    """Draw a test set of two models."""
    risk, shared = rng.standard_normal((2, n))
    until = rng.exponential(np.exp(-risk))
    censored = rng.exponential(1 / RATES[cell["censored"]], n)
    # Someone is always followed beyond the last time.
    censored[0] = until[0] = np.maximum(until[0], TIMES[-1] + 0.01)
    truth = np.column_stack([np.minimum(until, censored), until <= censored])
    outputs = {}
    for model, error in (("a", 0.8), ("b", 0.8 + cell["gap"])):
        seen = risk + error * (0.6 * shared + 0.8 * rng.standard_normal(n))
        seen /= 1 + error**2
        curves = np.exp(-np.exp(seen)[:, None] * TIMES)
        outputs[model] = seen if cell["outputs"] == "risks" else curves
    if cell["outputs"] == "risks":
        return mc.Predictions(truth, outputs, kind="risks")
    return mc.Predictions(truth, outputs, kind="survival_probabilities", labels=TIMES)


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return a row for each metric."""
    found = run_cell(cell, n_trials)
    return pd.DataFrame([cell] * len(found)).join(found)


def run_cell(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return shares of trials in which intervals hold, gates open, and tests find a difference."""
    rng = np.random.default_rng(zlib.crc32(cell_id({"kind": "survival", **cell}).encode()))
    metrics = RISKS if cell["outputs"] == "risks" else CURVES
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = [_values(draw(rng, cell, MANY // PARTS), metrics) for _ in range(PARTS)]
        truth = np.mean([np.asarray(part.estimate).reshape(2, -1) for part in parts], axis=0)
        trials = [_trial(rng, cell, metrics, truth) for _ in range(n_trials)]
    kept = np.array(trials)
    rows = []
    for place, name in enumerate(metrics):
        row: dict[str, Any] = {"metric": name}
        for k, what in enumerate(("covered", "difference", "gate", "size")):
            counts = kept[:, k, place]
            informative = counts[~np.isnan(counts)]
            row[what] = informative.mean() if len(informative) >= n_trials / 2 else np.nan
        rows.append({**row, "trials": n_trials})
    return pd.DataFrame(rows)


def _values(preds: mc.Predictions, metrics: Sequence[str]) -> Any:
    return mc.bootstrap(preds, [*metrics], n_resamples=2)


def _trial(rng: np.random.Generator, cell: Params, metrics: Sequence[str], truth: Array) -> Array:
    """Return, of each value, four marks; NaN where there is no interval, or a warning."""
    preds = draw(rng, cell, cell["n"])
    found = _values(preds, metrics)
    pair = np.array([0]), np.array([1])
    score = found.score_interval("auto", LEVEL)
    difference, gate = (
        found.difference_interval(*pair, "auto", level) for level in (LEVEL, 1 - 2 * ALPHA)
    )
    gap = truth[0] - truth[1]
    # The worse side of the gate: a metric whose low values are better has the upper bound.
    opens = _marks(gate.low[0], np.inf, gap, difference.n_informative[0])
    if metrics == CURVES:
        opens = _marks(-np.inf, gate.high[0], gap, difference.n_informative[0])
    rows = [
        _marks(score.low[0], score.high[0], truth[0], score.n_informative[0]),
        _marks(difference.low[0], difference.high[0], gap, difference.n_informative[0]),
        1 - opens,
        np.full(len(gap), np.nan),
    ]
    if cell["gap"] == 0:
        compared = mc.compare(preds, [*metrics], n_resamples=N_SWAPS, correction="none")
        p = compared.differences["p_value"].to_numpy(float)
        rows[3] = np.where(np.isnan(rows[1]), np.nan, p < ALPHA)
    return np.stack(rows)


def _marks(low: Any, high: Any, truth: Array, size: Array) -> Array:
    known = ~np.isnan(low) & ~np.isnan(high) & (size >= FEW)
    return np.where(known, (low <= truth) & (truth <= high), np.nan)


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the extremes of each metric and share of censored patients."""
    rows = []
    for (metric, censored), part in table.groupby(["metric", "censored"], sort=False):
        rows.append({
            "metric": metric, "censored": censored, "cells": len(part),
            "lowest, values": part["covered"].min(), "differences": part["difference"].min(),
            "largest, gates": part["gate"].max(), "tests": part["size"].max(),
        })  # fmt: skip
    return pd.DataFrame(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print the extremes."""
    simulate(__doc__, cells(), simulated, verdict, RESULTS, arguments)


if __name__ == "__main__":
    main()
