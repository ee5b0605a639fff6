"""How fast the paper's studies are, on 100 models x 10,000 samples x 3 classes; ratios of one run.

Run: ``python experiments/benchmarks/studies.py``. Targets on 2 cores: variance_study with all seven
ratios, three pairs of metrics, intervals and the paper's three tests within 3 times the bare matrix
products of the study; agreement_study under 1.5 s with the paper's t-test and under 4 s with the
permutation test, at least 500 times faster than the loop around scikit-learn and scipy. The loops
are cut short and scaled.
"""

from __future__ import annotations

import time

import numpy as np
from engine import SIX, seconds, simulated
from scipy import stats
from sklearn.metrics import precision_recall_fscore_support

import modelcompare as mc
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling import BootstrapWeights, seed_sequence

N_RESAMPLES = 1000


def bare_products(preds: mc.Predictions) -> float:
    """Seconds for the matrix products of the variance study and nothing else."""
    total = 0.0
    for ratio in mc.PAPER_RATIOS:
        part = preds.subset(np.arange(round(ratio * len(preds))))
        evaluation = Evaluation(part, resolve_metrics(SIX, part), collapse=False)
        matrix = evaluation.statistics()
        weights = BootstrapWeights(evaluation.units, N_RESAMPLES, seed_sequence(0))
        drawn = np.vstack([weights.draw_all(block) for block in range(weights.n_blocks)])
        total += seconds(lambda matrix=matrix, drawn=drawn: drawn @ matrix)
    return total


def replicate_loop(preds: mc.Predictions, n_run: int = 3) -> float:
    """Seconds for the replicates of the agreement study by a loop, hard metrics twice for soft."""
    rng = np.random.default_rng(0)
    start = time.perf_counter()
    for _ in range(n_run):
        rows = rng.integers(0, len(preds), len(preds))
        for model in preds.models[:5]:
            precision_recall_fscore_support(
                preds.codes[rows], preds.predicted(model)[rows], zero_division=np.nan
            )
    per_call = (time.perf_counter() - start) / (n_run * 5)
    return 2 * per_call * N_RESAMPLES * len(preds.models)


def t_test_loop(n_pairs: int, n_run: int = 100) -> float:
    """Seconds for scipy's t-test on every pair and value."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, N_RESAMPLES, 18))
    start = time.perf_counter()
    for _ in range(n_run):
        stats.ttest_ind(x, y, equal_var=False)
    return (time.perf_counter() - start) * n_pairs / n_run


def permutation_loop(preds: mc.Predictions, n_pairs: int, n_run: int = 10) -> float:
    """Seconds for swapping outputs and calling scikit-learn for each pair, twice for soft ones."""
    rng = np.random.default_rng(0)
    a, b = (preds.predicted(model) for model in preds.models[:2])
    start = time.perf_counter()
    for _ in range(n_run):
        swap = rng.random(len(preds)) < 0.5
        for x, y in ((a, b), (b, a)):
            precision_recall_fscore_support(preds.codes, np.where(swap, x, y), zero_division=np.nan)
    return 2 * (time.perf_counter() - start) / n_run * N_RESAMPLES * n_pairs


def main() -> None:
    """Print times and ratios."""
    preds = simulated(10_000, 100)
    n_pairs = 100 * 99 // 2
    products = bare_products(preds)
    study = seconds(lambda: mc.variance_study(preds, n_resamples=N_RESAMPLES))
    print("variance_study, 7 ratios, 3 pairs of metrics, F, Bartlett, Levene")
    times = study / products
    print(f"  bare products {products:.2f} s; study {study:.2f} s: {times:.2f} times them")
    loop = replicate_loop(preds)
    with_t = seconds(lambda: mc.agreement_study(preds, test="t", n_resamples=N_RESAMPLES))
    t_loop = loop + t_test_loop(n_pairs)
    print("agreement_study, 4,950 pairs of models, 18 values")
    print(f"  t-test {with_t:.2f} s; loop {t_loop:,.0f} s: {t_loop / with_t:,.0f} x")
    swapped = seconds(lambda: mc.agreement_study(preds, test="permutation"), 2)
    swap_loop = permutation_loop(preds, n_pairs)
    print(f"  permutation {swapped:.2f} s; loop {swap_loop:,.0f} s: {swap_loop / swapped:,.0f} x")
    for test in ("sign-flip", "bootstrap", "wald"):
        print(f"  {test} {seconds(lambda t=test: mc.agreement_study(preds, test=t), 2):.2f} s")


if __name__ == "__main__":
    main()
