"""The test of calibration and its interval: their size, coverage and draws."""

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.plugins.calibration.intervals import Bins, mean_gap_interval


def draw(n, seed, gap=0.0):
    """Two classes; class 1 is predicted with a confidence and comes true less often, by `gap`."""
    rng = np.random.default_rng(seed)
    confidence = rng.uniform(0.55, 1, n)
    y = (rng.random(n) < confidence - gap).astype(int)
    return mc.Predictions(y, {"a": confidence}, labels=[0, 1], kind="probabilities")


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 400])
def test_the_size_holds_and_the_interval_holds_0_where_a_model_is_calibrated(n):
    found = [mc.inference.calibration_test(draw(n, s), n_resamples=99, rng=s) for s in range(100)]
    assert np.mean([f.p_value <= 0.05 for f in found]) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 100)
    assert np.mean([f.ci_low == 0 for f in found]) > 0.9
    assert all(f.ci_low <= f.estimate <= f.ci_high for f in found)
    # The plug-in's own bootstrap never covers: it does not reach 0.
    boot = mc.bootstrap(draw(n, 0), "ece", n_resamples=200).confidence_interval(method="percentile")
    assert boot.ci_low[0] > 0


@pytest.mark.slow
@pytest.mark.parametrize(("n", "gap"), [(100, 0.03), (400, 0.1), (2000, 0.03)])
def test_the_interval_covers_the_error_of_a_miscalibrated_model(n, gap):
    found = [mc.inference.calibration_test(draw(n, s, gap), n_resamples=9) for s in range(100)]
    assert np.mean([f.ci_low <= gap <= f.ci_high for f in found]) > 0.9


def test_a_gap_is_found_and_placed():
    found = mc.inference.calibration_test(draw(2000, 0, 0.1), n_resamples=999)
    assert found.p_value == 0.001
    assert 0 < found.ci_low < 0.1 < found.ci_high < 0.16
    assert found.statistic == pytest.approx(
        mc.metrics.ece(draw(2000, 0, 0.1).access.codes, draw(2000, 0, 0.1).probabilities("a"))
    )


def test_the_p_value_is_that_of_the_binomial_where_there_is_one_bin():
    from scipy import stats

    y = np.r_[np.ones(31, int), np.zeros(19, int)]
    preds = mc.Predictions(y, {"a": np.full(50, 0.75)}, labels=[0, 1], kind="probabilities")
    found = mc.inference.calibration_test(preds, n_bins=1)
    distance = np.abs(np.arange(51) - 37.5)
    exact = stats.binom.pmf(np.arange(51), 50, 0.75)[distance >= 6.5 - 1e-9].sum()
    assert found.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact / 9999))
    assert found.n_resamples == 9999


def test_one_large_bin_is_a_folded_normal():
    # Ten standard errors from 0 the upper end is the normal one; the lower end allows for bins that
    # are calibrated, whose chance (a folded normal's mean) would be part of the plug-in.
    one = np.ones((1, 1))
    bins = Bins(one, 0.1 * one, 0.01 * one, np.array(2500.0))
    low, high = mean_gap_interval(bins, 0.95)
    chance = 0.01 * np.sqrt(2 / np.pi)
    assert (low, high) == pytest.approx((0.1 - 0.0196 - chance, 0.1 + 0.0196), abs=0.0015)


def test_a_class_and_a_model_are_named():
    snli = mc.load_example("snli").subset(np.arange(500))
    found = mc.inference.calibration_test(
        snli["mlp"], label="neutral", n_resamples=99, strategy="mass"
    )
    assert (found.model, found.label, found.n_samples) == ("mlp", "neutral", 500)


@pytest.mark.parametrize(
    ("preds", "options", "message"),
    [
        (draw(20, 0), {"n_bins": 0}, "`n_bins` must be at least 1"),
        (draw(20, 0), {"n_resamples": 1}, "`n_resamples` must be at least 2"),
        (draw(20, 0), {"label": 3}, "`label`: there is no class 3; the classes are 0, 1"),
        (draw(20, 0).with_columns(groups=np.arange(20) // 2), {}, "needs independent samples"),
        (mc.Predictions([0, 1], {"a": [0, 1]}), {}, "needs probabilities"),
        (mc.load_example("snli"), {}, r"of one model; choose it, as preds\['hypothesis_only'\], of"),
        (mc.Predictions([[0.2, 0.8], [1, 0]], {"a": [[0.5, 0.5], [0.1, 0.9]]}), {},
         "needs hard labels"),
    ],
)  # fmt: skip
def test_bad_requests(preds, options, message):
    with pytest.raises(ValueError, match=message):
        mc.inference.calibration_test(preds, **options)
