"""Arguments of the public functions that make no sense."""

import math
from pathlib import Path

import numpy as np
import pandas as pd

import modelcompare as mc
from tests.bad_input.case import Call, Run

NAN = math.nan
PREDS = mc.Predictions(
    [0, 1] * 10, {"a": [[0.9, 0.1], [0.2, 0.8]] * 10, "b": [[0.6, 0.4], [0.7, 0.3]] * 10}
)
SAME = mc.Predictions([0, 1] * 10, {"a": [0, 1] * 10, "b": [0, 1] * 10})
TABLE = pd.DataFrame({"y_true": [0, 1], "a": [0, 1]})
APART = mc.Predictions([0, 1] * 10, {"a": [0, 1] * 10, "b": [1, 0] * 10})

VALUES = mc.Predictions(
    [1.5, 2.5, 3.0], {"a": [1.0, 2.0, 3.5], "b": [1.0, 2.5, 3.5]}, kind="values"
)
SOFT = mc.Predictions([[0.5, 0.5]] * 4, {"a": [[0.5, 0.5]] * 4})
TWO = PREDS.with_columns(groups=[0, 1] * 10)


def _csv(folder, name, text):
    (folder / name).write_text(text)
    return folder / name


def _npz(folder, **arrays):
    np.savez(folder / "p.npz", **arrays)
    return folder / "p.npz"


