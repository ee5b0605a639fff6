"""Bounds by betting beside loops of the published algorithm, enumerations and simulations."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from modelcompare.plugins.any_time import betting
from modelcompare.plugins.any_time.betting import betting_bound, log_wealth, rounded_down

BETS = np.geomspace(0.002, 0.9, 40)
numbers_within = st.lists(st.floats(-1, 1), min_size=3, max_size=40)


def wealth(values, threshold, lowest):
    """Average of the wealths of 40 players, each with one bet, after each of the numbers.

    Waudby-Smith & Ramdas (2024), eq. 22 with fixed bets: the product of 1 + lambda (x - m).
    """
    players = [1.0] * len(BETS)
    for value in values:
        for k, share in enumerate(BETS):
            players[k] *= 1 + share / (threshold - lowest) * (value - threshold)
    return sum(players) / len(players)


def bound_by_halves(values, lowest, highest, level):
    """Search the largest threshold at which the wealth is 1 / level, by bisection."""
    low, high = lowest + 1e-9 * (highest - lowest), float(np.mean(values))
    for _ in range(60):
        middle = (low + high) / 2
        if wealth(values, middle, lowest) > 1 / level:
            low = middle
        else:
            high = middle
    return low


def counted(values):
    return np.unique(values, return_counts=True)[0], np.unique(values, return_counts=True)[1] * 1.0


@settings(max_examples=40)
@given(numbers_within, st.floats(-0.95, 0.95))
def test_wealth_is_that_of_a_loop_over_players_and_numbers(values, threshold):
    found = log_wealth(*counted(values), threshold, -1.0)
    assert found == pytest.approx(math.log(wealth(values, threshold, -1.0)), abs=1e-9)


@pytest.mark.parametrize(("n", "threshold"), [(10, 0.5), (40, 0.1), (25, 0.9)])
def test_expected_wealth_at_the_mean_is_one(n, threshold):
    # All numbers of hits, with their probabilities at a mean equal to the threshold.
    expected = sum(
        binom.pmf(hits, n, threshold)
        * math.exp(log_wealth(np.array([0.0, 1.0]), np.array([n - hits, hits]), threshold, 0.0))
        for hits in range(n + 1)
    )
    assert expected == pytest.approx(1, rel=1e-9)


def test_wealth_is_that_of_confseq_by_the_same_bets(monkeypatch):
    # The package uses a name that numpy 2 has not.
    monkeypatch.setattr(np, "float_", np.float64, raising=False)
    theirs = pytest.importorskip("confseq.betting")
    values, mean = np.random.default_rng(0).beta(3, 2, 80), 0.55
    bets = [lambda x, m, bet=bet: np.full(len(x), bet / m) for bet in betting._BETS]
    wealth = theirs.diversified_betting_mart(values, mean, bets, theta=1, trunc_scale=1)
    for n in (1, 20, 80):
        assert log_wealth(*counted(values[:n]), mean, 0.0) == pytest.approx(np.log(wealth[n - 1]))


@settings(max_examples=25)
@given(st.lists(st.floats(0, 1), min_size=3, max_size=25), st.floats(0.001, 0.3))
def test_the_bound_is_that_of_a_bisection(values, level):
    found = betting_bound(*counted(values), 0.0, 1.0, level)
    assert found == pytest.approx(bound_by_halves(values, 0.0, 1.0, level), abs=1e-7)


@settings(max_examples=40)
@given(numbers_within, st.floats(0.001, 0.2), st.floats(1.1, 4))
def test_a_larger_level_makes_the_bound_no_lower(values, level, times):
    bounds = [betting_bound(*counted(values), -1.0, 1.0, each) for each in (level, level * times)]
    assert -1 <= bounds[0] <= bounds[1] + 1e-9
    assert bounds[1] <= np.mean(values) + 1e-9


@given(numbers_within)
def test_the_order_and_the_counting_of_numbers_do_not_matter(values):
    one_by_one = betting_bound(np.array(values[::-1]), np.ones(len(values)), -1.0, 1.0, 0.05)
    assert one_by_one == pytest.approx(betting_bound(*counted(values), -1.0, 1.0, 0.05), abs=1e-9)


def test_a_scale_and_a_shift_of_the_numbers_are_those_of_the_bound():
    values = np.random.default_rng(0).beta(4, 2, 200)
    plain = betting_bound(values, np.ones(200), 0.0, 1.0, 0.05)
    moved = betting_bound(10 * values - 3, np.ones(200), -3.0, 7.0, 0.05)
    assert moved == pytest.approx(10 * plain - 3, abs=1e-7)


def test_rounding_of_many_numbers_only_lowers_the_bound(monkeypatch):
    values = np.random.default_rng(1).beta(3, 2, 3000)
    exact = betting_bound(values, np.ones(3000), 0.0, 1.0, 0.05)
    monkeypatch.setattr(betting, "_MOST_NUMBERS", 100)
    floors, counts = rounded_down(values, np.ones(3000), 0.0, 1.0)
    assert len(floors) <= 101
    assert counts.sum() == 3000
    assert floors @ counts <= values.sum()
    assert exact - 0.011 < betting_bound(values, np.ones(3000), 0.0, 1.0, 0.05) < exact


def test_numbers_that_are_all_the_lowest_have_the_lowest_bound():
    assert betting_bound(np.array([-1.0]), np.array([50.0]), -1.0, 1.0, 0.05) == -1.0
    # A sample of one hit shows nothing at this level.
    assert betting_bound(np.array([1.0]), np.array([1.0]), 0.0, 1.0, 0.001) == pytest.approx(
        0, abs=1e-2
    )


def test_bounds_after_every_sample_err_together_in_less_than_the_level():
    # Three numbers, as of disagreements: their mean is 0, which is no gain.
    rng, trials, n = np.random.default_rng(2), 2000, 1500
    steps = rng.choice([-1.0, 0.0, 1.0], (trials, n), p=[0.1, 0.8, 0.1])
    losses, wins = ((steps == side).cumsum(axis=1) for side in (-1, 1))
    rest = np.arange(1, n + 1) - losses - wins
    # log_wealth at the threshold 0 for each trial and time: an error is a wealth of 20.
    won = [np.log1p(BETS * (x - 0.0)) for x in (-1.0, 0.0, 1.0)]
    erred = np.zeros(trials, bool)
    for trial in range(trials):
        each = np.column_stack([losses[trial], rest[trial], wins[trial]]) @ np.array(won)
        erred[trial] = np.exp(each).mean(axis=1).max() >= 20
    assert erred.mean() <= 0.05
    # The same share by the function, at the time of the largest wealth of some trials.
    for trial in range(30):
        counts = np.column_stack([losses[trial], rest[trial], wins[trial]])
        each = (counts @ np.array(won)).max(axis=1)
        time = int(each.argmax())
        bound = betting_bound(np.array([-1.0, 0.0, 1.0]), counts[time].astype(float), -1, 1, 0.05)
        largest = np.exp(counts[time] @ np.array(won)).mean()
        assert (bound > 0) == (largest > 20)


def test_bounds_cover_the_mean_and_approach_it():
    rng = np.random.default_rng(3)
    widths = []
    for n in (100, 1000, 10_000):
        values = rng.beta(8, 2, n)
        bound = betting_bound(values, np.ones(n), 0.0, 1.0, 0.05)
        assert bound < 0.8
        widths.append(0.8 - bound)
    assert widths[0] > 2 * widths[1] > 4 * widths[2] > 0
