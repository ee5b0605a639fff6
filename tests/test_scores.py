"""Several scores for each sample: each name is a metric, equal to the score by itself."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import modelcompare as mc
from tests.plugged import needs, of_plugins

RNG = np.random.default_rng(0)
LOGGED = {
    model: {"acc": RNG.integers(0, 2, 80), "acc_norm": RNG.random(80), "loss": RNG.exponential(1 + i, 80)}
    for i, model in enumerate("abc")
}  # fmt: skip
BETTER = {"loss": False}


@pytest.fixture(scope="module")
def logged():
    return mc.Predictions.from_scores(LOGGED, greater_is_better=BETTER)


@pytest.fixture(scope="module")
def compared(logged):
    return mc.compare(logged, n_resamples=499, rng=0)


def test_every_name_is_a_default_metric_in_its_order(logged, compared):
    assert logged.access.scores.names == compared.evidence.metrics == ("acc", "acc_norm", "loss")


@pytest.mark.parametrize("name", ["acc", "acc_norm", "loss"])
def test_a_named_score_is_compared_as_the_score_by_itself(compared, name):
    alone = mc.Predictions.from_scores(
        {model: scores[name] for model, scores in LOGGED.items()},
        greater_is_better=name != "loss",
    )
    expected = mc.compare(alone, n_resamples=499, rng=0)
    for found, own in (
        (compared.scores, expected.scores), (compared.differences, expected.differences)
    ):  # fmt: skip
        found = found[found.metric == name].reset_index(drop=True)
        numbers = own.select_dtypes("number")
        pd.testing.assert_frame_equal(found[numbers.columns], numbers)


@pytest.mark.parametrize(
    "method",
    of_plugins(
        ["t", "wilcoxon", "sign", "permutation", "wald"], classical=("t", "wilcoxon", "sign")
    ),
)
def test_tests_of_single_samples_take_a_named_score(logged, method):
    alone = mc.Predictions.from_scores({m: s["loss"] for m, s in LOGGED.items()})
    found = mc.paired_test(logged, "a", "b", "loss", method=method, n_resamples=99)
    own = mc.paired_test(alone, "a", "b", "mean_score", method=method, n_resamples=99)
    assert (found.difference, found.p_value) == (own.difference, own.p_value)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_scores_come_in_frames(logged, frame):
    made = mc.Predictions.from_scores({model: frame(s) for model, s in LOGGED.items()})
    assert made.access.scores.names == logged.access.scores.names
    np.testing.assert_array_equal(made.output("b").array, logged.output("b").array)


def test_the_constructor_takes_named_scores_too(logged):
    scores = {
        m: {n: logged.output(m).array[:, k] for k, n in enumerate(logged.access.scores.names)}
        for m in logged.models
    }
    found = mc.Predictions(None, scores)
    assert found.access.scores == mc.Predictions.from_scores(scores).access.scores
    for model in logged.models:
        np.testing.assert_array_equal(found.output(model).array, logged.output(model).array)


def test_names_may_be_in_another_order():
    made = mc.Predictions.from_scores(
        {"a": {"x": [1, 2], "y": [3, 4]}, "b": {"y": [7, 8], "x": [5, 6]}}
    )
    assert made.output("b").array.tolist() == [[5, 7], [6, 8]]


def test_parts_keep_the_names(logged):
    part = logged[["b", "a"]].subset(np.arange(80) % 2 == 0)
    assert part.access.scores.names == logged.access.scores.names
    found = mc.bootstrap(part, "loss", n_resamples=2).point[:, 0]
    np.testing.assert_allclose(found, [LOGGED[m]["loss"][::2].mean() for m in "ba"])
    assert "scores acc, acc_norm, loss" in repr(part)


def test_the_mean_score_is_the_only_score():
    made = mc.Predictions.from_scores({"a": {"acc": [1, 0, 1]}})
    assert mc.bootstrap(made, "mean_score", n_resamples=2).point[0, 0] == pytest.approx(2 / 3)


def test_a_function_sees_all_scores(logged):
    found = mc.bootstrap(logged, lambda _, scores: scores[:, 0].mean(), n_resamples=2).point[:, 0]
    np.testing.assert_allclose(found, [scores["acc"].mean() for scores in LOGGED.values()])


@needs("page")
def test_the_page_takes_named_scores(compared, tmp_path):
    compared.to_html(tmp_path / "page.html")
    assert "acc_norm" in (tmp_path / "page.html").read_text()


def test_scores_that_are_0_or_1_are_a_proportion_as_accuracy_is():
    rng = np.random.default_rng(0)
    right = {name: rng.random(60) < p for name, p in (("a", 0.98), ("b", 0.9))}
    judged = mc.compare(mc.Predictions.from_scores(right), n_resamples=199)
    truth = np.zeros(60, dtype=int)
    labels = mc.Predictions(truth, {m: 1 - r for m, r in right.items()}, labels=[0, 1])
    accuracy = mc.compare(labels, "accuracy", n_resamples=199)
    for frame in ("scores", "differences"):
        for column in ("ci_low", "ci_high"):
            np.testing.assert_allclose(
                getattr(judged, frame)[column], getattr(accuracy, frame)[column]
            )
    assert judged.scores["ci_high"].max() < 1
    assert (
        mc.compare(mc.Predictions.from_scores({"a": [0.5, 1, 1, 0]}), n_resamples=99)
        .scores["method"]
        .item()
        != judged.scores["method"][0]
    )
