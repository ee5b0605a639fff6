"""Labels in sets that are spelled in two ways, or lacking: refused or warned of, as labels are."""

import json

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.data.checks import DataWarning

TRUTH = [["art"], ["law", "art"]] * 50
UPPER = [["Art"], ["law", "Art"]] * 50


def lines(path, model):
    """A file of JSON lines with a model of such answers beside one that is right."""
    rows = enumerate(zip(TRUTH, model, strict=True))
    text = "\n".join(json.dumps({"id": i, "y_true": t, "a": a, "b": t}) for i, (t, a) in rows)
    path.write_text(text)
    return path


@pytest.mark.parametrize("other", ["Art", "art ", "\u0430rt"])
def test_a_model_that_always_writes_a_label_otherwise_is_refused(other):
    outputs = [[other if label == "art" else label for label in row] for row in TRUTH]
    with pytest.raises(ValueError, match="labels of model 'a' do not match those of `y_true`"):
        mc.Predictions(TRUTH, {"a": outputs, "b": TRUTH})


def test_a_label_that_is_misspelt_here_and_there_is_warned_of():
    outputs = [*UPPER[:4], *TRUTH[4:]]
    with pytest.warns(DataWarning, match=r"model 'a' gives 'Art' for 4 samples; `y_true` never"):
        mc.Predictions(TRUTH, {"a": outputs})


def test_two_true_labels_that_look_the_same_are_warned_of():
    truth = [["art"], ["art "]] * 20
    with pytest.warns(DataWarning, match="'art' and 'art ' look the same and count as two"):
        mc.Predictions(truth, {"a": truth})


def test_a_model_without_any_true_label_is_refused_and_named_labels_allow_it():
    outputs = [["x"], ["y"]] * 50
    with pytest.raises(ValueError, match="do not match"):
        mc.Predictions(TRUTH, {"a": outputs})
    found = mc.Predictions(TRUTH, {"a": outputs}, labels=["art", "law", "x", "y"])
    assert found.access.n_classes == 4


def test_a_model_that_differs_in_case_is_not_left_out_of_a_file(tmp_path):
    with pytest.raises(ValueError, match="'Art' looks like 'art'"):
        mc.read_predictions(lines(tmp_path / "t.jsonl", UPPER))


def test_a_model_of_empty_lists_is_not_left_out_of_a_file(tmp_path):
    path = lines(tmp_path / "t.jsonl", [[]] * 100)
    with pytest.raises(ValueError, match=r"column 'a' has other values than 'y_true' .*; name all"):
        mc.read_predictions(path)
    named = mc.read_predictions(path, models=["a", "b"])
    assert named.models == ("a", "b")
    assert not named.output("a").array.any()


def test_a_column_of_a_label_that_a_model_lacks_is_no_answer():
    marks = {"y_true:x": [1, 0] * 50, "y_true:z": [0, 1, 1, 1] * 25}
    table = pd.DataFrame(marks | {"a:x": [1, 0] * 50, "b:x": [1, 0] * 50, "b:z": [0, 1, 1, 1] * 25})
    with pytest.raises(ValueError, match="model 'a' has no column 'a:z', as 'y_true' has"):
        mc.read_predictions(table)
    whole = mc.read_predictions(table.assign(**{"a:z": 0}))
    np.testing.assert_array_equal(whole.output("a").array.sum(axis=0), [50, 0])
    soft = table.assign(**{name: table[name] * 0.5 + 0.1 for name in ("a:x", "b:x", "b:z")})
    with pytest.raises(ValueError, match=r"\(x and x, z\); add the columns that are lacking"):
        mc.read_predictions(soft)
    whole = mc.read_predictions(soft.assign(**{"a:z": 0.0}))
    assert whole.output("a").kind == "label_probabilities"
