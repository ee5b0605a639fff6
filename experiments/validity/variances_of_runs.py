"""Variance studies for new runs: spread of replicates, and coverage of variance ratios.

Usage: python -m experiments.validity.variances_of_runs [--trials 800] [--only REGEX] [--jobs 1]

Items differ in how hard they are, runs in how good, and every run errs on other items. A
model's F1 and cF1 are those of all its rows. The truth is the variance over sets of new items and
new runs. For both metrics: the mean variance of a study over that truth, for new runs and for these
ones; of the ratio of the two: how often its interval holds the true one (wanted 0.935; two runs
have no interval).
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

import modelcompare as mc
from experiments.validity.by_cell import simulate
from experiments.validity.catalogue import cell_id

Params = dict[str, Any]
RESULTS = Path(__file__).resolve().parent / "results" / "variances_of_runs.csv"
PAIRS = [("f1:1", "cf1:1")]
N_FRESH, N_RESAMPLES, WANTED = 4000, 200, 0.935


def cells() -> list[Params]:
    """Return all numbers of items and runs, and spreads of runs on the scale of the logit."""
    return [
        {"items": items, "runs": runs, "spread": spread}
        for items in (50, 200) for runs in (2, 3, 5, 10) for spread in (0.0, 0.1, 0.5)
    ]  # fmt: skip


def draw(rng: np.random.Generator, cell: Params) -> mc.Predictions:
    """Draw one model's probabilities of items x runs."""
    shape = cell["items"], cell["runs"]
    truth = np.repeat(rng.random(shape[0]) < 0.4, shape[1]).astype(int)
    good = 1.2 + cell["spread"] * rng.standard_normal(shape[1])
    hard, own = rng.standard_normal((shape[0], 1)), rng.standard_normal(shape)
    p = expit((2 * truth - 1) * (good + hard + 0.7 * own).ravel())
    item, run = (each.ravel() for each in np.indices(shape))
    outputs = {"model": np.c_[1 - p, p]}
    return mc.Predictions(truth, outputs, labels=[0, 1], groups=item, runs=run)


def _study(preds: mc.Predictions, generalize_to: str) -> Any:
    return mc.studies.variance_study(
        preds,
        PAIRS,
        ratios=[1.0],
        n_resamples=N_RESAMPLES,
        tests=["f"],
        generalize_to=generalize_to,
    )


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return the row of a cell."""
    rng = np.random.default_rng(zlib.crc32(cell_id({"kind": "variances", **cell}).encode()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fresh = [
            mc.bootstrap(draw(rng, cell), [*PAIRS[0]], n_resamples=2).point[0]
            for _ in range(N_FRESH)
        ]
        truth = np.var(fresh, axis=0, ddof=1)
        trials = [_trial(draw(rng, cell), truth) for _ in range(n_trials)]
    return pd.DataFrame([{**cell, **pd.DataFrame(trials).mean(), "trials": n_trials}])


def _trial(preds: mc.Predictions, truth: np.ndarray) -> dict[str, float]:
    """Return variances over their truth, and whether the interval of their ratio covers."""
    study, these = (_study(preds, generalize_to) for generalize_to in ("items+runs", "items"))
    found = study.distribution["variance"].to_numpy() / truth
    (row,) = study.variance_ratios.itertuples()
    ratio = truth[0] / truth[1]
    known = np.isfinite(row.ci_low)
    return {
        "f1": found[0], "cf1": found[1],
        "f1, these": these.distribution["variance"].to_numpy()[0] / truth[0],
        "covered": float(row.ci_low <= ratio <= row.ci_high) if known else np.nan,
    }  # fmt: skip


def short(rows: pd.DataFrame) -> pd.Series:
    """Return which rows cover less than wanted."""
    return rows["covered"] < WANTED


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the means of both numbers of items."""
    return table.groupby(["runs", "spread"], as_index=False).mean().drop(columns="items")


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print it by runs and spread."""
    simulate(__doc__, cells(), simulated, verdict, RESULTS, arguments, short)


if __name__ == "__main__":
    main()
