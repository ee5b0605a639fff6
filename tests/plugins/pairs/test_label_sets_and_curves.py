"""Thresholds of each label: chosen on validation data, as for two classes, and given."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.tree import DecisionTreeClassifier

import modelcompare as mc
from tests.plugged import needed

needed("label_sets", "curves")

LABELS = ["cat", "dog", "owl"]


def draw(seed, n=150):
    rng = np.random.default_rng(seed)
    truth = (rng.random((n, 3)) < [0.5, 0.2, 0.1]).astype(int)
    signal = {"a": 1.5, "b": 0.8}
    noise = {m: rng.normal(size=(n, 3)) for m in signal}
    found = {
        m: 1 / (1 + np.exp(-(s * (2 * truth - 1) + noise[m] - 0.7))) for m, s in signal.items()
    }
    return truth, {m: p.round(2) for m, p in found.items()}


def predictions(seed, **options):
    truth, found = draw(seed)
    return mc.Predictions(truth, found, labels=LABELS, kind="label_probabilities", **options)


def table(path, seed):
    truth, found = draw(seed)
    columns = {f"y_true:{label}": truth[:, k] for k, label in enumerate(LABELS)}
    for model, p in found.items():
        columns |= {f"{model}:{label}": p[:, k] for k, label in enumerate(LABELS)}
    pd.DataFrame(columns).to_csv(path, index=False)


@pytest.mark.parametrize("weighted", [False, True])
def test_no_threshold_of_a_label_is_better_than_the_one_chosen(weighted):
    truth, found = draw(0)
    weight = np.random.default_rng(1).random(len(truth)) + 0.1 if weighted else None
    chosen = mc.diagnostics.choose_thresholds(predictions(0, sample_weight=weight))
    for model, p in found.items():
        for k, label in enumerate(LABELS):
            values = {
                t: f1_score(truth[:, k], p[:, k] >= t, sample_weight=weight)
                for t in np.unique(p[:, k])
            }
            best = max(values.values())
            expected = max(t for t, value in values.items() if value >= best - 1e-12)
            assert chosen[model][label] == expected


def test_decisions_are_those_at_each_labels_threshold():
    (truth, found), preds = draw(0), predictions(0, groups=np.arange(150) // 2)
    limits = {"cat": 0.3, "owl": 0.9, "dog": 0.5}
    at = mc.diagnostics.at_thresholds(preds, {"a": limits, "b": 0.4})
    assert {*at.access.kinds.values()} == {"label_sets"}
    assert np.array_equal(at.output("a").array, found["a"] >= [0.3, 0.5, 0.9])
    assert np.array_equal(at.output("b").array, found["b"] >= 0.4)
    assert np.array_equal(at.groups, preds.groups)
    value = mc.bootstrap(at, "f1_macro", n_resamples=2).estimate["a", "f1_macro", None]
    assert value == pytest.approx(f1_score(truth, found["a"] >= [0.3, 0.5, 0.9], average="macro"))


def test_a_label_without_samples_is_named():
    truth, found = draw(0)
    truth[:, 2] = 0
    preds = mc.Predictions(truth, found, labels=LABELS, kind="label_probabilities")
    with pytest.warns(UserWarning, match="no sample has label 'owl': its threshold is the highest"):
        chosen = mc.diagnostics.choose_thresholds(preds)
    assert chosen["a"]["owl"] == found["a"][:, 2].max()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda p: mc.diagnostics.choose_thresholds(p, "f1_micro"), "such as f1; got f1_micro"),
        (lambda p: mc.diagnostics.at_thresholds(p, {"a": {"cat": 0.5}, "b": 0.5}),
         "model 'a' must have one for each label, 'cat', 'dog', 'owl'; it has 'cat'"),
        (lambda p: mc.diagnostics.at_thresholds(p, dict.fromkeys("ab", dict.fromkeys([*LABELS, "x"], 0.5))),
         "it has 'cat', 'dog', 'owl', 'x'"),
        (lambda p: mc.diagnostics.at_thresholds(mc.diagnostics.at_thresholds(p, {"a": 0.5, "b": 0.5}), {"a": 0.5, "b": 0.5}),
         r"model 'a' gave decisions \(label_sets\)"),
    ],
)  # fmt: skip
def test_what_has_no_threshold_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong(predictions(0))


def test_the_command_chooses_or_takes_a_threshold_for_each_label(tmp_path, run):
    test, validation = tmp_path / "test.csv", tmp_path / "validation.csv"
    table(test, 0)
    table(validation, 1)
    asked = ("compare", test, "-m", "f1_macro", "--format", "json", "--resamples", "99")
    chosen = mc.diagnostics.choose_thresholds(mc.read_predictions(validation))
    shown = run(*asked, "--threshold-from", validation)
    owl = f"cat={chosen['a']['cat']:.4g} dog={chosen['a']['dog']:.4g} owl={chosen['a']['owl']:.4g}"
    assert f"thresholds of each label, best for f1: a {owl}, b cat=" in shown.err
    given = {"a": {"cat": 0.3, "dog": 0.6, "owl": 0.6}}
    given["b"] = given["a"]
    by_hand = run(*asked, "--threshold", "0.6", "--threshold", "cat=0.3")
    for thresholds, output in ((chosen, shown.out), (given, by_hand.out)):
        at = mc.diagnostics.at_thresholds(mc.read_predictions(test), thresholds)
        value = mc.bootstrap(at, "f1_macro", n_resamples=2).estimate["a", "f1_macro", None]
        assert f'"estimate": {value}' in output


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--threshold", "x"], "--threshold must be NUMBER or LABEL=NUMBER, as in cat=0.3; got 'x'"),
        (["--threshold", "a=1", "--threshold", "a=2"], "--threshold has two numbers for a; give one"),
        (["--threshold", "0.5", "--threshold-from", "t.csv"], "exclude each other"),
        (["--threshold", "bird=0.5"], "must have one for each label, 'cat', 'dog', 'owl'; it has 'bird'"),
    ],
)  # fmt: skip
def test_thresholds_that_make_no_sense_are_refused(tmp_path, run, flags, message):
    table(tmp_path / "t.csv", 0)
    shown = run("compare", tmp_path / "t.csv", *flags)
    assert (shown.code, message in shown.err) == (2, True), shown.err


def test_one_half_is_no_label_as_in_predict_and_a_threshold_is_reached_by_itself():
    x, y = np.array([[0.0], [0.0], [1.0], [1.0], [2.0]]), np.array([0, 1, 1, 1, 0])
    p = DecisionTreeClassifier().fit(x, y).predict_proba(x)[:, 1]
    both = mc.Predictions(np.c_[y, y], {"a": np.c_[p, 1 - p]}, labels=["yes", "no"])
    marked = OneVsRestClassifier(DecisionTreeClassifier()).fit(x, np.c_[y, 1 - y]).predict(x)
    sets = mc.Predictions(np.c_[y, y], {"a": marked}, labels=["yes", "no"])
    names = ["f1", "precision", "recall", "subset_accuracy", "hamming_loss"]
    values = [mc.bootstrap(each, names, n_resamples=9).point for each in (both, sets)]
    assert np.array_equal(*values, equal_nan=True)
    every = mc.diagnostics.at_thresholds(both, {"a": 0.5}).output("a").array
    assert np.array_equal(every, np.c_[p, 1 - p] >= 0.5)
