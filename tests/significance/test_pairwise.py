import itertools

import numpy as np
import pytest
from scipy import stats

import modelcompare as mc
from modelcompare import Predictions
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import influence_moments
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling import BootstrapWeights, SwapMasks
from modelcompare.significance.corrections import adjust, max_t
from modelcompare.significance.pairwise import (
    all_pairs,
    bootstrap_p_values,
    permutation_p_values,
    sign_flip_p_values,
    wald_p_values,
)

SEED = np.random.SeedSequence(3)


def evaluation(names, n=30, n_models=3, seed=0, **columns):
    rng = np.random.default_rng(seed)
    y_true = np.r_[0, 1, 2, rng.integers(0, 3, n - 3)]
    probs = {f"m{i}": rng.dirichlet(np.ones(3), n) for i in range(n_models)}
    preds = Predictions(y_true, probs, **columns)
    return Evaluation(preds, resolve_metrics(names, preds), collapse=False)


def masks(part, n=400):
    return SwapMasks(part.units, n, SEED)


def drawn(weights):
    return np.vstack([weights.draw_all(b) for b in range(weights.n_blocks)])


def test_permutation_swaps_outputs_as_a_loop_does():
    part = evaluation(["f1_macro", "cf1", "log_loss"])
    preds, z = part.predictions, drawn(masks(part)).astype(bool)
    estimate = part.estimate()
    a, b = all_pairs(3)
    found = permutation_p_values(part, estimate, masks(part), a, b)
    for pair, (i, j) in enumerate(zip(a, b, strict=True)):
        pa, pb = (preds.probabilities(preds.models[k]) for k in (i, j))
        extreme = np.zeros(estimate.shape[1])
        for mask in z:
            swapped = Predictions(
                preds.y_true,
                {"a": np.where(mask[:, None], pb, pa), "b": np.where(mask[:, None], pa, pb)},
                labels=[0, 1, 2],
            )
            values = Evaluation(swapped, part.metrics).estimate()
            difference = estimate[i] - estimate[j]
            extreme += np.abs(values[0] - values[1]) >= np.abs(difference) - 1e-12
        np.testing.assert_allclose(found[pair], (1 + extreme) / 401, atol=1e-12)


def test_permutation_comes_close_to_the_exact_test():
    rng = np.random.default_rng(2)
    scores = {"a": rng.normal(0.6, 1, 12), "b": rng.normal(0, 1, 12)}
    preds = Predictions.from_scores(scores)
    part = Evaluation(preds, resolve_metrics(["mean_score"], preds))
    exact = stats.permutation_test(
        (scores["a"], scores["b"]), lambda x, y: np.mean(x) - np.mean(y),
        permutation_type="samples", n_resamples=np.inf,
    ).pvalue  # fmt: skip
    many = SwapMasks(part.units, 20_000, SEED)
    a, b = all_pairs(2)
    for test in (permutation_p_values, sign_flip_p_values):
        assert test(part, part.estimate(), many, a, b)[0, 0] == pytest.approx(exact, abs=0.012)


def test_sign_flip_equals_permutation_for_means_of_scores():
    rng = np.random.default_rng(4)
    preds = Predictions.from_scores({m: rng.integers(0, 3, 25) for m in "abc"})
    part = Evaluation(preds, resolve_metrics(["mean_score"], preds))
    a, b = all_pairs(3)
    arguments = (part, part.estimate(), masks(part), a, b)
    for alternative in ("two-sided", "greater", "less"):
        np.testing.assert_allclose(
            sign_flip_p_values(*arguments, alternative=alternative),
            permutation_p_values(*arguments, alternative=alternative),
        )


def test_sign_flip_by_a_loop():
    part = evaluation(["f1_macro", "cf1"])
    estimate = part.estimate()
    influence = part.influence(slice(None), slice(None), estimate)
    influence -= influence.mean(axis=0)
    signs = 1 - 2 * drawn(masks(part))
    found = sign_flip_p_values(part, estimate, masks(part), *all_pairs(3))
    for pair, (i, j) in enumerate(itertools.combinations(range(3), 2)):
        difference = estimate[i] - estimate[j]
        parts = difference + influence[:, i] - influence[:, j]
        flipped = np.abs(signs @ parts / 30)
        extreme = (flipped >= np.abs(difference) - 1e-12).sum(axis=0)
        np.testing.assert_allclose(found[pair], (1 + extreme) / 401)


def test_bootstrap_is_shifted_to_the_null():
    part = evaluation(["f1_macro"])
    draws = part.replicates(BootstrapWeights(part.units, 500, SEED))
    estimate = part.estimate()
    found = bootstrap_p_values(draws, estimate, *all_pairs(3), n_units=30)
    for pair, (i, j) in enumerate(itertools.combinations(range(3), 2)):
        difference = estimate[i, 0] - estimate[j, 0]
        spread = draws[:, i, 0] - draws[:, j, 0] - difference
        expected = (1 + (np.abs(spread) >= abs(difference)).sum()) / 501
        assert found[pair, 0] == pytest.approx(expected)


def test_wald_of_accuracy_is_the_paired_z_test():
    part = evaluation(["accuracy"], n=80)
    preds = part.predictions
    moments = influence_moments(part, part.estimate())
    found = wald_p_values(part, part.estimate(), moments, *all_pairs(3))
    right = {m: (preds.predicted(m) == preds.codes).astype(float) for m in preds.models}
    for pair, (m, k) in enumerate(itertools.combinations(preds.models, 2)):
        d = right[m] - right[k]
        t = d.mean() / (d.std(ddof=1) / np.sqrt(80))
        u = d - d.mean()
        df = 2 / ((u**4).sum() / (u**2).sum() ** 2 - 1 / 80)
        assert found[pair, 0] == pytest.approx(2 * stats.t.sf(abs(t), min(df, 79)))


