"""Calibrated predictions: their maps, their decisions, and the error of the fit."""

import pickle

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import logit, softmax

import modelcompare as mc
from modelcompare.engine.design import design_of
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.plugins.calibrated.methods import fitted
from modelcompare.resampling.weights import BootstrapWeights
from tests.plugins.calibrated.rows import soft

METHODS = ("temperature", "vector", "beta", "isotonic")


def parts(preds, model="a"):
    return preds.probabilities(model), np.asarray(preds.y_true), np.ones(len(preds))


def log_loss(p, codes, weights=None):
    return np.average(-np.log(p[np.arange(len(p)), codes]), weights=weights)


# -- maps against other programs ------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_a_temperature_has_the_least_log_loss(weighted):
    p, codes, weights = parts(soft(400))
    weights = np.random.default_rng(1).uniform(0.2, 3, 400) if weighted else weights
    best = minimize_scalar(
        lambda t: log_loss(softmax(np.log(p) / t, axis=1), codes, weights),
        bounds=(0.05, 20), method="bounded", options={"xatol": 1e-10},
    ).x  # fmt: skip
    np.testing.assert_allclose(
        fitted("temperature", p, codes, weights)(p), softmax(np.log(p) / best, axis=1), atol=1e-6
    )


def test_temperatures_of_models_that_are_always_right_end():
    p = softmax(np.random.default_rng(0).normal(size=(50, 3)), axis=1)
    found = fitted("temperature", p, p.argmax(axis=1), np.ones(50))(p)
    assert np.isfinite(found).all()
    assert (found.max(axis=1) > 0.95).mean() > 0.9


def test_isotonic_maps_are_those_of_scikit_learn():
    isotonic = pytest.importorskip("sklearn.isotonic")
    rng = np.random.default_rng(2)
    second = rng.integers(0, 40, 300) / 40
    codes, weights = (rng.random(300) < second**2).astype(int), rng.uniform(0.5, 2, 300)
    theirs = isotonic.IsotonicRegression(out_of_bounds="clip")
    theirs.fit(second, codes, sample_weight=weights)
    new = np.c_[1 - rng.random(99), rng.random(99)]
    new[:, 0] = 1 - new[:, 1]
    ours = fitted("isotonic", np.c_[1 - second, second], codes, weights)(new)
    np.testing.assert_allclose(ours[:, 1], theirs.predict(new[:, 1]), atol=1e-12)


def test_beta_maps_are_a_logistic_regression_on_two_logarithms():
    rng = np.random.default_rng(3)
    second = rng.beta(0.6, 0.8, 4000)
    codes = (rng.random(4000) < 1 / (1 + np.exp(-0.6 * logit(second) - 0.3))).astype(int)
    terms = np.c_[np.log(second), -np.log(1 - second), np.ones(4000)]
    theirs = sm.Logit(codes, terms).fit(disp=False).predict(terms)
    ours = fitted("beta", np.c_[1 - second, second], codes, np.ones(4000))
    # The ridge of a hundredth of a sample is what is left.
    np.testing.assert_allclose(ours(np.c_[1 - second, second])[:, 1], theirs, atol=2e-4)


def test_lines_of_logarithms_have_the_shares_of_the_classes():
    p, codes, weights = parts(soft(2000))
    found = fitted("vector", p, codes, weights)(p)
    np.testing.assert_allclose(found.mean(axis=0), np.bincount(codes) / 2000, atol=1e-4)
    assert log_loss(found, codes) < log_loss(fitted("temperature", p, codes, weights)(p), codes)


@pytest.mark.parametrize("method", METHODS)
@given(seed=st.integers(0, 99), classes=st.integers(2, 4))
@settings(max_examples=10)
def test_maps_give_probabilities_and_a_weight_counts_as_copies(method, seed, classes):
    rng = np.random.default_rng(seed)
    p, codes = rng.dirichlet(np.full(classes, 0.7), 40), rng.integers(0, classes, 40)
    times = rng.integers(0, 3, 40)
    found = fitted(method, p, codes, times.astype(float))(p)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)
    assert (found >= 0).all()
    copies = fitted(
        method, np.repeat(p, times, axis=0), np.repeat(codes, times), np.ones(sum(times))
    )
    np.testing.assert_allclose(copies(p), found, atol=1e-4)


