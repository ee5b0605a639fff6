"""Swaps of one pair at a time: groups of equal samples or their sums, in pieces or at once."""

import numpy as np
import pytest

from modelcompare import Predictions
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.weights import SwapMasks
from modelcompare.significance.pairwise import all_pairs
from modelcompare.significance.swaps import kinds
from modelcompare.significance.swaps import pairs as swapped_pairs
from modelcompare.significance.swaps.forms import swapped_forms

SEED = np.random.SeedSequence(3)


def models(n, **columns):
    """Three models of three classes, two of them near each other."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    odds = rng.gamma(1, size=(3, n, 3)) + 2 * np.eye(3)[y]
    odds[1] = np.where(rng.random((n, 1)) < 0.2, odds[1], odds[0])
    odds /= odds.sum(axis=2, keepdims=True)
    return Predictions(y, dict(zip("abc", odds, strict=True)), **columns)


def swapped(preds, name, n_resamples=200):
    """Statistics of all pairs as they are, and after swaps."""
    evaluation = Evaluation(preds, resolve_metrics([name], preds), collapse=False)
    forms = swapped_forms(evaluation, evaluation.metrics, *all_pairs(3))
    drawn = forms.map(SwapMasks(evaluation.units, n_resamples, SEED), lambda t: t)
    return forms, np.concatenate([forms.observed[None], *drawn])


def n_sums(statistic):
    return sum(statistic.pair(place).signed.shape[0] for place in range(3))


@pytest.mark.parametrize(
    "columns",
    [{}, {"groups": np.arange(240) // 4}, {"sample_weight": np.linspace(0.5, 2, 240)}],
    ids=["samples", "clusters", "weights"],
)
@pytest.mark.parametrize("name", ["cf1_macro", "cprecision_weighted", "f1_macro", "log_loss"])
def test_kinds_added_up_say_what_each_of_them_says(name, columns, monkeypatch):
    summed, found = swapped(models(240, **columns), name)
    monkeypatch.setattr(kinds, "_FEW_SLOPES", 0)
    each, expected = swapped(models(240, **columns), name)

    # Labels have few distinct samples.
    if name != "f1_macro":
        assert n_sums(summed) < n_sums(each)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", ["cf1_macro", "f1_macro", "log_loss"])
def test_pairs_that_are_not_held_at_once_do_not_change_the_answer(name, monkeypatch):
    preds = models(240)
    evaluation = Evaluation(preds, resolve_metrics([name], preds), collapse=False)
    masks = SwapMasks(evaluation.units, 200, SEED)
    found = []
    for most in (2**28, 1):
        monkeypatch.setattr(swapped_pairs, "PASS_BYTES", most)
        forms = swapped_forms(evaluation, evaluation.metrics, *all_pairs(3))
        drawn = forms.map(masks, lambda t: t)
        count = forms.n_extreme(masks, np.array([2, 0]), "two-sided")
        n_movable, units = forms.movable(300)
        found.append([forms.observed, *drawn, count, n_movable, *units])
        assert (len(forms._stored) == 3) == (most > 1)
    for whole, apart in zip(*found, strict=True):
        np.testing.assert_array_equal(whole, apart)
