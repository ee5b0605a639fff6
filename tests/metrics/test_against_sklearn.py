"""Every classification metric against scikit-learn, or a loop where it has none."""

import warnings

import numpy as np
import pytest
from sklearn import metrics as sk

from modelcompare import Predictions, get_metric
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics

AVERAGED = {
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "jaccard": sk.jaccard_score,
    "f1": sk.f1_score,
}
SETS = {
    "random": ([0, 1, 2, 2, 1, 0, 2, 1, 0, 0, 1, 2], [0, 1, 1, 2, 0, 0, 2, 2, 1, 0, 1, 2]),
    "never predicted": ([0, 1, 2, 2], [0, 1, 1, 1]),
    "never true": ([0, 1, 1, 0], [0, 2, 1, 0]),
    "all right": ([0, 1, 2], [0, 1, 2]),
    "all wrong": ([0, 1, 2], [1, 2, 0]),
    "two classes": ([0, 1, 1, 1, 0], [0, 1, 0, 1, 1]),
    "one class predicted": ([0, 1, 1], [1, 1, 1]),
}


def values(names, y_true, y_pred, weight=None, labels=None, **options):
    """The values of each metric, by its name."""
    preds = Predictions(y_true, {"a": y_pred}, sample_weight=weight, labels=labels)
    evaluation = Evaluation(preds, resolve_metrics(names, preds, **options))
    found = evaluation.estimate()[0]
    return {name: found[evaluation.metric_slice(name)] for name in names}


def value(name, y_true, y_pred, weight=None, labels=None, **options):
    preds = Predictions(y_true, {"a": y_pred}, sample_weight=weight, labels=labels)
    metrics = resolve_metrics(name, preds, **options)
    out = Evaluation(preds, metrics).estimate()[0]
    return out if metrics[0].per_class else out[0]


@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("weighted", [False, True])
def test_averaged_metrics(data, weighted):
    y_true, y_pred = SETS[data]
    weight = np.linspace(0.5, 2.0, len(y_true)) if weighted else None
    labels = sorted({*y_true, *y_pred})
    names = {
        metric if average is None else f"{metric}_{average}": (metric, average)
        for metric in AVERAGED
        for average in (None, "macro", "micro", "weighted")
    }
    found = values([*names], y_true, y_pred, weight)
    for name, (metric, average) in names.items():
        options = {"average": average, "sample_weight": weight, "labels": labels}
        if metric != "jaccard":
            # Jaccard's has none in scikit-learn; no class here is neither true nor predicted.
            options["zero_division"] = np.nan
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = AVERAGED[metric](y_true, y_pred, **options)
        np.testing.assert_allclose(found[name], expected, atol=1e-13, err_msg=name)


@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("zero_division", [0.0, 1.0])
def test_zero_division_is_that_of_scikit_learn(data, zero_division):
    y_true, y_pred = SETS[data]
    options = {"labels": [0, 1, 2, 3], "zero_division": zero_division}
    names = ["precision", "recall", "f1"]
    found = values([*names, *(f"{name}_macro" for name in names)], y_true, y_pred, **options)
    for name in names:
        for average, ours in ((None, name), ("macro", f"{name}_macro")):
            expected = AVERAGED[name](y_true, y_pred, average=average, **options)
            np.testing.assert_allclose(found[ours], expected, atol=1e-13, err_msg=ours)


def test_the_papers_convention_makes_f1_undefined_where_precision_is():
    y_true, y_pred = [0, 1, 1, 2], [0, 1, 1, 1]
    assert value("f1", y_true, y_pred)[2] == 0.0
    assert np.isnan(value("f1", y_true, y_pred, zero_division="paper")[2])
    y_true, y_pred = [0, 1, 1, 0], [0, 2, 1, 0]
    assert np.isnan(value("f1", y_true, y_pred, zero_division="paper")[2])


@pytest.mark.parametrize("data", SETS)
def test_metrics_with_one_value(data):
    y_true, y_pred = SETS[data]
    weight = np.linspace(0.5, 2.0, len(y_true))
    for name, function in {
        "accuracy": sk.accuracy_score,
        "matthews_corrcoef": sk.matthews_corrcoef,
        "cohen_kappa": sk.cohen_kappa_score,
    }.items():
        found, expected = (
            value(name, y_true, y_pred, weight),
            function(y_true, y_pred, sample_weight=weight),
        )
        if name == "matthews_corrcoef" and data == "one class predicted":
            assert np.isnan(found)  # scikit-learn returns 0 where it is 0 / 0
        else:
            assert found == pytest.approx(expected, abs=1e-13)


