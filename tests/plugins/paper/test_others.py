import math
from itertools import combinations
from typing import get_args

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import stats
from sklearn import metrics
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import proportion_confint

import modelcompare as mc
from modelcompare.engine.evaluation import Evaluation
from modelcompare.plugins.paper.agreement_result import ON_REPLICATES
from modelcompare.plugins.paper.pairs import part_rows
from modelcompare.plugins.paper.replicate_t import replicate_t_p_values
from modelcompare.plugins.paper.sensitivity import _keep_zero_readable
from modelcompare.plugins.paper.words import AgreementTest
from modelcompare.resampling.seeds import seed_sequence
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.words import PairsTest
from tests.made_up import made_up
from tests.plugged import needs
from tests.plugins.paper.rows import FIGURES, variance
from tests.report import drawn


@pytest.mark.parametrize("test", ["t", "paired-t"])
def test_every_cell_of_a_small_agreement_table(preds, test):
    study = mc.studies.agreement_study(
        preds, ["f1", "recall"], test=test, n_resamples=200, alpha=0.05
    )
    evaluation = Evaluation(preds, study.metric_pairs.metrics, collapse=False)
    draws = evaluation.replicates(BootstrapWeights(evaluation.units, 200, seed_sequence(0)))
    values, keys = evaluation.estimate(), [(k.metric, k.label) for k in evaluation.keys]
    for row in study.table.itertuples():
        a, b = keys.index((row.metric_a, row.label)), keys.index((row.metric_b, row.label))
        significant = agree = 0
        for i, j in combinations(range(4), 2):
            p = [
                stats.ttest_ind(draws[:, i, v], draws[:, j, v], equal_var=False).pvalue
                if test == "t" else stats.ttest_rel(draws[:, i, v], draws[:, j, v]).pvalue
                for v in (a, b)
            ]  # fmt: skip
            if max(p) < 0.05:
                significant += 1
                agree += (values[i, a] > values[j, a]) == (values[i, b] > values[j, b])
        assert (row.n_pairs, row.n_significant, row.n_agree) == (6, significant, agree)
        assert row.pct_significant == pytest.approx(100 * significant / 6)
    assert study.pairs.groupby(["metric_a", "label"])["significant"].sum().sum() == (
        study.table.n_significant.sum()
    )


def test_t_tests_on_replicates_equal_scipys_with_holes():
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(50, 3, 2)) + np.arange(3)[:, None] * 0.2
    draws[:4, 1, 0] = np.nan
    pairs = np.array([0, 0, 1]), np.array([1, 2, 2])
    for kind, function, options in (
        ("welch", stats.ttest_ind, {"equal_var": False}), ("paired", stats.ttest_rel, {}),
    ):  # fmt: skip
        found = replicate_t_p_values(draws, *pairs, kind=kind)
        for row, (i, j) in enumerate(zip(*pairs, strict=True)):
            for v in range(2):
                expected = function(draws[:, i, v], draws[:, j, v], nan_policy="omit", **options)
                assert found[row, v] == pytest.approx(expected.pvalue, rel=1e-6)


def test_p_of_the_t_test_shrinks_with_resamples_and_valid_tests_do_not(preds):
    def share(test, n):
        study = mc.studies.agreement_study(preds, ["f1"], test=test, n_resamples=n, alpha=0.05)
        return study.pairs[["p_value_a", "p_value_b"]].to_numpy()

    assert np.median(share("t", 4000)) < np.median(share("t", 100))
    np.testing.assert_allclose(share("wald", 10), share("wald", 1000))
    np.testing.assert_allclose(share("permutation", 4000), share("permutation", 999), atol=0.07)


