"""Reports of classes: values of scikit-learn, intervals of compare, and tables of the course."""

import json

import numpy as np
import pytest
from sklearn import metrics as sk

import modelcompare as mc

EX1 = [[15, 10, 100], [10, 15, 10], [10, 100, 1000]]


def of_matrix(matrix):
    true, predicted = np.indices((len(matrix), len(matrix))).reshape(2, -1)
    counts = np.ravel(matrix)
    return np.repeat(true, counts), np.repeat(predicted, counts)


def test_tables_are_those_of_the_notebook_and_their_sum():
    tables = mc.diagnostics.class_tables(*of_matrix(EX1))
    assert tables.columns.tolist() == ["TP", "FN", "FP", "TN"]
    assert tables.to_numpy().tolist() == [
        [15, 110, 20, 1125],
        [15, 20, 110, 1125],
        [1000, 110, 110, 50],
    ]
    assert tables.sum().tolist() == [1030, 240, 240, 2300]


def test_tables_are_those_of_scikit_learn_with_weights_and_absent_classes():
    rng = np.random.default_rng(0)
    true, predicted = rng.integers(0, 4, (2, 50))
    weight = rng.random(50)
    tables = mc.diagnostics.class_tables(true, predicted, labels=range(5), sample_weight=weight)
    expected = sk.multilabel_confusion_matrix(
        true, predicted, labels=range(5), sample_weight=weight
    )
    order = expected[:, [1, 1, 0, 0], [1, 0, 1, 0]]
    np.testing.assert_allclose(tables, order, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_values_and_support_are_those_of_scikit_learn(weighted):
    rng = np.random.default_rng(1)
    labels = np.array(["pos", "neg", "neutral"])
    true = rng.choice(labels, 200, p=[0.2, 0.3, 0.5])
    guess = np.where(rng.random(200) < 0.7, true, rng.choice(labels, 200))
    weight = rng.uniform(0.5, 2, 200) if weighted else None
    preds = mc.Predictions(true, {"a": guess}, sample_weight=weight)
    report = mc.diagnostics.classification_report(preds)
    expected = sk.classification_report(true, guess, sample_weight=weight, output_dict=True)
    assert len(report.classes) == 5
    for row in report.classes.itertuples():
        of = expected[f"{row.average} avg" if row.average else row.label]
        found = [row.precision, row.recall, row.f1, row.support]
        assert found == pytest.approx(
            [of[k] for k in ("precision", "recall", "f1-score", "support")]
        )
        assert row.precision_low < row.precision < row.precision_high
    assert report.accuracy["estimate"].item() == pytest.approx(expected["accuracy"])


def test_intervals_are_those_of_compare_at_the_level_asked_for():
    preds = mc.load_example("snli")[["mlp", "bow_pair"]]
    report = mc.diagnostics.classification_report(preds, confidence_level=0.9, n_resamples=99)
    scores = mc.compare(preds, ["recall", "f1_macro"], confidence_level=0.9, n_resamples=99).scores
    of_recall = scores[scores["metric"] == "recall"]
    classes = report.classes[report.classes["average"].isna()]
    assert classes["model"].tolist() == ["mlp"] * 3 + ["bow_pair"] * 3
    ends = of_recall.set_index(["model", "label"])[["ci_low", "ci_high"]]
    found = classes.set_index(["model", "label"])[["recall_low", "recall_high"]]
    np.testing.assert_allclose(found, ends.loc[found.index])
    assert report.confidence_level == 0.9
    assert "95 %" not in str(report)


def test_the_command_prints_it_and_writes_it(run, wide_csv, tmp_path):
    shown = run("report", wide_csv, "--classes", "--resamples", "99").out
    assert "weighted average" in shown
    assert "support" in shown
    path = tmp_path / "classes.json"
    run("report", wide_csv, "--classes", "--resamples", "99", "-o", path)
    assert {*json.loads(path.read_text())} >= {"classes", "accuracy", "signature"}


def test_what_has_no_classes_or_names_metrics_is_refused(run, wide_csv):
    scores = mc.Predictions.from_scores({"a": [0.5, 1.0], "b": [0.0, 1.0]})
    with pytest.raises(ValueError, match="one label a sample"):
        mc.diagnostics.classification_report(scores)
    refused = run("report", wide_csv, "--classes", "-m", "f1")
    assert refused.code == 2
    assert "leave -m out, or --classes" in refused.err
