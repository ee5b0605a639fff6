"""Lists of texts with probabilities."""

import numpy as np
import pytest

import modelcompare as mc
from tests.plugged import needed

needed("confidences", "texts")
from tests.plugins.texts.test_references import SAID, SAME, VARIED

TAGGED = ["B-time O B-city", "B-city I-city", "O O"]


LISTED = [
    [("B-time O B-city", 0.7), ("B-time O B-name", 0.2)],
    [("B-city O", 0.6), ("B-city I-city", 0.4)],
    [("O O", 1.0)],
]


def test_the_soft_slot_error_rate_is_an_expectation():
    preds = mc.io.from_nbest(TAGGED, {"tagger": LISTED}, kind="texts")
    found = mc.bootstrap(preds, ["slot_error_rate", "cslot_error_rate", "cspan_f1"], n_resamples=5)
    # One slot of three is substituted with 0.2, two are missed with 0.1; one of one with 0.6.
    errors = 0.2 * 1 + 0.1 * 2 + 0.6 * 1
    right, outputs = 0.7 * 2 + 0.2 * 1 + 0.4 * 1, 0.9 * 2 + 1
    assert found.point[0] == pytest.approx([1 / 3, errors / 3, 2 * right / (3 + outputs)])


def test_certain_lists_have_the_values_of_their_texts():
    texts = [max(listed, key=lambda pair: pair[1])[0] for listed in LISTED]
    certain = mc.io.from_nbest(TAGGED, {"a": [[(t, 1.0)] for t in texts]}, kind="texts")
    plain = mc.Predictions(TAGGED, {"a": texts}, kind="texts")
    names = ["slot_error_rate", "span_f1"]
    soft = mc.bootstrap(certain, [f"c{name}" for name in names], n_resamples=30).draws
    hard = mc.bootstrap(plain, names, n_resamples=30).draws
    np.testing.assert_allclose(soft, hard, rtol=1e-12)


def test_bad_lists_of_texts():
    with pytest.raises(ValueError, match=r"lists of \(text, probability\).*in 1 row \(row 1\)"):
        mc.io.from_nbest(["a", "b"], {"m": [[("a", 1)], [("b", 0.8), ("c", 0.8)]]}, kind="texts")
    plain = mc.Predictions(["a", "b"], {"m": ["a", "b"]}, kind="texts")
    with pytest.raises(ValueError, match="'cspan_f1' needs text_lists, but model 'm' gave texts"):
        mc.bootstrap(plain, "cspan_f1")


def test_parts_and_lists_of_texts_keep_their_references():
    preds = mc.Predictions(VARIED, SAID, kind="texts").subset(range(1, 20))
    assert preds.y_true.tolist() == [tuple(r) if isinstance(r, list) else r for r in VARIED[1:20]]
    lists = {m: [[(text, 1.0)] for text in of_system] for m, of_system in SAID.items()}
    listed = mc.io.from_nbest(SAME, lists, kind="texts")
    texts = mc.Predictions(SAME, SAID, kind="texts")
    found = [mc.bootstrap(each, "bleu", n_resamples=2).point for each in (listed, texts)]
    np.testing.assert_array_equal(*found)


def test_a_list_that_names_a_text_twice_is_refused():
    with pytest.raises(ValueError, match="an answer twice"):
        mc.io.from_nbest(
            ["a", "b"], {"m": [[("a", 0.5), ("a", 0.2)], [("b", 1)]]}, kind="texts"
        )  # fmt: skip