# -- predictions ------------------------


@pytest.mark.parametrize("method", METHODS)
def test_metrics_of_decisions_keep_the_decisions_that_were_made(method):
    preds = soft(300, seed=4)
    hard = ["accuracy", "f1_macro", "mcc", "precision"]
    raw = mc.compare(preds, hard, n_resamples=99).scores["estimate"]
    on = mc.calibrated(preds, method, on=soft(200, seed=5))
    folds = mc.calibrated(preds, method, folds=4)
    again = pickle.loads(pickle.dumps(folds))
    for each in (on, folds, again, folds.with_columns(strata=None), on.subset(np.arange(300))):
        found = mc.compare(each, hard, n_resamples=99).scores["estimate"]
        assert found.tolist() == raw.tolist()
        decided = np.array([each.predicted(m) for m in "ab"])
        assert (decided == [preds.probabilities(m).argmax(axis=1) for m in "ab"]).all()
    some = np.r_[0:50, 200:250]
    assert (folds.subset(some).predicted("a") == preds.subset(some).predicted("a")).all()
    # Isotonic maps have ties and change decisions, if they were the likeliest classes.
    if method != "temperature":
        assert any((on.probabilities(m).argmax(axis=1) != preds.predicted(m)).any() for m in "ab")
    soft_of = [mc.bootstrap(p, "brier_score", n_resamples=2).estimate for p in (preds, on)]
    assert (soft_of[0] > soft_of[1]).all()


