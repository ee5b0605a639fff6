"""Why looks without a margin are decided by the interval, and not by the law of the swaps too."""

import numpy as np
import pytest
from scipy.stats import binom

import modelcompare as mc
from modelcompare.plugins.ledgers.levels import level_of_look

LEVELS = (1e-12, 1e-6, 1e-4, 0.002, 0.01, 0.05)


def differing(n, wins, losses, both=0.5):
    """Return n samples of class 1, on some of which one model alone is right, and n of class 0."""
    right = np.arange(n) < both * n
    old, new = right.copy(), right.copy()
    old[:losses], new[:losses] = True, False
    old[-wins or n :], new[-wins or n :] = False, True
    zeros = np.zeros(n, dtype=int)
    outputs = {"old": np.r_[old, zeros], "new": np.r_[new, zeros]}
    return mc.Predictions(np.r_[np.ones(n, dtype=int), zeros], outputs, labels=[0, 1])


def decided(preds, metric, level):
    return mc.decide(preds, "old", "new", metric, kind="superior", alpha=level).passed


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("n", "differ"), [(20, 12), (50, 7), (200, 60), (500, 30), (500, 300)])
def test_in_accuracy_the_interval_shows_nothing_that_the_exact_law_does_not(n, differ, level):
    """McNemar's exact p-value, of wins among disagreements, is never the larger one (scipy)."""
    p_values = binom.sf(np.arange(differ + 1) - 1, differ, 0.5)
    (not_shown,) = np.nonzero(p_values >= level)
    most = int(not_shown[-1])
    assert not decided(differing(n, most, differ - most), "accuracy", level)
    if differ == 300:
        assert decided(differing(n, differ, 0), "accuracy", level)


def test_in_the_recall_of_a_small_class_the_interval_shows_what_the_exact_law_shows():
    """Of 30 members, 10 get another answer: both ask for 9 wins, as in accuracy."""
    shown = [w for w in range(11) if decided(differing(30, w, 10 - w), "recall[1]", 0.05)]
    by_law = [w for w in range(11) if binom.sf(w - 1, 10, 0.5) < 0.05]
    assert shown == by_law == [9, 10]
    assert binom.sf(8, 10, 0.5) == pytest.approx(0.0107, abs=1e-4)


def test_swaps_that_are_drawn_cannot_reach_the_level_of_an_early_look():
    preds = mc.load_example("snli").subset(range(1000))
    found = mc.paired_test(
        preds, "naive_bayes", "bow_pair", "f1_macro", method="permutation", alternative="less"
    )
    assert found.n_resamples == 9999
    assert found.p_value >= 1 / 10_000 > level_of_look([1], 5, 0.05)
