import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import modelcompare as mc
from modelcompare import UndefinedMetricWarning
from modelcompare.report.numbers import format_number
from tests.report.written import as_csv, as_json


@pytest.fixture(scope="module")
def preds():
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 3, 300)
    outputs = {}
    for model, skill in (("good", 2.0), ("twin", 2.0), ("poor", 0.3)):
        logits = rng.normal(size=(300, 3)) + skill * np.eye(3)[y_true]
        outputs[model] = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return mc.Predictions(y_true, outputs, name="made up")


@pytest.fixture(scope="module")
def result(preds):
    return mc.compare(preds, ["accuracy", "f1", "cf1_macro", "log_loss"], n_resamples=999)


def test_scores_are_long_and_complete(preds, result):
    scores = result.scores
    assert scores.columns.tolist() == [
        "model", "metric", "label", "estimate", "standard_error", "ci_low", "ci_high",
        "n_undefined", "rank", "rank_low", "rank_high", "method",
    ]  # fmt: skip
    assert len(scores) == 3 * (1 + 3 + 1 + 1)
    f1 = scores[(scores.metric == "f1") & (scores.model == "good")]
    expected = mc.metrics.f1(preds.y_true, preds.predicted("good"))
    np.testing.assert_allclose(f1["estimate"], expected)
    assert f1["label"].tolist() == [0, 1, 2]
    assert scores[scores.metric == "accuracy"]["label"].isna().all()
    assert (scores.ci_low < scores.estimate).all()
    assert (scores.estimate < scores.ci_high).all()


def test_differences_are_a_minus_b(result):
    frame = result.differences
    assert frame.columns.tolist() == [
        "model_a", "model_b", "metric", "label", "difference", "standard_error", "ci_low",
        "ci_high", "p_value", "p_adjusted", "better", "method", "test",
    ]  # fmt: skip
    score = result.scores.set_index(["model", "metric", "label"])["estimate"]
    for row in frame.itertuples():
        a, b = score[row.model_a, row.metric, row.label], score[row.model_b, row.metric, row.label]
        np.testing.assert_allclose(row.difference, a - b, atol=1e-12)
    assert (frame.p_adjusted >= frame.p_value).all()


def test_the_better_model_follows_the_direction_of_the_metric(result):
    shown = result.differences.dropna(subset="better")
    assert set(shown.better) <= {"good", "twin"}
    assert "log_loss" in set(shown.metric)
    ranks = result.scores[result.scores.metric == "log_loss"].set_index("model")["rank"]
    assert ranks["poor"] == 3


def test_ranks_leave_open_what_the_tests_leave_open(result):
    accuracy = result.scores[result.scores.metric == "accuracy"].set_index("model")
    assert accuracy.loc[["good", "twin"], ["rank_low", "rank_high"]].to_numpy().tolist() == [
        [1, 2],
        [1, 2],
    ]
    assert accuracy.loc["poor", ["rank_low", "rank_high"]].tolist() == [3, 3]


def test_holm_is_over_all_pairs_and_classes_of_a_metric(result):
    from statsmodels.stats.multitest import multipletests

    for _, family in result.differences.groupby("metric"):
        np.testing.assert_allclose(
            family.p_adjusted, multipletests(family.p_value, method="holm")[1]
        )


def test_the_verdict_is_honest(result):
    answer, accuracy, *_, last = result.verdict().splitlines()
    assert re.match(r"(good|twin) has the highest accuracy \(0\.\d+\)", answer)
    assert re.match(
        r"accuracy: (good|twin) leads \(0\.\d+\) but is not significantly different from (good|twin) \([+-]0\.\d+, "
        r"95 % CI -0\.\d+ to 0\.\d+, p = \d\.\d+; this test set detects 0\.\d+\); it is better than poor\.", accuracy,
    )  # fmt: skip
    assert last.startswith("log_loss: ")


@pytest.mark.parametrize("models", [["good", "twin"], ["good", "twin", "poor"]])
def test_what_the_test_set_detects_is_what_sample_size_computes_at_the_corrected_level(
    preds, models
):
    result = mc.compare(preds[models], ["accuracy", "f1_macro"], n_resamples=99)
    level = 0.05 / len(result.differences.groupby("metric").get_group("accuracy"))
    for row in result.decision.itertuples():
        plan = mc.sample_size(preds, row.model, row.other, row.metric, alpha=level)
        least = plan.components.detectable(plan.size, level, 0.8)
        assert row.detectable == pytest.approx(least, rel=1e-9)
        if row.answer == "not enough data":
            shown = format_number(least, result.evidence.decimals[row.metric])
            assert f"this test set detects {shown})" in result.verdict()


