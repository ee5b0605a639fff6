"""Simulated rates of tests and intervals on the data at hand."""

import numpy as np
import pytest

import modelcompare as mc
from tests.made_up import made_up


def test_selfcheck_finds_nominal_rates_where_methods_are_right():
    preds = made_up(150, (1.2, 0.9))
    frame = mc.diagnostics.selfcheck(preds, "m0", "m1", "accuracy", n_trials=80, n_resamples=199)
    exchangeable, equal, value, difference = frame.realised
    assert max(exchangeable, equal) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 80)
    assert [value, difference] == pytest.approx([0.95, 0.95], abs=3 * np.sqrt(0.05 * 0.95 / 80))
    np.testing.assert_allclose(
        frame.standard_error, np.sqrt(frame.realised * (1 - frame.realised) / 80)
    )


def test_selfcheck_draws_clusters_whole():
    # Five copies of each sample: taken for independent, intervals cover about 0.62.
    preds = made_up(30, (1.2, 0.9)).subset(np.repeat(np.arange(30), 5))
    clustered = preds.with_columns(groups=np.repeat(np.arange(30), 5))
    options = {"n_trials": 40, "n_resamples": 99, "method": "percentile"}
    frame = mc.diagnostics.selfcheck(clustered, "m0", "m1", "accuracy", **options)
    assert frame.realised[:2].max() < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 40)
    assert frame.realised[2] > 0.82
    alone = mc.diagnostics.selfcheck(made_up(30, (1.2, 0.9)), "m0", "m1", "accuracy", **options)
    assert frame.realised.tolist() == alone.realised.tolist()


def test_selfcheck_shows_a_test_that_needs_exchangeable_models():
    # Equal means, but a's scores are wild where b's are still, and skewed: swaps are not valid.
    rng = np.random.default_rng(0)
    scores = {"a": rng.exponential(1, 12) ** 2, "b": np.full(12, 2.0)}
    preds = mc.Predictions.from_scores(scores, greater_is_better=True)
    frame = mc.diagnostics.selfcheck(preds, "a", "b", "mean_score", n_trials=120, n_resamples=99)
    exchangeable, equal, *_ = frame.realised
    assert exchangeable < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 120)
    assert equal > 0.09
    certain = mc.Predictions.from_scores({"a": [1.0] * 12, "b": [0.0] * 12}, greater_is_better=True)
    frame = mc.diagnostics.selfcheck(certain, "a", "b", "mean_score", n_trials=5, n_resamples=9)
    assert np.isnan(frame.realised[1])
