"""Bounds by betting and corrected gains, beside loops and simulations."""

import math

import numpy as np
import pytest
from scipy import stats

import modelcompare as mc
from modelcompare.intervals.betting import _BETS, betting_bound, log_wealth, rounded_down
from modelcompare.intervals.chosen import of_chosen


def test_wealth_is_that_of_a_player():
    rng = np.random.default_rng(0)
    numbers = rng.uniform(-1, 1, 50)
    wealth = np.ones(len(_BETS))
    for x in numbers:
        wealth *= 1 + _BETS * (x - 0.1) / (0.1 + 1)
    found = log_wealth(numbers, np.ones(50), 0.1, -1.0)
    assert found == pytest.approx(math.log(wealth.mean()))


def test_nothing_is_to_be_won_if_the_mean_is_the_threshold():
    """Expected wealth is 1: by all possible counts of hits."""
    n, p = 30, 0.3
    hits = np.arange(n + 1)
    wealth = [
        math.exp(log_wealth(np.array([0.0, 1.0]), np.array([n - k, k], float), p, 0.0))
        for k in hits
    ]
    assert stats.binom(n, p).pmf(hits) @ wealth == pytest.approx(1)


def test_bounds_hold_for_all_numbers_of_samples_together():
    rng, wrong = np.random.default_rng(1), 0
    for _ in range(300):
        x = rng.choice([-1.0, 0.0, 1.0], 400, p=[0.07, 0.9, 0.03])
        for n in range(20, 401, 20):
            values, counts = np.unique(x[:n], return_counts=True)
            if betting_bound(values, counts.astype(float), -1.0, 1.0, 0.05) > -0.04:
                wrong += 1
                break
    assert wrong / 300 < 0.05 + 2 * math.sqrt(0.05 / 300)


def test_a_bound_is_monotone_in_its_level_and_below_the_mean():
    values, counts = np.array([-1.0, 0.0, 1.0]), np.array([3.0, 80.0, 17.0])
    bounds = [betting_bound(values, counts, -1.0, 1.0, level) for level in (0.001, 0.05, 0.3)]
    assert bounds == sorted(bounds)
    assert -1 < bounds[0] < bounds[-1] < 0.14


def test_many_numbers_are_rounded_in_the_safe_direction():
    numbers = np.random.default_rng(2).uniform(-1, 1, 20_000)
    few, counts = rounded_down(numbers, np.ones(20_000), -1.0, 1.0)
    assert len(few) <= 5_001
    assert counts.sum() == 20_000
    assert numbers.mean() - 4e-4 < few @ counts / 20_000 < numbers.mean()


def preds_of(n=600, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    models = {m: np.where(rng.random(n) < p, truth, 1 - truth) for m, p in (("a", 0.7), ("b", 0.8))}
    return mc.Predictions(truth, models)


def test_a_decision_at_any_time_has_the_bounds_of_a_loop():
    preds = preds_of()
    gains = (preds.predicted("b") == preds.codes).astype(int) - (
        preds.predicted("a") == preds.codes
    )
    found = mc.decide(preds, "a", "b", "accuracy", kind="superior", any_time=True)
    values, counts = np.unique(gains, return_counts=True)
    grid = np.linspace(-0.99, gains.mean(), 4001)
    logs = [log_wealth(values, counts, m, -1.0) for m in grid]
    low = grid[np.flatnonzero(np.array(logs) < math.log(20))[0]]
    assert found.ci_low == pytest.approx(low, abs=1e-3)
    assert found.ci_low < mc.decide(preds, "a", "b", "accuracy", kind="superior").ci_low
    assert (found.p_value < 0.05) == (found.answer == "shown") == (found.ci_low > 0)


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro"])
def test_a_decision_at_any_time_is_the_opposite_of_its_opposite(metric):
    preds = preds_of()
    forth = mc.decide(preds, "a", "b", metric, kind="superior", any_time=True)
    back = mc.decide(preds, "b", "a", metric, kind="superior", any_time=True)
    assert (forth.ci_low, forth.ci_high) == pytest.approx((-back.ci_high, -back.ci_low))
    assert forth.p_value + back.p_value == pytest.approx(1)


def test_few_samples_have_no_asymptotic_bounds():
    found = mc.decide(preds_of(40), "a", "b", "f1_macro", kind="superior", any_time=True)
    assert found.answer == "not enough data"
    assert "Bounds at any time need 50 samples" in found.sentence()


@pytest.mark.parametrize("more", [{"x": preds_of()}, {"x": preds_of(seed=1), "y": preds_of()}])
def test_several_sets_are_refused(more):
    with pytest.raises(ValueError, match=r"any_time|maps one test set"):
        mc.decide(more, "a", "b", "accuracy", margin=0.1, any_time=True)


@pytest.mark.parametrize(("gain", "bar"), [(0.03, 0.025), (0.03, 0.01), (0.5, 0.1)])
def test_a_chosen_gain_has_the_quantiles_of_the_truncated_law(gain, bar):
    middle, low, high = of_chosen(gain, 0.01, bar)
    for mean, share in ((low, 0.025), (middle, 0.5)):
        law = stats.truncnorm((bar - mean) / 0.01, np.inf, mean, 0.01)
        assert law.sf(gain) == pytest.approx(share, abs=1e-6)
    assert high == pytest.approx(gain + 0.01 * stats.norm.isf(0.025))


def test_far_above_the_bar_nothing_is_corrected():
    assert of_chosen(0.5, 0.01, 0.1) == pytest.approx([0.5, 0.4804, 0.5196], abs=1e-4)


@pytest.mark.parametrize("true", [0.0, 1.0, 3.0])
def test_intervals_of_what_was_chosen_cover(true):
    rng = np.random.default_rng(5)
    x = rng.normal(true, 1, 60_000)
    x = x[x > 2.0][:800]
    covered = [low <= true <= high for _, low, high in (of_chosen(each, 1, 2.0) for each in x)]
    assert np.mean(covered) > 0.95 - 3 * math.sqrt(0.05 * 0.95 / len(x))
