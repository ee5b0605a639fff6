"""Names from files in what Python code gets: no text steers a terminal or a workflow."""

import re
import shutil
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.escape import shell
from tests.plugged import plugged

CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def orders(text):
    """Lines that a GitHub runner obeys: ActionCommand.cs of actions/runner, both versions."""
    within = re.compile(r"##\w*\[")
    return [x for x in text.splitlines() if x.lstrip().startswith("::") or within.search(x)]


# Names as a file has them: of models, of classes, of test sets and of groups.
HOSTILE_MODELS = ["::error::old\x1b[31m", "::error::new\n::warning::y"]
FEW = {"n_resamples": 99}


def _hostile_set(seed=0):
    rng = np.random.default_rng(seed)
    truth = np.resize(["no\n::error::no", "yes\x1b[2J##[error]"], 120)
    right = {
        model: rng.random(120) < p for model, p in zip(HOSTILE_MODELS, (0.6, 0.8), strict=True)
    }
    other = truth[::-1]
    outputs = {model: np.where(hit, truth, other) for model, hit in right.items()}
    group = np.resize(["::error::a", "b\n::error::b", "c\x1b[31m"], 120)
    return mc.Predictions(truth, outputs, slices={"by\n::error::": group})


def _texts_of_python():
    """All texts of results for such names, by where they come from, and all warnings."""
    preds, models = _hostile_set(), HOSTILE_MODELS
    sets = {"x\n::error::pwned": preds, "::error::z\x1b[31mred": _hostile_set(1)}
    label = preds.labels[1]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        decision = mc.decide(preds, *models, ("f1", label), margin=0.1, **FEW)
        gate = mc.gate(preds, *models, ["accuracy:+0.9", "f1_macro:+0"], **FEW)
        compared = mc.compare(preds, ["accuracy", "f1"], **FEW)
        baseline = mc.compare(preds, "accuracy", baseline=models[1], **FEW)
        groups = mc.compare_groups(preds, ["accuracy", "f1"], **FEW)
        size = mc.sample_size(preds, *models, ("f1", label))
        others = [make(models) for make in plugged("HOSTILE").values()]
        others += [each for make in plugged("HOSTILE_SETS").values() for each in make(sets, models)]
    results = [decision, gate, compared, baseline, groups, size, *others]
    texts = {f"warning {k}": str(each.message) for k, each in enumerate(caught)}
    for k, result in enumerate(results):
        for name in ("verdict", "sentence", "sentences", "reason", "notes", "answered", "ledger"):
            found = getattr(result, name) if name in dir(result) else ()
            found = found() if callable(found) else found
            texts[f"{type(result).__name__} {k} {name}"] = (
                found
                if isinstance(found, str)
                else "\n".join(each if isinstance(each, str) else each[1] for each in found)
            )
        texts[f"{type(result).__name__} {k} document"] = "\n".join(result.document().sentences)
    return texts | {"repr": repr(preds)}


@pytest.mark.filterwarnings("ignore")
def test_no_text_that_python_code_gets_is_an_order_or_moves_a_cursor():
    texts = _texts_of_python()
    assert len([text for text in texts.values() if "error" in text]) > 12
    assert {place: text for place, text in texts.items() if orders(text)} == {}
    assert {place: text for place, text in texts.items() if CONTROL.search(text)} == {}


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    "name", ["plain", "a b", "it's", "x\n::error::pwned", "\x1b[31m'red\\", "##[error]\t$HOME"]
)
def test_a_name_in_a_command_is_one_word_and_one_line(name):
    word = shell(name)
    assert (CONTROL.search(word), "\n" in word, orders(word)) == (None, False, [])
    printed = subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True)
    assert printed.stdout.decode() == name


def test_a_refusal_with_names_of_test_sets_has_no_line_that_is_an_order():
    sets = np.repeat(["x\n::error::pwned", "x\x1b[31mred"], 40)
    table = pd.DataFrame({"set": sets, "id": [*range(40)] * 2, "y_true": np.arange(80) % 2})
    table["a"], table["b"] = table.y_true, 1 - table.y_true
    with pytest.raises(ValueError, match="there are 2 test sets") as refused:
        mc.read_predictions(table)
    text = str(refused.value)
    assert "\n" not in text
    assert not CONTROL.search(text)
