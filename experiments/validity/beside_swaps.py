"""Looks without a margin: by the interval alone, and with the law of the swaps beside it.

Usage: python -m experiments.validity.beside_swaps [--trials 800] [--only REGEX] [--jobs 1]

Gates are asked 1, 2, 5 or 20 times while 1,000 samples come in, as in `experiments.validity.keep`.
With the law a gate opens only if the one-sided p-value of the studentized paired permutation test
is below the level of the look too. It counts all swaps for accuracy and for the recall of a class;
of macro F1 it draws 20 for each one that the level asks for, 9,999 at least. `share` is that of the
class, `disagreement` that of its members, or of all samples, which the models answer differently.
Power is at a gain that one gate shows with power 0.8 by the normal law, of a quarter of the trials.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

import modelcompare as mc
from experiments.validity.by_cell import simulate
from experiments.validity.keep import ALPHA, N_SAMPLES, N_STEPS, PLANS, _shares
from experiments.validity.keep_worlds import _COMBINED, BASE, SCREEN, rates_of
from modelcompare.comparison.planning import Settings
from modelcompare.plugins.ledgers.levels import level_of_look
from modelcompare.questions.gains import Gain

Params = dict[str, Any]
Counts = tuple[int, ...]
RESULTS = Path(__file__).resolve().parent / "results" / "beside_swaps.csv"
SWAPS, FEWEST = 20, 9_999
CELLS: list[Params] = [
    {"metric": metric, "share": share, "disagreement": disagreement}
    for metric, share, disagreement in (
        ("accuracy", 1.0, 0.1), ("recall", 0.03, 0.3), ("recall", 0.1, 0.1), ("recall", 0.1, 0.3),
        ("f1_macro", 1.0, 0.05), ("f1_macro", 1.0, 0.1), ("f1_macro", 1.0, 0.2),
    )
]  # fmt: skip


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return the rows of a cell."""
    rng = np.random.default_rng(zlib.crc32(str(cell).encode()))
    detectable = (1.645 + 0.842) * math.sqrt(cell["disagreement"] / (N_SAMPLES * cell["share"]))
    found: dict[str, dict[str, float]] = {}
    for what, gain, some in (("error", 0.0, n_trials), ("power", detectable, n_trials // 4)):
        steps = rng.multinomial(N_SAMPLES // N_STEPS, shares_of(cell, gain), (some, N_STEPS))
        paths = steps.cumsum(axis=1).tolist()
        for looks, spending in PLANS:
            asked = [opens(path, cell["metric"], looks, spending) for path in paths]
            alone, both = np.mean(asked, axis=0)
            row = found.setdefault(f"{spending}, {looks} looks", {})
            row |= {what: float(alone), f"{what} with the law": float(both)}
    _gain.cache_clear()
    rows = [{**cell, "plan": plan, "trials": n_trials, **row} for plan, row in found.items()]
    return pd.DataFrame(rows)


def shares_of(cell: Params, gain: float) -> np.ndarray:
    """Return shares of the eight cells of a test set."""
    share, disagreement = cell["share"], cell["disagreement"]
    if cell["metric"] != "recall":
        return _shares(rates_of(BASE, disagreement, gain, cell["metric"]))
    wins, losses = (disagreement + gain) / 2, (disagreement - gain) / 2
    agreed = 1 - disagreement
    inside = np.array([[0.45 * agreed, wins], [losses, 0.55 * agreed]]) * share
    outside = np.array([[0.94, 0.01], [0.01, 0.04]]) * (1 - share)
    return np.stack([outside, inside]).ravel()


def opens(path: list[list[int]], metric: str, looks: int, spending: Any) -> tuple[bool, bool]:
    """Return whether a gate opens at any look, by the interval alone and with the law."""
    alone = False
    for k in range(1, looks + 1):
        counts = tuple(path[k * N_STEPS // looks - 1])
        level = level_of_look(range(1, k + 1), looks, ALPHA, spending)
        if _is_open(counts, metric, level, early=k < looks):
            alone = True
            if _by_law(counts, metric, _n_swaps(metric, level)) < level:
                return True, True
    return alone, False


def _is_open(counts: Counts, metric: str, level: float, *, early: bool) -> bool:
    gain = _gain(counts, metric)
    # Far from its bound a gate is closed.
    if not gain.gain > -SCREEN * gain.contrast.error * float(ndtri(level)):
        return False
    return not (early and gain.too_early) and gain.bounds(level)[0] > 0


def _n_swaps(metric: str, level: float) -> int:
    return max(FEWEST, math.ceil(SWAPS / level)) if metric == "f1_macro" else FEWEST


@lru_cache(maxsize=4_000)
def _gain(counts: Counts, metric: str) -> Gain:
    truth, a, b = (np.repeat([each[k] for each in _COMBINED], counts) for k in range(3))
    preds = mc.Predictions(truth, {"a": a, "b": b}, labels=[0, 1])
    return Gain.of(
        preds,
        ("b", "a"),
        "recall[1]" if metric == "recall" else metric,
        Settings(method="auto", generalize_to="auto"),
    )


@lru_cache(maxsize=40_000)
def _by_law(counts: Counts, metric: str, n_swaps: int) -> float:
    """Return the p-value of the swaps, one-sided."""
    view = replace(_gain(counts, metric).contrast, alternative="greater", n_resamples=n_swaps)
    return float(view.test("studentized-permutation").p_value[0, 0])


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table without the settings that are the same everywhere."""
    return table.drop(columns="trials")


if __name__ == "__main__":
    simulate(__doc__, CELLS, simulated, verdict, RESULTS)
