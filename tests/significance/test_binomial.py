from math import comb

import numpy as np
import pytest

from modelcompare.significance.binomial import conic_mass, half_binomial, tail_masses


@pytest.mark.parametrize("n", [0, 1, 2, 7, 40, 341, 1000, 2001])
def test_masses_are_pascals_triangle_over_the_powers_of_two(n):
    expected = [comb(n, k) / 2**n for k in range(n + 1)]
    np.testing.assert_allclose(half_binomial(n), expected, rtol=1e-14)


def test_masses_of_many_trials_are_symmetric_and_add_up_to_one():
    found = half_binomial(200_001)
    np.testing.assert_array_equal(found, found[::-1])
    assert found.sum() == pytest.approx(1, abs=1e-13)


def test_the_tail_of_a_cell_is_what_is_as_extreme():
    rng = np.random.default_rng(0)
    statistic = rng.integers(-3, 4, (4, 12)) * (1 + 1e-13 * rng.standard_normal((4, 12))) / 3
    statistic[0, :2], statistic[1, 3] = np.nan, -np.inf
    mass = rng.dirichlet(np.ones(12))
    size = np.where(np.isnan(statistic), np.inf, np.abs(statistic))
    expected = [
        [sum(mass[other >= cell - 1e-9]) if cell < np.inf else sum(mass[other == np.inf])
         for cell in other]
        for other in size
    ]  # fmt: skip
    full = np.zeros(4, bool)
    np.testing.assert_allclose(tail_masses(statistic, mass, full), expected, rtol=1e-12)
    beyond = [[sum(mass[other > cell + 1e-9]) for cell in other] for other in size]
    half = np.where(size > 0, (np.array(expected) + beyond) / 2, 1.0)
    np.testing.assert_allclose(tail_masses(statistic, mass, ~full), half, rtol=1e-12)


def test_the_mass_of_a_conic_is_that_of_its_cells_for_sizes_of_every_kind_at_once():
    rng = np.random.default_rng(1)
    n = np.array([[3, 40], [40, 3], [7, 8], [90, 61], [1, 0], [60, 60]])
    alpha, beta, gamma = rng.normal(size=(3, len(n)))
    kappa = np.abs(rng.normal(size=len(n))) * n.max(axis=1)
    expected = []
    for (n_x, n_y), a, b, c, least in zip(n, alpha, beta, gamma, kappa, strict=True):
        x, y = (2 * np.arange(size + 1) - size for size in (n_x, n_y))
        square = a * x[:, None] ** 2 + b * x[:, None] * y + c * y**2
        mass = np.outer(half_binomial(n_x), half_binomial(n_y))
        expected.append(mass[square >= least].sum())
    found = conic_mass(alpha, beta, gamma, kappa, n, np.zeros_like(n))
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-15)
    assert 0 < np.median(found) < 1
