"""Published numbers that make no sense: p-values, areas."""

import numpy as np

import modelcompare as mc
from tests.bad_input.case import Call

RNG = np.random.default_rng(0)
AREAS = mc.Predictions(np.arange(20) % 2, {m: RNG.random(20) for m in "ab"}, kind="probabilities")
HEAVY = mc.Predictions(
    np.arange(20) % 2, {"a": RNG.random(20)}, kind="probabilities", sample_weight=np.arange(20)
)
FEW = mc.Predictions([0, 1, 1], {"a": [0.1, 0.2, 0.3]}, kind="probabilities")

# fmt: off
CASES: list[Call] = [
    Call("unpaired DeLong of what is no area", lambda _: mc.inference.unpaired_test(AREAS["a"], AREAS["b"], "accuracy", method="delong"), "DeLong's test is for roc_auc, not for accuracy."),
    Call("unpaired DeLong of the metric by default", lambda _: mc.inference.unpaired_test(AREAS["a"], AREAS["b"], method="delong"), "DeLong's test is for roc_auc, not for f1_macro."),
    Call("unpaired DeLong of weights", lambda _: mc.inference.unpaired_test(AREAS["a"], HEAVY, "roc_auc", method="delong"), "DeLong's variance is for independent samples of equal weight; use the bootstrap."),
    Call("unpaired DeLong of a single negative", lambda _: mc.inference.unpaired_test(AREAS["a"], FEW, "roc_auc", method="delong"), "DeLong's variance needs at least 2 samples of each class."),
    Call("DeLong's intervals of differences in two metrics", lambda _: mc.compare(AREAS, ["roc_auc", "accuracy"], method="delong", n_resamples=20), "DeLong's intervals are for roc_auc only, not for roc_auc, accuracy; use method='auto'."),
    Call("a p-value above one", lambda _: mc.inference.adjust([0.2, 1.2]), "`p_values` must lie in [0, 1], got 1.2."),
    Call("p-values that are texts", lambda _: mc.inference.adjust(["a", 0.1]), "`p_values` must hold numbers, got ['a', 0.1].", TypeError),
    Call("a single p-value", lambda _: mc.inference.adjust(0.03), "`p_values` must be an array, list, Series or DataFrame of p-values, got 0.03.", TypeError),
    Call("p-values that were not resampled", lambda _: mc.inference.adjust([0.03], "max-t"), "`method='max-t'` needs resamples of the tests; use 'holm'."),
]
