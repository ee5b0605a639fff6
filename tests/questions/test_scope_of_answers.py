"""The scope of an answer is a fact of the data, for any names of classes and test sets."""

import numpy as np
import pytest

import modelcompare as mc
from tests.plugged import needs, plugged

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, 120)
MODELS = {model: np.clip(0.3 * TRUTH + RNG.random(120) * 0.7, 0, 1) for model in ("a", "b")}
FEW = {"n_resamples": 99}
ASKED = {
    "decide": lambda preds: mc.decide(preds, "a", "b", "average_precision", margin=0.1, **FEW),
    "gate": lambda preds: mc.gate(preds, "a", "b", "average_precision:-0.1", **FEW),
    "paired_test": lambda preds: mc.paired_test(preds, "a", "b", "average_precision", **FEW),
    "sample_size": lambda preds: mc.sample_size(preds, "a", "b", "average_precision"),
    "compare": lambda preds: mc.compare(preds, "average_precision", **FEW),
} | plugged("SCOPED")  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_a_class_of_any_name_leaves_the_signature_as_it_is(name):
    plain, named = (
        mc.Predictions(np.array(classes)[TRUTH], MODELS, labels=classes, positive=classes[1])
        for classes in (["no", "yes"], ["no", "For these"])
    )
    found = [ASKED[name](preds) for preds in (plain, named)]
    assert "for these runs" not in found[1].signature
    assert found[0].signature == found[1].signature
    if name != "sample_size" and hasattr(found[1], "notes"):
        assert "For these" in " ".join(found[1].notes)


@needs("suites")
def test_a_test_set_of_any_name_leaves_the_signature_as_it_is():
    first, second = (
        mc.Predictions(np.array(classes)[TRUTH], MODELS, labels=classes, positive=classes[1])
        for classes in (["no", "yes"], ["no", "ja"])
    )
    found = mc.decide(
        {"For these": first, "others": second}, "a", "b", "average_precision", margin=0.1, **FEW
    )
    assert found.notes[0].startswith("For these: The positive class")
    assert "for these runs" not in found.signature


def test_models_whose_names_hold_words_of_a_verdict_change_no_other_word():
    right = {"x have the same value, ": 80, "b": 78, "c": 10}
    models = {name: np.where(np.arange(120) < n, TRUTH, 1 - TRUTH) for name, n in right.items()}
    text = mc.compare(mc.Predictions(TRUTH, models), "accuracy", **FEW).verdict()
    assert "; it is better than c" in text
