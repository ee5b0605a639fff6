"""Levels of looks and of candidates beside published tables, the joint normal law and packages."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from modelcompare.plugins.ledgers.levels import (
    SPENDING,
    bounds_of_looks,
    level_of_candidate,
    level_of_look,
)

# One-sided bounds as printed by R's gsDesign (sfLDOF, sfLDPocock) and rpact (asOF), four decimals;
# those at 0.05 by Julia's SeqBounds.
PUBLISHED = [
    ("obrien-fleming", 0.025, [2.9626, 1.9686]),
    ("obrien-fleming", 0.025, [3.7103, 2.5114, 1.9930]),
    ("obrien-fleming", 0.025, [4.8769, 3.3569, 2.6803, 2.2898, 2.0310]),
    ("obrien-fleming", 0.05, [3.74955, 2.53993, 2.01604, 1.72014]),
    ("pocock", 0.025, [2.1570, 2.2010]),
    ("pocock", 0.025, [2.4380, 2.4268, 2.4101, 2.3966, 2.3859]),
]


@pytest.mark.parametrize(("spending", "alpha", "expected"), PUBLISHED)
def test_bounds_are_those_of_published_tables(spending, alpha, expected):
    looks = len(expected)
    found = bounds_of_looks(tuple(range(1, looks + 1)), looks, alpha, spending)
    # 1e-4, and half of the last digit that is printed.
    assert found == pytest.approx(expected, abs=1.5e-4)


def crossed(sizes, bounds):
    """Return the probability that any look is above its bound, by the joint normal law."""
    n = np.array(sizes, float)
    correlation = np.sqrt(np.minimum.outer(n, n) / np.maximum.outer(n, n))
    law = multivariate_normal(np.zeros(len(n)), correlation, abseps=1e-7, seed=1)
    return 1 - law.cdf(np.array(bounds))


@pytest.mark.parametrize("spending", SPENDING)
@pytest.mark.parametrize("sizes", [(10, 20), (100, 130, 500), (50, 51, 400, 900), (7, 70, 700)])
def test_each_look_spends_its_share_at_unequal_sizes(sizes, spending):
    bounds = bounds_of_looks(sizes, len(sizes), 0.05, spending)
    for k in range(2, len(sizes) + 1):
        spent = SPENDING[spending](0.05, k / len(sizes))
        assert crossed(sizes[:k], bounds[:k]) == pytest.approx(spent, abs=2e-5)


@settings(max_examples=12)
@given(st.lists(st.integers(1, 1000), min_size=2, max_size=3), st.sampled_from(sorted(SPENDING)),
       st.floats(0.005, 0.2))  # fmt: skip
def test_probabilities_of_crossing_sum_to_alpha(added, spending, alpha):
    sizes = tuple(np.cumsum(added).tolist())
    bounds = bounds_of_looks(sizes, len(sizes), alpha, spending)
    # Less is spent, never more, where less than a thousandth is added.
    assert crossed(sizes, bounds) == pytest.approx(alpha, abs=1e-4 + 0.02 * alpha)
    assert crossed(sizes, bounds) < alpha + 2e-5


def test_bounds_err_as_often_as_alpha_in_random_walks():
    rng, sizes, trials = np.random.default_rng(1), (200, 500, 600, 1500), 200_000
    bounds = np.array(bounds_of_looks(sizes, 4, 0.05, "pocock"))
    steps = rng.normal(size=(trials, 4)) * np.sqrt(np.diff([0, *sizes]))
    errs = (steps.cumsum(axis=1) / np.sqrt(sizes) > bounds).any(axis=1).mean()
    # Four standard errors: a false alarm in 16,000.
    assert errs == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / trials))


@pytest.mark.parametrize("spending", SPENDING)
@pytest.mark.parametrize("n", [10_000, 1_000_000])
def test_a_few_samples_added_to_many_do_not_spend_more(n, spending):
    sizes, trials = np.array([n, n + 1, n + 2, n + 3]), 200_000
    bounds = np.array(bounds_of_looks(tuple(sizes.tolist()), 4, 0.05, spending))
    steps = np.random.default_rng(2).normal(size=(trials, 4)) * np.sqrt(np.diff([0, *sizes]))
    errs = (steps.cumsum(axis=1) / np.sqrt(sizes) > bounds).any(axis=1).mean()
    assert 0.045 < errs < 0.05 + 4 * math.sqrt(0.05 * 0.95 / trials)


def test_a_single_look_has_the_whole_level():
    assert level_of_look([300], 1, 0.05) == pytest.approx(0.05, rel=1e-12)


@pytest.mark.parametrize("looks", [16, 20, 1000])
def test_a_look_that_may_spend_almost_nothing_has_the_least_level_of_an_interval(looks):
    # A first look that may spend 2 P(Z > 1.96 sqrt(looks)).
    assert 2 * norm.sf(1.96 * math.sqrt(looks)) < 1e-12
    assert level_of_look([100], looks, 0.05) == 1e-12


def test_levels_of_candidates_sum_to_alpha_at_most_whatever_the_answers():
    # Candidate s after k kept ones; the tree of answers visits each pair once.
    total = sum(
        level_of_candidate(1, k, s, 0.05) for k in range(400) for s in range(1, 401)
    )  # fmt: skip
    # The sums of 6 / (pi k)^2 beyond 400 are 0.0015.
    assert total == pytest.approx(0.05 * (1 - 6 / math.pi**2 / 400) ** 2, rel=1e-4)
    planned = [level_of_candidate(n, 0, n, 0.05, n_candidates=7) for n in range(1, 8)]
    assert math.fsum(planned) == pytest.approx(0.05 * 6 / math.pi**2, rel=1e-12)


def decisions(p_values, alpha, share):
    """LOND for any dependence, as published: gamma_n (D + 1) / (1 + 1/2 + ... + 1/n)."""
    kept, harmonic = [], 0.0
    for number, p in enumerate(p_values, start=1):
        harmonic += 1 / number
        kept.append(bool(p <= alpha * share(number) * (sum(kept) + 1) / harmonic))
    return kept


def ours(p_values, alpha, n_candidates=None):
    kept = []
    for number, p in enumerate(p_values, start=1):
        level = level_of_candidate(
            number, sum(kept), 1, alpha, control="share", n_candidates=n_candidates
        )
        kept.append(bool(p <= level))
    return kept


def mixed_p_values(seed):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(150) < 0.4, rng.random(150) * 1e-4, rng.random(150))


@pytest.mark.parametrize("seed", range(5))
def test_shares_of_false_ones_are_limited_as_lond_does(seed):
    p_values = mixed_p_values(seed)
    found = ours(p_values, 0.1)
    assert found == decisions(p_values, 0.1, lambda n: 6 / (math.pi * n) ** 2)
    assert 3 < sum(found) < 150
    # Kept ones raise the level of the next: without them, fewer are kept.
    alone = [p <= level_of_candidate(n, 0, 1, 0.1, control="share")
             for n, p in enumerate(p_values, start=1)]  # fmt: skip
    assert sum(found) > sum(alone)
    equal = ours(p_values, 0.1, n_candidates=150)
    assert equal == decisions(p_values, 0.1, lambda _: 1 / 150)


@pytest.mark.parametrize("seed", range(5))
def test_the_rule_of_lond_is_that_of_online_fdr(seed):
    lond = pytest.importorskip("online_fdr.p_values.investing.lond.lond")
    theirs = lond.Lond(alpha=0.1, dependent=True)
    # Its sequence differs; the rule is the same.
    gammas = [lond.Lond(alpha=0.1).seq.calc_gamma(n, alpha=0.1) / 0.1 for n in range(1, 151)]
    p_values = mixed_p_values(seed)
    found = [bool(theirs.test_one(float(p))) for p in p_values]
    assert found == decisions(p_values, 0.1, lambda n: gammas[n - 1])
    kept = []
    for number, p in enumerate(p_values, start=1):
        level = level_of_candidate(number, sum(kept), 1, 0.1, control="share")
        kept.append(bool(p <= level * gammas[number - 1] / (6 / (math.pi * number) ** 2)))
    assert kept == found
