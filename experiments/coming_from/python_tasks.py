"""The same tasks in Python: each function does one with another package and with this one."""

import io
from contextlib import redirect_stdout
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

import modelcompare as mc
from experiments.coming_from.tables import Row, Task, timed

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = ROOT / "tests" / "data" / "questions"
EXAMPLES = ROOT / "modelcompare" / "examples"
LINES = ROOT / "tests" / "data" / "formats" / "lines"
N_RESAMPLES = 1000


def scikit_learn() -> Task:
    """Macro F1 of two models and their difference, with intervals."""
    from sklearn.metrics import f1_score

    preds = mc.load_example("snli")
    models = [preds.predicted(name) for name in ("bow_pair", "naive_bayes")]
    y_true = preds.access.codes
    preds = mc.Predictions(y_true, dict(zip(("bow_pair", "naive_bayes"), models, strict=True)))

    def loop() -> np.ndarray:
        rng = np.random.default_rng(0)
        values = []
        for _ in range(N_RESAMPLES):
            drawn = rng.integers(0, len(y_true), len(y_true))
            values.append([f1_score(y_true[drawn], m[drawn], average="macro") for m in models])
        return np.array(values)

    values, theirs = timed(loop)
    result, ours = timed(
        lambda: mc.compare(preds, "f1_macro", n_resamples=N_RESAMPLES, method="percentile")
    )
    low, high = np.quantile(values[:, 0] - values[:, 1], [0.025, 0.975])
    score, difference = result.scores.iloc[0], result.differences.iloc[0]
    return Task(_named("scikit-learn"), "macro F1 of two models, 9,824 samples, 1,000 resamples", [
        Row("macro F1 of bow_pair", f1_score(y_true, models[0], average="macro"), score.estimate),
        Row("its difference, lower end of 95 %", low, difference.ci_low),
        Row("its difference, upper end of 95 %", high, difference.ci_high),
        Row("p-value", "none", difference.p_value),
    ], theirs, ours)  # fmt: skip


def stambo() -> Task:
    """ROC AUC of two markers: intervals, and the paired test."""
    import stambo as theirs_

    table = pd.read_csv(QUESTIONS / "markers.csv")
    y_true, wfns, s100b = (table[name].to_numpy() for name in ("poor", "wfns", "s100b"))
    found, theirs = timed(lambda: theirs_.compare_models(
        y_true, s100b / s100b.max(), wfns / wfns.max(), metrics=("ROCAUC",),
        n_bootstrap=N_RESAMPLES, seed=0, silent=True,
    )["ROCAUC"])  # fmt: skip
    preds = mc.Predictions(y_true, {"wfns": wfns, "s100b": s100b}, kind="values")
    result, ours = timed(lambda: mc.compare(
        preds, "roc_auc", n_resamples=N_RESAMPLES, method="percentile", test="bootstrap"
    ))  # fmt: skip
    by_default = mc.compare(preds, "roc_auc").differences.iloc[0]
    difference = result.differences.iloc[0]
    return Task(_named("stambo"), "ROC AUC of two markers, 113 patients, 1,000 resamples", [
        Row("ROC AUC of wfns", found[7], result.scores.estimate[0]),
        Row("difference, lower end of 95 %", found[2], difference.ci_low),
        Row("difference, upper end of 95 %", found[3], difference.ci_high),
        Row("p-value, both by bootstrap", found[0], difference.p_value),
        Row("p-value, each by its default", found[0], by_default.p_value),
    ], theirs, ours)  # fmt: skip


def confidenceinterval() -> Task:
    """Intervals of accuracy, macro F1 and ROC AUC without resampling."""
    import confidenceinterval as theirs_

    table = pd.read_csv(EXAMPLES / "digits.csv")
    y_true, y_pred = table.y_true.tolist(), table.logistic.tolist()
    markers = pd.read_csv(QUESTIONS / "markers.csv")
    poor, wfns = markers.poor.tolist(), markers.wfns.tolist()

    def by_them() -> list[tuple[float, tuple[float, float]]]:
        return [
            theirs_.accuracy_score(y_true, y_pred),
            theirs_.f1_score(y_true, y_pred, average="macro"),
            theirs_.roc_auc_score(poor, wfns),
        ]

    def by_us() -> list[pd.Series]:
        digits = mc.Predictions(y_true, {"logistic": y_pred})
        marks = mc.Predictions(poor, {"wfns": wfns}, kind="values")
        scores = mc.bootstrap(digits, ["accuracy", "f1_macro"], n_resamples=99)
        areas = mc.bootstrap(marks, "roc_auc", n_resamples=99)
        frames = [
            scores.confidence_interval(method="auto"), areas.confidence_interval(method="delong")
        ]  # fmt: skip
        return [row for frame in frames for _, row in frame.iterrows()]

    found, theirs = timed(by_them)
    rows, ours = timed(by_us)
    names = ("accuracy (Wilson)", "macro F1 (Takahashi; default)", "ROC AUC (DeLong)")
    cells = [
        [
            Row(f"{name}, lower end", float(low), row.ci_low),
            Row(f"{name}, upper end", float(high), row.ci_high),
        ]
        for name, (_, (low, high)), row in zip(names, found, rows, strict=True)
    ]
    what = "intervals of accuracy and macro F1 (600 digits) and ROC AUC (113 patients)"
    return Task(
        _named("confidenceinterval"), what, [row for pair in cells for row in pair], theirs, ours
    )


