"""Intervals and standard errors from sketches beside those of all samples: cells of the grid."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import modelcompare as mc

Params = dict[str, Any]
METRICS = ("accuracy", "f1_macro", "cf1_macro", "log_loss")
SHARES = (0.6, 0.3, 0.1)
SKILLS = {"a": 1.5, "b": 1.4}
_LARGE = 1_000_000


def cells(tier: str) -> list[Params]:
    """Few and many samples in few and many buckets."""
    sizes = (5000,) if tier == "quick" else (1000, 5000, 50_000)
    return [{"n": n, "buckets": buckets} for n in sizes for buckets in (128, 1024)]


def run_cell(params: Params, n_trials: int, seed: int) -> dict[str, dict[str, float]]:
    """Coverage of the intervals, and how far the standard errors are from those of all samples.

    The spread is that of their quotient; 1 / sqrt(2 buckets) is what the docstring promises.
    """
    seeds = np.random.SeedSequence(seed).generate_state(n_trials)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = pd.concat([trial(params, int(s)) for s in seeds])
    means: dict[str, dict[str, float]] = {}
    for name, part in found.groupby(level=0):
        quotient = part["error"] / part["error of all"]
        means[str(name)] = {
            "covered": part["covered"].mean(),
            "covered by all samples": part["covered by all"].mean(),
            "width over that of all": (part["width"] / part["width of all"]).mean(),
            "error over that of all": quotient.mean(),
            "spread of it": quotient.std(),
            "spread that is promised": 1 / np.sqrt(2 * params["buckets"]),
        }
    return means


def trial(params: Params, seed: int) -> pd.DataFrame:
    """One test set: a row for each metric's score of model a, and for its difference from b."""
    preds = drawn(params["n"], seed)
    truth = population()
    sketched = mc.io.sketch(preds, METRICS, buckets=params["buckets"], salt=str(seed))
    # Intervals from influences need no resamples.
    whole, part = (mc.bootstrap(p, METRICS, n_resamples=2) for p in (preds, sketched))
    pair = np.array([0]), np.array([1])
    rows = {}
    for quantity in ("score", "difference"):
        true = truth[0] if quantity == "score" else truth[0] - truth[1]
        found: dict[str, Any] = {}
        for which, result in (("", part), (" of all", whole)):
            if quantity == "score":
                interval = result.score_interval("auto", 0.95)
                error = result.moments.standard_error()
            else:
                interval = result.difference_interval(*pair, "auto", 0.95)
                error = result.moments.standard_error(pair)
            low, high = interval.low[0], interval.high[0]
            covered = "covered by all" if which else "covered"
            found |= {
                covered: (low <= true) & (true <= high),
                f"width{which}": high - low,
                f"error{which}": error[0],
            }
        for place, metric in enumerate(METRICS):
            rows[f"{metric} {quantity}"] = {name: float(x[place]) for name, x in found.items()}
    return pd.DataFrame.from_dict(rows, orient="index")


def drawn(n: int, seed: int) -> mc.Predictions:
    """Two models of three classes that mostly err on the same samples."""
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=SHARES)
    common = rng.normal(size=(n, 3))
    outputs = {}
    for model, skill in SKILLS.items():
        logits = 0.9 * common + 0.45 * rng.normal(size=(n, 3))
        logits[np.arange(n), y] += skill
        odds = np.exp(logits)
        outputs[model] = odds / odds.sum(axis=1, keepdims=True)
    return mc.Predictions(y, outputs, labels=range(3))


@cache
def population() -> np.ndarray:
    """Values of both models, of shape (n_models, n_metrics)."""
    return mc.bootstrap(drawn(_LARGE, 2**31), METRICS, n_resamples=2).point
