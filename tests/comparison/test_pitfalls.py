"""What tests of tests must not do: take rounding for differences, forget clusters, lose classes."""

import math
import warnings

import numpy as np
import pytest
from scipy import stats

import modelcompare as mc
from tests.plugged import needs, of_plugins

RNG = np.random.default_rng(0)


def noisy(y, right):
    return np.where(RNG.random(len(y)) < right, y, (y + 1) % (y.max() + 1))


@needs("classical")
def test_signs_and_ranks_are_of_samples_not_of_rounding():
    snli = mc.load_example("snli")
    right = np.array([snli.predicted(m) == snli.access.codes for m in snli.models], dtype=float)
    a, b = (right[snli.models.index(m)] for m in ("bow_pair", "naive_bayes"))
    found = {m: mc.paired_test(snli, "bow_pair", "naive_bayes", "accuracy", method=m).p_value
             for m in ("sign", "wilcoxon", "t")}  # fmt: skip
    up, down = (a > b).sum(), (a < b).sum()
    assert found["sign"] == pytest.approx(stats.binomtest(up, up + down).pvalue)
    expected = stats.wilcoxon(a, b, zero_method="wilcox", correction=False, method="approx").pvalue
    assert found["wilcoxon"] == pytest.approx(expected)
    assert found["t"] == pytest.approx(stats.ttest_rel(a, b).pvalue)


@needs("classical")
def test_integer_scores_of_many_samples():
    a, b = RNG.integers(0, 6, 777), RNG.integers(0, 6, 777)
    preds = mc.Predictions.from_scores({"a": a, "b": b})
    found = mc.paired_test(preds, "a", "b", "mean_score", method="sign").p_value
    up, down = (a > b).sum(), (a < b).sum()
    assert found == pytest.approx(stats.binomtest(up, up + down).pvalue)


@pytest.mark.parametrize("method", of_plugins(["delong", "wald"], classical=("delong",)))
def test_a_difference_without_variance_has_a_direction(method):
    y, p = [0] * 10 + [1] * 10, np.linspace(0.1, 0.9, 20)
    preds = mc.Predictions(y, {"a": p, "b": 1 - p})
    greater, less = (mc.paired_test(preds, "a", "b", "roc_auc", method=method, alternative=k)
                     for k in ("greater", "less"))  # fmt: skip
    # 20 samples show no more than 20 that all agree.
    assert (greater.p_value, less.p_value) == (0.5**20, 1)
    assert greater.statistic == math.inf


def test_max_t_of_certain_and_of_undefined_differences():
    y = [0, 1] * 20
    preds = mc.Predictions(y, {"right": y, "wrong": [1 - v for v in y], "half": [0] * 40})
    result = mc.compare(preds, "accuracy", correction="max-t", n_resamples=999)
    assert (result.differences.p_adjusted < 0.05).all()
    truth = [0] * 40 + [1] * 10
    rare = mc.Predictions(truth, {"a": [0] * 39 + [1] + [1] + [0] * 9,
                                  "b": [0] * 34 + [1] * 6 + [1, 0] + [0] * 8})  # fmt: skip
    with pytest.warns(mc.UndefinedMetricWarning):
        adjusted = mc.compare(rare, "precision", correction="max-t", n_resamples=999)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        single = [mc.paired_test(rare, "a", "b", f"precision[{label}]", method="bootstrap",
                                 n_resamples=999).p_value for label in (0, 1)]  # fmt: skip
    assert (adjusted.differences.p_adjusted >= np.array(single) - 1e-12).all()


def test_simultaneous_intervals_exclude_nothing_where_resamples_have_no_value():
    truth = [0] * 40 + [1] * 20
    outputs = {"a": [0] * 60, "b": [0] * 40 + [1] * 18 + [0] * 2, "c": [0] * 42 + [1] * 18}
    outputs["a"][59] = 1
    preds = mc.Predictions(truth, outputs)
    with pytest.warns(mc.UndefinedMetricWarning):
        result = mc.compare(preds, "precision", n_resamples=499)
    assert result.bootstrap.n_undefined.max() > 0.05 * 499
    frame = result.simultaneous_intervals()
    widths = (frame.ci_high - frame.ci_low)[frame.difference != 0]
    # All that precisions can differ by.
    assert (widths == 2).all()
    assert not frame.isna().any(axis=None)


@needs("suites")
def test_pooled_differences_that_are_undefined_have_no_p_value():
    sets = {}
    for name in ("s", "t"):
        y = RNG.integers(0, 2, 100)
        outputs = np.zeros(100, int) if name == "s" else noisy(y, 0.7)
        sets[name] = mc.Predictions(y, {"a": outputs, "b": noisy(y, 0.7)}, labels=[0, 1])
    with pytest.warns(mc.UndefinedMetricWarning):
        frame = mc.compare_groups(sets, ["precision"], n_resamples=199).pooled_differences
    undefined = frame[frame.label == 1].iloc[0]
    assert np.isnan([undefined.p_value, undefined.p_adjusted]).all()
    other = frame[frame.label == 0].iloc[0]
    assert other.p_adjusted == other.p_value
    with pytest.raises(ValueError, match="needs 3 models, there are 2"):
        mc.compare_groups(sets, ["accuracy"], n_resamples=99).friedman("accuracy")


