"""ROC AUC and average precision near 1: known from samples of the rarer class, not from pairs."""

import numpy as np
import pytest
from scipy.stats import binom, norm
from sklearn.metrics import roc_auc_score

import modelcompare as mc
from modelcompare.intervals.ranks import error_cost, rank_interval, rarer_carriers
from modelcompare.intervals.ratios import proportion

NAMES = ["roc_auc", "average_precision"]


def test_an_auc_of_one_is_known_from_its_positives():
    size = np.array([2.0, 10.0, 100.0])
    low, high = rank_interval(np.ones(3), np.zeros(3), size, np.zeros(3), 1.0, 2.0)

    assert (high == 1).all()
    # Wilson's of twice as many of twice as many.
    np.testing.assert_allclose(low, 2 * size / (2 * size + norm.ppf(0.975) ** 2))


def test_one_positive_is_one_trial():
    found = rank_interval(np.ones(1), np.zeros(1), np.ones(1), np.zeros(1), 1.0, 2.0)
    assert np.ravel(found) == pytest.approx(np.ravel(proportion(np.ones(1), np.ones(1))))


@pytest.mark.parametrize("size", [10, 20, 100])
def test_the_lower_end_of_an_auc_of_one_is_that_of_a_model_of_two_scores(size):
    low, _ = rank_interval(np.ones(1), np.zeros(1), np.array([float(size)]), np.zeros(1), 1.0, 2.0)

    # Of two scores the area A is 1 in (2 A - 1)^size of the sets with errors in one class.
    exact = (1 + 0.025 ** (1 / size)) / 2
    assert low.item() == pytest.approx(exact, abs=0.1 * (1 - exact))


def test_an_auc_of_many_positives_has_the_variance_of_its_influences():
    low, high = rank_interval(
        np.array(0.8), np.array(0.0004), np.array(1e6), np.array(50.0), 1.0, 2.0
    )

    np.testing.assert_allclose(high - low, 2 * norm.ppf(0.975) * 0.02, rtol=0.01)


@pytest.mark.parametrize(("carriers", "times"), [(2.9, 2.0), (3.0, 4.0)])
def test_each_sample_counts_twice_where_three_carry_the_variance(carriers, times):
    found = rank_interval(
        np.array(0.99), np.array(1e-9), np.array(30.0), np.array(carriers), 1.0, 2.0
    )

    np.testing.assert_allclose(found, proportion(np.array(0.99), np.array(times * 30)))


def test_carriers_are_samples_of_the_rarer_class_that_are_out_of_order():
    y = np.r_[np.ones(10), np.zeros(40)].astype(int)
    wrong = np.r_[np.zeros(7), np.ones(3), np.zeros(40)]  # three positives of the lower score
    score = np.where(wrong, 0.2, np.where(y == 1, 0.8, 0.2))
    fine = y * 0.6 + 0.2
    evaluation = mc.bootstrap(
        mc.Predictions(y, {"a": score, "b": fine}, labels=[0, 1], kind="values"),
        "roc_auc", n_resamples=2,
    ).evaluation  # fmt: skip

    # Areas of the positives are 1, or 1/2 for the three; around their mean.
    away = np.r_[np.full(7, 1.0), np.full(3, 0.5)] - 0.85
    expected = (away**2).sum() ** 2 / (away**4).sum()
    found = rarer_carriers(evaluation, evaluation.estimate())
    np.testing.assert_allclose(found[:, 0], [expected, 0.0], rtol=1e-9)


def test_twenty_of_each_class_in_order_are_as_certain_as_accuracy_or_as_its_half():
    y = np.repeat([0, 1], 20)
    preds = mc.Predictions(y, {"a": np.c_[1 - y, y] * 0.8 + 0.1}, kind="probabilities")
    found = mc.bootstrap(preds, [*NAMES, "accuracy"], n_resamples=2)
    low = dict(zip([*NAMES, "accuracy"], found.score_interval("auto", 0.95).low[0], strict=True))

    assert low["roc_auc"] == pytest.approx(low["accuracy"], abs=1e-9)
    # A false alarm takes 1 / 21 off an average precision, and 1 / 40 off the others.
    half = proportion(np.array(1.0), np.array(20.0))[0]
    assert low["average_precision"] == pytest.approx(half, abs=1e-9)


