"""Every classification metric against scikit-learn, or a loop where it has none."""

import warnings
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

import modelcompare as mc
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
        if metric != "jaccard" and average is None:
            # Jaccard's has none in scikit-learn; no class here is neither true nor predicted.
            options["zero_division"] = np.nan
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = AVERAGED[metric](y_true, y_pred, **options)
        np.testing.assert_allclose(found[name], expected, atol=1e-13, err_msg=name)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(2, 12).flatmap(
        lambda n: st.tuples(*[st.lists(st.integers(0, 5), min_size=n, max_size=n)] * 2)
    )
)
def test_the_default_call_of_every_average_is_scikit_learns(data):
    y_true, y_pred = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for metric, average in product(AVERAGED, ("macro", "weighted", "micro")):
            expected = AVERAGED[metric](y_true, y_pred, average=average)
            found = getattr(mc.metrics, metric)(y_true, y_pred, average=average)
            # Other models may have more classes.
            beside = value(f"{metric}_{average}", y_true, y_pred, labels=range(7))
            assert found == pytest.approx(expected, abs=1e-12), (metric, average)
            assert beside == pytest.approx(expected, abs=1e-12), (metric, average)
        for name in ("accuracy", "balanced_accuracy"):
            expected = getattr(sk, f"{name}_score")(y_true, y_pred)
            assert getattr(mc.metrics, name)(y_true, y_pred) == pytest.approx(expected, abs=1e-12)


# The course's two examples: a classifier, and "always neutral".
EXAMPLES = {
    1: [[15, 10, 100], [10, 15, 10], [10, 100, 1000]],
    2: [[0, 0, 125], [0, 0, 35], [0, 0, 1110]],
}


def samples_of(confusion):
    cells = [(i, j) for i, row in enumerate(confusion) for j, n in enumerate(row) for _ in range(n)]
    return tuple(map(list, zip(*cells, strict=True)))


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_a_class_that_is_never_predicted_counts_as_0_in_the_courses_second_example(average):
    names = [f"{name}_{average}" for name in ("precision", "f1", "recall", "jaccard")]
    for confusion in EXAMPLES.values():
        y_true, y_pred = samples_of(confusion)
        for name, found in values(names, y_true, y_pred).items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                of = AVERAGED[name.partition("_")[0]]
                assert found == pytest.approx(of(y_true, y_pred, average=average), abs=1e-12)
    assert value("precision_macro", *samples_of(EXAMPLES[2])) == pytest.approx(0.2913, abs=5e-5)


def test_the_papers_convention_makes_the_average_of_such_a_class_undefined():
    y_true, y_pred = samples_of(EXAMPLES[2])
    paper = {"zero_division": "paper"}
    # As mean(skipna=False) of the course; a class that neither has is left out.
    for name in ("precision_macro", "f1_macro", "precision_weighted", "f1_weighted"):
        assert np.isnan(value(name, y_true, y_pred, labels=range(4), **paper)), name
        assert not np.isnan(value(name, *samples_of(EXAMPLES[1]), labels=range(4), **paper)), name
    assert value("f1_macro", *samples_of(EXAMPLES[1]), **paper) == pytest.approx(0.4253, abs=5e-5)
    assert np.isnan(value("recall_macro", [0, 1, 1, 0], [0, 2, 1, 0], **paper))


def test_a_class_without_a_value_counts_as_the_worst_of_an_error():
    false_discoveries = mc.metrics.ClassRatio((0, 0, 1, 0), (1, 0, 1, 0))
    fdr = replace(
        get_metric("precision"), name="fdr", ratio=false_discoveries, greater_is_better=False,
        soft=None,
    ).averaged("macro")  # fmt: skip
    y_true, y_pred = samples_of(EXAMPLES[2])
    preds = Predictions(y_true, {"a": y_pred})
    found = Evaluation(preds, [fdr]).estimate()[0, 0]
    assert found == pytest.approx(1 - value("precision_macro", y_true, y_pred), abs=1e-12)


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