def test_the_answer_about_all_metrics_is_in_the_record_and_in_the_first_sentence():
    answered = mc.compare(mc.load_example("snli"), ["accuracy", "log_loss"], n_resamples=199)
    assert set(answered.decision["overall"]) == {"shown"}
    assert answered.verdict().splitlines()[0] == (
        "bow_pair has the highest accuracy (0.6846) and the lowest log_loss (0.7410) and is better "
        "than all others."
    )


def test_leaders_by_decisions_and_by_probabilities_are_both_named_with_what_decides():
    parted = mc.compare(mc.load_example("snli"), ["accuracy", "cf1_macro"], n_resamples=199)
    first, why, *_ = parted.verdict().splitlines()
    assert first.startswith("bow_pair has the highest accuracy (0.6846) and is better than all")
    assert "; naive_bayes has the highest cf1_macro (0.6436)" in first
    assert why.startswith("cf1_macro also rates how confident the probabilities are, accuracy")
    assert "calibrate" in why


def test_a_candidate_may_replace_a_baseline_if_it_is_better_in_all_and_not_if_worse_in_any():
    snli = mc.load_example("snli")[["naive_bayes", "bow_pair", "mlp"]]
    better, worse, *_ = mc.compare(
        snli, ["accuracy", "log_loss"], baseline="naive_bayes", n_resamples=199
    ).verdict().splitlines()  # fmt: skip
    assert better == "bow_pair may replace naive_bayes: yes, better in accuracy and log_loss."
    assert worse == "mlp may replace naive_bayes: no, worse in accuracy, better in log_loss."
    found = mc.compare(
        snli, ["accuracy", "log_loss", "f1"], baseline="naive_bayes", n_resamples=199
    ).decision  # fmt: skip
    assert dict(zip(found["model"], found["overall"], strict=True)) == {
        "bow_pair": "shown", "mlp": "shown otherwise",
    }  # fmt: skip


def test_leaders_of_one_value_are_better_than_a_model_if_all_of_them_are():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    models = {name: y.copy() for name in "abc"}
    models["a"][:10] = 1 - y[:10]
    models["b"][50:] = 1 - y[50:]
    models["c"][:22] = 1 - y[:22]
    found = mc.compare(mc.Predictions(y, models), ["accuracy", "zero_one_loss"], n_resamples=999)
    ahead = found.evidence.ahead[0]
    assert ahead[0, 2] != ahead[1, 2]
    first = found.verdict().splitlines()[0]
    assert first.startswith(
        "a and b have the highest accuracy (0.833) and the lowest zero_one_loss"
    )
    assert "are not shown to differ from c" in first


def test_what_is_not_shown_has_the_difference_that_is_detected_and_the_commands(preds):
    found = mc.compare(preds[["good", "twin"]], "accuracy", baseline="good", n_resamples=99)
    answer, how, _ = found.verdict().splitlines()
    assert re.fullmatch(
        r"twin may replace good: not shown; accuracy: observed -?\+?0\.\d+, this test set detects "
        r"0\.\d+\.", answer,
    )  # fmt: skip
    assert "modelcompare sample-size FILE --model good --model twin -m accuracy --alpha 0.05" in how
    assert "modelcompare gate FILE --baseline good --candidate twin -m accuracy --margin M" in how
    assert set(found.decision["answer"]) == {"not enough data"}


def test_metrics_per_class_alone_are_counted():
    text = mc.compare(mc.load_example("snli"), "f1", n_resamples=199).verdict().splitlines()[0]
    assert text == (
        "f1: bow_pair leads in 3 of 3 classes; better than every other model in 2 of these."
    )


def test_equal_models_are_level(preds):
    both = mc.Predictions(
        preds.y_true, {"a": preds.probabilities("good"), "b": preds.probabilities("good")}
    )
    result = mc.compare(both, "f1_macro", n_resamples=99)
    row = result.differences.iloc[0]
    assert (row.difference, row.p_value) == (0, 1)
    assert -0.02 < row.ci_low < 0 < row.ci_high < 0.02
    assert "a and b have the same value" in result.verdict()


