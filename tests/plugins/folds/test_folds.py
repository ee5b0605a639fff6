"""Published scores on folds: read in either form, and tested as their estimators would have been."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import modelcompare as mc
from tests.plugged import needed

# It reads tables of scores.
needed("published")

RNG = np.random.default_rng(0)
WIDE = pd.DataFrame(RNG.normal([0.8, 0.82, 0.7], 0.02, (10, 3)), columns=["cnn", "lstm", "bow"])
TIDY = WIDE.assign(fold=range(10)).melt("fold", var_name="model", value_name="score")
SIZES = {"n_train": 900, "n_test": 100}
TEN = {**SIZES, "greater_is_better": True}


def numbers(result):
    return result.differences.select_dtypes("number").to_numpy()


@pytest.fixture(scope="module")
def estimators():
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=1, random_state=0)}
    models["prior"] = DummyClassifier()
    return mc.crossval.compare_estimators(
        models, *load_iris(return_X_y=True), cv="5x2", metrics=["accuracy", "f1", "log_loss"]
    )


def test_the_folds_of_estimators_give_their_differences_again(estimators):
    found = mc.crossval.compare_folds(estimators.folds)
    pd.testing.assert_frame_equal(found.differences, estimators.differences)
    pd.testing.assert_frame_equal(found.scores, estimators.scores)
    shuffled = estimators.folds.rename(columns={"value": "score"}).iloc[::-1]
    again = mc.crossval.compare_folds(shuffled).differences
    keys = ["metric", "label"]
    for (metric, label), part in estimators.differences.groupby(keys, dropna=False):
        of = again[
            (again.metric == metric)
            & (again.label.isna() if label != label else again.label == label)
        ]
        assert sorted(of.p_value) == pytest.approx(sorted(part.p_value))


def test_corrected_t_by_hand():
    row = mc.crossval.compare_folds(WIDE, **TEN).differences.iloc[0]
    d = (WIDE["cnn"] - WIDE["lstm"]).to_numpy()
    error = np.sqrt((1 / 10 + 1 / 9) * d.var(ddof=1))
    assert (row.model_a, row.model_b, row.metric) == ("cnn", "lstm", "score")
    assert row.difference == pytest.approx(d.mean())
    assert row.p_value == pytest.approx(2 * stats.t.sf(abs(d.mean() / error), 9))
    half = stats.t.ppf(0.975, 9) * error
    assert (row.ci_low, row.ci_high) == pytest.approx((d.mean() - half, d.mean() + half))
    plain = stats.ttest_rel(WIDE["cnn"], WIDE["lstm"]).pvalue
    assert plain < row.p_value


def test_either_form_and_any_order_of_rows_say_the_same():
    expected = numbers(mc.crossval.compare_folds(WIDE, **TEN))
    named = WIDE.assign(fold=[f"f{i}" for i in range(10)])
    for table in (
        WIDE.to_dict("list"), named, named.set_index("fold"), TIDY,
        TIDY.sample(frac=1, random_state=1).sort_values("model", key=lambda m: m.map(list(WIDE).index)),
        TIDY.assign(n_train=9, n_test=1), WIDE.iloc[::-1],
    ):  # fmt: skip
        np.testing.assert_allclose(
            numbers(mc.crossval.compare_folds(table, **TEN)), expected, rtol=1e-9
        )
    sized = mc.crossval.compare_folds(TIDY.assign(n_train=9, n_test=1), greater_is_better=True)
    np.testing.assert_allclose(numbers(sized), expected, rtol=1e-9)


def test_columns_that_describe_folds_are_left_out_if_models_are_named(tmp_path):
    frame = WIDE.assign(fold=range(10), train_end=[f"2020-01-{n + 1:02d}" for n in range(10)])
    frame.to_csv(tmp_path / "folds.csv", index=False)
    typed = ["ranks", str(tmp_path / "folds.csv"), "--n-train", "900", "--n-test", "100",
             "--higher-is-better", "--format", "json"]  # fmt: skip
    command = [sys.executable, "-m", "modelcompare", *typed]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "name the models with models= (--model)" in refused.stderr
    named = [*command, "--model", "cnn", "--model", "lstm", "--model", "bow"]
    scores = json.loads(subprocess.run(named, capture_output=True, check=True).stdout)["scores"]
    expected = mc.crossval.compare_folds(WIDE, **TEN).scores
    assert [each["mean"] for each in scores] == pytest.approx(expected["mean"].tolist())


def test_only_the_ratio_of_the_sizes_counts():
    np.testing.assert_allclose(
        numbers(mc.crossval.compare_folds(WIDE, n_train=9, n_test=1, greater_is_better=True)),
        numbers(mc.crossval.compare_folds(WIDE, **TEN)), rtol=1e-12,
    )  # fmt: skip
    halves = mc.crossval.compare_folds(
        WIDE, n_train=1, n_test=1, greater_is_better=True
    ).differences.p_value
    assert (halves > mc.crossval.compare_folds(WIDE, **TEN).differences.p_value).all()


@pytest.mark.parametrize("test", ["5x2cv-t", "5x2cv-f"])
def test_five_times_two_folds_need_no_sizes(estimators, test):
    wide = estimators.folds[estimators.folds.metric == "accuracy"].pivot(
        index=["repeat", "fold"], columns="model", values="value"
    )
    found = mc.crossval.compare_folds(
        wide[["bayes", "tree"]], test=test, greater_is_better=True
    ).differences.iloc[0]
    d = (wide["bayes"] - wide["tree"]).to_numpy().reshape(5, 2)
    spread = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    t = d[0, 0] / np.sqrt(spread.mean())
    f = (d**2).sum() / (2 * spread.sum())
    expected = {"5x2cv-t": 2 * stats.t.sf(abs(t), 5), "5x2cv-f": stats.f.sf(f, 10, 5)}
    assert found.p_value == pytest.approx(expected[test])


def test_a_metric_that_is_known_has_its_own_direction():
    up = mc.crossval.compare_folds(TIDY.assign(metric="accuracy"), **SIZES)
    down = mc.crossval.compare_folds(TIDY.assign(metric="log_loss"), **SIZES)
    declared = mc.crossval.compare_folds(WIDE, greater_is_better=False, **SIZES)
    assert up.verdict().startswith("accuracy: lstm has the highest mean over 10 folds (0.818), is")
    assert down.verdict().startswith("log_loss: bow has the lowest mean over 10 folds (0.697) and")
    assert declared.differences.better.tolist()[1:] == ["bow", "bow"]
    assert up.differences.better.tolist()[1:] == ["cnn", "lstm"]
    np.testing.assert_allclose(up.differences.p_a, down.differences.p_b)


def test_models_of_one_mean_are_all_named():
    right = {"a": [0.8, 0.9] * 5, "b": [0.9, 0.8] * 5, "c": np.tile([0.31, 0.29], 5)}
    for names in ("abc", "bac"):
        found = mc.crossval.compare_folds(
            pd.DataFrame({name: right[name] for name in names}), n_train=9, n_test=1,
            greater_is_better=True,
        )  # fmt: skip
        first, second, _ = names
        start = f"score: {first} and {second} have the highest mean over 10 folds (0.850) and are"
        assert found.verdict().startswith(start + " better than c (p < 0.001).")


def test_corrections_span_the_pairs_of_a_metric():
    found = mc.crossval.compare_folds(WIDE, correction="bonferroni", **TEN).differences
    np.testing.assert_allclose(found.p_adjusted, np.minimum(3 * found.p_value, 1))


def test_folds_that_all_differ_by_the_same_show_no_more_than_their_number_can():
    row = mc.crossval.compare_folds(
        {"a": [0.1, 0.2, 0.3], "b": [0.0, 0.1, 0.2]}, **TEN
    ).differences.iloc[0]
    assert row.p_value == 0.25
    assert np.isnan(row.ci_low)
    assert np.isnan(row.ci_high)


def test_tables_as_papers_print_them_are_read():
    expected = numbers(mc.crossval.compare_folds(WIDE, **TEN))
    printed = WIDE.map(lambda x: f"**{100 * x:.12f}%** ± 0.5").assign(Fold=range(10))
    found = mc.crossval.compare_folds(printed, **TEN)
    np.testing.assert_allclose(found.differences.p_value, expected[:, 5], rtol=1e-6)
    assert found.notes == ("Left out of cells: ± 0.5.",)
    assert "Left out of cells: ± 0.5." in str(found)
    assert mc.crossval.compare_folds(WIDE, **TEN).notes == ()
    for table, options in (
        (TIDY.rename(columns={"model": "system", "fold": "CV-fold", "score": "value"}), {}),
        (TIDY.set_axis(["k", "who", "value"], axis=1), {"columns": {"id": "k", "model": "who"}}),
        (TIDY.assign(what=0.5), {"columns": {"score": "score"}, "models": ["cnn", "lstm", "b*"]}),
    ):  # fmt: skip
        if "what" in table and "score" in table:
            with pytest.raises(
                ValueError, match=r"besides scores of folds 1 \(what\); leave it out"
            ):
                mc.crossval.compare_folds(table, **options, **TEN)
            table = table.drop(columns="what")
        found = mc.crossval.compare_folds(table, **options, **TEN)
        np.testing.assert_allclose(numbers(found), expected, rtol=1e-9)


def test_models_may_have_names_of_columns_of_models():
    named = WIDE.set_axis(["baseline", "method", "system"], axis=1)
    found = mc.crossval.compare_folds(named, **TEN)
    np.testing.assert_allclose(numbers(found), numbers(mc.crossval.compare_folds(WIDE, **TEN)))
    assert found.scores["model"].tolist() == ["baseline", "method", "system"]


def test_the_name_of_the_scores_is_the_metric():
    errors = TIDY.rename(columns={"score": "log_loss"})
    found = mc.crossval.compare_folds(errors, **SIZES)
    assert found.greater_is_better == {"log_loss": False}
    assert mc.crossval.compare_folds(TIDY, **TEN).greater_is_better == {"score": True}


def test_folds_that_a_model_lacks_are_dropped_by_name_only():
    table = WIDE.assign(fold=range(10))
    table.loc[4, "cnn"] = np.nan
    with pytest.raises(
        ValueError, match=r"lacks the score of cnn on fold '4 of repeat 0' \(1 miss"
    ):
        mc.crossval.compare_folds(table, **TEN)
    found = mc.crossval.compare_folds(table, missing="drop", **TEN)
    assert found.notes == ("Folds dropped: 1 (4 of repeat 0).",)
    expected = mc.crossval.compare_folds(table.drop(index=4), **TEN)
    np.testing.assert_allclose(numbers(found), numbers(expected))


def test_folds_of_a_loss_with_a_name_of_its_own_need_no_direction():
    rng = np.random.default_rng(0)
    rows = [(f, m, "val_loss", rng.random() + i) for f in range(6) for i, m in enumerate("ab")]
    frame = pd.DataFrame(rows, columns=["fold", "model", "metric", "value"])
    found = mc.crossval.compare_folds(frame, n_train=90, n_test=10)
    assert found.greater_is_better == {"val_loss": False}


@pytest.mark.parametrize("test", ["corrected-t", "5x2cv-t", "5x2cv-f"])
def test_tests_of_folds_and_their_intervals_are_given_as_they_are(test):
    rng, apart = np.random.default_rng(0), 0
    for _ in range(6):
        scores = rng.normal([0.5, 0.54], 0.05, (5, 2, 2))
        folds = [
            {"repeat": r, "fold": f, "model": model, "score": scores[r, f, at]}
            for r in range(5)
            for f in range(2)
            for at, model in enumerate("ab")
        ]
        sizes = {"n_train": 50, "n_test": 50, "greater_is_better": True}
        result = mc.crossval.compare_folds(pd.DataFrame(folds), test=test, **sizes)
        row, d = result.differences.iloc[0], scores[..., 0] - scores[..., 1]
        if test == "5x2cv-f":
            variances = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum()
            assert row["p_value"] == pytest.approx(
                stats.f.sf((d**2).sum() / (2 * variances), 10, 5)
            )
        if test == "corrected-t":
            reach = stats.t.ppf(0.975, 9) * np.sqrt((1 / 10 + 1) * d.var(ddof=1))
            assert row["ci_high"] - row["ci_low"] == pytest.approx(2 * reach)
        assert (row["ci_low"] + row["ci_high"]) / 2 == pytest.approx(row["difference"])
        part = (row["ci_low"] <= 0 <= row["ci_high"]) == (row["p_value"] < 0.05)
        assert ("by another method" in result.verdict()) == part
        apart += part
    assert (apart > 0) == (test != "corrected-t")


def test_another_region_of_equivalence_changes_its_posterior_alone(estimators):
    for found in (mc.crossval.compare_folds(WIDE, **TEN), estimators):
        wider = found.with_rope(0.05)
        columns = ["p_a", "p_equivalent", "p_b"]
        same = found.differences.drop(columns=columns)
        pd.testing.assert_frame_equal(wider.differences.drop(columns=columns), same)
        assert wider.rope == 0.05
        assert (wider.differences.p_equivalent >= found.differences.p_equivalent).all()
        assert "within 0.05" in str(wider)
        pd.testing.assert_frame_equal(wider.with_rope(0.01).differences, found.differences)


def test_a_region_of_equivalence_that_makes_no_sense_is_refused():
    found = mc.crossval.compare_folds(WIDE, **TEN)
    for wrong in (-1, "x", None, float("nan")):
        with pytest.raises((TypeError, ValueError), match="`rope`"):
            found.with_rope(wrong)


def test_one_sample_a_fold_has_no_posterior():
    x = RNG.normal(size=(20, 2))
    models = {"bayes": GaussianNB(), "prior": DummyClassifier()}
    found = mc.crossval.compare_estimators(
        models, x, np.arange(20) % 2, cv="loo", metrics="accuracy"
    )
    pd.testing.assert_frame_equal(found.with_rope(0.05).differences, found.differences)
