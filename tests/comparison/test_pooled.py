"""Means over test sets: intervals of every method, by loops, where a percentile has none."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import modelcompare as mc
from modelcompare.intervals import bca_interval

RNG = np.random.default_rng(11)
SETS = {
    name: mc.Predictions(
        y := RNG.integers(0, 2, n),
        {model: np.where(RNG.random(n) < p, y, 1 - y) for model, p in (("a", 0.9), ("b", 0.75))},
    )
    for name, n in (("s", 60), ("t", 90), ("u", 200))
}  # fmt: skip
RIGHT = {m: [(p.codes == p.predicted(m)) * 1.0 for p in SETS.values()] for m in ("a", "b")}
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
    # At another level of the interval the p-value is the same.
    wide = pooled(confidence_level=0.99).pooled_differences.iloc[0]
    assert wide["p_value"] == frame["p_value"]
    assert wide["ci_low"] < frame["ci_low"]


def test_every_method_pools_by_itself():
    found = {}
    methods = ["auto", "wilson", "clopper-pearson", "logit", "normal", "percentile", "BCa",
               "basic", "studentized"]  # fmt: skip
    for method in methods:
        result = pooled(method)
        found[method] = tuple(bounds(result.pooled_scores)[1].round(12))
        name = method if method in ("percentile", "BCa", "basic", "studentized") else "mover"
        assert f"ci_pooled:{name}" in result.signature
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


def test_replicates_are_those_of_the_mean():
    parts = [result.bootstrap for result in pooled("percentile").results.values()]
    draws = np.mean([part.draws[:, :, 0] for part in parts], axis=0)
    expected = np.quantile(draws, [0.025, 0.975], axis=0).T
    np.testing.assert_allclose(bounds(pooled("percentile").pooled_scores), expected)
    # What a sample adds to the mean over sets.
    influence = np.concatenate([(right - right.mean()) / (3 * len(right)) for right in RIGHT["b"]])
    skewness = (influence**3).sum() / (influence**2).sum() ** 1.5 / 6
    point = np.mean([right.mean() for right in RIGHT["b"]])
    interval = bca_interval(draws[:, 1], point, np.array(skewness))
    found = bounds(pooled("BCa").pooled_scores)[1]
    np.testing.assert_allclose(found, [interval.low, interval.high], atol=2e-3)
    frame = pooled("percentile").pooled_differences.iloc[0]
    spread = draws[:, 0] - draws[:, 1] - frame["difference"]
    extreme = (np.abs(spread) >= abs(frame["difference"]) * (1 - 1e-10)).sum()
    assert frame["p_value"] == (1 + extreme) / 200


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
