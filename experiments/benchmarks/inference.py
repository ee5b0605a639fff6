"""How fast families of tests, order metrics and draws are; ratios and times of one run.

Run: ``python experiments/benchmarks/inference.py``. Targets on 2 cores: max-T over all pairs of 50
models, f1_macro, 10,000 resamples at n = 10,000 in under 5 s; ROC AUC of 2 models, n = 10,000, 1000
resamples 150 times faster than a scikit-learn loop (cut short and scaled). Runs of what is compared
take turns.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from engine import seconds, simulated
from scipy.stats import kendalltau, spearmanr
from sklearn.metrics import average_precision_score, roc_auc_score

import modelcompare as mc
from modelcompare.resampling.seeds import seed_sequence
from modelcompare.resampling.weights import BootstrapWeights, Units

N_SAMPLES, N_RESAMPLES = 10_000, 1000
REFERENCES = {
    "roc_auc": roc_auc_score,
    "average_precision": average_precision_score,
    "spearman": lambda y, p: spearmanr(y, p).statistic,
    "kendall": lambda y, p: kendalltau(y, p).statistic,
}


def max_t() -> None:
    """All pairs of fifty models."""
    preds = simulated(10_000, 50)
    took = seconds(
        lambda: mc.compare(
            preds, "f1_macro", correction="max-t", test="wald", method="normal",
            n_resamples=10_000,
        ),
        1,
    )  # fmt: skip
    print("max-T, 50 models (1,225 pairs), f1_macro, 10,000 resamples, n = 10,000")
    print(f"  replicates, intervals and step-down together {took:.2f} s")


def outputs(metric: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Truth and two models' scores."""
    rng = np.random.default_rng(0)
    if metric in ("spearman", "kendall"):
        y = rng.standard_normal(N_SAMPLES)
        noise = rng.standard_normal((2, N_SAMPLES))
        return y, {"a": y + noise[0], "b": y + 1.1 * noise[1]}
    y = rng.integers(0, 2, N_SAMPLES)
    noise = rng.random((2, N_SAMPLES))
    return y, {"a": 0.7 * noise[0] + 0.3 * y, "b": 0.7 * noise[1] + 0.27 * y}


def turns(roads: dict[str, Callable[[], float]], n_turns: int = 5) -> dict[str, float]:
    """Return median seconds of each way, timed in turns."""
    taken = [[road() for road in roads.values()] for _ in range(n_turns)]
    return dict(zip(roads, np.median(taken, axis=0).tolist(), strict=True))


def order_metric(metric: str, n_run: int = 5) -> None:
    """Two models under one order metric."""
    y, scores = outputs(metric)
    preds = mc.Predictions(y, scores, kind="values")
    rng = np.random.default_rng(1)

    def loop() -> float:
        start = time.perf_counter()
        for _ in range(n_run):
            rows = rng.integers(0, N_SAMPLES, N_SAMPLES)
            for score in scores.values():
                REFERENCES[metric](y[rows], score[rows])
        return (time.perf_counter() - start) * N_RESAMPLES / n_run

    tasks = {
        "bootstrap": lambda: mc.bootstrap(preds, metric, n_resamples=N_RESAMPLES, rng=0),
        "compare": lambda: mc.compare(preds, metric, n_resamples=N_RESAMPLES, rng=0),
    }
    found = turns(
        {"loop": loop} | {name: partial(seconds, task, 1) for name, task in tasks.items()}
    )
    print(f"{metric}, 2 models, n = {N_SAMPLES:,}, {N_RESAMPLES} resamples")
    for name, took in found.items():
        print(f"  {name:18s} {took:8.3f} s {found['loop'] / took:8,.0f} x")


def draws() -> None:
    """Nanoseconds of a weight."""
    print("draws, n = 10,000")
    generator = np.random.Generator(np.random.SFC64(0))
    shape = (128, N_SAMPLES)
    roads = {"Generator.poisson": lambda: seconds(lambda: generator.poisson(1.0, shape), 1)}
    for scheme in ("multinomial", "poisson"):
        weights = BootstrapWeights(Units(N_SAMPLES), 128, seed_sequence(0), scheme)
        roads[scheme] = partial(
            seconds, lambda weights=weights: [*weights.parts(0, counts=True)], 1
        )
    for name, took in turns(roads, 9).items():
        print(f"  {name:20s} {took * 1e9 / math.prod(shape):6.2f} ns a weight")


if __name__ == "__main__":
    max_t()
    for metric in REFERENCES:
        order_metric(metric)
    draws()
