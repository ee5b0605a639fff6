"""Tests of two models that do not apply."""

import modelcompare as mc
from tests.bad_input.case import Call, Run
from tests.bad_input.functions import PREDS, TWO

# fmt: off
CASES: list[Call | Run] = [
    Call("McNemar of what is not accuracy", lambda _: mc.paired_test(PREDS, "a", "b", "f1_macro", method="mcnemar-exact"), "McNemar's tests are of accuracy, or of scores that are 0 or 1, not of f1_macro; use 'studentized-permutation', 'permutation', 'bootstrap' or 'wald' instead."),
    Call("McNemar of clusters", lambda _: mc.paired_test(TWO, "a", "b", "accuracy", method="mcnemar-exact"), "McNemar's test needs independent samples of equal weight; with clusters or weights use 'studentized-permutation', 'bootstrap' or 'wald'."),
    Call("DeLong of what is no area", lambda _: mc.paired_test(PREDS, "a", "b", "accuracy", method="delong"), "DeLong's test is for roc_auc, not for accuracy."),
]
