"""Warnings of tails that a few log losses decide."""

import warnings

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.comparison.tails import WIDE, log_spreads
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
        plain, spread = log_spreads(Evaluation(preds, [metric]), metric)
        assert (plain > WIDE).all()
        assert (spread > WIDE).all() == hidden
