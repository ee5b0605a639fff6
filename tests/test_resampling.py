import numpy as np
import pytest

from modelcompare.resampling import weights as resampling
from modelcompare.resampling.draws import subsample
from modelcompare.resampling.seeds import seed_sequence
from modelcompare.resampling.weights import BootstrapWeights, SwapMasks, Units
from modelcompare.words import Scheme, check_choice

SEED = np.random.SeedSequence(5)


def drawn(weights):
    return np.vstack([weights.draw_all(block) for block in range(weights.n_blocks)])


def test_multinomial_counts_have_the_moments_of_a_multinomial():
    counts = drawn(BootstrapWeights(Units(20), 20_000, SEED))
    assert (counts.sum(axis=1) == 20).all()
    np.testing.assert_allclose(counts.mean(axis=0), 1, atol=0.03)
    np.testing.assert_allclose(np.cov(counts.T), np.eye(20) - 1 / 20, atol=0.05)


@pytest.mark.parametrize(("scheme", "variance"), [("poisson", 1.0), ("bayesian", 20 / 21 - 1 / 21)])
def test_other_schemes_have_their_own_moments(scheme, variance):
    weights = drawn(BootstrapWeights(Units(20), 20_000, SEED, scheme))
    np.testing.assert_allclose(weights.mean(axis=0), 1, atol=0.03)
    np.testing.assert_allclose(weights.var(axis=0), variance, atol=0.06)
    if scheme == "bayesian":
        np.testing.assert_allclose(weights.sum(axis=1), 20)


def test_distinct_rows_are_drawn_as_their_samples_would_be():
    units = Units(3, np.array([10, 5, 1]))
    counts = drawn(BootstrapWeights(units, 20_000, SEED))
    assert (counts.sum(axis=1) == 16).all()
    np.testing.assert_allclose(counts.mean(axis=0), [10, 5, 1], atol=0.06)
    np.testing.assert_allclose(counts.var(axis=0), [10 * 6 / 16, 5 * 11 / 16, 15 / 16], rtol=0.05)


@pytest.mark.parametrize("scheme", ["multinomial", "bayesian"])
def test_strata_keep_their_sizes(scheme):
    strata = np.array([0, 0, 0, 1, 1, 2, 0, 2])
    weights = drawn(BootstrapWeights(Units(8, strata=strata), 300, SEED, scheme))
    for stratum, size in enumerate([4, 2, 2]):
        np.testing.assert_allclose(weights[:, strata == stratum].sum(axis=1), size)


def test_small_strata_vary_as_means_of_them_do():
    strata = np.repeat([0, 1, 2], [2, 5, 40])
    weights = BootstrapWeights(Units(47, strata=strata), 20_000, SEED)
    assert not weights.whole
    weights = drawn(weights)
    np.testing.assert_allclose(weights.mean(axis=0), 1, atol=0.04)
    # A mean of n_h units of variance s^2 (divisor n_h - 1) must vary by s^2 / n_h.
    for stratum, n in enumerate([2, 5]):
        expected = (np.eye(n) - 1 / n) * n / (n - 1)
        np.testing.assert_allclose(np.cov(weights[:, strata == stratum].T), expected, atol=0.06)
    assert np.all(weights[:, strata == 2] % 1 == 0)


def test_m_out_of_n_draws_as_many_as_asked():
    assert (drawn(BootstrapWeights(Units(50), 200, SEED, size=7)).sum(axis=1) == 7).all()


@pytest.mark.parametrize("scheme", ["multinomial", "bayesian"])
def test_above_a_row_block_a_resample_is_still_exact(monkeypatch, scheme):
    monkeypatch.setattr(resampling, "ROW_BLOCK", 7)
    weights = drawn(BootstrapWeights(Units(20), 20_000, SEED, scheme))
    np.testing.assert_allclose(weights.sum(axis=1), 20)
    np.testing.assert_allclose(weights.mean(axis=0), 1, atol=0.04)
    expected = np.eye(20) - 1 / 20
    scale = 1 if scheme == "multinomial" else 20 / 21
    np.testing.assert_allclose(np.cov(weights.T), scale * expected, atol=0.06)


