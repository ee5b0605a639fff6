"""What people write by mistake is taken where its meaning is plain, or answered with the remedy."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from tests.plugged import needs

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, 60)
LABELS = {"a": TRUTH, "b": np.where(RNG.random(60) < 0.2, 1 - TRUTH, TRUTH)}
PREDS = mc.Predictions(TRUTH, LABELS)


@pytest.mark.parametrize(
    "question",
    [
        lambda *given: mc.compare(*given, "accuracy", n_resamples=999).scores,
        lambda *given: mc.bootstrap(*given, "accuracy", n_resamples=99).replicates,
        lambda *given: mc.decide(*given, "a", "b", metric="accuracy", margin=0.1).p_value,
        lambda *given: mc.gate(*given, "a", "b", ["accuracy:-0.1"]).passed,
        lambda *given: mc.paired_test(*given, "a", "b", "accuracy").p_value,
    ],
)
def test_arrays_are_taken_where_predictions_are(question):
    expected, found = question(PREDS), question(TRUTH, LABELS)
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected)
    else:
        np.testing.assert_equal(found, expected)


def test_a_path_or_a_mapping_is_no_truth():
    with pytest.raises(TypeError, match=r"the path 't\.csv'"):
        mc.compare("t.csv", {"a": TRUTH})


def test_truth_and_outputs_that_are_swapped_are_named():
    with pytest.raises(TypeError, match=r"swapped\. Write Predictions\(y_true, "):
        mc.Predictions({"a": TRUTH}, TRUTH)


def test_a_column_of_probabilities_is_as_good_as_an_array():
    p = RNG.random(60)
    one = mc.Predictions(TRUTH, {"a": p[:, None]}, positive=1)
    np.testing.assert_array_equal(one.probabilities("a")[:, 1], p)
    values = mc.Predictions(p + 2.5, {"a": (p + 3)[:, None]})
    assert values.kind.name == "values"


def test_a_frame_of_scores_has_a_column_for_each_model():
    table = pd.DataFrame({"a": [1.0, 0.5, 0.0], "b": [0.5, 1.0, 1.0]}, index=["x", "y", "z"])
    preds = mc.Predictions.from_scores(table)
    assert preds.models == ("a", "b")
    assert list(preds.ids) == ["x", "y", "z"]
    assert mc.Predictions.from_scores(table.reset_index(drop=True)).ids is None
    named = mc.Predictions.from_scores(table, ids=[1, 2, 3])
    assert list(named.ids) == [1, 2, 3]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("summary", "verdict()"), ("to_dataframe", "scores"), ("to_csv", "save(path)"),
        ("p_values", "differences"),
    ],
)  # fmt: skip
def test_a_method_of_other_libraries_is_answered_by_ours(name, meant):
    found = mc.compare(PREDS, "accuracy", n_resamples=999)
    with pytest.raises(AttributeError) as refused:
        getattr(found, name)
    assert f"did you mean '{meant}'" in str(refused.value)
    assert callable(getattr(found, meant.partition("(")[0])) or not meant.endswith(")")


@needs("curves")
def test_a_choice_that_is_begun_or_abbreviated_is_named_with_what_it_is_for():
    with pytest.raises(ValueError, match=r"did you mean mcnemar-exact .*; mcnemar-midp .*less"):
        mc.paired_test(PREDS, "a", "b", "accuracy", method="mcnemar")
    with pytest.raises(ValueError, match="did you mean precision-recall"):
        mc.diagnostics.curve(mc.Predictions(TRUTH, {"a": RNG.random(60)}, positive=1), kind="pr")


@pytest.mark.parametrize(("metric", "way"), [
    ("roc_auc", "a column for each"), ("mae", "kind='values'"),
])  # fmt: skip
def test_a_metric_of_other_outputs_names_how_they_are_given(metric, way):
    with pytest.raises(ValueError, match=way):
        mc.compare(PREDS, metric)
