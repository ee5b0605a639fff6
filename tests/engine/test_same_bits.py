"""The same numbers to the last bit, for any workers: threads, processes, BLAS, memory."""

import threading

import joblib
import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import modelcompare as mc
from modelcompare.engine import evaluation, parallel
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.products import Product
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling import weights as resampling
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.significance.swaps import statistic
from tests.plugged import plugged


@pytest.fixture(scope="module")
def preds():
    """Large enough for BLAS to part its products, if it may."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 1500)
    scores = {f"m{i}": rng.random((1500, 3)) + 0.2 * i * np.eye(3)[truth] for i in range(4)}
    return mc.Predictions(truth, {m: s / s.sum(axis=1, keepdims=True) for m, s in scores.items()})


def comparison(preds):
    metrics = ["accuracy", "f1", "cf1_macro", "log_loss", "matthews_corrcoef"]
    result = mc.compare(preds, metrics, n_resamples=200, method="BCa")
    return [result.scores, result.differences]


TASKS = {"comparison": comparison} | plugged("TASKS")


@pytest.fixture(scope="module", params=TASKS)
def task(request):
    return TASKS[request.param]


@pytest.fixture(scope="module")
def expected(task, preds):
    """What one thread of one process gives, BLAS at one thread, too."""
    with threadpool_limits(1), mc.config_context(n_jobs=1):
        return task(preds)


def assert_same(found, expected):
    for one, other in zip(found, expected, strict=True):
        pd.testing.assert_frame_equal(one, other, check_exact=True)


@pytest.mark.parametrize(("n_jobs", "n_threads"), [(None, 2), (2, 1), (2, 2)])
def test_as_many_threads_as_you_like(task, preds, expected, n_jobs, n_threads):
    with threadpool_limits(n_threads), mc.config_context(n_jobs=n_jobs):
        assert_same(task(preds), expected)


@pytest.mark.parametrize(("backend", "n_jobs"), [("threading", 2), ("loky", None)])
def test_every_backend(task, preds, expected, backend, n_jobs):
    of_joblib, ours = joblib.parallel_config(backend, n_jobs=2), mc.config_context(n_jobs=n_jobs)
    with of_joblib, ours, threadpool_limits(2):
        assert_same(task(preds), expected)


def test_as_much_memory_as_you_like(task, preds, expected, monkeypatch):
    monkeypatch.setattr(evaluation, "PASS_BYTES", 1)
    monkeypatch.setattr(statistic, "_SUM_NUMBERS", 1)
    # One pair of models at a time, and some dozens of parts of the masks, which one byte would
    # part into single ones.
    monkeypatch.setattr(statistic, "CACHE_BYTES", 2**12)
    assert_same(task(preds), expected)


def test_threads_of_blas_are_given_back(preds):
    with threadpool_limits(2):
        comparison(preds)
        with pytest.raises(ZeroDivisionError):
            parallel.map_blocks(lambda block: 1 // block, [0, 1])
        free = [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"]
    assert free == [2] * len(free)


def test_a_product_has_one_thread_of_blas():
    def count(_block):
        return next(lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas")

    with threadpool_limits(2):
        assert parallel.map_blocks(count, range(3)) == [1, 1, 1]
        with mc.config_context(n_jobs=2):
            assert parallel.map_blocks(count, range(3)) == [1, 1, 1]


def test_work_within_a_thread_stays_there():
    def inner(_block):
        return threading.get_ident()

    def outer(_block):
        return {threading.get_ident(), *parallel.map_blocks(inner, range(4))}

    with threadpool_limits(2):
        assert [len(idents) for idents in parallel.map_blocks(outer, range(3))] == [1, 1, 1]


def test_tasks_on_threads_know_the_callers_errstate():
    with threadpool_limits(2), np.errstate(all="raise"):
        found = parallel.map_blocks(lambda _block: np.geterr()["divide"], range(4))
    assert found == ["raise"] * 4


@pytest.mark.parametrize(
    "metrics", [["f1", "cf1"], ["accuracy", "caccuracy"], ["recall", "log_loss"], ["brier_score"]]
)
@pytest.mark.parametrize("columns", [{}, {"sample_weight": np.linspace(0.1, 3, 90)},
                                     {"groups": np.arange(90) // 2}])  # fmt: skip
def test_products_in_parts_are_the_plain_products(metrics, columns):
    rng = np.random.default_rng(0)
    preds = mc.Predictions(
        rng.integers(0, 3, 90), {m: rng.dirichlet([1, 1, 1], 90) for m in "ab"}, **columns
    )
    part = Evaluation(preds, resolve_metrics(metrics, preds), collapse=False)
    weights = BootstrapWeights(part.units, 20, np.random.SeedSequence(0))
    (found,) = part.totals(weights, slice(None), [0])
    expected = weights.draw_all(0) @ part.statistics()
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_counts_too_large_for_single_precision_stay_exact():
    truth = np.array([0, 1] * 40)
    preds = mc.Predictions(truth, {"a": truth, "b": 1 - truth})
    part = Evaluation(preds, resolve_metrics("f1", preds), collapse=False)
    weights = np.full((1, 80), 2.0**20)
    weights[0, ::2] += 1
    product = part.product(slice(None), slice(0, 80))
    assert isinstance(product, Product)
    found = product.sums(weights.astype(np.int64))
    np.testing.assert_array_equal(found, weights @ part.statistics())


def test_row_blocks_do_not_change_a_draw_of_one(preds, monkeypatch):
    monkeypatch.setattr(resampling, "ROW_BLOCK", 1000)
    metrics = resolve_metrics(["f1", "cf1"], preds)
    first = Evaluation(preds, metrics, collapse=False)
    weights = BootstrapWeights(first.units, 300, np.random.SeedSequence(0))
    with threadpool_limits(2):
        here = first.replicates(weights)
        with mc.config_context(n_jobs=2):
            there = first.replicates(weights)
    np.testing.assert_array_equal(here, there)
