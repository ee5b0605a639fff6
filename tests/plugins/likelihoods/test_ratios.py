"""Likelihood ratios beside scikit-learn's, a textbook's table, and the coverage of their intervals."""

import numpy as np
import pytest
from scipy.stats import binom, contingency
from sklearn.metrics import class_likelihood_ratios, multilabel_confusion_matrix
from statsmodels.stats.proportion import proportion_confint

import modelcompare as mc
from modelcompare import metrics

RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 3, 400)
PREDICTED = np.where(RNG.random(400) < 0.7, TRUTH, RNG.integers(0, 3, 400))


def test_likelihood_ratios_are_those_of_the_tables_of_each_class():
    (tn, fp), (fn, tp) = np.moveaxis(multilabel_confusion_matrix(TRUTH, PREDICTED), 0, -1)
    for name, expected in {
        "lr_positive": tp / (tp + fn) / (fp / (fp + tn)),
        "lr_negative": fn / (tp + fn) / (tn / (fp + tn)),
    }.items():
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


def every_table(n):
    """A model for each number of hits and of false alarms, among n of either class."""
    truth, hits, alarms = np.arange(2 * n) < n, *map(np.ravel, np.mgrid[: n + 1, : n + 1])
    place = np.arange(n)
    outputs = np.hstack([place < hits[:, None], place < alarms[:, None]])
    models = {
        f"{hit} {alarm}": each for hit, alarm, each in zip(hits, alarms, outputs, strict=True)
    }
    return mc.Predictions(truth, models, positive=True), hits, alarms


def test_intervals_of_likelihood_ratios_are_those_of_two_proportions_joined():
    preds, hits, alarms = every_table(20)
    found = mc.bootstrap(preds, "lr_positive", n_resamples=2).score_interval("auto", 0.95)
    at = np.flatnonzero((hits == 16) & (alarms == 8)).item()
    (p, q), ends = (0.8, 0.4), [proportion_confint(k, 20, method="wilson") for k in (16, 8)]
    (p_low, p_high), (q_low, q_high) = ends
    # Donner and Zou (2012), as they write it; Wilson's ends, as neither count is near 0 or 20.
    low = p * q - np.sqrt((p * q) ** 2 - p_low * q_high * (2 * p - p_low) * (2 * q - q_high))
    high = p * q + np.sqrt((p * q) ** 2 - p_high * q_low * (2 * p - p_high) * (2 * q - q_low))
    expected = low / (q_high * (2 * q - q_high)), high / (q_low * (2 * q - q_low))
    assert (found.low[at, 1], found.high[at, 1]) == pytest.approx(expected, rel=1e-9)
    # Without a hit the ratio is 0, and may be larger; without an alarm there is none.
    nothing = found.low[(hits == 0) & (alarms == 5), 1], found.high[(hits == 0) & (alarms == 5), 1]
    assert nothing[0].item() == 0 < nothing[1].item() < 2
    assert np.isnan(found.high[alarms == 0, 1]).all()


@pytest.mark.parametrize(("right", "cleared"), [(0.8, 0.9), (0.95, 0.97), (0.6, 0.95)])
@pytest.mark.parametrize("name", ["lr_positive", "lr_negative"])
def test_likelihood_ratios_of_few_samples_are_covered(name, right, cleared):
    """Of 20 and 20 samples: coverage by summing binomial probabilities; 0.48 to 0.86 before."""
    preds, hits, alarms = every_table(20)
    result = mc.bootstrap(preds, name, n_resamples=2)
    found, point = result.score_interval("auto", 0.95), result.point[:, 1]
    weight = binom.pmf(hits, 20, right) * binom.pmf(alarms, 20, 1 - cleared)
    truth = right / (1 - cleared) if name == "lr_positive" else (1 - right) / cleared
    weight = np.where(np.isnan(point), 0.0, weight)
    covered = (found.low[:, 1] <= truth) & (truth <= found.high[:, 1])
    assert (weight @ covered) / weight.sum() > 0.935


@pytest.mark.parametrize(
    ("right", "cleared"), [pytest.param(0.8, 0.9, marks=pytest.mark.slow), (0.95, 0.95)]
)
def test_differences_of_likelihood_ratios_of_few_samples_are_covered(right, cleared):
    """1,000 pairs of equal models on 20 and 20 samples; 0.82 and 0.87 covered before."""
    rng, truth = np.random.default_rng(5), np.arange(40) < 20
    correct = rng.random((2000, 40)) < np.where(truth, right, cleared)
    models = {str(k): np.where(each, truth, ~truth) for k, each in enumerate(correct)}
    preds = mc.Predictions(truth, models, positive=True)
    pairs = np.arange(0, 2000, 2), np.arange(1, 2000, 2)
    result = mc.bootstrap(preds, "lr_positive", n_resamples=2)
    found = result.difference_interval(*pairs, "auto", 0.95)
    low, high = found.low[:, 1], found.high[:, 1]
    defined = ~np.isnan(low)
    assert ((low <= 0) & (high >= 0))[defined].mean() > 0.935


def test_the_course_table_of_recall_over_false_positive_rate():
    # Recall 0.9 at rates 1/4 and 2/5: ratios 3.6 and 2.25.
    truth = [1] * 10 + [0] * 20
    for alarms, ratio in ((5, 3.6), (8, 2.25)):
        predicted = [1] * 9 + [0] + [1] * alarms + [0] * (20 - alarms)
        found = metrics.lr_positive(truth, predicted, average="binary")
        assert found == pytest.approx(ratio)
