import numpy as np
import pytest
from scipy import stats

from modelcompare import intervals
from modelcompare.intervals import bca_interval, percentile_interval, quantiles

RNG = np.random.default_rng(0)
SAMPLE = RNG.gamma(2.0, size=40)
REPLICATES = np.array([RNG.choice(SAMPLE, 40).mean() for _ in range(2000)])


def acceleration(sample):
    left = (sample.sum() - sample) / (len(sample) - 1)
    centred = left.mean() - left
    return np.array((centred**3).sum() / (6 * (centred**2).sum() ** 1.5))


@pytest.mark.parametrize("method", ["percentile", "basic", "BCa"])
def test_intervals_equal_scipys_on_the_same_replicates(method):
    given = stats.bootstrap(
        (SAMPLE,), np.mean, n_resamples=0, method=method, confidence_level=0.9,
        bootstrap_result=stats.bootstrap((SAMPLE,), np.mean, n_resamples=2000, method=method, rng=1),
    )  # fmt: skip
    found = intervals.confidence_interval(
        method,
        given.bootstrap_distribution,
        np.array(SAMPLE.mean()),
        standard_error=np.array(0.1),
        acceleration=acceleration(SAMPLE),
        confidence_level=0.9,
    )
    expected = given.confidence_interval
    np.testing.assert_allclose([found.low, found.high], [expected.low, expected.high], rtol=1e-12)
    assert not found.fallback


def test_normal_interval():
    found = intervals.normal_interval(np.array(1.0), np.array(0.5), confidence_level=0.95)
    np.testing.assert_allclose([found.low, found.high], stats.norm(1, 0.5).interval(0.95))


def test_undefined_replicates_do_not_count():
    holes = np.r_[REPLICATES, [np.nan] * 500]
    plain, holed = percentile_interval(REPLICATES), percentile_interval(holes)
    assert (plain.low, plain.high) == (holed.low, holed.high)
    estimate = np.array(SAMPLE.mean())
    plain, holed = (bca_interval(r, estimate, acceleration(SAMPLE)) for r in (REPLICATES, holes))
    assert (plain.low, plain.high) == (holed.low, holed.high)


def test_bca_falls_back_where_all_replicates_lie_on_one_side():
    found = bca_interval(REPLICATES + 100, np.array(1.0), np.array(0.0))
    plain = percentile_interval(REPLICATES + 100)
    assert found.fallback
    assert (found.low, found.high) == (plain.low, plain.high)


def test_replicates_equal_to_the_estimate_count_half():
    replicates = np.repeat([0.25, 0.5, 0.75], [100, 300, 100])
    found = bca_interval(replicates, np.array(0.5), np.array(0.0))
    assert (found.low, found.high) == (0.25, 0.75)
    moved = bca_interval(replicates + 1e-13, np.array(0.5), np.array(0.0))
    np.testing.assert_allclose([moved.low, moved.high], [0.25, 0.75])


def test_bca_without_bias_and_skewness_is_the_percentile_interval():
    symmetric = np.r_[REPLICATES, 2 * np.median(REPLICATES) - REPLICATES]
    found = bca_interval(symmetric, np.array(np.median(REPLICATES)), np.array(0.0))
    plain = percentile_interval(symmetric)
    np.testing.assert_allclose([found.low, found.high], [plain.low, plain.high])


def test_quantiles_are_numpys():
    ordered = np.sort(RNG.normal(size=(31, 4)), axis=0)
    levels = np.array([0.0, 0.2, 0.77, 1.0])
    expected = [np.quantile(ordered[:, i], level) for i, level in enumerate(levels)]
    np.testing.assert_allclose(quantiles(ordered, levels), expected)
    assert np.isnan(quantiles(np.full((5, 1), np.nan), np.array([0.5])))[0]


def test_options_out_of_range_are_refused():
    with pytest.raises(
        ValueError, match=r"`confidence_level` must be in \(0, 1\), got 95; for 95 % pass 0.95"
    ):
        intervals.check_confidence_level(95)
    with pytest.raises(ValueError, match="`method` must be one of percentile, basic, BCa, normal"):
        intervals.check_method("bca")
