"""Calibration slope and intercept against statsmodels, and their intervals."""

import numpy as np
import pytest
import statsmodels.api as sm

import modelcompare as mc
from modelcompare.metrics.base import Outcomes
from modelcompare.plugins.calibration.logistic import CALIBRATION_INTERCEPT, CALIBRATION_SLOPE

BOTH = (CALIBRATION_SLOPE, CALIBRATION_INTERCEPT)


def drawn(n=250, seed=0, slope=0.7, intercept=0.3):
    """Log-odds of a model, and labels of a population with another slope and intercept."""
    rng = np.random.default_rng(seed)
    odds = 1.5 * rng.normal(size=n)
    return odds, (rng.random(n) < 1 / (1 + np.exp(-(intercept + slope * odds)))).astype(int)


def probabilities(odds):
    return 1 / (1 + np.exp(-odds))


def by_statsmodels(odds, y, weights=None):
    """Slope, and intercept at a slope of 1."""
    family = {"family": sm.families.Binomial(), "freq_weights": weights}
    free = sm.GLM(y, sm.add_constant(odds), **family).fit(tol=1e-12)
    fixed = sm.GLM(y, np.ones(len(y)), offset=odds, **family).fit(tol=1e-12)
    return free.params[1], fixed.params[0]


def outcomes(odds, y):
    return Outcomes.of(mc.Predictions(y, {"m": probabilities(odds)}), "m")


def test_coefficients_are_those_of_statsmodels():
    odds, y = drawn()
    preds = mc.Predictions(y, {"m": probabilities(odds), "n": probabilities(2 * odds + 1)})
    found = mc.diagnostics.calibration_line(preds).set_index("model")
    for model, own in (("m", odds), ("n", 2 * odds + 1)):
        expected = by_statsmodels(own, y)
        np.testing.assert_allclose(found.loc[model, ["slope", "intercept"]].astype(float), expected)


def test_resamples_and_weights_are_those_of_statsmodels():
    odds, y = drawn(120)
    rng = np.random.default_rng(1)
    weights = np.stack([rng.integers(0, 4, 120), rng.random(120)]).astype(float)
    for metric, place in zip(BOTH, (0, 1), strict=True):
        values = metric.prepare(outcomes(odds, y))(weights)
        for row, value in zip(weights, values, strict=True):
            assert value == pytest.approx(by_statsmodels(odds, y, row)[place], rel=1e-8)


def test_values_without_a_sample_are_near_one_newton_step():
    odds, y = drawn(400)
    own, ones = outcomes(odds, y), np.ones(400)
    for metric in BOTH:
        assert metric.jackknife is not None
        value = metric.prepare(own)(ones[None])[0]
        exact = metric.prepare(own)(1 - np.eye(400))
        step = metric.jackknife(own, ones)
        # The influence of the sample with the largest one is off by a fiftieth.
        assert np.abs(step - exact).max() < 0.02 * np.abs(exact - value).max()


def test_intervals_are_near_those_of_maximum_likelihood():
    odds, y = drawn(5000, slope=1.0, intercept=0.0)
    found = mc.diagnostics.calibration_line(mc.Predictions(y, {"m": probabilities(odds)})).iloc[0]
    free = sm.Logit(y, sm.add_constant(odds)).fit(disp=0)
    np.testing.assert_allclose(found[["slope_low", "slope_high"]].astype(float),
                               free.conf_int()[1], atol=0.01)  # fmt: skip
    fixed = sm.GLM(y, np.ones(5000), family=sm.families.Binomial(), offset=odds).fit()
    np.testing.assert_allclose(found[["intercept_low", "intercept_high"]].astype(float),
                               fixed.conf_int()[0], atol=0.01)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 400])
def test_intervals_cover_the_true_coefficients(n):
    # Of 400 models of 400 test sets of one call; three standard errors are 0.033.
    rng = np.random.default_rng(n)
    covered = []
    for _ in range(20):
        y = rng.integers(0, 2, n)
        # Of normal log-odds N(m, 2 m) in one class and N(-m, 2 m) in the other, the slope is 1.
        odds = np.where(y == 1, 1.0, -1.0) + np.sqrt(2) * rng.normal(size=(20, n))
        models = {f"m{i}": probabilities(row) for i, row in enumerate(odds)}
        found = mc.diagnostics.calibration_line(mc.Predictions(y, models))
        covered += [(found.slope_low <= 1) & (found.slope_high >= 1)]
    assert np.mean(covered) > 0.917


def test_log_odds_that_separate_the_classes_have_no_slope():
    preds = mc.Predictions([0, 0, 1, 1], {"m": [0.1, 0.2, 0.8, 0.9]})
    with pytest.warns(mc.metrics.UndefinedMetricWarning, match="separate"):
        found = mc.diagnostics.calibration_line(preds).iloc[0]
    assert np.isnan(found["slope"])
    assert np.isnan(found["slope_low"])
    assert found["intercept"] == pytest.approx(0.0, abs=1e-12)


def test_logits_are_the_log_odds_also_where_probabilities_are_one():
    odds, y = drawn()
    odds = 30 * odds
    preds = mc.Predictions.from_logits(y, {"m": np.column_stack([np.zeros(len(odds)), odds])})
    found = mc.diagnostics.calibration_line(preds).iloc[0]
    assert found["slope"] == pytest.approx(by_statsmodels(odds, y)[0], rel=1e-6)


def test_neither_is_a_metric_to_compare_models_by():
    preds = mc.Predictions([0, 1, 0, 1], {"m": [0.2, 0.7, 0.6, 0.4]})
    with pytest.raises(ValueError, match="unknown metric 'calibration_slope'"):
        mc.compare(preds, "calibration_slope")


def test_more_than_two_classes_are_refused():
    preds = mc.Predictions([0, 1, 2], {"m": np.full((3, 3), 1 / 3)})
    with pytest.raises(ValueError, match="for 2 classes, got 3"):
        mc.diagnostics.calibration_line(preds)
