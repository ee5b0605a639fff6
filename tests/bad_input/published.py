"""Published numbers that make no sense: counts, p-values, areas."""

import math

import numpy as np
import pandas as pd

import modelcompare as mc
from tests.bad_input.case import Call, Run

RNG = np.random.default_rng(0)
AREAS = mc.Predictions(np.arange(20) % 2, {m: RNG.random(20) for m in "ab"}, kind="probabilities")
HEAVY = mc.Predictions(
    np.arange(20) % 2, {"a": RNG.random(20)}, kind="probabilities", sample_weight=np.arange(20)
)
FEW = mc.Predictions([0, 1, 1], {"a": [0.1, 0.2, 0.3]}, kind="probabilities")
MATRIX = [[50, 3], [9, 38]]
FRAME = pd.DataFrame(MATRIX, ["u", "v"], ["u", "v"])
SHAPE = "an axis of right and wrong for each, got {}. Counts by class are one model's matrix, or a Series by y_true and every model's labels."


def _joint(*names, counts=(3, 4)):
    """Counts by two levels of the names given."""
    levels = pd.MultiIndex.from_tuples([("u", "v"), ("v", "u")], names=names)
    return pd.Series(counts, index=levels)


# fmt: off
CASES: list[Call | Run] = [
    Call("unpaired DeLong of what is no area", lambda _: mc.inference.unpaired_test(AREAS["a"], AREAS["b"], "accuracy", method="delong"), "DeLong's test is for roc_auc, not for accuracy."),
    Call("unpaired DeLong of the metric by default", lambda _: mc.inference.unpaired_test(AREAS["a"], AREAS["b"], method="delong"), "DeLong's test is for roc_auc, not for f1_macro."),
    Call("unpaired DeLong of weights", lambda _: mc.inference.unpaired_test(AREAS["a"], HEAVY, "roc_auc", method="delong"), "DeLong's variance is for independent samples of equal weight; use the bootstrap."),
    Call("unpaired DeLong of a single negative", lambda _: mc.inference.unpaired_test(AREAS["a"], FEW, "roc_auc", method="delong"), "DeLong's variance needs at least 2 samples of each class."),
    Call("DeLong's intervals of differences in two metrics", lambda _: mc.compare(AREAS, ["roc_auc", "accuracy"], method="delong", n_resamples=20), "DeLong's intervals are for roc_auc only, not for roc_auc, accuracy; use method='auto'."),
    Call("counts without names", lambda _: mc.io.from_counts(MATRIX), "`models` must name the model of a confusion matrix ('cnn'), or the models of a table of right and wrong (('cnn', 'lstm'))."),
    Call("counts of several models apart", lambda _: mc.io.from_counts({"a": MATRIX, "b": MATRIX}), "`counts` must be one table: matrices of several models do not determine how their errors are paired. Make one test set of each, from_counts(matrix, 'cnn'), and compare them with unpaired_test."),
    Call("counts of several models in one array", lambda _: mc.io.from_counts([MATRIX, MATRIX], ("a", "b")), "`counts` of right and wrong of 2 models must have the shape (2, 2), " + SHAPE.format("(2, 2, 2)")),
    Call("one model's classes by another's", lambda _: mc.io.from_counts(np.eye(3), ("a", "b")), "`counts` of right and wrong of 2 models must have the shape (2, 2), " + SHAPE.format("(3, 3)")),
    Call("counts that are shares", lambda _: mc.io.from_counts([[0.5, 0.1], [0.2, 0.2]], "a"), "`counts` must be whole numbers of samples, 0 or above, got 0.5; fractions do not determine the number of samples."),
    Call("counts below zero", lambda _: mc.io.from_counts([[5, -1], [0, 2]], "a"), "`counts` must be whole numbers of samples, 0 or above, got -1; fractions do not determine the number of samples."),
    Call("counts without end", lambda _: mc.io.from_counts([[5, math.inf], [0, 2]], "a"), "`counts` must be whole numbers of samples, 0 or above, got inf; fractions do not determine the number of samples."),
    Call("counts that are missing", lambda _: mc.io.from_counts([[5, math.nan], [0, 2]], "a"), "`counts` must be whole numbers of samples, 0 or above, got nan; fractions do not determine the number of samples."),
    Call("counts that are texts", lambda _: mc.io.from_counts([["1", "2"], ["3", "4"]], "a"), "`counts` must be whole numbers of samples, got [['1', '2'], ['3', '4']].", TypeError),
    Call("counts that are a number", lambda _: mc.io.from_counts(5, "a"), "`counts` must be whole numbers of samples, got 5.", TypeError),
    Call("counts of nothing", lambda _: mc.io.from_counts([[0, 0], [0, 0]], "a"), "there are 0 samples; at least 2 are needed."),
    Call("counts of more than can be compared", lambda _: mc.io.from_counts([[10**9, 0], [0, 10**9]], "a"), "`counts` sum to 2,000,000,000 samples; at most 20,000,000 are taken."),
    Call("counts that are not square", lambda _: mc.io.from_counts([[1, 2, 3], [4, 5, 6]], "a"), "`counts` of one model must be true by predicted classes, here of shape (2, 2), got (2, 3)."),
    Call("counts with their sums", lambda _: mc.io.from_counts(pd.crosstab(np.arange(9) % 2, np.arange(9) % 4 // 2, margins=True).to_numpy(), "a"), "`counts` has a last row and column that are the sums of the others; leave them out."),
    Call("counts of a class that labels lack", lambda _: mc.io.from_counts(FRAME, "a", labels=["u", "w"]), "`counts` has the heading 'v', which `labels` lacks."),
    Call("counts whose columns are the truth", lambda _: mc.io.from_counts(pd.crosstab(np.arange(9) % 2, np.arange(9) % 3 // 2, rownames=["Predicted"], colnames=["Actual"]), "a"), "`counts` calls its rows predicted and its columns actual, but rows must be the true classes; pass counts.T."),
    Call("counts in a column of a frame", lambda _: mc.io.from_counts(pd.DataFrame({"y_true": ["u", "v"], "a": ["u", "u"], "n": [3, 4]})), "`counts` with a column y_true must be a Series, for a frame with counts in n: frame.set_index(['y_true', 'cnn', 'lstm'])['n']."),
    Call("counts of classes where there is right and wrong", lambda _: mc.io.from_counts(FRAME, ("a", "b")), "`counts` has the heading 'u'; call rows and columns right and wrong, or pass an array whose first row and column are right."),
    Call("counts of right and wrong of unknown order", lambda _: mc.io.from_counts(pd.DataFrame(MATRIX), ("a", "b")), "`counts` has the heading 0; call rows and columns right and wrong, or pass an array whose first row and column are right."),
    Call("counts with a heading twice", lambda _: mc.io.from_counts(FRAME.set_axis(["u", "u"]), "a"), "`counts` has the heading 'u' twice."),
    Call("counts for fewer labels", lambda _: mc.io.from_counts(MATRIX, "a", labels=["u"]), "`counts` of one model must be true by predicted classes, here of shape (1, 1), got (2, 2)."),
    Call("labels of right and wrong", lambda _: mc.io.from_counts(MATRIX, ("a", "b"), labels=["u", "v"]), "`labels` are the classes of a confusion matrix; leave them out here."),
    Call("counts of one model twice", lambda _: mc.io.from_counts(MATRIX, ("a", "a")), "`models` must be distinct names, at least one, got ('a', 'a')."),
    Call("counts of no model", lambda _: mc.io.from_counts(MATRIX, []), "`models` must be distinct names, at least one, got []."),
    Call("joint counts without the truth", lambda _: mc.io.from_counts(_joint("a", "b")), "a Series of `counts` must have index levels named y_true and as each model, got a, b."),
    Call("joint counts whose models are named", lambda _: mc.io.from_counts(_joint("y_true", "b"), "b"), "`models` are named by the Series' index; leave them out."),
    Call("a p-value above one", lambda _: mc.inference.adjust([0.2, 1.2]), "`p_values` must lie in [0, 1], got 1.2."),
    Call("p-values that are texts", lambda _: mc.inference.adjust(["a", 0.1]), "`p_values` must hold numbers, got ['a', 0.1].", TypeError),
    Call("a single p-value", lambda _: mc.inference.adjust(0.03), "`p_values` must be an array, list, Series or DataFrame of p-values, got 0.03.", TypeError),
    Call("p-values that were not resampled", lambda _: mc.inference.adjust([0.03], "max-t"), "`method='max-t'` needs resamples of the tests; use 'holm'."),
]
