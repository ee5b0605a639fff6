"""Scores on folds, and estimators, that make no sense."""

import math

import numpy as np
import pandas as pd

import modelcompare as mc
from modelcompare.plugs import plugins
from tests.bad_input.case import Call, Run

RNG = np.random.default_rng(0)


FOLDS = pd.DataFrame(RNG.random((10, 3)), columns=["a", "b", "c"])
TIDY = FOLDS.assign(fold=range(10)).melt("fold", var_name="model", value_name="score")
TEN = {"n_train": 9, "n_test": 1}
SIZES = "`n_train` and `n_test` (--n-train, --n-test) must say how many samples a fold trains and tests on, which the corrected t-test needs: 9 and 1 for ten folds."
WRITTEN = {"t.csv": "fold,a,b\n0,0.1,0.2\n1,0.3,NA\n"}

# fmt: off
# Of tables of scores, which the plugin of published results reads.
TABLES: list[Call | Run] = [
    Call("folds of unknown size", lambda _: mc.crossval.compare_folds(FOLDS), SIZES),
    Call("folds of half a size", lambda _: mc.crossval.compare_folds(FOLDS, n_train=9), "`n_train` and `n_test` (--n-train, --n-test) go together; give both."),
    Call("folds that test on nothing", lambda _: mc.crossval.compare_folds(FOLDS, n_train=9, n_test=0), "`n_test` must be above 0, got 0."),
    Call("folds in the columns", lambda _: mc.crossval.compare_folds(FOLDS.T, **TEN), "`table` has the headings 0, 1, ..., which name no models; give a row for each fold and a column for each model, table.T perhaps."),
    Call("folds in columns of their names", lambda _: mc.crossval.compare_folds(FOLDS.T.add_prefix("Fold "), **TEN), "`table` has in each row several scores, in columns of models or data sets; these are none: Fold 0, Fold 1, Fold 2, Fold 3, Fold 4, Fold 5, ...; give one metric's scores."),
    Call("folds of one model", lambda _: mc.crossval.compare_folds(FOLDS[["a"]], **TEN), "`table` needs a column of scores for each of 2 models or more; it has a."),
    Call("a single fold", lambda _: mc.crossval.compare_folds(FOLDS[:1], **TEN), "`table` needs a row for each of 2 folds or more; it has 1."),
    Call("folds with a missing score", lambda _: mc.crossval.compare_folds(FOLDS.reindex([0, 1, 2, -1, 4]), **TEN), "`table` lacks the score of a, b, c on fold '3 of repeat 0' (3 missing in all); fill it in, or drop such folds with missing='drop' (--missing drop)."),
    Call("folds with a column of texts", lambda _: mc.crossval.compare_folds(FOLDS.assign(note="x"), **TEN), "`table` has besides scores of folds 1 (note); leave it out, or call repeats repeat, metrics metric and classes label; or if each model has a column, and a fold one row, name the models with models= (--model)."),
    Call("folds that are a path", lambda _: mc.crossval.compare_folds("folds.csv", **TEN), "`table` must be a DataFrame or a mapping of models to scores, got 'folds.csv'.", TypeError),
    Call("folds of unequal number", lambda _: mc.crossval.compare_folds({"a": [1, 2], "b": [1]}, **TEN), "`table` must map each model to its scores, as many of each as there are rows."),
    Call("folds with a model twice", lambda _: mc.crossval.compare_folds(FOLDS.set_axis(["a", "a", "b"], axis=1), **TEN), "`table`: column 'a' occurs twice."),
    Call("too few folds for five by two", lambda _: mc.crossval.compare_folds(FOLDS[:8], test="5x2cv-t"), "`test='5x2cv-t'` needs five repeats of 2 folds, but the repeats of the table have 8 rows; use 'corrected-t'."),
    Call("two by five folds for five by two", lambda _: mc.crossval.compare_folds(FOLDS.assign(repeat=FOLDS.index // 5), test="5x2cv-f"), "`test='5x2cv-f'` needs five repeats of 2 folds, but the repeats of the table have 5, 5 rows; use 'corrected-t'."),
    Call("Wilcoxon's test of folds", lambda _: mc.crossval.compare_folds(FOLDS, test="wilcoxon", **TEN), "`test` must be one of corrected-t, 5x2cv-t, 5x2cv-f, got 'wilcoxon'."),
    Call("folds corrected by replicates", lambda _: mc.crossval.compare_folds(FOLDS, correction="min-p", **TEN), "`correction='min-p'` needs replicates; use 'holm'."),
    Call("a fold that one model lacks", lambda _: mc.crossval.compare_folds(TIDY.drop(index=3), **TEN), "`table` lacks the score of a on fold '3 of repeat 0' (1 missing in all); fill it in, or drop such folds with missing='drop' (--missing drop)."),
    Call("folds with two scores of a model", lambda _: mc.crossval.compare_folds(pd.concat([TIDY, TIDY]), **TEN), "`table` has several scores of 'a' in fold 0 of repeat 0; name repeats in a column repeat, metrics in a column metric."),
    Call("folds with an unknown column", lambda _: mc.crossval.compare_folds(TIDY.assign(seed=1), **TEN), "`table` has besides scores of folds 1 (seed); leave it out, or call repeats repeat, metrics metric and classes label; or if each model has a column, and a fold one row, name the models with models= (--model)."),
    Call("scores whose folds are not named", lambda _: mc.crossval.compare_folds(TIDY[["model", "score"]], **TEN), "`table` has a row for each score, and no column fold; name the folds with columns={'id': 'COLUMN'} (--id COLUMN). It has model, score."),
    Call("folds of a single model named", lambda _: mc.crossval.compare_folds(TIDY.assign(model="a"), **TEN), "`table` has several scores of 'a' in fold 0 of repeat 0; name repeats in a column repeat, metrics in a column metric."),
    Call("one model's folds", lambda _: mc.crossval.compare_folds(TIDY[TIDY["model"] == "a"], **TEN), "`table` needs a column of scores for each of 2 models or more; it has a."),
    Call("folds with seeds", lambda _: mc.crossval.compare_folds(FOLDS.assign(fold=range(10), seed=[1, 2] * 5), **TEN), "`table` has besides scores of folds seed, the mean of 1; leave it out, or call repeats repeat, metrics metric and classes label; or if each model has a column, and a fold one row, name the models with models= (--model)."),
    Call("folds with a row of means", lambda _: mc.crossval.compare_folds(FOLDS.assign(fold=[*range(9), "Mean"]), **TEN), "`table` has a row 'Mean' among the folds; leave it out."),
    Call("folds of shares and percentages", lambda _: mc.crossval.compare_folds(FOLDS.assign(a=93.0 + FOLDS["b"]), **TEN), "`table`: scores of 'b' look like shares (" + f"{FOLDS['b'][0]:g}), those of 'a' like percentages ({93 + FOLDS['b'][0]:g}); write all in one unit."),
    Call("a cell of a fold that is no number", lambda _: mc.crossval.compare_folds(FOLDS.astype(object).assign(a=["0.5/0.6", *[0.5] * 9]), **TEN), "`table`: '0.5/0.6' of 'a' on '0 of repeat 0' is no score; write a number, as 93.3, 93.3 +- 0.5 or 93.3 (0.5)."),
    Call("endless scores of a fold", lambda _: mc.crossval.compare_folds(FOLDS.assign(a=math.inf), **TEN), "`table` has besides scores of folds 1 (a); leave it out, or call repeats repeat, metrics metric and classes label; or if each model has a column, and a fold one row, name the models with models= (--model)."),
    Call("folds whose sizes are zero", lambda _: mc.crossval.compare_folds(TIDY.assign(n_train=9, n_test=0)), "`table` must hold numbers above 0, but column 'n_test' does not in 10 rows (first: 0, 1, 2); correct these rows, or leave the column out."),
    Call("folds without all metrics", lambda _: mc.crossval.compare_folds(TIDY.assign(metric=["f1", *["accuracy"] * 9] * 3), **TEN), "`table` lacks a metric, or a class, in some folds; all need the same."),
    Call("folds with two columns of folds", lambda _: mc.crossval.compare_folds(TIDY.assign(Fold=1), **TEN), "`table` has columns 'fold' and 'Fold', which are both named like the fold of a score; leave one out."),
    Call("folds of a metric of no direction", lambda _: mc.crossval.compare_folds(TIDY.assign(metric="speed"), **TEN), "whether high or low values of 'speed' are good is not known; declare it with greater_is_better=True or False (--higher-is-better or --lower-is-better)."),
    Call("folds of a metric of the other direction", lambda _: mc.crossval.compare_folds(TIDY.assign(metric="log_loss"), greater_is_better=True, **TEN), "`greater_is_better` is True, but log_loss is better where it is lower; leave the option out, or rename the metric."),
    Run("ranks of folds: an option of data sets", "ranks t.csv --read run=a", "--read run is for scores on several data sets; this table has a column of folds.", WRITTEN),
    Run("ranks of folds: no sizes", "ranks t.csv", SIZES, {"t.csv": "fold,a,b\n0,0.1,0.2\n1,0.3,0.4\n"}),
    Run("ranks of folds: a missing score", "ranks t.csv --n-train 9 --n-test 1", "`table` lacks the score of b on fold '1 of repeat 0' (1 missing in all); fill it in, or drop such folds with missing='drop' (--missing drop).", WRITTEN),
]
CASES: list[Call | Run] = [
    Run("ranks of folds: no file", "ranks t.csv", "t.csv: there is no such file."),
    Call("an estimator that cannot be fitted", lambda _: mc.crossval.compare_estimators({"a": 5}, [[0], [1]] * 9, [0, 1] * 9), "`estimators` maps 'a' to 5, which cannot be fitted.", TypeError),
    Call("estimators without names", lambda _: mc.crossval.compare_estimators([1, 2], [[0], [1]], [0, 1]), "`estimators` must map names to estimators, got [1, 2].", TypeError),
    Call("a function like one of folds misspelt", lambda _: mc.compair, "module 'modelcompare' has no attribute 'compair'; did you mean compare or crossval.compare_folds?", AttributeError),
    *(TABLES if "published" in plugins() else []),
]
