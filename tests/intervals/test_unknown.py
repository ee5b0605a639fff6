"""Intervals of averages in which a class has no value, or hardly any predictions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import precision_score
from statsmodels.stats.proportion import proportion_confint

import modelcompare as mc
from modelcompare.engine.evaluation import Evaluation
from modelcompare.intervals.unknown import hardly_known
from modelcompare.metrics.registry import resolve_metrics

CLASSIFIER = [[15, 10, 100], [10, 15, 10], [10, 100, 1000]]
PAIR = np.array([0]), np.array([1])


def course():
    """The course's two examples on the same truth: a classifier, and "always neutral"."""
    cells = [(i, j) for i in range(3) for j in range(3) for _ in range(CLASSIFIER[i][j])]
    truth, predicted = zip(*cells, strict=True)
    return mc.Predictions(truth, {"ex1": predicted, "ex2": [2] * len(truth)})


def bounds(preds, metric, level=0.95):
    """Bounds of both models' values, and of their difference."""
    found = mc.bootstrap(preds, metric, n_resamples=2)
    score, apart = (
        found.score_interval("auto", level),
        found.difference_interval(*PAIR, "auto", level),
    )
    return score.low[:, 0], score.high[:, 0], apart.low[0, 0], apart.high[0, 0]


@pytest.mark.parametrize("metric", ["precision_macro", "precision_weighted"])
def test_a_class_that_is_never_predicted_may_have_any_precision(metric):
    preds = course()
    share = {"precision_macro": 2 / 3, "precision_weighted": 160 / 1270}[metric]
    of_neutral = proportion_confint(1110, 1270, method="wilson")
    value = precision_score(
        preds.y_true, np.full(1270, 2), average=metric.partition("_")[2], zero_division=0
    )

    low, high, low_apart, high_apart = bounds(preds, metric)

    assert low[1] <= value <= high[1]
    # The average of the only class that is predicted, and 1 for the other two.
    half = (1 - share) * np.diff(of_neutral).item() / 2
    assert low[1] == pytest.approx(value - half, abs=0.02)
    assert high[1] == pytest.approx(value + half + share, abs=0.02)
    # Their precision may be above that of the classifier, though the estimate is below.
    assert low_apart < 0 < high_apart


def test_the_constant_of_the_course_no_longer_opens_a_gate():
    preds = course()
    for metric in ("precision_macro", "precision_weighted", "f1_macro"):
        assert not mc.gate(preds, "ex1", "ex2", [f"{metric}:+0"]).passed
        found = mc.compare(preds, metric, n_resamples=499)
        assert found.standings.iloc[0]["model"] == "ex1"
    assert mc.gate(preds, "ex2", "ex1", ["f1_macro:+0"]).passed


def test_a_class_that_is_only_predicted_may_have_any_recall():
    truth, predicted = np.repeat([0, 1], 50), np.repeat([0, 1], 50)
    predicted[:10] = 2
    preds = mc.Predictions(truth, {"a": predicted, "b": truth})

    low, high, _, _ = bounds(preds, "recall_macro")
    within, without, _, _ = bounds(preds, "balanced_accuracy")

    assert mc.metrics.recall(truth, predicted, average="macro") == pytest.approx(0.6)
    assert (low[0], high[0]) == pytest.approx((within[0] * 2 / 3, without[0] * 2 / 3 + 1 / 3))
    assert (low[1], high[1]) == pytest.approx((within[1], without[1]))


def test_a_class_that_is_only_predicted_counts_as_0_at_most_in_the_lower_bound_of_f1():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 200)
    predicted = np.where(rng.random(200) < 0.8, truth, rng.integers(0, 4, 200))
    preds = mc.Predictions(truth, {"a": predicted})
    estimate = mc.metrics.f1(truth, predicted, average="macro")

    found = mc.bootstrap(preds, "f1_macro", n_resamples=2).score_interval("auto", 0.95)
    low, high = found.low[0, 0], found.high[0, 0]

    # It was the lower end, as if the class could only be missing by chance.
    assert low < estimate - 0.03
    assert high > estimate * 4 / 3


@pytest.mark.slow
@pytest.mark.parametrize(("shares", "n"), [([0.5, 0.4, 0.1], 200), ([0.85, 0.15], 150)])
@pytest.mark.parametrize("hit", [0.002, 0.02])
def test_macro_precision_covers_where_a_class_is_hardly_ever_predicted(shares, n, hit):
    k, rng, trials = len(shares), np.random.default_rng(3), 120
    shares = np.array(shares)
    tables = []
    for right, rare in ((0.8, hit), (0.75, 0.75)):
        table = np.where(np.eye(k, dtype=bool), right, (1 - right) / max(k - 2, 1))
        table[:, -1] = 0.0 if rare == hit else (1 - right) / (k - 1)
        table[-1] = (1 - rare) / (k - 1)
        table[-1, -1] = rare
        tables.append(table / table.sum(axis=1, keepdims=True) * shares[:, None])
    truth = [np.mean(np.diag(table) / table.sum(axis=0)) for table in tables]
    held = np.zeros(2)
    for _ in range(trials):
        y, u = rng.choice(k, n, p=shares), rng.random((2, n, 1))
        steps = [np.cumsum(t / shares[:, None], axis=1)[y] for t in tables]
        outputs = {m: np.minimum((u[i] >= steps[i]).sum(axis=1), k - 1) for i, m in enumerate("ab")}
        preds = mc.Predictions(y, outputs, labels=range(k))
        low, high, *apart = bounds(preds, "precision_macro")
        held += low[0] <= truth[0] <= high[0], apart[0] <= truth[0] - truth[1] <= apart[1]
    assert (held / trials > 0.91).all()


def test_a_class_that_is_only_predicted_is_named_with_the_averages_that_it_allows():
    truth, predicted = np.repeat([0, 1], 50), np.repeat([0, 1], 50)
    predicted[:10] = 2
    preds = mc.Predictions(truth, {"a": predicted, "b": truth})
    (metric,) = resolve_metrics(["recall_macro"], preds)

    classes, least, most = hardly_known(Evaluation(preds, [metric]), metric)

    assert classes.tolist() == [[False, False, True], [False, False, False]]
    # Of the classes 0, 1 and 2 the recalls are 0.8, 1 and unknown.
    assert least.tolist() == pytest.approx([1.8 / 3, 1.0])
    assert most.tolist() == pytest.approx([2.8 / 3, 1.0])
