"""Thresholds chosen on validation data, beside loops over all thresholds."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.tree import DecisionTreeClassifier

import modelcompare as mc
from tests.plugged import needs

FUNCTIONS = {
    "f1": lambda y, p: reference.f1_score(y, p, zero_division=0.0),
    "accuracy": reference.accuracy_score, "balanced_accuracy": reference.balanced_accuracy_score,
    "f1_macro": lambda y, p: reference.f1_score(y, p, average="macro", zero_division=0.0),
    "matthews_corrcoef": reference.matthews_corrcoef,
}  # fmt: skip


def draw(n=80, seed=0, *, ties=False):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    p = {m: 1 / (1 + np.exp(-(skill * (2 * y - 1) + rng.normal(size=n) - 0.8)))
         for m, skill in (("a", 1.5), ("b", 0.7))}  # fmt: skip
    return y, {m: x.round(1) if ties else x for m, x in p.items()}


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("metric", FUNCTIONS)
def test_no_threshold_is_better_than_the_one_chosen(metric, ties):
    y, p = draw(40, ties=ties)
    found = mc.diagnostics.choose_thresholds(mc.Predictions(y, p), metric)
    for model, scores in p.items():
        values = {t: FUNCTIONS[metric](y, scores >= t) for t in np.unique(scores)}
        best = max(values.values())
        assert found[model] == max(t for t, value in values.items() if value >= best - 1e-12)


@needs("custom")
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_a_cost_has_its_best_threshold(seed):
    y, p = draw(40, seed)
    if len({*y}) < 2:
        return
    costs = mc.metrics.cost({(1, 0): 5, (0, 1): 1})
    found = mc.diagnostics.choose_thresholds(mc.Predictions(y, p), costs)
    for model, scores in p.items():
        values = [
            5 * np.mean((y == 1) & (scores < t)) + np.mean((y == 0) & (scores >= t))
            for t in np.unique(scores)
        ]
        t = found[model]
        own = 5 * np.mean((y == 1) & (scores < t)) + np.mean((y == 0) & (scores >= t))
        assert own == pytest.approx(min(values))


def test_weights_count_and_the_class_is_chosen():
    y, p = draw()
    weight = np.random.default_rng(1).random(len(y)) + 0.1
    preds = mc.Predictions(y, {"a": 1 - p["a"]}, sample_weight=weight, positive=0)
    (t,) = mc.diagnostics.choose_thresholds(preds, "f1").values()
    scores = 1 - p["a"]
    values = {
        each: reference.f1_score(1 - y, scores >= each, sample_weight=weight)
        for each in np.unique(scores)
    }
    assert values[min(values, key=lambda x: abs(x - t))] == max(values.values())


def test_decisions_at_a_threshold():
    y, p = draw()
    preds = mc.Predictions(y, p, groups=np.arange(80) // 2)
    at = mc.diagnostics.at_thresholds(preds, {"a": 0.3, "b": 0.6})
    assert np.array_equal(at.predicted("a"), (p["a"] >= 0.3).astype(int))
    assert np.array_equal(at.predicted("b"), (p["b"] >= 0.6).astype(int))
    assert {*at.access.kinds.values()} == {"labels"}
    assert np.array_equal(at.groups, preds.groups)
    raw = mc.Predictions(y, {m: np.log(x / (1 - x)) for m, x in p.items()}, kind="values")
    at = mc.diagnostics.at_thresholds(raw, {"a": 0.0, "b": 1.0})
    assert np.array_equal(at.predicted("a"), (p["a"] >= 0.5).astype(int))
    single = mc.Predictions(y, {"a": p["a"].astype(np.float32)})
    (t,) = mc.diagnostics.choose_thresholds(single, "f1").values()
    chosen = mc.diagnostics.at_thresholds(single, {"a": t}).predicted("a")
    assert np.array_equal(chosen, (p["a"].astype(np.float32) >= np.float32(t)).astype(int))


def test_what_has_no_threshold_is_refused():
    y, p = draw()
    preds = mc.Predictions(y, p)
    with pytest.raises(ValueError, match="none for model 'b'"):
        mc.diagnostics.at_thresholds(preds, {"a": 0.5})
    with pytest.raises(ValueError, match=r"log_loss.* needs probabilities"):
        mc.diagnostics.choose_thresholds(preds, "log_loss")
    three = mc.Predictions([0, 1, 2], {"a": np.eye(3)})
    with pytest.raises(ValueError, match="two classes, and there are 3"):
        mc.diagnostics.choose_thresholds(three, "f1[1]")


@needs("custom")
def test_the_command_chooses_on_validation_data(tmp_path, run):
    paths = []
    for name, seed in (("test", 0), ("validation", 1)):
        y, p = draw(300, seed)
        columns = {"y_true": y, **{f"{m}:1": x for m, x in p.items()},
                   **{f"{m}:0": 1 - x for m, x in p.items()}}  # fmt: skip
        paths.append(tmp_path / f"{name}.csv")
        pd.DataFrame(columns).to_csv(paths[-1], index=False)
    asked = ("--threshold-from", paths[1], "--threshold-for", "f1[1]", "--resamples", "99")
    shown = run("compare", paths[0], *asked, "-m", "f1[1]")
    validation, test = (mc.read_predictions(path) for path in paths[::-1])
    found = mc.diagnostics.choose_thresholds(validation, "f1")
    chosen = f"a {found['a']:.4g}, b {found['b']:.4g}"
    assert f"thresholds of 1, best for f1[1]: {chosen}" in shown.err
    at = mc.diagnostics.at_thresholds(test, found)
    value = mc.bootstrap(at, "f1", n_resamples=2).estimate
    assert f"{value['a', 'f1', 1]:.3f}" in shown.out
    (tmp_path / "costs.csv").write_text(",0,1\n0,0,1\n1,9,0\n")
    costly = f"{tmp_path / 'costs.csv'}:cost"
    asked = ("--threshold-from", paths[1], "--threshold-for", costly, "--resamples", "99")
    low = run("compare", paths[0], *asked, "--metric-from", costly)
    assert f"best for {costly}" in low.err
    assert "cost (lower is better)" in low.out
    assert "name the file" in run("compare", paths[0], "--threshold-for", "accuracy").err


def test_the_command_takes_a_threshold(tmp_path, run):
    y, p = draw(300)
    frame = pd.DataFrame(
        {"y_true": y, **{f"{m}:{k}": x if k else 1 - x for m, x in p.items() for k in (0, 1)}}
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    preds = mc.read_predictions(tmp_path / "t.csv")
    asked = (
        "compare",
        tmp_path / "t.csv",
        "-m",
        "accuracy",
        "--format",
        "json",
        "--resamples",
        "99",
    )
    of_none = mc.read_predictions(tmp_path / "t.csv", positive=0)
    for found, flags in ((preds, ()), (of_none, ("--positive", "0"))):
        at = mc.diagnostics.at_thresholds(found, dict.fromkeys("ab", 0.3))
        value = mc.bootstrap(at, "accuracy", n_resamples=2).estimate.iloc[0]
        assert f'"estimate": {value}' in run(*asked, *flags, "--threshold", "0.3").out
    named = run(*asked, "--threshold", "0=0.3")
    assert "give the number alone, and name the positive one with --positive CLASS." in named.err


def test_one_half_is_the_first_class_as_in_predict_and_a_threshold_is_reached_by_itself():
    x, y = np.array([[0.0], [0.0], [1.0], [1.0], [2.0]]), np.array([0, 1, 1, 1, 0])
    tree = DecisionTreeClassifier().fit(x, y)
    p = tree.predict_proba(x)[:, 1]
    assert (p == 0.5).sum() == 2
    preds = mc.Predictions(y, {"a": p})
    assert np.array_equal(preds.predicted("a"), tree.predict(x))
    fixed = FixedThresholdClassifier(tree, threshold=0.5).fit(x, y)
    at = mc.diagnostics.at_thresholds(preds, {"a": 0.5})
    assert np.array_equal(at.predicted("a"), fixed.predict(x))


def test_thresholds_are_not_chosen_on_the_test_set_itself(tmp_path, run):
    y, p = draw(300, 0)
    for name in ("test", "copy"):
        pd.DataFrame({"y_true": y, **p}).to_csv(tmp_path / f"{name}.csv", index=False)
    for name in ("test", "copy"):
        shown = run("compare", tmp_path / "test.csv", "--threshold-from", tmp_path / f"{name}.csv")
        assert shown.code == 2
        assert "chosen on the samples of the test set itself" in shown.err


def test_thresholds_are_not_chosen_on_samples_of_one_class():
    only = mc.Predictions(np.ones(300, int), draw(300, 0)[1], labels=[0, 1])
    with pytest.raises(ValueError, match="all samples are of class 1, so no threshold is better"):
        mc.diagnostics.choose_thresholds(only)


def test_thresholds_of_a_model_that_is_not_there_are_refused():
    y, p = draw(300, 0)
    with pytest.raises(ValueError, match="unknown model 'cnn'; there are a, b"):
        mc.diagnostics.at_thresholds(mc.Predictions(y, p), {"a": 0.5, "b": 0.5, "cnn": 0.5})


def test_answers_about_decisions_at_thresholds_are_for_these_thresholds(run, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    p = {
        m: np.clip(0.25 + 0.5 * y + rng.normal(0, s, 200), 0, 1)
        for m, s in (("a", 0.3), ("b", 0.4))
    }
    preds = mc.Predictions(y, p)
    at = mc.diagnostics.at_thresholds(preds, {"a": 0.4, "b": 0.6})
    both = mc.Predictions(np.c_[y, 1 - y], {m: np.c_[x, 1 - x] for m, x in p.items()})
    of_sets = mc.diagnostics.at_thresholds(both, {"a": 0.4, "b": 0.6})
    texts = [
        mc.compare(at, "accuracy", n_resamples=99).verdict(),
        mc.compare(at.subset(range(100)), "accuracy", n_resamples=99).verdict(),
        mc.compare(of_sets, "f1_macro", n_resamples=99).verdict(),
        mc.decide(at, "a", "b", "accuracy", margin=0.1).sentence(),
        mc.gate(at, "a", "b", ["accuracy:-0.1"]).sentences[0],
        "".join(mc.sample_size(at, "a", "b", "accuracy").notes),
    ]
    for text in texts:
        assert "For these thresholds: chosen again on other data, they and the values would" in text
    assert "these thresholds" not in mc.compare(preds, "accuracy", n_resamples=99).verdict()
    assert "for these runs" not in mc.compare(at, "accuracy", n_resamples=99).signature
    path = tmp_path / "p.csv"
    pd.DataFrame({"y_true": y, **p}).to_csv(path, index=False)
    asked = "compare", path, "-m", "accuracy", "--resamples", "99"
    assert "these thresholds" in run(*asked, "--threshold", "0.3").out
    assert "these thresholds" not in run(*asked).out


def test_thresholds_are_not_applied_to_the_samples_on_which_they_were_chosen():
    y, p = draw(300, 1)
    preds = mc.Predictions(y, p)
    chosen = mc.diagnostics.choose_thresholds(preds)
    for same in (preds, mc.Predictions(y, p)):
        with pytest.raises(ValueError, match="chosen on the samples of the test set itself"):
            mc.diagnostics.at_thresholds(same, chosen)
    other = mc.Predictions(*draw(300, 2))
    assert mc.diagnostics.at_thresholds(other, chosen).models == ("a", "b")
