"""Swaps of skewed means: against a loop over all of them, and as often as they should reject."""

import itertools

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import get_metric
from modelcompare.significance.pairwise import all_pairs
from modelcompare.significance.studentized import algorithm_of, studentized_permutation
from modelcompare.significance.swaps import means, statistic
from modelcompare.significance.swaps.means import Mean
from modelcompare.significance.swaps.sums import SwappedSums
from tests.significance.oracle import drawn_statistics, n_extreme
from tests.significance.views import pair_view

SEED = np.random.SeedSequence(5)
MEAN = get_metric("mean_score")


def drawn(seed, n, laws=("lognormal", "normal")):
    rng = np.random.default_rng(seed)
    draw = {
        "lognormal": lambda: rng.lognormal(0, 1.5, n),
        "normal": lambda: np.exp(1.125) + rng.standard_normal(n),
    }
    return {f"m{i}": draw[law]() for i, law in enumerate(laws)}


def scored(table, **columns):
    return mc.Predictions.from_scores(table, greater_is_better=True, **columns)


def hall(x):
    """The cubic of the mean of x, by its definition."""
    centred = x - x.mean()
    if np.allclose(centred, 0, atol=1e-12 * np.abs(x).max(initial=0)):
        return np.copysign(np.inf, x.sum()) if x.any() else 0.0
    t = x.sum() / np.sqrt((centred**2).sum())
    a = (centred**3).sum() / (centred**2).sum() ** 1.5
    return t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6


SIZE = {"two-sided": np.abs, "greater": lambda t: t, "less": np.negative}


def by_loop(x):
    """Share of all sign changes that are as extreme, by each alternative."""
    signs = [np.array(s) for s in itertools.product([1, -1], repeat=len(x))]
    found = np.array([hall(x * s) for s in signs])
    least = 1e-9 * max(1, abs(found[0]))
    return {name: np.mean(size(found) >= size(found[0]) - least) for name, size in SIZE.items()}


def outcome_of(preds, n_resamples=9_999, alternative="two-sided"):
    evaluation = Evaluation(preds, [MEAN])
    assert algorithm_of(evaluation, MEAN) == "mean"
    a, b = all_pairs(len(preds.models))
    return studentized_permutation(pair_view(evaluation, (a, b), n_resamples, SEED, alternative))


@pytest.mark.parametrize("weighted", [False, True])
def test_few_samples_give_the_share_of_all_sign_changes(weighted):
    for seed in range(3):
        weight = np.random.default_rng(9).uniform(0.5, 2, 9) if weighted else None
        table = drawn(seed, 9, ("lognormal", "normal", "normal"))
        preds = scored(table, sample_weight=weight)
        found = {name: outcome_of(preds, alternative=name).p_value[:, 0] for name in SIZE}
        for pair, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
            x = (table[f"m{i}"] - table[f"m{j}"]) * (1 if weight is None else weight)
            assert {name: p[pair] for name, p in found.items()} == pytest.approx(by_loop(x))


def test_drawn_swaps_of_many_samples_are_those_of_a_loop():
    table = drawn(1, 60, ("lognormal", "lognormal", "normal"))
    evaluation = Evaluation(scored(table), [MEAN])
    a, b = all_pairs(3)
    view = pair_view(evaluation, (a, b), 299, SEED)
    statistic = SwappedSums(evaluation, [MEAN], (a, b), formula=Mean)
    found = drawn_statistics(statistic, view.masks)[:, :, 0]
    masks = np.concatenate([view.masks.draw_all(k) for k in range(view.masks.n_blocks)])
    for pair, (i, j) in enumerate(zip(a, b, strict=True)):
        x = table[f"m{i}"] - table[f"m{j}"]
        expected = [hall((1 - 2 * z) * x) for z in masks.astype(float)]
        np.testing.assert_allclose(found[:, pair], expected, rtol=1e-9, atol=1e-9)


