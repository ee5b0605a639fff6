"""Size and power of paired tests where classes are rare, clusters few and values equal.

Usage: python tests_on_sparse_data.py [--trials 800] [--only NAME] [-o FILE]. It prints a line for
each cell as it is done and writes ``sparse_tests.csv``: the share of trials in which a test
rejects at 0.05.

Three kinds of cells. "exchangeable": two models of one kind; of a family (all classes of a metric,
Holm) the share of trials with any rejection. "equal": values that are equal in the population of
models that differ, one precise and the other with high recall. "power": a better and a worse one.
"""

from __future__ import annotations

import argparse
import os
import re
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from scipy.special import ndtr

import modelcompare as mc
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.significance import run_test
from modelcompare.significance.pairwise import PairView
from modelcompare.significance.studentized import studentized_permutation, swap_statistic

HERE = Path(__file__).resolve().parent
ALPHA = 0.05
N_SWAPS = 999
A, B = np.array([0]), np.array([1])
TESTS = ("studentized", "normal", "permutation", "sign-flip", "wald")


@dataclass(frozen=True)
class Cell:
    """One population, one metric and what is true of the two models."""

    name: str
    kind: str
    metric: str
    draw: Callable[[np.random.Generator], mc.Predictions]


def p_values(
    preds: mc.Predictions, metric: str, seed: int, tests: tuple[str, ...] = TESTS
) -> dict[str, np.ndarray]:
    """p-values of each test, one for each value of the metric.

    "normal" takes the studentized difference for a normal number.
    """
    metrics = resolve_metrics([metric], preds)
    part = Evaluation(preds, metrics, collapse=False)
    view = PairView.of(part, A, B, N_SWAPS, np.random.SeedSequence(seed))
    run_one: dict[str, Callable[[], np.ndarray]] = {
        "studentized": lambda: studentized_permutation(view).p_value,
        "normal": lambda: 2 * ndtr(-np.abs(swap_statistic(part, metrics[0], A, B).observed)),
        **{test: lambda test=test: run_test(test, view).p_value for test in TESTS[2:]},
    }
    return {test: run_one[test]()[0] for test in tests}


def rejects(p: np.ndarray) -> float:
    """Whether Holm's method finds any value to differ; NaN if none could be tested."""
    if np.isnan(p).all():
        return np.nan
    return float(np.nanmin(p) * np.count_nonzero(~np.isnan(p)) <= ALPHA)


