"""Coverage of the default intervals where data are sparse: rare classes, few clusters, weights.

A cell is a dict of parameters; `run_cell` draws test sets from its population and counts how often
the intervals of `method="auto"` hold the truth. The truth of an average is the mean of the
population's values over the classes that occur in the test set.

    python -m experiments.validity.intervals_on_sparse_data --trials 800 --tier quick

prints what falls short first.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.special import ndtr

import modelcompare as mc
from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.intervals import FEW, Interval
from modelcompare.metrics import resolve_metrics
from modelcompare.metrics.base import Metric
from modelcompare.metrics.counts import COUNTS

Cell = dict[str, Any]

ONE_PAIR = (np.array([0]), np.array([1]))
LABEL_METRICS = (
    "accuracy", "recall", "precision", "specificity", "f1", "f2", "jaccard", "f1_macro",
    "f1_weighted", "balanced_accuracy", "precision_macro", "precision_weighted",
    "specificity_macro", "jaccard_macro", "f2_macro", "jaccard_micro", "matthews_corrcoef",
    "cohen_kappa",
)  # fmt: skip
SOFT_METRICS = (
    "cf1", "crecall", "cprecision", "cf1_macro", "crecall_macro", "log_loss", "brier_score",
)  # fmt: skip
RANK_METRICS = ("roc_auc", "average_precision")
# What a cell may ask for by one word, beside names of metrics with blanks between.
METRIC_SETS = {
    "labels": LABEL_METRICS,
    "probabilities": (*LABEL_METRICS, *SOFT_METRICS),
    "binary": (*LABEL_METRICS, *SOFT_METRICS, *RANK_METRICS),
    "large": (*LABEL_METRICS, *SOFT_METRICS, "roc_auc"),
}
# Parameters of a cell, where it does not say otherwise.
DEFAULTS: Cell = {
    "n": 200,
    "n_classes": 2,
    "share": None,
    "strength": (2.0, 1.6),
    "correlation": 0.5,
    "spread": 1.0,
    "clusters": 0,
    "sizes": "equal",
    "cluster_effect": 1.0,
    "weights": False,
    "metrics": "labels",
    "level": 0.95,
}


def run_cell(params: Cell, n_trials: int, seed: int) -> dict[str, dict[str, float]]:
    """Coverage, mean width and share of warnings, by ``metric score`` and ``metric difference``.

    Of metrics of classes the first and the last class are examined (``f1[0]``): with `share` the
    last is the rare one.
    """
    cell = {**DEFAULTS, **params}
    rng = np.random.default_rng(seed)
    truth = population_of(cell)
    counts: dict[str, list[tuple[bool, float, bool]]] = {}
    for _ in range(n_trials):
        predictions = _draw(cell, truth.priors, truth.ease, rng, cell["n"])
        # Intervals of counts need no influences, which take longer than all else.
        for metrics in _by_kind(cell["metrics"]):
            result = mc.bootstrap(predictions, metrics, n_resamples=2)
            known = truth.of_test_set(result.evaluation)
            scores = result.score_interval("auto", cell["level"])
            apart = result.difference_interval(*ONE_PAIR, "auto", cell["level"])
            for name, position in _looked_at(result.evaluation):
                _count(counts, f"{name} score", scores, position, known[0])
                _count(counts, f"{name} difference", apart, position, known[0] - known[1])
    return {name: _summary(found) for name, found in counts.items()}


def _by_kind(metrics: str) -> list[list[str]]:
    """Metrics of counts, and the others."""
    names = METRIC_SETS.get(metrics, metrics.split())
    kinds = ([m for m in names if (m in LABEL_METRICS) == counts] for counts in (True, False))
    return [kind for kind in kinds if kind]


def _count(
    counts: dict[str, list[tuple[bool, float, bool]]],
    name: str,
    chosen: Interval,
    position: int,
    truth: FloatArray,
) -> None:
    low, high = chosen.low[0, position], chosen.high[0, position]
    if np.isnan(low) or np.isnan(truth[position]):
        return
    covered = low - 1e-9 <= truth[position] <= high + 1e-9
    few = bool(chosen.n_informative[0, position] < FEW)
    counts.setdefault(name, []).append((bool(covered), high - low, few))


def _summary(found: list[tuple[bool, float, bool]]) -> dict[str, float]:
    covered, width, few = np.array(found, dtype=float).T
    return {
        "covered": float(covered.mean()),
        "covered or warned": float((covered.astype(bool) | few.astype(bool)).mean()),
        "width": float(width.mean()),
        "smallest_width": float(width.min()),
        "warned": float(few.mean()),
        "n_trials": len(found),
    }


@dataclass(frozen=True)
class Population:
    """Two models, and their values: of classes exactly, others on a sample so large that they are.

    Attributes
    ----------
    priors, ease : ndarray of shape (n_classes,)
        Share of each class, and how much easier it is than others.
    values : dict
        Value of each model by (metric, label).
    """

    priors: FloatArray
    ease: FloatArray
    values: dict[tuple[str, Any], FloatArray]

    @classmethod
    def of(cls, cell: Cell) -> Population:
        """Evaluate metrics, and the metrics of classes that averages are of."""
        rng = np.random.default_rng(0)
        priors = _priors(cell)
        ease = rng.uniform(-0.5, 0.5, len(priors)) * cell["spread"]
        plain = {**cell, "clusters": 0, "weights": False}
        clustered_as = cell if cell["clusters"] else None
        names = METRIC_SETS.get(cell["metrics"], cell["metrics"].split())
        metrics = list(dict.fromkeys([*names, *map(_of_class, names)]))
        size = min(400_000, 20_000_000 // len(priors))
        predictions = _draw(plain, priors, ease, rng, size, clustered_as)
        evaluation = Evaluation(predictions, resolve_metrics(metrics, predictions))
        keys = [(key.metric, key.label) for key in evaluation.keys]
        values = dict(zip(keys, evaluation.estimate().T, strict=True))
        return cls(priors, ease, values | _values_of_classes(cell, priors, ease, evaluation))

    def of_test_set(self, evaluation: Evaluation) -> FloatArray:
        """Truth of each value, of shape (n_models, n_values)."""
        codes = evaluation.predictions.access.codes
        occurs = np.bincount(codes, minlength=len(self.priors)) > 0
        out = [
            self._average(key.metric, occurs)
            if _of_class(key.metric) != key.metric
            else self.values[key.metric, key.label]
            for key in evaluation.keys
        ]
        return np.array(out).T

    def _average(self, metric: str, occurs: BoolArray) -> FloatArray:
        classes = np.arange(len(occurs))
        if metric != "specificity_macro":
            classes = classes[occurs]
        values = np.array([self.values[_of_class(metric), int(k)] for k in classes])
        weights = self.priors[classes] if metric.endswith("_weighted") else np.ones(len(classes))
        mean: FloatArray = weights @ values / weights.sum()
        return mean


def _values_of_classes(
    cell: Cell, priors: FloatArray, ease: FloatArray, evaluation: Evaluation
) -> dict[tuple[str, Any], FloatArray]:
    """Compute metrics of the classes of hard labels from the probability of each confusion.

    A sample of 133,000 has 89 false alarms of one of 150 classes, and misses their share by 8 %:
    its specificity was beyond a step of the interval, and covered in 0.918 instead of 0.975.
    """
    effect = cell["cluster_effect"] if cell["clusters"] else 0.0
    x = np.linspace(-9, 9, 4001)
    # Scores of other classes have the variance 1, and that of the true class also its cluster's.
    ends = (x - np.add.outer(cell["strength"], ease)[..., None]) / np.hypot(1, effect)
    density = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi) * ndtr(x) ** (len(priors) - 2)
    wrong = (ndtr(ends) * density).sum(axis=-1) * (x[1] - x[0])
    missed, alarms = (len(priors) - 1) * wrong * priors, wrong @ priors
    hits, alarms = priors - missed, alarms[:, None] - wrong * priors
    counts = np.stack([hits, missed, alarms, 1 - hits - missed - alarms], axis=-1)
    ratios = {
        metric.name: metric.class_ratio
        for metric in evaluation.metrics
        if isinstance(metric, Metric) and metric.per_class and set(metric.statistics) <= set(COUNTS)
    }
    return {
        (name, label): counts[:, label] @ ratio.numerator / (counts[:, label] @ ratio.denominator)
        for name, ratio in ratios.items() if ratio is not None
        for label in range(len(priors))
    }  # fmt: skip


def population_of(cell: Cell) -> Population:
    """The population of a cell; made once for all cells that differ in their test sets alone."""
    of_test_sets = {"n", "clusters", "sizes", "weights", "level"}
    world = {key: value for key, value in cell.items() if key not in of_test_sets}
    return _population(json.dumps({**DEFAULTS, **world, "clusters": int(cell["clusters"] > 0)}))


@cache
def _population(cell: str) -> Population:
    return Population.of(json.loads(cell))


def _of_class(metric: str) -> str:
    """Metric of one class that an average is of; the metric itself where it is no average."""
    if metric == "balanced_accuracy":
        return "recall"
    base, _, average = metric.rpartition("_")
    return base if average in ("macro", "weighted") else metric


def _looked_at(evaluation: Evaluation) -> list[tuple[str, int]]:
    last = evaluation.predictions.access.n_classes - 1
    return [
        (key.metric if key.label is None else f"{key.metric}[{key.label}]", place)
        for place, key in enumerate(evaluation.keys)
        if key.label is None or key.label in (0, last)
    ]


def _priors(cell: Cell) -> FloatArray:
    if cell["share"] is not None:
        return np.array([1 - cell["share"], cell["share"]])
    return np.full(cell["n_classes"], 1 / cell["n_classes"])


def _draw(
    cell: Cell,
    priors: FloatArray,
    ease: FloatArray,
    rng: np.random.Generator,
    n: int,
    clustered_as: Cell | None = None,
) -> mc.Predictions:
    """Test set of two models with correlated errors, in clusters that are easy or hard."""
    k = len(priors)
    y_true = rng.choice(k, n, p=priors)
    groups = cluster_of_samples(n, cell["clusters"], cell["sizes"], rng)
    effect = np.zeros(n)
    if groups is not None:
        effect = rng.normal(0, cell["cluster_effect"], int(groups.max()) + 1)[groups]
    elif clustered_as is not None:
        effect = rng.normal(0, clustered_as["cluster_effect"], n)
    shared = rng.standard_normal((n, k))
    outputs = {}
    for model, strength in zip("ab", cell["strength"], strict=True):
        own = rng.standard_normal((n, k))
        c = cell["correlation"]
        logits = np.sqrt(c) * shared + np.sqrt(1 - c) * own
        logits[np.arange(n), y_true] += strength + ease[y_true] + effect
        logits = np.exp(logits - logits.max(axis=1, keepdims=True))
        outputs[model] = logits / logits.sum(axis=1, keepdims=True)
    weights = rng.lognormal(0, 0.7, n) if cell["weights"] else None
    return mc.Predictions(
        y_true, outputs, labels=np.arange(k), groups=groups, sample_weight=weights
    )


def cluster_of_samples(
    n: int, n_clusters: int, sizes: str, rng: np.random.Generator
) -> IntArray | None:
    """Cluster of each of n samples; None without clusters."""
    if not n_clusters:
        return None
    shares = {
        "equal": lambda: np.ones(n_clusters),
        "lognormal": lambda: rng.lognormal(0, 1, n_clusters),
        "pareto": lambda: 1 + rng.pareto(1.2, n_clusters),
        "half": lambda: np.r_[n_clusters - 1, np.ones(n_clusters - 1)],
    }[sizes]()
    # Every cluster has a sample, for any share.
    places = np.r_[np.arange(n_clusters), rng.choice(n_clusters, n, p=shares / shares.sum())]
    return places[:n]


def cells(tier: str) -> list[Cell]:
    """Cells of the quick or the full tier."""
    quick = tier == "quick"
    shares = (0.05, 0.3) if quick else (0.01, 0.05, 0.1, 0.3, 0.5)
    classes = (
        ((10, 5), (50, 2))
        if quick
        else tuple((k, support) for k in (3, 10, 50, 150) for support in (1, 2, 4, 8, 15, 30))
    )
    clusters = (5,) if quick else (5, 8, 15, 30, 50)
    kinds = ("equal", "lognormal") if quick else ("equal", "lognormal", "pareto", "half")
    alike: Cell = {"strength": (1.8, 1.8), "correlation": 0.98}
    found: list[Cell] = [
        {"n": n, "share": share, "metrics": "binary", **apart}
        for n in ((50,) if quick else (20, 50, 200, 1000, 5000))
        for share in shares
        for apart in ({}, alike)
        if n * share >= 1
    ]
    if not quick:
        # Leaving one of 5000 samples out of an average precision costs a second.
        found = [{**cell, "metrics": "large"} if cell["n"] == 5000 else cell for cell in found]
        found.append({"n": 5000, "share": 0.01, "metrics": "average_precision"})
    found += [{"n": k * s, "n_classes": k, "strength": (4, 3.5)} for k, s in classes]
    found += [
        {"n": 20 * g, "clusters": g, "sizes": kind, "share": 0.3}
        for g in clusters
        for kind in kinds
    ]
    found += [
        {"n": n, "share": 0.3, "weights": True} for n in ((200,) if quick else (50, 200, 1000))
    ]
    return [{"metrics": "probabilities", **cell} for cell in found]


def least_coverage(cell: Cell) -> float:
    """What a cell should cover at least."""
    cell = {**DEFAULTS, **cell}
    if cell["clusters"]:
        return 0.925 if cell["sizes"] in ("equal", "lognormal") else 0.90
    expected = cell["n"] * (cell["share"] or 1 / cell["n_classes"])
    if cell["n"] >= 50 and expected >= 5:
        return 0.935
    return 0.92 if expected >= 2 else 0.90


def main() -> None:
    """Run a tier and print what falls short first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=800)
    parser.add_argument("--tier", choices=("quick", "full"), default="quick")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rows = []
    for number, cell in enumerate(cells(options.tier)):
        about = json.dumps({key: value for key, value in cell.items() if key != "metrics"})
        for name, found in run_cell(cell, options.trials, options.seed + number).items():
            slack = 2 * np.sqrt(0.05 * 0.95 / found["n_trials"])
            rows.append((found["covered"] - least_coverage(cell) + slack, about, name, found))
    for margin, about, name, found in sorted(rows, key=lambda row: row[0]):
        mark = "SHORT" if margin < 0 else "     "
        numbers = " ".join(f"{key} {value:.3f}" for key, value in found.items())
        print(f"{mark} {name:32} {numbers} {about}")


if __name__ == "__main__":
    main()
