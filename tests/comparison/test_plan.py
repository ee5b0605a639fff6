"""A comparison reads its test set once."""

import sys
from pathlib import Path

import pytest

import modelcompare as mc
from modelcompare.data.test_set import TestSet

SNLI = mc.load_example("snli")
PACKAGE = Path(mc.__file__).parent
PARTS = mc.Predictions(
    SNLI.y_true[:600], {m: SNLI.output(m).array[:600] for m in SNLI.models}, labels=SNLI.labels,
    slices={"half": ["x", "y"] * 300},
)  # fmt: skip
TWO = ("bow_pair", "naive_bayes")
# Functions that may take the test set, and entries into the registry: one for each rule and group.
ASKED = {
    "compare": (lambda: mc.compare(PARTS, n_resamples=999), 34, 1),
    "decide": (lambda: mc.decide(PARTS, *TWO, "f1_macro", margin=0.01, n_resamples=999), 34, 1),
    "gate": (
        lambda: mc.gate(PARTS, *TWO, ["accuracy:-0.01", "f1_macro:-0.01"], n_resamples=999),
        40,
        2,
    ),
    "paired_test": (lambda: mc.paired_test(PARTS, *TWO, "f1_macro", n_resamples=999), 34, 1),
    "sample_size": (lambda: mc.sample_size(PARTS, *TWO, "f1_macro"), 34, 1),
    "groups": (lambda: mc.compare_groups(PARTS, n_resamples=999), 40, 2),
}


@pytest.mark.parametrize("name", ASKED)
def test_questions_pass_their_test_set_to_few_functions_and_resolve_metrics_once(name):
    ask, most, entries = ASKED[name]
    functions, resolved = set(), []
    ask()

    def watch(frame, event, _):
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(str(PACKAGE)):
            return
        given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        values = (frame.f_locals.get(name) for name in given if name not in ("self", "cls"))
        if any(isinstance(value, TestSet) for value in values):
            functions.add((code.co_filename, code.co_qualname))
        caller = frame.f_back.f_code.co_filename
        if code.co_filename.endswith("metrics/registry.py") and caller != code.co_filename:
            resolved.append(code.co_qualname)

    sys.setprofile(watch)
    try:
        ask()
    finally:
        sys.setprofile(None)
    assert len(functions) <= most, sorted(functions)
    assert resolved == ["resolve_metrics"] * entries
