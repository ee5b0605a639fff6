"""Survival: coverage, gates and tests of the defaults for c-indices and the integrated Brier score.

Usage: python -m experiments.validity.survival [--trials 800] [--only REGEX] [--jobs 1]

Times until an event are exponential, with a hazard that grows with a patient's risk; times until
censoring are exponential too, and hide 0.34 (in cells of 0.3) or 0.7 of the events. Two models see
the risk with errors, partly the same; models are equal, or the second one sees it less well. Their
survival probabilities follow from the risk that they see. For each metric: how often the default
interval of a value, and of the difference, holds its true value; how often a gate at a margin of
the true difference opens (0.05); and, of equal models, how often the default test finds a
difference (0.05). Trials with fewer than ten effective events have a note, and are left out, and
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
from experiments.validity.two_models import extremes, shares, short, trial, values

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "survival.csv"
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
    rng = np.random.default_rng(zlib.crc32(cell_id({"kind": "survival", **cell}).encode()))
    of_risks = cell["outputs"] == "risks"
    metrics = RISKS if of_risks else CURVES
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = [values(draw(rng, cell, MANY // PARTS), metrics) for _ in range(PARTS)]
        truth = np.mean([np.asarray(part.estimate).reshape(2, -1) for part in parts], axis=0)
        trials = [
            trial(
                draw(rng, cell, cell["n"]), metrics, truth, equal=cell["gap"] == 0,
                low_is_good=not of_risks,
            )
            for _ in range(n_trials)
        ]  # fmt: skip
    found = shares(trials, {name: place for place, name in enumerate(metrics)})
    return pd.DataFrame([cell] * len(found)).join(found)


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the extremes of each metric and share of censored patients."""
    return extremes(table, ["metric", "censored"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print the extremes."""
    simulate(__doc__, cells(), simulated, verdict, RESULTS, arguments, short)


if __name__ == "__main__":
    main()