def sacrebleu() -> Task:
    """BLEU and TER of two transcripts by approximate randomization."""
    from sacrebleu.metrics import BLEU, TER
    from sacrebleu.significance import PairedTest

    reference, first, second = (
        (LINES / f"{name}.txt").read_text("utf-8").splitlines()
        for name in ("ref", "mended", "csrnab")
    )
    systems = [("mended", first), ("csrnab", second)]

    def by_them() -> dict[str, list]:
        metrics = {"BLEU": BLEU(), "TER": TER()}
        return PairedTest(systems, metrics, [reference], n_samples=N_RESAMPLES)()[1]

    def by_us() -> pd.DataFrame:
        preds = mc.Predictions(reference, dict(systems), kind="texts")
        return mc.compare(
            preds, ["bleu", "ter"], n_resamples=N_RESAMPLES, method="percentile",
            test="permutation",
        )  # fmt: skip

    found, theirs = timed(by_them)
    result, ours = timed(by_us)
    rows = []
    for name, p_value in zip(("BLEU", "TER"), result.differences.p_value, strict=True):
        estimates = result.scores.set_index(["metric", "model"]).estimate[name.lower()]
        rows += [
            Row(f"{name} of {system}", float(found[name][n].score), estimates[system])
            for n, (system, _) in enumerate(systems)
        ]
        rows.append(Row(f"{name}, p-value", found[name][1].p_value, p_value))
    return Task(_named("sacrebleu"), "BLEU and TER, 51 sentences, 1,000 swaps", rows, theirs, ours)


def evalstats() -> Task:
    """Mean scores of three models on 90 questions, three runs each."""
    import evalstats as theirs_

    table = pd.read_csv(QUESTIONS / "answers.csv")
    alone = table.drop(columns="passage")
    found, theirs = timed(
        lambda: theirs_.compare_models(theirs_.load_from(alone), metric="score").to_dict()
    )
    result, ours = timed(lambda: mc.compare(mc.read_predictions(alone)))
    by_passage = mc.compare(mc.read_predictions(table, columns={"groups": "passage"}))
    (their_score, their_pair) = found["entities"]["large"], found["pairwise"][0]
    (score, pair), (wide_score, wide_pair) = (
        (each.scores.iloc[0], each.leads().iloc[0]) for each in (result, by_passage)
    )
    return Task(_named("evalstats"), "means of 3 models on 90 questions, 3 runs each", [
        Row("mean of large", their_score["mean"], score.estimate),
        Row("lower end of 95 %", their_score["ci_low"], score.ci_low),
        Row("upper end of 95 %", their_score["ci_high"], score.ci_high),
        Row("large - medium, lower end", their_pair["ci_low"], pair.ci_low),
        Row("large - medium, upper end", their_pair["ci_high"], pair.ci_high),
        Row("large - medium, corrected p", their_pair["p_value"], pair.p_adjusted),
        Row("lower end, passages kept together", "not offered", wide_score.ci_low),
        Row("upper end, passages kept together", "not offered", wide_score.ci_high),
        Row("corrected p, passages kept together", "not offered", wide_pair.p_adjusted),
    ], theirs, ours)  # fmt: skip


def rliable() -> Task:
    """Mean score of one algorithm, five runs on each of eight tasks."""
    from rliable import library, metrics

    scores = np.random.default_rng(0).beta(2, 1, (8, 5))
    task, run = (each.ravel() for each in np.indices(scores.shape))

    def by_them(**options: bool) -> tuple[float, float, float]:
        mean, ends = library.get_interval_estimates(
            {"a": scores.T}, lambda x: np.array([metrics.aggregate_mean(x)]), reps=50_000,
            random_state=np.random.RandomState(0), **options,
        )  # fmt: skip
        return float(mean["a"][0]), *map(float, ends["a"][:, 0])

    def by_us(**declared: np.ndarray) -> pd.Series:
        scored = mc.Predictions.from_scores(
            {"a": scores.ravel()}, greater_is_better=True, **declared
        )
        return mc.compare(scored).scores.iloc[0]

    found, theirs = timed(by_them)
    row, ours = timed(lambda: by_us(strata=task))
    same = by_us(groups=run)
    wide, new = by_them(task_bootstrap=True), by_us(groups=task, runs=run)
    return Task(_named("rliable"), "mean score of 5 runs on each of 8 tasks", [
        Row("mean", found[0], row.estimate),
        Row("lower end of 95 %", found[1], row.ci_low),
        Row("upper end of 95 %", found[2], row.ci_high),
        Row("lower end, the same runs on all tasks", "not offered", same.ci_low),
        Row("upper end, the same runs on all tasks", "not offered", same.ci_high),
        Row("lower end, new tasks as well", wide[1], new.ci_low),
        Row("upper end, new tasks as well", wide[2], new.ci_high),
    ], theirs, ours)  # fmt: skip


def autorank() -> Task:
    """Ranks of three models over six data sets."""
    from autorank import autorank as ranked

    table = pd.read_csv(EXAMPLES / "benchmarks.csv")
    wide = table.groupby(["set", "model"]).score.mean().unstack()
    with redirect_stdout(io.StringIO()):
        found, theirs = timed(lambda: ranked(wide, force_mode="nonparametric"))
    result, ours = timed(lambda: mc.inference.critical_difference(wide, greater_is_better=True))
    ranks = result.ranks.set_index("model").mean_rank
    rows = [
        Row(f"mean rank of {name}", found.rankdf.meanrank[name], ranks[name])
        for name in ranks.index
    ]
    return Task(_named("autorank"), "mean ranks of 3 models over 6 sets", [
        *rows,
        Row("Friedman's p-value", found.pvalue, result.p_value),
        Row("critical difference", found.cd, result.critical_difference),
    ], theirs, ours)  # fmt: skip


def _named(package: str) -> str:
    return f"{package} {version(package)}"
