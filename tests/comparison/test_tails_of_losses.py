"""Warnings of tails that a few log losses decide."""

import warnings

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.comparison.tails import WIDE, most_varied, spreads_of
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics

DOUBT = "less often than their level"


def losses(seed, errors, times):
    """Two models of 40 samples, with log-odds near 2.5 if right, 0.7 if wrong, times a factor."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 40)
    found = {}
    for model in "ab":
        wrong = rng.permutation(40) < errors
        size = 0.1 + np.abs(rng.normal(np.where(wrong, 0.7, 2.5), np.where(wrong, 0.7, 1.0)))
        odds = times * np.where(wrong, -size, size)
        found[model] = 1 / (1 + np.exp(-np.where(y == 1, odds, -odds)))
    return mc.Predictions(y, found, labels=[0, 1], kind="probabilities")


def doubted(preds):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mc.compare(preds, "log_loss", n_resamples=99)
    return any(DOUBT in str(each.message) for each in caught)


@pytest.mark.parametrize("errors", [1, 2, 5])
def test_small_losses_of_right_answers_say_nothing_of_wrong_ones(errors):
    assert not any(doubted(losses(seed, errors, 1.0)) for seed in range(8))


def test_few_costly_errors_of_a_confident_model_are_doubted():
    assert all(doubted(losses(seed, 1, 4.0)) for seed in range(8))


def test_a_tail_may_be_hidden_where_no_error_was_seen():
    for errors, hidden in ((0, True), (3, False)):
        preds = losses(0, errors, 4.0)
        metric = resolve_metrics("log_loss", preds)[0]
        plain, spread, _ = spreads_of(Evaluation(preds, [metric]), metric)
        assert (plain > WIDE).all()
        assert (spread > WIDE).all() == hidden


def regression(law: str, n: int, seed: int, truth: str = "normal") -> mc.Predictions:
    rng = np.random.default_rng(seed)
    draw = {"normal": rng.standard_normal, "t(3)": lambda size: rng.standard_t(3, size)}
    y = 3 * draw[truth](n)
    return mc.Predictions(y, {"a": y + draw[law](n), "b": y + draw[law](n)}, kind="values")


def doubted_values(preds: mc.Predictions, metric: str) -> set[str]:
    """The models, and differences, that a warning names."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mc.compare(preds, metric, n_resamples=99)
    texts = " ".join(str(each.message) for each in caught)
    return {name for name in ("of 'a':", "of 'b':", "of 'a' - 'b':") if name in texts}


@pytest.mark.parametrize("metric", ["mse", "rmse", "r2", "explained_variance", "adjusted_r2_3"])
def test_squares_of_heavy_tailed_errors_are_doubted_and_of_normal_ones_not(metric):
    normal = [doubted_values(regression("normal", 100, seed), metric) for seed in range(10)]
    assert sum(map(bool, normal)) <= 2
    heavy = [doubted_values(regression("t(3)", 300, seed), metric) for seed in range(10)]
    assert all(heavy)
    # Equal tails lie on both sides of 0.
    assert sum("of 'a' - 'b':" in each for each in heavy) <= 2


def test_true_values_with_heavy_tails_cast_doubt_on_shares_of_their_variance_alone():
    for seed in range(5):
        preds = regression("normal", 300, seed, truth="t(3)")
        assert {"of 'a':", "of 'b':"} <= doubted_values(preds, "r2")
        assert not doubted_values(preds, "rmse")


def test_spreads_of_r2_are_the_larger_ones_of_errors_and_true_values():
    preds = regression("normal", 200, 7, truth="t(3)")
    metric = resolve_metrics("r2", preds)[0]
    found = spreads_of(Evaluation(preds, [metric]), metric)
    y = preds.y_true
    squares = [(y - np.median(y)) ** 2, *((preds.output(m).array - y) ** 2 for m in preds.models)]
    of_truth, *of_models = (x.var() / x.mean() ** 2 for x in squares)
    np.testing.assert_allclose(found.variation, np.fmax(of_truth, of_models), rtol=1e-9)
    # Kurtosis of 100 normal errors is above 1 + 3 in five percent of samples.
    assert most_varied(100) == 3 == most_varied(10_000) < most_varied(50)
