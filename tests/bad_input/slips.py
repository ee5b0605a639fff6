"""Slips that other packages, other programs and typing lead to: names, types and characters."""

import datetime

import numpy as np
import pandas as pd

import modelcompare as mc
from modelcompare.metrics import from_callable
from tests.bad_input.case import Call, Run
from tests.bad_input.commands import SUFFIXES

TRUTH = [0, 1] * 10
PREDS = mc.Predictions(TRUTH, {"a": TRUTH, "b": TRUTH[::-1]})
SLICED = mc.Predictions(
    [0, 1] * 40, {"a": [0, 1] * 40, "b": [1, 0] * 40}, slices={"s": [0] * 40 + [1] * 40}
)
HOLED = pd.DataFrame(
    {"y_true": list("xy") * 10, "a": [*list("xy") * 9, "x", None], "b": list("xx") * 10}
)
LEVELS = pd.DataFrame({("x", "y_true"): TRUTH, ("x", "a"): TRUTH})
DATES = np.arange("2026-01-01", "2026-01-05", dtype="datetime64[D]")
FLAT = "columns of 2 levels (a MultiIndex), e.g. ('x', 'y_true'); give each one name: frame.columns = frame.columns.map('_'.join)."
MEANT = "unknown metric 'acuracy'; did you mean accuracy or caccuracy?"
HALF = "contains half a character (a lone surrogate)"


def _gives(value):
    return from_callable(lambda *_: value, name="own")


