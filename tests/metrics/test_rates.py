"""Rates of one class beside scikit-learn's matrices and a textbook's table."""

import numpy as np
import pytest
from sklearn.metrics import multilabel_confusion_matrix

import modelcompare as mc
from modelcompare import metrics

RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 3, 400)
PREDICTED = np.where(RNG.random(400) < 0.7, TRUTH, RNG.integers(0, 3, 400))


def test_rates_are_those_of_the_tables_of_each_class():
    (tn, fp), (fn, tp) = np.moveaxis(multilabel_confusion_matrix(TRUTH, PREDICTED), 0, -1)
    for name, expected in {
        "fpr": fp / (fp + tn), "fnr": fn / (fn + tp), "false_discovery_rate": fp / (fp + tp),
        "false_omission_rate": fn / (fn + tn), "prevalence": (tp + fn) / len(TRUTH),
    }.items():  # fmt: skip
        assert getattr(metrics, name)(TRUTH, PREDICTED) == pytest.approx(expected), name


def test_the_worst_value_of_an_error_rate_stands_for_a_class_without_one():
    # Class 2 is true and never predicted: scikit-learn's precision of 0 is a false discovery of 1.
    truth, predicted = [0, 0, 1, 2], [0, 0, 1, 1]
    assert metrics.false_discovery_rate(truth, predicted, average="macro") == pytest.approx(0.5)
    assert metrics.precision(truth, predicted, average="macro") == pytest.approx(0.5)


def test_r_squared_is_adjusted_as_by_statsmodels():
    sm = pytest.importorskip("statsmodels.api")
    x = RNG.normal(size=(40, 3))
    y = x @ [1.0, -0.5, 0.0] + RNG.normal(size=40)
    fitted = sm.OLS(y, sm.add_constant(x)).fit()
    values = fitted.fittedvalues
    assert metrics.adjusted_r2(y, values, predictors=3) == pytest.approx(fitted.rsquared_adj)
    assert mc.get_metric("adjusted_r2_3").bounds == (-np.inf, 1.0)


def test_no_adjusted_value_exists_with_as_many_predictors_as_samples():
    with pytest.warns(metrics.UndefinedMetricWarning):
        assert np.isnan(metrics.adjusted_r2([1.0, 2.0, 3.0], [1.0, 2.0, 4.0], predictors=2))
