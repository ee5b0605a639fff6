"""Ranking metrics against scikit-learn, with ties and weights; closed forms against loops."""

import numpy as np
import pytest
from sklearn import metrics as sk

from modelcompare import Predictions
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.weights import BootstrapWeights

SEED = np.random.SeedSequence(0)


def binary(n=80, ties=True, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    score = np.clip(0.3 * y + rng.random(n) * 0.7, 0, 1)
    return y, np.round(score, 1) if ties else score


def multiclass(n=90, seed=1):
    rng = np.random.default_rng(seed)
    y = np.r_[0, 1, 2, rng.integers(0, 3, n - 3)]
    p = rng.dirichlet(np.ones(3), n) + 0.3 * np.eye(3)[y]
    return y, p / p.sum(axis=1, keepdims=True)


def evaluation(y, p, name, weight=None):
    preds = Predictions(y, {"a": p}, kind="probabilities", sample_weight=weight)
    return Evaluation(preds, resolve_metrics(name, preds))


BINARY = {
    "roc_auc": sk.roc_auc_score,
    "average_precision": sk.average_precision_score,
    "roc_auc_at_0.2": lambda y, s, sample_weight=None: sk.roc_auc_score(
        y, s, max_fpr=0.2, sample_weight=sample_weight
    ),
}
MULTICLASS = {
    "roc_auc_ovr": {"multi_class": "ovr"},
    "roc_auc_ovr_weighted": {"multi_class": "ovr", "average": "weighted"},
    "roc_auc_ovo": {"multi_class": "ovo"},
    "roc_auc_ovo_weighted": {"multi_class": "ovo", "average": "weighted"},
}


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("name", BINARY)
def test_binary_metrics_and_their_resamples(name, ties):
    y, score = binary(ties=ties)
    weight = np.random.default_rng(2).random(80)
    expected = BINARY[name](y, score, sample_weight=weight)
    assert evaluation(y, score, name, weight).estimate()[0, 0] == pytest.approx(expected, abs=1e-12)
    part = evaluation(y, score, name)
    counts = BootstrapWeights(part.units, 25, SEED).draw_all(0)
    for row, found in zip(counts, part.values(counts)[:, 0, 0], strict=True):
        rows = np.repeat(np.arange(80), row.astype(int))
        assert found == pytest.approx(BINARY[name](y[rows], score[rows]), abs=1e-12)


@pytest.mark.parametrize("name", MULTICLASS)
def test_multiclass_auc(name):
    y, p = multiclass()
    part = evaluation(y, p, name)
    assert part.estimate()[0, 0] == pytest.approx(sk.roc_auc_score(y, p, **MULTICLASS[name]))
    counts = BootstrapWeights(part.units, 10, SEED).draw_all(0)
    for row, found in zip(counts, part.values(counts)[:, 0, 0], strict=True):
        rows = np.repeat(np.arange(len(y)), row.astype(int))
        expected = sk.roc_auc_score(y[rows], p[rows], **MULTICLASS[name])
        assert found == pytest.approx(expected, abs=1e-12)


def test_average_precision_macro():
    y, p = multiclass()
    found = evaluation(y, p, "average_precision_macro").estimate()[0, 0]
    assert found == pytest.approx(sk.average_precision_score(y, p, average="macro"))


@pytest.mark.parametrize("name", ["roc_auc", "roc_auc_ovr", "roc_auc_ovr_weighted"])
def test_the_closed_form_jackknife_is_the_loop(name):
    y, p = binary(30) if name == "roc_auc" else multiclass(30)
    part = evaluation(y, p, name)
    closed = part.jackknife(slice(None))[:, 0, 0]
    for i in range(30):
        kept = np.arange(30) != i
        expected = evaluation(y[kept], p[kept], name).estimate()[0, 0]
        assert closed[i] == pytest.approx(expected, abs=1e-12)


def test_the_perfect_and_the_reversed_order():
    y = np.array([0, 0, 1, 1])
    assert evaluation(y, [0.1, 0.2, 0.8, 0.9], "roc_auc").estimate()[0, 0] == 1
    assert evaluation(y, [0.9, 0.8, 0.2, 0.1], "roc_auc").estimate()[0, 0] == 0
    assert evaluation(y, [0.5] * 4, "roc_auc").estimate()[0, 0] == 0.5


def test_one_class_alone_has_no_auc():
    preds = Predictions([1, 1, 1], {"a": [0.2, 0.3, 0.9]}, labels=[0, 1], kind="probabilities")
    part = Evaluation(preds, resolve_metrics("roc_auc", preds))
    assert np.isnan(part.estimate()[0, 0])


def test_auc_of_many_classes_asks_for_an_average():
    y, p = multiclass()
    with pytest.raises(ValueError, match="this metric is for 2 classes, got 3; use its _ovr"):
        evaluation(y, p, "roc_auc").estimate()
    with pytest.raises(ValueError, match="got 3; use average_precision_macro"):
        evaluation(y, p, "average_precision").estimate()
    with pytest.raises(ValueError, match="got 3; the area of all rates has forms of more"):
        evaluation(y, p, "roc_auc_at_0.1").estimate()