@pytest.mark.parametrize("test", ["permutation", "sign-flip", "bootstrap", "wald"])
def test_valid_tests_agree_with_compare(preds, test):
    study = mc.studies.agreement_study(
        preds, [("f1_macro", "cf1_macro")], test=test, n_resamples=999
    )
    result = mc.compare(preds, ["f1_macro", "cf1_macro"], test=test, n_resamples=999,
                        zero_division="paper", collapse=False).differences  # fmt: skip
    np.testing.assert_allclose(
        study.pairs.p_value_a, result[result.metric == "f1_macro"].p_value, atol=1e-12
    )
    np.testing.assert_allclose(
        study.pairs.difference_b, result[result.metric == "cf1_macro"].difference
    )


def test_the_interval_of_agreement_resamples_models():
    skills = tuple(np.linspace(0.5, 0.9, 16))
    study = mc.studies.agreement_study(
        made_up(60, skills), [("accuracy", "caccuracy")], test="wald", alpha=0.7
    )
    row = study.table.iloc[0]
    assert row.ci_low <= row.pct_agree <= row.ci_high
    independent = (
        100
        * stats.norm.ppf(0.65)
        * math.sqrt(max(row.pct_agree / 100 * (1 - row.pct_agree / 100), 0) / row.n_significant)
    )
    assert (row.ci_high - row.ci_low) / 2 > independent


def f1_of_class_0(preds, rows=slice(None)):
    outputs = {m: preds.predicted(m)[rows] for m in preds.models}
    y = preds.y_true[rows]
    return {
        m: metrics.f1_score(y, outputs[m], labels=[0], average=None, zero_division=0)[0]
        for m in outputs
    }


def cf1_of_class_0(preds, rows=slice(None)):
    # 2 sum p / (sum p of the class + its samples): F1's formula, Yacouby & Axman (2020), section 2.
    is_class = preds.y_true[rows] == 0
    p = {m: preds.probabilities(m)[rows, 0] for m in preds.models}
    return {m: 2 * p[m][is_class].sum() / (p[m].sum() + is_class.sum()) for m in p}


@pytest.mark.parametrize(
    ("small", "whole", "of_part", "of_whole"),
    [
        ("f1", "f1", f1_of_class_0, f1_of_class_0),
        ("cf1", "f1", cf1_of_class_0, f1_of_class_0),
        ("cf1", "cf1", cf1_of_class_0, cf1_of_class_0),
    ],
)
def test_population_order_is_that_of_a_loop_over_parts_and_pairs(
    preds, small, whole, of_part, of_whole
):
    study = mc.studies.agreement_study(preds, ["f1"], test="wald")
    frame = study.population([1.0, 0.2], n_subsamples=40)
    on_whole = of_whole(preds)
    orders = []
    for index in range(40):
        on_part = of_part(preds, part_rows(preds, 0.2, study.seed, index=index))
        orders.append(
            [np.sign(on_part[a] - on_part[b]) == np.sign(on_whole[a] - on_whole[b])
             for a, b in combinations(preds.models, 2)]
        )  # fmt: skip
    asked = "metric_small == @small and metric_whole == @whole and label == 0"
    at_whole, at_part = frame.query(asked).itertuples()
    assert at_part.pct_agree == pytest.approx(100 * np.mean(orders))
    shares = 100 * np.mean(orders, axis=1)
    assert at_part.part_low == pytest.approx(np.quantile(shares, 0.005))
    assert at_part.part_high == pytest.approx(np.quantile(shares, 0.995))
    assert at_whole.part_low == at_whole.pct_agree == at_whole.part_high
    if small == whole:
        assert (at_whole.ci_low, at_whole.pct_agree, at_whole.ci_high) == (100, 100, 100)
    assert len(frame) == 2 * 3 * 3


def test_the_interval_of_the_order_draws_models_and_parts():
    study = mc.studies.agreement_study(
        made_up(60, tuple(np.linspace(0.4, 0.9, 12))), ["f1"], test="wald"
    )
    few, many = (study.population([0.3], n_subsamples=n).iloc[0] for n in (10, 300))
    assert few.ci_low < few.pct_agree < few.ci_high
    assert many.ci_low < many.pct_agree < many.ci_high
    # Of more parts the mean is better known; of twelve models it is as little known as before.
    assert many.ci_high - many.ci_low < few.ci_high - few.ci_low
    pairs = 66
    independent = 2 * 1.96 * 100 * np.sqrt(0.25 / (300 * pairs))
    assert many.ci_high - many.ci_low > 3 * independent