def test_only_models_of_the_same_value_are_level():
    y_true = [0, 1] * 20
    preds = mc.Predictions(y_true, {"a": y_true, "b": [1, *y_true[1:]], "c": y_true})
    verdict = mc.compare(preds, "accuracy", n_resamples=99).verdict()
    assert verdict.startswith("accuracy: a and c have the same value, 1.00")
    assert verdict.endswith(") and not significantly different from b.")


@pytest.mark.parametrize(("n_wrong", "relation"), [(20, "they are"), (13, "some of them are")])
def test_what_models_of_one_value_are_better_than_names_none_of_them(n_wrong, relation):
    # b errs where c does, so that it differs from c on fewer samples than a.
    y_true, at = np.array([0, 1] * 30), np.arange(60)
    wrong = {"a": at < 5, "b": at >= 55, "c": at >= 60 - n_wrong}
    outputs = {name: np.where(rows, 1 - y_true, y_true) for name, rows in wrong.items()}
    for names in ("abc", "bac"):
        preds = mc.Predictions(y_true, {name: outputs[name] for name in names})
        result = mc.compare(preds, "accuracy", correction="none", n_resamples=99)
        verdict = result.verdict()
        assert verdict.startswith(f"accuracy: {names[0]} and {names[1]} have the same value, 0.917")
        assert f"; {relation} better than c" in verdict
        assert ("a" in {*result.differences["better"]}) == (relation == "they are")


def test_one_model_has_scores_and_no_differences(preds):
    result = mc.compare(preds["good"], n_resamples=99)
    assert result.differences.empty
    assert result.verdict().startswith("accuracy: good scores 0.")
    assert result.plot() is not None


@pytest.mark.parametrize("test", ["sign-flip", "permutation", "bootstrap", "wald"])
@pytest.mark.parametrize("correction", ["holm", "max-t", "fdr_bh", "none"])
def test_every_test_and_correction_tells_the_poor_model(preds, test, correction):
    result = mc.compare(preds, "f1_macro", test=test, correction=correction, n_resamples=499)
    frame = result.differences.set_index(["model_a", "model_b"])
    assert frame.loc[("good", "poor"), "better"] == "good"
    assert pd.isna(frame.loc[("good", "twin"), "better"])
    assert f"test:{test}|adjust:{correction}" in result.signature


@pytest.mark.parametrize("method", ["percentile", "basic", "BCa", "normal"])
def test_intervals_of_all_methods_are_alike(preds, method):
    scores = mc.compare(preds, "accuracy", method=method, n_resamples=1999).scores
    half = stats.norm.isf(0.025) * scores.standard_error
    np.testing.assert_allclose(scores.ci_low, scores.estimate - half, atol=0.01)
    np.testing.assert_allclose(scores.ci_high, scores.estimate + half, atol=0.01)


def test_the_same_seed_gives_the_same_numbers(preds):
    def found(rng, n_jobs):
        with mc.config_context(n_jobs=n_jobs):
            return mc.compare(preds, "cf1", method="BCa", n_resamples=300, rng=rng)

    first, again, other = (found(*each) for each in ((4, 1), (4, 3), (5, 1)))
    pd.testing.assert_frame_equal(first.scores, again.scores, rtol=1e-12)
    pd.testing.assert_frame_equal(first.differences, again.differences, rtol=1e-9)
    assert not other.scores.ci_low.equals(first.scores.ci_low)


def test_the_order_of_models_does_not_matter(preds, result):
    turned = mc.compare(preds[["poor", "twin", "good"]], ["accuracy", "f1"], n_resamples=999)
    ours = result.scores.set_index(["model", "metric", "label"])
    theirs = turned.scores.set_index(["model", "metric", "label"]).reindex(ours.index).dropna()
    np.testing.assert_allclose(theirs.estimate, ours.loc[theirs.index].estimate)


def test_undefined_resamples_are_counted_and_reported():
    preds = mc.Predictions([0] * 30 + [1] * 2, {"a": [0] * 30 + [1, 1], "b": [0] * 31 + [1]})
    undefined = r"recall of class 1 is undefined on 1\d\.\d% of .*; intervals that resample use the"
    with (
        pytest.warns(UndefinedMetricWarning, match=undefined),
        pytest.warns(match=r"the percentile interval of recall of 0 of 'a' .*has width 0"),
    ):
        result = mc.compare(preds, "recall", n_resamples=999, method="percentile")
    rare = result.scores[result.scores.label == 1]
    expected = 999 * (30 / 32) ** 32
    np.testing.assert_allclose(rare.n_undefined, expected, atol=45)
    assert rare[["ci_low", "ci_high"]].notna().all(axis=None)


