"""Every public result and metric pickles and copies, as joblib, multiprocessing and notebooks ask."""

import copy
import importlib
import os
import pickle
import subprocess
import sys
from functools import cache, partial

import joblib
import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.metrics import METRICS, from_callable
from modelcompare.report.writers.terminal import screen_text
from tests.pages import ROOT
from tests.plugged import needs, plugged
from tests.report.test_results import MADE, made

FEW = {"n_resamples": 99}
WAYS = {
    "pickle": lambda result: pickle.loads(pickle.dumps(result)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


def of_classes(n=90, n_classes=3):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, n_classes, n)

    def drawn():
        p = rng.dirichlet(np.ones(n_classes), n)
        p[np.arange(n), truth] += 0.5
        return p / p.sum(axis=1, keepdims=True)

    slices = {"half": np.arange(n) % 2}
    return mc.Predictions(truth, {name: drawn() for name in "abc"}, slices=slices)


def of_values():
    rng = np.random.default_rng(5)
    drawn = {name: rng.random(60) for name in "ab"}
    return mc.Predictions(rng.random(60), drawn, kind="values")


def of_scores():
    rng = np.random.default_rng(4)
    return mc.Predictions.from_scores({name: rng.random(40) for name in "abc"})


def of_answers():
    rng = np.random.default_rng(4)
    drawn = {name: rng.integers(0, 2, 48) for name in "abc"}
    return mc.Predictions.from_scores(drawn, groups=np.repeat(np.arange(8), 6))


SUMS = ["accuracy", "f1", "cf1_macro", "f1_micro", "f2_macro", "mcc", "confusion_entropy", "ece_mass",
        "debiased_ece", "mce", "brier_reliability", "log_loss", "roc_auc_ovr", "top_2_accuracy"]  # fmt: skip
MAKE = {
    "Predictions": lambda _: of_classes(),
    "compare": lambda _: mc.compare(of_classes(), SUMS, **FEW),
    "compare values": lambda _: mc.compare(
        of_values(), ["rmse", "mae", "r2", "msle", "median_absolute_error"],
        **FEW,
    ),
    "compare order": lambda _: mc.compare(of_values(), ["spearman", "kendall"], **FEW),
    "compare scores": lambda _: mc.compare(
        mc.Predictions.from_scores({"a": [1, 0, 1, 1] * 9, "b": [0, 0, 1, 0] * 9}), **FEW
    ),
    "bootstrap": lambda _: mc.bootstrap(of_classes(), ["accuracy", "f1"], **FEW),
    "paired_test": lambda _: mc.paired_test(of_classes(), "a", "b", metric="f1_macro", **FEW),
    "decide": lambda _: mc.decide(of_classes(), "a", "b", "accuracy", margin=0.1),
    "gate": lambda _: mc.gate(of_classes(), "a", "b", ["accuracy:-0.1", "f1[1]:-0.2"]),
    "sample_size": lambda _: mc.sample_size(of_classes(), "a", "b"),
    "slices": lambda _: mc.compare_groups(of_classes(), "accuracy", **FEW),
} | plugged("PICKLED")  # fmt: skip


def shown(result):
    """Return everything that a result shows: its text, its frames, its sentences."""
    if not hasattr(result, "document"):
        return [repr(result), str(result), getattr(result, "signature", None)]
    document = result.document()
    frames = [f"{name}\n{frame.to_csv()}" for name, frame in document.frames().items()]
    return [repr(result), screen_text(document, brief=True), *frames, document.signature]


@pytest.fixture(scope="module")
def result_of(tmp_path_factory):
    """Return the result of a name, which is computed once for all tests."""
    return cache(lambda name: MAKE[name](tmp_path_factory.mktemp("result")))


@needs("calibration")
@pytest.mark.parametrize("name", MAKE)
@pytest.mark.filterwarnings("ignore::modelcompare.SparseDataWarning")
@pytest.mark.filterwarnings("ignore::modelcompare.UndefinedMetricWarning")
def test_every_result_is_the_same_after_it_was_copied(name, result_of):
    result = result_of(name)
    fresh = {way: copied(result) for way, copied in WAYS.items()}
    expected = shown(result)
    assert {way for way, other in fresh.items() if shown(other) != expected} == set()
    # Once more, with everything that is computed once kept inside: copies take the same state.
    assert shown(WAYS["pickle"](result)) == expected


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_gives_the_same_number_after_it_was_pickled(name):
    metric = METRICS[name]
    again = pickle.loads(pickle.dumps(metric))
    assert (again.name, again.needs, again.soft and again.soft.name) == (
        name, metric.needs, metric.soft and metric.soft.name
    )  # fmt: skip
    data = {
        "labels": of_classes, "probabilities": of_classes, "values": of_values, "scores": of_scores,
        **plugged("DATA"),
    }  # fmt: skip
    data = data.get(name) or data[metric.needs]
    if name in ("roc_auc", "average_precision", "probabilistic_auc", "scored_auc", "soft_auc"):
        data = partial(of_classes, n_classes=2)
    elif metric.of_items:
        data = of_answers
    predictions = data()
    both = [mc.bootstrap(predictions, m, n_resamples=2).point for m in (metric, again)]
    np.testing.assert_array_equal(*both)


def test_a_copy_can_be_used_further():
    result = mc.compare(of_classes(), ["f1", "roc_auc_ovr"], **FEW)
    again = pickle.loads(pickle.dumps(result))
    pd.testing.assert_frame_equal(again.leads(every=True), result.leads(every=True))
    one, other = (
        each.bootstrap.confidence_interval(method="percentile") for each in (result, again)
    )
    pd.testing.assert_frame_equal(one, other)


def test_a_function_of_the_users_pickles_as_far_as_python_can():
    def error(y_true, y_pred):
        return (y_true != y_pred).mean()

    result = mc.compare(of_classes(), from_callable(error), n_resamples=9)
    with pytest.raises((pickle.PicklingError, AttributeError), match="error"):
        pickle.dumps(result)
    assert copy.copy(result).signature == result.signature


def accuracy_of(seed):
    return mc.compare(of_classes(), ["accuracy", "f1_macro"], n_resamples=99, rng=seed)


def test_results_come_back_from_other_processes():
    jobs = (joblib.delayed(accuracy_of)(seed) for seed in (0, 1))
    found = joblib.Parallel(n_jobs=2, backend="multiprocessing")(jobs)
    for seed, result in enumerate(found):
        pd.testing.assert_frame_equal(result.scores, accuracy_of(seed).scores)


def test_blocks_of_resamples_are_worked_on_in_other_processes():
    here = mc.compare(of_classes(), ["f1", "roc_auc_ovr"], n_resamples=999)
    with joblib.parallel_config("loky", n_jobs=2):
        there = mc.compare(of_classes(), ["f1", "roc_auc_ovr"], n_resamples=999)
    pd.testing.assert_frame_equal(here.scores, there.scores)
    pd.testing.assert_frame_equal(here.differences, there.differences)


# Metrics of others: a function, and sums, from functions of a module.
OF_OTHERS = """
import numpy as np
from modelcompare.metrics import Metric, get_metric

def share_right(y_true, y_prob):
    return float(np.mean(y_true == y_prob.argmax(axis=1)))

def share_missed(hits, predicted, true):
    return 1 - hits / true

MISSED = Metric(
    name="missed", statistics=get_metric("recall").statistics, value=share_missed, per_class=True,
    greater_is_better=False,
)
"""
# A worker that has imported nothing: what it reads is all that it knows.
WORKER = """
import pickle, sys
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        result = pickle.load(file)
    print(str(result) + repr(result))
"""


@needs("calibration")
@pytest.mark.filterwarnings("ignore::modelcompare.SparseDataWarning")
@pytest.mark.filterwarnings("ignore::modelcompare.UndefinedMetricWarning")
def test_results_and_metrics_of_others_unpickle_in_a_worker_that_imported_nothing(
    result_of, tmp_path, monkeypatch
):
    (tmp_path / "of_others.py").write_text(OF_OTHERS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT)]))
    of_others = importlib.import_module("of_others")
    results = [*map(result_of, MAKE), *map(made, MADE)]
    results.append(
        mc.compare(of_classes(), [of_others.share_right, of_others.MISSED], n_resamples=99)
    )
    paths = []
    for place, result in enumerate(results):
        paths.append(tmp_path / f"{place}.pickle")
        paths[-1].write_bytes(pickle.dumps(result))
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", WORKER, *map(str, paths)], capture_output=True, text=True, check=True
    )  # fmt: skip
    assert found.stdout == "".join(f"{result}{result!r}\n" for result in results)
