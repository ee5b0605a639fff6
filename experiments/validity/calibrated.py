"""Intervals of models calibrated across folds of the same samples, and tests of two such models.

Usage: python -m experiments.validity.calibrated [--trials 800] [--only REGEX] [--jobs 1]

Two models of overconfident probabilities, of 3 or 10 classes: logits of the true class are raised,
and all are multiplied, by a number for each model. The truth are the values under the maps that a
large population gives. For cF1 macro and log loss: coverage of the intervals of values and of the
difference, allowing for the fit, and (`fixed`) of intervals of the same probabilities that take the
maps for given. Where both models are of one law, how often they are found different. Cells that
fall short are simulated again in five times as many trials.
"""

from __future__ import annotations

import warnings
import zlib
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import softmax

import modelcompare as mc
from experiments.validity.by_cell import simulate

Params = dict[str, Any]
RESULTS = Path(__file__).resolve().parent / "results" / "calibrated.csv"
METRICS = ["cf1_macro", "log_loss"]
N_WHOLE, WANTED, LARGEST = 200_000, 0.935, 0.06
# Times that logits are multiplied by, of both models.
OVER = {"equal": (2.0, 2.0), "unlike": (1.5, 3.0)}


def cells() -> list[Params]:
    """Return numbers of samples and classes, maps, and laws of the two models."""
    found = [
        {"samples": n, "classes": classes, "method": "temperature", "laws": laws}
        for n, classes, laws in product((200, 1000), (3, 10), OVER)
    ]
    others = ("vector", 1000), ("beta", 1000), ("isotonic", 1000)
    return found + [
        {"samples": n, "classes": 3, "method": method, "laws": "unlike"} for method, n in others
    ]


def draw(rng: np.random.Generator, cell: Params, n: int) -> mc.Predictions:
    """Draw samples with both models' probabilities."""
    classes = cell["classes"]
    truth, hard = rng.integers(0, classes, n), rng.standard_normal((n, classes))
    outputs = {}
    for name, over in zip("ab", OVER[cell["laws"]], strict=True):
        logits = 0.7 * hard + 0.7 * rng.standard_normal((n, classes))
        logits[np.arange(n), truth] += 1.5 + 0.3 * (cell["laws"] == "unlike") * (name == "b")
        outputs[name] = softmax(over * logits, axis=1)
    return mc.Predictions(truth, outputs, labels=np.arange(classes))


@cache
def true_values(classes: int, method: str, laws: str) -> np.ndarray:
    """Return the values of both models in the population, (2, n_metrics)."""
    cell = {"classes": classes, "laws": laws}
    whole = draw(np.random.default_rng(0), cell, N_WHOLE)
    other = draw(np.random.default_rng(1), cell, N_WHOLE)
    return mc.bootstrap(mc.calibrated(whole, method, on=other), METRICS, n_resamples=2).point


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return the rows of a cell, one for each metric."""
    rng = np.random.default_rng(zlib.crc32(str(cell).encode()))
    truth = true_values(cell["classes"], cell["method"], cell["laws"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trials = [_trial(draw(rng, cell, cell["samples"]), cell, truth) for _ in range(n_trials)]
    means = pd.concat(trials).groupby("metric", as_index=False).mean()
    return pd.DataFrame([{**cell, **row, "trials": n_trials} for row in means.to_dict("records")])


def _trial(preds: mc.Predictions, cell: Params, truth: np.ndarray) -> pd.DataFrame:
    """Return whether intervals contain the true values, with the fit and without it."""
    fitted = mc.calibrated(preds, cell["method"], folds=5)
    fixed = mc.Predictions(
        preds.y_true, {m: fitted.probabilities(m) for m in preds.models}, labels=preds.labels
    )
    found = []
    for of, name in ((fitted, ""), (fixed, ", fixed")):
        result = mc.compare(of, METRICS, n_resamples=199, test="wald")
        rows = []
        for place, metric in enumerate(METRICS):
            scores = result.scores[result.scores["metric"] == metric]
            (apart,) = result.differences[result.differences["metric"] == metric].itertuples()
            true = truth[0, place] - truth[1, place]
            covered = (scores["ci_low"] <= truth[:, place]) & (truth[:, place] <= scores["ci_high"])
            rows.append({
                f"score{name}": covered.mean(),
                f"difference{name}": float(apart.ci_low <= true <= apart.ci_high),
                f"width{name}": (scores["ci_high"] - scores["ci_low"]).mean(),
                f"rejected{name}": float(apart.p_value < 0.05),
            })  # fmt: skip
        found.append(pd.DataFrame(rows, index=pd.Index(METRICS, name="metric")))
    return pd.concat(found, axis=1).reset_index()


def short(rows: pd.DataFrame) -> pd.Series:
    """Return which rows cover less than wanted, or reject more often where models are equal."""
    covers = rows[["score", "difference"]].min(axis=1)
    return (covers < WANTED) | ((rows["laws"] == "equal") & (rows["rejected"] > LARGEST))


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of all cells."""
    return table.set_index(["samples", "classes", "method", "laws", "metric"])


if __name__ == "__main__":
    simulate(__doc__, cells(), simulated, verdict, RESULTS, short=short, resumes=("calibrated",))
