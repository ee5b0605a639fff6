"""Levels of looks and candidates, beside published bounds, simulations and other packages."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from modelcompare.significance.repeated import (
    bounds_of_looks,
    level_at_any_time,
    level_of_candidate,
    level_of_look,
    share_of,
)

# Bounds of gsDesign (R) for five equally spaced looks, one-sided level 0.025: sfLDOF and sfLDPocock.
PUBLISHED = {
    "obrien-fleming": [4.8769, 3.3569, 2.6803, 2.2898, 2.0310],
    "pocock": [2.4380, 2.4268, 2.4101, 2.3966, 2.3859],
}


@pytest.mark.parametrize("spending", PUBLISHED)
def test_bounds_are_those_of_gsdesign(spending):
    found = bounds_of_looks((1, 2, 3, 4, 5), 5, 0.025, spending)
    assert found == pytest.approx(PUBLISHED[spending], abs=1.5e-4)


def test_two_unequal_looks_by_the_bivariate_normal_law():
    sizes, alpha = (300.0, 1000.0), 0.05
    first, second = bounds_of_looks(sizes, 2, alpha, "pocock")
    r = math.sqrt(sizes[0] / sizes[1])
    below = stats.multivariate_normal([0, 0], [[1, r], [r, 1]]).cdf([first, second])
    assert 1 - below == pytest.approx(alpha, abs=1e-5)
    assert stats.norm.sf(first) == pytest.approx(alpha * math.log(1 + (math.e - 1) / 2))


@pytest.mark.parametrize("spending", PUBLISHED)
@pytest.mark.parametrize("sizes", [(50, 60, 400, 1000), (10, 20, 30, 40)])
def test_a_random_walk_exceeds_the_bounds_with_the_level(sizes, spending):
    steps = np.diff([0, *sizes])
    z = np.random.default_rng(1).standard_normal((200_000, 4)) * np.sqrt(steps)
    z = z.cumsum(axis=1) / np.sqrt(sizes)
    bounds = bounds_of_looks(tuple(map(float, sizes)), 4, 0.05, spending)
    share = (z > np.array(bounds)).any(axis=1).mean()
    assert share == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / 200_000))


@given(st.lists(st.floats(1, 1e4), min_size=1, max_size=6), st.floats(0.001, 0.3))
def test_no_look_has_more_than_the_whole_level(added, alpha):
    sizes = np.cumsum(added).tolist()
    level = level_of_look(sizes, 6, alpha)
    assert 0 < level <= alpha * (1 + 1e-6)


def test_one_look_is_a_plain_gate():
    assert level_of_look([100], 1, 0.05) == pytest.approx(0.05)


def test_bounds_at_any_time_are_the_published_ones_and_hold():
    n, alpha = np.arange(20, 3001), 0.05
    t = n / 158
    # Waudby-Smith et al. (2024), one-sided, with rho^2 = 1 / 158.
    z = np.sqrt(2 * (t + 1) / t * np.log1p(np.sqrt(t + 1) / (2 * alpha)))
    assert [level_at_any_time(k, alpha) for k in (20, 3000)] == pytest.approx(
        stats.norm.sf(z[[0, -1]])
    )
    walk = np.random.default_rng(0).standard_normal((2000, 3000)).cumsum(axis=1)[:, 19:]
    share = (walk / np.sqrt(n) > z).any(axis=1).mean()
    assert 0.005 < share < alpha + 3 * math.sqrt(alpha / 2000)


def test_levels_of_candidates_sum_to_alpha():
    numbers = range(1, 2001)
    assert sum(map(share_of, numbers)) == pytest.approx(1, abs=1e-3)
    every = [level_of_candidate(1, k, s, 0.05) for k in range(200) for s in range(1, 200)]
    assert 0.045 < sum(every) < 0.05
    planned = [level_of_candidate(k, 0, k, 0.05, n_candidates=20) for k in range(1, 21)]
    assert sum(planned) == pytest.approx(0.05 * 6 / math.pi**2)


def test_shares_of_false_ones_are_limited_by_the_rule_of_lond():
    """By a loop; a level is multiplied by one more than what was kept, and divided for dependence."""
    p_values, kept = np.random.default_rng(3).random(200) ** 6, 0
    for k, p in enumerate(p_values, start=1):
        level = 0.05 * 6 / (math.pi * k) ** 2 * (kept + 1) / sum(1 / i for i in range(1, k + 1))
        assert level_of_candidate(k, kept, k, 0.05, control="share") == pytest.approx(level)
        kept += p <= level
    assert kept > 3


def test_the_rule_of_lond_is_that_of_online_fdr():
    lond = pytest.importorskip("online_fdr").p_values.investing.lond.lond.Lond(0.05, dependent=True)
    gammas = [lond.seq.calc_gamma(k, alpha=1.0) for k in range(1, 101)]
    kept = 0
    for k, p in enumerate(np.random.default_rng(3).random(100) ** 6, start=1):
        ours = level_of_candidate(k, kept, k, 0.05, control="share") / share_of(k) * gammas[k - 1]
        assert lond.test_one(p) == (p <= ours)
        kept += p <= ours
    assert kept > 3
