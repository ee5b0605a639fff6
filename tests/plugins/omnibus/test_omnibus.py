"""Cochran's and Friedman's tests of all models."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import cochrans_q

import modelcompare as mc
from tests.comparison.test_many import PREDS, RIGHT


def test_omnibus_tests_are_those_of_statsmodels_and_scipy():
    found, expected = mc.inference.omnibus_test(PREDS), cochrans_q(RIGHT)
    assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    found = mc.inference.omnibus_test(PREDS, "accuracy", method="friedman")
    expected = stats.friedmanchisquare(*RIGHT.T)
    assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    losses = [
        -np.log(PREDS.probabilities(m)[np.arange(300), PREDS.access.codes]) for m in PREDS.models
    ]
    found = mc.inference.omnibus_test(PREDS, "log_loss", method="friedman")
    assert found.p_value == pytest.approx(stats.friedmanchisquare(*losses).pvalue)
    with pytest.raises(ValueError, match="there are 2 models, an omnibus test needs 3"):
        mc.inference.omnibus_test(PREDS[["m0", "m1"]])
    with pytest.raises(
        ValueError,
        match="Cochran's Q is of accuracy, or of scores that are 0 or 1, not of f1_macro",
    ):
        mc.inference.omnibus_test(PREDS, "f1_macro")
    same = mc.Predictions(PREDS.y_true, {m: PREDS.probabilities("m0") for m in "abc"})
    assert mc.inference.omnibus_test(same).p_value == 1


def test_ranks_are_of_samples_not_of_rounding():
    snli = mc.load_example("snli")
    right = np.array([snli.predicted(m) == snli.access.codes for m in snli.models], dtype=float)
    friedman = mc.inference.omnibus_test(snli, "accuracy", method="friedman").p_value
    assert friedman == pytest.approx(stats.friedmanchisquare(*right).pvalue)


def test_clusters_are_not_forgotten():
    y = np.arange(60) % 2
    clustered = mc.Predictions(
        y, {f"m{k}": np.roll(y, k) for k in range(3)}, groups=np.arange(60) // 6
    )
    with pytest.raises(ValueError, match="needs independent samples"):
        mc.inference.omnibus_test(clustered)
