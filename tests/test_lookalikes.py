"""Labels that look the same and differ: both spellings are named, for every source."""

import unicodedata

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import modelcompare as mc
from modelcompare.data.checks import DataWarning
from modelcompare.spelling import look
from tests.plugged import needs

ACCENT, APART = "caf\u00e9", "cafe\u0301"
TRUTH = [ACCENT, "tea"] * 20
# A label, and the same to the eye: composed and apart, Cyrillic, Greek, without width, other
# blanks, dashes, wide letters.
PAIRS = [
    (ACCENT, APART), ("cat", "c\u0430t"), ("Omega", "\u039fmega"), ("cat", "cat\u200b"),
    ("cat", "\u2066cat\u2069"), ("to go", "to\u00a0go"), ("e-mail", "e\u2011mail"),
    ("don't", "don\u2019t"), ("A1", "\uff21\uff11"), ("\u2764", "\u2764\ufe0f"),
]  # fmt: skip


def mixed(label, other):
    """Answers that write a label in two ways, where it is right."""
    truth = [label, "tea"] * 20
    outputs = [other if row % 4 == 0 else cell for row, cell in enumerate(truth)]
    return truth, outputs


@pytest.mark.parametrize(("label", "other"), PAIRS)
def test_a_model_with_two_spellings_of_a_label_warns_with_both(label, other):
    truth, outputs = mixed(label, other)
    with pytest.warns(DataWarning, match="10 samples; `y_true` never contains it") as caught:
        preds = mc.Predictions(truth, {"a": outputs})
    assert len(caught) == 1
    text = str(caught[0].message)
    assert "they look alike" in text or "they differ in blanks" in text
    if "look alike" in text:
        assert ascii(other) in text
        assert ascii(label) in text
    assert (preds.predicted("a") == preds.access.codes).mean() == 0.75


@pytest.mark.parametrize(("label", "other"), PAIRS)
def test_a_truth_with_two_spellings_of_a_label_warns_with_both(label, other):
    truth, outputs = mixed(label, other)
    with pytest.warns(DataWarning, match="look the same and count as two classes") as caught:
        mc.Predictions(outputs, {"a": truth})
    assert {ascii(label), ascii(other)} == {
        word for word in (ascii(label), ascii(other)) if word in str(caught[0].message)
    }


@pytest.mark.parametrize(("label", "other"), PAIRS)
def test_a_model_that_always_writes_a_label_otherwise_is_refused(label, other):
    outputs = [other if cell == label else cell for cell in [label, "tea"] * 20]
    with pytest.raises(ValueError, match=r"look alike|differ in blanks"):
        mc.Predictions([label, "tea"] * 20, {"a": outputs})


@needs("large")
def test_files_and_scans_warn_like_arrays(tmp_path):
    truth, outputs = mixed(ACCENT, APART)
    frame = pd.DataFrame({"y_true": truth, "a": outputs})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    for read in (
        lambda: mc.read_predictions(tmp_path / "t.csv"),
        lambda: mc.read_predictions(frame),
        lambda: mc.io.scan_predictions(tmp_path / "t.parquet"),
        # Rows that all differ are not counted but read one by one.
        lambda: mc.io.scan_predictions(
            frame.assign(w=np.arange(40) + 0.5), columns={"weight": "w"}
        ),
    ):
        with pytest.warns(DataWarning, match="look alike"):
            read()


@pytest.mark.parametrize(
    "labels", [["A", "a"], ["US", "us"], ["\u043a\u043e\u0442", "cat"], [1, 2]]
)
@pytest.mark.filterwarnings("error")
def test_labels_that_differ_to_the_eye_are_left_alone(labels):
    mc.Predictions(labels * 10, {"a": labels * 10})


@pytest.mark.filterwarnings("error")
def test_two_classes_that_look_alike_may_be_named():
    truth = ["a", "\u0430"] * 10
    assert len(mc.Predictions(truth, {"m": truth}, labels=["a", "\u0430"]).labels) == 2


@given(st.text(max_size=8), st.integers(0, 8))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_a_look_is_the_same_composed_apart_and_with_what_has_no_width(text, place):
    assert look(unicodedata.normalize("NFD", text)) == look(unicodedata.normalize("NFC", text))
    assert look(text[:place] + "\u200b" + text[place:]) == look(text)
