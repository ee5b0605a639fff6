import itertools
from functools import cached_property
from typing import get_args

import numpy as np
import pytest
from scipy import stats

import modelcompare as mc
from modelcompare import Predictions
from modelcompare.engine.contrasts import Sample
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.weights import BootstrapWeights, SwapMasks
from modelcompare.significance import TESTS, PairView, run_test
from modelcompare.significance.corrections import adjust
from modelcompare.significance.extreme import n_extreme
from modelcompare.significance.pairwise import all_pairs
from modelcompare.significance.step_down import max_t
from modelcompare.words import PAIRED_TESTS, CompareTest, PairedTest, PairsTest
from tests.plugged import needs
from tests.significance.views import pair_view

SEED = np.random.SeedSequence(3)


def evaluation(names, n=30, n_models=3, seed=0, **columns):
    rng = np.random.default_rng(seed)
    y_true = np.r_[0, 1, 2, rng.integers(0, 3, n - 3)]
    probs = {f"m{i}": rng.dirichlet(np.ones(3), n) for i in range(n_models)}
    preds = Predictions(y_true, probs, **columns)
    return Evaluation(preds, resolve_metrics(names, preds), collapse=False)


def masks(part, n=400):
    return SwapMasks(part.units, n, SEED)


def p_values(test, part, n=400, **options):
    pairs = all_pairs(len(part.models))
    return run_test(test, pair_view(part, pairs, n, SEED, **options)).p_value


def drawn(weights):
    return np.vstack([weights.draw_all(b) for b in range(weights.n_blocks)])


def test_permutation_swaps_outputs_as_a_loop_does():
    part = evaluation(["f1_macro", "cf1", "log_loss"])
    preds, z = part.predictions, drawn(masks(part, 60)).astype(bool)
    estimate = part.estimate()
    a, b = all_pairs(3)
    found = p_values("permutation", part, 60)
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
        np.testing.assert_allclose(found[pair], (1 + extreme) / 61, atol=1e-12)


def test_permutation_comes_close_to_the_exact_test():
    rng = np.random.default_rng(2)
    scores = {"a": rng.normal(0.6, 1, 12), "b": rng.normal(0, 1, 12)}
    preds = Predictions.from_scores(scores)
    part = Evaluation(preds, resolve_metrics(["mean_score"], preds))
    exact = stats.permutation_test(
        (scores["a"], scores["b"]), lambda x, y: np.mean(x) - np.mean(y),
        permutation_type="samples", n_resamples=np.inf,
    ).pvalue  # fmt: skip
    for test in ("permutation", "sign-flip"):
        assert p_values(test, part, 20_000)[0, 0] == pytest.approx(exact, abs=0.012)


def test_bootstrap_is_shifted_to_the_null():
    part = evaluation(["f1_macro"])
    draws = part.replicates(BootstrapWeights(part.units, 500, SEED))
    estimate = part.estimate()
    found = p_values("bootstrap", part, 500)
    for pair, (i, j) in enumerate(itertools.combinations(range(3), 2)):
        difference = estimate[i, 0] - estimate[j, 0]
        spread = draws[:, i, 0] - draws[:, j, 0] - difference
        expected = (1 + (np.abs(spread) >= abs(difference)).sum()) / 501
        assert found[pair, 0] == pytest.approx(expected)


def test_wald_of_accuracy_is_the_paired_z_test():
    part = evaluation(["accuracy"], n=80)
    preds = part.predictions
    found = p_values("wald", part)
    right = {m: (preds.predicted(m) == preds.access.codes).astype(float) for m in preds.models}
    for pair, (m, k) in enumerate(itertools.combinations(preds.models, 2)):
        d = right[m] - right[k]
        t = d.mean() / (d.std(ddof=1) / np.sqrt(80))
        u = d - d.mean()
        df = 2 / ((u**4).sum() / (u**2).sum() ** 2 - 1 / 80)
        assert found[pair, 0] == pytest.approx(2 * stats.t.sf(abs(t), min(df, 79)))


def test_one_sided_p_values_point_at_the_better_model():
    part = evaluation(["cf1_macro"], n=60)
    good, bad = np.eye(3)[part.predictions.access.codes] * 0.6 + 0.4 / 3, np.full((60, 3), 1 / 3)
    bad = bad + np.random.default_rng(0).normal(0, 0.01, (60, 3))
    preds = Predictions(part.predictions.y_true, {"good": good, "bad": bad}, normalize=True)
    part = Evaluation(preds, part.metrics)
    for alternative, p in (("greater", 0.01), ("less", 0.99)):
        for test in get_args(PairsTest):
            side = p_values(test, part, alternative=alternative)
            assert (side < p).all() if alternative == "greater" else (side > p).all()


