"""What one more sample may change: every cell is tried with scikit-learn."""

import numpy as np
import pytest
from sklearn import metrics as sk

import modelcompare as mc
from modelcompare.comparison.planning import Settings, evaluate
from modelcompare.intervals.extremes import extreme_influences
from tests.plugged import needs

MACRO = {"average": "macro", "zero_division": 0}
CLASSES = {"average": None, "zero_division": 0}
WEIGHTED = {"average": "weighted", "zero_division": 0}
EXACT = {
    "f1_macro": (sk.f1_score, MACRO), "precision_macro": (sk.precision_score, MACRO),
    "balanced_accuracy": (sk.balanced_accuracy_score, {}),
    "jaccard_macro": (sk.jaccard_score, MACRO), "f1": (sk.f1_score, CLASSES),
    "precision": (sk.precision_score, CLASSES), "recall": (sk.recall_score, CLASSES),
}  # fmt: skip
CLOSE = {
    "precision_weighted": (sk.precision_score, WEIGHTED), "f1_weighted": (sk.f1_score, WEIGHTED),
    "cohen_kappa": (sk.cohen_kappa_score, {}), "matthews_corrcoef": (sk.matthews_corrcoef, {}),
}  # fmt: skip


def drawn(seed, n, k, errors):
    rng = np.random.default_rng(seed)
    truth = np.r_[np.arange(k), rng.integers(0, k, n - k)]
    outputs = {m: np.where(rng.random(n) < e, rng.integers(0, k, n), truth) for m, e in errors}
    return mc.Predictions(truth, outputs, labels=[*range(k)])


def ends(preds, metric, **options):
    evaluation = evaluate(preds, [metric], Settings(**options))
    (of,) = evaluation.metrics
    pairs = np.array([0]), np.array([1])
    return extreme_influences(evaluation, of, pairs, len(preds))


def tried(preds, value, options):
    """Return the changes of the difference by one sample more, times the samples."""
    truth, n, k = preds.y_true, len(preds), preds.access.n_classes
    outputs = [preds.predicted(model) for model in preds.models]
    before = np.subtract(*(value(truth, output, **options) for output in outputs))
    of_a, of_b = (
        [[value(np.r_[truth, j], np.r_[output, i], **options) for i in range(k)] for j in range(k)]
        for output in outputs
    )
    return (n + 1) * np.array([
        of_a[j][i] - of_b[j][other] - before
        for j in range(k) for i in range(k) for other in range(k)
    ])  # fmt: skip


@pytest.mark.parametrize("metric", [*EXACT, *CLOSE])
@pytest.mark.parametrize("seed", range(3))
def test_the_ends_are_those_of_all_cells_of_a_sample(metric, seed):
    preds = drawn(seed, 60, 2 + seed, (("a", 0.2), ("b", 0.1)))
    changes = tried(preds, *(EXACT | CLOSE)[metric])
    low, high = ends(preds, metric)
    near = 1e-9 if metric in EXACT else 0.05
    assert low[0] == pytest.approx(changes.min(axis=0), abs=near)
    assert high[0] == pytest.approx(changes.max(axis=0), abs=near)


@pytest.mark.parametrize("undefined", [0.0, 1.0])
def test_a_class_that_is_never_predicted_changes_from_what_it_counts_as(undefined):
    preds = mc.Predictions([0, 0, 0, 1, 1, 2], {"a": [0, 0, 0, 1, 1, 1], "b": [0, 0, 0, 1, 1, 2]})
    low, high = ends(preds, "precision_macro", zero_division=undefined)
    changes = tried(preds, sk.precision_score, {**MACRO, "zero_division": undefined})
    assert (low[0, 0], high[0, 0]) == pytest.approx((changes.min(), changes.max()))


@pytest.mark.parametrize("metric", ["roc_auc_ovr", "log_loss", "accuracy", "cohen_kappa_linear"])
def test_other_metrics_have_none(metric):
    rng = np.random.default_rng(0)
    preds = mc.Predictions(np.arange(30) % 3, {m: rng.dirichlet([1, 1, 1], 30) for m in "ab"})
    assert ends(preds, metric) is None


@needs("runs")
def test_several_runs_have_none():
    truth, runs = np.tile([0, 1, 2], 20), np.repeat([1, 2], 30)
    preds = mc.Predictions(
        truth, dict.fromkeys("ab", truth), runs=runs, groups=np.tile(np.arange(30), 2)
    )
    assert ends(preds, "f1_macro") is None
