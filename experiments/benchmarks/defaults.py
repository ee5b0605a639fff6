"""What the defaults cost beside those they replaced: ratios of one run.

Run: ``python experiments/benchmarks/defaults.py``. Ten models of 150 classes on 4,500 samples, by
the default metrics and by the F1 of each class: the default test and interval beside sign flips and
BCa. Target: at most twice the time.
"""

from __future__ import annotations

import time
import warnings

import numpy as np

import modelcompare as mc

METRICS = (["accuracy", "f1_macro", "cf1_macro"], ["f1"])
FORMER = {"test": "sign-flip", "method": "BCa"}


def intents(n: int = 4_500, n_classes: int = 150, n_models: int = 10) -> mc.Predictions:
    """Models that find nine queries in ten, and mostly agree on which."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % n_classes
    common = rng.gumbel(size=(n, n_classes))
    outputs = {}
    for model in range(n_models):
        scores = 0.8 * common + 0.4 * rng.gumbel(size=(n, n_classes)) + 7 * np.eye(n_classes)[y]
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        outputs[f"m{model}"] = odds / odds.sum(axis=1, keepdims=True)
    return mc.Predictions(y, outputs)


def seconds(preds: mc.Predictions, metrics: list[str], options: dict[str, str]) -> float:
    """Wall time of one comparison."""
    start = time.perf_counter()
    mc.compare(preds, metrics, n_resamples=1_999, **options)
    return time.perf_counter() - start


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    seconds(intents(n=100, n_classes=10), METRICS[0], {})  # Imports are no part of either.
    made = intents()
    print(
        "10 models x 150 classes, n = 4,500, 1,999 resamples: today's defaults, beside the former"
    )
    for metrics in METRICS:
        now, then = (seconds(made, metrics, options) for options in ({}, FORMER))
        print(f"  {', '.join(metrics)}: {now:.1f} s, {then:.1f} s: {now / then:.2f} of its time")
