"""Long frames against a product of indices, made by pandas."""

import numpy as np
import pandas as pd
import pytest

from modelcompare.engine.axis import ValueKey, joined_frame, long_columns, pair_frame, score_frame

KEYS = (ValueKey("f1", 0), ValueKey("f1", 1), ValueKey("accuracy"))
VALUES = np.arange(6.0).reshape(2, 3)


def test_a_long_frame_is_the_product_of_rows_and_values():
    frame = score_frame(("cnn", "bow"), KEYS, estimate=VALUES, note="same")
    pairs = [(key.metric, key.label) for key in KEYS]
    index = pd.MultiIndex.from_product([["cnn", "bow"], pairs], names=["model", "value"])
    expected = pd.Series(VALUES.ravel(), index=index).reset_index(name="estimate")
    assert frame.columns.tolist() == ["model", "metric", "label", "estimate", "note"]
    assert frame["model"].tolist() == expected["model"].tolist()
    assert list(zip(frame["metric"], frame["label"], strict=True)) == expected["value"].tolist()
    assert frame["estimate"].tolist() == expected["estimate"].tolist()
    assert set(frame["note"]) == {"same"}


def test_classes_that_are_integers_stay_integers_beside_a_missing_one():
    labels = score_frame(("cnn",), KEYS, estimate=VALUES[:1])["label"]
    assert labels.tolist() == [0, 1, None]
    assert [type(label) for label in labels[:2]] == [int, int]


def test_pairs_are_named_by_their_models():
    a, b = np.array([0, 0, 1]), np.array([1, 2, 2])
    frame = pair_frame(("x", "y", "z"), a, b, KEYS[:1], difference=np.array([[1.0], [2.0], [3.0]]))
    assert list(zip(frame["model_a"], frame["model_b"], frame["difference"], strict=True)) == [
        ("x", "y", 1.0),
        ("x", "z", 2.0),
        ("y", "z", 3.0),
    ]


def test_a_row_may_be_more_than_a_model():
    columns = long_columns({"fold": [3, 5], "n": 7}, KEYS[:1], value=np.array([[0.5], [0.25]]))
    frame = joined_frame([columns])
    assert frame.drop(columns="label").to_dict("list") == {
        "fold": [3, 5], "n": [7, 7], "metric": ["f1", "f1"], "value": [0.5, 0.25],
    }  # fmt: skip


def test_columns_of_another_shape_are_refused():
    with pytest.raises(ValueError, match="same length"):
        score_frame(("cnn", "bow"), KEYS, estimate=VALUES[:1])
