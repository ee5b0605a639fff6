"""Cross-validation of estimators, fold-level tests, and scorers, against loops and scikit-learn."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.sparse import csr_matrix
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, f1_score, get_scorer, make_scorer
from sklearn.model_selection import (
    FixedThresholdClassifier,
    KFold,
    LeaveOneOut,
    LeavePOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

import modelcompare as mc
from modelcompare.plugins.folds.fold_tests import (
    corrected_t,
    correlated_t,
    five_by_two_f,
    five_by_two_t,
)

X, Y = make_classification(n_samples=200, n_informative=4, flip_y=0.2, random_state=0)
MODELS = {"logistic": LogisticRegression(), "bayes": GaussianNB()}


def test_folds_are_scikit_learns():
    splitter = StratifiedKFold(5, shuffle=True, random_state=3)
    result = mc.crossval.compare_estimators(
        MODELS, X, Y, cv=splitter, metrics=["accuracy", "f1_macro"]
    )
    values = result.folds.set_index(["model", "metric"]).sort_index()["value"]
    for name, estimator in MODELS.items():
        for metric in ("accuracy", "f1_macro"):
            expected = cross_val_score(estimator, X, Y, cv=splitter, scoring=metric)
            found = values.loc[name, metric]
            np.testing.assert_allclose(found, expected)
    (whole,) = result.predictions
    np.testing.assert_array_equal(whole.y_true, Y)
    assert result.compare("accuracy", n_resamples=99).scores.shape[0] == 2


def test_corrected_t_by_hand():
    result = mc.crossval.compare_estimators(MODELS, X, Y, cv=10, metrics="accuracy")
    result = result.with_rope(0.02)
    values = result.folds.pivot(index="fold", columns="model", values="value")
    d = (values["logistic"] - values["bayes"]).to_numpy()
    t = d.mean() / np.sqrt((1 / 10 + 1 / 9) * d.var(ddof=1))
    row = result.differences.iloc[0]
    assert row.statistic == pytest.approx(t)
    assert row.p_value == pytest.approx(2 * stats.t.sf(abs(t), 9))
    half = stats.t.ppf(0.975, 9) * row.standard_error
    assert (row.ci_low, row.ci_high) == pytest.approx((d.mean() - half, d.mean() + half))
    posterior = stats.t(9, d.mean(), row.standard_error)
    expected = [
        posterior.sf(0.02),
        posterior.cdf(0.02) - posterior.cdf(-0.02),
        posterior.cdf(-0.02),
    ]
    assert [row.p_a, row.p_equivalent, row.p_b] == pytest.approx(expected)


def test_five_by_two_by_a_loop():
    result = mc.crossval.compare_estimators(
        MODELS, X, Y, cv="5x2", metrics="accuracy", test="5x2cv-t"
    )
    values = result.folds.pivot(index=["repeat", "fold"], columns="model", values="value")
    d = (values["logistic"] - values["bayes"]).to_numpy().reshape(5, 2)
    variances = [(a - (a + b) / 2) ** 2 + (b - (a + b) / 2) ** 2 for a, b in d]
    t = d[0, 0] / np.sqrt(sum(variances) / 5)
    assert result.differences.statistic[0] == pytest.approx(t)
    assert result.differences.p_value[0] == pytest.approx(2 * stats.t.sf(abs(t), 5))
    f = (d**2).sum() / (2 * sum(variances))
    found = five_by_two_f(d)
    assert (found.statistic, found.p_value) == pytest.approx((f, stats.f.sf(f, 10, 5)))
    assert len(result.predictions) == 5


def test_tables_of_a_cross_validation():
    result = mc.crossval.compare_estimators(MODELS, X, Y, cv=5, metrics=["accuracy", "f1"])
    text = result.to_markdown()
    assert "| accuracy | logistic | bayes |" in text
    assert "| f1 of 1 | logistic |" in text
    assert "folds:5|repeats:1|test:corrected-t|adjust:holm|rng:0" in text


def test_equal_estimators_do_not_differ():
    same = mc.crossval.compare_estimators({"a": GaussianNB(), "b": GaussianNB()}, X, Y, cv=3)
    assert (same.differences.difference == 0).all()
    assert (same.differences.p_value == 1).all()
    assert same.differences.better.isna().all()
    assert five_by_two_f(np.zeros((5, 2))).p_value == five_by_two_t(np.zeros((5, 2))).p_value == 1
    assert correlated_t(np.zeros(5), 0.2, 0.01) == (0, 1, 0)


def test_swapping_estimators_changes_signs():
    one = mc.crossval.compare_estimators(MODELS, X, Y, cv=5, metrics="log_loss").differences.iloc[0]
    swapped = {"bayes": MODELS["bayes"], "logistic": MODELS["logistic"]}
    other = mc.crossval.compare_estimators(
        swapped, X, Y, cv=5, metrics="log_loss"
    ).differences.iloc[0]
    assert one.difference == pytest.approx(-other.difference)
    assert one.p_value == pytest.approx(other.p_value)
    # Lower is better, and so it is for the posterior.
    assert one.p_a == pytest.approx(other.p_b)
    assert (one.p_a > one.p_b) == (one.difference < 0)


def test_any_kind_of_features():
    texts = [" ".join(f"w{int(v > 0)}{j}" for j, v in enumerate(row[:4])) for row in X]
    models = {"bayes": make_pipeline(CountVectorizer(), MultinomialNB())}
    assert mc.crossval.compare_estimators(models, texts, Y, cv=3).scores["mean"].min() > 0.3
    frame = mc.crossval.compare_estimators(MODELS, pd.DataFrame(X), Y, cv=3).folds
    sparse = mc.crossval.compare_estimators(
        {"logistic": MODELS["logistic"]}, csr_matrix(X), Y, cv=3
    ).folds
    both = frame[frame.model == "logistic"]["value"].to_numpy()
    np.testing.assert_allclose(both, sparse["value"], atol=1e-6)


def test_groups_stay_together_and_reach_the_predictions():
    groups = np.arange(200) // 4
    result = mc.crossval.compare_estimators(MODELS, X, Y, cv=5, groups=groups, metrics="accuracy")
    assert (result.predictions[0].groups == groups).all()
    assert (
        len(
            mc.crossval.compare_estimators(
                MODELS, X, Y, cv="loo", groups=np.arange(200) % 4, metrics="accuracy"
            ).folds
        )
        == 2 * 4
    )
    with pytest.raises(ValueError, match="would tear groups apart"):
        mc.crossval.compare_estimators(MODELS, X, Y, cv="5x2", groups=groups)


def test_regressors_leave_one_out_and_splits_that_overlap():
    x, y = load_diabetes(return_X_y=True)
    models = {"ridge": Ridge(), "ols": LinearRegression()}
    result = mc.crossval.compare_estimators(models, x, y, cv=KFold(4))
    expected = -cross_val_score(Ridge(), x, y, cv=KFold(4), scoring="neg_root_mean_squared_error")
    found = result.folds.query("model == 'ridge' and metric == 'rmse'")["value"]
    np.testing.assert_allclose(found, expected)
    alone = mc.crossval.compare_estimators(models, x[:40], y[:40], cv="loo")
    assert len(alone.predictions[0]) == 40
    random = mc.crossval.compare_estimators(models, x, y, cv=ShuffleSplit(6, random_state=0))
    assert random.predictions == ()
    assert len(random.folds) == 3 * 2 * 6
    with pytest.raises(ValueError, match="do not predict every sample once"):
        random.compare()


def test_a_fold_whose_training_part_lacks_a_class():
    y = np.r_[np.zeros(30), np.ones(29), 2].astype(int)
    x = np.random.default_rng(0).normal(size=(60, 3)) + y[:, None]
    result = mc.crossval.compare_estimators(
        {"b": GaussianNB()}, x, y, cv=KFold(3, shuffle=True, random_state=1)
    )
    assert result.predictions[0].access.n_classes == 3


def test_estimators_without_probabilities_give_labels():
    models = {"svm": LinearSVC(), "bayes": GaussianNB()}
    result = mc.crossval.compare_estimators(
        models, X, Y, cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    )
    assert len(result.predictions) == 2
    assert result.predictions[0].output("bayes").kind == "labels"
    assert set(result.scores.metric) == {"accuracy", "f1_macro"}
    assert (result.scores.n_folds == 6).all()


@pytest.mark.parametrize(
    "estimator",
    [
        FixedThresholdClassifier(LogisticRegression(), threshold=0.9),
        TunedThresholdClassifierCV(
            LogisticRegression(), scoring="f1", thresholds=9, cv=2, random_state=0
        ),
        LogisticRegression(),
        SVC(),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_metrics_of_labels_take_what_predict_says(estimator):
    models = {"it": estimator, "plain": LogisticRegression()}
    splitter = StratifiedKFold(2)
    names = {"accuracy": "accuracy", "f1_macro": "f1_macro"}
    if hasattr(estimator, "predict_proba"):
        names |= {"roc_auc": "roc_auc", "log_loss": "neg_log_loss"}
    result = mc.crossval.compare_estimators(models, X, Y, cv=splitter, metrics=list(names))
    values = result.folds.set_index(["model", "metric"]).sort_index()["value"]
    for model, fitted in models.items():
        expected = cross_validate(fitted, X, Y, cv=splitter, scoring=names)
        for metric in names:
            found = values.loc[model, metric]
            np.testing.assert_allclose(found, np.abs(expected[f"test_{metric}"]))


def test_metrics_of_other_predictions_need_two_calls():
    strict = FixedThresholdClassifier(LogisticRegression(), threshold=0.9)
    folds = mc.crossval.compare_estimators(
        {"strict": strict, "plain": LogisticRegression()}, X, Y, cv=4
    )
    assert folds.scores.metric.unique().tolist() == ["accuracy", "f1_macro", "log_loss"]
    named_scores = cross_val_score(strict, X, Y, cv=folds_of(folds), scoring="accuracy").mean()
    hard = folds.compare("accuracy", n_resamples=99)
    assert hard.scores.query("model == 'strict'").estimate.item() == pytest.approx(named_scores)
    soft = folds.compare("log_loss", n_resamples=99)
    equal = soft.scores.set_index("model").estimate
    assert equal["strict"] == pytest.approx(equal["plain"])
    assert folds.compare(n_resamples=99).evidence.metrics == ("accuracy", "f1_macro")
    with pytest.raises(ValueError, match="are of different predictions; compare them in two calls"):
        folds.compare(["accuracy", "log_loss"])


def folds_of(result):
    """The splits of a comparison's numbered folds, which are scikit-learn's of its seed."""
    state = int(np.random.SeedSequence(0).generate_state(1)[0])
    n_folds = result.folds.fold.nunique()
    return StratifiedKFold(n_folds, shuffle=True, random_state=state)


@pytest.mark.slow
def test_results_do_not_depend_on_the_number_of_jobs():
    one = mc.crossval.compare_estimators(MODELS, X, Y, cv=4)
    with mc.config_context(n_jobs=2):
        two = mc.crossval.compare_estimators(MODELS, X, Y, cv=4)
    assert one.differences.equals(two.differences)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cv": 1}, "`cv` must be at least 2, got 1"),
        ({"test": "5x2cv-f"}, "`test='5x2cv-f'` needs five repeats of 2 folds"),
        ({"test": "t"}, "`test` must be one of corrected-t"),
        ({"correction": "max-t"}, "needs replicates"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        mc.crossval.compare_estimators(MODELS, X, Y, **options)
    with pytest.raises(TypeError, match="`cv` must be a number of folds"):
        mc.crossval.compare_estimators(MODELS, X, Y, cv="ten")
    with pytest.raises(ValueError, match="at least 2 folds"):
        corrected_t([1], 0.5)
    with pytest.raises(ValueError, match=r"shape \(5, 2\)"):
        five_by_two_t([1, 2])


def test_scorers_by_name_and_as_objects():
    x, y = (each[::5] for each in load_iris(return_X_y=True))
    fitted = {"bayes": GaussianNB().fit(x, y), "prior": DummyClassifier().fit(x, y)}
    by_name = mc.crossval.compare_scorers(fitted, x, y, ["accuracy", "f1_macro"], n_resamples=99)
    assert by_name.bootstrap.evaluation.metrics[0].strategy == "sum"
    objects = {"acc": "accuracy", "f1": make_scorer(f1_score, average="macro"),
               "loss": "neg_log_loss", "own": lambda e, x, y: accuracy_score(y, e.predict(x))}  # fmt: skip
    result = mc.crossval.compare_scorers(fitted, x, y, objects, n_resamples=9)
    for name, estimator in fitted.items():
        found = result.scores.set_index(["model", "metric"])["estimate"][name]
        assert found["loss"] == pytest.approx(get_scorer("neg_log_loss")(estimator, x, y))
        assert found["acc"] == found["own"] == pytest.approx(estimator.score(x, y))
    # Resamples of both ways are the same samples, drawn for all models at once.
    same = mc.crossval.compare_scorers(fitted, x, y, {"accuracy": objects["own"]}, n_resamples=19)
    fast = mc.compare(
        by_name.bootstrap.evaluation.predictions, "accuracy", n_resamples=19, collapse=False
    )
    np.testing.assert_allclose(same.bootstrap.draws, fast.bootstrap.draws)
    with pytest.raises(ValueError, match="names accuracy twice"):
        mc.crossval.compare_scorers(fitted, x, y, ["accuracy", "accuracy"])
    with pytest.raises(ValueError, match="is empty"):
        mc.crossval.compare_scorers(fitted, x, y, [])


def test_fast_scorers_are_scikit_learns_on_every_resample():
    from modelcompare.plugins.folds.scorers import _SAME

    rng = np.random.default_rng(0)
    y = np.r_[np.repeat([0, 1], 4), 2]
    x = rng.normal(size=(9, 1)) + y[:, None]
    fitted = {
        "a": GaussianNB().fit(x, y),
        "b": DummyClassifier(strategy="constant", constant=0).fit(x, y),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fast = mc.crossval.compare_scorers(fitted, x, y, sorted(_SAME), n_resamples=5, method="percentile",
                                  collapse=False)  # fmt: skip
        slow = mc.crossval.compare_scorers(fitted, x, y, {f"{n}_": n for n in sorted(_SAME)}, n_resamples=5,
                                  method="percentile")  # fmt: skip
        np.testing.assert_allclose(fast.bootstrap.draws, slow.bootstrap.draws, atol=1e-12)
        other = mc.crossval.compare_scorers(fitted, x, y, ["precision_macro", "matthews_corrcoef"], n_resamples=5,
                                   method="percentile")  # fmt: skip
        expected = [
            get_scorer(n)(e, x, y)
            for e in fitted.values()
            for n in ("precision_macro", "matthews_corrcoef")
        ]
        np.testing.assert_allclose(other.scores.estimate, expected)


def test_scorers_refuse_other_lengths_and_bear_empty_resamples():
    fitted = {"a": GaussianNB().fit(X, Y)}
    with pytest.raises(ValueError, match="`X` has 9 rows and `y` 6"):
        mc.crossval.compare_scorers(fitted, X[:9], Y[:6], {"own": "accuracy"})
    score = mc.crossval.compare_scorers
    with pytest.warns(mc.UndefinedMetricWarning):
        found = score(fitted, X[:3], Y[:3], {"own": "accuracy"}, n_resamples=200, scheme="poisson",
                      method="percentile")  # fmt: skip
    assert found.scores.n_undefined[0] > 0


def test_a_fold_of_one_sample_is_left_out():
    groups = np.r_[np.repeat(np.arange(13), 3), [13]]
    result = mc.crossval.compare_estimators(
        MODELS, X[:40], Y[:40], cv="loo", groups=groups, metrics="accuracy"
    )
    assert len(result.differences) == 1
    assert result.folds.fold.nunique() == 13


def test_numbers_and_matrices_of_other_kinds():
    one = mc.crossval.compare_estimators(MODELS, X, Y, cv=np.int64(3), metrics="accuracy").folds
    two = mc.crossval.compare_estimators({"logistic": MODELS["logistic"]}, csr_matrix(X).tocoo(), Y, cv=3,
                                metrics="accuracy").folds  # fmt: skip
    np.testing.assert_allclose(one[one.model == "logistic"]["value"], two["value"], atol=1e-6)


def test_leave_one_out_answers_by_pooled_predictions():
    models = {"bayes": GaussianNB(), "dummy": DummyClassifier()}
    for cv in ("loo", LeaveOneOut()):
        found = mc.crossval.compare_estimators(models, X[:60], Y[:60], cv=cv, metrics="accuracy")
        expected = [
            accuracy_score(Y[:60], cross_val_predict(model, X[:60], Y[:60], cv=LeaveOneOut()))
            for model in models.values()
        ]
        assert found.scores["mean"].tolist() == pytest.approx(expected)
        whole = found.compare("accuracy", rng=0).differences.iloc[0]
        row = found.differences.iloc[0]
        for name in ("difference", "ci_low", "ci_high", "p_value", "p_adjusted", "better"):
            assert row[name] == whole[name]
        assert found.verdict().startswith("accuracy: bayes leads")
        assert "Folds of one sample have no value" in found.verdict()
        assert found.signature == found.compare("accuracy", rng=0).signature
        assert "accuracy" in str(found)


def test_folds_of_one_sample_are_counted_and_refused_where_nothing_else_is_tested():
    models = {"bayes": GaussianNB(), "dummy": DummyClassifier()}
    some = mc.crossval.compare_estimators(models, X[:36], Y[:36], cv=KFold(24), metrics="accuracy")
    assert some.notes == ("12 of 24 folds are left out: they have one sample, and no value.",)
    assert some.scores["n_folds"].tolist() == [12, 12]
    with pytest.raises(ValueError, match="each of the 8 test parts of `cv` has one sample"):
        mc.crossval.compare_estimators(models, X[:36], Y[:36], cv=ShuffleSplit(8, test_size=1))
    # All pairs of samples are folds with values.
    pairs = mc.crossval.compare_estimators(
        models, X[:12], Y[:12], cv=LeavePOut(2), metrics="accuracy"
    )
    assert pairs.scores["n_folds"].tolist() == [66, 66]
