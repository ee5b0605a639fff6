"""How fast the paper's studies are, on 100 models x 10,000 samples x 3 classes; ratios of one run.

Run: ``python experiments/benchmarks/studies.py``. Targets on 2 cores: variance_study with all seven
ratios, three pairs of metrics, intervals and the paper's three tests within 1.6 times the bare
matrix products of the study, and 2,500 times faster than the loop around scikit-learn;
agreement_study with the paper's t-test 120 times faster than scipy's t-tests of given replicates;
by permutation within twice the t-test's time, by the default test within four times. Tasks run in
turns, and medians are compared. The loops are cut short and scaled.
"""

from __future__ import annotations

import time

import numpy as np
from engine import SIX, medians, simulated
from scipy import stats
from sklearn.metrics import precision_recall_fscore_support

import modelcompare as mc
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.seeds import seed_sequence
from modelcompare.resampling.weights import BootstrapWeights

N_RESAMPLES = 1000
N_VALUES = 18


def products(preds: mc.Predictions) -> list[tuple[np.ndarray, np.ndarray]]:
    """Weights and statistics of the variance study, one pair of matrices for each ratio."""
    made = []
    for ratio in mc.studies.PAPER_RATIOS:
        part = preds.subset(np.arange(round(ratio * len(preds))))
        evaluation = Evaluation(part, resolve_metrics(SIX, part), collapse=False)
        weights = BootstrapWeights(evaluation.units, N_RESAMPLES, seed_sequence(0))
        drawn = [weights.draw_all(block) for block in range(weights.n_blocks)]
        made.append((np.vstack(drawn), evaluation.statistics()))
    return made


def replicate_loop(preds: mc.Predictions, n_samples: int, n_run: int = 3) -> float:
    """Seconds for replicates by a loop around scikit-learn, hard metrics twice for soft ones."""
    rng = np.random.default_rng(0)
    start = time.perf_counter()
    for _ in range(n_run):
        rows = rng.integers(0, n_samples, n_samples)
        for model in preds.models[:5]:
            precision_recall_fscore_support(
                preds.access.codes[rows], preds.predicted(model)[rows], zero_division=np.nan
            )
    per_call = (time.perf_counter() - start) / (n_run * 5)
    return 2 * per_call * N_RESAMPLES * len(preds.models)


def t_test_loop(n_pairs: int, n_run: int = 200) -> float:
    """Seconds for scipy's t-test of given replicates, for every pair and value."""
    x, y = np.random.default_rng(0).normal(size=(2, N_RESAMPLES))
    start = time.perf_counter()
    for _ in range(n_run):
        stats.ttest_ind(x, y, equal_var=False)
    return (time.perf_counter() - start) * n_pairs * N_VALUES / n_run


def permutation_loop(preds: mc.Predictions, n_pairs: int, n_run: int = 10) -> float:
    """Seconds for swapping outputs and calling scikit-learn for each pair, twice for soft ones."""
    rng = np.random.default_rng(0)
    a, b = (preds.predicted(model) for model in preds.models[:2])
    start = time.perf_counter()
    for _ in range(n_run):
        swap = rng.random(len(preds)) < 0.5
        for x, y in ((a, b), (b, a)):
            precision_recall_fscore_support(
                preds.access.codes, np.where(swap, x, y), zero_division=np.nan
            )
    return 2 * (time.perf_counter() - start) / n_run * N_RESAMPLES * n_pairs


def variance(preds: mc.Predictions) -> None:
    """The variance study beside its matrix products and beside a loop."""
    matrices = products(preds)
    found = medians({
        "products": lambda: [drawn @ matrix for drawn, matrix in matrices],
        "study": lambda: mc.studies.variance_study(preds, n_resamples=N_RESAMPLES),
    })  # fmt: skip
    floor, study = found["products"], found["study"]
    loop = sum(
        replicate_loop(preds, round(ratio * len(preds))) for ratio in mc.studies.PAPER_RATIOS
    )
    print("variance_study, 7 ratios, 3 pairs of metrics, F, Bartlett, Levene")
    print(f"  bare products {floor:.2f} s; study {study:.2f} s: {study / floor:.2f} times them")
    print(f"  scikit-learn loop, replicates alone {loop:,.0f} s: {loop / study:,.0f} x")


def agreement(preds: mc.Predictions) -> None:
    """The agreement study by every test."""
    n_pairs = len(preds.models) * (len(preds.models) - 1) // 2
    tests = ("t", "permutation", "studentized-permutation", "sign-flip", "bootstrap", "wald")
    found = medians({
        test: lambda test=test: mc.studies.agreement_study(
            preds, test=test, n_resamples=N_RESAMPLES)
        for test in tests
    }, 3)  # fmt: skip
    t, swaps = found["t"], found["permutation"]
    t_loop, swap_loop = t_test_loop(n_pairs), permutation_loop(preds, n_pairs)
    whole = replicate_loop(preds, len(preds)) + t_loop
    print(f"agreement_study, {n_pairs:,} pairs of models, {N_VALUES} values")
    print(f"  t {t:.2f} s; scipy's loop over given replicates {t_loop:,.0f} s: {t_loop / t:,.0f} x")
    print(f"  with scikit-learn's loop for the replicates {whole:,.0f} s: {whole / t:,.0f} x")
    print(f"  permutation {swaps:.2f} s; loop {swap_loop:,.0f} s: {swap_loop / swaps:,.0f} x")
    for test in tests[1:]:
        print(f"  {test} {found[test]:.2f} s: {found[test] / t:.1f} times the t-test")


if __name__ == "__main__":
    made = simulated(10_000, 100)
    variance(made)
    agreement(made)
