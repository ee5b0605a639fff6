"""Two test sets: other labels, clusters, quantiles, effect sizes, and notes."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import recall_score

import modelcompare as mc
from tests.comparison.test_against_r import DELONG
from tests.comparison.test_against_r import asah as asah
from tests.comparison.test_pitfalls import RNG, noisy
from tests.questions.test_effects import A, B
from tests.questions.test_paired import PREDS, RIGHT, predictions
from tests.questions.test_sparse import NOTE
from tests.questions.test_sparse import PREDS as SPARSE


def test_unpaired_tests():
    other = predictions(150, seed=9)
    a, b = PREDS["a"], other["b"]
    for method in ("bootstrap", "permutation", "wald", "welch"):
        found = mc.inference.unpaired_test(a, b, "accuracy", method=method, n_resamples=999)
        assert found.difference == pytest.approx(
            mc.metrics.accuracy(a.access.codes, a.predicted("a"))
            - mc.metrics.accuracy(b.access.codes, b.predicted("b"))
        )
    right = RIGHT[0], (other.predicted("b") == other.access.codes).astype(float)
    assert found.p_value == pytest.approx(stats.ttest_ind(*right, equal_var=False).pvalue)
    ps = [mc.inference.unpaired_test(a, b, "accuracy", method=m, n_resamples=1999).p_value
          for m in ("bootstrap", "permutation", "wald", "welch")]  # fmt: skip
    np.testing.assert_allclose(ps, ps[-1], atol=0.05)
    with pytest.raises(ValueError, match="`predictions_a` holds 2 models; choose one"):
        mc.inference.unpaired_test(PREDS, b)


def test_the_unpaired_bootstrap_divides_by_the_error_of_each_resample():
    rng = np.random.default_rng(3)
    x, y = rng.normal(0.9, 1, 12), rng.normal(0, 4, 20)
    sides = [mc.Predictions.from_scores({m: s}) for m, s in (("a", x), ("b", y))]
    found = mc.inference.unpaired_test(
        *sides, "mean_score", method="bootstrap", n_resamples=999, rng=5
    )
    draws = [rng.choice(s, (20_000, len(s))) for s in (x, y)]
    errors = np.sqrt(sum(d.var(axis=1, ddof=1) / d.shape[1] for d in draws))
    t = np.abs(draws[0].mean(axis=1) - draws[1].mean(axis=1) - x.mean() + y.mean()) / errors
    observed = stats.ttest_ind(x, y, equal_var=False)
    assert found.statistic == pytest.approx(observed.statistic)
    assert found.p_value == pytest.approx((t >= abs(observed.statistic)).mean(), abs=0.04)
    wald = mc.inference.unpaired_test(*sides, "mean_score", method="wald")
    assert wald.statistic == pytest.approx(observed.statistic)
    assert wald.p_value == pytest.approx(observed.pvalue, abs=0.02)


def test_two_sets_of_three_show_no_more_than_exchanging_them_does():
    a, b = (mc.Predictions.from_scores({m: [v] * 3}) for m, v in (("a", 1.0), ("b", 0.0)))
    for method in ("studentized-permutation", "bootstrap", "permutation", "wald"):
        assert (
            mc.inference.unpaired_test(a, b, "mean_score", method=method, n_resamples=999).p_value
            >= 2 / 20
        )


def test_two_sets_with_other_labels_are_compared_by_the_same_class():
    y1, y2 = RNG.integers(0, 3, 300), RNG.integers(1, 4, 300)
    a, b = noisy(y1, 0.9), np.where(RNG.random(300) < 0.7, y2, 1)
    sides = mc.Predictions(y1, {"a": a}), mc.Predictions(y2, {"b": b})
    expected = [recall_score(y, p, labels=[1], average=None)[0] for y, p in ((y1, a), (y2, b))]
    for method in ("studentized-permutation", "bootstrap", "wald"):
        found = mc.inference.unpaired_test(*sides, "recall[1]", n_resamples=99, method=method)
        assert found.difference == pytest.approx(expected[0] - expected[1])
    with pytest.raises(ValueError, match=r"recall\[0\]: there is no class"):
        mc.inference.unpaired_test(*sides, "recall[0]", n_resamples=99)


def test_unpaired_quantiles_of_unlike_laws_do_not_differ_in_few_samples():
    # Of 60 pairs of test sets; resamples alone find a difference in 0.28 of them.
    rng, found = np.random.default_rng(0), []
    for _ in range(60):
        a = rng.lognormal(size=50)
        b = rng.normal(10, 2, 50) * np.exp(2.326348) / (10 + 2 * 2.326348)
        sides = [
            mc.Predictions.from_scores({m: x}, greater_is_better=False)
            for m, x in (("a", a), ("b", b))
        ]
        found.append(mc.inference.unpaired_test(*sides, "p99", n_resamples=99).p_value < 0.05)
    assert not any(found)


def test_unpaired_quantiles_that_differ_are_found():
    rng = np.random.default_rng(0)
    sides = [
        mc.Predictions.from_scores({m: scale * rng.lognormal(size=400)}, greater_is_better=False)
        for m, scale in (("a", 1.0), ("b", 3.0))
    ]
    options = {"metric": "p90", "n_resamples": 999}
    assert mc.inference.unpaired_test(*sides, **options).p_value < 0.01
    assert mc.inference.unpaired_test(*sides, alternative="less", **options).p_value < 0.01
    assert mc.inference.unpaired_test(*sides, alternative="greater", **options).p_value > 0.9


def test_two_test_sets_have_no_effect_size_of_pairs():
    sides = [
        mc.Predictions.from_scores({m: x}, greater_is_better=True)
        for m, x in {"a": A, "b": B + 0.2}.items()
    ]
    found = mc.inference.unpaired_test(*sides, "mean_score", n_resamples=99)
    assert np.isnan([found.cohens_dz, found.cliffs_delta]).all()


def test_one_sided_delong_is_procs(asah):
    # > roc.test(r.wfns, r.s100b, alternative = "greater", paired = FALSE)$p.value; and "less"
    for alternative, expected in {"greater": 0.076412689404398, "less": 0.923587310595602}.items():
        found = mc.inference.unpaired_test(
            asah["wfns"], asah["s100b"], "roc_auc", method="delong", alternative=alternative
        )
        assert found.p_value == pytest.approx(expected, rel=1e-12)


def test_two_test_sets_are_distinguished():
    found = mc.inference.unpaired_test(SPARSE["a"], SPARSE["b"], "f1[1]", n_resamples=99)
    assert found.notes == (f"`predictions_a`: {NOTE}", f"`predictions_b`: {NOTE}")


@pytest.mark.parametrize("pair", DELONG)
def test_delong_of_two_areas_of_two_sets_is_procs(asah, pair):
    a, b = (asah[model] for model in pair)
    found = mc.inference.unpaired_test(a, b, "roc_auc", method="delong")
    assert (found.statistic, found.p_value) == pytest.approx(DELONG[pair][2], rel=1e-12)


def test_clusters_are_not_forgotten():
    y = RNG.integers(0, 2, 60)
    clustered = mc.Predictions(y, {k: noisy(y, 0.7) for k in "ab"}, groups=np.arange(60) // 6)
    with pytest.raises(ValueError, match="deals single samples, which clusters forbid"):
        mc.inference.unpaired_test(clustered["a"], clustered["b"], "accuracy", method="permutation")


def test_a_model_does_not_differ_from_itself():
    p = np.linspace(0.1, 0.9, 20)
    preds = mc.Predictions([0] * 10 + [1] * 10, {"a": p})
    same = mc.inference.unpaired_test(preds["a"], preds["a"], "roc_auc", method="wald")
    assert (same.statistic, same.p_value) == (0, 1)


def test_what_cannot_be_resampled_or_is_not_smooth_is_refused():
    y = np.arange(20) % 2
    of_one = mc.Predictions(y, {"a": y, "b": 1 - y}, labels=[0, 1], groups=np.zeros(20))
    with pytest.raises(ValueError, match="cluster"):
        mc.inference.unpaired_test(of_one["a"], of_one["b"], "accuracy")
    soft = mc.Predictions(y, {m: np.random.default_rng(0).random(20) for m in "ab"})
    with pytest.raises(ValueError, match=r"'ece' is not smooth.*'permutation' or 'bootstrap'"):
        mc.inference.unpaired_test(soft["a"], soft["b"], "ece", method="wald")
    with pytest.raises(ValueError, match="`n_resamples`"):
        mc.inference.unpaired_test(soft["a"], soft["b"], "accuracy", n_resamples=0)


def test_named_scores_of_two_test_sets():
    scores = {"acc": np.arange(10) % 2, "loss": np.arange(10.0)}
    a = mc.Predictions.from_scores({"a": scores}, greater_is_better={"acc": True, "loss": False})
    other = {name: 1 - x for name, x in scores.items()}
    b = mc.Predictions.from_scores({"a": other}, greater_is_better={"acc": True, "loss": False})
    found = mc.inference.unpaired_test(a, b, "acc", n_resamples=99)
    assert found.difference == pytest.approx(2 * scores["acc"].mean() - 1)
