"""Sums over clusters: of all samples, computed once for all that read some clusters."""

import numpy as np
import pandas as pd

import modelcompare as mc
from modelcompare.engine import statistics
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics

RNG = np.random.default_rng(0)
N = 3_000
TRUTH = RNG.integers(0, 3, N)
CLUSTER = RNG.integers(0, 900, N)
WEIGHT = RNG.integers(1, 4, N).astype(float)


def predictions():
    odds = {m: np.exp(RNG.normal(size=(N, 3)) + np.eye(3)[TRUTH]) for m in "ab"}
    probabilities = {m: o / o.sum(axis=1, keepdims=True) for m, o in odds.items()}
    return mc.Predictions(TRUTH, probabilities, groups=CLUSTER, sample_weight=WEIGHT)


def test_sums_of_clusters_are_those_of_their_samples():
    preds = predictions()
    metrics = resolve_metrics(["log_loss", "cf1_macro"], preds)
    evaluation = Evaluation(preds, metrics)
    of_sample = Evaluation(preds.with_columns(groups=None), metrics, collapse=False)
    expected = np.zeros((900, of_sample.statistics().shape[1]))
    np.add.at(expected, CLUSTER, of_sample.statistics())
    occupied = np.bincount(CLUSTER, minlength=900) > 0
    np.testing.assert_allclose(evaluation.statistics(), expected[occupied], rtol=1e-12)
    some = evaluation.statistics(slice(100, 200))
    np.testing.assert_array_equal(some, evaluation.statistics()[100:200])


def test_clusters_are_summed_once_where_their_sums_fit_into_memory(monkeypatch):
    preds, calls = predictions(), []
    summed = statistics.cluster_sums

    def counted(*arguments):
        calls.append(arguments)
        return summed(*arguments)

    monkeypatch.setattr(statistics, "cluster_sums", counted)
    kept = mc.compare(preds, ["log_loss", "cf1_macro", "accuracy"], rng=0)
    once = len(calls)
    monkeypatch.setattr(statistics, "PASS_BYTES", 50_000)
    again = mc.compare(preds, ["log_loss", "cf1_macro", "accuracy"], rng=0)
    assert len(calls) - once > 10 * once
    for name in ("scores", "differences"):
        pd.testing.assert_frame_equal(getattr(kept, name), getattr(again, name), rtol=1e-12)
