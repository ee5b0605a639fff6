"""Levels at any time beside the published boundary, and random walks."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from modelcompare.plugins.any_time.mixture import level_at_any_time


def test_the_level_at_any_time_is_that_of_the_published_one_sided_boundary():
    # Waudby-Smith et al. (2024), one-sided: with rho^2 = 1 / 158 and unit variance, the mean of t
    # numbers is below sqrt(2 (t rho^2 + 1) / (t rho)^2 log(1 + sqrt(t rho^2 + 1) / (2 alpha))).
    for t in (50, 1000, 12_345):
        rho = 1 / 158
        inside = 2 * (t * rho + 1) / (t**2 * rho) * math.log(1 + math.sqrt(t * rho + 1) / 0.1)
        assert level_at_any_time(t, 0.05) == pytest.approx(norm.sf(math.sqrt(t * inside)), rel=1e-9)


def test_random_walks_cross_bounds_at_any_time_in_less_than_alpha():
    rng, times = np.random.default_rng(3), np.unique(np.geomspace(50, 20_000, 150).astype(int))
    bounds = np.array([norm.isf(level_at_any_time(n, 0.05)) for n in times])
    walk = (rng.normal(size=(20_000, len(times))) * np.sqrt(np.diff([0, *times]))).cumsum(axis=1)
    errs = (walk / np.sqrt(times) > bounds).any(axis=1).mean()
    assert 0.02 < errs <= 0.05
    # At the plain level of one look, most of the error is from looking again.
    assert (walk / np.sqrt(times) > norm.isf(0.05)).any(axis=1).mean() > 0.2


def test_bounds_at_any_time_are_narrowest_at_a_thousand_samples():
    widths = {n: norm.isf(level_at_any_time(n, 0.05)) for n in (100, 300, 1000, 3000, 10_000)}
    assert min(widths, key=widths.get) == 1000
