"""How fast the engine is, against what one would do instead; ratios of one run.

Run: ``python experiments/benchmarks/engine.py``. Targets at n = 10,000 and 3 classes: 1 model,
f1_macro, 1000 resamples at least 100 times faster than a scikit-learn loop; 100 models, six
metrics, 1000 resamples within 2 times the bare matrix product; 2 models, n = 1,000,000, 10,000
resamples at least 2000 times faster than the loop. Loops are cut short and scaled.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from scipy import stats
from sklearn.metrics import f1_score

import modelcompare as mc
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.seeds import seed_sequence
from modelcompare.resampling.weights import BootstrapWeights

SIX = ["precision", "recall", "f1", "cprecision", "crecall", "cf1"]


def seconds(task: Callable[[], object], repeats: int = 3) -> float:
    """Best time of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times)


def medians(tasks: dict[str, Callable[[], object]], repeats: int = 5) -> dict[str, float]:
    """Median time of each task, run in turns: a busy machine is as busy for all."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(repeats):
        for name, task in tasks.items():
            start = time.perf_counter()
            task()
            times[name].append(time.perf_counter() - start)
    return {name: float(np.median(found)) for name, found in times.items()}


def simulated(n_samples: int, n_models: int, *, labels_only: bool = False) -> mc.Predictions:
    """Models of spread-out skills on three classes."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 3, n_samples)
    outputs = {}
    for i in range(n_models):
        logits = rng.standard_normal((n_samples, 3), dtype=np.float32)
        logits[np.arange(n_samples), y_true] += 1 + i / n_models
        weights = np.exp(logits)
        probs = weights / weights.sum(axis=1, keepdims=True)
        outputs[f"m{i:02}"] = probs.argmax(axis=1) if labels_only else probs
    return mc.Predictions(y_true, outputs)


def sklearn_loop(preds: mc.Predictions, n_resamples: int, n_run: int) -> float:
    """Seconds that the loop around scikit-learn would take, from `n_run` of its resamples."""
    rng = np.random.default_rng(0)
    start = time.perf_counter()
    for _ in range(n_run):
        rows = rng.integers(0, len(preds), len(preds))
        for model in preds.models:
            f1_score(preds.access.codes[rows], preds.predicted(model)[rows], average="macro")
    return (time.perf_counter() - start) * n_resamples / n_run


def one_model() -> None:
    """One model against a scikit-learn loop and scipy.stats.bootstrap."""
    preds = simulated(10_000, 1)
    model = preds.models[0]
    ours = seconds(lambda: mc.bootstrap(preds, "f1_macro", n_resamples=1000))
    loop = sklearn_loop(preds, 1000, 100)

    def statistic(index: np.ndarray) -> float:
        rows = index.astype(int)
        return f1_score(preds.access.codes[rows], preds.predicted(model)[rows], average="macro")

    start = time.perf_counter()
    stats.bootstrap((np.arange(10_000),), statistic, n_resamples=100, vectorized=False,
                    method="percentile")  # fmt: skip
    scipys = (time.perf_counter() - start) * 10
    print("1 model, n = 10,000, f1_macro, 1000 resamples")
    print(f"  modelcompare {ours:.4f} s; scikit-learn loop {loop:.2f} s: {loop / ours:,.0f} x")
    print(f"  scipy.stats.bootstrap {scipys:.2f} s: {scipys / ours:,.0f} x")


def hundred_models() -> None:
    """Hundred models against the bare product."""
    preds = simulated(10_000, 100)
    part = Evaluation(preds, resolve_metrics(SIX, preds))
    weights = BootstrapWeights(part.units, 1000, seed_sequence(0))
    matrix = part.statistics()
    drawn = np.vstack([weights.draw_all(block) for block in range(weights.n_blocks)])
    found = medians({"product": lambda: drawn @ matrix, "ours": lambda: part.replicates(weights)})
    product, ours = found["product"], found["ours"]
    print("100 models, n = 10,000, 3 classes, 6 metrics, 1000 resamples")
    print(f"  bare product {product:.3f} s; replicates with draws and formulas {ours:.3f} s: "
          f"{ours / product:.2f} times the product")  # fmt: skip


def million_samples() -> None:
    """Two models on a million samples."""
    preds = simulated(1_000_000, 2, labels_only=True)
    ours = seconds(lambda: mc.bootstrap(preds, "f1_macro", n_resamples=10_000))
    loop = sklearn_loop(preds, 10_000, 3)
    print("2 models, n = 1,000,000, f1_macro, 10,000 resamples")
    print(f"  modelcompare {ours:.3f} s; scikit-learn loop {loop:,.0f} s: {loop / ours:,.0f} x")


if __name__ == "__main__":
    one_model()
    hundred_models()
    million_samples()
