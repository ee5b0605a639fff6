"""Published scores that make no sense."""

import math

import numpy as np
import pandas as pd

import modelcompare as mc
from tests.bad_input.case import Call, Run

RNG = np.random.default_rng(0)


FOLDS = pd.DataFrame(RNG.random((10, 3)), columns=["a", "b", "c"])
SETS = FOLDS.assign(dataset=[f"d{i}" for i in range(10)]).melt(
    "dataset", var_name="model", value_name="score"
)
UNCLEAR = "`table`: its columns ({0}) do not show whether a row is a data set, a model or one score. Name data sets (id) and models (model), as with {1}; name runs with columns={{'runs': 'COLUMN'}} (--read run=COLUMN)."
EITHER = (
    "columns={{'id': {0!r}}} (--id {0}) or columns={{'model': {0!r}}} (--read model-column={0})"
)
NEITHER = "columns={'id': 'COLUMN', 'model': 'COLUMN'} (--id COLUMN --read model-column=COLUMN)"
WRITTEN = {"t.csv": "fold,a,b\n0,0.1,0.2\n1,0.3,NA\n"}

MATRIX = [[50, 3], [9, 38]]
FRAME = pd.DataFrame(MATRIX, ["u", "v"], ["u", "v"])
SHAPE = "an axis of right and wrong for each, got {}. Counts by class are one model's matrix, or a Series by y_true and every model's labels."


def _joint(*names, counts=(3, 4)):
    """Counts by two levels of the names given."""
    levels = pd.MultiIndex.from_tuples([("u", "v"), ("v", "u")], names=names)
    return pd.Series(counts, index=levels)


