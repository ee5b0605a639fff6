"""Gains of what was chosen for being large, beside truncated normals of scipy and of simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, truncnorm

from modelcompare.plugins.ledgers.chosen import of_chosen


def share_below(gain, mean, error, bar):
    """Return the share of estimates above the bar that are below the gain."""
    return truncnorm.cdf(gain, (bar - mean) / error, math.inf, loc=mean, scale=error)


@given(st.floats(-1, 1), st.floats(0.01, 0.5), st.floats(0.05, 6))
def test_ends_and_estimate_solve_the_law_of_a_truncated_normal(bar, error, above):
    gain = bar + above * error
    middle, low, high = of_chosen(gain, error, bar)
    assert low < middle < high
    assert high == pytest.approx(gain + norm.ppf(0.975) * error)
    for mean, share in ((middle, 0.5), (low, 0.975)):
        # Beyond 20 errors truncnorm loses digits.
        if mean > bar - 20 * error:
            assert share_below(gain, mean, error, bar) == pytest.approx(share, abs=1e-6)


@given(st.floats(-1, 1), st.floats(0.01, 0.5), st.floats(0.5, 0.99))
def test_far_above_the_bar_it_is_the_plain_interval(gain, error, level):
    found = of_chosen(gain, error, gain - 30 * error, level)
    z = norm.ppf((1 + level) / 2)
    assert found == pytest.approx((gain, gain - z * error, gain + z * error), abs=1e-9)


def test_just_above_the_bar_nothing_is_known_from_below():
    middle, low, high = of_chosen(0.0251, 0.01, 0.025)
    assert middle < 0
    assert low == -math.inf or low < -1
    assert high == pytest.approx(0.0251 + norm.ppf(0.975) * 0.01)


def test_the_nearer_the_bar_the_smaller_the_estimate():
    found = [of_chosen(0.03, 0.01, bar)[0] for bar in (-0.1, 0.0, 0.01, 0.02, 0.025, 0.029)]
    assert found == sorted(found, reverse=True)
    assert found[0] == pytest.approx(0.03, abs=1e-6)


@pytest.mark.parametrize("truth", [-1.0, 0.0, 1.0, 3.0])
def test_intervals_cover_the_truth_among_those_that_pass(truth):
    rng, trials, bar = np.random.default_rng(4), 4000, 1.645
    # Estimates above the bar, by the inverse of the distribution.
    tail = norm.sf(bar - truth) * rng.random(trials)
    found = np.array([of_chosen(x, 1.0, bar) for x in truth + norm.isf(tail)])
    # Four standard errors: a false alarm in 16,000. What is chosen is rarely too small, so the upper
    # end errs less than its half of the level.
    below = (found[:, 1] > truth).mean()
    assert below == pytest.approx(0.025, abs=4 * math.sqrt(0.025 * 0.975 / trials))
    assert (found[:, 2] < truth).mean() < 0.025 + 4 * math.sqrt(0.025 * 0.975 / trials)
    assert (found[:, 0] < truth).mean() == pytest.approx(0.5, abs=4 * 0.5 / math.sqrt(trials))
    # The plain interval does not, near the bar.
    if truth < 1:
        plain = truth + norm.isf(tail)
        assert (plain - 1.96 > truth).mean() > 0.2


@pytest.mark.parametrize(("gain", "error", "bar"), [(0.01, 0.0, 0.0), (0.01, 0.1, 0.01)])
def test_without_an_error_or_above_no_bar_there_is_nothing_to_correct(gain, error, bar):
    assert of_chosen(gain, error, bar) == (gain, gain, gain)