# fmt: off
CASES: list[Call | Run] = [
    Call("metric for metrics", lambda _: mc.compare(PREDS, metric="f1"), "compare() has no argument `metric`; did you mean `metrics`?", TypeError),
    Call("seaborn's n_boot", lambda _: mc.compare(PREDS, n_boot=99), "compare() has no argument `n_boot`; did you mean `n_resamples`?", TypeError),
    Call("numpy's old seed", lambda _: mc.bootstrap(PREDS, seed=0), "bootstrap() has no argument `seed`; did you mean `rng`?", TypeError),
    Call("scikit-learn's random_state", lambda _: mc.paired_test(PREDS, "a", "b", random_state=0), "paired_test() has no argument `random_state`; did you mean `rng`?", TypeError),
    Call("metrics for metric", lambda _: mc.decide(PREDS, "a", "b", metrics="f1_macro"), "decide() has no argument `metrics`; did you mean `metric`?", TypeError),
    Call("a wrong option of decide through gate", lambda _: mc.gate(PREDS, "a", "b", ["accuracy:-0.1"], seed=0), "gate() has no argument `seed`; did you mean `rng`?", TypeError),
    Call("a short name of an argument", lambda _: mc.gate(PREDS, base="a", candidate="b", rules=["accuracy:-0.1"]), "gate() has no argument `base`; did you mean `baseline`?", TypeError),
    Call("y_true of a table", lambda _: mc.read_predictions(HOLED, y_true="a"), "read_predictions() has no argument `y_true`; name columns by their roles, with columns={'true': 'a'}.", TypeError),
    Call("weights of predictions", lambda _: mc.Predictions(TRUTH, {"a": TRUTH}, weights=TRUTH), "Predictions() has no argument `weights`; did you mean `sample_weight`?", TypeError),
    Call("clusters of scores", lambda _: mc.Predictions.from_scores({"a": TRUTH}, clusters=TRUTH), "Predictions() has no argument `clusters`; did you mean `groups`?", TypeError),
    Call("an argument that is like none", lambda _: mc.load_example("snli", colour="red"), "load_example() has no argument `colour`; it has name.", TypeError),
    Call("an argument of a plain metric", lambda _: mc.metrics.f1(TRUTH, TRUTH, avg="macro"), "f1() has no argument `avg`; did you mean `average`?", TypeError),
    Call("an option of a metric", lambda _: mc.get_metric("f1", averag="macro"), "f1 has no option 'averag'; did you mean `average`?", TypeError),
    Call("a function misspelt", lambda _: mc.decid, "module 'modelcompare' has no attribute 'decid'; did you mean decide?", AttributeError),
    Call("an attribute of a result misspelt", lambda _: mc.compare(PREDS, "accuracy", n_resamples=99).diferences, "'Comparison' has no attribute 'diferences'; did you mean 'differences'?", AttributeError),
    Call("a setting of a comparison", lambda _: mc.compare(PREDS, "accuracy", n_resamples=99).alpha, "'Comparison' has no attribute 'alpha'; did you mean 'evidence.alpha'?", AttributeError),
    Call("an attribute of replicates misspelt", lambda _: mc.bootstrap(PREDS, "accuracy", n_resamples=99).replicate, "'BootstrapResult' has no attribute 'replicate'; did you mean 'replicates'?", AttributeError),
    Call("an argument of a figure misspelt", lambda _: mc.compare(PREDS, "accuracy", n_resamples=99).plot.forest(metrik="f1"), "plot.forest() has no argument `metrik`; did you mean `metric`?", TypeError),
    Call("an argument of leads misspelt", lambda _: mc.compare(PREDS, "accuracy", n_resamples=99).leads(evry=True), "Comparison.leads() has no argument `evry`; did you mean `every`?", TypeError),
    Call("a result saved as a picture", lambda _: mc.compare(PREDS, "accuracy", n_resamples=99).save("a.png"), f"a.png: .png names no form; write {SUFFIXES}."),
    Call("a metric misspelt as a function", lambda _: mc.metrics.f1_makro, "module 'modelcompare.metrics' has no attribute 'f1_makro'; did you mean f1_macro, cf1_macro or f1_micro?", AttributeError),
    Call("an alias as a function", lambda _: mc.metrics.mcc, "module 'modelcompare.metrics' has no attribute 'mcc'; did you mean matthews_corrcoef?", AttributeError),
    Call("a metric misspelt in decide", lambda _: mc.decide(PREDS, "a", "b", "acuracy", margin=0.1), MEANT),
    Call("a metric misspelt in a rule", lambda _: mc.gate(PREDS, "a", "b", ["acuracy:-0.1"]), MEANT),
    Call("a metric misspelt in a paired test", lambda _: mc.paired_test(PREDS, "a", "b", metric="acuracy"), MEANT),
    Call("a metric misspelt in sample_size", lambda _: mc.sample_size(PREDS, "a", "b", "acuracy"), MEANT),
    Call("a metric misspelt in slices", lambda _: mc.compare_groups(SLICED, "acuracy"), MEANT),
    Run("a metric misspelt in a gate", "gate preds.csv --baseline a --candidate b --metric acuracy --margin 0.1", MEANT, {"preds.csv": "y_true,a,b\nx,x,y\ny,y,x\n"}),
    Call("a table with columns of two levels", lambda _: mc.read_predictions(LEVELS), f"the table has {FLAT}"),
    Call("slices with columns of two levels", lambda _: mc.Predictions(TRUTH, {"a": TRUTH}, slices=LEVELS), f"the table has {FLAT}"),
    Call("texts beside numbers in a plain metric", lambda _: mc.metrics.f1(["a", 1, "b"], ["a", 1, 1]), "`y_true` mixes texts and numbers: not a text in 1 row (row 1); make them all of one type."),
    Call("texts against numbers in a plain metric", lambda _: mc.metrics.f1(["1", "0"], [1, 0]), "`y_true` or `y_pred` holds labels that cannot be ordered; make them all texts, or all numbers."),
    Call("texts against numbers in a confusion matrix", lambda _: mc.diagnostics.confusion_matrix(["1", "0"], [1, 0]), "`y_true` or `y_pred` holds labels that cannot be ordered; make them all texts, or all numbers."),
    Call("a missing label in a plain metric", lambda _: mc.metrics.accuracy(["a", None], ["a", "b"]), "`y_true` has missing values in 1 row (row 1); drop these samples or fill them in."),
    Call("a function that gives a text", lambda _: mc.compare(PREDS, _gives("good"), n_resamples=9), "metric 'own' must return a number, got 'good'."),
    Call("a function that gives nothing", lambda _: mc.compare(PREDS, _gives(None), n_resamples=9), "metric 'own' must return a number, got None."),
    Call("a function that gives a number for each class", lambda _: mc.compare(PREDS, _gives([0.5, 0.5]), n_resamples=9), "metric 'own' must return a number, got [0.5, 0.5]."),
    Call("a function that gives infinity", lambda _: mc.compare(PREDS, _gives(np.inf), n_resamples=9), "metric 'own' returned inf, for which there is no interval; return NaN where it has no value."),
    Call("an infinite loss", lambda _: mc.Predictions.from_scores({"a": [0.5, np.inf]}), "model 'a' is NaN or infinite in 1 row (row 1); drop these samples or fix them."),
    Call("an infinite truth", lambda _: mc.Predictions([1.0, np.inf, 2.5], {"a": [1.0, 2.0, 2.5]}), "`y_true` is NaN or infinite in 1 row (row 1); drop these samples or fix them."),
    Call("dates as scores", lambda _: mc.Predictions.from_scores({"a": DATES}), "model 'a' must contain numbers, got 2026-01-01."),
    Call("times as scores", lambda _: mc.Predictions.from_scores({"a": DATES - DATES[0]}), "model 'a' must contain numbers, got 0 days."),
    Call("days as scores", lambda _: mc.Predictions.from_scores({"a": [datetime.date(2026, 1, 1)] * 2}), "model 'a' must contain numbers, got 2026-01-01."),
    Call("dates as weights", lambda _: mc.Predictions([0, 1] * 2, {"a": [0, 1] * 2}, sample_weight=DATES), "`sample_weight` must contain numbers, got 2026-01-01."),
    Call("half a character in a model's name", lambda _: mc.Predictions(TRUTH, {"a\ud800": TRUTH}), "model name 'a\\ud800' contains half a character (a lone surrogate); rename the model."),
    Call("half a character in a label", lambda _: mc.Predictions(["\ud800", "b"], {"a": ["b", "b"]}), f"`y_true` {HALF} in 1 row (row 0); read the texts again in their own encoding."),
    Call("half a character in ids", lambda _: mc.Predictions([0, 1], {"a": [0, 1]}, ids=["x", "\udfff"]), f"`ids` {HALF} in 1 row (row 1); read the texts again in their own encoding."),
    Run("half a character in lines of JSON", "compare p.jsonl", f"p.jsonl {HALF} in '\\ud800'; write the texts again in their own encoding.", {"p.jsonl": '{"y_true": "\\ud800", "a": "x", "b": "x"}\n{"y_true": "x", "a": "x", "b": "x"}\n'}),
]
