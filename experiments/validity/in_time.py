"""Samples in time, in blocks of consecutive ones: coverage, gates and tests of the defaults.

Usage: python -m experiments.validity.in_time [--trials 800] [--only REGEX] [--jobs 1]

Errors of two forecasts, correlated, are autoregressive series with the
coefficient 0, 0.3 or 0.7; so are the scores of two classifiers, whose answers are their signs.
For each metric: how often the interval of a value, and of the difference, holds its true value,
with the blocks of `in_time_blocks` and without any; beside it, of means, the percentile interval
of the stationary bootstrap with the length of Politis and White; how often a gate at the margin
of the true difference opens (0.05), and how often the default test finds a difference between
equal models (0.05). Trials with fewer than ten blocks have a warning, and are counted apart
("warned").
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.signal import lfilter

import modelcompare as mc
from experiments.validity.by_cell import simulate
from experiments.validity.catalogue import cell_id
from experiments.validity.two_models import LEVEL, extremes, holds, shares, short, trial, values
from modelcompare.plugins.time.blocks import _length

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "in_time.csv"
BURN_IN, MANY, N_DRAWS = 200, 1_000_000, 400
METRICS = {"forecasts": ("mae", "rmse"), "classifiers": ("accuracy", "f1_macro")}


def cells() -> list[Params]:
    """Return all worlds, coefficients, lengths and gaps."""
    return [
        {"world": world, "coefficient": rho, "n": n, "gap": gap}
        for world in METRICS for rho in (0.0, 0.3, 0.7) for n in (60, 200, 1000)
        for gap in (0.0, 0.3)
    ]  # fmt: skip


def draw(rng: np.random.Generator, cell: Params, n: int) -> mc.Predictions:
    """Draw a series and the outputs of two models, in the order of time."""
    rho = cell["coefficient"]
    noise = rng.standard_normal((4, n + BURN_IN))
    series = lfilter([np.sqrt(1 - rho**2)], [1, -rho], noise)[:, BURN_IN:]
    common, own = series[0], series[1:3]
    errors = np.sqrt(0.5) * (common + own)
    if cell["world"] == "forecasts":
        outputs = {"a": errors[0], "b": (1 + cell["gap"]) * errors[1]}
        return mc.Predictions(np.zeros(n), outputs, kind="values")
    truth = (series[3] > 0).astype(int)
    right = errors + np.array([[0.8], [0.8 - cell["gap"]]]) > 0
    outputs = {m: np.where(each, truth, 1 - truth) for m, each in zip("ab", right, strict=True)}
    return mc.Predictions(truth, outputs, labels=[0, 1])


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return a row for each metric."""
    rng = np.random.default_rng(zlib.crc32(cell_id({"kind": "in_time", **cell}).encode()))
    metrics = METRICS[cell["world"]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        truth = np.asarray(values(draw(rng, cell, MANY), metrics).point)
        trials = [_trial(rng, cell, metrics, truth) for _ in range(n_trials)]
    found = shares(trials, {name: place for place, name in enumerate(metrics)})
    return pd.DataFrame([cell] * len(found)).join(found)


def _trial(
    rng: np.random.Generator, cell: Params, metrics: Sequence[str], truth: Array
) -> dict[str, Array]:
    plain = draw(rng, cell, cell["n"])
    preds = mc.io.in_time_blocks(plain, np.arange(cell["n"]))
    naive = values(plain, metrics).score_interval("auto", LEVEL)
    stationary = _stationary(rng, plain, truth[0, 0])
    return {
        **trial(preds, metrics, truth, equal=cell["gap"] == 0),
        "without blocks": holds(naive.low[0], naive.high[0], truth[0]),
        "stationary bootstrap": np.array([stationary, np.nan]),
    }


def _stationary(rng: np.random.Generator, preds: mc.Predictions, truth: float) -> float:
    """Return whether percentiles of stationary bootstraps of the mean loss hold the true value."""
    output, n = preds.output("a").array, len(preds)
    loss = (
        np.abs(output)
        if preds.access.codes is None
        else (output == preds.access.codes).astype(float)
    )
    # The stationary bootstrap needs a shorter mean length than the circular one.
    length = max(1.0, _length(loss) * (2 / 3) ** (1 / 3))
    starts = rng.integers(0, n, (N_DRAWS, n))
    fresh = rng.random((N_DRAWS, n)) < 1 / length
    fresh[:, 0] = True
    first = np.maximum.accumulate(np.where(fresh, np.arange(n), 0), axis=1)
    rows = (np.take_along_axis(starts, first, axis=1) + np.arange(n) - first) % n
    low, high = np.quantile(loss[rows].mean(axis=1), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low <= truth <= high)


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the extremes by world and coefficient."""
    return extremes(table, ["world", "coefficient"], ["without blocks", "stationary bootstrap"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print the extremes."""
    simulate(__doc__, cells(), simulated, verdict, RESULTS, arguments, short)


if __name__ == "__main__":
    main()
