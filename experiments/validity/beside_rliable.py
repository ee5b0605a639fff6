"""Means over tasks with few runs: percentile intervals, as of rliable, and ours.

Usage: python -m experiments.validity.beside_rliable [--trials 4000] [--show]

Each task has one score of each run. Scores are normal with spreads that differ between the tasks,
or skewed (of beta distributions), and the runs of a task are independent of those of others; or all
tasks have the same runs, and a run is lucky on all of them ("same runs"). The mean over these tasks
has an interval from resamples of the runs within each task (percentile bootstrap, stratified, 2,000
resamples), and ours of ``Predictions.from_scores`` by what it is given: the tasks as `strata`, the
runs as clusters (`groups`), or tasks as items with `runs`, which is for new tasks too and so wide.
Coverage at 0.95 and median widths are written to ``results/beside_rliable.csv`` (ten minutes on one
core); ``--show`` prints what is there.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import modelcompare as mc
from experiments.validity.results import markdown
from modelcompare.report.writers.files import write_text

RESULTS = Path(__file__).resolve().parent / "results" / "beside_rliable.csv"
SAME_RUNS = "same runs"
CELLS = [*product(("normal", "skewed", SAME_RUNS), (5, 20), (3, 5, 10))]
N_RESAMPLES, LEVEL = 2_000, 0.95
# Test sets that are models of one call.
AT_ONCE = 200

Ends = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def draw(
    world: str, shape: tuple[int, int, int], rng: np.random.Generator
) -> tuple[np.ndarray, float]:
    """Draw scores (n_trials, n_runs, n_tasks), and return the true mean over the tasks."""
    if world == "skewed":
        means = np.linspace(0.2, 0.8, shape[2])
        return rng.beta(2 * means, 2 * (1 - means), shape), 0.5
    noise = rng.normal(size=shape) * np.linspace(0.5, 1.5, shape[2])
    if world == SAME_RUNS:
        noise = noise + rng.normal(size=(*shape[:2], 1))
    return noise + np.arange(shape[2]), (shape[2] - 1) / 2


def percentile(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the percentile interval of the mean of (n_runs, n_tasks), by runs within tasks."""
    chosen = rng.integers(0, len(x), (N_RESAMPLES, *x.shape))
    means = np.take_along_axis(np.broadcast_to(x, chosen.shape), chosen, axis=1).mean(axis=(1, 2))
    return np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])


def ours(x: np.ndarray, declared: Mapping[str, str]) -> np.ndarray:
    """Return the default intervals of the means of tables (n_trials, n_runs, n_tasks).

    `declared` has the axis, run or task, of arguments of `Predictions.from_scores`.
    """
    run, task = (each.ravel() for each in np.indices(x.shape[1:]))
    columns = {name: {"run": run, "task": task}[axis] for name, axis in declared.items()}
    preds = mc.Predictions.from_scores(
        {f"m{place}": table.ravel() for place, table in enumerate(x)},
        greater_is_better=True, **columns,
    )  # fmt: skip
    found = mc.compare(preds, baseline="m0", n_resamples=2, test="wald").scores
    return found.set_index("model").loc[preds.models, ["ci_low", "ci_high"]].to_numpy().T


INTERVALS: dict[str, Ends] = {
    "percentile": lambda x, rng: np.array([percentile(each, rng) for each in x]).T,
    "tasks as strata": lambda x, _: ours(x, {"strata": "task"}),
    "runs as clusters": lambda x, _: ours(x, {"groups": "run"}),
    "new tasks too": lambda x, _: ours(x, {"groups": "task", "runs": "run"}),
}


def run_cell(world: str, n_tasks: int, n_runs: int, n_trials: int) -> dict[str, Any]:
    """Return coverage and median width of all intervals."""
    rng = np.random.default_rng([len(world), n_tasks, n_runs])
    x, truth = draw(world, (n_trials, n_runs, n_tasks), rng)
    found: dict[str, Any] = {"scores": world, "tasks": n_tasks, "runs": n_runs, "trials": n_trials}
    for name, ends in INTERVALS.items():
        parts = np.array_split(x, -(-n_trials // AT_ONCE))
        low, high = np.concatenate([ends(part, rng) for part in parts], axis=1)
        found[f"covered, {name}"] = float(((low <= truth) & (truth <= high)).mean())
        found[f"width, {name}"] = float(np.median(high - low))
    return found


def shown(table: pd.DataFrame) -> str:
    """Return the coverage of each interval, and its width over the percentile one's."""
    rows = {}
    for _, row in table.iterrows():
        least = row["width, percentile"]
        rows[f"{row['scores']}, {row['tasks']} tasks, {row['runs']} runs"] = {
            name: f"{row[f'covered, {name}']:.3f} ({row[f'width, {name}'] / least:.1f})"
            for name in INTERVALS
        }
    return markdown(pd.DataFrame.from_dict(rows, orient="index"))


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table and print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=4_000, help="of a cell")
    parser.add_argument("--show", action="store_true", help="print what was simulated")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    if not options.show:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", mc.SparseDataWarning)
            table = pd.DataFrame([run_cell(*cell, options.trials) for cell in CELLS])
        write_text(options.output, table.to_csv(index=False, float_format="%.5g"))
    print(shown(pd.read_csv(options.output)))


if __name__ == "__main__":
    main()
