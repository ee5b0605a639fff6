"""Published numbers that make no sense: p-values, areas."""

import numpy as np

import modelcompare as mc
from tests.bad_input.case import Call

RNG = np.random.default_rng(0)
AREAS = mc.Predictions(np.arange(20) % 2, {m: RNG.random(20) for m in "ab"}, kind="probabilities")

# fmt: off
CASES: list[Call] = [
    Call("DeLong's intervals of differences in two metrics", lambda _: mc.compare(AREAS, ["roc_auc", "accuracy"], method="delong", n_resamples=20), "DeLong's intervals are for roc_auc only, not for roc_auc, accuracy; use method='auto'."),
    Call("a p-value above one", lambda _: mc.inference.adjust([0.2, 1.2]), "`p_values` must lie in [0, 1], got 1.2."),
    Call("p-values that are texts", lambda _: mc.inference.adjust(["a", 0.1]), "`p_values` must hold numbers, got ['a', 0.1].", TypeError),
    Call("a single p-value", lambda _: mc.inference.adjust(0.03), "`p_values` must be an array, list, Series or DataFrame of p-values, got 0.03.", TypeError),
    Call("p-values that were not resampled", lambda _: mc.inference.adjust([0.03], "max-t"), "`method='max-t'` needs resamples of the tests; use 'holm'."),
]
