"""Means over test sets: intervals of every method, by loops, where a percentile has none."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import modelcompare as mc
from modelcompare.engine.contrasts import Contrasts
from modelcompare.engine.scope import Scope
from modelcompare.plugins.suites.means import MeanOfSets, corrected_values

RNG = np.random.default_rng(11)
SETS = {
    name: mc.Predictions(
        y := RNG.integers(0, 2, n),
        {model: np.where(RNG.random(n) < p, y, 1 - y) for model, p in (("a", 0.9), ("b", 0.75))},
    )
    for name, n in (("s", 60), ("t", 90), ("u", 200))
}  # fmt: skip
RIGHT = {m: [(p.access.codes == p.predicted(m)) * 1.0 for p in SETS.values()] for m in ("a", "b")}
SIZES = np.array([60, 90, 200])


def pooled(method="auto", sets=None, **options):
    return mc.compare_groups(
        SETS if sets is None else sets, "accuracy", method=method, n_resamples=199, **options
    )


def bounds(frame):
    return frame[["ci_low", "ci_high"]].to_numpy()


def test_models_that_are_right_everywhere_are_not_known_to_be_perfect():
    y = np.arange(100) % 2
    perfect = mc.Predictions(y, {"a": y, "b": y})
    result = pooled(sets={"s": perfect, "t": perfect.subset(np.arange(50))})
    low = [proportion_confint(n, n, method="wilson")[0] for n in (100, 50)]
    expected = 1 - np.hypot(1 - low[0], 1 - low[1]) / 2
    np.testing.assert_allclose(bounds(result.pooled_scores), [[expected, 1.0]] * 2)
    low, high = bounds(result.pooled_differences)[0]
    assert -0.1 < low < 0 < high < 0.1
    assert result.pooled_differences["p_value"][0] == 1


def test_models_that_are_nearly_always_right_are_covered():
    # All 60 samples are right with a chance of 0.16: percentiles cover 0.84 at most. Fewer than
    # 0.9 of 100 at a coverage of 0.95 have a chance of 1.1 %, at the 0.99 that this rule has none.
    covered = 0
    for seed in range(2):
        rng = np.random.default_rng(seed)
        y = np.ones(30, int)
        sets = {
            name: mc.Predictions(
                y, {f"m{i}": (rng.random(30) < 0.97) * 1 for i in range(50)}, labels=[0, 1]
            )
            for name in ("s", "t")
        }
        frame = bounds(pooled(sets=sets, test="wald", correction="none").pooled_scores)
        covered += ((frame[:, 0] <= 0.97) & (frame[:, 1] >= 0.97)).sum()
    assert covered >= 90


def test_the_sets_own_intervals_are_joined():
    result = pooled()
    for place, model in enumerate("ab"):
        share = np.array([right.mean() for right in RIGHT[model]])
        ends = np.array(
            [proportion_confint(x.sum(), len(x), method="wilson") for x in RIGHT[model]]
        )
        half = np.linalg.norm((ends[:, 1] - ends[:, 0]) / 2) / 3
        down = max(np.linalg.norm(share - ends[:, 0]) / 3, half)
        up = max(np.linalg.norm(ends[:, 1] - share) / 3, half)
        found = bounds(result.pooled_scores)[place]
        np.testing.assert_allclose(found, [share.mean() - down, share.mean() + up], rtol=1e-6)
    own = result.differences
    reach = np.linalg.norm((own["ci_high"] - own["ci_low"]) / 2) / 3
    low, high = bounds(result.pooled_differences)[0]
    assert high - low >= 2 * reach * (1 - 1e-9)
    assert "ci:auto" in result.signature
    assert "ci_pooled:mover|test_pooled:interval" in result.signature


def confused(rng, n, names, right=(0.8, 0.7, 0.6)):
    """Draw three classes of unequal sizes, and models that are right on these shares of them."""
    y = rng.choice(3, n, p=[0.6, 0.25, 0.15])
    wrong = {m: (y + rng.integers(1, 3, n)) % 3 for m in names}
    hits = {m: rng.random(n) < np.array(right)[y] for m in names}
    return mc.Predictions(y, {m: np.where(hits[m], y, wrong[m]) for m in names}, labels=range(3))


@pytest.mark.parametrize("metric", ["f1_macro", "f1_weighted", "precision_macro"])
def test_values_are_corrected_by_the_bias_of_the_jackknife(metric):
    preds = confused(np.random.default_rng(2), 400, "ab")
    sample = mc.bootstrap(preds, metric, n_resamples=2)
    # Without either of two equal rows the values are the same.
    rows, cells = np.arange(400), [preds.y_true, *map(preds.predicted, "ab")]
    _, first, place = np.unique(cells, axis=1, return_index=True, return_inverse=True)
    left = [mc.bootstrap(preds.subset(rows != i), metric, n_resamples=2).point for i in first]
    bias = 399 * (np.mean(np.array(left)[place.ravel()], axis=0) - sample.point)
    np.testing.assert_allclose(corrected_values(sample) - sample.point, -bias, rtol=0.35, atol=3e-4)


def test_means_of_many_small_sets_are_covered_though_macro_f1_is_biased():
    rng, names = np.random.default_rng(8), [f"m{k}" for k in range(100)]
    sets = {str(k): confused(rng, 20, names) for k in range(40)}
    shares, right = np.array([0.6, 0.25, 0.15]), np.array([0.8, 0.7, 0.6])
    predicted = shares * right + ((shares * (1 - right)).sum() - shares * (1 - right)) / 2
    truth = np.mean(2 * shares * right / (shares + predicted))
    parts = [mc.bootstrap(each, "f1_macro", n_resamples=2) for each in sets.values()]
    weights = np.full(40, 1 / 40)
    scope, rows = (
        Scope.together([part.scope for part in parts]),
        [Contrasts(part, None) for part in parts],
    )
    mean = MeanOfSets(parts[0], None, rows, weights, scope)
    found = mean.joined_interval("auto", 0.95)
    covered = np.mean((found.low <= truth) & (truth <= found.high))
    below = np.mean(found.low <= mean.estimate)
    assert mean.estimate.mean() < truth - 0.015
    assert covered >= 0.9
    assert below == 1


@pytest.mark.parametrize("sign", [1, -1])
def test_a_p_value_says_what_the_interval_says(sign):
    result = pooled(alpha=0.05)
    frame = result.pooled_differences.iloc[0]
    names = list("ab")[::sign]
    turned = pooled(sets={k: p[names] for k, p in SETS.items()}).pooled_differences.iloc[0]
    assert turned["p_value"] == pytest.approx(frame["p_value"])
    reach = frame["difference"] - frame["ci_low"]
    expected = 2 * stats.norm.sf(stats.norm.ppf(0.975) * frame["difference"] / reach)
    assert frame["p_value"] == pytest.approx(expected)
    assert (frame["p_value"] < 0.05) == (frame["ci_low"] > 0)
    # At another level the interval is wider, and the p-value is that of this interval.
    wide = pooled(confidence_level=0.99).pooled_differences.iloc[0]
    assert wide["ci_low"] < frame["ci_low"]
    assert (wide["p_value"] < 0.01) == (wide["ci_low"] > 0)
    assert wide["p_value"] == pytest.approx(frame["p_value"], rel=0.2)


def test_every_method_pools_by_itself():
    found = {}
    methods = ["auto", "wilson", "clopper-pearson", "logit", "normal", "percentile", "BCa",
               "basic", "studentized"]  # fmt: skip
    for method in methods:
        result = pooled(method)
        found[method] = tuple(bounds(result.pooled_scores)[1].round(12))
        assert "ci_pooled:mover" in result.signature
        point = result.pooled_scores["estimate"][1]
        assert found[method][0] < point < found[method][1]
    # Wilson's interval is the default one of an accuracy, modified near 0 and 1 only.
    assert len(set(found.values())) == len(methods) - 1
    assert found["auto"] == found["wilson"]


def test_normal_intervals_by_their_variances():
    result = pooled("normal")
    variances = np.array([right.var(ddof=1) / len(right) for right in RIGHT["b"]])
    reach = stats.norm.ppf(0.975) * np.sqrt(variances.sum()) / 3
    mean = np.mean([right.mean() for right in RIGHT["b"]])
    np.testing.assert_allclose(bounds(result.pooled_scores)[1], [mean - reach, mean + reach])
    apart = [a - b for a, b in zip(RIGHT["a"], RIGHT["b"], strict=True)]
    error = np.sqrt(sum(d.var(ddof=1) / len(d) for d in apart)) / 3
    found = result.pooled_differences.iloc[0]
    assert found["p_value"] == pytest.approx(2 * stats.norm.sf(found["difference"] / error))


def test_resampled_intervals_of_the_sets_are_joined():
    result = pooled("percentile")
    parts = [each.bootstrap for each in result.results.values()]
    rows = [*enumerate(bounds(result.pooled_scores)), (None, bounds(result.pooled_differences)[0])]
    for model, found in rows:
        draws = [p.draws[:, :, 0] @ ([1, -1] if model is None else np.eye(2)[model]) for p in parts]
        values = [p.point[:, 0] @ ([1, -1] if model is None else np.eye(2)[model]) for p in parts]
        ends = np.array([np.quantile(each, [0.025, 0.975]) for each in draws])
        half = np.linalg.norm((ends[:, 1] - ends[:, 0]) / 2) / 3
        down = max(np.linalg.norm(values - ends[:, 0]) / 3, half)
        up = max(np.linalg.norm(ends[:, 1] - values) / 3, half)
        np.testing.assert_allclose(found, [np.mean(values) - down, np.mean(values) + up])
    frame = result.pooled_differences.iloc[0]
    reach = frame["difference"] - frame["ci_low"]
    expected = 2 * stats.norm.sf(stats.norm.ppf(0.975) * frame["difference"] / reach)
    assert frame["p_value"] == pytest.approx(expected)


def test_models_that_always_differ_by_the_same_have_no_error():
    sets = {
        name: mc.Predictions.from_scores({"a": x + 0.5, "b": x}, greater_is_better=True)
        for name, x in (("s", np.arange(20.0)), ("t", np.arange(30.0)))
    }
    with pytest.warns(UserWarning, match="has width 0: the resamples do not determine"):
        found = mc.compare_groups(sets, method="normal", n_resamples=99)
    frame = found.pooled_differences.iloc[0]
    assert frame[["difference", "ci_low", "ci_high", "p_value"]].tolist() == [0.5, 0.5, 0.5, 0.0]


def test_pooled_intervals_stay_within_the_metric():
    y = np.arange(40) % 2
    wrong = np.where(np.arange(40) < 2, 1 - y, y)
    sets = {name: mc.Predictions(y, {"a": y, "b": wrong, "c": 1 - y}) for name in ("s", "t")}
    result = pooled(sets=sets)
    scores, differences = bounds(result.pooled_scores), bounds(result.pooled_differences)
    assert (scores.min(), scores.max()) == (0, 1)
    assert -1 <= differences.min() <= differences.max() <= 1
    assert (scores[:, 0] < scores[:, 1]).all()
    assert (differences[:, 0] < differences[:, 1]).all()
