"""How fast families of tests and order metrics are; ratios and times of one run.

Run: ``python experiments/benchmarks/inference.py``. Targets on 2 cores: max-T over all pairs of 50
models, f1_macro, 10,000 resamples at n = 10,000 in under 5 s; ROC AUC of 2 models, n = 10,000, 1000
resamples at least 60 times faster than a scikit-learn loop (cut short and scaled).
"""

from __future__ import annotations

import time

import numpy as np
from engine import seconds, simulated
from sklearn.metrics import roc_auc_score

import modelcompare as mc
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling import BootstrapWeights, seed_sequence


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


def auc(n_run: int = 20) -> None:
    """Two models' AUC."""
    rng = np.random.default_rng(0)
    n = 10_000
    y = rng.integers(0, 2, n)
    noise = rng.random((2, n))
    skills = {"a": 1.0, "b": 0.9}
    scores = {
        model: np.clip(0.7 * noise[place] + 0.3 * y * skill, 0, 1)
        for place, (model, skill) in enumerate(skills.items())
    }
    preds = mc.Predictions(y, scores, kind="probabilities")
    evaluation = Evaluation(preds, resolve_metrics("roc_auc", preds))
    weights = BootstrapWeights(evaluation.units, 1000, seed_sequence(0))
    ours = seconds(lambda: evaluation.replicates(weights), 5)
    start = time.perf_counter()
    for _ in range(n_run):
        rows = rng.integers(0, n, n)
        for score in scores.values():
            roc_auc_score(y[rows], score[rows])
    loop = (time.perf_counter() - start) * 1000 / n_run
    print("ROC AUC, 2 models, n = 10,000, 1000 resamples")
    print(f"  modelcompare {ours:.3f} s; scikit-learn loop {loop:.2f} s: {loop / ours:,.0f} x")


if __name__ == "__main__":
    max_t()
    auc()
