from math import comb

import numpy as np
import pytest

from modelcompare.significance.binomial import half_binomial, tail_masses


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
    np.testing.assert_allclose(tail_masses(statistic, mass), expected, rtol=1e-12)
