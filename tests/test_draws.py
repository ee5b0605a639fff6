"""Draws against numpy's own generator and the Poisson law."""

import tracemalloc
from functools import partial

import numpy as np
import pytest
from scipy import stats

from modelcompare.resampling.draws import (
    HIGHEST_RATE,
    _poisson_steps,
    equally_likely,
    poisson_of_one_rate,
)


def generator(seed=0):
    return np.random.Generator(np.random.SFC64(seed))


@pytest.mark.parametrize("n_units", [1, 2, 7, 255, 1000, 65_536])
@pytest.mark.parametrize("sizes", [[1, 0, 3, 4], [999, 1000, 1001]])
def test_equally_likely_units_are_drawn_as_numpy_draws_integers(n_units, sizes):
    draws = partial(equally_likely, generator(), n_units)
    found = np.vstack([draws(np.array(sizes[:2], float)), draws(np.array(sizes[2:], float))])
    reference = generator()
    for row, size in zip(found, sizes, strict=True):
        drawn = reference.integers(0, n_units, size)
        np.testing.assert_array_equal(row, np.bincount(drawn, minlength=n_units))


def test_many_draws_of_few_units_are_made_some_after_others():
    tracemalloc.start()
    found = equally_likely(generator(), 10, np.full(128, 1e5))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (found.sum(axis=1) == 10**5).all()
    # A draw takes four bytes and its count one: not those of all 12,800,000 at once.
    assert peak < 8 * 2**20


def test_counts_above_255_are_not_cut():
    found = equally_likely(generator(), 3, np.array([10.0, 1000.0, 10.0]))
    assert found.sum(axis=1).tolist() == [10, 1000, 10]
    assert found[1].max() > 255


@pytest.mark.parametrize("rate", [0.01, 1.0, 7.5, HIGHEST_RATE])
def test_poisson_counts_have_the_probabilities_of_the_law(rate):
    passed, decided = _poisson_steps(rate)
    probabilities = np.diff(np.r_[0.0, passed.astype(np.float64)]) / 2.0**64
    expected = stats.poisson.pmf(np.arange(len(passed)), rate)
    np.testing.assert_allclose(probabilities, expected, atol=1e-15)
    assert stats.poisson.sf(len(passed) - 1, rate) < 1e-17
    # The first 16 bits alone decide what all that begin so have in common.
    least = np.arange(2**16, dtype=np.uint64) << np.uint64(48)
    for ends in (least, least + np.uint64(2**48 - 1)):
        counts = np.searchsorted(passed, ends, side="right")
        clear = decided != 255
        np.testing.assert_array_equal(counts[clear], decided[clear])


@pytest.mark.parametrize("rate", [0.3, 1.0, 20.0])
def test_poisson_counts_are_as_frequent_as_they_should_be(rate):
    counts = poisson_of_one_rate(generator(1), generator(2), rate, 2003, np.ones(1000))
    values, seen = np.unique(counts, return_counts=True)
    expected = stats.poisson.pmf(values, rate) * counts.size
    often = expected > 20
    others = np.array([counts.size - part[often].sum() for part in (seen, expected)])
    chi2 = ((seen - expected)[often] ** 2 / expected[often]).sum()
    # One false alarm in a thousand; the seeds are fixed.
    assert chi2 < stats.chi2.ppf(0.999, often.sum())
    assert others[0] < 5 * others[1] + 10


def test_units_that_are_drawn_at_rate_zero_never_are():
    # A stratum whose share of a small resample rounds to nothing.
    assert not poisson_of_one_rate(generator(1), generator(2), 0.0, 5, np.ones(3)).any()
    assert poisson_of_one_rate(generator(1), generator(2), 1e-30, 5, np.ones(3)).shape == (3, 5)
