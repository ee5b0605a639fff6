"""P-values are those of the named test, intervals those of the named method; where they part,
sentences say so."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import modelcompare as mc
from modelcompare.comparison.correction import corrected_errors
from tests.plugged import needs

pytestmark = pytest.mark.filterwarnings("ignore")

CORRECTIONS = ["none", "bonferroni", "sidak", "holm", "hochberg", "hommel", "fdr_bh", "fdr_by"]
TESTS = ["studentized-permutation", "permutation", "sign-flip", "bootstrap", "wald"]
BY_VALUE = ["accuracy", "f1_macro", "recall", "log_loss", "rms_calibration_error"]
BY_EXCHANGE = ["ece", "mce", "debiased_ece", "ece_classwise"]


def made(seed=0, n=90, n_models=4):
    """Models of which some differ a little, with probabilities of three classes, one of them rare."""
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=[0.7, 0.24, 0.06])
    y[:3] = 0, 1, 2
    outputs = {}
    for model in range(n_models):
        odds = rng.standard_normal((n, 3))
        odds[np.arange(n), y] += 1.0 + 0.3 * model
        outputs[f"m{model}"] = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    slices = {"part": np.arange(n) % 2}
    return mc.Predictions(y, outputs, labels=range(3), slices=slices)


def compared(seed=0, **options):
    asked = {"metrics": ["accuracy", "f1_macro", "recall"], "n_resamples": 199} | options
    return mc.compare(made(seed), **asked)


def calibrated(seed, n=400, gap=0.0):
    """One model is sure of some samples, the other of none; the confidence of this is off by a gap."""
    rng = np.random.default_rng(seed)
    outputs = {}
    for model, p in (("wide", 0.5 + 0.5 * rng.random(n)), ("narrow", 0.72 + 0.06 * rng.random(n))):
        right = rng.random(n) < p
        p = np.minimum(p + gap * (model == "narrow"), 1.0)
        outputs[model] = np.column_stack([np.where(right, p, 1 - p), np.where(right, 1 - p, p)])
    return mc.Predictions(np.zeros(n, int), outputs, labels=[0, 1])


@needs("calibration")
@pytest.mark.parametrize(
    ("seed", "correction"),
    [
        pytest.param(seed, each, marks=() if each in ("holm", "fdr_bh") else pytest.mark.slow)
        for seed, each in enumerate(CORRECTIONS)
    ],
)
def test_each_p_value_is_that_of_the_named_test(seed, correction):
    preds, asked = made(seed), [*BY_VALUE, *BY_EXCHANGE]
    found = mc.compare(preds, asked, n_resamples=99, rng=seed, correction=correction).differences
    for row in found.sample(8, random_state=seed).itertuples():
        value = row.metric, None if pd.isna(row.label) else row.label
        named = mc.paired_test(preds, row.model_a, row.model_b, value, n_resamples=99, rng=seed)
        # Sums over four models and over two may differ in their last digit.
        assert row.p_value == pytest.approx(named.p_value, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("test", TESTS)
def test_each_p_value_is_that_of_any_test_by_its_name(test):
    for seed in range(4):
        preds = made(seed)[["m0", "m1"]]
        found = mc.compare(preds, "f1_macro", n_resamples=99, rng=seed, test=test).differences
        named = mc.paired_test(
            preds, "m0", "m1", "f1_macro", n_resamples=99, rng=seed, method=test
        )  # fmt: skip
        assert found["p_value"].item() == named.p_value


@needs("calibration")
@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
@pytest.mark.parametrize("method", ["auto", "normal", "BCa", "percentile"])
@pytest.mark.parametrize("correction", ["holm", "bonferroni", "fdr_bh", "none"])
def test_each_end_is_that_of_the_named_method(method, correction, seed):
    asked = ["f1_macro", "ece"] if method == "auto" else ["f1_macro"]
    result = compared(seed, metrics=asked, method=method, correction=correction, rng=seed)
    drawn = mc.bootstrap(made(seed), asked, n_resamples=199, rng=seed)
    a, b = result.evidence.pairs
    alone = drawn.difference_interval(a, b, method, 0.95)
    np.testing.assert_array_equal(result.evidence.difference_interval.low, alone.low)
    np.testing.assert_array_equal(result.evidence.difference_interval.high, alone.high)
    found = result.evidence.corrected
    steps = [corrected_errors(result.evidence, stepped=each) for each in (False, True)]
    for place in range(len(asked)):
        levels = [drawn.difference_interval(a, b, method, 1 - errors[place]) for errors in steps]
        equal = [
            (found[:, :, place] == [ends.low[:, place], ends.high[:, place]]).all(axis=0)
            for ends in levels
        ]
        assert np.any(equal, axis=0).all()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([*CORRECTIONS, "max-t", "min-p"]),
       st.sampled_from(TESTS), st.sampled_from(["auto", "normal", "BCa"]))  # fmt: skip
def test_the_corrected_p_value_announces(seed, correction, test, method):
    test = TESTS[0] if correction == "min-p" else test
    result = compared(seed, correction=correction, test=test, method=method)

    assert result.differences["better"].notna().equals(result.differences["p_adjusted"] < 0.05)
    leads = result.leads(every=True)
    assert (leads["significant"] == (leads["p_adjusted"] < 0.05)).all()


def parted(result):
    """Leads whose p-value is below 0.05 beside an interval that contains 0, and the reverse."""
    leads = result.leads()
    excluded = (leads["ci_low"] > 0) | (leads["ci_high"] < 0)
    return leads[leads["significant"] & ~excluded], leads[~leads["significant"] & excluded]


def test_a_sentence_says_where_interval_and_p_value_part():
    seen = np.zeros(2, int)
    for seed in range(90, 110):
        result = mc.compare(made(seed, n=60)[["m0", "m3"]], "f1_macro", n_resamples=199)
        inside, outside = map(len, parted(result))
        text = result.verdict()
        assert ("; the 95 % interval, by another method, contains 0)" in text) == (inside == 1)
        clause = "; the interval, by another method, does not contain 0)"
        assert (clause in text) == (outside == 1)
        seen += inside, outside
    assert seen.min() >= 1


@pytest.mark.parametrize("baseline", [None, "m0"])
def test_a_sentence_names_the_models_whose_interval_contains_0(baseline):
    checked = 0
    # Of 40 seeds those with such an interval.
    for seed in (2, 10, 17, 20, 28, 33, 36, 38):
        result = compared(seed, metrics="f1_macro", baseline=baseline)
        inside, _ = parted(result)
        if len(inside):
            checked += 1
            text, names = result.verdict(), inside["model" if baseline else "other"].tolist()
            assert "by another method, contain" in text
            if len(names) == 1 and result.leads()["significant"].sum() > 1:
                assert f"interval of the difference from {names[0]}, by another method" in text
    assert checked >= 3


@needs("calibration")
def test_a_test_of_exchangeable_models_announces_nothing_about_values():
    """Two calibrated models have one error, 0, and are not exchangeable."""
    rejected, announced = 0, 0
    for seed in range(20):
        result = mc.compare(calibrated(seed), "ece", n_resamples=199)
        rejected += result.differences["p_value"].item() < 0.05
        announced += int(result.differences["better"].notna().sum())
        assert not result.standings["tier"].gt(1).any()
    assert rejected >= 3
    assert announced == 0


@needs("calibration")
def test_where_models_are_to_be_exchangeable_the_interval_announces():
    result = mc.compare(calibrated(0, gap=0.2), ["ece", "accuracy"], n_resamples=199)
    assert result.differences.set_index("metric").loc["ece", "better"] == "wide"
    by = "(the 95 % interval excludes 0; of exchangeability p = 0.005)"
    assert f"is better than narrow {by}" in result.verdict()
    same = mc.compare(calibrated(1), "ece", n_resamples=199).verdict()
    assert "of exchangeability p = " in same
    assert "by another method" not in same
    document = result.document()
    (note,) = document.tables["ece, differences"].notes
    assert note.startswith("p is of exchangeable models")
    assert "rms_calibration_error" in note
    assert (
        "of ece, whose test is of exchangeable models, the interval excludes 0" in document.method
    )


def test_functions_have_a_p_value_of_exchangeable_models():
    def chance(y, p):
        return float(p[np.arange(len(y)), y].mean())

    own = mc.metrics.from_callable(chance, needs="probabilities", greater_is_better=True)
    for seed in range(3):
        preds = made(seed)[["m0", "m3"]]
        result = mc.compare(preds, own, n_resamples=99)
        named = mc.paired_test(preds, "m0", "m3", own, n_resamples=99)
        assert named.of_exchangeability
        assert named.p_value == result.differences["p_value"].item()
        low, high = result.evidence.corrected[:, 0, 0]
        assert result.differences["better"].notna().item() == (low > 0 or high < 0)


def test_the_p_value_of_a_quantile_is_one_in_a_comparison_and_by_itself():
    rng = np.random.default_rng(0)
    scores = {name: rng.lognormal(0.3 * k, 1, 80) for k, name in enumerate("abc")}
    preds = mc.Predictions.from_scores(scores, greater_is_better=False)
    result = mc.compare(preds, ["p50", "p90", "mean_score"], n_resamples=199)
    assert not result.evidence.by_interval.any()
    drawn, touching = mc.bootstrap(preds, ["p50", "p90", "mean_score"], n_resamples=2), 0
    for row in result.differences.itertuples():
        named = mc.paired_test(preds, row.model_a, row.model_b, row.metric, n_resamples=199)
        assert named.p_value == pytest.approx(row.p_value, rel=1e-12)
        assert not named.of_exchangeability
        place = ["p50", "p90", "mean_score"].index(row.metric)
        a, b = (np.array(["abc".index(model)]) for model in (row.model_a, row.model_b))
        if place == 2 or row.p_value == 1:
            continue
        # The larger of two p-values: the interval at this error ends at 0, or does not reach it.
        ends = drawn.difference_interval(a, b, "auto", 1 - row.p_value)
        low, high = float(ends.low[0, place]), float(ends.high[0, place])
        assert low > -1e-6 or high < 1e-6
        touching += min(abs(low), abs(high)) < 1e-6
    assert touching


@needs("calibration")
def test_the_corrected_interval_decides_in_all_that_follows_from_it():
    outputs = {name: calibrated(0).probabilities(name) for name in ("wide", "narrow")}
    outputs["off"] = calibrated(5, gap=0.25).probabilities("narrow")
    preds = mc.Predictions(np.zeros(400, int), outputs, labels=[0, 1])
    result = mc.compare(preds, "ece", n_resamples=199)
    low, high = result.evidence.corrected[:, :, 0]
    shown = (low > 0) | (high < 0)
    assert result.differences["better"].notna().tolist() == shown.tolist()
    # By Bonferroni, as steps would be those of p-values.
    alone = mc.bootstrap(preds, "ece", n_resamples=199).difference_interval(
        *result.evidence.pairs, "auto", 1 - 0.05 / 3
    )
    np.testing.assert_allclose(low, alone.low[:, 0])
    ranks = result.scores.set_index("model")[["rank_low", "rank_high"]]
    assert ranks.loc["off"].tolist() == [3, 3]
    assert ranks.loc["wide"].tolist() == [1, 2]


def squared(confidence, right):
    """Squared gaps in 15 bins without bias, and their variance, from single samples."""
    n, total, gaps, chance = len(right), 0.0, 0.0, 0.0
    inside = np.minimum((confidence * 15).astype(int), 14)
    for which in np.unique(inside):
        e = (right - confidence)[inside == which]
        share, of_mean = len(e) / n, e.var(ddof=1) / len(e)
        total += share * (e.mean() ** 2 - of_mean)
        gaps += share**2 * e.mean() ** 2 * of_mean
        chance += (share * of_mean) ** 2
    return total, max(4 * gaps - 2 * chance, 4 * chance)


@needs("calibration")
def test_the_studentized_test_of_calibration_is_that_of_swaps_by_hand():
    preds = calibrated(3, gap=0.05)
    found = mc.paired_test(preds, "wide", "narrow", "rms_calibration_error", n_resamples=1999)
    assert (found.method, found.of_exchangeability) == ("studentized-permutation", False)
    outputs = [preds.probabilities(model) for model in ("wide", "narrow")]
    a, b = [(p.max(axis=1), (p.argmax(axis=1) == 0) * 1.0) for p in outputs]

    def statistic(swap):
        first, second = [
            squared(*(np.where(swap, other, own) for own, other in zip(x, y, strict=True)))
            for x, y in ((a, b), (b, a))
        ]
        return abs(first[0] - second[0]) / np.sqrt(first[1] + second[1])

    rng = np.random.default_rng(9)
    observed = statistic(np.zeros(400, bool))
    by_hand = [statistic(rng.random(400) < 0.5) >= observed for _ in range(1500)]
    assert 0.02 < found.p_value < 0.98
    assert found.p_value == pytest.approx(np.mean(by_hand), abs=0.05)


@pytest.mark.slow
def test_the_studentized_test_of_calibration_keeps_its_level_and_has_power():
    """Simulated sizes are 0.03 to 0.06 where the plug-in error's is 0.3."""
    rejected = [
        mc.paired_test(calibrated(k, 200, gap), "wide", "narrow", metric, n_resamples=99).p_value
        < 0.05
        for metric, gap in (
            ("rms_calibration_error", 0),
            ("ece", 0),
            ("rms_calibration_error", 0.12),
        )
        for k in range(100)
    ]
    own, plug_in, found = np.array(rejected).reshape(3, -1).sum(axis=1)
    assert stats.binomtest(int(own), 100, 0.05, alternative="greater").pvalue > 0.01
    assert plug_in > 15
    assert found > 35