def test_where_all_agree_the_interval_is_that_of_pairs_that_share_no_model():
    skills = tuple(np.linspace(0.35, 0.95, 9))
    study = mc.studies.agreement_study(
        made_up(2000, skills), [("accuracy", "caccuracy")], test="wald"
    )
    (row,) = study.table.itertuples()
    assert row.n_significant > 4
    assert (row.pct_agree, row.ci_high) == (100, 100)
    assert row.ci_low == pytest.approx(
        100 * proportion_confint(4, 4, alpha=0.01, method="wilson")[0]
    )
    frame = study.population([1.0]).set_index(["metric_small", "metric_whole"])
    found = frame.loc[("caccuracy", "accuracy")]
    assert (found.pct_agree, found.ci_low) == (100, pytest.approx(row.ci_low))


def test_a_loss_agrees_with_a_score_that_prefers_the_same_model():
    preds = mc.load_example("snli")
    study = mc.studies.agreement_study(preds, [("accuracy", "brier_score")], test="wald")
    score = {m: np.mean(preds.predicted(m) == preds.access.codes) for m in preds.models}
    loss = {
        m: ((preds.probabilities(m) - np.eye(3)[preds.access.codes]) ** 2).sum(axis=1).mean()
        for m in preds.models
    }
    agree = [(score[a] > score[b]) == (loss[a] < loss[b]) for a, b in combinations(preds.models, 2)]
    assert study.pairs["agree"].tolist() == agree
    whole = study.population([1.0]).set_index(["metric_small", "metric_whole"])["pct_agree"]
    assert whole["brier_score", "accuracy"] == pytest.approx(100 * np.mean(agree))
    efficiency = mc.studies.variance_study(
        preds, [("accuracy", "brier_score")], n_resamples=9, ratios=[1]
    )
    assert efficiency.relative_efficiency["agree"].tolist() == agree


def test_values_that_are_undefined_order_nothing():
    preds = mc.Predictions([0, 0, 1, 1, 2, 2], {"a": [0, 0, 1, 1, 1, 0], "b": [0, 0, 1, 1, 0, 1]})
    study = mc.studies.agreement_study(
        preds, [("precision", "recall")], test="wald", zero_division=np.nan
    )
    frame = study.population([1.0]).query("label == 2").set_index(["metric_small", "metric_whole"])
    assert frame["pct_agree"].to_dict() == {
        ("precision", "precision"): 0, ("recall", "precision"): 0, ("recall", "recall"): 100,
    }  # fmt: skip


def test_agreement_can_be_shown(preds):
    study = mc.studies.agreement_study(preds, ["f1", "precision"], test="wald")
    assert len(study.plot().axes) == 6
    figure = study.plot.population([1, 0.5], n_subsamples=5)
    assert len(figure.axes) == 2
    assert all(np.isfinite(line.get_ydata()).all() for axes in figure.axes for line in axes.lines)
    averages = mc.studies.agreement_study(
        study.predictions, [("f1_macro", "cf1_macro")], n_resamples=50
    )
    (axes,) = averages.plot.population([1, 0.5], n_subsamples=5).axes
    assert len(axes.lines) == 6
    assert "| % agree |" in study.to_markdown()
    reproduced = mc.studies.agreement_study(preds, ["f1"], n_resamples=50)
    assert "effort of the simulation" in reproduced.to_markdown()