def test_a_fold_is_mapped_by_the_others_and_clusters_are_whole():
    preds = soft(120, seed=6).with_columns(groups=np.arange(120) // 4)
    found = mc.calibrated(preds, folds=3)
    fold = found.access.attachments["calibrated"].fold
    assert np.bincount(fold).tolist() == [40, 40, 40]
    assert (fold.reshape(30, 4) == fold[::4, None]).all()
    # The labels of a fold do not change how it is mapped.
    y = np.array(preds.y_true)
    y[fold == 0] = (y[fold == 0] + 1) % 3
    outputs = {m: preds.probabilities(m) for m in "ab"}
    other = mc.calibrated(
        mc.Predictions(y, outputs, groups=preds.groups, labels=preds.labels), folds=3
    )
    same = found.probabilities("a") == other.probabilities("a")
    assert same[fold == 0].all()
    assert not same[fold != 0].any()
    by_hand = fitted("temperature", *(part[fold != 0] for part in parts(preds)))
    np.testing.assert_array_equal(
        found.probabilities("a")[fold == 0], by_hand(preds.probabilities("a")[fold == 0])
    )


def test_other_samples_give_maps_that_are_fixed():
    preds, on = soft(200, seed=7), soft(150, seed=8)
    found = mc.calibrated(preds, "beta", on=on[["b", "a"]])
    by_hand = fitted("beta", *parts(on, "b"))(preds.probabilities("b"))
    np.testing.assert_array_equal(found.probabilities("b"), by_hand)
    assert not found.access.attachments
    result = mc.compare(found, "cf1_macro")
    assert result.differences["test"].str.startswith("studentized-permutation").all()


@pytest.mark.parametrize(("change", "words"), [
    ({}, "give either on="),
    ({"on": soft(30, 9), "folds": 2}, "give either on="),
    ({"on": soft(60)}, "has samples of `predictions`"),
    ({"on": soft(30, 9)[["a"]]}, "`on` lacks 'b'"),
    ({"on": mc.Predictions([0, 1, 1], {m: [[0.2, 0.8]] * 3 for m in "ab"})}, "has the labels"),
    ({"folds": 61}, "needs as many samples"),
])  # fmt: skip
def test_what_is_not_answered_is_refused(change, words):
    with pytest.raises(ValueError, match=words):
        mc.calibrated(soft(60), **change)


def test_what_has_no_probabilities_of_all_classes_is_refused():
    with pytest.raises(ValueError, match="no probabilities of 'a'"):
        mc.calibrated(mc.Predictions([0, 1, 1, 0], {"a": [0, 1, 0, 0]}), folds=2)
    preds = soft(60)
    outputs = {m: preds.probabilities(m) for m in preds.models}
    runs = mc.Predictions(preds.y_true, outputs, ids=np.arange(60) // 2, runs=np.arange(60) % 2)
    with pytest.raises(ValueError, match="not calibrated across folds"):
        mc.calibrated(runs, folds=2)
    once = mc.calibrated(soft(60), folds=2)
    with pytest.raises(ValueError, match="calibrated on its own samples"):
        mc.calibrated(once, folds=2)


# -- the error of the fit ------------------------


def estimator_of(preds, metrics=("cf1_macro", "log_loss", "accuracy")):
    evaluation = Evaluation(preds, resolve_metrics([*metrics], preds))
    return design_of(preds).estimator(evaluation)


@pytest.mark.parametrize("clustered", [False, True])
def test_errors_are_the_spread_of_values_that_are_fitted_anew(clustered):
    preds = soft(400, seed=11)
    preds = preds.with_columns(groups=np.arange(400) // 2) if clustered else preds
    estimator = estimator_of(mc.calibrated(preds, folds=4))
    weights = BootstrapWeights(estimator.evaluation.units, 300, np.random.SeedSequence(1))
    drawn = estimator.drawn(weights)
    variance = estimator.layers(None).variance[0]
    np.testing.assert_allclose(np.sqrt(variance) / drawn.std(axis=0, ddof=1), 1, atol=0.25)
    pairs = np.array([0]), np.array([1])
    apart = np.sqrt(estimator.layers(pairs).variance[0, 0])
    np.testing.assert_allclose(apart / (drawn[:, 0] - drawn[:, 1]).std(axis=0), 1, atol=0.3)


def test_the_fit_widens_intervals_of_soft_metrics_alone():
    preds = soft(600, seed=12)
    found = mc.calibrated(preds, folds=5)
    fixed = mc.Predictions(preds.y_true, {m: found.probabilities(m) for m in "ab"})
    metrics = ["cf1_macro", "accuracy"]
    widths = [
        (table["ci_high"] - table["ci_low"]).groupby(table["metric"]).mean()
        for table in (mc.compare(p, metrics, n_resamples=99).scores for p in (found, fixed))
    ]
    assert widths[0]["cf1_macro"] > 1.2 * widths[1]["cf1_macro"]
    assert widths[0]["accuracy"] == pytest.approx(widths[1]["accuracy"], rel=0.2)


def test_answers_state_the_calibration_and_refuse_what_does_not_know_its_error():
    found = mc.calibrated(soft(200, seed=13), folds=5)
    result = mc.compare(found, "cf1_macro")
    assert "calibrated by temperature in 5 folds" in str(result)
    assert "calibrated:temperature, 5 folds" in result.signature
    assert (result.differences["test"] == "wald").all()
    for options in ({"method": "percentile"}, {"test": "bootstrap"}):
        with pytest.raises(ValueError, match="does not know the error of a calibration"):
            mc.compare(found, "cf1_macro", **options)
    with pytest.raises(ValueError, match="calibrated on its own samples"):
        mc.bootstrap(found, "cf1_macro")
    assert mc.decide(found, "b", "a", "cf1_macro", margin=0.5).passed in (True, False)


def test_studies_fit_the_maps_to_each_resample():
    found = mc.calibrated(soft(200, seed=14), folds=2)
    study = mc.studies.variance_study(
        found, [("f1_macro", "cf1_macro")], ratios=[1.0, 0.5], n_resamples=40, tests=["f"]
    )
    raw = mc.studies.variance_study(
        soft(200, seed=14), [("f1_macro", "cf1_macro")], ratios=[1.0, 0.5], n_resamples=40,
        tests=["f"],
    )  # fmt: skip
    soft_of, hard_of = (
        [s.distribution.query(f"metric == '{metric}'")["mean"].to_numpy() for s in (study, raw)]
        for metric in ("cf1_macro", "f1_macro")
    )
    assert (soft_of[0] != soft_of[1]).all()
    # Metrics of decisions are those of the raw predictions, drawn by the same seed.
    np.testing.assert_allclose(*hard_of, rtol=1e-9)
