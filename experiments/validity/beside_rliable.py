"""Means over fixed tasks with few runs: percentile intervals, as of rliable, and the default.

Usage: python -m experiments.validity.beside_rliable [--trials 4000]

Each task has one score of each run; runs of a task are independent, and tasks differ in spread. The
mean over the tasks has an interval from resamples of the runs within each task (percentile
bootstrap, stratified, 2,000 resamples), and the default one of ``Predictions.from_scores(...,
strata=task)``. Coverage at 0.95 and mean widths are written to ``results/beside_rliable.csv``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

import modelcompare as mc
from experiments.validity.results import markdown
from modelcompare.report.writers.files import write_text

RESULTS = Path(__file__).resolve().parent / "results" / "beside_rliable.csv"
CELLS = [(tasks, runs) for tasks in (5, 20) for runs in (3, 5, 10)]
N_RESAMPLES, LEVEL = 2_000, 0.95


def percentile(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the percentile interval of the mean of (n_runs, n_tasks), by runs within tasks."""
    chosen = rng.integers(0, len(x), (N_RESAMPLES, *x.shape))
    means = np.take_along_axis(np.broadcast_to(x, chosen.shape), chosen, axis=1).mean(axis=(1, 2))
    return np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])


def default(x: np.ndarray) -> np.ndarray:
    """Return the default intervals of the means of tables (n_trials, n_runs, n_tasks)."""
    preds = mc.Predictions.from_scores(
        {f"m{place}": table.ravel() for place, table in enumerate(x)},
        strata=np.tile(np.arange(x.shape[2]), x.shape[1]), greater_is_better=True,
    )  # fmt: skip
    found = mc.bootstrap(preds, "mean_score", n_resamples=2).score_interval("auto", LEVEL)
    return np.stack([found.low[:, 0], found.high[:, 0]])


def run_cell(n_tasks: int, n_runs: int, n_trials: int) -> dict[str, float]:
    """Return coverage and mean width of both intervals."""
    rng = np.random.default_rng([n_tasks, n_runs])
    noise = rng.normal(size=(n_trials, n_runs, n_tasks)) * np.linspace(0.5, 1.5, n_tasks)
    x, truth = noise + np.arange(n_tasks), (n_tasks - 1) / 2
    ends = {"percentile": np.array([percentile(each, rng) for each in x]).T, "default": default(x)}
    found: dict[str, float] = {"tasks": n_tasks, "runs": n_runs, "trials": n_trials}
    for name, (low, high) in ends.items():
        found[f"covered, {name}"] = float(((low <= truth) & (truth <= high)).mean())
        found[f"width, {name}"] = float((high - low).mean())
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table and print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=4_000, help="of a cell")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    table = pd.DataFrame([run_cell(*cell, options.trials) for cell in CELLS])
    write_text(options.output, table.to_csv(index=False, float_format="%.5g"))
    print(markdown(table.set_index(["tasks", "runs"])))


if __name__ == "__main__":
    main()
