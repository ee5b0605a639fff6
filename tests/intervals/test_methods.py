import warnings
from types import SimpleNamespace
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import modelcompare as mc
from modelcompare import intervals
from modelcompare.comparison import bootstrap_result
from modelcompare.engine import contrasts
from modelcompare.engine.contrasts import Contrasts, Sample
from modelcompare.engine.design import design_of
from modelcompare.engine.evaluation import Evaluation
from modelcompare.intervals import (
    METHODS,
    IntervalRow,
    bca_interval,
    percentile_interval,
    quantiles,
)
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.words import INTERVALS, IntervalMethod
from tests.plugged import needs

RNG = np.random.default_rng(0)
SAMPLE = RNG.gamma(2.0, size=40)
REPLICATES = np.array([RNG.choice(SAMPLE, 40).mean() for _ in range(2000)])


def acceleration(sample):
    left = (sample.sum() - sample) / (len(sample) - 1)
    centred = left.mean() - left
    return np.array((centred**3).sum() / (6 * (centred**2).sum() ** 1.5))


@pytest.mark.parametrize("method", ["percentile", "basic", "BCa"])
def test_intervals_equal_scipys_on_the_same_replicates(method):
    given = stats.bootstrap(
        (SAMPLE,), np.mean, n_resamples=0, method=method, confidence_level=0.9,
        bootstrap_result=stats.bootstrap((SAMPLE,), np.mean, n_resamples=2000, method=method, random_state=1),
    )  # fmt: skip
    view = SimpleNamespace(
        replicates=given.bootstrap_distribution[:, None],
        estimate=np.array([SAMPLE.mean()]),
        acceleration=acceleration(SAMPLE),
    )
    view.blocks = [view]
    found = METHODS[method].intervals(view, 0.9)
    expected = given.confidence_interval
    np.testing.assert_allclose(
        [found.low[0], found.high[0]], [expected.low, expected.high], rtol=1e-12
    )
    assert found.method == [method]


def test_normal_interval():
    found = intervals.normal_interval(np.array(1.0), np.array(0.5), confidence_level=0.95)
    np.testing.assert_allclose([found.low, found.high], stats.norm(1, 0.5).interval(0.95))


def test_undefined_replicates_do_not_count():
    holes = np.r_[REPLICATES, [np.nan] * 500]
    plain, holed = percentile_interval(REPLICATES), percentile_interval(holes)
    assert (plain.low, plain.high) == (holed.low, holed.high)
    estimate = np.array(SAMPLE.mean())
    plain, holed = (bca_interval(r, estimate, acceleration(SAMPLE)) for r in (REPLICATES, holes))
    assert (plain.low, plain.high) == (holed.low, holed.high)


def test_bca_falls_back_where_all_replicates_lie_on_one_side():
    found = bca_interval(REPLICATES + 100, np.array(1.0), np.array(0.0))
    plain = percentile_interval(REPLICATES + 100)
    assert found.method == "percentile"
    assert (found.low, found.high) == (plain.low, plain.high)


def test_replicates_equal_to_the_estimate_count_half():
    replicates = np.repeat([0.25, 0.5, 0.75], [100, 300, 100])
    found = bca_interval(replicates, np.array(0.5), np.array(0.0))
    assert (found.low, found.high) == (0.25, 0.75)
    moved = bca_interval(replicates + 1e-13, np.array(0.5), np.array(0.0))
    np.testing.assert_allclose([moved.low, moved.high], [0.25, 0.75])


def test_bca_without_bias_and_skewness_is_the_percentile_interval():
    symmetric = np.r_[REPLICATES, 2 * np.median(REPLICATES) - REPLICATES]
    found = bca_interval(symmetric, np.array(np.median(REPLICATES)), np.array(0.0))
    plain = percentile_interval(symmetric)
    np.testing.assert_allclose([found.low, found.high], [plain.low, plain.high])


def test_quantiles_are_numpys():
    ordered = np.sort(RNG.normal(size=(31, 4)), axis=0)
    levels = np.array([0.0, 0.2, 0.77, 1.0])
    expected = [np.quantile(ordered[:, i], level) for i, level in enumerate(levels)]
    np.testing.assert_allclose(quantiles(ordered, levels), expected)
    assert np.isnan(quantiles(np.full((5, 1), np.nan), np.array([0.5])))[0]


