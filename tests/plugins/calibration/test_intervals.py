"""Intervals of calibration errors: one implementation, ends by a loop, coverage where a bootstrap has none."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import modelcompare as mc
from modelcompare.plugins.calibration.intervals import Bins, mean_gap_interval, squared_gap_interval
from tests.plugged import needs

BINS = 15
ERRORS = ["ece", "debiased_ece", "rms_calibration_error", "mce", "brier_reliability"]


def draw(n, seed, *slopes):
    """Two classes; a model of slope 1 is calibrated, one of a larger slope is overconfident."""
    rng = np.random.default_rng(seed)
    q = np.clip(rng.beta(0.8, 0.8, n), 1e-4, 1 - 1e-4)
    y = (rng.random(n) < q).astype(int)
    odds = np.log(q / (1 - q))
    models = {f"m{slope:g}": 1 / (1 + np.exp(-slope * odds)) for slope in slopes}
    return mc.Predictions(y, models, labels=[0, 1])


def ends(preds, metric, level=0.95):
    found = mc.bootstrap(preds, metric, n_resamples=2).confidence_interval(confidence_level=level)
    return found[["ci_low", "ci_high"]].to_numpy()


@needs("large", "calibration")
@pytest.mark.parametrize(("slope", "n"), [(1, 80), (1.7, 400), (0.6, 3000)])
def test_every_road_takes_the_interval_of_the_test_of_calibration(slope, n, tmp_path):
    preds = draw(n, 0, slope)
    test = mc.inference.calibration_test(preds, n_resamples=9)
    expected = [test.ci_low, test.ci_high]
    compared = mc.compare(preds, ["ece", "debiased_ece", "accuracy"], n_resamples=9).scores
    of_ece = [min(expected[0], test.statistic), max(expected[1], test.statistic)]
    np.testing.assert_allclose(compared[["ci_low", "ci_high"]].iloc[0], of_ece, rtol=1e-9)
    np.testing.assert_allclose(compared[["ci_low", "ci_high"]].iloc[1], expected, rtol=1e-9)
    assert compared["method"].tolist()[:2] == ["test-inversion"] * 2
    np.testing.assert_allclose(ends(preds, "debiased_ece")[0], expected, rtol=1e-9)
    table = mc.diagnostics.reliability(preds, n_bins=BINS).errors
    np.testing.assert_allclose(table[["ci_low", "ci_high"]].iloc[0], expected, rtol=1e-9)
    path = tmp_path / "p.parquet"
    mc.compare(preds, "debiased_ece", n_resamples=9)
    p = preds.probabilities(preds.models[0])
    pd.DataFrame({"y_true": preds.y_true, "a:0": p[:, 0], "a:1": p[:, 1]}).to_parquet(path)
    np.testing.assert_allclose(ends(mc.io.scan_predictions(path), "debiased_ece")[0], expected)


@pytest.mark.parametrize("n", [60, 300])
def test_calibrated_models_are_covered(n):
    # Of 20 intervals that cover 0.95 fewer than 15 cover with a chance of 0.03 %.
    found = np.array([ends(draw(n, seed, 1), ERRORS) for seed in range(20)])
    assert ((found[..., 0] <= 0).sum(axis=0) >= 15).all()
    assert (found[..., 1] > 0).all()


def population(preds):
    """Mean gap and root of the mean square over the bins of a large test set."""
    found = []
    for model in preds.models:
        p = preds.probabilities(model)
        confidence, right = p.max(axis=1), p.argmax(axis=1) == preds.access.codes
        bins = np.minimum((confidence * BINS + 1e-9).astype(int), BINS - 1)
        gaps = np.bincount(bins, right - confidence, BINS)
        n = np.maximum(np.bincount(bins, minlength=BINS), 1)
        found.append([np.abs(gaps).sum() / len(p), np.sqrt((gaps**2 / n).sum() / len(p))])
    return np.array(found)


SLOPES = (1, 1.7, 0.6)


@pytest.mark.slow
def test_errors_and_differences_are_covered():
    trials, true = 30, population(draw(400_000, 7, *SLOPES))
    covered, apart = np.zeros((3, 2)), np.zeros((3, 2))
    a, b = np.array([0, 0, 1]), np.array([1, 2, 2])
    for seed in range(trials):
        preds = draw(300, seed, *SLOPES)
        made = mc.bootstrap(preds, ["debiased_ece", "rms_calibration_error"], n_resamples=2)
        of_models = made.score_interval("auto", 0.95)
        covered += (of_models.low <= true) & (of_models.high >= true)
        of_pairs = made.difference_interval(a, b, "auto", 0.95)
        apart += (of_pairs.low <= true[a] - true[b]) & (of_pairs.high >= true[a] - true[b])
    # Fewer than 24 of 30 at a coverage of 0.95: a chance of 0.06 %.
    assert (covered >= 24).all()
    assert (apart >= 24).all()


def test_a_difference_is_joined_from_two_intervals():
    preds = draw(2000, 3, 1.7, 2.5)
    result = mc.compare(preds, "rms_calibration_error", n_resamples=99)
    (low_a, high_a), (low_b, high_b) = ends(preds, "rms_calibration_error")
    a, b = ends(preds, "rms_calibration_error", 1e-9)[:, 0]
    # The influence of a sample is the derivative of the root of the mean squared gap, undebiased.
    influence = []
    for model in preds.models:
        p = preds.probabilities(model)
        confidence, right = p.max(axis=1), (p.argmax(axis=1) == preds.access.codes).astype(float)
        bins = np.minimum((confidence * BINS + 1e-9).astype(int), BINS - 1)
        gap = np.bincount(bins, right - confidence, BINS) / np.maximum(np.bincount(bins), 1)
        influence.append(2 * gap[bins] * (right - confidence) - gap[bins] ** 2)
    r = np.corrcoef(influence)[0, 1]
    assert low_a > 0
    assert low_b > 0
    reach = [
        np.sqrt(x**2 + y**2 - 2 * r * x * y)
        for x, y in ((a - low_a, high_b - b), (high_a - a, b - low_b))
    ]
    found = result.differences.iloc[0]
    assert found["method"] == "mover"
    assert found["ci_low"] == pytest.approx(a - b - reach[0], rel=0.02)
    assert found["ci_high"] == pytest.approx(a - b + reach[1], rel=0.02)


def test_the_largest_gap_has_simultaneous_intervals_by_a_loop():
    preds = draw(200, 5, 1.7)
    p = preds.probabilities("m1.7")
    confidence, right = p.max(axis=1), p.argmax(axis=1) == preds.access.codes
    bins = np.minimum((confidence * BINS + 1e-9).astype(int), BINS - 1)
    nearest, furthest = 0.0, 0.0
    for b in np.unique(bins):
        here = bins == b
        low, high = proportion_confint(
            right[here].sum(), here.sum(), alpha=0.05 / len(np.unique(bins)), method="beta"
        )
        mean_confidence = confidence[here].mean()
        nearest = max(nearest, low - mean_confidence, mean_confidence - high)
        furthest = max(furthest, mean_confidence - low, high - mean_confidence)
    np.testing.assert_allclose(ends(preds, "mce")[0], [nearest, furthest])


def test_the_brier_score_s_reliability_sums_classes():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 500)
    y = np.array([rng.choice(3, p=row) for row in p])
    preds = mc.Predictions(y, {"a": p})
    of_sum = ends(preds, "brier_reliability")[0]
    rms = mc.get_metric("rms_calibration_error", classwise=True)
    np.testing.assert_allclose(of_sum, 3 * ends(preds, rms)[0] ** 2, atol=1e-12)


def test_of_one_class_in_one_bin_the_squared_gap_is_a_noncentral_chi_square():
    # Ten standard errors from 0 the law is near normal, and its ends those of the gap.
    one = np.ones((1, 1))
    bins = Bins(one, 0.1 * one, 0.01 * one, np.array(2500.0))
    low, high = mean_gap_interval(bins, 0.9)
    assert (low, high) == pytest.approx(
        (0.1 - 0.01 * np.sqrt(2 / np.pi) - 0.01645, 0.1 + 0.01645), abs=0.002
    )
    low, high = np.sqrt(squared_gap_interval(bins, 0.9))
    upper = stats.ncx2.cdf(100, 1, (high / 0.01) ** 2)
    lower = stats.ncx2.sf(100, 1, (low / 0.01) ** 2)
    assert (lower, upper) == pytest.approx((0.05, 0.05), abs=0.015)


def test_what_cannot_be_had_is_refused_by_name():
    preds = draw(120, 0, 1, 1.7)
    clusters = preds.with_columns(groups=np.arange(120) // 3)
    outputs = {model: preds.probabilities(model) for model in preds.models}
    weights = mc.Predictions(preds.y_true, outputs, sample_weight=np.linspace(0.5, 2, 120))
    for other, reason in ((clusters, "clusters"), (weights, "sample weights")):
        with pytest.warns(UserWarning, match=f"^ece: .* these have {reason}, so none is given"):
            result = mc.compare(other, ["accuracy", "ece"], n_resamples=99)
        ece = result.scores[result.scores["metric"] == "ece"]
        assert ece[["ci_low", "ci_high"]].isna().all(axis=None)
        assert set(ece["method"]) == {"refused"}
        assert result.scores["ci_low"].notna().sum() == 2
        assert "nan" not in str(result)
        with pytest.raises(ValueError, match=f"ece: intervals .* these have {reason}"):
            mc.decide(other, "m1", "m1.7", "ece", margin=0.02, n_resamples=9)
    # Asked for by name, a method makes what it makes.
    drawn = mc.bootstrap(clusters, "ece", n_resamples=99).confidence_interval(method="percentile")
    assert drawn["ci_low"].notna().all()