def test_equal_models_have_p_1_by_every_test():
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(3), 20)
    preds = Predictions(np.arange(20) % 3, {"a": probs, "b": probs})
    part = Evaluation(preds, resolve_metrics(["f1", "cf1", "log_loss"], preds))
    for test in get_args(PairsTest):
        assert (p_values(test, part, 99) == 1).all()


@pytest.mark.parametrize("step", [1e-2, 1e-4, 1e-8])
def test_models_that_nearly_agree_have_the_errors_of_their_own_differences(step):
    # From each model's own sums the difference would be rounding: error 0 and p = 1e-121.
    rng = np.random.default_rng(0)
    y_true = rng.normal(size=400) * 10
    a = y_true + rng.normal(size=400) * 3
    b = a + step * rng.normal(size=400)
    result = mc.compare(mc.Predictions(y_true, {"a": a, "b": b}), "mse", test="wald", n_resamples=9)
    gain = (a - y_true) ** 2 - (b - y_true) ** 2
    centred = gain - gain.mean()
    squares, fourths = (centred**2).sum(), (centred**4).sum()
    error = np.sqrt(squares / (400 * 399))
    degrees = 2 / (fourths / squares**2 - 1 / 400)
    row = result.differences.iloc[0]
    assert row["standard_error"] == pytest.approx(error, rel=1e-5)
    p_value = 2 * stats.t.sf(abs(gain.mean() / error), degrees)
    assert row["p_value"] == pytest.approx(p_value, rel=1e-4)
    skew = (centred**3).sum() / (6 * squares**1.5)
    acceleration = result.bootstrap.moments.acceleration((np.array([0]), np.array([1])))
    assert acceleration[0, 0] == pytest.approx(skew, rel=1e-4)
    acceleration = result.bootstrap.moments.acceleration((np.array([1]), np.array([0])))
    assert acceleration[0, 0] == pytest.approx(-skew, rel=1e-4)


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
    with pytest.warns(UserWarning, match=r"no p-value can be below 0.062 here.* few clusters"):
        frame = mc.compare(clustered, "accuracy", test=test, n_resamples=999).differences
    assert 1 / 16 <= frame.p_value[0] < 0.08


def test_wald_shows_nothing_where_a_value_rests_on_one_sample():
    y = [0] * 99 + [1]
    preds = Predictions(y, {"a": y, "b": [0] * 100}, labels=[0, 1])
    frame = mc.compare(preds, "recall", test="wald", n_resamples=99, undefined="redraw").differences
    assert frame.set_index("label").loc[1, ["difference", "p_value"]].tolist() == [1, 1]


def test_corrections_are_those_of_statsmodels(monkeypatch):
    from statsmodels.stats.multitest import multipletests

    # It collects garbage in each call, which takes longer the more tests have run before.
    monkeypatch.setattr("gc.collect", lambda *_: 0)
    rng = np.random.default_rng(0)
    families = [np.array([0.001, 0.04, np.nan, 0.03, 0.9]), np.array([0.2]), np.ones(4)]
    families += [rng.random(n) ** 3 for n in (2, 5, 40, 153)]
    families += [np.r_[rng.integers(1, 6, 12) / 1000, np.nan, 1.0], np.full(3, np.nan)]
    for p in families:
        defined = ~np.isnan(p)
        for method in ("holm", "hochberg", "hommel", "bonferroni", "sidak", "fdr_bh", "fdr_by"):
            found = adjust(p, method)
            assert np.isnan(found[~defined]).all()
            if defined.any():
                with np.errstate(divide="ignore"):
                    name = {"hochberg": "simes-hochberg"}.get(method, method)
                    expected = multipletests(p[defined], method=name)[1]
                np.testing.assert_allclose(found[defined], expected, rtol=4e-16, atol=0)
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


@needs("runs", "paper", "classical")
def test_every_name_of_a_test_has_a_row_and_a_reason_to_choose_it():
    assert tuple(TESTS) == tuple(PAIRED_TESTS)
    everything = ("two-sided", "greater", "less")
    for_compare = [
        n for n, row in TESTS.items() if row.reads != "rows" and row.alternatives == everything
    ]
    assert for_compare == list(get_args(PairsTest))
    assert {*TESTS} - {*get_args(PairedTest)} == {"replicate-t", "replicate-paired-t"}
    for name in get_args(CompareTest):
        assert f'- "{name}": {TESTS[name].when}' in mc.compare.__doc__
    for name in get_args(PairedTest):
        assert f'- "{name}": {TESTS[name].when}' in mc.paired_test.__doc__