def test_options_out_of_range_are_refused():
    result = mc.bootstrap(preds_of(40, 31), "accuracy", n_resamples=2)
    with pytest.raises(
        ValueError, match=r"`confidence_level` must be in \(0, 1\), got 95; for 95 % pass 0.95"
    ):
        result.confidence_interval(confidence_level=95)
    with pytest.raises(
        ValueError,
        match="`method` must be one of auto, BCa, percentile, basic, normal, studentized",
    ):
        result.confidence_interval(method="bca")


def test_every_name_of_a_method_has_a_row_and_a_reason_to_choose_it():
    assert tuple(METHODS) == get_args(IntervalMethod) == tuple(INTERVALS)
    for name, row in METHODS.items():
        assert row.name == name
        for function in (mc.compare, mc.results.BootstrapResult.confidence_interval):
            assert f'- "{name}": {row.when}' in function.__doc__


@pytest.mark.parametrize(
    ("method", "asked"),
    [
        ("percentile", {"draws", "replicates"}),
        ("basic", {"draws", "replicates", "estimate"}),
        ("BCa", {"draws", "replicates", "estimate", "moments", "acceleration"}),
        ("normal", {"estimate", "moments", "standard_error"}),
        ("studentized", {"draws", "replicates", "replicate_moments", "replicate_errors",
                         "estimate", "moments", "standard_error"}),
        ("logit", {"estimate", "moments", "standard_error"}),
        ("wilson", set()),
        ("delong", {"estimate"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("pairs", [None, (np.array([0]), np.array([1]))])
def test_a_method_computes_only_what_it_asks_for(method, asked, pairs):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 60)
    scores = {name: np.clip(0.4 * y + rng.random(60) * 0.6, 0, 1) for name in "ab"}
    preds = mc.Predictions(y, {n: np.c_[1 - p, p] for n, p in scores.items()})
    metric = "roc_auc" if method == "delong" else "accuracy"
    evaluation = Evaluation(preds, resolve_metrics(metric, preds))
    sample = Sample(
        evaluation,
        BootstrapWeights(evaluation.units, 50, np.random.SeedSequence(0)),
        design_of(evaluation.predictions),
    )
    rows = Contrasts(sample, pairs)
    if pairs is not None and METHODS[method].scores_only:
        asked = {"draws", "replicates", "estimate", "moments", "acceleration"}
    found = intervals.intervals_of(rows, method, 0.9)
    computed = {name for name in vars(rows) if name in vars(Contrasts)} - {"pairs", "sample"}
    # Whether there is a judge is always asked.
    computed |= {name for name in vars(sample) if name in vars(Sample)} - {"estimator"}
    computed -= {"evaluation", "weights", "design", "point"}
    assert computed == asked
    assert (found.low < rows.estimate).all()
    assert (rows.estimate < found.high).all()


def test_moments_and_jackknife_wait_until_a_method_asks(monkeypatch):
    counts = {"moments": 0, "errors": 0}

    def counted(name, function):
        def count(*arguments):
            counts[name] += 1
            return function(*arguments)

        return count

    monkeypatch.setattr(bootstrap_result, "influence_moments",
                        counted("moments", bootstrap_result.influence_moments))  # fmt: skip
    monkeypatch.setattr(contrasts, "_replicate_moments",
                        counted("errors", contrasts._replicate_moments))  # fmt: skip
    result = mc.bootstrap(preds_of(40, 31), "accuracy", n_resamples=99)
    result.score_interval("percentile", 0.95)
    result.score_interval("wilson", 0.95)
    assert counts == {"moments": 0, "errors": 0}
    result.score_interval("BCa", 0.95)
    result.score_interval("normal", 0.95)
    assert counts == {"moments": 1, "errors": 0}
    result.score_interval("studentized", 0.95)
    assert counts == {"moments": 1, "errors": 1}


def three_models():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 60)
    return mc.Predictions(
        y, {name: np.where(rng.random(60) < skill, y, 1 - y)
            for name, skill in (("a", 0.9), ("b", 0.7), ("c", 0.6))}
    )  # fmt: skip


@pytest.mark.parametrize("method", ["wilson", "clopper-pearson", "logit"])
def test_what_stands_in_for_differences_is_named(method):
    result = mc.compare(three_models(), "accuracy", method=method, n_resamples=499)
    assert set(result.scores["method"]) == {method}
    assert set(result.differences["method"]) == {"BCa"}
    assert f"|ci:{method}/BCa|" in result.signature
    other = mc.compare(three_models(), "accuracy", method="BCa", n_resamples=499)
    assert "|ci:BCa|" in other.signature
    bounds = ["ci_low", "ci_high"]
    np.testing.assert_array_equal(result.differences[bounds], other.differences[bounds])
    alone = mc.compare(three_models()["a"], "accuracy", method=method, n_resamples=99)
    assert f"|ci:{method}|" in alone.signature
    assert list(result.scores)[-1] == list(result.differences)[-2] == "method"


def test_where_the_percentile_interval_stands_in_the_frames_say_so():
    def mean_or_more(_, y_output):
        return y_output.mean() + 100 * (len(np.unique(y_output)) == len(y_output))

    outputs = {"unique": np.arange(40.0), "tied": np.arange(40.0) // 2}
    preds = mc.Predictions(np.arange(40.0), outputs, kind="values")
    with pytest.warns(UserWarning, match="BCa interval of mean_or_more of 'unique' .* percentile"):
        result = mc.compare(preds, mean_or_more, method="BCa", n_resamples=99)
    assert result.scores.set_index("model")["method"].to_dict() == {
        "unique": "percentile", "tied": "BCa",
    }  # fmt: skip
    assert result.differences["method"][0] == "percentile"


@pytest.mark.parametrize("method", ["BCa", "basic", "studentized", "normal"])
def test_pairs_taken_some_at_a_time_have_the_same_intervals(monkeypatch, method):
    result = mc.bootstrap(three_models(), ["accuracy", "f1"], n_resamples=199)
    pairs = np.array([0, 0, 1]), np.array([1, 2, 2])
    at_once = result.difference_interval(*pairs, method, 0.9)
    monkeypatch.setattr(contrasts, "PASS_BYTES", 1)
    assert len(Contrasts(result, pairs).blocks) == 3
    alone = result.difference_interval(*pairs, method, 0.9)
    for name in ("low", "high", "method"):
        np.testing.assert_array_equal(getattr(at_once, name), getattr(alone, name))


def test_a_method_that_chooses_names_what_it_took_without_a_warning(monkeypatch):
    def choose(rows, level):
        plain = intervals.intervals_of(rows, "percentile", level)
        return plain.where(rows.estimate > 0.8, intervals.intervals_of(rows, "normal", level))

    chosen = IntervalRow("BCa", choose, chooses=True)
    for module in (bootstrap_result, intervals):
        monkeypatch.setattr(module, "METHODS", {**METHODS, "BCa": chosen})
    result = mc.bootstrap(three_models(), "accuracy", n_resamples=199)
    frame = result.confidence_interval(method="BCa")
    expected = np.where(frame.estimate > 0.8, "percentile", "normal")
    assert set(expected) == {"percentile", "normal"}
    assert frame["method"].tolist() == expected.tolist()


def test_an_undefined_value_has_no_interval_and_no_method():
    never = mc.Predictions([0, 1] * 5, {"a": [0] * 10})
    frame = mc.bootstrap(never, "precision", n_resamples=20).confidence_interval()
    row = frame[frame.label == 1].iloc[0]
    assert np.isnan(row.estimate)
    assert np.isnan(row.ci_low)
    assert pd.isna(row.method)


def preds_of(n, n_right):
    right = np.r_[np.ones(n_right), np.zeros(n - n_right)].astype(int)
    y_true = np.arange(n) % 2
    return mc.Predictions(y_true, {"a": np.where(right == 1, y_true, 1 - y_true)})


@pytest.mark.parametrize(("method", "name"), [("wilson", "wilson"), ("clopper-pearson", "beta")])
def test_intervals_of_proportions_are_statsmodels(method, name):
    from statsmodels.stats.proportion import proportion_confint

    result = mc.bootstrap(preds_of(40, 31), ["accuracy", "recall"], n_resamples=2)
    frame = result.confidence_interval(method=method)
    np.testing.assert_allclose(
        frame[["ci_low", "ci_high"]].to_numpy()[0], proportion_confint(31, 40, method=name)
    )
    hits = round(frame.estimate[1] * 20)
    np.testing.assert_allclose(
        frame[["ci_low", "ci_high"]].to_numpy()[1], proportion_confint(hits, 20, method=name)
    )


@pytest.mark.parametrize("method", ["wilson", "clopper-pearson"])
@pytest.mark.parametrize("n_right", [0, 20])
def test_intervals_of_proportions_hold_a_share_of_0_or_1(method, n_right):
    result = mc.bootstrap(preds_of(20, n_right), "accuracy", n_resamples=2)
    row = result.confidence_interval(method=method).iloc[0]
    assert row.ci_low <= row.estimate <= row.ci_high


def test_intervals_of_proportions_are_refused_elsewhere():
    result = mc.bootstrap(preds_of(40, 31), "f1_macro", n_resamples=2)
    with pytest.raises(
        ValueError, match="f1_macro is not a proportion; use method='BCa' or 'logit'"
    ):
        result.confidence_interval(method="wilson")
    clustered = mc.Predictions([0, 1] * 10, {"a": [0, 0] * 10}, groups=np.arange(20) // 2)
    with pytest.raises(ValueError, match="samples are weighted or clustered"):
        mc.bootstrap(clustered, "accuracy", n_resamples=2).confidence_interval(method="wilson")


def test_the_logit_interval_has_few_degrees_of_freedom_where_a_class_is_rare():
    rng = np.random.default_rng(0)
    y = np.r_[np.ones(10, dtype=int), np.zeros(190, dtype=int)]
    p = 1 / (1 + np.exp(-(rng.normal(size=200) + 1.5 * y)))
    preds = mc.Predictions(y, {"a": p})
    result = mc.bootstrap(preds, "roc_auc", n_resamples=2)
    evaluation = result.evaluation
    u = evaluation.influence(slice(None), result.point)[:, 0, 0]
    variance = u - u.mean()
    df = 2 / ((variance**4).sum() / (variance**2).sum() ** 2 - 1 / 200)
    assert result.moments.degrees_of_freedom()[0, 0] == pytest.approx(df)
    assert 3 < df < 30
    auc, error = result.point[0, 0], result.moments.standard_error()[0, 0]
    half = stats.t.ppf(0.975, df) * error / (auc * (1 - auc))
    expected = 1 / (1 + np.exp(-(np.log(auc / (1 - auc)) + np.array([-half, half]))))
    frame = result.confidence_interval(method="logit")
    np.testing.assert_allclose(frame[["ci_low", "ci_high"]].to_numpy()[0], expected)
    scores = mc.bootstrap(mc.Predictions.from_scores({"a": rng.normal(size=500)}), n_resamples=2)
    assert scores.moments.degrees_of_freedom()[0, 0] == pytest.approx(500, rel=0.5)


def test_the_logit_interval_stays_within_bounds():
    frame = mc.bootstrap(preds_of(40, 39), "accuracy", n_resamples=2).confidence_interval(
        method="logit"
    )
    p, error = 39 / 40, frame.standard_error[0]
    half = stats.norm.isf(0.025) * error / (p * (1 - p))
    ends = 1 / (1 + np.exp(-(np.log(p / (1 - p)) + np.array([-half, half]))))
    np.testing.assert_allclose([frame.ci_low[0], frame.ci_high[0]], ends)
    with pytest.warns(UserWarning, match=r"its value is at a bound\); it has width 0"):
        edge = mc.bootstrap(preds_of(40, 40), "accuracy", n_resamples=2).confidence_interval(
            method="logit"
        )
    assert (edge.ci_low[0], edge.ci_high[0], edge.method[0]) == (1, 1, "none")


@pytest.mark.parametrize("collapse", [True, False])
def test_the_studentized_interval_by_a_loop(collapse):
    preds = preds_of(30, 22)
    result = mc.bootstrap(preds, "accuracy", n_resamples=200, collapse=collapse)
    draws = result.draws[:, 0, 0]
    # The standard error of a mean of 0 and 1, on each resample.
    errors = np.sqrt(draws * (1 - draws) / 29)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (draws - 22 / 30) / errors
    t = t[np.isfinite(t)]
    error = np.sqrt(22 / 30 * 8 / 30 / 29)
    frame = result.confidence_interval(method="studentized")
    assert frame.ci_low[0] == pytest.approx(22 / 30 - np.quantile(t, 0.975) * error)
    assert frame.ci_high[0] == pytest.approx(22 / 30 - np.quantile(t, 0.025) * error)


def test_the_studentized_interval_of_a_difference_is_paired():
    rng = np.random.default_rng(0)
    scores = {"a": rng.normal(size=50), "b": rng.normal(size=50)}
    preds = mc.Predictions.from_scores(scores)
    frame = mc.compare(preds, method="studentized", n_resamples=500).differences
    d = scores["a"] - scores["b"]
    half = stats.t.isf(0.025, 49) * d.std(ddof=1) / np.sqrt(50)
    assert frame.ci_low[0] == pytest.approx(d.mean() - half, abs=0.05)
    assert frame.ci_high[0] == pytest.approx(d.mean() + half, abs=0.05)


def test_studentized_intervals_need_sums():
    rng = np.random.default_rng(0)
    preds = mc.Predictions(rng.integers(0, 2, 30), {"a": rng.random(30)}, kind="probabilities")
    with pytest.raises(
        ValueError, match="studentized intervals need metrics that are sums, roc_auc"
    ):
        mc.bootstrap(preds, "roc_auc", n_resamples=9).confidence_interval(method="studentized")
    with pytest.raises(
        ValueError, match="DeLong's intervals are for roc_auc only, not for accuracy"
    ):
        mc.bootstrap(preds, "accuracy", n_resamples=9).confidence_interval(method="delong")
    with pytest.raises(
        ValueError, match="logit intervals are for bounded metrics, log_loss is not"
    ):
        mc.bootstrap(preds, "log_loss", n_resamples=9).confidence_interval(method="logit")


def test_policies_for_undefined_resamples():
    preds = mc.Predictions([0] * 20 + [1] * 2, {"a": [0] * 20 + [1, 0]})
    counted = mc.bootstrap(preds, "recall", n_resamples=400)
    assert counted.n_undefined.sum() > 0
    for policy in ("stratify", "redraw"):
        result = mc.bootstrap(preds, "recall", n_resamples=400, undefined=policy)
        assert result.n_undefined.sum() == 0
    stratified = mc.bootstrap(preds, "recall", n_resamples=400, undefined="stratify")
    # One of the two positives is drawn, for both: a variance of s^2 / 2, not of half of that.
    assert set(np.unique(stratified.draws[:, 0, 1])) == {0.0, 1.0}
    with pytest.raises(
        ValueError, match=r"recall of class 1 is undefined on .* of 400 resamples of 'a'"
    ):
        mc.bootstrap(preds, "recall", n_resamples=400, undefined="raise")
    with pytest.raises(
        ValueError, match="`undefined` must be one of count, stratify, redraw, raise"
    ):
        mc.bootstrap(preds, "recall", n_resamples=400, undefined="drop")
    never = mc.Predictions([0, 1] * 5, {"a": [0] * 10})
    with pytest.raises(ValueError, match="almost never defined"):
        mc.bootstrap(never, "precision", n_resamples=10, undefined="redraw")


@needs("page")
@pytest.mark.parametrize(
    "method", ["auto", "wilson", "percentile", "basic", "normal", "studentized"]
)
def test_a_class_in_the_name_of_a_metric_selects_its_interval(method):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    models = {name: np.where(rng.random(90) < 0.7, y, rng.integers(0, 3, 90)) for name in "ab"}
    preds = mc.Predictions(y, models)
    every = mc.bootstrap(preds, ["recall", "accuracy"], n_resamples=199)
    some = mc.bootstrap(preds, ["recall[2]", "accuracy"], n_resamples=199)
    assert [column[:2] for column in some.replicates] == [
        (m, metric) for m in "ab" for metric in ("recall", "accuracy")
    ]
    frame = every.confidence_interval(method=method)
    expected = frame[(frame["metric"] == "accuracy") | (frame["label"] == 2)]
    pd.testing.assert_frame_equal(
        some.confidence_interval(method=method), expected.reset_index(drop=True)
    )
    np.testing.assert_array_equal(some.draws, every.draws[:, :, 2:])
    assert "2" in some._repr_html_()


def test_only_requested_classes_are_drawn_again_refused_and_warned_of():
    preds = mc.Predictions([0] * 20 + [1] * 2, {"a": [0] * 19 + [1, 1, 0]})
    counted = mc.bootstrap(preds, "recall", n_resamples=400)
    assert counted.n_undefined[0, 1] > 0
    for policy in ("redraw", "raise"):
        found = mc.bootstrap(preds, "recall[0]", n_resamples=400, undefined=policy)
        np.testing.assert_array_equal(found.draws, counted.draws[:, :, :1])
        assert not found.n_undefined.any()
    with pytest.raises(ValueError, match="recall of class 1 is undefined on"):
        mc.bootstrap(preds, "recall[1]", n_resamples=400, undefined="raise")
    drawn = mc.bootstrap(preds, "recall[1]", n_resamples=400, undefined="redraw")
    assert not np.isnan(drawn.draws).any()
    with pytest.warns(mc.SparseDataWarning, match="recall of 1: as uncertain as 2 samples"):
        mc.bootstrap(preds, "recall[1]", n_resamples=400).confidence_interval(method="percentile")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mc.bootstrap(preds, "recall[0]", n_resamples=400).confidence_interval()


def test_standard_errors_know_the_strata():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 600)
    hit = rng.random(600) < np.array([0.95, 0.5, 0.1])[y]
    models = {
        "a": np.where(hit, y, (y + 1) % 3),
        "b": np.where(rng.random(600) < 0.5, y, (y + 1) % 3),
    }
    for collapse in (True, False):
        for strata in (None, y):
            preds = mc.Predictions(y, models, strata=strata)
            result = mc.bootstrap(preds, "accuracy", n_resamples=4000, collapse=collapse)
            ratio = result.draws.std(axis=0)[:, 0] / result.moments.standard_error()[:, 0]
            np.testing.assert_allclose(ratio, 1, atol=0.05)
            pair = np.array([0]), np.array([1])
            spread = (result.draws[:, 0] - result.draws[:, 1]).std()
            assert spread == pytest.approx(result.moments.standard_error(pair)[0, 0], rel=0.05)


@pytest.mark.parametrize("collapse", [True, False])
def test_strata_of_two_have_the_variance_of_a_stratified_mean(collapse):
    rng = np.random.default_rng(0)
    strata = np.repeat(np.arange(40), 2)
    right = rng.integers(0, 2, 80)
    preds = mc.Predictions(np.ones(80, int), {"a": right}, labels=[0, 1], strata=strata)
    result = mc.bootstrap(preds, "accuracy", n_resamples=4000, collapse=collapse)
    # Cochran (1977), 5.12: sum over strata of (n_h / n)^2 s_h^2 / n_h.
    variances = [right[strata == h].var(ddof=1) for h in range(40)]
    expected = np.sqrt(np.sum(variances) * 2 / 80**2)
    assert result.moments.standard_error()[0, 0] == pytest.approx(expected)
    assert result.draws.std() == pytest.approx(expected, rel=0.05)
    assert result.draws.mean() == pytest.approx(right.mean(), abs=0.005)


def test_a_function_without_weights_can_be_resampled_within_small_strata():
    y = np.arange(20) % 2
    preds = mc.Predictions(y, {"a": y[::-1]}, strata=np.arange(20) // 5)
    draws = mc.bootstrap(preds, lambda y, p: np.mean(y == p), n_resamples=9).draws
    assert not np.isnan(draws).any()
