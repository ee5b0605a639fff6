"""The score of the best of many models is too good; intervals of all at once are not."""

import warnings

import numpy as np
import pytest
from scipy.stats import norm

import modelcompare as mc
from modelcompare.comparison.correction import simultaneous_scores


def equal_models(rng: np.random.Generator, n_models: int, n: int = 150) -> mc.Predictions:
    """Models of accuracy 0.8 whose errors go together."""
    z = np.sqrt(0.3) * rng.normal(size=(n, 1)) + np.sqrt(0.7) * rng.normal(size=(n, n_models))
    right = z < norm.ppf(0.8)
    y = rng.integers(0, 2, n)
    predicted = np.where(right, y[:, None], 1 - y[:, None])
    return mc.Predictions(y, {f"m{i}": predicted[:, i] for i in range(n_models)})


def compared(preds: mc.Predictions, metrics: object = "accuracy", **options: object):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        baseline = preds.models[0] if len(preds.models) > 1 else None
        return mc.compare(preds, metrics, **{"n_resamples": 499, "baseline": baseline} | options)


@pytest.mark.slow
def test_the_best_of_twenty_equal_models_is_covered():
    """In 60 test sets, where a larger simulation covers 0.98 and, one at a time, 0.75.

    At least 54 of 60 must hold it; at 0.98 fewer have probability 0.0002. At 0.75 more than 53 have
    0.003, so that the second line distinguishes the two.
    """
    rng, held, alone = np.random.default_rng(0), 0, 0
    for _ in range(60):
        result = compared(equal_models(rng, 20), test="wald")
        row = result.scores.set_index("model")["estimate"].idxmax()
        for name, frame in (
            ("at once", result.simultaneous_intervals("scores")), ("alone", result.scores)
        ):  # fmt: skip
            best = frame.set_index("model").loc[row]
            inside = best.ci_low <= 0.8 <= best.ci_high
            held, alone = (held + inside, alone) if name == "at once" else (held, alone + inside)
    assert held >= 54
    assert alone <= 53


def test_intervals_at_once_hold_those_of_each_and_lie_within_bonferronis():
    preds = equal_models(np.random.default_rng(1), 8)
    result = compared(preds, ["accuracy", "f1", "f1_macro"])
    found = result.simultaneous_intervals("scores")
    assert list(found) == ["model", "metric", "label", "estimate", "ci_low", "ci_high", "method"]
    assert (found["estimate"] == result.scores["estimate"]).all()
    assert (found["ci_low"] <= result.scores["ci_low"] + 1e-12).all()
    assert (found["ci_high"] >= result.scores["ci_high"] - 1e-12).all()
    for metric, n_values in (("accuracy", 8), ("f1", 16), ("f1_macro", 8)):
        corrected = mc.compare(
            preds, metric, n_resamples=99, baseline="m0", confidence_level=1 - 0.05 / n_values,
            correction="none",
        ).scores  # fmt: skip
        mine = found[found["metric"] == metric].reset_index(drop=True)
        assert (mine["ci_low"] >= corrected["ci_low"] - 1e-12).all()
        assert (mine["ci_high"] <= corrected["ci_high"] + 1e-12).all()


def test_the_level_is_that_of_the_largest_deviation():
    """Of independent normal scores the quantile of the largest of k, by arithmetic."""
    rng, k = np.random.default_rng(2), 5
    preds = mc.Predictions.from_scores({f"m{i}": rng.normal(size=1000) for i in range(k)})
    result = compared(preds, "mean_score", n_resamples=9999)
    found = result.simultaneous_intervals("scores")
    multiple = norm.ppf((1 + 0.95 ** (1 / k)) / 2)
    width = (found["ci_high"] - found["estimate"]) / result.scores["standard_error"]
    np.testing.assert_allclose(width, multiple, rtol=0.03)


def test_models_that_err_together_are_as_one():
    rng = np.random.default_rng(3)
    x = rng.normal(size=500)
    preds = mc.Predictions.from_scores({f"m{i}": x + 1e-6 * rng.normal(size=500) for i in range(9)})
    result = compared(preds, "mean_score", n_resamples=4999)
    found, alone = result.simultaneous_intervals("scores"), result.scores
    ratio = (found["ci_high"] - found["ci_low"]) / (alone["ci_high"] - alone["ci_low"])
    assert ratio.max() < 1.05


def test_a_class_without_a_value_widens_no_other():
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, 300)
    outputs = {f"m{i}": np.where(rng.random(300) < 0.2, 1 - truth, truth) for i in range(3)}
    two, three = (
        compared(mc.Predictions(truth, outputs, labels=labels), "precision", n_resamples=999)
        .simultaneous_intervals("scores")
        .dropna(subset="estimate")
        for labels in ([0, 1], [0, 1, 2])
    )
    columns = ["model", "label", "ci_low", "ci_high"]
    assert three[columns].to_numpy().tolist() == two[columns].to_numpy().tolist()


def test_one_model_is_covered_alone():
    result = compared(equal_models(np.random.default_rng(4), 1))
    found = result.simultaneous_intervals("scores")
    assert found["ci_low"].tolist() == result.scores["ci_low"].tolist()
    assert found["ci_high"].tolist() == result.scores["ci_high"].tolist()


def test_without_resamples_bonferroni_takes_their_place():
    preds = equal_models(np.random.default_rng(5), 6)
    result = compared(preds)
    object.__setattr__(result.bootstrap.weights, "n_resamples", 0)
    found = simultaneous_scores(result.evidence)
    expected = result.bootstrap.score_interval("auto", 1 - 0.05 / 6)
    np.testing.assert_array_equal(found.low, expected.low)


def test_another_word_is_refused_by_name():
    result = compared(equal_models(np.random.default_rng(6), 2))
    with pytest.raises(ValueError, match="`of` must be one of differences, scores, got 'pairs'"):
        result.simultaneous_intervals("pairs")
    assert "difference" in result.simultaneous_intervals()