def run(cell: Cell, n_trials: int, tests: tuple[str, ...] = TESTS) -> dict[str, object]:
    """Share of trials in which each test rejects."""
    shares: dict[str, list[float]] = {test: [] for test in tests}
    start = time.perf_counter()
    for trial in range(n_trials):
        preds = cell.draw(np.random.default_rng([trial, 7]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = p_values(preds, cell.metric, trial, tests)
        for test, p in found.items():
            shares[test].append(rejects(p[-1:] if cell.kind != "exchangeable" else p))
    row: dict[str, object] = {"cell": cell.name, "kind": cell.kind, "metric": cell.metric}
    row |= {test: round(float(np.nanmean(found)), 4) for test, found in shares.items()}
    row |= {"trials": n_trials, "seconds": round(time.perf_counter() - start, 1)}
    return row


# -- populations ------------------------------------------------------------------------------


def predictions(y: np.ndarray, a: np.ndarray, b: np.ndarray, k: int, **columns) -> mc.Predictions:
    """Two models' labels, or the probabilities of the last of two classes."""
    if a.dtype.kind == "f" and a.ndim == 1:
        a, b = np.column_stack([1 - a, a]), np.column_stack([1 - b, b])
    return mc.Predictions(y, {"a": a, "b": b}, labels=range(k), **columns)


def rare_classes(n_classes: int, support: int, right: float = 0.6) -> Callable[..., mc.Predictions]:
    """Exchangeable models on classes of equal, small support."""

    def draw(rng: np.random.Generator) -> mc.Predictions:
        y = np.repeat(np.arange(n_classes), support)
        n = len(y)
        outputs = [np.where(rng.random(n) < right, y, rng.integers(0, n_classes, n)) for _ in "ab"]
        return predictions(y, *outputs, n_classes)

    return draw


def two_classes(
    n: int,
    positives: float,
    first: tuple[float, float],
    second: tuple[float, float],
    *,
    soft: float = 0.0,
    weights: bool = False,
) -> Callable[..., mc.Predictions]:
    """Two classes; each model's (recall, precision) of the positive one.

    With `soft` the models give probabilities, Beta with these means and this concentration.
    """
    share = positives / n

    def draw(rng: np.random.Generator) -> mc.Predictions:
        y = (rng.random(n) < share).astype(int)
        if not y.any():
            y[0] = 1
        outputs = []
        for recall, precision in (first, second):
            false_alarms = share * recall * (1 / precision - 1) / (1 - share)
            mean = np.clip(np.where(y == 1, recall, false_alarms), 1e-4, 1 - 1e-4)
            drawn = (
                rng.beta(mean * soft, (1 - mean) * soft)
                if soft
                else (rng.random(n) < mean).astype(int)
            )
            outputs.append(np.clip(drawn, 1e-9, 1 - 1e-9) if soft else drawn)
        columns = {"sample_weight": rng.lognormal(0, 1, n)} if weights else {}
        return predictions(y, *outputs, 2, **columns)

    return draw


def paired_classes(
    n: int,
    n_classes: int,
    lean: float,
    *,
    soft: float = 0.0,
    zipf: float = 0.0,
    better: float = 0.0,
) -> Callable[..., mc.Predictions]:
    """Classes in pairs: one model leans to the first of a pair, the other to the second.

    Equal macro averages by symmetry; `better` is what the first model is more often right.
    """
    half = n_classes // 2
    mass = np.repeat(1.0 / np.arange(1, half + 1) ** zipf, 2)
    mass /= mass.sum()

    def draw(rng: np.random.Generator) -> mc.Predictions:
        y = rng.choice(2 * half, n, p=mass)
        outputs = []
        for model in range(2):
            right = 0.75 + lean * np.where(y % 2 == model, 1, -1) + better * (model == 0)
            partner = np.where(rng.random(n) < 0.7, y ^ 1, rng.integers(0, 2 * half, n))
            if not soft:
                outputs.append(np.where(rng.random(n) < right, y, partner))
                continue
            own = rng.beta(right * soft, (1 - right) * soft)
            p = np.full((n, 2 * half), 0.0)
            p[np.arange(n), y] += own
            p[np.arange(n), partner] += 0.8 * (1 - own)
            p += (0.2 * (1 - own) / (2 * half))[:, None]
            outputs.append(p / p.sum(axis=1, keepdims=True))
        return predictions(y, *outputs, 2 * half)

    return draw


def clusters(
    n_clusters: int,
    spread: float,
    first: tuple[float, float],
    second: tuple[float, float],
    share: float = 0.3,
) -> Callable[..., mc.Predictions]:
    """Clusters of lognormal sizes; the second model's errors come by cluster as well."""

    def draw(rng: np.random.Generator) -> mc.Predictions:
        sizes = np.maximum(1, np.round(rng.lognormal(np.log(10), spread, n_clusters))).astype(int)
        groups = np.repeat(np.arange(n_clusters), sizes)
        n = len(groups)
        y = (rng.random(n) < share).astype(int)
        y[0] = 1
        outputs = []
        for recall, precision in (first, second):
            false_alarms = share * recall * (1 / precision - 1) / (1 - share)
            common = rng.random(n_clusters)[groups]
            own = np.where(rng.random(n) < 0.5, common, rng.random(n))
            outputs.append((own < np.where(y == 1, recall, false_alarms)).astype(int))
        return predictions(y, *outputs, 2, groups=groups)

    return draw


def cells() -> Iterator[Cell]:
    """Every cell, the quick ones first."""
    for k, support in ((60, 1), (60, 2), (60, 3), (30, 8), (8, 25)):
        for metric in ("f1", "recall"):
            yield Cell(
                f"{k} classes of {support}", "exchangeable", metric, rare_classes(k, support)
            )
    mild, extreme = ((0.9, 0.64), (0.64, 0.9)), ((0.99, 0.33), (0.33, 0.99))
    for n, positives in ((200, 10), (200, 20), (1000, 50), (1000, 300)):
        where = f"n {n}, {positives} positives"
        yield Cell(f"{where}, .9/.64", "equal", "f1", two_classes(n, positives, *mild))
        yield Cell(f"{where}, 1/.33", "equal", "f1", two_classes(n, positives, *extreme))
    yield Cell("n 200, 10 positives", "power", "f1", two_classes(200, 10, (0.9, 0.8), (0.5, 0.8)))
    yield Cell(
        "n 1000, 50 positives", "power", "f1", two_classes(1000, 50, (0.8, 0.8), (0.65, 0.8))
    )
    for positives in (10, 30):
        same = ((0.8, 0.7), (0.8, 0.7))
        yield Cell(
            f"lognormal weights, n 200, {positives} positives", "exchangeable", "f1",
            two_classes(200, positives, *same, weights=True),
        )  # fmt: skip
    # Soft scores.
    for n, positives in ((200, 5), (200, 10), (200, 20), (1000, 50)):
        for concentration in (1.0, 4.0):
            where = f"n {n}, {positives} positives, Beta {concentration:g}"
            pairs = {
                "exchangeable": ((0.6, 0.6), (0.6, 0.6)),
                "equal": ((0.9, 0.64), (0.64, 0.9)),
                "power": ((0.75, 0.7), (0.5, 0.6)),
            }
            for kind, pair in pairs.items():
                for metric in ("cf1", "cf1_macro"):
                    if metric == "cf1" or kind == "exchangeable":
                        yield Cell(
                            where,
                            kind,
                            metric,
                            two_classes(n, positives, *pair, soft=concentration),
                        )
            yield Cell(
                f"{where}, 1/.33", "equal", "cf1",
                two_classes(n, positives, *extreme, soft=concentration),
            )  # fmt: skip
    # Averages over many classes.
    for n, k in ((200, 2), (200, 10), (1000, 10), (200, 50), (1000, 50)):
        for zipf in (0.0, 1.0):
            where = f"n {n}, {k} classes, Zipf {zipf:g}"
            for metric in ("f1_macro", "balanced_accuracy", "matthews_corrcoef"):
                if metric == "matthews_corrcoef" and k > 10:
                    continue
                yield Cell(where, "exchangeable", metric, paired_classes(n, k, 0.0, zipf=zipf))
                yield Cell(where, "equal", metric, paired_classes(n, k, 0.2, zipf=zipf))
                yield Cell(
                    where, "power", metric, paired_classes(n, k, 0.0, zipf=zipf, better=0.06)
                )
    for n, k in ((200, 4), (200, 10), (1000, 10)):
        where = f"n {n}, {k} classes"
        yield Cell(where, "exchangeable", "cf1_macro", paired_classes(n, k, 0.0, soft=2.0))
        yield Cell(where, "equal", "cf1_macro", paired_classes(n, k, 0.2, soft=2.0))
        yield Cell(where, "power", "cf1_macro", paired_classes(n, k, 0.0, soft=2.0, better=0.06))
    # Clusters.
    for n_clusters in (5, 10, 20, 100):
        for spread in (0.0, 1.0, 1.5):
            where = f"{n_clusters} clusters, lognormal {spread:g}"
            same = ((0.8, 0.7), (0.8, 0.7))
            for metric in ("f1", "f1_macro", "accuracy"):
                yield Cell(where, "exchangeable", metric, clusters(n_clusters, spread, *same))
            yield Cell(where, "equal", "f1", clusters(n_clusters, spread, *mild))
            yield Cell(f"{where}, 1/.33", "equal", "f1", clusters(n_clusters, spread, *extreme))
            yield Cell(where, "power", "f1", clusters(n_clusters, spread, (0.85, 0.8), (0.7, 0.7)))


def main() -> None:
    """Run the cells and write what was found after each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=800)
    parser.add_argument("--only", default="", help="Pattern of metric, kind and name.")
    parser.add_argument("--tests", default=",".join(TESTS), help="Tests, with commas between.")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "sparse_tests.csv")
    options = parser.parse_args()
    rows = []
    for cell in cells():
        if re.search(options.only, f"{cell.metric} {cell.kind} {cell.name}"):
            rows.append(run(cell, options.trials, tuple(options.tests.split(","))))
            print(*rows[-1].values(), sep=" | ", flush=True)
            pd.DataFrame(rows).to_csv(options.output, index=False)


if __name__ == "__main__":
    main()
