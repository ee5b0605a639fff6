"""One to five errors in all: coverage by summing probabilities, and widths beside exact ones."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import beta, binom

import modelcompare as mc
from modelcompare.comparison.planning import Settings, evaluate
from modelcompare.engine.contrasts import Contrasts, Sample
from modelcompare.engine.design import design_of
from modelcompare.intervals import intervals_of
from modelcompare.intervals.confusions import Confusions
from modelcompare.intervals.counts import agreement_interval
from modelcompare.intervals.ratios import clopper_pearson, proportion, t_quantile
from modelcompare.resampling.weights import BootstrapWeights


def of_all(n, share, level):
    """Counts of successes, their probabilities, and the intervals of their shares."""
    counts = np.arange(n + 1.0)
    return binom.pmf(counts, n, share), proportion(counts / n, np.full(n + 1, n), level)


def covered(n, share, level):
    weight, (low, high) = of_all(n, share, level)
    return weight[(low <= share) & (share <= high)].sum()


@pytest.mark.parametrize("n_groups", [3, 8, 20])
@pytest.mark.parametrize("n", [40, 100, 200])
@pytest.mark.parametrize("errors", [1, 2, 5])
def test_intervals_of_several_groups_hold_together_at_the_corrected_level(n_groups, n, errors):
    # Wilson's hold together in 0.70 to 0.97 of the test sets.
    assert covered(n, 1 - errors / n, 1 - 0.05 / n_groups) ** n_groups > 0.95


def test_an_interval_at_a_corrected_level_is_that_of_clopper_and_pearson():
    found = proportion(np.array([0.98, 1.0]), np.array([100.0, 100.0]), 0.99)

    tail = 0.005
    np.testing.assert_allclose(found[0], [beta.ppf(tail, 98, 3), beta.ppf(tail, 100, 1)])
    np.testing.assert_allclose(found[1], [beta.ppf(1 - tail, 99, 2), 1.0])


def test_trials_may_be_fractional_and_successes_fewer_than_one():
    low, high = clopper_pearson(np.array([0.3, 7.7]), np.array([8.0, 8.0]), 0.01)

    np.testing.assert_allclose(low, [beta.ppf(0.01, 0.3, 8.7), beta.ppf(0.01, 7.7, 1.3)])
    np.testing.assert_allclose(high, [beta.ppf(0.99, 1.3, 7.7), beta.ppf(0.99, 8.7, 0.3)])


def test_the_interval_of_no_and_of_all_successes_ends_at_0_and_1():
    low, high = clopper_pearson(np.array([0.0, 8.0]), np.array([8.0, 8.0]), 0.025)

    np.testing.assert_array_equal([low[0], high[1]], [0.0, 1.0])
    np.testing.assert_allclose([high[0], low[1]], [beta.ppf(0.975, 1, 8), beta.ppf(0.025, 8, 1)])


@pytest.mark.parametrize("share", [0.0, 0.3, 0.98, 1.0])
@pytest.mark.parametrize("size", [3.0, 40.5, 1000.0])
def test_intervals_of_higher_levels_contain_those_of_lower_ones(share, size):
    levels = [0.0, 0.5, 0.9, 0.95, 0.9500001, 0.951, 0.96, 0.99, 0.99999, 1 - 1e-12]
    low, high = np.array([proportion(np.array(share), np.array(size), each) for each in levels]).T

    assert (np.diff(low) <= 1e-15).all()
    assert (np.diff(high) >= -1e-15).all()
    assert low[-1] >= 0
    assert high[-1] <= 1


def agreements(metric, n, errors):
    """Probabilities of confusion matrices of two equal classes, with values and intervals."""
    half, formula = n // 2, mc.get_metric(metric).value
    both = np.array([*product(range(min(half, 12 * errors) + 1), repeat=2)])
    weight = binom.pmf(both, half, errors / n).prod(axis=1)
    tables = np.zeros((len(both), 2, 2))
    tables[:, 0, 1], tables[:, 1, 0] = both.T
    tables[:, 0, 0], tables[:, 1, 1] = half - both.T
    cells = Confusions.of_tables(tables, tables)
    true, named, right = cells.margins
    value = formula(right, named, true)
    return weight, value, agreement_interval(formula, value, cells)


@pytest.mark.parametrize("metric", ["cohen_kappa", "matthews_corrcoef"])
@pytest.mark.parametrize("n", [40, 100, 200])
@pytest.mark.parametrize("errors", [1, 2, 5])
def test_kappa_and_mcc_are_as_certain_as_the_accuracy_that_they_follow_from(metric, n, errors):
    weight, value, (low, high) = agreements(metric, n, errors)
    inside = (np.fmin(low, value) <= 1 - 2 * errors / n) & (1 - 2 * errors / n <= high)

    assert weight[inside].sum() > 0.93
    chances, ends = of_all(n, 1 - errors / n, 0.95)
    # Two times the accuracy less one, so twice as wide (it was 1.3 to 1.6 times as much).
    assert weight @ (high - low) < 1.15 * 2 * (chances @ (ends[1] - ends[0]))


@pytest.mark.slow
def test_ten_models_of_98_in_100_have_intervals_that_hold_together():
    rng, n, share = np.random.default_rng(0), 100, 0.98
    held = []
    for _ in range(100):
        right = rng.random((10, n)) < share
        preds = mc.Predictions.from_scores({f"m{i}": row * 1.0 for i, row in enumerate(right)})
        found = mc.compare(preds, n_resamples=99).simultaneous_intervals("scores")
        held.append(((found["ci_low"] <= share) & (share <= found["ci_high"])).all())

    # With a nominal level of 0.95, fewer than 88 have a probability of 0.002; it was 0.85.
    assert math.fsum(held) >= 88


@pytest.mark.parametrize("n", [10, 20, 40, 50, 100, 200])
@pytest.mark.parametrize("errors", [1, 2])
def test_a_share_with_few_expected_failures_is_covered(n, errors):
    assert covered(n, 1 - errors / n, 0.95) > 0.94


def losses_of(n, shares):
    """Interval ends of the Brier score and the log loss of models with some shares of the truth."""
    y = np.arange(n) % 2
    p = np.where(y == 1, np.asarray(shares), 1 - np.asarray(shares))
    models = {str(i): np.c_[1 - row, row] for i, row in enumerate(np.atleast_2d(p))}
    preds = mc.Predictions(y, models, labels=[0, 1], kind="probabilities")
    found = mc.bootstrap(preds, ["brier_score", "log_loss"], n_resamples=2)
    return found, found.score_interval("auto", 0.95)


@pytest.mark.parametrize("n", [40, 100])
def test_losses_without_a_wrong_answer_leave_room_for_one(n):
    rng = np.random.default_rng(0)
    found, ends = losses_of(n, 1 - 0.02 * rng.random(n))
    most = 3.8415 / (n + 3.8415)  # Wilson's of none of n

    # The Brier score of two classes is at most 1; a wrong answer has a log loss of about 1.
    assert ends.high[0, 0] == pytest.approx(most, rel=1e-4)
    assert ends.high[0, 1] == pytest.approx(found.point[0, 1] + most, rel=1e-4)
    assert (ends.low[0] < found.point[0]).all()


def test_a_loss_that_is_far_from_0_has_the_interval_of_its_variance():
    rng = np.random.default_rng(1)
    shares = rng.beta(4, 2, 400)
    found, ends = losses_of(400, shares)

    loss = (1 - shares) ** 2
    half = t_quantile(np.array(399.0), 0.95) * loss.std() / 20
    np.testing.assert_allclose(ends.high[0, 0] - ends.low[0, 0], 2 * half, rtol=0.02)
    assert ends.high[0, 1] - found.point[0, 1] > 3.8415 / 403


@pytest.mark.parametrize("errors", [0.5, 1, 2])
def test_intervals_of_losses_cover_where_few_answers_are_wrong(errors):
    rng, n = np.random.default_rng(2), 40
    wrong = rng.random((500, n)) < errors / n
    _, ends = losses_of(n, np.where(wrong, 0.25, 0.95))
    share = errors / n
    for place, right, of_wrong in ((0, 0.05**2, 0.75**2), (1, -np.log(0.95), np.log(4))):
        truth = (1 - share) * right + share * of_wrong
        held = (ends.low[:, place] <= truth) & (truth <= ends.high[:, place])
        assert held.mean() > 0.935


def test_the_brier_score_of_two_classes_is_at_most_1_and_of_more_2():
    worst = {2: [[1.0, 0.0], [0.0, 1.0]], 3: [[1.0, 0, 0], [0, 1.0, 0]]}
    for k, outputs in worst.items():
        preds = mc.Predictions([1, 0], {"a": outputs}, labels=[*range(k)], kind="probabilities")
        found = mc.bootstrap(preds, "brier_score", n_resamples=2)
        assert found.evaluation.metrics[0].bounds == (0.0, float(k - 1))
        assert found.point[0, 0] == k - 1


def test_a_difference_of_losses_without_a_wrong_answer_leaves_room_for_one_of_each_model():
    rng, n = np.random.default_rng(3), 60
    first = 1 - 0.02 * rng.random(n)
    found, _ = losses_of(n, np.array([first, 1 - 0.02 * rng.random(n), first * 0.999]))
    pairs = np.array([0, 0]), np.array([1, 2])
    ends = found.difference_interval(*pairs, "auto", 0.95)
    room = 3.8415 / (n + 3.8415)

    covariance = found.moments.covariance()[1]
    rho = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    apart = found.point[0, 1] - found.point[1, 1]
    half = room * np.sqrt(2 - 2 * rho)
    assert ends.high[0, 1] == pytest.approx(apart + half, rel=1e-3)
    assert ends.low[0, 1] == pytest.approx(apart - half, rel=1e-3)
    # Two that fail on the same samples differ by what was seen: an unseen error is of both.
    assert ends.high[1, 1] - ends.low[1, 1] < room / 10


def test_a_difference_of_losses_far_from_0_has_the_interval_of_its_variance():
    rng, n = np.random.default_rng(4), 200
    found, _ = losses_of(n, rng.beta(4, 2, (2, n)))
    pair = np.array([0]), np.array([1])
    ends = found.difference_interval(*pair, "auto", 0.95)

    error = found.moments.standard_error(pair)[0]
    half = (ends.high[0] - ends.low[0]) / 2
    np.testing.assert_allclose(half, t_quantile(np.array(n - 1.0), 0.95) * error, rtol=0.03)


@pytest.mark.parametrize("errors", [1, 2])
def test_gates_of_losses_hold_their_level_where_few_answers_are_wrong(errors):
    rng, n = np.random.default_rng(5), 40
    wrong = rng.random((600, n)) < np.repeat([[errors], [3 * errors]], 300, axis=0) / n
    shares = np.where(wrong, 0.25, 0.95) + rng.uniform(-0.04, 0.04, wrong.shape)
    found, _ = losses_of(n, shares)
    pairs = np.arange(300), np.arange(300, 600)
    gate = found.difference_interval(*pairs, "auto", 0.9)
    large = rng.uniform(-0.04, 0.04, 10**6)
    cost = (-np.log(0.25 + large) + np.log(0.95 + large)).mean()
    truth = -2 * errors / n * cost
    assert (gate.low[:, 1] > truth).mean() < 0.06


# -- precision ------------------------


def mover_of(values, ends):
    """Join independent intervals, by hand (Zou and Donner 2008)."""
    (x, y), ((low_x, high_x), (low_y, high_y)) = values, ends
    below, above = math.hypot(x - low_x, high_y - y), math.hypot(high_x - x, y - low_y)
    return x - y - below, x - y + above


def test_the_precision_of_a_class_predicted_a_few_times_has_the_width_of_both_models():
    """Nine predictions, all right, show no more of a precision than 0.70 to 1."""
    truth = np.r_[np.ones(9, int), np.zeros(91, int)]
    other = np.where(np.arange(100) == 9, 1, truth)
    preds = mc.Predictions(truth, {"a": truth, "b": other})
    found = mc.compare(preds, ["precision"], correction="none", n_resamples=99)
    (row,) = found.differences[found.differences["label"] == 1].itertuples()
    scores = found.scores[found.scores["label"] == 1].set_index("model")
    own = scores.loc[["a", "b"], ["ci_low", "ci_high"]].to_numpy()
    low, high = mover_of((1.0, 9 / 10), own)
    assert (row.ci_low, row.ci_high) == pytest.approx((low, high))
    (common,) = found.differences[found.differences["label"] == 0].itertuples()
    assert common.ci_high - common.ci_low < 0.1


def test_precision_weighted_by_two_classes_of_whom_one_is_rare_is_covered_where_three_are_wrong():
    """Summed over all numbers of misses and false alarms of 200 samples (the joined one: 0.92)."""
    rate, common, rare = 0.015, 180, 20
    truth = np.r_[np.zeros(common, int), np.ones(rare, int)]
    both = [*product(range(16), range(6))]
    outputs = {
        f"{alarms}, {misses}": np.r_[
            np.ones(alarms, int), np.zeros(common - alarms + misses, int),
            np.ones(rare - misses, int),
        ]
        for alarms, misses in both
    }  # fmt: skip
    evaluation = evaluate(mc.Predictions(truth, outputs), ["precision_weighted"], Settings())
    weights = BootstrapWeights(evaluation.units, 9, np.random.SeedSequence(0))
    found = intervals_of(
        Contrasts(Sample(evaluation, weights, design_of(evaluation.predictions)), None),
        "auto",
        0.95,
    )
    weight = binom.pmf(np.array(both), [common, rare], rate).prod(axis=1)
    hits = common * (1 - rate), rare * (1 - rate)
    true = 0.9 * hits[0] / (hits[0] + rare * rate) + 0.1 * hits[1] / (hits[1] + common * rate)
    inside = (found.low[:, 0] <= true) & (true <= found.high[:, 0])
    assert weight[inside].sum() > 0.93


def test_the_brier_score_covers_where_no_answer_was_wrong():
    # Of 200 answers each is wrong in 1 of 100: none is in 0.13 of the test sets.
    rng, n, held = np.random.default_rng(8), 200, []
    for wrong in range(8):
        p = np.where(np.arange(n) < wrong, 0.35, rng.uniform(0.8, 0.97, n))
        preds = mc.Predictions(np.zeros(n, dtype=int), {"a": np.c_[p, 1 - p]}, labels=[0, 1])
        found = mc.bootstrap(preds, "brier_score", n_resamples=2)
        ends = found.score_interval("auto", 0.95)
        right = ((1 - rng.uniform(0.8, 0.97, 100_000)) ** 2).mean()
        truth = 0.01 * 0.65**2 + 0.99 * right
        held.append(ends.low[0, 0] <= truth <= ends.high[0, 0])
    assert binom.pmf(np.arange(8), n, 0.01)[held].sum() > 0.935
