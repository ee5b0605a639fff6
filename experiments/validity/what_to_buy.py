"""Power at the numbers of items and runs that `sample_size` recommends, from exact and real pilots.

Usage: python -m experiments.validity.what_to_buy [--trials 2000] [--pilots 60] [--jobs 1]

Normal scores of two models that are sums of an item, a run and the rest, with shared or separate
runs. ``exact`` rows take the recommendation from the true components: the items for 2, 3, 5 and 10
runs, and the cheapest numbers. New test sets and runs of that size are then drawn and tested as
`compare` does, at the margin that was planned for. ``pilot`` rows draw pilots of 100 items and 3, 5
or 10 runs and take the items that each recommends with ten runs, whose true power is computed: both
vary from pilot to pilot. All rows are written to ``results/what_to_buy.csv`` and printed.
"""

from __future__ import annotations

import argparse
import math
import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.special import stdtrit

import modelcompare as mc
from experiments.validity.catalogue import cell_id
from experiments.validity.results import markdown
from modelcompare.engine.crossed import CrossedTables, CrossedVariances
from modelcompare.questions.components import Components, Size
from modelcompare.questions.frontier import Frontier
from modelcompare.report.writers.files import write_text

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "what_to_buy.csv"
ALPHA, POWER = 0.05, 0.8
# Variance of an item of a difference, and of single results of each model; costs of an item, a run.
ITEMS, REST = 0.05, 0.09
COST_ITEM, COST_RUN = 1.0, 50.0
# Runs of the recommendations of pilots.
PLANNED_RUNS = 10
# Results of all models that are drawn at once.
AT_ONCE = 2_000_000
MARGINS = {0.0: 0.05, 0.02: 0.05, 0.05: 0.1, 0.15: 0.3}


def worlds() -> list[Params]:
    """Return shared and separate runs at all spreads of runs, each with a margin to detect."""
    return [
        {"runs": runs, "spread": spread, "margin": margin}
        for runs in ("shared", "separate")
        for spread, margin in MARGINS.items()
    ]


def components(world: Params) -> Components:
    """Return the true components of a difference."""
    n = 1 if world["runs"] == "shared" else 2
    of_runs = world["spread"] ** 2 * 2 / n
    return Components(ITEMS, (of_runs,) * n, (2 * REST / n,) * n)


def planned(world: Params, of: Components, size: Size) -> Frontier:
    """Return the frontier of a pilot of a size."""
    return Frontier(
        components=of, size=size, margin=world["margin"], alpha=ALPHA, power=POWER,
        cost_item=COST_ITEM, cost_run=COST_RUN,
    )  # fmt: skip


