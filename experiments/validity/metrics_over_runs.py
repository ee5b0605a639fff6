"""Metrics that are no means of samples, over several runs: coverage, and width beside pooled rows.

Usage: python -m experiments.validity.metrics_over_runs [--trials 800] [--only REGEX] [--jobs 1]

Items x runs of two models. The evidence of a row is that of its item, its run and the rest; its
score is the evidence, on one scale or on a scale and level of each run ("by run"), as of trainings
or readers. The value of a run follows from its evidence in closed form: ROC AUC and macro F1 of two
classes, Spearman's correlation with a value, and the 95th percentile of lognormal numbers.
``generalize_to="items"`` is to cover the mean of the values of the runs at hand, "items+runs" that
of all runs, at 0.95. On one scale "width over pooled" is the median ratio of the width of "items"
to that of the intervals of all rows pooled. The table is written to
``results/metrics_over_runs.csv``; the lowest coverage is printed.
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
from scipy import special

import modelcompare as mc
from experiments.validity.by_cell import simulate
from experiments.validity.catalogue import cell_id
from modelcompare.engine.design import design_of

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "metrics_over_runs.csv"
WANTED, LEVEL, MOST = 0.935, 0.95, 1.05
METRICS = {
    "roc_auc": "roc_auc", "f1_macro": "f1_macro", "spearman": "spearman", "p95": "latency_ms_p95",
}  # fmt: skip
# Strength of the evidence of both models, and standard deviation of that of their runs.
STRENGTHS, SPREAD = (1.6, 1.2), 0.3
# Share of the rest's variance that the runs of a model have in common, by item.
SAME_ITEMS = 0.5
# Nodes of the mean over all runs.
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(40)


def cells() -> list[Params]:
    """Return all metrics on one scale and on scales by run."""
    return [
        {"metric": metric, "scale": scale, "items": items, "runs": runs, "of": of}
        for metric in METRICS
        for scale in ("same", "by run")
        for items, runs in ((60, 5), (200, 3))
        for of in ("score", "difference")
    ]


def value(metric: str, strength: Array) -> Array:
    """Return the value of runs with evidence of some strength, on the scale of the evidence."""
    if metric == "roc_auc":
        return special.ndtr(strength / np.sqrt(2))
    if metric == "f1_macro":
        return special.ndtr(strength / 2)  # both classes are as frequent, and as often right
    if metric == "spearman":
        return 6 / np.pi * np.arcsin(strength / np.hypot(1, strength) / 2)
    return np.exp(strength + special.ndtri(0.95))


def draw(rng: np.random.Generator, cell: Params) -> tuple[mc.Predictions, Array]:
    """Draw predictions of two models, and the values of their runs, (2, n_runs)."""
    n, n_runs, metric = cell["items"], cell["runs"], cell["metric"]
    item, run = (each.ravel() for each in np.indices((n, n_runs)))
    truth = rng.standard_normal(n) if metric == "spearman" else rng.integers(0, 2, n)
    # The true class moves evidence by its half on either side, a true value by itself.
    signal = truth if metric == "spearman" else truth - 0.5 if metric != "p95" else np.ones(n)
    strength = np.array(STRENGTHS)[:, None] + SPREAD * rng.standard_normal((2, n_runs))
    own = np.sqrt(1 - SAME_ITEMS) * rng.standard_normal((2, n, n_runs))
    rest = np.sqrt(SAME_ITEMS) * rng.standard_normal((2, n, 1)) + own
    evidence = signal[:, None] * strength[:, None] + rest
    values = value(metric, strength)
    factor = np.ones(n_runs) if cell["scale"] == "same" else 4.0 ** (np.arange(n_runs) - 1)
    columns = {"groups": item, "runs": run}
    if metric == "p95":
        numbers = dict(zip("ab", (np.exp(evidence) * factor).reshape(2, -1), strict=True))
        latencies = {m: {"latency_ms": x} for m, x in numbers.items()}
        return mc.Predictions.from_scores(latencies, **columns), values * factor
    if metric == "f1_macro":
        # A run's threshold is not at 0 where its scale differs, but decisions are the same.
        outputs, kind = (evidence > 0).astype(int), "labels"
    else:
        outputs, kind = evidence * factor + 3 * factor * (cell["scale"] != "same"), "values"
    models = dict(zip("ab", outputs.reshape(2, -1), strict=True))
    return mc.Predictions(truth[item], models, kind=kind, **columns), values


def interval(cell: Params, preds: mc.Predictions, generalize_to: str) -> tuple[float, float]:
    """Return the default interval of the first model's value, or of the difference."""
    result = mc.bootstrap(preds, METRICS[cell["metric"]], n_resamples=2, rng=0)
    found = replace(result, design=design_of(result.evaluation.predictions, generalize_to))
    if cell["of"] == "score":
        ends = found.score_interval("auto", LEVEL)
    else:
        ends = found.difference_interval(np.array([0]), np.array([1]), "auto", LEVEL)
    return float(ends.low[0, 0]), float(ends.high[0, 0])


