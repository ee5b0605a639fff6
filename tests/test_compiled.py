"""Compiled loops give the numbers that numpy gives, and are not needed."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare import compiled

FRESH = """
import sys, numpy as np, modelcompare as mc
rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
mc.bootstrap(mc.Predictions(y, {"a": rng.random(200)}, kind="probabilities"), "roc_auc", rng=0)
assert "numba" not in sys.modules
"""


def classified(groups=None, sample_weight=None):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 500)
    outputs = {}
    for model, skill in {"a": 0.5, "b": 1.0}.items():
        raw = np.round(rng.random((500, 3)) + skill * np.eye(3)[y], 2)
        outputs[model] = raw / raw.sum(axis=1, keepdims=True)
    return mc.Predictions(
        y, outputs, kind="probabilities", groups=groups, sample_weight=sample_weight
    )


def regressed(groups=None, sample_weight=None):
    rng = np.random.default_rng(4)
    y = np.round(rng.normal(size=500), 1)
    outputs = {model: np.round(y + rng.normal(size=500), 1) for model in ("a", "b")}
    return mc.Predictions(y, outputs, kind="values", groups=groups, sample_weight=sample_weight)


DATA = {
    "samples": {},
    "clusters": {"groups": np.arange(500) // 4},
    "weighted": {"sample_weight": np.linspace(0.1, 2.0, 500)},
}
METRICS = {
    classified: ["roc_auc_ovr", "roc_auc_ovo_weighted", "average_precision_macro"],
    regressed: ["spearman", "kendall"],
}


def gate(monkeypatch, work):
    monkeypatch.setattr(compiled, "_work", work)
    compiled._kernels.cache_clear()


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("made", METRICS)
def test_results_are_the_same_bit_for_bit_with_and_without_numba(monkeypatch, data, made):
    pytest.importorskip("numba")
    preds = made(**DATA[data])
    frames = []
    for work in (compiled.ENOUGH_WORK, -(2**62)):
        gate(monkeypatch, work)
        result = mc.bootstrap(preds, METRICS[made], n_resamples=300, rng=1)
        used = compiled._kernels.cache_info().currsize > 0
        assert used == (work > 0)
        assert not used or compiled._kernels() is not None
        frames.append(result.to_frame())
    pd.testing.assert_frame_equal(*frames, check_exact=True)


def test_without_numba_numpy_does_the_work(monkeypatch):
    gate(monkeypatch, compiled.ENOUGH_WORK)
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "modelcompare.compiled.kernels", raising=False)
    monkeypatch.delattr(compiled, "kernels", raising=False)
    found = mc.bootstrap(regressed(), "kendall", n_resamples=50, rng=1)
    assert compiled._kernels.cache_info().currsize == 1
    assert compiled._kernels() is None
    monkeypatch.undo()
    gate(monkeypatch, -(2**62))
    expected = mc.bootstrap(regressed(), "kendall", n_resamples=50, rng=1)
    np.testing.assert_array_equal(found.replicates, expected.replicates)


def test_numba_may_come_in_the_middle_of_the_work(monkeypatch):
    pytest.importorskip("numba")
    expected = mc.bootstrap(regressed(), "kendall", n_resamples=500, rng=1)
    gate(monkeypatch, compiled.ENOUGH_WORK - 200_000)
    found = mc.bootstrap(regressed(), "kendall", n_resamples=500, rng=1)
    assert compiled._kernels.cache_info().currsize == 1
    assert compiled._kernels() is not None
    np.testing.assert_array_equal(found.replicates, expected.replicates)


def test_little_work_does_not_wait_for_numba():
    subprocess.run([sys.executable, "-c", FRESH], check=True)


@pytest.mark.slow
def test_kernels_compile_where_nothing_can_be_kept(monkeypatch):
    caching = pytest.importorskip("numba.core.caching")
    kernels = pytest.importorskip("modelcompare.compiled.kernels")
    # No folder can be written: neither the package's nor the user's.
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    sweep = kernels._compiled(kernels.sweep.py_func)
    weights, sums = np.array([[2], [3]], np.uint8), np.empty((3, 1), np.uint64)
    sweep(weights, np.array([0, 1]), np.array([3, 2], np.uint8), sums)
    assert sums.ravel().tolist() == [2 * 3 * 2, 2 * 3, 2]