def test_few_undefined_resamples_are_no_zero_percent():
    preds = mc.Predictions([0] * 60 + [1] * 8, {"a": [0] * 60 + [1] * 8, "b": [0] * 61 + [1] * 7})
    # Of 9,999 resamples about 9,999 * (60 / 68)**68 = 2 have no sample of class 1.
    with (
        pytest.warns(UndefinedMetricWarning, match=r"undefined on less than 0\.1% of the"),
        pytest.warns(match="has width 0"),
    ):
        result = mc.compare(preds, "recall", n_resamples=9_999, method="percentile")
    assert 0 < result.scores.n_undefined.max() < 10


def test_a_metric_undefined_on_the_test_set_has_no_interval():
    preds = mc.Predictions([0, 1] * 10, {"a": [0] * 20, "b": [0, 1] * 10})
    with pytest.warns(UndefinedMetricWarning, match="precision of class 1 is undefined on 100"):
        result = mc.compare(preds, "precision", n_resamples=99)
    row = result.scores[(result.scores.model == "a") & (result.scores.label == 1)].iloc[0]
    assert np.isnan([row.estimate, row.ci_low, row.ci_high]).all()
    pair = result.differences[result.differences.label == 1].iloc[0]
    assert np.isnan(pair.p_value)
    assert pd.isna(pair.better)


def test_forms_of_the_answer(result):
    document = json.loads(as_json(result))
    assert document["signature"] == result.signature
    assert len(document["differences"]) == len(result.differences)
    assert result.signature in result.to_markdown()
    assert as_csv(result).startswith("table,metric,label,model")


def test_a_callable_can_be_compared(preds):
    def errors(y_true, y_output):
        return float((y_true != y_output.argmax(axis=1)).mean())

    result = mc.compare(preds, [errors, "accuracy"], n_resamples=199)
    scores = result.scores.pivot(index="model", columns="metric", values="estimate")
    np.testing.assert_allclose(scores["errors"], 1 - scores["accuracy"])


def test_a_callable_need_not_be_hashable(preds):
    class Errors:
        __name__ = "errors"
        __hash__ = None

        def __call__(self, y_true, y_output):
            return float((y_true != y_output.argmax(axis=1)).mean())

    result = mc.compare(preds, Errors(), n_resamples=199)
    expected = mc.compare(preds, Errors().__call__, n_resamples=199).differences.p_value
    assert result.differences.p_value.tolist() == expected.tolist()


