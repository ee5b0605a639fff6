"""The samples on which two models part, with the prediction of each and which is right."""

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.plugins.agreement.disagreements import disagreements
from tests.plugged import needs

Y = ["cat", "dog", "dog", "cat", "cow"]
SAID = {"a": ["cat", "dog", "cat", "dog", "cat"], "b": ["cat", "cat", "dog", "cat", "dog"]}


def rows(preds, *columns):
    found = disagreements(preds, *preds.models).table
    return [tuple(row) for row in found[list(columns)].itertuples(index=False)]


def test_labels_that_differ_are_listed_with_ids_and_who_is_right():
    preds = mc.Predictions(Y, SAID, ids=["v", "w", "x", "y", "z"], labels=["cat", "cow", "dog"])
    assert rows(preds, "id", "y_true", "predicted_a", "predicted_b", "right") == [
        ("w", "dog", "dog", "cat", "a"),
        ("x", "dog", "cat", "dog", "b"),
        ("y", "cat", "dog", "cat", "b"),
        ("z", "cow", "cat", "dog", None),
    ]
    assert disagreements(preds, "a", "b").document().sentences == [
        "a and b disagree on 4 of 5 samples: a is right or nearer on 1, b on 2, neither on 1."
    ]


def test_without_ids_rows_are_numbered_as_they_stand():
    assert [row[0] for row in rows(mc.Predictions(Y, SAID, labels=["cat", "cow", "dog"]), "id")] == [
        1, 2, 3, 4,
    ]  # fmt: skip


def test_those_furthest_apart_in_probability_come_first():
    a = [[0.6, 0.4], [0.9, 0.1], [0.2, 0.8], [0.51, 0.49]]
    b = [[0.4, 0.6], [0.3, 0.7], [0.1, 0.9], [0.49, 0.51]]
    found = rows(
        mc.Predictions([0, 0, 1, 1], {"a": a, "b": b}), "id", "p_a", "p_b", "right", "distance"
    )
    assert found == [
        (1, 0.9, 0.7, "a", pytest.approx(0.6)),
        (0, 0.6, 0.6, "a", pytest.approx(0.2)),
        (3, 0.51, 0.51, "b", pytest.approx(0.02)),
    ]


def test_labels_beside_probabilities_are_as_far_apart_as_certainty_is():
    preds = mc.Predictions([0, 1], {"hard": [0, 1], "soft": [[0.3, 0.7], [0.8, 0.2]]})
    assert rows(preds, "id", "distance") == [(1, pytest.approx(0.8)), (0, pytest.approx(0.7))]
    assert "p_a" not in disagreements(preds, "hard", "soft").table


def test_of_real_values_the_nearer_one_is_right():
    preds = mc.Predictions(
        [1.5, 2.5, 0.0], {"a": [1.0, 2.0, 1.0], "b": [4.0, 2.5, 1.0]}, kind="values"
    )
    assert rows(preds, "id", "predicted_a", "predicted_b", "right", "distance") == [
        (0, 1.0, 4.0, "a", 3.0), (1, 2.0, 2.5, "b", 0.5),
    ]  # fmt: skip


@pytest.mark.parametrize(("up", "right"), [(True, "b"), (False, "a")])
def test_of_scores_the_better_one_is_right(up, right):
    preds = mc.Predictions.from_scores({"a": [0, 1, 0.5], "b": [0, 1, 1]}, greater_is_better=up)
    assert rows(preds, "id", "right", "distance") == [(2, right, 0.5)]
    assert "y_true" not in disagreements(preds, "a", "b").table


@pytest.mark.parametrize(("up", "right"), [(True, "b"), ({"acc": False}, "a")])
def test_one_score_with_a_name_is_a_score(up, right):
    scores = {"a": {"acc": [0, 1, 0.5]}, "b": {"acc": [0, 1, 1]}}
    preds = mc.Predictions.from_scores(scores, greater_is_better=up)
    assert rows(preds, "id", "right", "distance") == [(2, right, 0.5)]


def test_of_several_scores_one_must_be_chosen():
    scores = {model: {"acc": [0, 1], "f1": [1, 0]} for model in "ab"}
    message = (
        r"the models have 2 scores for each sample \(acc, f1\); read one, such as score='acc'\."
    )
    with pytest.raises(ValueError, match=message):
        disagreements(mc.Predictions.from_scores(scores), "a", "b")


@needs("texts")
def test_texts_that_share_fewer_words_come_first():
    preds = mc.Predictions(
        ["the cat", "a dog", "a cow"],
        {"a": ["the cat", "a dog", "a cow"], "b": ["the dog", "no idea", "a cow"]}, kind="texts",
    )  # fmt: skip
    assert rows(preds, "id", "right", "distance") == [(1, "a", 1.0), (0, "a", 0.5)]


@needs("texts")
def test_a_text_is_right_if_it_is_one_of_several_references():
    preds = mc.Predictions(
        [["yes", "yeah"], ["no", "nope"], ["no"], ["hi", "hello"]],
        {"a": ["yeah", "no", "yes", "hi"], "b": ["yes", "yes", "no", "hi"]}, kind="texts",
    )  # fmt: skip
    found = mc.diagnostics.disagreements(preds, "a", "b")
    assert found.table.sort_values("id")["right"].tolist() == [None, "a", "b"]
    text = " ".join(str(found).split())
    assert "a is right or nearer on 1, b on 1, neither or both on 1." in text
    counts, values = found.table["right"].value_counts(), mc.compare(preds, "exact_match").scores
    gap = values.set_index("model")["estimate"]
    assert (counts["a"] - counts["b"]) / 4 == gap["a"] - gap["b"]


def test_they_are_symmetric():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    outputs = {m: np.where(rng.random(90) < 0.7, y, (y + 1) % 3) for m in "abc"}
    preds = mc.Predictions(y, outputs)
    forth, back = (mc.diagnostics.disagreements(preds, *pair).table for pair in ("ac", "ca"))
    assert forth["id"].tolist() == np.flatnonzero(outputs["a"] != outputs["c"]).tolist()
    assert forth["predicted_a"].tolist() == back["predicted_b"].tolist()
    assert forth["right"].tolist() == back["right"].tolist()
    counts = forth["right"].value_counts()
    gap = (outputs["a"] == y).sum() - (outputs["c"] == y).sum()
    assert counts["a"] - counts["c"] == gap
