"""Rates of one class beside scikit-learn's matrices and a textbook's table."""

import numpy as np
import pytest
from scipy.stats import contingency
from sklearn.metrics import class_likelihood_ratios, multilabel_confusion_matrix

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
        "lr_positive": tp / (tp + fn) / (fp / (fp + tn)),
        "lr_negative": fn / (tp + fn) / (tn / (fp + tn)),
    }.items():  # fmt: skip
        assert getattr(metrics, name)(TRUTH, PREDICTED) == pytest.approx(expected), name


def test_likelihood_ratios_are_those_of_scikit_learn():
    truth, predicted = TRUTH == 1, PREDICTED == 1
    found = [
        getattr(metrics, name)(truth, predicted, average="binary")
        for name in ("lr_positive", "lr_negative")
    ]
    assert found == pytest.approx(class_likelihood_ratios(truth, predicted))


def test_the_interval_of_a_likelihood_ratio_is_near_that_of_the_ratio_of_two_proportions():
    truth, predicted = TRUTH == 1, PREDICTED == 1
    preds = mc.Predictions(truth, {"a": predicted}, positive=True)
    row = mc.compare(preds, "lr_positive[True]").scores.iloc[0]
    table = [np.sum(predicted & truth), truth.sum(), np.sum(predicted & ~truth), (~truth).sum()]
    known = contingency.relative_risk(*map(int, table))
    low, high = known.confidence_interval(0.95)
    assert row["estimate"] == pytest.approx(known.relative_risk)
    assert [row["ci_low"], row["ci_high"]] == pytest.approx([low, high], rel=0.03)


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


def test_word_accuracy_is_one_minus_the_word_error_rate():
    texts = ["A B C", "A B C D"], ["A A C", "A A C D E"]
    assert metrics.word_accuracy(*texts) == pytest.approx(1 - metrics.wer(*texts))


def test_the_course_table_of_recall_over_false_positive_rate():
    # Recall 0.9 at rates 1/4 and 2/5: ratios 3.6 and 2.25.
    truth = [1] * 10 + [0] * 20
    for alarms, ratio in ((5, 3.6), (8, 2.25)):
        predicted = [1] * 9 + [0] + [1] * alarms + [0] * (20 - alarms)
        found = metrics.lr_positive(truth, predicted, average="binary")
        assert found == pytest.approx(ratio)