@pytest.mark.parametrize("metric", NAMES)
def test_intervals_of_two_models_are_joined(metric):
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], [60, 15])
    outputs = {m: y * 2.5 + rng.normal(size=75) for m in "ab"}
    outputs["b"] = 0.5 * outputs["a"] + 0.5 * outputs["b"] - 0.7 * y
    preds = mc.Predictions(y, outputs, kind="values", labels=[0, 1])
    found = mc.bootstrap(preds, metric, n_resamples=2)
    values = found.score_interval("auto", 0.95)
    (low_a, low_b), (high_a, high_b) = values.low[:, 0], values.high[:, 0]
    (a, b), covariance = found.point[:, 0], found.moments.covariance()[0].copy()
    unseen = {"roc_auc": 0.1, "average_precision": 0.2}[metric]
    covariance[[0, 1], [0, 1]] += unseen / 15**2 * np.array([a * (1 - a), b * (1 - b)])
    rho = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])

    def joined(x, y):
        return np.sqrt(x**2 + y**2 - 2 * rho * x * y)

    interval = found.difference_interval(np.array([0]), np.array([1]), "auto", 0.95)
    assert interval.method.item() == "mover"
    assert interval.low.item() == pytest.approx(a - b - joined(a - low_a, high_b - b))
    assert interval.high.item() == pytest.approx(a - b + joined(high_a - a, b - low_b))


def test_intervals_cover_the_area_of_a_model_with_two_scores():
    # 20 positives, of which 1 in 50 has the score of the negatives: the area follows from their
    # number, so coverage is a sum of binomial probabilities.
    n, share = 20, 0.02
    y = np.repeat([0, 1], [30, n])
    covered = worse = 0.0
    for k in range(5):
        score = np.r_[np.zeros(30), np.zeros(k), np.ones(n - k)]
        preds = mc.Predictions(y, {"a": score, "b": y * 1.0}, kind="values", labels=[0, 1])
        found = mc.bootstrap(preds, "roc_auc", n_resamples=2)
        assert found.point[0, 0] == pytest.approx(roc_auc_score(y, score))
        weight = binom.pmf(k, n, share)
        one = found.score_interval("auto", 0.95)
        covered += weight * (one.low[0, 0] <= 1 - share / 2 <= one.high[0, 0])
        # A gate at the margin: b is better by share / 2, and passes as equal within less.
        two = found.difference_interval(np.array([1]), np.array([0]), "auto", 0.9)
        worse += weight * (two.high[0, 0] < share / 2)
    assert covered > 0.935
    assert worse < 0.06


OF_MANY = ["roc_auc_ovr", "roc_auc_ovr_weighted", "roc_auc_ovo", "roc_auc_ovo_weighted"]


@pytest.mark.parametrize("metric", OF_MANY)
@pytest.mark.parametrize("sizes", [(9, 5), (8, 8, 8), (12, 7, 4), (20, 3, 6, 5)])
def test_no_error_of_a_model_with_two_scores_costs_more_than_the_most_costly_one(metric, sizes):
    y, k = np.repeat(np.arange(len(sizes)), sizes), len(sizes)
    right, costs = np.eye(k)[y], []
    for true in range(k):
        for named in {*range(k)} - {true}:
            scores = right.copy()
            scores[np.flatnonzero(y == true)[0]] = np.eye(k)[named]
            outputs = {"right": right, "one error": scores}
            preds = mc.Predictions(y, outputs, kind="probabilities", labels=[*range(k)])
            found = mc.bootstrap(preds, metric, n_resamples=2)
            assert found.point[0, 0] == 1
            costs.append(1 - found.point[1, 0])
    assert error_cost(found.evaluation, metric) == pytest.approx(max(costs), rel=1e-9)