@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@pytest.mark.parametrize("data", SETS)
def test_balanced_accuracy(data):
    y_true, y_pred = SETS[data]
    expected = sk.balanced_accuracy_score(y_true, y_pred)
    assert value("balanced_accuracy", y_true, y_pred) == pytest.approx(expected, abs=1e-13)


def test_specificity_is_the_recall_of_the_rest():
    y_true, y_pred = (np.array(x) for x in SETS["random"])
    for j, found in enumerate(value("specificity", y_true, y_pred)):
        assert found == pytest.approx(sk.recall_score(y_true != j, y_pred != j))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_scoring_rules(n_classes):
    rng = np.random.default_rng(0)
    y_true = np.r_[np.arange(n_classes), rng.integers(0, n_classes, 30)]
    y_prob = rng.dirichlet(np.ones(n_classes), len(y_true))
    y_prob[0] = np.eye(n_classes)[1]
    weight = rng.random(len(y_true))
    expected = sk.log_loss(y_true, y_prob, sample_weight=weight)
    assert value("log_loss", y_true, y_prob, weight) == pytest.approx(expected, rel=1e-12)
    if n_classes == 2:
        expected = sk.brier_score_loss(y_true, y_prob[:, 1], sample_weight=weight)
    else:
        errors = ((y_prob - np.eye(n_classes)[y_true]) ** 2).sum(axis=1)
        expected = np.average(errors, weights=weight)
    assert value("brier_score", y_true, y_prob, weight) == pytest.approx(expected, rel=1e-12)


def _soft_matrix(y_true, y_prob, weight):
    """Probabilistic confusion matrix of the paper, equation 3, by a loop."""
    matrix = np.zeros((y_prob.shape[1],) * 2)
    for y, row, w in zip(y_true, y_prob, weight, strict=True):
        matrix[y] += w * row
    return matrix


def test_soft_twins_follow_the_papers_equations():
    rng = np.random.default_rng(1)
    y_true, weight = rng.integers(0, 3, 50), rng.random(50)
    y_prob = rng.dirichlet(np.ones(3), 50)
    matrix = _soft_matrix(y_true, y_prob, weight)
    precision = np.diag(matrix) / matrix.sum(axis=0)
    recall = np.diag(matrix) / matrix.sum(axis=1)
    f1 = 2 * precision * recall / (precision + recall)
    for name, expected in {
        "cprecision": precision,
        "crecall": recall,
        "cf1": f1,
        "cf1_macro": f1.mean(),
        "caccuracy": np.trace(matrix) / matrix.sum(),
        "cbalanced_accuracy": recall.mean(),
        "cf1_micro": np.trace(matrix) / matrix.sum(),
        "cf2": 5 * precision * recall / (4 * precision + recall),
    }.items():
        np.testing.assert_allclose(
            value(name, y_true, y_prob, weight), expected, atol=1e-13, err_msg=name
        )


def test_soft_twins_of_certain_models_are_the_metrics_themselves():
    y_true, y_pred = (np.array(x) for x in SETS["random"])
    certain = np.eye(3)[y_pred]
    for name in ("precision", "recall", "f1", "f1_macro", "accuracy", "matthews_corrcoef",
                 "cohen_kappa", "jaccard", "specificity"):  # fmt: skip
        np.testing.assert_allclose(
            value(f"c{name}", y_true, certain), value(name, y_true, y_pred), atol=1e-13
        )


def test_f_beta_of_any_beta():
    y_true, y_pred = SETS["random"]
    for beta in (0.5, 2, 3.25):
        expected = sk.fbeta_score(y_true, y_pred, beta=beta, average="macro")
        assert value(f"f{beta}_macro", y_true, y_pred) == pytest.approx(expected, abs=1e-13)


def test_aliases_name_the_same_metric():
    assert get_metric("mcc") is get_metric("matthews_corrcoef")
    assert get_metric("neg_log_loss").greater_is_better is False
