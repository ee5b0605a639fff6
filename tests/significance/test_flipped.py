"""The sign-flip test beside all flips, drawn ones, and the sign test's binomial numbers."""

import itertools

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

import modelcompare as mc
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.weights import SwapMasks
from modelcompare.significance import run_test
from tests.significance.views import pair_view

SEED = np.random.SeedSequence(3)
PAIR = np.array([0]), np.array([1])


def differences(part):
    """Each unit's part of the difference of two models, (n_units, n_values), by its influences."""
    estimate = part.estimate()
    influence = part.influence(slice(None), estimate)
    influence -= influence.mean(axis=0)
    return estimate[0] - estimate[1] + influence[:, 0] - influence[:, 1]


def hard(n, rng, share=0.7):
    truth = np.r_[0, 1, 2, rng.integers(0, 3, n - 3)]
    outputs = {m: np.where(rng.random(n) < share, truth, rng.integers(0, 3, n)) for m in "ab"}
    return mc.Predictions(truth, outputs)


def soft(n, rng):
    truth = np.r_[0, 1, 2, rng.integers(0, 3, n - 3)]
    return mc.Predictions(truth, {m: rng.dirichlet(np.ones(3), n) for m in "ab"})


def of_values(n, rng):
    truth = rng.normal(size=n)
    return mc.Predictions(truth, {m: truth + rng.normal(size=n) for m in "ab"}, kind="values")


WORLDS = [
    (hard, ["accuracy", "f1_macro", "matthews_corrcoef"]), (soft, ["log_loss", "cf1_macro", "cf1"]),
    (of_values, ["spearman", "mse"]),
]  # fmt: skip


def flipped(make, names, n, alternative, n_flips=None):
    rng = np.random.default_rng(n)
    preds = make(n, rng)
    part = Evaluation(preds, resolve_metrics(names, preds), collapse=False)
    view = pair_view(part, PAIR, 99, SEED, alternative=alternative)
    d = differences(part)
    if n_flips is None:
        signs = np.array([*itertools.product((-1.0, 1.0), repeat=n)])
    else:
        signs = 1 - 2.0 * rng.integers(0, 2, (n_flips, n))
    return run_test("sign-flip", view), d, signs


def shares(d, signs, alternative):
    """Shares of flips whose sum is beyond the observed one, and at least it, of each value."""
    sums, observed = signs @ d, d.sum(axis=0)
    sign = -1.0 if alternative == "less" else 1.0
    sizes, size = (
        (np.abs(sums), np.abs(observed)) if alternative == "two-sided"
        else (sign * sums, sign * observed)
    )  # fmt: skip
    tie = 1e-9 * np.abs(d).sum(axis=0)
    return (sizes > size + tie).mean(axis=0), (sizes >= size - tie).mean(axis=0)


@pytest.mark.parametrize(("make", "names"), WORLDS)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_all_flips_of_few_units_are_counted(make, names, alternative):
    """Ties count half, and in full where more than nine tenths of the units move."""
    n = 11
    found, d, signs = flipped(make, names, n, alternative)
    beyond, least = shares(d, signs, alternative)
    moving = (np.abs(d) > 1e-9).sum(axis=0)
    # On the other side of 0 the share is one less that of the tail.
    observed = d.sum(axis=0)
    against = (observed < 0) if alternative == "greater" else (observed > 0)
    against &= alternative != "two-sided"
    full = np.where(against, beyond, least)
    expected = np.where(moving <= 0.9 * n, (beyond + least) / 2, full)
    np.testing.assert_allclose(found.p_value[0], expected, atol=1e-12)
    assert (found.n_resamples, found.exact) == (0, True)


@pytest.mark.parametrize(("make", "names"), WORLDS)
@pytest.mark.parametrize("n", [40, 400])
def test_tails_are_those_of_drawn_flips(make, names, n):
    n_flips = 40_000
    found, d, signs = flipped(make, names, n, "two-sided", n_flips)
    beyond, least = shares(d, signs, "two-sided")
    p = found.p_value[0]
    error = 4 * np.sqrt(p * (1 - p) / n_flips)
    assert (p >= 0.97 * (beyond + least) / 2 - error).all()
    assert (p <= 1.03 * least + error).all()
    assert set(found.ways.ravel()) == {"signs"}


def test_accuracies_have_the_sign_test_of_the_samples_on_which_models_differ():
    n, only_a = 400, 60
    truth, a, b = np.zeros(n, int), np.zeros(n, int), np.zeros(n, int)
    b[:only_a], a[only_a : only_a + 38] = 1, 1
    preds = mc.Predictions(truth, {"a": a, "b": b}, labels=[0, 1])
    p = mc.paired_test(preds, "a", "b", "accuracy", method="sign-flip").p_value
    table = mcnemar([[0, only_a], [38, 0]], exact=True).pvalue
    mid = table - stats.binom.pmf(only_a, only_a + 38, 0.5)
    assert p == pytest.approx(mid, rel=1e-4)
    # Of models that differ on all samples ties count in full.
    preds = mc.Predictions(truth[:98], {"a": a[:98], "b": b[:98]}, labels=[0, 1])
    p = mc.paired_test(preds, "a", "b", "accuracy", method="sign-flip").p_value
    assert p == pytest.approx(table, rel=0.01)


def test_nothing_is_drawn_so_that_no_seed_and_no_number_of_flips_matters():
    rng = np.random.default_rng(0)
    preds = of_values(300, rng)
    found = {
        mc.paired_test(
            preds, "a", "b", "spearman", method="sign-flip", n_resamples=n, rng=seed
        ).p_value
        for n in (99, 9999) for seed in (0, 1)
    }  # fmt: skip
    assert len(found) == 1
    x = np.linspace(0, 1, 400) + 5.0
    clear = mc.Predictions.from_scores({"a": x + rng.normal(size=400), "b": 0 * x})
    assert 0 < mc.paired_test(clear, "a", "b", "mean_score", method="sign-flip").p_value < 1e-50


def test_signs_are_drawn_where_few_of_many_units_carry_the_sum():
    rng = np.random.default_rng(1)
    a = rng.standard_t(0.4, 1_100)
    preds = mc.Predictions.from_scores({"a": a, "b": np.zeros(1_100)})
    part = Evaluation(preds, resolve_metrics(["mean_score"], preds), collapse=False)
    found = run_test("sign-flip", pair_view(part, PAIR, 400, SEED))
    masks = SwapMasks(part.units, 400, SEED)
    signs = 1 - 2.0 * np.vstack([masks.draw_all(block) for block in range(masks.n_blocks)])
    extreme = (np.abs(signs @ a) >= abs(a.sum()) * (1 - 1e-12)).sum()
    assert found.p_value[0, 0] == pytest.approx((1 + extreme) / 401)
    assert (found.n_resamples, found.ways[0, 0]) == (400, "drawn")
