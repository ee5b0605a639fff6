"""Values over several runs, on separate scales: loops over the runs, by scikit-learn too."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as reference

import modelcompare as mc
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.partition import is_of_rows
from modelcompare.metrics.registry import resolve_metrics
from modelcompare.plugs import plugins
from tests.plugged import needs

N, R = 48, 3
ITEM, RUN = (each.ravel() for each in np.indices((N, R)))
RNG = np.random.default_rng(0)
Z = RNG.normal(size=N)[ITEM]
SCALE = 10.0 ** (2 * RUN)
TWO, THREE = RNG.integers(0, 2, N)[ITEM], RNG.integers(0, 3, N)[ITEM]
COLUMNS = {"groups": ITEM, "runs": RUN}
pytestmark = pytest.mark.filterwarnings("ignore::modelcompare.SparseDataWarning")


def raw(slope):
    """Return raw scores whose scale and level differ by run."""
    return (slope * TWO + RNG.normal(size=N * R)) * SCALE + RUN


def simplex(truth, k, slope):
    logits = (0.5 + slope * RUN[:, None]) * np.eye(k)[truth] + RNG.normal(size=(N * R, k))
    return np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)


SCORES = mc.Predictions(TWO, {"a": raw(1.5), "b": raw(0.7)}, kind="values", **COLUMNS)
CLASSES = mc.Predictions(
    THREE, {m: simplex(THREE, 3, slope) for m, slope in (("a", 1), ("b", 0.5))}, **COLUMNS
)
BINARY = mc.Predictions(
    TWO, {m: simplex(TWO, 2, slope) for m, slope in (("a", 1), ("b", 0.5))}, **COLUMNS
)
VALUES = mc.Predictions(
    Z, {"a": Z + SCALE * RNG.normal(size=N * R), "b": Z + RNG.normal(size=N * R) / SCALE},
    kind="values", **COLUMNS,
)  # fmt: skip
# So many classes that their columns are sparse.
MANY = mc.Predictions(
    ITEM % 60, {m: np.where(RNG.random(N * R) < p, ITEM % 60, RNG.integers(0, 60, N * R))
                for m, p in (("a", 0.7), ("b", 0.5))}, labels=range(60), **COLUMNS,
)  # fmt: skip
LATENCIES = mc.Predictions.from_scores(
    {m: {"latency_ms": SCALE * RNG.lognormal(size=N * R)} for m in "ab"}, **COLUMNS
)
OF_LABELS = {m: RNG.random((N * R, 2)) ** (1 + RUN[:, None]) for m in "ab"}


def each_run(preds):
    return [preds.subset(run == RUN).with_columns(groups=None, runs=None) for run in range(R)]


def served(preds):
    """Return all metrics that these predictions are enough for."""
    found = []
    for name in mc.list_metrics()["metric"]:
        try:
            (metric,) = resolve_metrics([name], preds)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                Evaluation(each_run(preds)[0], [metric]).estimate()
        except (ValueError, TypeError):
            continue
        found.append(metric)
    return found


KINDS = {"scores": SCORES, "classes": CLASSES, "binary": BINARY, "values": VALUES}
if "label_sets" in plugins():
    KINDS["sets"] = mc.Predictions(np.c_[TWO, THREE == 0], OF_LABELS, labels=["x", "y"], **COLUMNS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_metric_is_the_mean_of_the_values_of_the_runs(kind):
    preds = KINDS[kind]
    metrics = [metric for metric in served(preds) if not metric.of_items]
    assert len(metrics) >= 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = Evaluation(preds, metrics)
        runs = np.stack([Evaluation(run, metrics).estimate() for run in each_run(preds)])
        np.testing.assert_allclose(found.estimate(), runs.mean(axis=0), rtol=1e-9, atol=1e-12)
    pooled = Evaluation(preds.with_columns(runs=None), metrics).estimate()
    for metric in metrics:
        where = found.metric_slice(metric.name)
        if is_of_rows(metric):
            np.testing.assert_allclose(pooled[:, where], runs.mean(axis=0)[:, where])


@pytest.mark.parametrize("generalize_to", ["items", "items+runs"])
def test_areas_are_scikit_learns_in_each_run(generalize_to):
    names = {"roc_auc": reference.roc_auc_score,
             "average_precision": reference.average_precision_score}  # fmt: skip
    found = mc.compare(SCORES, [*names], generalize_to=generalize_to, n_resamples=99).scores
    for row in found.itertuples():
        scores = SCORES.output(row.model).array
        runs = [names[row.metric](TWO[r == RUN], scores[r == RUN]) for r in range(R)]
        assert row.estimate == pytest.approx(np.mean(runs), rel=1e-12)
    pooled = mc.bootstrap(SCORES.with_columns(runs=None), "roc_auc", n_resamples=2).point
    assert np.abs(pooled - mc.bootstrap(SCORES, "roc_auc", n_resamples=2).point).max() > 0.05


def test_many_classes_are_scikit_learns_in_each_run():
    found = Evaluation(MANY, resolve_metrics(["f1_macro", "recall_macro"], MANY)).estimate()
    for model, values in zip(MANY.models, found, strict=True):
        runs = []
        for run in range(R):
            true, predicted = ITEM[run == RUN] % 60, MANY.output(model).array[run == RUN]
            recall = reference.recall_score(true, predicted, average="macro", zero_division=0)
            runs.append([reference.f1_score(true, predicted, average="macro"), recall])
        np.testing.assert_allclose(values, np.mean(runs, axis=0), rtol=1e-12)


@needs("label_sets")
def test_many_labels_of_sets_are_the_mean_of_the_runs():
    truth = (np.random.default_rng(1).random((N, 60)) < 0.3)[ITEM].astype(int)
    outputs = {m: np.random.default_rng(k).random((N * R, 60)) for k, m in enumerate("ab")}
    preds = mc.Predictions(truth, outputs, labels=[*map(str, range(60))], **COLUMNS)
    metrics = resolve_metrics(["f1_macro"], preds)
    for model, (value,) in zip(preds.models, Evaluation(preds, metrics).estimate(), strict=True):
        runs = [
            reference.f1_score(truth[rows], outputs[model][rows] >= 0.5, average="macro")
            for rows in (run == RUN for run in range(R))
        ]
        assert value == pytest.approx(np.mean(runs), rel=1e-12)


def f1_gap(y_true, y_output):
    true, predicted = (y == np.arange(3)[:, None] for y in (y_true, y_output))
    hits, trials = (true & predicted).sum(axis=1), true.sum(axis=1) + predicted.sum(axis=1)
    return np.mean(2 * hits[trials > 0] / trials[trials > 0]) - 0.5


ALL = [
    (SCORES, "roc_auc"), (CLASSES, "f1_macro"), (CLASSES, "precision"), (CLASSES, "ece"),
    (MANY, "recall_macro"), (CLASSES, mc.metrics.from_callable(f1_gap, needs="labels")), (VALUES, "spearman"),
    (VALUES, "r2"), (LATENCIES, "latency_ms_p95"),
]  # fmt: skip


@needs("calibration")
@pytest.mark.parametrize(("preds", "metric"), ALL)
def test_resamples_and_influences_are_means_of_those_of_the_runs(preds, metric):
    whole = mc.bootstrap(preds, metric, n_resamples=40, rng=3)
    runs = [mc.bootstrap(run, metric, n_resamples=40, rng=3) for run in each_run(preds)]
    # Items are drawn equally, as each is one unit in every run.
    drawn = np.mean([run.draws for run in runs], axis=0)
    np.testing.assert_allclose(whole.draws, drawn, rtol=1e-9, atol=1e-12)
    if not whole.evaluation.metrics[0].smooth:
        return
    every = slice(0, N)
    influence = whole.evaluation.influence(every, whole.point)
    of_runs = [run.evaluation.influence(every, run.point) for run in runs]
    np.testing.assert_allclose(influence, np.mean(of_runs, axis=0), rtol=1e-6, atol=1e-9)


@needs("calibration")
@pytest.mark.parametrize(("preds", "metric"), ALL[:-1])
@pytest.mark.parametrize("test", ["studentized-permutation", "permutation"])
def test_runs_that_are_copies_change_no_p_value(preds, metric, test):
    label = 1 if metric == "precision" else None
    first = preds.subset(RUN == 0)
    copies = first.subset(np.tile(np.arange(N), R)).with_columns(runs=np.repeat(np.arange(R), N))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, several = (
            mc.paired_test(
                p, "a", "b", (metric, label), method=test, n_resamples=1_999,
                generalize_to="items",
            )
            for p in (first, copies)
        )  # fmt: skip
    assert several.difference == pytest.approx(one.difference)
    # A mean over several runs is no quotient: it is studentized by its slopes, or not at all.
    other = {"f1_macro": 0.01, "recall_macro": 0.01, "precision": 0.06}
    apart = other.get(metric, 0.0) if test == "studentized-permutation" else 0.0
    assert several.p_value == pytest.approx(one.p_value, abs=max(apart, 1e-9))


def test_a_run_without_a_value_is_refused_by_name():
    truth = np.where(RUN == 2, 0, TWO)
    preds = mc.Predictions(truth, {"a": raw(1), "b": raw(1)}, kind="values", **COLUMNS)
    message = "roc_auc is the mean of its values over the runs, and that of '.' is undefined in run"
    asked = [
        lambda: mc.compare(preds, "roc_auc", n_resamples=9),
        lambda: mc.decide(preds, "a", "b", "roc_auc", margin=0.1, n_resamples=9),
        lambda: mc.gate(preds, "a", "b", ["roc_auc:-0.1"], n_resamples=9),
        lambda: mc.paired_test(preds, "a", "b", "roc_auc", n_resamples=9),
        lambda: mc.sample_size(preds, "a", "b", "roc_auc"),
    ]
    for ask in asked:
        with pytest.raises(ValueError, match=f"{message} '2'; leave the run, or the metric, out"):
            ask()


@needs("suites", "unpaired")
def test_every_road_has_the_mean_of_the_runs():
    a, b = (
        np.mean([
            reference.f1_score(THREE[r == RUN], p[r == RUN].argmax(axis=1), average="macro")
            for r in range(R)
        ])
        for p in map(CLASSES.probabilities, "ab")
    )  # fmt: skip
    few, gain = {"n_resamples": 99}, pytest.approx(a - b)
    decided = mc.decide(CLASSES, "b", "a", "f1_macro", margin=0.1, **few)
    gated = mc.gate(CLASSES, "b", "a", ["f1_macro:-0.1"], **few).decisions[0]
    assert [decided.gain, gated.gain] == [gain, gain]
    for test in ("studentized-permutation", "run-permutation", "wald", "bootstrap"):
        these = {"generalize_to": "items"} if test == "bootstrap" else {}
        tested = mc.paired_test(CLASSES, "a", "b", "f1_macro", method=test, **these, **few)
        assert tested.difference == gain
    assert mc.sample_size(CLASSES, "a", "b", "f1_macro").difference == gain
    parts = mc.compare_groups({"x": CLASSES, "y": CLASSES}, "f1_macro", **few)
    assert parts.pooled_scores.set_index("model")["estimate"].to_dict() == pytest.approx(
        {"a": a, "b": b}
    )
    unpaired = mc.inference.unpaired_test(CLASSES["a"], CLASSES["b"], "f1_macro", **few)
    assert unpaired.difference == gain
    components = mc.diagnostics.variance_components(CLASSES, "f1_macro", n_resamples=99)
    assert components["estimate"].tolist() == pytest.approx([a, b])


def test_separate_runs_in_different_numbers_have_the_mean_of_their_own():
    own = {"a": RUN, "b": 10 + RUN % 2}
    rows = np.repeat(np.arange(N), 6)
    y, of_a, of_b = TWO[::R][rows], np.tile(np.arange(3), 2 * N), np.tile([0, 0, 0, 1, 1, 1], N)
    scores = {"a": RNG.normal(size=(N, 3)) * [1, 10, 100], "b": RNG.normal(size=(N, 2)) * [1, 9]}
    preds = mc.Predictions(
        y, {"a": scores["a"][rows, of_a], "b": scores["b"][rows, of_b]}, kind="values",
        groups=rows, runs={"a": own["a"][of_a], "b": of_b + 10},
    )  # fmt: skip
    for generalize_to in ("items", "items+runs"):
        found = mc.compare(preds, "roc_auc", generalize_to=generalize_to, n_resamples=99).scores[
            "estimate"
        ]
        expected = [
            np.mean([reference.roc_auc_score(TWO[::R], column) for column in scores[m].T])
            for m in "ab"
        ]
        assert found.tolist() == pytest.approx(expected)


@needs("large")
def test_a_sketch_of_several_runs_has_means_of_samples_only():
    assert mc.compare(mc.io.sketch(CLASSES, "accuracy"), n_resamples=99).verdict()
    message = re.escape("a sketch sums the rows of several runs, and f1_macro is the mean of the ")
    with pytest.raises(ValueError, match=message):
        mc.io.sketch(CLASSES, ["accuracy", "f1_macro"])
    apart = [mc.io.sketch(CLASSES.subset(r == RUN), "f1_macro") for r in range(R)]
    assert mc.compare(apart[0], n_resamples=99).verdict()
    with pytest.raises(ValueError, match=message):
        mc.compare(sum(apart[1:], apart[0]), n_resamples=99)


def test_readers_of_a_study_have_the_mean_of_the_readers():
    """Ratings of the second reader are 10 higher: pooled, the area is .75."""
    frame = pd.DataFrame(
        [(r, t, c, int(c >= 2), 10 * r + c + (t - 0.5) * 0.1 * (c == 0))
         for r in range(2) for t in range(2) for c in range(4)],
        columns=["reader", "treatment", "case", "truth", "rating"],
    )  # fmt: skip
    preds = mc.read_predictions(
        frame,
        columns={
            "true": "truth",
            "model": "treatment",
            "pred": "rating",
            "id": "case",
            "runs": "reader",
        },
        kind="values",
    )
    found = mc.bootstrap(preds, "roc_auc", n_resamples=2).point
    assert found[:, 0].tolist() == [1.0, 1.0]