@pytest.mark.parametrize(
    ("test", "asked"),
    [
        ("sign-flip", {"point", "estimate"}),
        ("permutation", {"masks", "point", "estimate"}),
        ("bootstrap", {"draws", "point", "estimate"}),
        ("wald", {"moments", "standard_error", "degrees_of_freedom", "point"}),
        pytest.param("replicate-t", {"draws", "point", "estimate"}, marks=needs("paper")),
    ],
)
def test_a_test_computes_only_what_it_asks_for(test, asked):
    part = evaluation(["f1_macro", "cf1"])
    view = pair_view(part, all_pairs(3), 50, SEED)
    run_test(test, view)
    offered = {
        name
        for kind in (PairView, *PairView.__mro__, Sample)
        for name, thing in vars(kind).items()
        if isinstance(thing, cached_property)
    }
    computed = {*vars(view), *vars(view.sample)} & offered
    assert computed - {"_scale", "estimator"} == asked


def test_what_is_equal_but_for_rounding_is_extreme_by_every_test():
    # Half of 8 scores differ, all by 0.1 or -0.1 but for rounding: sums repeat themselves exactly
    # in arithmetic, and hardly ever in floating point.
    a = np.array([0.1, 0.2, 0.3, 0.7, 0.4, 0.6, 0.5, 0.9])
    b = a - np.array([0.1, 0.1, 0.1, -0.1, 0, 0, 0, 0])
    preds = Predictions.from_scores({"a": a, "b": b})
    # Of the sums of four signs 2 is reached or passed in size by 10 of 16, upwards by 5, and
    # downwards by 15 (all but +4).
    for alternative, share in (("two-sided", 10), ("greater", 5), ("less", 15)):
        exact = mc.paired_test(preds, "a", "b", "mean_score", method="permutation",
                               alternative=alternative)  # fmt: skip
        assert exact.exact
        assert exact.p_value == share / 16

    def mean(_, scores):
        return float(np.mean(scores))

    # The same swaps, of sums, and of the outputs of a function.
    found = {
        mc.paired_test(preds, "a", "b", metric, method="permutation", n_resamples=12).p_value
        for metric in ("mean_score", mean)
    }
    assert len(found) == 1
    # Of signs all are counted, and the 8 sums that equal 2 in size count half.
    flipped = mc.paired_test(preds, "a", "b", "mean_score", method="sign-flip", n_resamples=12)
    assert flipped.p_value == 6 / 16


def test_extremes_are_counted_on_both_sides_with_ties_and_holes():
    null = np.array([-0.5, -0.3, 0.1, 0.1 + 0.2, 0.5, np.nan])
    for alternative, expected in (("two-sided", 5), ("greater", 3), ("less", 5)):
        assert n_extreme(null, 0.3, alternative, scale=1.0) == expected
    assert n_extreme(np.array([1.0, np.inf]), np.inf, "greater", scale=np.inf) == 1


def test_berg_kirkpatrick_is_the_one_sided_shifted_bootstrap():
    part = evaluation(["f1_macro"])
    for alternative in ("greater", "less"):
        shifted = p_values("bootstrap", part, alternative=alternative)
        found = p_values("berg-kirkpatrick", part, alternative=alternative)
        sign = 1 if alternative == "greater" else -1
        against = sign * (part.estimate()[[0, 0, 1]] - part.estimate()[[1, 2, 2]]) <= 0
        np.testing.assert_array_equal(found, np.where(against, 1.0, shifted))


@needs("calibration")
def test_a_test_is_refused_by_name_where_it_says_nothing():
    preds = evaluation(["f1"]).predictions
    with pytest.raises(ValueError, match=r"metric 'ece' is not smooth.* use 'permutation' or"):
        mc.compare(preds, ["accuracy", "ece"], test="wald", n_resamples=9)
    with pytest.raises(ValueError, match="'berg-kirkpatrick' is one-sided: declare alternative"):
        p_values("berg-kirkpatrick", evaluation(["f1"]))


@needs("paper")
def test_tests_on_replicates_are_two_sided():
    with pytest.raises(
        ValueError, match="'replicate-t' is two-sided; use alternative='two-sided', not 'les"
    ):
        p_values("replicate-t", evaluation(["f1"]), alternative="less")
