"""Size of the default test where units swap in groups: cells of the grid.

Fewer units than by default are joined, and into fewer groups: a trial is quick, and noise of the
groups would show all the more.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np

import modelcompare as mc
from modelcompare.engine import joined
from modelcompare.engine.contrasts import Sample
from modelcompare.engine.design import design_of
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.significance.pairwise import PairView, all_pairs
from modelcompare.significance.studentized import studentized_permutation

Params = dict[str, Any]
ALPHA = 0.05
N = 8_192
ROW_BLOCK, N_GROUPS = 1_536, 512


def cells(tier: str) -> list[Params]:
    """Return all populations, or the one whose models are not exchangeable."""
    names = ["equal recall"] if tier == "quick" else POPULATIONS
    return [{"population": name, "n": N} for name in names]


def run_cell(params: Params, n_trials: int, seed: int) -> dict[str, dict[str, float]]:
    """Return the share of trials in which two models of equal value are distinguished."""
    draw, metric = POPULATIONS[params["population"]]
    seeds = np.random.SeedSequence(seed).generate_state(n_trials).tolist()
    with (
        warnings.catch_warnings(),
        patch.object(joined, "ROW_BLOCK", ROW_BLOCK),
        patch.object(joined, "N_GROUPS", N_GROUPS),
    ):
        warnings.simplefilter("ignore")
        found = [p_value(draw(np.random.default_rng(s)), metric, s) for s in seeds]
    return {f"{metric} test": {"rejected": float(np.mean(np.array(found) <= ALPHA))}}


def p_value(preds: mc.Predictions, metric: str, seed: int) -> float:
    """Return the p-value of the first value of a metric; equal rows are not put together."""
    evaluation = Evaluation(preds, resolve_metrics([metric], preds), collapse=False)
    weights = BootstrapWeights(evaluation.units, 399, np.random.SeedSequence(seed))
    view = PairView(
        Sample(evaluation, weights, design_of(evaluation.predictions)), all_pairs(2), 399
    )
    return float(studentized_permutation(view).p_value[0, 0])


def outputs(rng: np.random.Generator, y: np.ndarray, n_classes: int) -> dict[str, np.ndarray]:
    """Draw probabilities of two models of one law."""
    shared = rng.standard_normal((len(y), n_classes))
    shared[np.arange(len(y)), y] += 1.5
    odds = [np.exp(shared + rng.standard_normal((len(y), n_classes))) for _ in "ab"]
    return {m: o / o.sum(axis=1, keepdims=True) for m, o in zip("ab", odds, strict=True)}


def macro(rng: np.random.Generator, n: int = N) -> mc.Predictions:
    """Draw three classes, one of them rare."""
    y = rng.choice(3, n, p=[0.02, 0.28, 0.7])
    return mc.Predictions(y, outputs(rng, y, 3), labels=range(3))


def area(rng: np.random.Generator) -> mc.Predictions:
    """Draw two classes, one of them rare."""
    y = (rng.random(N) < 0.02).astype(int)
    y[:2] = 0, 1
    return mc.Predictions(y, outputs(rng, y, 2), labels=range(2))


def clusters(rng: np.random.Generator) -> mc.Predictions:
    """Draw clusters of unequal sizes."""
    groups = np.sort(rng.choice(N // 3, N, p=rng.dirichlet(np.ones(N // 3))))
    effect = rng.standard_normal((groups.max() + 1, 3))
    y = np.argmax(effect[groups] + rng.standard_normal((N, 3)), axis=1)
    return mc.Predictions(y, outputs(rng, y, 3), labels=range(3), groups=groups)


def strata(rng: np.random.Generator) -> mc.Predictions:
    """Draw strata of unequal sizes, whose classes have different shares."""
    codes = rng.choice(4, N, p=[0.01, 0.09, 0.3, 0.6])
    y = (rng.random((N, 1)) < np.cumsum(np.eye(4)[codes][:, :2] * 0.4 + 0.2, axis=1)).argmax(axis=1)
    return mc.Predictions(y, outputs(rng, y, 2), labels=range(2), strata=codes)


def unequal(rng: np.random.Generator) -> mc.Predictions:
    """Draw two models of equal macro recall, each better at one class: not exchangeable."""
    y = np.arange(N) % 2
    right = rng.random((2, N)) < np.array([[0.9, 0.7], [0.7, 0.9]])[:, y]
    chosen = np.where(right, y, 1 - y)
    odds = 0.1 + 0.8 * np.eye(2)[chosen]
    return mc.Predictions(y, dict(zip("ab", odds, strict=True)), labels=range(2))


POPULATIONS: dict[str, tuple[Callable[[np.random.Generator], mc.Predictions], str]] = {
    "macro F1": (macro, "f1_macro"),
    "soft macro F1": (macro, "cf1_macro"),
    "soft F1": (macro, "cf1"),
    "AUC": (area, "roc_auc"),
    "clusters": (clusters, "f1_macro"),
    "soft, clusters": (clusters, "cf1_macro"),
    "strata": (strata, "cf1_macro"),
    "equal recall": (unequal, "crecall_macro"),
    "drawn soft MCC": (macro, "cmcc"),
    "drawn, equal MCC": (unequal, "cmcc"),
}
