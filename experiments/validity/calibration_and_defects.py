"""Calibration's test and interval, and methods that were mended, by simulation.

Usage: python calibration_and_defects.py [--trials 100] [-o TABLE.csv]. Each cell is a dict of
parameters; `run_cell` simulates one and gives a row. Trials differ by their seed alone, so that
cells can be run in any order, and more trials begin with the same.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from scipy import stats

import modelcompare as mc
from experiments.validity.calibration import MODELS, calibration_trial

Params = dict[str, Any]


# -- methods that were mended --------------------------------------------------------------------


def unpaired_trial(params: Params, seed: int) -> dict[str, float]:
    """Two sets of equal means and unequal variances: whether they are told apart."""
    rng = np.random.default_rng(seed)
    sides = []
    for name, n, spread in (("a", params["n_a"], params["sd_a"]), ("b", params["n_b"], 1.0)):
        noise = rng.normal(size=n) if params["noise"] == "normal" else rng.exponential(size=n) - 1
        sides.append(mc.Predictions.from_scores({name: spread * noise}))
    out = {}
    for method in ("bootstrap", "wald", "welch"):
        found = mc.unpaired_test(*sides, "mean_score", method=method, n_resamples=199, rng=seed)
        out[f"rejected_{method}"] = found.p_value <= 0.05
    return out


def strata_trial(params: Params, seed: int) -> dict[str, float]:
    """A stratified mean: whether its intervals cover."""
    rng = np.random.default_rng(seed)
    strata = np.repeat(np.arange(params["n_strata"]), params["size"])
    means = rng.normal(size=params["n_strata"])
    scores = means[strata] + rng.normal(size=len(strata))
    result = mc.bootstrap(
        mc.Predictions.from_scores({"a": scores}, strata=strata), n_resamples=399, rng=seed
    )
    out = {}
    for method in ("BCa", "percentile", "normal"):
        row = result.confidence_interval(method=method).iloc[0]
        out[f"covered_{method}"] = row.ci_low <= means.mean() <= row.ci_high
    return out


def components_trial(params: Params, seed: int) -> dict[str, float]:
    """Squared standard errors of items, runs and both, as shares of the truth."""
    rng = np.random.default_rng(seed)
    n_items, n_runs = params["n_items"], params["n_runs"]
    of_items, of_runs, rest = params["items"], params["runs"], params["rest"]
    y = of_items * rng.normal(size=(n_items, 1)) + of_runs * rng.normal(size=n_runs)
    y = y + rest * rng.normal(size=(n_items, n_runs))
    item, run = (x.ravel() for x in np.indices(y.shape))
    preds = mc.Predictions.from_scores({"a": y.ravel()}, groups=item, runs=run)
    row = mc.variance_components(preds, "mean_score", n_resamples=299, rng=seed).iloc[0]
    items, runs = of_items**2 / n_items, of_runs**2 / n_runs
    both = rest**2 / y.size
    return {
        "items": row.se_items**2 / (items + both),
        "runs": row.se_runs**2 / (runs + both),
        "both": row.se_both**2 / (items + runs + both),
    }


def threshold_trial(params: Params, seed: int) -> dict[str, float]:
    """A chosen threshold: whether the interval holds what it reaches in the population."""
    rng = np.random.default_rng(seed)
    y = (rng.random(params["n"]) < params["share"]).astype(int)
    z = rng.normal(size=params["n"]) + 1.5 * y
    preds = mc.Predictions(y, {"a": stats.norm.cdf(z)}, labels=[0, 1], kind="probabilities")
    wish = params["wish"]
    row = mc.operating_point(preds, **{wish: params["value"]}, n_resamples=199, rng=seed).iloc[0]
    alarms, hits = stats.norm.sf(stats.norm.ppf(row.threshold) - np.array([0.0, 1.5]))
    said = params["share"] * hits + (1 - params["share"]) * alarms
    truth = {
        "precision": params["share"] * hits / said, "recall": hits, "false_positive_rate": alarms,
    }[wish]  # fmt: skip
    low, high = row[f"{wish}_low"], row[f"{wish}_high"]
    return {
        "covered": np.nan if np.isnan(row[wish]) else low <= truth <= high,
        "width": high - low,
        "optimism": row[wish] - truth,
    }


def wald_trial(params: Params, seed: int) -> dict[str, float]:
    """Two exchangeable models: whether wald tells them apart by accuracy, by F1 of class 1."""
    rng = np.random.default_rng(seed)
    n = params["n"]
    y = (rng.random(n) < params["share"]).astype(int)
    y[0] = 1
    said = {m: np.where(rng.random(n) < 0.8, y, 1 - y) for m in "ab"}
    preds = mc.Predictions(y, said, labels=[0, 1])
    frame = mc.compare(preds, ["accuracy", "f1"], test="wald", n_resamples=2).differences
    return {
        "rejected_accuracy": frame.p_value[0] <= 0.05,
        "rejected_f1": frame.p_value[2] <= 0.05,
        "smallest_p": frame.p_value.min(),
    }


TRIALS: dict[str, Callable[[Params, int], dict[str, float]]] = {
    "calibration": calibration_trial,
    "unpaired": unpaired_trial,
    "strata": strata_trial,
    "components": components_trial,
    "threshold": threshold_trial,
    "wald": wald_trial,
}
CELLS: tuple[Params, ...] = (
    *({"part": "calibration", "model": model, "n_classes": k, "n": n}
      for k in (2, 10) for model in MODELS for n in (50, 100, 1000, 10_000)),
    *({"part": "unpaired", "noise": noise, "n_a": a, "sd_a": sd, "n_b": b}
      for noise in ("normal", "exponential")
      for a, sd, b in ((10, 1.0, 10), (10, 3.0, 50), (15, 0.2, 15))),
    *({"part": "strata", "n_strata": h, "size": m} for h in (25, 60) for m in (2, 4)),
    *({"part": "components", "n_items": 50, "n_runs": r, "items": 1.0, "runs": 0.3, "rest": e}
      for r in (2, 3, 8) for e in (0.3, 2.0)),
    *({"part": "threshold", "wish": wish, "value": value, "share": share, "n": n}
      for n in (50, 100, 300, 1000)
      for wish, value, share in (("precision", 0.8, 0.3), ("precision", 0.9, 0.3),
                                 ("precision", 0.5, 0.1), ("recall", 0.8, 0.3),
                                 ("false_positive_rate", 0.1, 0.3))),
    *({"part": "wald", "share": share, "n": n} for share in (0.5, 0.05) for n in (10, 50, 200)),
)  # fmt: skip


def run_cell(params: Params, n_trials: int, seed: int = 0) -> dict[str, Any]:
    """Means over the trials of one cell, with the parameters.

    Parameters
    ----------
    params : dict
        One of `CELLS`, or another with the same keys.
    n_trials, seed : int
        Trials, and where their seeds begin.
    """
    trial = TRIALS[params["part"]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = pd.DataFrame([trial(params, seed + i) for i in range(n_trials)])
    return {**params, "n_trials": n_trials, **found.astype(float).mean().to_dict()}


def main() -> None:
    """Run every cell and print a table for each part."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--part", choices=tuple(TRIALS))
    parser.add_argument("-o", "--output", help="a CSV of all cells")
    arguments = parser.parse_args()
    cells = [cell for cell in CELLS if arguments.part in (None, cell["part"])]
    rows = pd.DataFrame([run_cell(cell, arguments.trials) for cell in cells])
    for part, table in rows.groupby("part", sort=False):
        shown = table.dropna(axis=1, how="all").drop(columns="part")
        print(f"{part}\n{shown.to_string(index=False, float_format='{:.3f}'.format)}\n")
    if arguments.output:
        rows.to_csv(arguments.output, index=False)


if __name__ == "__main__":
    main()