def test_ranks_across_slices_follow_the_corrected_tests():
    y = RNG.integers(0, 2, 1200)
    preds = mc.Predictions(
        y, {"a": noisy(y, 0.8), "b": noisy(y, 0.68)},
        slices={"g": np.repeat(range(20), 60), "part": np.where(np.arange(1200) < 600, 1.5, np.nan)},
    )  # fmt: skip
    result = mc.compare_groups(preds, "accuracy", by="g", n_resamples=999)
    better = result.differences.set_index("value")["better"]
    for row in result.scores.itertuples():
        leads = better[row.value]
        expected = (
            (1, 2)
            if leads != leads or leads is None
            else ((1, 1) if leads == row.model else (2, 2))
        )
        assert (row.rank_low, row.rank_high) == expected
    assert all(isinstance(value, int) for value in result.scores["value"])
    both = mc.compare_groups(preds, "accuracy", n_resamples=99)
    assert ["part", None, 600] in both.left_out.astype(object).to_numpy().tolist()


def test_ranks_and_shares_of_best_ignore_rounding_and_undefined_values():
    x = np.array([0.1, 0.2, 0.3, 0.7] * 25)
    preds = mc.Predictions.from_scores(
        {"a": x, "b": x[::-1], "c": RNG.permutation(x)}, greater_is_better=True
    )
    assert mc.compare(preds, n_resamples=99).scores["rank"].tolist() == [1, 1, 1]
    sentence = mc.sample_size(preds, "a", "c", "mean_score").sentence()
    assert sentence.endswith("the observed difference is 0, which no test set detects.")


def test_a_model_without_a_value_is_never_best():
    y = [0, 1] * 30 + [2] * 2
    preds = mc.Predictions(y, {"a": [0] * 62, "b": y, "c": [0, 1] * 31}, labels=[0, 1, 2])
    with pytest.warns(mc.UndefinedMetricWarning):
        result = mc.compare(preds, "precision", n_resamples=199)
    frame = result.standings.set_index(["model", "label"])["p_best"]
    assert frame["a", 2] == frame["c", 2] == 0


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"groups": [3] * 20}, "`groups` has one cluster, so the variation between clusters"),
        ({"strata": np.arange(20)}, "every stratum has one sample, so nothing varies"),
        ({"groups": np.arange(20) // 5, "strata": np.arange(20) // 5},
         "every stratum has one cluster"),
    ],
)  # fmt: skip
def test_what_cannot_be_resampled_is_refused(columns, message):
    y = RNG.integers(0, 2, 20)
    preds = mc.Predictions(y, {"a": y, "b": RNG.integers(0, 2, 20)}, labels=[0, 1], **columns)
    calls = [
        lambda: mc.compare(preds, "accuracy"),
        lambda: mc.bootstrap(preds, "accuracy"),
        lambda: mc.paired_test(preds, "a", "b", "accuracy"),
        lambda: mc.decide(preds, "a", "b", "accuracy", margin=0.1),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: mc.paired_test(p, "a", "a", "accuracy"), "'a' is named twice"),
        (lambda p: mc.decide(p, "a", "a", "accuracy", margin=0.1), "'a' is named twice"),
        (lambda p: mc.sample_size(p, "a", "a", "accuracy"), "'a' is named twice"),
        (lambda p: mc.paired_test(p, "a", "b", "accuracy", n_resamples=0), "`n_resamples`"),
    ],
)  # fmt: skip
def test_bad_requests(call, message):
    y = RNG.integers(0, 2, 60)
    preds = mc.Predictions(y, {"a": RNG.random(60), "b": RNG.random(60)})
    with pytest.raises(ValueError, match=message):
        call(preds)


@needs("calibration")
def test_wald_is_refused_wherever_influence_functions_do_not_describe_a_metric():
    y = RNG.integers(0, 2, 60)
    preds = mc.Predictions(y, {"a": RNG.random(60), "b": RNG.random(60)})
    for call in (
        lambda: mc.compare(preds, ["accuracy", "ece"], test="wald", n_resamples=9),
        lambda: mc.paired_test(preds, "a", "b", "ece", method="wald"),
    ):
        with pytest.raises(ValueError, match=r"'ece' is not smooth.*'permutation' or 'bootstrap'"):
            call()


def test_levels_that_are_no_whole_percentages():
    y = RNG.integers(0, 2, 60)
    preds = mc.Predictions(y, {"a": noisy(y, 0.8)})
    assert (
        "99.9 % CI"
        in mc.compare(preds, "accuracy", confidence_level=0.999, n_resamples=99).verdict()
    )


def test_intervals_of_infinite_replicates():
    from modelcompare.intervals import percentile_interval

    draws = np.array([np.inf] * 60 + [*range(40)], dtype=float)[:, None]
    assert percentile_interval(draws).high[0] == np.inf