def test_clusters_are_counted_where_there_are_any(preds):
    clustered = preds.with_columns(groups=np.arange(len(preds)) // 4)
    assert " on 100 clusters." in mc.sample_size(clustered, "m0", "m3", "accuracy").sentence()


def test_bad_agreement(preds):
    with pytest.raises(
        ValueError, match="`test` must be one of t, paired-t, studentized-permutation"
    ):
        mc.studies.agreement_study(preds, test="welch")
    with pytest.raises(ValueError, match=r"`alpha` must be in \(0, 1\), got 5"):
        mc.studies.agreement_study(preds, alpha=5)
    with pytest.raises(ValueError, match="agreement is over pairs of models; there is 1 model"):
        mc.studies.agreement_study(preds["m0"])


def test_undefined_shares_are_binomial():
    preds = mc.Predictions(
        [0] * 90 + [1] * 10, {"a": [[0.9, 0.1]] * 96 + [[0.2, 0.8]] * 4, "b": [[0.6, 0.4]] * 100}
    )
    study = mc.studies.undefined_study(preds, ratios=[1.0, 0.2], n_resamples=4000)
    table = study.table.set_index(["model", "ratio", "metric", "label"]).pct_undefined
    for ratio, n in ((1.0, 100), (0.2, 20)):
        for metric, chance in (
            ("precision", 0.96**n), ("recall", 0.9**n), ("f1", 0.96**n + 0.9**n - 0.9**n),
        ):  # fmt: skip
            found = table["a", ratio, metric, 1]
            if metric == "f1":  # undefined where precision or recall is
                assert found >= 100 * chance - 3
            else:
                assert found == pytest.approx(
                    100 * chance, abs=3 * 100 * math.sqrt(chance / 4000) + 0.1
                )
        assert table["a", ratio, "cprecision", 1] == 0
        assert table["b", ratio, "precision", 1] == 100
    assert study.table.query("label == 1").support.unique().tolist() == [10]
    assert set(study.summary.metric) == {
        "f1",
        "cf1",
        "precision",
        "cprecision",
        "recall",
        "crecall",
    }
    assert len(study.plot().axes) == 3


def test_sensitivity_leaves_decisions_alone(preds):
    study = mc.studies.sensitivity_study(
        preds, ["accuracy", "f1_macro", "cf1_macro", "log_loss"], n_resamples=200
    )
    moved = study.table.groupby("metric")["difference"].apply(lambda d: d.abs().max())
    assert moved["accuracy"] == moved["f1_macro"] == 0
    assert moved["cf1_macro"] > 0.01
    sharp = study.table.query("change == 'temperature' and level == 0.5 and metric == 'cf1_macro'")
    for row in sharp.itertuples():
        p = preds.probabilities(row.model) ** 2
        p /= p.sum(axis=1, keepdims=True)
        assert row.estimate == pytest.approx(mc.metrics.cf1(preds.y_true, p, average="macro"))
        assert row.ci_low < row.difference < row.ci_high
    assert study.plot() is not None
    with pytest.raises(ValueError, match="`temperatures` must be above 0"):
        mc.studies.sensitivity_study(preds, temperatures=[0.0])


def test_sample_size_of_accuracy_is_statsmodels_power(preds):
    size = mc.sample_size(preds, "m0", "m1", "accuracy")
    effect = size.difference / size.standard_deviation
    # One sample of paired differences: a two-sample test with a second sample of no variance.
    expected = NormalIndPower(ddof=0).solve_power(
        effect_size=effect, alpha=0.05, power=0.8, ratio=0, alternative="two-sided"
    )
    assert size.n_needed == pytest.approx(expected, rel=0.01, abs=1)
    right = {m: (preds.predicted(m) == preds.access.codes).astype(float) for m in ("m0", "m1")}
    assert size.standard_deviation == pytest.approx((right["m0"] - right["m1"]).std(ddof=1))


def test_sample_size_answers_hang_together(preds):
    size = mc.sample_size(preds, "m0", "m2", "f1_macro")
    assert size.needed(size.curve([1000]).detectable[0]) == pytest.approx(1000, abs=1)
    assert size.curve([size.n_needed]).power[0] == pytest.approx(0.8, abs=0.01)
    frame = size.curve([100, 400])
    assert frame.detectable[0] / frame.detectable[1] == pytest.approx(2)
    assert frame.interval_width[1] == pytest.approx(2 * 1.959964 * size.standard_deviation / 20)
    assert "m0 - m2" in size.sentence()
    assert len(size.plot().axes) == 2
    assert math.isinf(size.needed(0.0))


def test_sample_size_per_class_needs_the_class(preds):
    assert mc.sample_size(preds, "m0", "m1", "f1[2]").label == 2
    with pytest.raises(ValueError, match=r"metric 'f1' is per class; name one, as in .*: 0, 1, 2"):
        mc.sample_size(preds, "m0", "m1", "f1")
    with pytest.raises(ValueError, match=r"f1\[7\]: there is no class '7'"):
        mc.sample_size(preds, "m0", "m1", "f1[7]")
    with pytest.raises(ValueError, match=r"`power` must be in \(0, 1\), got 80"):
        mc.sample_size(preds, "m0", "m1", power=80)


def test_pairs_agree_by_their_differences_where_a_separation_has_no_value():
    # Errors that a constant sets apart: their difference has no variance, but for rounding.
    rng = np.random.default_rng(0)
    for _ in range(30):
        y, error = rng.normal(size=20), rng.normal(size=20) ** 2
        preds = mc.Predictions(y, {"a": y + error, "b": y + error + rng.random()}, kind="values")
        study = mc.studies.variance_study(preds, [("mae", "rmse")], ratios=[1], n_resamples=9)
        assert study.relative_efficiency["agree"].all()


def test_a_metric_may_stand_beside_itself(preds):
    study = mc.studies.undefined_study(
        preds, [("precision", "precision")], ratios=[1, 0.5], n_resamples=9
    )
    assert "precision" in str(study)


@needs("runs")
def test_agreement_for_new_runs_has_the_p_values_of_a_comparison():
    rng = np.random.default_rng(3)
    truth = np.repeat(rng.integers(0, 2, 60), 5)
    item, run = (each.ravel() for each in np.indices((60, 5)))
    outputs = {
        m: np.where(rng.random(300) < p, truth, 1 - truth)
        for m, p in zip("abc", (0.9, 0.7, 0.6), strict=True)
    }
    runs = mc.Predictions(truth, outputs, groups=item, runs=run)
    asked = {"generalize_to": "items+runs", "n_resamples": 99}
    study = mc.studies.agreement_study(
        runs, [("accuracy", "f1_macro")], zero_division=math.nan, n_resamples=99
    )
    assert study.test == "wald"
    found = mc.compare(runs, ["accuracy", "f1_macro"], correction="none", **asked).differences
    assert study.scope.generalize_to
    assert "|generalize_to:items+runs|" in study.signature
    for side, metric in (("a", "accuracy"), ("b", "f1_macro")):
        of_metric = found[found["metric"] == metric]
        # A comparison raises p-values that its intervals do not bear out, as it does none here.
        assert study.pairs[f"p_value_{side}"].tolist() == pytest.approx(
            of_metric["p_value"].tolist()
        )
    these = mc.studies.agreement_study(
        runs, [("accuracy", "f1_macro")], test="wald", zero_division=math.nan, n_resamples=99,
        generalize_to="items",
    )  # fmt: skip
    assert not these.scope.generalize_to
    assert (these.pairs["p_value_a"] != study.pairs["p_value_a"]).any()
    with pytest.raises(ValueError, match="test='paired-t' does not know how new runs vary"):
        mc.studies.agreement_study(
            runs, [("accuracy", "f1_macro")], test="paired-t", zero_division=math.nan
        )


def never_predicts_one():
    """Three models of three classes, of which the first never predicts the last class."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    outputs = {}
    for model, (least, noise) in {"a": (0.0, 0.4), "b": (0.3, 0.6), "c": (0.3, 0.9)}.items():
        scores = rng.random((300, 3)) * noise
        scores[np.arange(300), y] += 0.3
        scores[:, 2] *= least / 0.3
        outputs[model] = scores / scores.sum(axis=1, keepdims=True)
    return mc.Predictions(y, outputs)


def test_averages_in_studies_count_a_class_that_is_never_predicted_as_0():
    preds = never_predicts_one()
    pairs = [("precision_macro", "cprecision_macro")]
    asked = {"test": "sign-flip", "n_resamples": 99}
    study = mc.studies.agreement_study(preds, pairs, **asked)
    assert not study.pairs["difference_a"].isna().any()
    truth, first, second = preds.y_true, *(preds.probabilities(m).argmax(1) for m in "ab")
    scores = [
        metrics.precision_score(truth, each, average="macro", zero_division=0)
        for each in (first, second)
    ]
    assert study.pairs["difference_a"].iloc[0] == pytest.approx(scores[0] - scores[1], abs=1e-12)
    (note,) = study.metric_pairs.notes(preds)
    assert note.startswith("precision_macro of a: predicted under 5 times: 2; it would be ")
    lost = "precision_macro is undefined for 1 of 3 models: 2 of 3 pairs of models are left out."
    paper = mc.studies.agreement_study(preds, pairs, zero_division="paper", **asked)
    assert paper.pairs["difference_a"].isna().tolist() == [True, True, False]
    assert lost in " ".join(str(paper).split())
    variance = mc.studies.variance_study(
        preds, pairs, ratios=[1.0], n_resamples=20, zero_division="paper"
    )
    assert lost in " ".join(str(variance).split())
    # Classes keep the paper's convention.
    undefined = mc.studies.undefined_study(preds, ["f1"], ratios=[1.0], n_resamples=20)
    rows = undefined.table.query("model == 'a' and label == 2 and metric == 'f1'")
    assert rows["pct_undefined"].tolist() == [100.0]


def test_the_cost_of_quantization_by_a_plain_calculation():
    preds = mc.load_example("snli")[["mlp", "bow_pair"]].subset(np.arange(600))
    study = mc.studies.quantization_study(preds, "caccuracy", n_bins=[2, 50])
    few = mc.io.quantize(preds, 2)
    rows, codes = np.arange(600), preds.access.codes

    def z(source):
        a, b = (source.probabilities(m)[rows, codes].astype(float) for m in source.models)
        d = a - b
        return d.mean() / (d.std(ddof=1) / np.sqrt(600))

    pair = study.pairs.query("n_bins == 2").iloc[0]
    assert pair.separation_raw == pytest.approx(z(preds), rel=1e-6)
    assert pair.separation_quantized == pytest.approx(z(few), rel=1e-6)
    assert pair.samples_ratio == pytest.approx((z(preds) / z(few)) ** 2, rel=1e-6)
    assert pair.ci_low < pair.samples_ratio < pair.ci_high
    values = study.values.query("model == 'mlp' and n_bins == 2").iloc[0]
    expected = few.probabilities("mlp")[rows, codes].mean()
    assert values.quantized == pytest.approx(expected, rel=1e-6)
    assert values.ci_low < values.difference < values.ci_high
    with pytest.raises(ValueError, match="`n_bins` is empty"):
        mc.studies.quantization_study(preds, n_bins=[])
    alone = mc.studies.quantization_study(preds["mlp"], "cf1", n_bins=[3])
    assert (len(alone.values), len(alone.pairs), len(alone.summary)) == (3, 0, 0)


@needs("confidences")
def test_soft_metrics_of_a_truncated_list_are_studied():
    listed = [[("city", 0.5), ("time", 0.3)], [("time", 0.9)], [("city", 0.6), ("name", 0.2)]]
    preds = mc.io.from_nbest(["city", "time", "city"], {"a": listed})
    study = mc.studies.sensitivity_study(preds, "cf1_macro", noises=[], n_resamples=9)
    assert study.table.shape[0] == 6


@needs("calibration")
def test_wald_is_refused_for_metrics_that_influence_functions_do_not_describe():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    preds = mc.Predictions(y, {"a": rng.random(60), "b": rng.random(60)})
    with pytest.raises(ValueError, match=r"'ece' is not smooth.*'permutation' or 'bootstrap'"):
        mc.studies.agreement_study(preds, [("ece", "mce")], test="wald")
    with pytest.raises(ValueError, match="`n_resamples` must be"):
        mc.studies.agreement_study(preds, ["f1"], n_resamples=0)
    with pytest.raises(ValueError, match="`n_subsamples` must be"):
        mc.studies.agreement_study(preds, ["f1"], n_resamples=9).population(n_subsamples=0)


def test_tests_of_agreement_are_those_of_pairs_and_two_on_replicates():
    assert {*get_args(AgreementTest)} == {*ON_REPLICATES, *get_args(PairsTest)}
    assert {*ON_REPLICATES.values()} == {"replicate-t", "replicate-paired-t"}


@pytest.mark.parametrize("level", ["0.95", 95, None])
def test_a_level_that_is_forwarded_is_checked_before_the_other_follows_from_it(level):
    with pytest.raises((TypeError, ValueError), match=r"^`confidence_level` must be"):
        mc.studies.model_card(mc.load_example("snli"), "mlp", confidence_level=level)


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
def test_of_many_ratios_the_largest_keeps_its_number_and_others_give_way():
    ratios = [k / 10 for k in range(1, 11)]
    study = mc.studies.variance_study(
        drawn.preds(*drawn.USUAL), ["f1"], ratios=ratios, tests=["f"], n_resamples=40
    )
    figure = study.plot.variances()
    assert not drawn.touching(drawn.texts_drawn(figure))
    panels = [axes for axes in figure.axes if axes.get_visible()]
    for axes in panels:
        shown = [label.get_text() for label in axes.get_xticklabels()]
        assert {"0.1", "0.2", "1"} <= {*shown} < {f"{ratio:g}" for ratio in ratios}


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
def test_a_figure_names_the_classes_that_it_has():
    study = mc.studies.variance_study(made_up(120), ["f1"], ratios=[1, 0.5], n_resamples=40)
    with pytest.raises(ValueError, match="`label` 'x' is not here"):
        study.plot.variances(label="x")


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
def test_a_variance_of_zero_stays_on_the_figure():
    data = drawn.preds(5, 150)
    zero = variance(5, 150).distribution.query("variance < 1e-20")
    assert len(zero)
    label = zero["label"].iloc[0]
    (axes,) = (a for a in variance(5, 150).plot.variances(label=label).axes if a.get_visible())
    assert axes.get_ylim()[0] < 0
    assert "0" in [tick.get_text() for tick in axes.get_yticklabels()]
    assert len(data.models) == 5


def test_plot_lists_its_figures():
    assert repr(variance(5, 3).plot) == "figures: plot.intervals(), plot.variances()"


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
@pytest.mark.usefixtures("undrawn")
def test_the_lowest_panels_name_their_axis():
    for name, size, n_columns in (
        ("intervals", drawn.USUAL, 2),
        ("variances", drawn.MANY_CLASSES, 3),
    ):
        panels = [axes for axes in FIGURES[name](*size).axes if axes.get_visible()]
        named = [axes.get_xlabel() == "part of the test set" for axes in panels]
        assert len(named) > n_columns
        assert named == [False] * (len(named) - n_columns) + [True] * n_columns


def test_only_a_metric_that_does_not_move_has_a_scale_of_its_own():
    axes = Figure().subplots()
    for ends, expected in (((-0.3, 0.2), (-0.3, 0.2)), ((-1e-5, 1e-5), (-0.01, 0.01))):
        axes.set_ylim(*ends)
        _keep_zero_readable(axes)
        assert axes.get_ylim() == expected