@pytest.mark.parametrize("metric", [*OF_MANY, "average_precision_macro"])
def test_a_mean_over_classes_near_1_is_known_from_samples_not_from_pairs(metric):
    y = np.repeat([0, 1, 2], 20)
    preds = mc.Predictions(y, {"a": np.eye(3)[y], "b": np.eye(3)[y]}, kind="probabilities")
    found = mc.bootstrap(preds, metric, n_resamples=2)
    low = found.score_interval("auto", 0.95).low[0, 0]

    trials = 1 / error_cost(found.evaluation, metric)
    trials /= 2 if metric.startswith("average_precision") else 1
    assert low == pytest.approx(proportion(np.array(1.0), np.array(trials))[0], abs=1e-9)
    ends = found.difference_interval(np.array([0]), np.array([1]), "auto", 0.95)
    assert ends.low[0, 0] == pytest.approx(low - 1, abs=1e-9)


def test_intervals_cover_the_mean_area_of_three_classes_of_a_model_with_two_scores():
    # Each of 30 samples is wrong in 1 of 30, for the next class: all outcomes are drawn.
    rng, y = np.random.default_rng(5), np.repeat([0, 1, 2], 10)
    wrong = rng.random((400, 30)) < 1 / 30
    outputs = {str(i): np.eye(3)[(y + row) % 3] for i, row in enumerate(wrong)}
    outputs["right"] = np.eye(3)[y]
    preds = mc.Predictions(y, outputs, kind="probabilities", labels=[0, 1, 2])
    found = mc.bootstrap(preds, "roc_auc_ovr", n_resamples=2)
    # A class of 10 loses 1 / 20 by a miss and 1 / 40 by a false alarm.
    truth = 1 - 30 / 30 * (1 / 20 + 1 / 40) / 3
    own = found.score_interval("auto", 0.95)
    held = (own.low[:-1, 0] <= truth) & (truth <= own.high[:-1, 0])
    pairs = np.full(400, 400), np.arange(400)
    gate = found.difference_interval(*pairs, "auto", 0.9)
    assert held.mean() > 0.93
    assert (gate.high[:, 0] < 1 - truth).mean() < 0.06


def test_intervals_cover_the_average_precision_of_a_model_with_two_scores():
    # Of 100 positives and 100 negatives 3 in 200 have the other score, each number with its
    # binomial probability.
    n, share, y = 100, 3 / 200, np.repeat([0, 1], 100)
    errors = [(false, missed) for false in range(9) for missed in range(9)]
    outputs = {
        f"{false} {missed}": np.r_[
            np.ones(false), np.zeros(n - false + missed), np.ones(n - missed)
        ]
        for false, missed in errors
    }
    preds = mc.Predictions(y, outputs, kind="values", labels=[0, 1])
    found = mc.bootstrap(preds, "average_precision", n_resamples=2)
    weight = np.prod(binom.pmf(np.array(errors), n, share), axis=1)
    # The population has as many positives as negatives.
    truth = (1 - share) ** 2 + share / 2
    own = found.score_interval("auto", 0.95)
    held = (own.low[:, 0] <= truth) & (truth <= own.high[:, 0])
    assert weight.sum() > 0.999
    assert (weight * held).sum() > 0.935


def test_a_single_class_has_no_area_and_no_error():
    preds = mc.Predictions(["a"] * 7, {m: np.full((7, 2), 0.5) for m in "xy"}, labels=["a", "b"])
    evaluation = mc.bootstrap(preds, "average_precision_macro", n_resamples=2).evaluation
    assert error_cost(evaluation, "average_precision_macro") == 0.5


def test_models_of_one_order_have_a_difference_of_some_width():
    y, score = np.tile([1, 0, 0, 1], 8), np.tile([0.1, 0.4, 0.6, 0.9], 8)
    preds = mc.Predictions(y, {"a": score, "b": score**2}, kind="probabilities", labels=[0, 1])
    found = mc.bootstrap(preds, "roc_auc", n_resamples=2)
    # At 0.5 the ends of a and b are equally far, and their influences are the same.
    assert found.point[:, 0].tolist() == [0.5, 0.5]
    ends = found.difference_interval(np.array([0]), np.array([1]), "auto", 0.95)
    assert ends.low.item() < -0.001
    assert ends.high.item() > 0.001
