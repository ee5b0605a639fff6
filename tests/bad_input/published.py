"""Published numbers that make no sense: counts, scores of folds and data sets, p-values, areas."""

import numpy as np

import modelcompare as mc
from tests.bad_input.case import Call, Run

RNG = np.random.default_rng(0)
AREAS = mc.Predictions(np.arange(20) % 2, {m: RNG.random(20) for m in "ab"}, kind="probabilities")
HEAVY = mc.Predictions(
    np.arange(20) % 2, {"a": RNG.random(20)}, kind="probabilities", sample_weight=np.arange(20)
)
FEW = mc.Predictions([0, 1, 1], {"a": [0.1, 0.2, 0.3]}, kind="probabilities")

# fmt: off
CASES: list[Call | Run] = [
    Call("unpaired DeLong of what is no area", lambda _: mc.unpaired_test(AREAS["a"], AREAS["b"], "accuracy", method="delong"), "DeLong's test is of roc_auc, not of accuracy."),
    Call("unpaired DeLong of the metric by default", lambda _: mc.unpaired_test(AREAS["a"], AREAS["b"], method="delong"), "DeLong's test is of roc_auc, not of f1_macro."),
    Call("unpaired DeLong of weights", lambda _: mc.unpaired_test(AREAS["a"], HEAVY, "roc_auc", method="delong"), "DeLong's variance is for independent samples of equal weight; use the bootstrap."),
    Call("unpaired DeLong of a single negative", lambda _: mc.unpaired_test(AREAS["a"], FEW, "roc_auc", method="delong"), "DeLong's variance needs at least 2 samples of each class."),
    Call("DeLong's intervals of differences in two metrics", lambda _: mc.compare(AREAS, ["roc_auc", "accuracy"], method="delong", n_resamples=20), "DeLong's intervals are for roc_auc alone, not for roc_auc, accuracy; use method='auto'."),
]
