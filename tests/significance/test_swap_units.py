"""Groups of units that swap together: what they hold, and that tests of them keep their size."""

import numpy as np
import pytest
from scipy import stats

import modelcompare as mc
from modelcompare import Predictions
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.significance.pairwise import PairView, all_pairs
from modelcompare.significance.studentized import studentized_permutation
from modelcompare.significance.swaps import units as swap_units
from modelcompare.significance.swaps.units import SwapUnits

ALPHA = 0.05


@pytest.fixture
def few_groups(monkeypatch):
    """Join units above 1,536 into 512 groups: of fewer groups than are used noise would show."""
    monkeypatch.setattr(swap_units, "ROW_BLOCK", 1_536)
    monkeypatch.setattr(swap_units, "N_GROUPS", 512)


def outputs(rng, y, n_classes, more=1.0):
    """Probabilities of two models, of which the second is surer or less sure of the first class."""
    shared = rng.standard_normal((len(y), n_classes))
    shared[np.arange(len(y)), y] += 1.5
    found = []
    for extra in (0.0, more - 1.0):
        odds = shared + rng.standard_normal((len(y), n_classes))
        odds[:, 0] += extra
        odds = np.exp(odds)
        found.append(odds / odds.sum(axis=1, keepdims=True))
    return dict(zip("ab", found, strict=True))


def macro(rng, n=8_192):
    y = rng.choice(3, n, p=[0.02, 0.28, 0.7])
    return Predictions(y, outputs(rng, y, 3), labels=range(3))


def area(rng, n=8_192):
    y = (rng.random(n) < 0.02).astype(int)
    y[:2] = 0, 1
    return Predictions(y, outputs(rng, y, 2), labels=range(2))


def clusters(rng, n=8_192):
    groups = np.sort(rng.choice(n // 3, n, p=rng.dirichlet(np.ones(n // 3))))
    effect = rng.standard_normal((groups.max() + 1, 3))
    y = np.argmax(effect[groups] + rng.standard_normal((n, 3)), axis=1)
    return Predictions(y, outputs(rng, y, 3), labels=range(3), groups=groups)


def strata(rng, n=8_192):
    codes = rng.choice(4, n, p=[0.01, 0.09, 0.3, 0.6])
    y = (rng.random((n, 1)) < np.cumsum(np.eye(4)[codes][:, :2] * 0.4 + 0.2, axis=1)).argmax(axis=1)
    return Predictions(y, outputs(rng, y, 2), labels=range(2), strata=codes)


def unequal(rng, n=8_192):
    """Two models of equal macro recall, each better at one class: they are not exchangeable."""
    y = np.arange(n) % 2
    right = rng.random((2, n)) < np.array([[0.9, 0.7], [0.7, 0.9]])[:, y]
    chosen = np.where(right, y, 1 - y)
    odds = 0.1 + 0.8 * np.eye(2)[chosen]
    return Predictions(y, dict(zip("ab", odds, strict=True)), labels=range(2))


WORLDS = {
    "macro F1": (macro, "f1_macro"),
    "soft macro F1": (macro, "cf1_macro"),
    "soft F1": (macro, "cf1"),
    "AUC": (area, "roc_auc"),
    "clusters": (clusters, "f1_macro"),
    "soft, clusters": (clusters, "cf1_macro"),
    "strata": (strata, "cf1_macro"),
    "equal recall": (unequal, "crecall_macro"),
}


def p_value(preds, name, seed):
    evaluation = Evaluation(preds, resolve_metrics([name], preds), collapse=False)
    view = PairView(evaluation, *all_pairs(2), 399, np.random.SeedSequence(seed))
    return studentized_permutation(view).p_value[0, 0]


@pytest.mark.slow
@pytest.mark.usefixtures("few_groups")
@pytest.mark.parametrize("world", WORLDS)
def test_groups_keep_the_size_of_the_test(world):
    """Falsely fails one time in a thousand."""
    draw, name = WORLDS[world]
    n_trials = 400
    found = [p_value(draw(np.random.default_rng(s)), name, s) for s in range(n_trials)]
    rejected = int(np.sum(np.array(found) <= ALPHA))
    assert stats.binomtest(rejected, n_trials, ALPHA).pvalue > 0.001 or rejected < 400 * ALPHA


@pytest.mark.usefixtures("few_groups")
@pytest.mark.parametrize("name", ["macro", "clusters", "strata"])
def test_groups_hold_every_unit_once_within_its_stratum(name):
    preds = {"macro": macro, "clusters": clusters, "strata": strata}[name](np.random.default_rng(0))
    evaluation = Evaluation(preds, resolve_metrics(["cf1"], preds), collapse=False)
    joined = SwapUnits.of(evaluation)
    assert joined.joined
    assert abs(joined.units.n_units - 512) < 4
    summed = joined.statistics(evaluation.metrics)
    every = SwapUnits(evaluation, evaluation.units).statistics(evaluation.metrics)
    for statistic, numbers in summed.items():
        expected = np.zeros_like(numbers)
        np.add.at(expected, joined.group_of, every[statistic])
        np.testing.assert_allclose(numbers, expected, atol=1e-12)
    if preds.strata is not None:
        assert joined.units.strata is not None
        assert np.array_equal(joined.units.strata[joined.group_of], evaluation.units.strata)


def test_few_units_are_not_joined():
    preds = macro(np.random.default_rng(0), 400)
    evaluation = Evaluation(preds, resolve_metrics(["cf1"], preds), collapse=False)
    joined = SwapUnits.of(evaluation)
    assert joined.units is evaluation.units
    assert np.array_equal(joined.groups_of(np.array([3, 5])), [3, 5])


def test_signatures_say_how_many_groups_swapped():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 70_000)
    models = {m: rng.normal(y, 2) for m in "ab"}
    preds = mc.Predictions(y.astype(float), models, kind="values")
    test = mc.paired_test(preds, "a", "b", "mae", n_resamples=99)
    assert "|groups:4096" in test.signature
    assert "|groups:4096" in mc.compare(preds, "mae", n_resamples=99).signature
    few = mc.paired_test(preds.subset(np.arange(5_000)), "a", "b", "mae", n_resamples=99)
    assert "groups" not in few.signature
