"""Swaps of one pair at a time, where the columns of all pairs are too large to be kept."""

import numpy as np

from modelcompare import Predictions
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.weights import SwapMasks
from modelcompare.significance.pairwise import all_pairs
from modelcompare.significance.swaps import pairs as swapped_pairs
from modelcompare.significance.swaps.areas import swapped_areas


def test_pairs_that_are_not_held_at_once_do_not_change_the_answer(monkeypatch):
    rng = np.random.default_rng(0)
    truth = np.arange(120) % 2
    scores = {m: 1 / (1 + np.exp(rng.normal(size=120) - truth)) for m in "abc"}
    preds = Predictions(truth, scores)
    evaluation = Evaluation(preds, resolve_metrics(["roc_auc"], preds), collapse=False)
    masks, found = SwapMasks(evaluation.units, 200, np.random.SeedSequence(3)), []
    for most in (2**28, 1):
        monkeypatch.setattr(swapped_pairs, "PASS_BYTES", most)
        areas = swapped_areas(evaluation, evaluation.metrics, *all_pairs(3))
        drawn = areas.map(masks, lambda t: t)
        count = areas.n_extreme(masks, np.array([2, 0]), "two-sided")
        n_movable, units = areas.movable(300)
        found.append([areas.observed, *drawn, count, n_movable, *units])
        assert (len(areas._stored) == 3) == (most > 1)
    for whole, apart in zip(*found, strict=True):
        np.testing.assert_array_equal(whole, apart)
