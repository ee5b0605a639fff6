"""Tests of two test sets that make no sense."""

import numpy as np

import modelcompare as mc
from tests.bad_input.case import Call
from tests.bad_input.functions import PREDS
from tests.bad_input.slips import MEANT

RNG = np.random.default_rng(0)
AREAS = mc.Predictions(np.arange(20) % 2, {m: RNG.random(20) for m in "ab"}, kind="probabilities")
HEAVY = mc.Predictions(
    np.arange(20) % 2, {"a": RNG.random(20)}, kind="probabilities", sample_weight=np.arange(20)
)
FEW = mc.Predictions([0, 1, 1], {"a": [0.1, 0.2, 0.3]}, kind="probabilities")

# fmt: off
CASES: list[Call] = [
    Call("an unknown unpaired test", lambda _: mc.inference.unpaired_test(PREDS["a"], PREDS["b"], method="t"), "`method` must be one of studentized-permutation, fisher-midp, bootstrap, permutation, wald, welch, delong, got 't'."),
    Call("None where predictions should be", lambda _: mc.inference.unpaired_test(PREDS["a"], None), "`predictions_b` must be Predictions, got None; read a file or a table with modelcompare.read_predictions.", TypeError),
    Call("two models where one was asked for", lambda _: mc.inference.unpaired_test(PREDS, PREDS["a"]), "`predictions_a` holds 2 models; choose one: preds['cnn']."),
    Call("unpaired DeLong of what is no area", lambda _: mc.inference.unpaired_test(AREAS["a"], AREAS["b"], "accuracy", method="delong"), "DeLong's test is for roc_auc, not for accuracy."),
    Call("unpaired DeLong of the metric by default", lambda _: mc.inference.unpaired_test(AREAS["a"], AREAS["b"], method="delong"), "DeLong's test is for roc_auc, not for f1_macro."),
    Call("unpaired DeLong of weights", lambda _: mc.inference.unpaired_test(AREAS["a"], HEAVY, "roc_auc", method="delong"), "DeLong's variance is for independent samples of equal weight; use the bootstrap."),
    Call("unpaired DeLong of a single negative", lambda _: mc.inference.unpaired_test(AREAS["a"], FEW, "roc_auc", method="delong"), "DeLong's variance needs at least 2 samples of each class."),
    Call("a metric misspelt in an unpaired test", lambda _: mc.inference.unpaired_test(PREDS[["a"]], PREDS[["b"]], metric="acuracy"), MEANT),
]