def real_power(world: Params, size: Size, n_trials: int, rng: np.random.Generator) -> float:
    """Return the share of new test sets and runs on which the margin is found, with its sign."""
    of, found, done = components(world), 0, 0
    n_items, n_runs = int(size.items), int(size.runs)
    step = max(AT_ONCE // (n_items * n_runs * len(of.runs)), 1)
    while done < n_trials:
        n = min(step, n_trials - done)
        items = math.sqrt(of.items) * rng.standard_normal((n, n_items, 1))
        tables = [
            math.sqrt(runs) * rng.standard_normal((n, 1, n_runs))
            + math.sqrt(rest) * rng.standard_normal((n, n_items, n_runs))
            for runs, rest in zip(of.runs, of.rest, strict=True)
        ]
        tables[0] += items
        every = CrossedVariances.of(CrossedTables(tables, np.arange(len(tables))))
        pairs = None if len(tables) == 1 else (np.array([0]), np.array([1]))
        variance, degrees = every.layers(pairs).variance[:, 0]
        means = [table.mean(axis=(1, 2)) for table in tables]
        t = (means[0] - sum(means[1:]) + world["margin"]) / np.sqrt(variance)
        found += int((t > stdtrit(degrees, 1 - ALPHA / 2)).sum())
        done += n
    return found / n_trials


def exact(world: Params, n_trials: int) -> list[Params]:
    """Return rows of recommendations from the true components, with their real power."""
    plan = planned(world, components(world), Size(1, 100, 5))
    cheapest = plan._cheapest
    sizes = [size for size in plan._rungs["runs"][:4] if size.items <= 20_000]
    rows = []
    for size in [*sizes, *([] if cheapest is None or cheapest.items > 20_000 else [cheapest])]:
        name = {"kind": "exact", **world, "n_runs": size.runs, "n_items": size.items}
        rng = np.random.default_rng(zlib.crc32(cell_id(name).encode()))
        power = real_power(world, size, n_trials, rng)
        rows.append(
            {
                **name,
                "cheapest": "yes" if size is cheapest else "",
                "cost": plan._cost(size),
                "power": power,
            }
        )
    return rows


def drawn(world: Params, size: Size, rng: np.random.Generator) -> mc.Predictions:
    """Draw a pilot: scores whose difference has the components of the world."""
    n_items, n_runs = int(size.items), int(size.runs)
    items = math.sqrt(ITEMS) * rng.standard_normal((n_items, 1))
    scores = {
        model: items * (model == "a")
        + world["spread"] * rng.standard_normal(n_runs)
        + math.sqrt(REST) * rng.standard_normal((n_items, n_runs))
        for model in "ab"
    }
    item, run = np.repeat(np.arange(n_items), n_runs), np.tile(np.arange(n_runs), n_items)
    separate = {model: np.char.add(model, run.astype(str)) for model in "ab"}
    return mc.Predictions.from_scores(
        {model: x.ravel() for model, x in scores.items()}, groups=item, greater_is_better=True,
        runs=run if world["runs"] == "shared" else separate,
    )  # fmt: skip


def pilots(world: Params, n_runs: int, n_pilots: int) -> Params:
    """Return how far the recommendations of pilots vary, and their true power."""
    size, of = Size(1, 100, n_runs), components(world)
    name = {"kind": "pilot", **world, "n_runs": n_runs, "n_items": 100}
    rng = np.random.default_rng(zlib.crc32(cell_id(name).encode()))
    plan = planned(world, of, size)
    needed, powers = [], []
    for _ in range(n_pilots):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", mc.SparseDataWarning)
            found = mc.sample_size(
                drawn(world, size, rng), "a", "b", "mean_score", margin=world["margin"]
            )
        chosen = found._solved("items", size._replace(runs=PLANNED_RUNS))
        needed.append(chosen.items)
        if math.isfinite(chosen.items):
            powers.append(of.power(chosen, world["margin"], ALPHA))
    row = {**name, "exact": plan._solved("items", size._replace(runs=PLANNED_RUNS)).items}
    for end, share in (("low", 0.1), ("middle", 0.5), ("high", 0.9)):
        row[f"items, {end}"] = np.quantile(needed, share, method="lower")
        row[f"power, {end}"] = np.quantile(powers, share) if powers else math.nan
    return {**row, "none is enough": 1 - len(powers) / n_pilots}


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=2000, help="tests of an exact row")
    parser.add_argument("--pilots", type=int, default=60, help="pilots of each row")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    rows = [
        row
        for found in Parallel(n_jobs=options.jobs)(
            delayed(exact)(world, options.trials) for world in worlds()
        )
        for row in found
    ]
    rows += Parallel(n_jobs=options.jobs)(
        delayed(pilots)(world, n_runs, options.pilots)
        for world in worlds()
        for n_runs in (3, 5, 10)
    )
    table = pd.DataFrame(rows)
    write_text(options.output, table.to_csv(index=False, float_format="%.5g"))
    for _, part in table.groupby("kind", sort=False):
        print(markdown(part.drop(columns="kind").dropna(axis=1, how="all").reset_index(drop=True)))


if __name__ == "__main__":
    main()
