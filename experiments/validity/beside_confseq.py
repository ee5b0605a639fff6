"""Bounds of a gain at any time, beside those of the package confseq.

Usage: python -m experiments.validity.beside_confseq [--trials 800] [--only REGEX] [--jobs 1]

A candidate changes 0.05, 0.1 or 0.2 of the answers, and its gain in accuracy is 0 or one that a
gate of 1,000 samples shows with power 0.8. Bounds at the one-sided level 0.05 are ours, by fixed
bets (`modelcompare gate --looks any`), and those of `confseq.betting` (0.0.11), by predictable
bets: its default, empirical Bernstein's, and its hedged Kelly bets. Error: the share of streams in
which a bound is above the true gain at any time from the 20th sample on; power: in which it is
above 0 by then; distance: of the estimate from the last bound, the mean of the first 50 streams.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.validity.by_cell import simulate
from experiments.validity.keep import ALPHA, N_SAMPLES, log_wealths
from modelcompare.plugins.any_time.betting import betting_bound

# confseq uses a name that numpy 2 has not.
vars(np).setdefault("float_", np.float64)
betting, strategies = (import_module(f"confseq.{x}") for x in ("betting", "betting_strategies"))

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "beside_confseq.csv"
FIRST, N_DISTANCES, BREAKS = 20, 50, 500
NUMBERS = np.array([-1.0, 0.0, 1.0])
THEIRS: dict[str, Callable[[Array, float], Array]] = {
    "confseq, empirical Bernstein": lambda x, _: strategies.lambda_predmix_eb(x, alpha=ALPHA),
    "confseq, approximate Kelly": strategies.lambda_aKelly,
}


def cells() -> list[Params]:
    """Return all shares of changed answers, and gains."""
    return [
        {"disagreement": share, "gain": gain} for share in (0.05, 0.1, 0.2)
        for gain in (0.0, 2.487 * math.sqrt(share / N_SAMPLES))
    ]  # fmt: skip


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return a row for each family of bets."""
    rng = np.random.default_rng(zlib.crc32(str(cell).encode()))
    share, gain = cell["disagreement"], cell["gain"]
    chances = [(share - gain) / 2, 1 - share, (share + gain) / 2]
    streams = rng.choice(NUMBERS, (n_trials, N_SAMPLES), p=chances)
    rows = []
    for name in ("ours", *THEIRS):
        most = {at: np.array([largest(name, x, at) for x in streams]) for at in (gain, 0.0)}
        distances = [x.mean() - last_bound(name, x) for x in streams[:N_DISTANCES]]
        rows.append({
            **cell, "bets": name, "trials": n_trials,
            "error": float((most[gain] > -math.log(ALPHA)).mean()),
            "power": float((most[0.0] > -math.log(ALPHA)).mean()) if gain else np.nan,
            "distance": float(np.mean(distances)),
        })  # fmt: skip
    return pd.DataFrame(rows)


def largest(name: str, stream: Array, threshold: float) -> float:
    """Return the logarithm of the largest wealth of bets that a mean is above a threshold."""
    if name == "ours":
        counts = np.stack([(stream == x).cumsum() for x in NUMBERS])
        return float(log_wealths(counts, threshold)[FIRST - 1 :].max())
    wealth = betting.diversified_betting_mart(
        (stream + 1) / 2, (threshold + 1) / 2, [THEIRS[name]], alpha=ALPHA, theta=1
    )
    return float(np.log(wealth[FIRST - 1 :].max()))


def last_bound(name: str, stream: Array) -> float:
    """Return the lower bound after all samples."""
    if name == "ours":
        counts = np.array([(stream == x).sum() for x in NUMBERS], dtype=float)
        return betting_bound(NUMBERS, counts, -1.0, 1.0, ALPHA)
    found = betting.betting_lower_cs((stream + 1) / 2, [THEIRS[name]], alpha=ALPHA, breaks=BREAKS)
    return float(2 * found[-1] - 1)


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the largest error, the least power and the mean distance of each family of bets."""
    return table.groupby("bets", sort=False).agg(
        cells=("gain", "size"), error=("error", "max"), power=("power", "min"),
        distance=("distance", "mean"),
    ).reset_index()  # fmt: skip


if __name__ == "__main__":
    simulate(__doc__, cells(), simulated, verdict, RESULTS)