@needs("calibration")
def test_calibration_of_clusters_is_tested_for_exchangeable_models():
    preds = calibrated(0)
    clustered = mc.Predictions(
        preds.y_true, {m: preds.probabilities(m) for m in preds.models}, labels=[0, 1],
        groups=np.arange(400) // 4,
    )  # fmt: skip
    found = mc.paired_test(clustered, "wide", "narrow", "rms_calibration_error", n_resamples=99)
    assert (found.method, found.of_exchangeability) == ("permutation", True)
    assert "p is of exchangeable models" in str(found)


def test_holms_intervals_are_at_the_level_of_its_last_step():
    """With r of m differences found, the last of them was compared with alpha / (m - r + 1)."""
    for seed in range(4):
        evidence = compared(seed, metrics="accuracy").evidence
        n_found = max(1, (evidence.p_adjusted < 0.05).sum())
        np.testing.assert_allclose(corrected_errors(evidence), 0.05 / (6 - n_found + 1))


@needs("calibration")
def test_subgroups_name_what_decides():
    off = calibrated(0, n=800, gap=0.25)
    preds = mc.Predictions(
        off.y_true, {m: off.probabilities(m) for m in off.models}, labels=[0, 1],
        slices={"half": np.arange(800) // 400},
    )  # fmt: skip
    text = mc.compare_groups(preds, "ece", n_resamples=199).verdict()
    assert "better than narrow in all (all 95 % intervals exclude 0; of exchangeability p" in text


def test_subgroups_say_where_an_interval_contains_0():
    checked = 0
    for seed in range(20, 30):
        found = mc.compare_groups(made(seed, n=160, n_models=2), "f1_macro", n_resamples=199)
        for (_, value), result in found.results.items():
            inside, _ = parted(result)
            if len(inside):
                checked += 1
                assert "by another method, contain" in found.verdict()
                assert found.verdict().count(f"part = {value}")
    assert checked


def test_p_value_and_interval_are_at_one_level():
    for seed in range(10):
        asked = {"metrics": "accuracy", "test": "wald", "method": "normal"}
        result = compared(seed, confidence_level=0.99, **asked)
        assert result.evidence.alpha == 0.01
        assert result.differences["better"].notna().equals(result.differences["p_adjusted"] < 0.01)
        same = compared(seed, alpha=0.01, **asked)
        pd.testing.assert_frame_equal(same.differences, result.differences)
        assert same.verdict() == result.verdict()
        assert "99 % CI" in str(result)
        assert "95 %" not in str(result)
