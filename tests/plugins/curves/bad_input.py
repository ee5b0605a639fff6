"""Curves and operating points that make no sense."""

import modelcompare as mc
from tests.bad_input.case import Call
from tests.bad_input.functions import NAN, PREDS

# fmt: off
CASES: list[Call] = [
    Call("a confidence level that is not a number", lambda _: mc.diagnostics.curve(PREDS, confidence_level=NAN), "`confidence_level` must be in (0, 1), got nan."),
    Call("an unknown curve", lambda _: mc.diagnostics.curve(PREDS, "pr"), "`kind` must be one of roc, precision-recall, got 'pr'; did you mean precision-recall?"),
    Call("a class that is a list", lambda _: mc.diagnostics.curve(PREDS, label=[1]), "`label`: there is no class [1]; did you mean 1?"),
    Call("nothing wanted of an operating point", lambda _: mc.diagnostics.operating_point(PREDS), "give exactly one of precision, recall, false_positive_rate, threshold; got none."),
    Call("a recall above one", lambda _: mc.diagnostics.operating_point(PREDS, recall=2), "`recall` must be in [0, 1], got 2."),
    Call("a precision in a text", lambda _: mc.diagnostics.operating_point(PREDS, precision="0.9"), "`precision` must be a number, got '0.9'.", TypeError),
    Call(
        "a curve of the class that raw scores are low for",
        lambda _: mc.diagnostics.curve(
            mc.Predictions([0, 1, 1], {"a": [1.5, -2, 4]}, kind="values"), label=0
        ),
        "raw scores are high for the positive class, which 0 is not; turn their signs round and "
        "pass positive=0 (--positive 0).",
    ),
]
