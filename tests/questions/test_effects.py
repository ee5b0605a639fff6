"""Effect sizes of paired tests against loops and formulas of their papers."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

import modelcompare as mc
from tests.plugged import needs

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(2, 80)).round(1)
SCORES = {"a": A, "b": B + 0.2}


@needs("classical")
def test_cohens_dz_is_the_mean_difference_over_its_deviation():
    preds = mc.Predictions.from_scores(SCORES, greater_is_better=True)
    found = mc.paired_test(preds, "a", "b", "mean_score", n_resamples=99)
    difference = SCORES["a"] - SCORES["b"]
    assert found.cohens_dz == pytest.approx(difference.mean() / difference.std(ddof=1))
    # As the t statistic of a paired test over the root of n.
    t = mc.paired_test(preds, "a", "b", "mean_score", method="t")
    assert t.statistic == pytest.approx(found.cohens_dz * 80**0.5)


def test_cliffs_delta_counts_all_pairs_of_numbers():
    preds = mc.Predictions.from_scores(SCORES, greater_is_better=True)
    found = mc.paired_test(preds, "a", "b", "mean_score", n_resamples=99)
    pairs = [np.sign(x - y) for x in SCORES["a"] for y in SCORES["b"]]
    assert 0 in pairs
    assert found.cliffs_delta == pytest.approx(np.mean(pairs))


def test_of_right_and_wrong_answers_cliffs_delta_is_the_difference():
    y = RNG.integers(0, 3, 60)
    preds = mc.Predictions(y, {"a": np.where(RNG.random(60) < 0.7, y, 0), "b": y[::-1]})
    found = mc.paired_test(preds, "a", "b", "accuracy", n_resamples=99)
    right = {m: (preds.predicted(m) == preds.access.codes).astype(float) for m in "ab"}
    assert found.cliffs_delta == pytest.approx(
        np.mean([np.sign(x - z) for x in right["a"] for z in right["b"]])
    )
    difference = right["a"] - right["b"]
    assert found.cohens_dz == pytest.approx(difference.mean() / difference.std(ddof=1))
    expected = accuracy_score(preds.access.codes, preds.predicted("a"))
    assert right["a"].mean() == pytest.approx(expected)


@pytest.mark.parametrize("options", [{"groups": np.arange(80) // 4}, {"sample_weight": A**2 + 1}])
def test_clusters_and_weights_have_no_effect_size(options):
    preds = mc.Predictions.from_scores(SCORES, greater_is_better=True, **options)
    found = mc.paired_test(preds, "a", "b", "mean_score", n_resamples=99)
    assert np.isnan([found.cohens_dz, found.cliffs_delta]).all()


def test_what_is_no_mean_has_no_cliffs_delta_and_a_median_no_dz():
    preds = mc.Predictions(np.zeros(80), SCORES, kind="values")
    rmse, median = (
        mc.paired_test(preds, "a", "b", metric, n_resamples=99)
        for metric in ("rmse", "median_absolute_error")
    )
    assert np.isnan([rmse.cliffs_delta, median.cliffs_delta, median.cohens_dz]).all()
    assert np.isfinite(rmse.cohens_dz)
