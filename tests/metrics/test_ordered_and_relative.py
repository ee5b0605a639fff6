"""Relative errors, pinball loss, weighted kappa and informedness against scikit-learn and loops."""

import re

import numpy as np
import pytest
from sklearn import metrics as sk

import modelcompare as mc
from modelcompare.data.checks import DataWarning

RNG = np.random.default_rng(0)
Y, F = RNG.normal(5, 2, 60), RNG.normal(5, 2, 60)
TRUE = RNG.integers(0, 4, 90)
PREDICTED = np.where(RNG.random(90) < 0.6, TRUE, RNG.integers(0, 4, 90))
PROB = RNG.dirichlet(np.ones(4), 90)


@pytest.mark.parametrize("weight", [None, RNG.random(60)])
def test_relative_errors_and_pinball_losses_are_scikit_learns(weight):
    options = {"sample_weight": weight}
    expected = sk.mean_absolute_percentage_error(Y, F, **options)
    assert mc.metrics.mape(Y, F, **options) == pytest.approx(expected)
    for quantile in (0.05, 0.5, 0.9):
        expected = sk.mean_pinball_loss(Y, F, alpha=quantile, **options)
        assert mc.metrics.pinball(Y, F, quantile=quantile, **options) == pytest.approx(expected)


def test_a_symmetric_error_is_that_of_a_loop():
    y, f = [0.0, 0.0, 3.0, -2.0, 4.0], [0.0, 1.0, -3.0, -1.0, 0.0]
    terms = [
        0 if a == b == 0 else 2 * abs(a - b) / (abs(a) + abs(b)) for a, b in zip(y, f, strict=True)
    ]
    assert terms == [0, 2, 2, 2 / 3, 2]
    assert mc.metrics.smape(y, f) == pytest.approx(np.mean(terms))


def test_the_pinball_loss_of_the_median_is_half_the_mean_absolute_error():
    assert mc.metrics.pinball(Y, F, quantile=0.5) == pytest.approx(mc.metrics.mae(Y, F) / 2)
    assert mc.get_metric("pinball_0.25").name == mc.get_metric("pinball", quantile=0.25).name


def test_the_true_quantile_has_the_least_pinball_loss():
    y = np.random.default_rng(3).exponential(size=4000)
    losses = {q: mc.metrics.pinball(y, np.full(4000, np.quantile(y, q)), quantile=0.9)
              for q in (0.5, 0.8, 0.9, 0.95)}  # fmt: skip
    assert min(losses, key=losses.get) == 0.9


def test_means_have_the_intervals_and_tests_of_means():
    preds = mc.Predictions(Y, {"a": F, "b": Y + 1}, kind="values")
    names = ["mape", "smape", "pinball_0.9"]
    found = mc.compare(preds, names, n_resamples=199)
    assert set(found.scores["method"]) == {"log-t", "logit-t"}
    own = np.abs(Y - F) / Y
    t = mc.paired_test(preds, "a", "b", "mape", method="t")
    assert t.difference == pytest.approx(np.mean(own - 1 / Y))


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
@pytest.mark.parametrize("sample_weight", [None, RNG.random(90)])
def test_weighted_kappa_is_scikit_learns(weights, sample_weight):
    expected = sk.cohen_kappa_score(TRUE, PREDICTED, weights=weights, sample_weight=sample_weight)
    found = mc.metrics.weighted_kappa(
        TRUE, PREDICTED, weights=weights, sample_weight=sample_weight, labels=range(4)
    )
    assert found == pytest.approx(expected)
    preds = mc.Predictions(TRUE, {"m": PREDICTED}, sample_weight=sample_weight)
    result = mc.bootstrap(preds, f"cohen_kappa_{weights}", n_resamples=2)
    assert result.point[0, 0] == pytest.approx(expected)


@pytest.mark.parametrize("power", [1, 2])
def test_soft_kappa_counts_the_probability_of_each_distance(power):
    distance = np.abs(np.arange(4)[:, None] - np.arange(4)) ** power
    observed = sum(PROB[i] @ distance[TRUE[i]] for i in range(90)) / 90
    shares = np.bincount(TRUE, minlength=4) / 90
    chance = shares @ distance @ PROB.mean(axis=0)
    weights = {1: "linear", 2: "quadratic"}[power]
    found = mc.metrics.cweighted_kappa(TRUE, PROB, weights=weights)
    assert found == pytest.approx(1 - observed / chance)
    assert mc.get_metric("cweighted_kappa", weights=weights).name == f"ccohen_kappa_{weights}"


def test_soft_labels_have_the_expected_distance():
    truth = np.random.default_rng(1).dirichlet(np.ones(4), 90)
    distance = np.abs(np.arange(4)[:, None] - np.arange(4)) ** 2
    observed = sum(truth[i] @ distance[PREDICTED[i]] for i in range(90)) / 90
    chance = truth.mean(axis=0) @ distance @ (np.bincount(PREDICTED, minlength=4) / 90)
    preds = mc.Predictions(truth, {"m": PREDICTED})
    result = mc.bootstrap(preds, "cohen_kappa_quadratic", n_resamples=2)
    assert result.point[0, 0] == pytest.approx(1 - observed / chance)


def test_the_order_of_classes_with_names_is_announced():
    names = np.array(["fair", "good", "poor", "poor"])[TRUE % 3]
    preds = mc.Predictions(names, {"m": names[::-1]})
    with pytest.warns(DataWarning, match="in this order: fair < good < poor"):
        mc.bootstrap(preds, "qwk", n_resamples=2)


@pytest.mark.parametrize("weight", [None, RNG.random(90)])
def test_informedness_is_the_adjusted_balanced_accuracy(weight):
    for true, predicted in ((TRUE, PREDICTED), (TRUE % 2, PREDICTED % 2)):
        expected = sk.balanced_accuracy_score(true, predicted, adjusted=True, sample_weight=weight)
        found = mc.metrics.informedness(true, predicted, sample_weight=weight)
        assert found == pytest.approx(expected)
    tpr, tnr = sk.recall_score(true, predicted), sk.recall_score(true, predicted, pos_label=0)
    assert mc.metrics.informedness(true, predicted) == pytest.approx(tpr + tnr - 1)


REFUSED = {
    "mape divides by the true value, and it is 0 in 1 row (row 1); use smape": lambda: mc.metrics.mape(
        [1.0, 0.0], [1.0, 1.0]
    ),
    "`quantile` must be in (0, 1), got 1.": lambda: mc.get_metric("pinball", quantile=1.0),
    "`weights` must be one of linear, quadratic, got 'cubic'": lambda: mc.metrics.weighted_kappa(
        [0, 1], [0, 1], weights="cubic"
    ),
    "unknown metric 'cohen_kappa_cubic'": lambda: mc.get_metric("cohen_kappa_cubic"),
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_what_has_no_value_is_refused(message):
    with pytest.raises(ValueError, match=re.escape(message)):
        REFUSED[message]()
