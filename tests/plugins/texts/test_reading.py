"""Texts, and lists of words, as outputs."""

import re

import pytest

import modelcompare as mc


def test_texts_have_no_labels():
    texts = mc.Predictions(["a b", "c"], {"m": ["a", "c d"]}, kind="texts")
    assert texts.output("m").kind == "texts"
    assert texts.labels is None


@pytest.mark.parametrize(
    ("y_true", "outputs", "message"),
    [
        (["x", "y"], ["x", 3], "model 'a' must contain texts, but does not in 1 row (row 1)."),
        (None, ["x", "y"], "`y_true` is missing; outputs of kind 'texts' need it."),
        (["x"], ["x"], "there is 1 sample; at least 2 are needed."),
        (["x", "y"], ["x"], "model 'a' has 1 rows, `y_true` has 2; they must describe the same "
         "samples in the same order."),
    ],
)  # fmt: skip
def test_bad_texts_get_one_clear_error(y_true, outputs, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        mc.Predictions(y_true, {"a": outputs}, kind="texts")


def test_lists_of_words_are_joined_to_texts():
    lists = [["A", "B", "C"], ["A", "B", "C", "D"]]
    said = [["A", "A", "C"], ["A", "A", "C", "D"]]
    with pytest.warns(UserWarning, match="joined by blanks"):
        preds = mc.Predictions(lists, {"m": said}, kind="texts")
    assert list(preds.y_true) == ["A B C", "A B C D"]
    assert list(preds.output("m").array) == ["A A C", "A A C D"]
    # Several references of a text stay several references.
    references = mc.Predictions(
        [["a cat", "the cat"], ["a dog"]], {"m": ["a cat", "dog"]}, kind="texts"
    )
    assert references.y_true[0] == ("a cat", "the cat")


def test_a_plain_function_takes_one_text_and_refuses_none():
    assert mc.metrics.exact_match(["yes"], ["yes"]) == 1
    with pytest.raises(ValueError, match="there are 0 samples; at least 1 is needed"):
        mc.metrics.exact_match([], [])
    with pytest.raises(ValueError, match="the model's output must contain texts, but does not"):
        mc.metrics.exact_match(["yes"], [3])