def test_one_sided_p_values_point_at_the_better_model():
    part = evaluation(["cf1_macro"], n=60)
    good, bad = np.eye(3)[part.predictions.codes] * 0.6 + 0.4 / 3, np.full((60, 3), 1 / 3)
    bad = bad + np.random.default_rng(0).normal(0, 0.01, (60, 3))
    preds = Predictions(part.predictions.y_true, {"good": good, "bad": bad}, normalize=True)
    part = Evaluation(preds, part.metrics)
    estimate, moments = part.estimate(), None
    moments = influence_moments(part, estimate)
    draws = part.replicates(BootstrapWeights(part.units, 400, SEED))
    pair = all_pairs(2)
    for alternative, p in (("greater", 0.01), ("less", 0.99)):
        sides = [
            permutation_p_values(part, estimate, masks(part), *pair, alternative=alternative),
            sign_flip_p_values(part, estimate, masks(part), *pair, alternative=alternative),
            bootstrap_p_values(draws, estimate, *pair, n_units=60, alternative=alternative),
            wald_p_values(part, estimate, moments, *pair, alternative=alternative),
        ]
        for side in sides:
            assert (side < p).all() if alternative == "greater" else (side > p).all()


def test_equal_models_have_p_1_by_every_test():
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(3), 20)
    preds = Predictions(np.arange(20) % 3, {"a": probs, "b": probs})
    part = Evaluation(preds, resolve_metrics(["f1", "cf1", "log_loss"], preds))
    draws = part.replicates(BootstrapWeights(part.units, 99, SEED))
    arguments, pair = (part, part.estimate(), masks(part)), all_pairs(2)
    moments = influence_moments(part, part.estimate())
    for p in (
        permutation_p_values(*arguments, *pair),
        sign_flip_p_values(*arguments, *pair),
        bootstrap_p_values(draws, part.estimate(), *pair, n_units=20),
        wald_p_values(part, part.estimate(), moments, *pair),
    ):
        assert (p == 1).all()


@pytest.mark.parametrize("test", ["sign-flip", "permutation", "bootstrap", "wald"])
def test_few_units_show_no_more_than_the_sign_test_of_that_many(test):
    scores = {"a": [1.0, 1.1, 1.2], "b": [0.0, 0.1, 0.2]}
    preds = Predictions.from_scores(scores)
    found = mc.paired_test(preds, "a", "b", "mean_score", method=test)
    least = stats.binomtest(3, 3).pvalue
    assert least <= found.p_value < least + 0.01
    one_sided = mc.paired_test(preds, "a", "b", "mean_score", method=test, alternative="greater")
    assert one_sided.p_value >= 1 / 8
    y = np.random.default_rng(0).integers(0, 2, 60)
    clustered = Predictions(y, {"a": y, "b": 1 - y}, groups=np.arange(60) // 12)
    with pytest.warns(UserWarning, match=r"no p-value of 5 clusters is below 0.0625"):
        frame = mc.compare(clustered, "accuracy", test=test, n_resamples=999).differences
    assert 1 / 16 <= frame.p_value[0] < 0.08


def test_wald_shows_nothing_where_a_value_rests_on_one_sample():
    y = [0] * 99 + [1]
    preds = Predictions(y, {"a": y, "b": [0] * 100}, labels=[0, 1])
    frame = mc.compare(preds, "recall", test="wald", n_resamples=99, undefined="redraw").differences
    assert frame.set_index("label").loc[1, ["difference", "p_value"]].tolist() == [1, 1]


def test_corrections_are_those_of_statsmodels():
    from statsmodels.stats.multitest import multipletests

    p = np.array([0.001, 0.04, np.nan, 0.03, 0.9])
    defined = p[~np.isnan(p)]
    for method in ("holm", "hommel", "bonferroni", "sidak", "fdr_bh", "fdr_by"):
        found = adjust(p, method)
        np.testing.assert_allclose(found[~np.isnan(p)], multipletests(defined, method=method)[1])
        assert np.isnan(found[2])
    np.testing.assert_array_equal(adjust(p, "none"), p)


def test_max_t_steps_down_as_written():
    rng = np.random.default_rng(0)
    null = rng.normal(size=(999, 4)) @ np.array(
        [[1, 0.9, 0, 0], [0, 0.4, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    )
    difference, error = np.array([3.2, -2.0, 0.5, 2.2]), np.array([1.0, 1.0, 1.0, 2.0])
    found = max_t(null, difference, error)
    statistic = np.abs(difference) / error
    order = np.argsort(-statistic)
    expected, running = np.empty(4), 0.0
    for step, h in enumerate(order):
        left = order[step:]
        largest = np.abs(null[:, left] / error[left]).max(axis=1)
        running = max(running, (1 + (largest >= statistic[h]).sum()) / 1000)
        expected[h] = running
    np.testing.assert_allclose(found, expected)


def test_max_t_of_copies_costs_nothing():
    rng = np.random.default_rng(1)
    null = rng.normal(size=(999, 1))
    alone = max_t(null, np.array([2.2]), np.array([1.0]))
    copies = max_t(np.repeat(null, 10, axis=1), np.full(10, 2.2), np.ones(10))
    np.testing.assert_allclose(copies, alone[0])
    assert adjust(np.repeat(alone, 10), "holm")[0] == pytest.approx(min(1, 10 * alone[0]))
