"""Coverage and power after buying the labels that `sample_size` recommends beside a judge.

Usage: python -m experiments.validity.labels_to_buy [--trials 400] [--jobs 1]

Each trial draws a test set of two classes, two models and a judge, or three test sets, labels a
pilot at random, plans with the true difference as the margin, and buys the labels that are needed:
drawn at random, or by `SampleSize.queue` with its strata given to `compare`. Columns are the labels
in all of each set, the share of trials that need more samples than there are (left out of the
others), coverage of the true difference by 95 % intervals, its bias in standard errors, and the
share that find the difference, planned at 0.8. All rows are written to
``results/labels_to_buy.csv`` and printed.
"""

from __future__ import annotations

import argparse
import math
import warnings
import zlib
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

import modelcompare as mc
from experiments.validity.catalogue import cell_id
from experiments.validity.results import markdown
from modelcompare.data.checks import DataWarning
from modelcompare.report.writers.files import write_text

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "labels_to_buy.csv"
N_SAMPLES, SHARE = 4000, 0.3
ACCURACIES = {"a": 0.87, "b": 0.82}
# Share of the models' errors on samples that are hard for both.
HARD = 0.5


def worlds() -> list[Params]:
    """Return judges, pilots and metrics, of one test set and of three."""
    metrics = ("accuracy", "f1_macro")
    return [
        {"judge": judge, "pilot": pilot, "metric": metric}
        for judge, pilot, metric in product((0.8, 0.9, 0.98), (50, 100), metrics)
    ] + [
        {"judge": judge, "pilot": 50, "metric": metric, "sets": 3}
        for judge, metric in product((0.8, 0.98), metrics)
    ]


def drawn(world: Params, rng: np.random.Generator, n: int) -> tuple[Array, dict[str, Array], Array]:
    """Draw truth, answers of both models and verdicts."""
    truth = (rng.random(n) < SHARE).astype(int)
    share = HARD * (1 - ACCURACIES["a"])
    hard = rng.random(n) < share
    outputs = {}
    for model, accuracy in ACCURACIES.items():
        rate = (1 - accuracy - share) / (1 - share)
        outputs[model] = np.where(hard | (rng.random(n) < rate), 1 - truth, truth)
    return truth, outputs, np.where(rng.random(n) < world["judge"], truth, 1 - truth)


def true_difference(world: Params) -> float:
    """Return the difference in a very large test set."""
    truth, outputs, _ = drawn(world, np.random.default_rng(0), 4_000_000)
    a, b = (getattr(mc.metrics, world["metric"])(truth, outputs[model]) for model in "ab")
    return float(a - b)


def bought(
    world: Params, difference: float, trial: int
) -> dict[str, tuple[float, float, float, float, float] | None]:
    """Return labels, difference, error and interval of both ways to buy; None for too few."""
    rng = np.random.default_rng([zlib.crc32(cell_id({"kind": "labels", **world}).encode()), trial])
    names = [f"set {k}" for k in range(world.get("sets", 1))]
    sets = {name: (*drawn(world, rng, N_SAMPLES), rng.permutation(N_SAMPLES)) for name in names}

    def labelled(rows: dict[str, Array], strata: dict[str, Any] | None = None) -> Any:
        found = {}
        for name, (truth, outputs, judge, _) in sets.items():
            seen = np.full(N_SAMPLES, np.nan)
            seen[rows[name]] = truth[rows[name]]
            own = strata and strata[name]
            found[name] = mc.Predictions(seen, outputs, judge=judge, strata=own)
        return found if len(found) > 1 else found[names[0]]

    def first(n: int) -> dict[str, Array]:
        return {name: order[:n] for name, (*_, order) in sets.items()}

    before = world["pilot"]
    plan = mc.sample_size(labelled(first(before)), "a", "b", world["metric"], margin=difference)
    found: dict[str, Any] = {"random": None, "allocated": None}
    at_random, allocated = plan.frontier["n_items"].iloc[0], plan.n_needed_allocated
    if math.isfinite(at_random):
        # Some samples stay without a label, or there is no judge to speak of.
        n = int(np.clip(at_random, before, N_SAMPLES - 1))
        found["random"] = _compared(labelled(first(n)), world, n)
    if math.isfinite(allocated):
        n = int(np.clip(allocated, before, N_SAMPLES - 1))
        strata, rows = None, first(before)
        if n > before:
            queue = plan.queue(n - before, rng=rng).set_index("row").sort_index()
            own = dict(iter(queue.groupby("set"))) if len(names) > 1 else {names[0]: queue}
            strata = {name: each["stratum"] for name, each in own.items()}
            rows = {
                name: np.concatenate([rows[name], np.flatnonzero(each["label_next"])])
                for name, each in own.items()
            }
        found["allocated"] = _compared(labelled(rows, strata), world, n)
    return found


def _compared(predictions: Any, world: Params, n: int) -> Any:
    if isinstance(predictions, dict):
        row = mc.compare_groups(predictions, world["metric"]).pooled_differences.iloc[0]
        error = (row["ci_high"] - row["ci_low"]) / 3.92
    else:
        row = mc.compare(predictions, world["metric"]).differences.iloc[0]
        error = row["standard_error"]
    return n, row["difference"], error, row["ci_low"], row["ci_high"]


def simulated(world: Params, n_trials: int) -> list[Params]:
    """Return a row for each way to buy labels."""
    difference = true_difference(world)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mc.SparseDataWarning)
        warnings.simplefilter("ignore", DataWarning)
        trials = [bought(world, difference, trial) for trial in range(n_trials)]
    rows = []
    for way in ("random", "allocated"):
        kept = np.array([each[way] for each in trials if each[way] is not None])
        row = {**world, "way": way, "more samples": 1 - len(kept) / n_trials}
        if len(kept):
            n, found, error, low, high = kept.T
            row |= {
                "labels": np.median(n),
                "coverage": ((low <= difference) & (difference <= high)).mean(),
                "bias": ((found - difference) / error).mean(),
                "power": (low > 0).mean(),
            }
        rows.append(row)
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    found = Parallel(n_jobs=options.jobs)(
        delayed(simulated)(world, options.trials) for world in worlds()
    )
    table = pd.DataFrame([row for rows in found for row in rows])
    write_text(options.output, table.to_csv(index=False, float_format="%.5g"))
    print(markdown(table))


if __name__ == "__main__":
    main()
