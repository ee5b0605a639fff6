import re

import numpy as np
import pytest

import modelcompare as mc

RNG = np.random.default_rng(0)
Y = np.r_[0, 1, 2, RNG.integers(0, 3, 197)]
P = {name: RNG.dirichlet(np.ones(3), 200) + 2 * np.eye(3)[Y] * skill
     for name, skill in (("a", 1.0), ("b", 0.3))}  # fmt: skip
SLICES = {"lang": np.where(np.arange(200) < 150, "en", "de"), "rare": np.arange(200) < 5}
PREDS = mc.Predictions(Y, P, normalize=True, slices=SLICES, name="test.npz")
FEW = {"n_resamples": 99}


def test_the_card_holds_what_was_measured():
    card = mc.model_card(PREDS, "a", ["accuracy", "f1"], details={"Intended use": "Tests."}, **FEW)
    assert card.startswith("# Model card: a\n\n## Intended use\n\nTests.\n\n## Compared with")
    accuracy = mc.compare(PREDS, "accuracy", **FEW).scores.estimate[0]
    assert f"| all | {accuracy:.2f}" in card
    for part in ("test.npz", "Class 2", "lang = de", "f1 of 1", "Too small to say: rare = True (5)",
                 "Calibration", "log\\_loss", "`modelcompare:"):  # fmt: skip
        assert part in card, part
    assert "| b |" not in card


def test_options_of_compare_reach_the_card():
    card = mc.model_card(PREDS, "a", "accuracy", correction="max-t", scheme="bayesian", **FEW)
    assert "adjust:max-t" in card
    empty = mc.Predictions(Y, {"a": P["a"]}, normalize=True, slices={"s": [None] * 200})
    assert "No subgroup has 30 samples." in mc.model_card(empty, "a", "accuracy", **FEW)


def test_subgroups_that_are_all_too_small_are_said_to_be():
    preds = mc.Predictions(Y, {"a": P["a"]}, normalize=True, slices={"id": np.arange(200) // 10})
    assert "No subgroup has 30 samples." in mc.model_card(preds, "a", "accuracy", **FEW)


def test_a_card_of_labels_alone_has_no_calibration():
    preds = mc.Predictions(Y, {"a": P["a"].argmax(axis=1)})
    card = mc.model_card(preds, "a", **FEW)
    assert "Calibration" not in card
    assert "Compared with" not in card
    with pytest.raises(ValueError, match="unknown model 'c'"):
        mc.model_card(preds, "c")


def test_names_cannot_write_headings_markup_or_lines_of_a_card():
    truth = np.array(["# h1", "<img src=x onerror=alert(1)>"] * 40)
    models = {"a\n# h2": truth, "<b>|x\x1b[2J": truth[::-1]}
    preds = mc.Predictions(truth, models, slices={"[s](javascript:x)": truth})
    card = mc.model_card(
        preds, "a\n# h2", ["accuracy", "f1"], n_resamples=99, details={"Use\n# <i>": "**any**"}
    )
    lines = card.splitlines()
    assert lines[0] == r"# Model card: a\\n\# h2"
    assert r"## Use\\n\# \<i\>" in lines
    assert "**any**" in lines
    assert not [line for line in lines if line.startswith(("# h", "## h", "<"))]
    assert not [line for line in lines if re.search(r"(?<!\\)[<\[]", line)]
    assert "\x1b" not in card
