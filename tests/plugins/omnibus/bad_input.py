"""Omnibus tests that make no sense."""

import modelcompare as mc
from tests.bad_input.case import Call
from tests.bad_input.functions import PREDS

# fmt: off
CASES: list[Call] = [
    Call("an unknown omnibus test", lambda _: mc.inference.omnibus_test(PREDS, method="anova"), "`method` must be one of cochran-q, friedman, got 'anova'."),
    Call("a mapping where predictions should be", lambda _: mc.inference.omnibus_test({"a": [1, 2]}), "`predictions` must be Predictions, got a mapping; make them with modelcompare.Predictions(y_true, outputs).", TypeError),
    Call("an omnibus test of two models", lambda _: mc.inference.omnibus_test(PREDS), "there are 2 models, an omnibus test needs 3; use paired_test."),
]