def run_cell(cell: Params, n_trials: int, seed: int) -> dict[str, float]:
    """Return coverage and median widths of the intervals for these runs, and for new ones."""
    rng = np.random.default_rng(seed)
    every = value(cell["metric"], np.array(STRENGTHS)[:, None] + SPREAD * NODES)
    of_all = every @ WEIGHTS / WEIGHTS.sum()
    if cell["metric"] == "p95" and cell["scale"] != "same":
        of_all = of_all * np.mean(4.0 ** (np.arange(cell["runs"]) - 1))
    side = np.array([1, 0]) if cell["of"] == "score" else np.array([1, -1])
    rows = []
    for _ in range(n_trials):
        preds, values = draw(rng, cell)
        truths = {"items": values.mean(axis=1) @ side, "items+runs": of_all @ side}
        row: dict[str, float] = {}
        # Resampled values, such as quantiles, have no errors for new runs.
        for generalize_to in ("items",) if cell["metric"] == "p95" else ("items", "items+runs"):
            low, high = interval(cell, preds, generalize_to)
            row[f"covered, {generalize_to}"] = low <= truths[generalize_to] <= high
            row[f"width, {generalize_to}"] = high - low
        if cell["scale"] == "same":
            low, high = interval(cell, preds.with_columns(runs=None), "items")
            row["over"] = row["width, items"] / (high - low)
        rows.append(row)
    table = pd.DataFrame(rows)
    means = table.filter(like="covered").mean().to_dict()
    widths = table.filter(like="width").median().to_dict()
    over = table["over"].median() if "over" in table else np.nan
    return {"trials": n_trials, **means, **widths, "width over pooled": over}


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return a row of the table."""
    seed = zlib.crc32(cell_id({"kind": "metrics_over_runs", **cell}).encode())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pd.DataFrame([{**cell, **run_cell(cell, n_trials, seed)}])


def short(table: pd.DataFrame) -> pd.Series:
    """Return which rows cover less than wanted, or are wider than pooled rows."""
    covered = table.filter(like="covered").min(axis=1)
    return (covered < WANTED) | (table["width over pooled"] > MOST)


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the lowest coverage, and the largest ratio of widths, of each metric and scale."""
    parts = table.assign(short=short(table)).groupby(["metric", "scale"], sort=False)
    found = parts.agg(
        cells=("items", "size"), short=("short", "sum"),
        **{name: (name, "min") for name in table.columns if name.startswith("covered")},
        **{"width over pooled": ("width over pooled", "max")},
    )  # fmt: skip
    return found.set_axis([", ".join(key) for key in found.index])


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print the lowest coverage."""
    simulate(__doc__, cells(), simulated, verdict, RESULTS, arguments, short)


if __name__ == "__main__":
    main()