def test_pairs_that_many_samples_carry_are_divided_by_their_error_alone():
    # Signs of equal size: as many carriers as samples.
    rng = np.random.default_rng(0)
    base, skewed = rng.standard_normal(400), rng.lognormal(0, 1.5, 400)
    table = {"a": base, "b": base + rng.choice([-1.0, 1.0], 400), "c": base + skewed}
    preds = scored(table)
    statistic = SwappedSums(Evaluation(preds, [MEAN]), [MEAN], all_pairs(3), formula=Mean)
    assert statistic.formulas[0]._skewed.tolist() == [False, True, True]
    x = table["a"] - table["b"]
    assert statistic.observed[0, 0] == pytest.approx(x.sum() / np.sqrt((x**2).sum()))
    assert statistic.observed[1, 0] == pytest.approx(hall(table["a"] - table["c"]))
    view = pair_view(Evaluation(preds, [MEAN]), all_pairs(3), 999, SEED)
    found = drawn_statistics(statistic, view.masks)[:, :, 0]
    counted = n_extreme(statistic, view.masks, np.arange(3))[:, 0]
    least = np.abs(statistic.observed[:, 0]) - 1e-9
    assert counted.tolist() == (np.abs(found) >= least).sum(axis=0).tolist()


def test_cubes_are_made_of_some_pairs_after_others(monkeypatch):
    preds = scored(drawn(2, 50, ("lognormal", "normal", "lognormal", "normal")))
    asked, cubes = [], Mean.cubes

    def spy(self, pairs):
        asked.append(len(pairs))
        return cubes(self, pairs)

    monkeypatch.setattr(Mean, "cubes", spy)
    whole = outcome_of(preds, 99).p_value
    assert 6 in asked
    asked.clear()
    monkeypatch.setattr(means, "CACHE_BYTES", 800)
    monkeypatch.setattr(statistic, "CACHE_BYTES", 1)
    np.testing.assert_array_equal(outcome_of(preds, 99).p_value, whole)
    # The total of every pair that is skewed, and what moves of each after each block of masks.
    assert set(asked) == {1}
    assert len(asked) > 2 * 6


def test_models_that_agree_or_always_differ_by_the_same():
    rng = np.random.default_rng(1)
    base = rng.lognormal(0, 2, 200)
    preds = scored({"a": base, "b": base.copy(), "c": base + 0.25})
    p_value = outcome_of(preds, 999).p_value[:, 0]
    # Of all signs two are as extreme.
    assert p_value == pytest.approx([1.0, 0.5**199, 0.5**199], rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "most"), [(100, 0.13), (300, 0.09)])
def test_equal_means_of_unlike_skewed_laws_are_seldom_distinguished(n, most):
    # Of 150 test sets; t alone rejects 0.28 of 100 samples and 0.17 of 300.
    rng, rejected = np.random.default_rng(2), 0
    for _ in range(150):
        common, own = rng.standard_normal(n), rng.standard_normal((2, n))
        z = (common + own) / np.sqrt(2)
        first, second = np.exp(2 * z[0]), np.exp(2) + z[1]
        preds = scored({"a": first, "b": second})
        rejected += outcome_of(preds, 199).p_value[0, 0] < 0.05
    assert rejected / 150 < most


def test_clusters_strata_and_bounded_losses_go_without():
    table, half = drawn(4, 40), np.arange(40) // 2
    for columns in ({"groups": half}, {"strata": half % 2}):
        assert algorithm_of(Evaluation(scored(table, **columns), [MEAN]), MEAN) == "quotient"
    y, outputs = half % 2, np.random.default_rng(0).dirichlet([1, 1], (2, 40))
    preds = mc.Predictions(y, dict(zip("ab", outputs, strict=True)))
    for name, algorithm in (("brier_score", "quotient"), ("log_loss", "mean")):
        metric = get_metric(name)
        assert algorithm_of(Evaluation(preds, [metric]), metric) == algorithm