# fmt: off
CASES: list[Call | Run] = [
    Call(
        "no models",
        lambda _: mc.Predictions([0, 1], {}),
        "`outputs` is empty; give at least one.",
    ),
    Call("n_resamples of a half", lambda _: mc.compare(PREDS, n_resamples=1.5), "`n_resamples` must be a whole number, got 1.5.", TypeError),
    Call("n_resamples in a text", lambda _: mc.compare(PREDS, n_resamples="100"), "`n_resamples` must be a whole number, got '100'.", TypeError),
    Call("n_resamples that is a truth value", lambda _: mc.bootstrap(PREDS, n_resamples=True), "`n_resamples` must be a whole number, got True.", TypeError),
    Call("a single resample", lambda _: mc.bootstrap(PREDS, n_resamples=1), "`n_resamples` must be at least 2, got 1."),
    Call("resamples below zero", lambda _: mc.paired_test(PREDS, "a", "b", n_resamples=-1), "`n_resamples` must be at least 2, got -1."),
    Call("more resamples than anybody waits for", lambda _: mc.compare(PREDS, n_resamples=10**12), "`n_resamples` must be at most 10,000,000, got 1,000,000,000,000."),
    Call("no size to draw", lambda _: mc.bootstrap(PREDS, size=0), "`size` must be at least 1, got 0."),
    Call("a confidence level in per cent", lambda _: mc.compare(PREDS, confidence_level=95), "`confidence_level` must be in (0, 1), got 95; for 95 % pass 0.95."),
    Call("a confidence level of one", lambda _: mc.compare(PREDS, confidence_level=1), "`confidence_level` must be in (0, 1), got 1."),
    Call("a confidence level in a text", lambda _: mc.compare(PREDS, confidence_level="0.95"), "`confidence_level` must be a number, got '0.95'.", TypeError),
    Call("an alpha of zero", lambda _: mc.compare(PREDS, alpha=0), "`alpha` must be in (0, 1), got 0."),
    Call("an alpha that floats do not distinguish from zero", lambda _: mc.compare(PREDS, alpha=1e-300), "`alpha` must be at least 1e-12, got 1e-300."),
    Call("an alpha in a list", lambda _: mc.sample_size(PREDS, "a", "b", alpha=[0.05]), "`alpha` must be a number, got [0.05].", TypeError),
    Call("a one-sided alpha above a half", lambda _: mc.decide(PREDS, "a", "b", margin=0.1, alpha=0.6), "`alpha` must be in (0, 0.5), got 0.6."),
    Call("a power of one", lambda _: mc.sample_size(PREDS, "a", "b", power=1), "`power` must be in (0, 1), got 1."),
    Call("an unknown interval", lambda _: mc.compare(PREDS, method="bca"), "`method` must be one of auto, BCa, percentile, basic, normal, studentized, logit, wilson, clopper-pearson, delong, got 'bca'; did you mean BCa (corrects bias and skewness of the replicates)?"),
    Call("an interval that is no text", lambda _: mc.compare(PREDS, method=5), "`method` must be one of auto, BCa, percentile, basic, normal, studentized, logit, wilson, clopper-pearson, delong, got 5."),
    Call("an unknown test", lambda _: mc.compare(PREDS, test="t-test"), "`test` must be one of studentized-permutation, sign-flip, permutation, bootstrap, wald, run-permutation, got 't-test'."),
    Call("a test of two models where there are many", lambda _: mc.compare(PREDS, test="mcnemar-exact"), "`test` must be one of studentized-permutation, sign-flip, permutation, bootstrap, wald, run-permutation, got 'mcnemar-exact'."),
    Call("an unknown paired test", lambda _: mc.paired_test(PREDS, "a", "b", method="mcnemar"), "`method` must be one of studentized-permutation, sign-flip, permutation, bootstrap, wald, run-permutation, berg-kirkpatrick, mcnemar-exact, mcnemar-midp, mcnemar-chi2, mcnemar-chi2-corrected, delong, t, wilcoxon, sign, got 'mcnemar'; did you mean mcnemar-exact (samples that one model alone got right, binomial); mcnemar-midp (the same with mid-p, less conservative); mcnemar-chi2 (the same by chi-square, for many such samples); mcnemar-chi2-corrected (the same with Edwards' correction)?"),
    Call("an unknown correction", lambda _: mc.compare(PREDS, correction="fdr"), "`correction` must be one of holm, hochberg, hommel, bonferroni, sidak, fdr_bh, fdr_by, max-t, min-p, none, got 'fdr'; did you mean fdr_bh or fdr_by?"),
    Call("an unknown family", lambda _: mc.compare(PREDS, family="each"), "`family` must be one of metric, all, got 'each'."),
    Call("an unknown scheme", lambda _: mc.bootstrap(PREDS, scheme="jackknife"), "`scheme` must be one of multinomial, poisson, bayesian, got 'jackknife'."),
    Call("an unknown way with undefined resamples", lambda _: mc.bootstrap(PREDS, undefined="drop"), "`undefined` must be one of count, stratify, redraw, raise, got 'drop'."),
    Call("an unknown alternative", lambda _: mc.paired_test(PREDS, "a", "b", alternative="larger"), "`alternative` must be one of two-sided, greater, less, got 'larger'."),
    Call("an unknown question of a decision", lambda _: mc.decide(PREDS, "a", "b", kind="better", margin=0.1), "`kind` must be one of non-inferior, superior, equivalent, got 'better'."),
    Call("five for 0 / 0", lambda _: mc.compare(PREDS, zero_division=5), "`zero_division` must be 0, 1, NaN or 'paper', got 5."),
    Call("a half for 0 / 0", lambda _: mc.get_metric("f1", zero_division=0.5), "`zero_division` must be 0, 1, NaN or 'paper', got 0.5."),
    Call("a word for 0 / 0", lambda _: mc.compare(PREDS, zero_division="warn"), "`zero_division` must be 0, 1, NaN or 'paper', got 'warn'."),
    Call("five for 0 / 0, in a plain function", lambda _: mc.metrics.precision([0, 1], [0, 0], zero_division=5), "`zero_division` must be 0, 1, NaN or 'paper', got 5."),
    Call("a negative margin", lambda _: mc.decide(PREDS, "a", "b", margin=-0.1), "`margin` must be finite and at least 0, got -0.1."),
    Call("a margin of zero", lambda _: mc.decide(PREDS, "a", "b"), "`margin` must be above 0 to ask for non-inferior, got 0."),
    Call("a margin that is not a number", lambda _: mc.decide(PREDS, "a", "b", margin=NAN), "`margin` must be finite and at least 0, got nan."),
    Call("a margin in a text", lambda _: mc.decide(PREDS, "a", "b", margin="0.01"), "`margin` must be a number, got '0.01'.", TypeError),
    Call("a class that is not there", lambda _: mc.paired_test(PREDS, "a", "b", ("f1", "x")), "'x' is not a class; there are [0, 1]."),
    Call("no class for a metric of classes", lambda _: mc.paired_test(mc.Predictions([0, 1, 2], {"a": [0, 1, 2], "b": [0, 1, 1]}), "a", "b", "f1"), "metric 'f1' is per class; name one, as in 'f1[0]': 0, 1, 2."),
    Call("a class as an argument", lambda _: mc.paired_test(PREDS, "a", "b", "f1", label=1), "paired_test() has no argument `label`; name the class with the metric, as in metric='f1[1]'.", TypeError),
    Call("bounds at any time as a flag", lambda _: mc.gate(PREDS, "a", "b", ["accuracy:-0.1"], any_time=True), "gate() has no argument `any_time`; write method='any-time'.", TypeError),
    Call("a pair of three", lambda _: mc.decide(PREDS, "a", "b", ("f1", 1, 2), margin=0.1), "`metric` must be a metric, or a pair (metric, class), got ('f1', 1, 2).", TypeError),
    Call("a class in the name and beside it", lambda _: mc.sample_size(PREDS, "a", "b", ("f1[1]", 0)), "f1[1] names a class already; leave the class 0 out."),
    Call("no metrics", lambda _: mc.compare(PREDS, []), "`metrics` is empty; name at least one, e.g. metrics=['accuracy']."),
    Call("a number for metrics", lambda _: mc.compare(PREDS, 5), "`metrics` holds 5; give a metric's name, a Metric, or a function metric(y_true, y_output).", TypeError),
    Call("nested metrics", lambda _: mc.compare(PREDS, [["f1"]]), "`metrics` holds ['f1']; give a metric's name, a Metric, or a function metric(y_true, y_output).", TypeError),
    Call("a mapping of metrics", lambda _: mc.compare(PREDS, {"f1": 1}), "`metrics` holds {'f1': 1}; give a metric's name, a Metric, or a function metric(y_true, y_output).", TypeError),
    Call("None among metrics", lambda _: mc.compare(PREDS, ["f1", None]), "`metrics` holds None; give a metric's name, a Metric, or a function metric(y_true, y_output).", TypeError),
    Call("a metric twice", lambda _: mc.compare(PREDS, ["f1", "f1"]), "`metrics` names f1 more than once; drop the repeats."),
    Call("a metric misspelt", lambda _: mc.compare(PREDS, "f1_makro"), "unknown metric 'f1_makro'; did you mean f1_macro, cf1_macro or f1_micro?"),
    Call("a metric that is no text", lambda _: mc.get_metric(5), "a metric's name must be a text, got 5.", TypeError),
    Call("a metric's option that it has not", lambda _: mc.get_metric("accuracy", beta=2), "accuracy has no option 'beta'; it has none.", TypeError),
    Call("an unknown baseline", lambda _: mc.compare(PREDS, baseline="c"), "unknown model 'c'; there are a, b."),
    Call("a baseline that is no name", lambda _: mc.compare(PREDS, baseline=5), "`baseline` must be the name of a model, got 5; there are a, b.", TypeError),
    Call("an unknown model", lambda _: mc.paired_test(PREDS, "a", "nobody"), "unknown model 'nobody'; there are a, b."),
    Call("a model twice", lambda _: mc.paired_test(PREDS, "a", "a"), "model 'a' is named twice; name each once."),
    Call("no job", lambda _: mc.config_context(n_jobs=0), "`n_jobs` must be a number of jobs up to 1,024, -1 for one on every core, or None for one, got 0."),
    Call("a hundred thousand jobs", lambda _: mc.config_context(n_jobs=100_000), "`n_jobs` must be a number of jobs up to 1,024, -1 for one on every core, or None for one, got 100000."),
    Call("jobs in a text", lambda _: mc.config_context(n_jobs="all"), "`n_jobs` must be a whole number, got 'all'.", TypeError),
    Call("a seed in a text", lambda _: mc.compare(PREDS, rng="x"), "`rng` must be an int, a numpy Generator, a SeedSequence or None, got 'x'.", TypeError),
    Call("a negative seed", lambda _: mc.compare(PREDS, rng=-1), "`rng` must not be negative, got -1."),
    Call("a seed with a fraction", lambda _: mc.compare(PREDS, rng=1.5), "`rng` must be an int, a numpy Generator, a SeedSequence or None, got 1.5.", TypeError),
    Call("progress that is no truth value", lambda _: mc.config_context(progress="yes"), "`progress` must be True or False, got 'yes'.", TypeError),
    Call("jobs as an argument", lambda _: mc.compare(PREDS, n_jobs=2), "compare() has no argument `n_jobs`; it changes no result, and is set around calls: with mc.config_context(n_jobs=2): ...", TypeError),
    Call("progress by another name", lambda _: mc.compare(PREDS, verbose=True), "compare() has no argument `verbose`; it changes no result, and is set around calls: with mc.config_context(progress=True): ...", TypeError),
    Call("no rule", lambda _: mc.gate(PREDS, "a", "b", []), "`rules` is empty; give at least one, e.g. 'f1_macro:-0.005'."),
    Call("a rule that cannot be read", lambda _: mc.gate(PREDS, "a", "b", ["f1_macro"]), "rule 'f1_macro' must read METRIC:-MARGIN (not worse), METRIC:+MARGIN (better) or METRIC:+-MARGIN (equivalent), with a class as in recall[toxic]:-0.01."),
    Call("a rule that is a number", lambda _: mc.gate(PREDS, "a", "b", [5]), "a rule must be a text, got 5.", TypeError),
    Call("a subgroup without samples", lambda _: mc.compare_groups(PREDS, min_size=0), "`min_size` must be at least 1, got 0."),
    Call("test sets without names", lambda _: mc.compare_groups([PREDS, PREDS]), "`source` must map names to predictions, got [Predictions: 20 samples, 2 classes (0, 1), 2 models a prob....", TypeError),
    Call("a path where predictions should be", lambda _: mc.compare("file.csv"), "`predictions` must be Predictions, got the path 'file.csv'; read it with modelcompare.read_predictions('file.csv').", TypeError),
    Call("a path where predictions of two models should be", lambda _: mc.paired_test(Path("file.csv"), "a", "b"), "`predictions` must be Predictions, got the path 'file.csv'; read it with modelcompare.read_predictions('file.csv').", TypeError),
    Call("a table where predictions should be", lambda _: mc.gate(pd.DataFrame({"a": [1]}), "a", "b", ["f1_macro:-0.01"]), "`predictions` must be Predictions, got a table; read it with modelcompare.read_predictions.", TypeError),
    Call("a number where models are chosen", lambda _: PREDS[5], "`models` must be a sequence of names, got 5.", TypeError),
    Call("no model is chosen", lambda _: PREDS[[]], "no model named; write preds[['a', 'b']]."),
    Call("a column that samples have not", lambda _: PREDS.with_columns(group=None), "`columns` must be one of ids, groups, strata, runs, sample_weight, got 'group'; did you mean groups?"),
    Call("a new column that samples cannot have", lambda _: PREDS.with_columns(weight=[1] * 20), "`columns` must be one of groups, strata, runs, items, got 'weight'."),
    Call("rows that are no numbers", lambda _: PREDS.subset(["a"]), "`rows` must be a mask or row numbers, got ['a'].", TypeError),
    Call("rows beyond the last", lambda _: PREDS.subset([0, 20]), "`rows` must lie between 0 and 19, got [0, 20]."),
    Call("a mask of another length", lambda _: PREDS.subset([True]), "`rows` is a mask of shape (1,), but there are 20 samples."),
    Call("a class for a metric of two classes where there are three", lambda _: mc.decide(mc.Predictions([0, 1, 2], {m: np.eye(3) for m in "ab"}), "a", "b", ("roc_auc", 1), margin=0.1), "metric 'roc_auc' has one value for all classes; leave the class out."),
    Call("a class for a metric of one value", lambda _: mc.paired_test(PREDS, "a", "b", ("accuracy", 1)), "metric 'accuracy' has one value for all classes; leave the class out."),
    Call("a level that floats do not distinguish from zero", lambda _: mc.sample_size(PREDS, "a", "b", alpha=1e-300), "`alpha` must be at least 1e-12, got 1e-300."),
    Call("a level of a decision that floats do not distinguish from zero", lambda _: mc.decide(PREDS, "a", "b", margin=0.1, alpha=1e-300), "`alpha` must be at least 1e-12, got 1e-300."),
    Call("no source", lambda _: mc.read_predictions({}), "no file named; give at least one."),
    Call("a source that holds numbers", lambda _: mc.read_predictions([5]), "`source` must name files by their paths, got 5.", TypeError),
    Call("a column's name that is a number", lambda _: mc.read_predictions(TABLE, columns={"true": 5}), "`columns['true']` must be a text, got 5.", TypeError),
    Call("a slice that is no sequence", lambda _: mc.read_predictions(TABLE, columns={"slices": "half"}), "`slices` must be a sequence of names, got 'half'.", TypeError),
    Call("models that are numbers", lambda _: mc.read_predictions(TABLE, models=[5]), "`models` must be a sequence of names, got [5].", TypeError),
    Call("a role that is unknown", lambda _: mc.read_predictions(TABLE, columns={"truth": "y_true"}), "`columns` has no role 'truth'; did you mean `true`?"),
    Call("roles in no mapping", lambda _: mc.read_predictions(TABLE, columns="y_true"), "`columns` must map roles to columns, as {'true': 'label'}, got 'y_true'.", TypeError),
    Call("a label for all samples", lambda _: mc.Predictions(1, {"a": [0, 1]}), "`y_true` must have one entry per sample, got 1.", ValueError),
    Call("scores without names", lambda _: mc.Predictions.from_scores([1, 0]), "`scores` must map names to scores, e.g. {'cnn': scores}, got [1, 0].", TypeError),
    Call("an archive without the truth", lambda f: mc.read_predictions(_npz(f, a=[0, 1]), columns={"true": "truth"}), "p.npz has no array 'truth'; it has a."),
    Call("an archive without models", lambda f: mc.read_predictions(_npz(f, y_true=[0, 1])), "p.npz has no model; name arrays after the models, or probs__NAME, logits__NAME, pred__NAME, scores__NAME."),
    Call("an archive without the model wanted", lambda f: mc.read_predictions(_npz(f, y_true=[0, 1], a=[0, 1]), models=["b"]), "p.npz: there is no model 'b'; there are a."),
    Call("an archive of codes beyond its names", lambda f: mc.read_predictions(_npz(f, y_true=[0, 5], a=[0, 1], class_names=["u", "v"])), "p.npz: y_true has 5, which indexes none of the 2 class names."),
    Call("a table with a missing cell", lambda _: mc.read_predictions(pd.DataFrame({"y_true": ["u", "v"], "a": ["u", None]})), "the table has missing cells (a 1; first rows: 1); fill them in, drop these samples with missing='drop' (--missing drop), or count them as the worst result with missing='worst' (--missing worst)."),
    Call("a table without models", lambda _: mc.read_predictions(TABLE[["y_true"]]), "the table has no model columns; it needs y_true (or --true COLUMN) and a column for each model, or numeric columns of scores per example."),
    Call("a table without the column named", lambda _: mc.read_predictions(TABLE, columns={"groups": "team"}), "the table has no column 'team'; there are y_true, a."),
    Call("a table without the model wanted", lambda _: mc.read_predictions(TABLE, models=["b"]), "the table: there is no model 'b'; there are a."),
    Call("probabilities that are texts", lambda _: mc.read_predictions(pd.DataFrame({"y_true": ["u", "v"], "a:u": ["x", "y"], "a:v": ["y", "x"]})), "column 'a:u' must contain probabilities; it has texts."),
    Call("files without a common id", lambda f: mc.read_predictions([_csv(f, "a.csv", "id,y_true,y_pred\n1,u,u\n2,v,v\n"), _csv(f, "b.csv", "id,y_true,y_pred\n3,u,u\n4,v,v\n")], ids="intersect"), "the files have no id in common; name the column of ids with id (--id)."),
    Call("files without the model wanted", lambda f: mc.read_predictions([_csv(f, "a.csv", "id,y_true,y_pred\n1,u,u\n2,v,v\n"), _csv(f, "b.csv", "id,y_true,y_pred\n1,u,u\n2,v,v\n")], models=["c"]), "a.csv, b.csv: there is no model 'c'; there are a, b."),
    Call("files with probabilities of other classes", lambda f: mc.read_predictions([_csv(f, "a.csv", "id,y_true,prob:u,prob:v\n1,u,1,0\n2,v,0,1\n"), _csv(f, "b.csv", "id,y_true,prob:u,prob:w\n1,u,1,0\n2,v,0,1\n")]), "the files of 'a' and 'b' have probabilities of different classes (u, v and u, w); add the columns that are lacking, with 0 where a model gave a class no probability."),
    Call("strata of classes where there are none", lambda _: mc.compare(VALUES, "rmse", undefined="stratify"), "`undefined='stratify'` needs true classes."),
    Call("an undefined resample that must not be", lambda _: mc.bootstrap(mc.Predictions([0, 1, 1], {"a": [0, 0, 0]}), "precision", undefined="raise", n_resamples=20), "precision of class 1 is undefined on 20 of 20 resamples of 'a'; use undefined='count', 'stratify' or 'redraw', or another zero_division."),
    Call("subgroups that are all too small", lambda _: mc.compare_groups(mc.Predictions([0, 1] * 9, {"a": [0, 1] * 9}, slices={"s": range(18)})), "no subgroup has 30 samples; lower `min_size`."),
    Call("subgroups of no variable", lambda _: mc.compare_groups(PREDS), "the predictions have no `slices`; give them, e.g. slices={'lang': lang}."),
    Call("a metric of probabilities on labels", lambda _: mc.compare(mc.Predictions([0, 1], {"a": [0, 1]}), "log_loss"), "metric 'log_loss' needs probabilities, but model 'a' gave labels; give those of all classes, a column for each (b:x, b:y in a file, shape (n_samples, n_classes) in Python), or of two classes that of the positive one."),
    Call("an unknown example", lambda _: mc.load_example("mnist"), "`name` is no example: 'mnist'; there are snli, snli_sepcnn."),
    Call("a normalization by rows", lambda _: mc.diagnostics.confusion_matrix([0, 1], [0, 1], normalize="rows"), "`normalize` must be one of true, pred, all, got 'rows'."),
    Call("a difference that is not a number", lambda _: mc.sample_size(PREDS, "a", "b").needed(NAN), "`difference` must be finite, got nan."),
    Call("sizes below zero", lambda _: mc.sample_size(PREDS, "a", "b").curve([-5]), "`n_samples` must be at least 1, got -5."),
    Call("numbers whose squares overflow", lambda _: mc.Predictions([1e200, 1.0], {"a": [0.5, 2.5]}, kind="values"), "`y_true` contains numbers that cannot be squared and summed: above 1e+18 in 1 row (row 0); divide all by a unit."),
    Call("scores whose squares vanish", lambda _: mc.Predictions.from_scores({"a": [1e-200, 2e-200]}), "model 'a' contains numbers that cannot be squared and summed: all below 1e-18; multiply all by a unit."),
    Call("weights whose squares overflow", lambda _: mc.Predictions([0, 1], {"a": [0, 1]}, sample_weight=[1e200, 1]), "`sample_weight` contains numbers that cannot be squared and summed: above 1e+18 in 1 row (row 0); divide all by a unit."),
    Call("a sample size from equal models", lambda _: mc.sample_size(SAME, "a", "b", "accuracy"), "a and b differ in accuracy by the same on every one of the 20 samples; without any spread there is nothing to plan from. Take a larger pilot test set."),
    Call("a decision by an interval without width", lambda _: mc.decide(SAME, "a", "b", "accuracy", margin=0.1, method="percentile", n_resamples=99), "the percentile interval of the gain in accuracy has width 0: the resamples do not determine its uncertainty. Use method='auto'."),
    Call("a decision by a studentized interval without bounds", lambda _: mc.decide(APART, "a", "b", "accuracy", margin=0.1, method="studentized", n_resamples=99), "the studentized interval of the gain in accuracy has no bounds: the resamples do not determine its uncertainty. Use method='auto'."),
]
