"""Confusion matrices as pandas and numpy write them: one model's, whose truth is on a named side."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, recall_score

import modelcompare as mc
from modelcompare.plugins.published.confusions import confusion_reading
from modelcompare.readers.content import File
from modelcompare.readers.options import Columns
from tests.plugged import needs

RNG = np.random.default_rng(0)
CLASSES = ["no", "Maybe so", "yes"]
TRUTH = RNG.choice(CLASSES, 90)
SAID = np.where(RNG.random(90) < 0.7, TRUTH, RNG.choice(CLASSES, 90))
MATRIX = confusion_matrix(TRUTH, SAID, labels=CLASSES)
ACTUAL, PREDICTED = pd.Series(TRUTH, name="actual"), pd.Series(SAID, name="predicted")
PLAIN = pd.DataFrame(MATRIX, CLASSES, CLASSES)


def with_sides(rows, columns):
    return pd.DataFrame(MATRIX, [rows + c for c in CLASSES], [columns + c for c in CLASSES])


NAMED = {
    "crosstab": pd.crosstab(ACTUAL, PREDICTED),
    "turned": pd.crosstab(PREDICTED, ACTUAL),
    "prefixes": with_sides("true_", "pred_"),
    "one prefix": with_sides("", "Predicted "),
    "corner": PLAIN.rename_axis("true \\ predicted"),
    "turned corner": PLAIN.T.rename_axis("y_pred/y_true"),
}


def check(found):
    assert found.models == ("cnn",)
    assert len(found) == 90
    values = mc.bootstrap(found, ["accuracy", "recall_macro"], n_resamples=2).estimate
    expected = accuracy_score(TRUTH, SAID), recall_score(TRUTH, SAID, average="macro")
    np.testing.assert_allclose(values, expected, rtol=1e-12)


@pytest.mark.parametrize("table", NAMED.values(), ids=NAMED)
def test_headings_name_the_side_of_the_truth(tmp_path, table):
    path = tmp_path / "cnn.csv"
    table.to_csv(path)
    found = mc.read_predictions(path)
    check(found)
    assert {*found.labels} == {*CLASSES}


@pytest.mark.parametrize("name", ["crosstab", "turned"])
def test_a_frame_names_the_sides_by_its_axes(name):
    found = mc.read_predictions(NAMED[name])
    assert found.models == ("model",)
    np.testing.assert_allclose(mc.bootstrap(found, "accuracy", n_resamples=2).estimate, [
        accuracy_score(TRUTH, SAID)
    ])  # fmt: skip


@pytest.mark.parametrize(
    "table",
    [
        PLAIN,
        PLAIN.rename_axis("class"),
        PLAIN.set_axis(range(3), axis=0).set_axis(range(3), axis=1),
    ],
    ids=["names", "a corner of both", "codes"],
)
@pytest.mark.parametrize("side", ["rows", "columns"])
def test_an_unnamed_side_is_asked(tmp_path, table, side):
    path = tmp_path / "cnn.csv"
    (table if side == "rows" else table.T).to_csv(path)
    with pytest.raises(ValueError, match=r"cnn\.csv is a confusion matrix of ") as refused:
        mc.read_predictions(path)
    both = "columns={'true': 'rows'} (--true rows) or columns={'true': 'columns'} (--true columns)."
    assert str(refused.value).endswith(f"name the side of the true ones: {both}")
    check(mc.read_predictions(path, columns={"true": side}))


def test_a_matrix_of_codes_needs_no_names_of_its_rows(tmp_path):
    pd.DataFrame(MATRIX).to_csv(tmp_path / "cnn.csv", index=False)
    check(mc.read_predictions(tmp_path / "cnn.csv", columns={"true": "rows"}))


def test_numbers_alone_are_no_models(tmp_path):
    matrix = np.array([[20, 4, 5], [3, 30, 1], [6, 2, 19]])
    np.savetxt(tmp_path / "cnn.csv", matrix, delimiter=",", fmt="%d")
    with pytest.raises(
        ValueError, match=r"mc.io.from_counts\(numpy.loadtxt\('cnn.csv', delimiter="
    ):
        mc.read_predictions(tmp_path / "cnn.csv")
    loaded = np.loadtxt(tmp_path / "cnn.csv", delimiter=",")
    assert len(mc.io.from_counts(loaded, "cnn")) == 90


@needs("unpaired")
def test_two_matrices_are_no_pairs(tmp_path):
    for model in ("cnn", "bert"):
        NAMED["crosstab"].to_csv(tmp_path / f"{model}.csv")
    paths = [tmp_path / "cnn.csv", tmp_path / "bert.csv"]
    with pytest.raises(
        ValueError, match=r"cannot be compared in pairs\. .*mc\.inference\.unpaired"
    ):
        mc.read_predictions(paths)
    one, other = map(mc.read_predictions, paths)
    assert mc.inference.unpaired_test(one, other, "accuracy").p_value > 0.9


def test_sides_that_disagree_with_the_option_are_refused(tmp_path):
    NAMED["turned"].to_csv(tmp_path / "cnn.csv")
    with pytest.raises(ValueError, match=r"as its headings do: .*\(--true columns\)\.$"):
        mc.read_predictions(tmp_path / "cnn.csv", columns={"true": "rows"})


def test_a_class_that_is_never_predicted_has_a_row_only(tmp_path):
    said = ["no" if c == "yes" else c for c in SAID]
    pd.crosstab(ACTUAL, pd.Series(said, name="predicted")).to_csv(tmp_path / "cnn.csv")
    found = mc.read_predictions(tmp_path / "cnn.csv")
    assert found.labels.tolist() == sorted(CLASSES)
    assert mc.bootstrap(found, "recall", n_resamples=2).estimate.tolist()[-1] == 0


def test_sums_of_rows_and_columns_are_refused(tmp_path):
    pd.crosstab(ACTUAL, PREDICTED, margins=True).to_csv(tmp_path / "cnn.csv")
    with pytest.raises(ValueError, match="sums of the others"):
        mc.read_predictions(tmp_path / "cnn.csv")


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"actual": ["no", "yes", "no", "yes"], "no": [1, 2, 3, 4], "yes": [4, 3, 2, 1]}),
        pd.DataFrame({"item": ["a", "b"], "cnn": [1, 0], "bert": [1, 1]}),
        pd.DataFrame({"": ["no", "yes"], "no": [1.0, 0.5], "yes": [0.5, 1.0]}),
        pd.DataFrame({"": ["no", "yes"], "no": [0, 5], "yes": [1, 0]}),
    ],
    ids=["rows of samples", "samples and models", "correlations", "costs"],
)  # fmt: skip
def test_other_squares_are_no_confusion_matrices(table):
    assert confusion_reading([File(Path("x.csv"), payload=table)], Columns()) is None


def test_a_square_that_is_declared_to_have_scores_has_models(tmp_path):
    PLAIN.to_csv(tmp_path / "x.csv")
    assert mc.read_predictions(tmp_path / "x.csv", kind="scores").models == tuple(CLASSES)