# fmt: off
CASES: list[Call | Run] = [
    Call("ranks of two models", lambda _: mc.inference.critical_difference(FOLDS[["a", "b"]]), "Friedman's test needs 3 models, the table has 2; compare two by paired_test(Predictions.from_scores(dict(table)), ..., 'mean_score', method='wilcoxon'), each data set a sample."),
    Call("ranks over one data set", lambda _: mc.inference.critical_difference(FOLDS[:1]), "`table` needs a row for each of 2 data sets or more; it has 1."),
    Call("ranks with data sets in the columns", lambda _: mc.inference.critical_difference(FOLDS.T), "`table` has the headings 0, 1, ..., which name no models; give a row for each data set and a column for each model, table.T perhaps."),
    Call("ranks with a missing score", lambda _: mc.inference.critical_difference(SETS[:-1]), "`table` lacks the score of c on data set 'd9' (1 missing in all); fill it in, or drop such data sets with missing='drop' (--missing drop)."),
    Call("ranks with two scores of a model", lambda _: mc.inference.critical_difference(pd.concat([SETS, SETS[:1]])), "`table` has two scores of 'a' on 'd0'; if they are runs name their column with columns={'runs': 'COLUMN'} (--read run=COLUMN)."),
    Call("ranks of scores on nothing", lambda _: mc.inference.critical_difference(SETS.drop(columns="dataset")), UNCLEAR.format("model, score", NEITHER)),
    Call("ranks of two metrics in rows", lambda _: mc.inference.critical_difference(SETS.assign(metric=["f1", "mcc"] * 15)), "`table`: column 'metric' has f1, mcc; ranks are of one metric, so leave the rows of the others out."),
    Call("ranks of two metrics in columns", lambda _: mc.inference.critical_difference(SETS.assign(value=1)), "`table` has in each row one score, in one of score, value; name it with columns={'score': 'score'} (--read score=score)."),
    Call("ranks by two names of data sets", lambda _: mc.inference.critical_difference(SETS.assign(task=["t", "u"] * 15)), "`table`: columns 'dataset' and 'task' have usual names for the same role; name one with columns={'id': 'dataset'} (--id dataset)."),
    Call("ranks of columns of metrics", lambda _: mc.inference.critical_difference({"model": ["a", "b", "c"], "f1": [0.1, 0.2, 0.3], "accuracy": [0.4, 0.5, 0.7]}), "`table` has in each row several scores, in columns of models or data sets; these are none: accuracy, f1; give one metric's scores."),
    Call("ranks of a score in a wide table", lambda _: mc.inference.critical_difference(FOLDS, columns={"score": "a"}), "`table`: score is for a table with one score in each row; leave it out. The columns are a, b, c."),
    Call("ranks of a row of means", lambda _: mc.inference.critical_difference({"model": ["a", "b", "Mean"], "u": [0.1, 0.2, 0.3], "v": [0.1, 0.2, 0.3]}), "`table`: 'Mean' is named like a summary, not like a model; leave it out, or name all models with models= (--model)."),
    Call("ranks of a cell of two numbers", lambda _: mc.inference.critical_difference(FOLDS.astype(object).assign(a=["0.5/0.6", *[0.5] * 9])), "`table`: '0.5/0.6' of 'a' on 0 is no score; write a number, as 93.3, 93.3 +- 0.5 or 93.3 (0.5)."),
    Call("ranks of decimal commas", lambda _: mc.inference.critical_difference(FOLDS.astype(str).apply(lambda c: c.str[:4].str.replace(".", ","))), f"`table`: {str(FOLDS['a'][0])[:4].replace('.', ',')!r} in column 'a' has a comma; write a decimal point, as 93.3, and nothing between thousands."),
    Call("ranks of percents and shares", lambda _: mc.inference.critical_difference(FOLDS.astype(object).assign(a=["93%", *[0.5] * 9])), "`table`: data set 0 has '93%' and '" + str(FOLDS["b"][0]) + "', with and without a percent sign; write all in one unit."),
    Call("ranks of a row without its name", lambda _: mc.inference.critical_difference(SETS.assign(dataset=SETS["dataset"].where(SETS.index != 3))), "`table`: column 'dataset' is empty in 1 row (row 3); fill it in, or leave them out."),
    Run("ranks: an index of names", "ranks t.csv", UNCLEAR.format("unnamed, a, b, c", EITHER.format("unnamed")), {"t.csv": ",a,b,c\nu,0.1,0.2,0.3\nv,0.3,0.4,0.4\n"}),
    Call("ranks of shares and percentages", lambda _: mc.inference.critical_difference({"a": [0.93, 0.83], "b": [92.0, 82.0], "c": [91.0, 81.0]}), "`table`: scores of 'a' look like shares (0.93), those of 'b' like percentages (92); write all in one unit."),
    Call("ranks by prices", lambda _: mc.inference.critical_difference({"model": ["a", "b", "c"], "Price ($/M)": [0.5, 3, 15], "u": [0.1, 0.2, 0.3], "v": [0.1, 0.2, 0.3]}), "`table`: column 'Price ($/M)' may be a cost or a size, not a data set; name the data sets, as columns={'score': ['u', 'v']} (--read score=u --read score=v)."),
    Call("ranks of lists", lambda _: mc.inference.critical_difference(FOLDS.assign(d=[[1]] * 10)), "column 'd' contains lists or objects; give one label, number or text for each sample."),
    Call("ranks by errors of no direction", lambda _: mc.inference.critical_difference({"model": ["a", "b", "c"], "TED WER": [0.1, 0.2, 0.3], "news": [0.1, 0.2, 0.3]}), "`table`: column 'TED WER' is named like an error; if low scores are good in all columns pass greater_is_better=False (--lower-is-better), else name the data sets, as columns={'score': ['news']} (--read score=news)."),
    Call("an unknown test of ranks", lambda _: mc.inference.critical_difference(FOLDS, test="holm"), "`test` must be one of nemenyi, wilcoxon-holm, got 'holm'."),
    Run("ranks: two models", "ranks t.csv", "Friedman's test needs 3 models, the table has 2; compare two by paired_test(Predictions.from_scores(dict(table)), ..., 'mean_score', method='wilcoxon'), each data set a sample.", {"t.csv": "dataset,a,b\nu,0.1,0.2\nv,0.3,0.4\n"}),
    Run("ranks: data sets that are not named so", "ranks t.csv", UNCLEAR.format("where, a, b, c", EITHER.format("where")), {"t.csv": "where,a,b,c\nu,0.1,0.2,0.3\nv,0.3,0.4,0.4\n"}),
    Run("ranks: -o names the table", "ranks t.csv -o t.csv", "t.csv is read here and would be lost; write to another place.", WRITTEN),
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
]
