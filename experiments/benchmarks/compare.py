"""How long `compare` takes beside the loop that one would write; ratios of one run.

Run: ``python experiments/benchmarks/compare.py``. The loop resamples rows and calls scikit-learn
on them: intervals of every model (differences follow from the same resamples), and a paired
permutation test of every pair with as many swaps. `compare` draws the swaps, and the resamples
where an interval is made of them (percentile); its default intervals are in closed form. The loop
is cut short and scaled. Runs of both take turns; ratios are medians. Targets: two models,
n = 10,000, macro F1 500 times faster than the loop; the F1 and the cF1 of each of 150 classes of 10
models 150 times.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import numpy as np
from defaults import intents
from engine import simulated
from sklearn.metrics import f1_score

import modelcompare as mc

ROUNDS = 7


def seconds(task: Callable[[], object]) -> float:
    """Wall time of one run."""
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def ratio(
    ours: Callable[[], object], loop: Callable[[], object], n_scaled: float, rounds: int = ROUNDS
) -> str:
    """Median time of ours, and how many times as long the loop takes; runs of both take turns."""
    times = np.array([(seconds(ours), n_scaled * seconds(loop)) for _ in range(rounds)])
    mine, theirs = np.median(times, axis=0)
    faster = np.median(times[:, 1] / times[:, 0])
    return f"modelcompare {mine:.4f} s; scikit-learn loop {theirs:,.1f} s: {faster:,.0f} x"


def f1_and_cf1(codes: np.ndarray, predicted: np.ndarray, probs: np.ndarray | None) -> None:
    """Macro F1; with probabilities the F1 and the cF1 of each class."""
    if probs is None:
        f1_score(codes, predicted, average="macro")
        return
    k = probs.shape[1]
    f1_score(codes, predicted, average=None, labels=np.arange(k), zero_division=0)
    own = probs[np.arange(len(codes)), codes]
    hits, support = np.bincount(codes, own, k), np.bincount(codes, minlength=k)
    2 * hits / (probs.sum(axis=0) + support)


def evaluated(preds: mc.Predictions, *, soft: bool) -> Callable[[], None]:
    """One model's values on one resample, of which loops are made."""
    model, rng = preds.models[0], np.random.default_rng(0)

    def once() -> None:
        rows = rng.integers(0, len(preds), len(preds))
        probs = preds.probabilities(model)[rows] if soft else None
        f1_and_cf1(preds.access.codes[rows], preds.predicted(model)[rows], probs)

    return once


def two_models() -> None:
    """Macro F1 of two models, with few resamples and with as many as by default."""
    preds = simulated(10_000, 2, labels_only=True)
    once = evaluated(preds, soft=False)
    for n_resamples in (1_000, 9_999):
        print(f"2 models, n = 10,000, f1_macro, compare() with {n_resamples:,} resamples")
        for method in ("auto", "percentile"):
            options = {"n_resamples": n_resamples, "method": method}
            found = ratio(
                lambda options=options: mc.compare(preds, "f1_macro", **options),
                once,
                4 * n_resamples,
            )
            print(f"  {method} intervals: {found}")


def many_classes(n_resamples: int = 999) -> None:
    """Ten models of 150 classes: the replicates alone, and all of `compare`."""
    preds, metrics = intents(), ["f1", "cf1"]
    once, n_pairs = evaluated(preds, soft=True), 45
    print(f"10 models x 150 classes, n = 4,500, f1 and cf1, {n_resamples} resamples")
    found = ratio(
        lambda: mc.bootstrap(preds, metrics, n_resamples=n_resamples), once, 10 * n_resamples
    )
    print(f"  replicates: {found}")
    found = ratio(
        lambda: mc.compare(preds, metrics, n_resamples=n_resamples),
        once,
        (10 + 2 * n_pairs) * n_resamples,
        rounds=3,
    )
    print(f"  intervals and tests of 45 pairs: {found}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    mc.compare(simulated(100, 2), "f1_macro", n_resamples=20)  # Imports are no part of either.
    two_models()
    many_classes()
