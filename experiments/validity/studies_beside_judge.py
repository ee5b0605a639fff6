"""Studies beside a judge: spread of replicates, ratios of variances, and changes of confidences.

Usage: python -m experiments.validity.studies_beside_judge [--trials 800] [--only REGEX] [--jobs 1]

Samples, of two classes, differ in how hard they are, for a model with probabilities and for a judge
of their classes; people labelled a part of them. The truth is the variance of the F1 and cF1 over
new samples and labels, and the change of the cF1 in the whole population where confidences are
sharpened (temperature 0.5). For both metrics: the mean variance of a study's replicates over that
truth; how often the intervals of the ratio of variances and of the change contain the true ones.
Cells that fall short are simulated again in five times as many trials.
"""

from __future__ import annotations

import warnings
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

import modelcompare as mc
from experiments.validity.by_cell import simulate

Params = dict[str, Any]
RESULTS = Path(__file__).resolve().parent / "results" / "studies_beside_judge.csv"
PAIRS, METRICS = [("f1:1", "cf1:1")], ["f1:1", "cf1:1"]
N_TRUTH, N_WHOLE, N_RESAMPLES, WANTED = 2000, 400_000, 200, 0.935
SHARP: dict[str, Any] = {"temperatures": [0.5], "noises": []}


def cells() -> list[Params]:
    """Return numbers of samples and labels, with and without clusters of five samples."""
    return [
        {"samples": samples, "labels": labels, "design": design}
        for samples, labels in ((400, 100), (400, 300), (2000, 100), (2000, 300))
        for design in ("samples", "clusters")
    ]


def draw(rng: np.random.Generator, cell: Params, *, whole: bool = False) -> mc.Predictions:
    """Draw one model's probabilities, with labels of some samples or of the whole population."""
    n = N_WHOLE if whole else cell["samples"]
    cluster = np.arange(n) // (5 if cell["design"] == "clusters" else 1)
    easy = np.sqrt([0.5, 0.5]) @ [rng.standard_normal(n), rng.standard_normal(n)[cluster]]
    truth = (rng.random(n) < 0.4).astype(int)
    p = expit((2 * truth - 1) * (1.2 + easy) + 0.7 * rng.standard_normal(n))
    outputs = {"model": np.c_[1 - p, p]}
    if whole:
        return mc.Predictions(truth, outputs, labels=[0, 1])
    verdict = np.where(1.5 + easy + rng.standard_normal(n) > 0, truth, 1 - truth)
    seen = np.where(rng.permutation(n) < cell["labels"], truth, np.nan)
    groups = cluster if cell["design"] == "clusters" else None
    return mc.Predictions(seen, outputs, judge=verdict, labels=[0, 1], groups=groups)


@cache
def true_change(design: str) -> float:
    """Return the change of the cF1 in the whole population."""
    whole = draw(np.random.default_rng(0), {"design": design}, whole=True)
    p = whole.probabilities("model")
    sharp = p**2 / (p**2).sum(axis=1, keepdims=True)
    both = mc.Predictions(np.asarray(whole.y_true), {"sharp": sharp, "own": p}, labels=[0, 1])
    point = mc.bootstrap(both, METRICS[1:], n_resamples=2).point
    return float((point[0] - point[1])[0])


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return the row of a cell."""
    rng = np.random.default_rng(zlib.crc32(str(cell).encode()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = [_point(draw(rng, cell)) for _ in range(N_TRUTH)]
        truth = np.var(values, axis=0, ddof=1)
        trials = [_trial(draw(rng, cell), truth, cell) for _ in range(n_trials)]
    return pd.DataFrame([{**cell, **pd.DataFrame(trials).mean(), "trials": n_trials}])


def _point(preds: mc.Predictions) -> np.ndarray:
    """Return the values of both metrics, as `compare` has them."""
    return mc.compare(preds, METRICS, n_resamples=2).scores["estimate"].to_numpy()


def _trial(preds: mc.Predictions, truth: np.ndarray, cell: Params) -> dict[str, float]:
    """Return variances over their truth, and whether the intervals contain the true values."""
    study = mc.studies.variance_study(
        preds, PAIRS, ratios=[1.0], n_resamples=N_RESAMPLES, tests=["f"]
    )
    f1, cf1 = study.distribution["variance"].to_numpy() / truth
    (row,) = study.variance_ratios.itertuples()
    changes = mc.studies.sensitivity_study(preds, METRICS[1:], **SHARP).table
    (change,) = changes[changes["label"] == 1].itertuples()
    true = true_change(cell["design"])
    return {
        "variance, f1": f1, "variance, cf1": cf1,
        "covered, ratio": float(row.ci_low <= truth[0] / truth[1] <= row.ci_high),
        "covered, change": float(change.ci_low <= true <= change.ci_high),
    }  # fmt: skip


def short(rows: pd.DataFrame) -> pd.Series:
    """Return which rows cover less than wanted."""
    return rows[["covered, ratio", "covered, change"]].min(axis=1) < WANTED


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of all cells."""
    return table.set_index(["samples", "labels", "design"])


if __name__ == "__main__":
    simulate(__doc__, cells(), simulated, verdict, RESULTS, short=short,
             resumes=("studies_beside_judge",))  # fmt: skip