def test_per_example_scores():
    rng = np.random.default_rng(0)
    preds = mc.Predictions.from_scores(
        {"a": rng.random(50), "b": rng.random(50) + 1}, greater_is_better=False
    )
    result = mc.compare(preds, n_resamples=199)
    assert result.scores.set_index("model")["rank"].to_dict() == {"a": 1, "b": 2}
    assert result.differences.better.tolist() == ["a"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_resamples": 1}, "`n_resamples` must be at least 2, got 1."),
        ({"alpha": 0}, "`alpha` must be in (0, 1), got 0."),
        ({"test": "t"}, "`test` must be one of studentized-permutation, sign-flip, permutation, bootstrap, wald, run-permutation, got 't'."),
        ({"correction": "bh"}, "`correction` must be one of holm, hochberg, hommel, bonferroni, sidak, fdr_bh, "
         "fdr_by, max-t, min-p, none, got 'bh'."),
        ({"scheme": "jackknife"}, "`scheme` must be one of multinomial, poisson, bayesian, got "
         "'jackknife'."),
        ({"metrics": []}, "`metrics` is empty; name at least one, e.g. metrics=['accuracy']."),
        ({"metrics": ["f1", "f1"]}, "`metrics` names f1 more than once; drop the repeats."),
        ({"metrics": ["mean_score"]}, "metric 'mean_score' needs scores, but model 'good' gave "
         "probabilities."),
    ],
)  # fmt: skip
def test_options_out_of_range(preds, options, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        mc.compare(preds, **options)
    with pytest.raises(TypeError, match="`metrics` holds 3; give a metric's name"):
        mc.compare(preds, [3])


def test_a_metric_of_probabilities_needs_them():
    preds = mc.Predictions([0, 1], {"a": [0, 1]})
    with pytest.raises(
        ValueError, match="metric 'cf1' needs probabilities, but model 'a' gave labels"
    ):
        mc.compare(preds, "cf1")


@pytest.mark.parametrize("scheme", ["poisson", "bayesian"])
def test_other_schemes_agree_with_the_multinomial(preds, scheme):
    ours = mc.bootstrap(preds, "cf1_macro", scheme=scheme, n_resamples=2000).draws.std(axis=0)
    plain = mc.bootstrap(preds, "cf1_macro", n_resamples=2000).draws.std(axis=0)
    np.testing.assert_allclose(ours, plain, rtol=0.1)


def test_m_out_of_n_spreads_wider(preds):
    part = mc.bootstrap(preds, "accuracy", size=75, n_resamples=2000).draws.std(axis=0)
    whole = mc.bootstrap(preds, "accuracy", n_resamples=2000).draws.std(axis=0)
    np.testing.assert_allclose(part / whole, 2, rtol=0.1)


def test_a_second_interval_needs_no_new_draws(preds):
    result = mc.bootstrap(preds, ["accuracy", "cf1"], n_resamples=200)
    assert result.replicates.shape == (200, 3 * 4)
    narrow = result.confidence_interval(method="percentile", confidence_level=0.5)
    wide = result.confidence_interval(method="percentile", confidence_level=0.99)
    assert (narrow.ci_low > wide.ci_low).all()
    assert result.to_frame().columns.tolist() == wide.columns.tolist()
    np.testing.assert_allclose(result.estimate.to_numpy(), wide.estimate)


def test_too_few_resamples_for_the_number_of_tests_are_reported():
    rng = np.random.default_rng(0)
    models = {f"m{i}": rng.random(300) + i for i in range(6)}
    preds = mc.Predictions.from_scores(models)
    with pytest.warns(UserWarning, match=r"mean_score: 99 resamples are too few for 15 tests.*600"):
        few = mc.compare(preds, n_resamples=99, test="permutation")
    np.testing.assert_allclose(few.differences.p_adjusted, 0.15)
    enough = mc.compare(preds, n_resamples=599, test="permutation")
    assert (enough.differences.p_adjusted < 0.05).all()
    assert (
        mc.compare(preds, n_resamples=99, correction="max-t").differences.p_adjusted < 0.05
    ).all()
    assert (mc.compare(preds, n_resamples=99, test="wald").differences.p_adjusted < 0.05).all()


def test_swaps_step_down_where_no_p_value_could_be_small_enough_and_say_so():
    rng = np.random.default_rng(0)
    # Swaps of medians have no law, so that they are drawn.
    preds = mc.Predictions.from_scores({f"m{i}": rng.random(600) + i for i in range(1, 7)})
    few = mc.compare(preds, "p50", n_resamples=99)
    assert (few.differences.p_adjusted == 0.01).all()
    assert "|adjust:holm/step-down|tests:15|" in few.signature
    asked = mc.compare(preds, "p50", n_resamples=99, correction="min-p")
    assert asked.differences.p_adjusted.equals(few.differences.p_adjusted)
    assert "|adjust:min-p|" in asked.signature
    with pytest.raises(ValueError, match=r"needs test='studentized-permutation'"):
        mc.compare(preds, "mean_score", n_resamples=99, correction="min-p", test="sign-flip")


def test_a_family_of_all_metrics_is_corrected_together(preds):
    apart = mc.compare(preds, ["accuracy", "f1"], n_resamples=199)
    together = mc.compare(preds, ["accuracy", "f1"], n_resamples=199, family="all")
    p = together.differences.p_value.to_numpy()
    np.testing.assert_allclose(
        together.differences.p_adjusted, multipletests(p, method="holm")[1], rtol=1e-12
    )
    assert (together.differences.p_adjusted >= apart.differences.p_adjusted - 1e-12).all()
    assert "|tests:3+9|" in apart.signature
    assert "|family:all|tests:12|" in together.signature
    # Nothing is corrected of pairs by themselves, nor of one model.
    alone = mc.compare(preds, "accuracy", n_resamples=9, correction="none")
    one = mc.compare(preds[[preds.models[0]]], "accuracy", n_resamples=9)
    assert "tests:" not in alone.signature + one.signature


def test_a_baseline_is_compared_with_and_nothing_else(preds):
    every = mc.compare(preds, "accuracy", n_resamples=199, correction="none")
    found = mc.compare(preds, "accuracy", n_resamples=199, baseline="good", correction="none")
    rows = found.differences
    assert rows.model_b.unique().tolist() == ["good"]
    assert rows.model_a.tolist() == [m for m in preds.models if m != "good"]
    pairs = every.differences.set_index(["model_a", "model_b"]).difference
    for row in rows.itertuples():
        known = (row.model_a, row.model_b)
        expected = pairs[known] if known in pairs.index else -pairs[known[::-1]]
        assert row.difference == pytest.approx(expected)
    assert "the baseline good" in found.verdict()
    assert "|baseline:good|" in found.signature
    with pytest.raises(KeyError, match="bad"):
        mc.compare(preds, "accuracy", baseline="bad")


def test_where_too_few_samples_part_the_models_nothing_can_be_shown_and_that_is_reported():
    y = [0, 1] * 10
    preds = mc.Predictions(y, {"a": y, "b": [1, 0, 1, 0, *y[4:]]})
    with pytest.warns(UserWarning, match=r"accuracy: no p-value can be below 0.062 here"):
        mc.compare(preds, "accuracy", n_resamples=99)


def test_intervals_that_say_nothing_are_named_metric_by_metric():
    y = [0, 1] * 10
    preds = mc.Predictions(y, {"a": y, "b": [1, 0, *y[2:]]})
    with (
        pytest.warns(match="the percentile interval of accuracy of 'a' has width 0: the resamples"),
        pytest.warns(
            match=r"interval of f1 of 0 of 'a' \(and of 1 more\) has .* Use method='auto'"
        ),
    ):
        mc.compare(preds, ["accuracy", "f1"], n_resamples=99, method="percentile")
    equal = mc.Predictions.from_scores({"a": [0.1] * 20, "b": [0.3] * 20})
    with pytest.warns(mc.SparseDataWarning, match="'a' .* has no end: the samples do .* Take more"):
        found = mc.compare(equal, n_resamples=99)
    assert np.isinf(found.scores[["ci_low", "ci_high"]]).all(axis=None)


def test_a_verdict_where_one_model_alone_has_a_value():
    rng = np.random.default_rng(0)
    y = rng.normal(size=30)
    preds = mc.Predictions(y, {"moves": y + 1, "constant": np.zeros(30)}, kind="values")
    with pytest.warns(mc.UndefinedMetricWarning, match="'constant'"):
        sentence = mc.compare(preds, "pearson", n_resamples=99).verdict()
    assert sentence == "pearson: moves scores 1.0000; it is undefined for constant."


@pytest.mark.parametrize("baseline", [None, "far"])
def test_a_verdict_names_models_without_a_value_beside_others(baseline):
    rng = np.random.default_rng(0)
    y = rng.normal(size=30)
    models = {"near": y + 0.01 * y**2, "far": rng.normal(size=30), "constant": np.zeros(30)}
    preds = mc.Predictions(y, models, kind="values")
    with pytest.warns(mc.UndefinedMetricWarning, match="'constant'"):
        sentence = mc.compare(preds, "pearson", n_resamples=99, baseline=baseline).verdict()
    assert "near" in sentence.split("; ")[0]
    assert sentence.endswith("; it is undefined for constant.")


def test_the_probability_of_the_second_class_serves_soft_labels():
    truth = np.random.default_rng(0).dirichlet([1, 1], 20)
    preds = mc.Predictions(truth, {"a": np.linspace(0.1, 0.9, 20)})
    assert preds.probabilities("a").shape == (20, 2)


def test_an_infinite_log_loss_is_noted_with_the_models_and_what_to_use_instead(preds):
    sure = preds.probabilities("twin").copy()
    wrong = np.flatnonzero(preds.predicted("twin") != preds.y_true)[:2]
    sure[wrong] = np.eye(3)[preds.predicted("twin")[wrong]]
    both = mc.Predictions(preds.y_true, {"good": preds.probabilities("good"), "sure": sure})
    assert "infinite" not in mc.compare(preds, n_resamples=99).verdict()
    found = mc.compare(both, n_resamples=99)
    assert (
        "has the probability 0 (sure in 2 samples); such a sample counts 36 here" in found.verdict()
    )
    assert "or compare by brier_score" in found.verdict()
    assert "infinite" not in mc.compare(both, "accuracy", n_resamples=99).verdict()