def test_blocks_can_be_drawn_in_any_order():
    weights = BootstrapWeights(Units(30), 500, SEED)
    last_first = [weights.draw_all(block) for block in reversed(range(weights.n_blocks))]
    np.testing.assert_array_equal(np.vstack(last_first[::-1]), drawn(weights))


def test_more_resamples_begin_with_the_same():
    few, many = (drawn(BootstrapWeights(Units(30), n, SEED)) for n in (256, 1000))
    np.testing.assert_array_equal(many[:256], few)


@pytest.mark.parametrize("scheme", ["multinomial", "poisson", "bayesian"])
@pytest.mark.parametrize("strata", [None, np.arange(90) % 3, np.arange(90) % 5])
@pytest.mark.parametrize("at_once", [1, 125, 125_000])
def test_some_resamples_after_others_are_the_same_draws(monkeypatch, scheme, strata, at_once):
    monkeypatch.setattr(resampling, "ROW_BLOCK", 40)
    monkeypatch.setattr(resampling, "CACHE_BYTES", at_once)
    weights = BootstrapWeights(Units(90, strata=strata), 130, SEED, scheme)
    for block in range(weights.n_blocks):
        for counts in (False, True) if weights.whole else (False,):
            parts = list(weights.parts(block, counts=counts))
            assert {part.dtype for part in parts} == {np.dtype(np.uint8 if counts else np.float64)}
            np.testing.assert_array_equal(np.vstack(parts), weights.draw_all(block))


def test_masks_swap_half_of_the_samples():
    masks = drawn(SwapMasks(Units(40), 5000, SEED))
    assert set(np.unique(masks)) == {0.0, 1.0}
    np.testing.assert_allclose(masks.mean(axis=0), 0.5, atol=0.03)
    of_rows = drawn(SwapMasks(Units(2, np.array([8, 2])), 5000, SEED))
    np.testing.assert_allclose(of_rows.mean(axis=0), [4, 1], atol=0.06)
    np.testing.assert_allclose(of_rows.var(axis=0), [2, 0.5], rtol=0.08)


def test_masks_and_resamples_of_one_seed_are_independent():
    counts = drawn(BootstrapWeights(Units(40), 2000, SEED))
    masks = drawn(SwapMasks(Units(40), 2000, SEED))
    assert abs(np.corrcoef(counts.ravel(), masks.ravel())[0, 1]) < 0.015


def test_a_subsample_is_without_replacement_and_keeps_proportions_on_request():
    rows = subsample(100, 20, SEED)
    assert len(set(rows.tolist())) == 20
    assert (np.diff(rows) > 0).all()
    strata = np.repeat([0, 1, 2], [50, 30, 20])
    kept = subsample(100, 10, SEED, strata=strata)
    assert np.bincount(strata[kept]).tolist() == [5, 3, 2]
    assert subsample(100, 20, SEED, index=1).tolist() != rows.tolist()


def test_what_may_be_passed_as_rng():
    assert seed_sequence(3).entropy == seed_sequence(np.int64(3)).entropy == 3
    generator = np.random.default_rng(0)
    assert seed_sequence(generator).entropy != seed_sequence(generator).entropy
    assert seed_sequence(None).entropy != seed_sequence(None).entropy
    assert seed_sequence(SEED) is SEED
    with pytest.raises(TypeError, match="`rng` must be an int, a numpy Generator"):
        seed_sequence("seven")
    with pytest.raises(ValueError, match="`rng` must not be negative, got -1"):
        seed_sequence(-1)


def test_an_unknown_scheme_is_refused():
    with pytest.raises(ValueError, match="`scheme` must be one of multinomial, poisson, bayesian"):
        check_choice("scheme", "jackknife", Scheme)


@pytest.mark.parametrize("size", [2, 3, 4, 9])
def test_m_out_of_n_draws_m_in_strata_too(size):
    units = Units(6, None, np.array([0, 0, 0, 1, 2, 2]))
    drawn = BootstrapWeights(units, 20, SEED, "multinomial", size).draw_all(0)
    assert (drawn.sum(axis=1) == size).all()
