"""The least width of any interval: its bound, and that no interval is narrower on average."""

import numpy as np
import pytest
from scipy.stats import beta, binom

from experiments.validity import least_width
from experiments.validity.least_width import least_width_of_difference, least_width_of_share

pytestmark = pytest.mark.experiments


@pytest.mark.parametrize(("n", "share"), [(10, 0.5), (20, 0.9), (40, 0.3)])
def test_no_exact_interval_of_a_share_is_narrower_than_the_least(n, share):
    """Clopper and Pearson's interval holds for every share; it is up to a half wider."""
    counts = np.arange(n + 1)
    low = np.nan_to_num(beta.ppf(0.025, counts, n - counts + 1))
    high = np.nan_to_num(beta.ppf(0.975, counts + 1, n - counts), nan=1.0)
    width = float(binom.pmf(counts, n, share) @ (high - low))

    assert 1 < width / least_width_of_share(n, share) < 1.5


def test_the_least_width_of_a_share_of_one_sample_is_arithmetic():
    """A test at 5 % of t against 0.5 rejects the outcome that t makes rarer, as often as it may."""
    t = np.linspace(0, 1, 20_001)
    rarer = np.minimum(t, 1 - t)
    with np.errstate(divide="ignore"):
        # An outcome with a chance below 5 % is always rejected, and the other sometimes.
        whole = 0.5 + 0.5 * (0.05 - rarer) / (1 - rarer)
        part = 0.5 * 0.05 / rarer
    accepted = 1 - np.where(rarer < 0.05, whole, part)

    assert least_width_of_share(1, 0.5) == pytest.approx(np.trapezoid(accepted, t), rel=0.01)


def test_the_least_width_of_a_difference_shrinks_as_samples_are_added():
    found = least_width_of_difference(50, 0.02, 0.01)

    assert found == pytest.approx(least_width_of_difference(50, 0.01, 0.02))
    assert 1.5 * found < least_width_of_difference(25, 0.02, 0.01) < 2.2 * found


def test_a_cell_gives_coverage_and_width_over_the_least():
    found = least_width.run_cell({"n": 50, "right": 0.8}, n_trials=60, seed=0)["accuracy score"]

    assert found["covered"] > 0.85
    assert 1 < found["width over the least"] < 1.3
