"""Clusters of a scan are summed, and answered as clusters in memory."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.engine import memory as memory_of
from modelcompare.plugins.large import clusters, planning
from tests.small_blocks import ROW_BLOCK

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.usefixtures("small_blocks", "never_loaded")

N = ROW_BLOCK + 1_001
METRICS = ["accuracy", "f1", "f1_macro", "cohen_kappa", "cf1_macro", "log_loss"]
COLUMNS = {
    "clusters": {"groups": "g"},
    "clusters in strata": {"groups": "g", "strata": "s"},
    "weighted clusters": {"groups": "g", "weight": "w"},
}
ASKED = [{}, {"method": "BCa", "test": "wald"}, {"method": "percentile", "correction": "max-t"}]


@pytest.fixture
def never_loaded(monkeypatch):
    monkeypatch.setattr(planning, "SHARE", 0)


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    y, group = rng.choice(["x", "y", "z"], N, p=[0.4, 0.3, 0.3]), rng.integers(0, 300, N)
    names = [f"c{i}" for i in group]
    columns = {"y_true": y, "g": names, "s": group % 3, "w": rng.uniform(0, 2, N)}
    for model, skill in (("a", 0.5), ("b", 0.52)):
        p = rng.dirichlet([1, 1, 1], N) + skill * (y[:, None] == np.array(["x", "y", "z"]))
        p /= p.sum(axis=1, keepdims=True)
        columns |= {f"{model}:{c}": p[:, j] for j, c in enumerate("xyz")}
    return pd.DataFrame(columns)


def of(frame, options):
    return frame.drop(columns=[c for c in "gsw" if c not in options.values()])


@pytest.mark.parametrize("asked", ASKED, ids=str)
@pytest.mark.parametrize("columns", COLUMNS)
def test_clusters_of_blocks_are_compared_as_in_memory(columns, asked, frame):
    options = COLUMNS[columns]
    rows = of(frame, options)
    memory, scan = (
        mc.compare(read(rows, columns=options), METRICS, n_resamples=99, **asked)
        for read in (mc.read_predictions, mc.io.scan_predictions)
    )
    pd.testing.assert_frame_equal(memory.scores, scan.scores, rtol=1e-9)
    pd.testing.assert_frame_equal(memory.differences, scan.differences, rtol=1e-9)
    assert memory.signature == scan.signature
    assert str(memory) == str(scan)


def test_two_models_are_tested_decided_and_sketched_as_in_memory(frame):
    options = COLUMNS["clusters"]
    rows = of(frame, options)
    memory, scan = (
        read(rows, columns=options) for read in (mc.read_predictions, mc.io.scan_predictions)
    )
    for ask in (
        lambda preds: mc.paired_test(preds, "a", "b", "log_loss", n_resamples=99),
        lambda preds: mc.decide(preds, "a", "b", "cf1_macro", margin=0.01, n_resamples=99),
    ):
        assert str(ask(memory)) == str(ask(scan))
    found, expected = (mc.io.sketch(preds, METRICS) for preds in (scan, memory))
    for key, numbers in expected.numbers.items():
        np.testing.assert_allclose(found.numbers[key], numbers, rtol=1e-12)


def test_labels_in_clusters_are_not_counted_together(frame):
    rows = pd.DataFrame({"y_true": frame["y_true"], "g": frame["g"], "s": frame["s"]})
    rows["a"], rows["b"] = (np.roll(frame["y_true"], k) for k in (1, 2))
    memory, scan = (
        mc.compare(read(rows, columns={"groups": "g"}, models=["a", "b"]), n_resamples=99)
        for read in (mc.read_predictions, mc.io.scan_predictions)
    )
    assert scan.evidence.models == ("a", "b")
    pd.testing.assert_frame_equal(memory.scores, scan.scores, rtol=1e-9)
    pd.testing.assert_frame_equal(memory.differences, scan.differences, rtol=1e-9)


def test_what_sums_of_clusters_cannot_answer_is_refused(frame):
    scan = mc.io.scan_predictions(of(frame, {"groups": "g"}), columns={"groups": "g"})
    with pytest.raises(ValueError, match=r"test 't' needs single samples, and the clusters of a"):
        mc.paired_test(scan, "a", "b", "log_loss", method="t")
    with pytest.raises(ValueError, match=r"roc_auc_ovr needs all samples at once"):
        mc.compare(scan, "roc_auc_ovr")


def test_sample_sizes_of_a_scan_in_clusters_are_those_of_memory(frame):
    rows = of(frame, {"groups": "g"})
    memory, scan = (
        mc.sample_size(read(rows, columns={"groups": "g"}), "a", "b", "log_loss")
        for read in (mc.read_predictions, mc.io.scan_predictions)
    )
    assert scan.unit == memory.unit == "clusters"
    assert scan.size == memory.size
    assert scan.components.items == pytest.approx(memory.components.items, rel=1e-9)
    assert scan.n_needed == memory.n_needed


def test_a_cluster_in_two_strata_is_refused_also_in_two_blocks(frame):
    rows = of(frame, COLUMNS["clusters in strata"])
    place = rows.index[rows["g"] == rows["g"].iloc[-1]]
    assert place[0] < ROW_BLOCK
    rows.loc[place[place >= ROW_BLOCK], "s"] += 1
    scan = mc.io.scan_predictions(rows, columns={"groups": "g", "strata": "s"})
    with pytest.raises(ValueError, match="`groups` cross `strata`"):
        mc.compare(scan, "log_loss")


def test_sums_of_a_block_are_of_its_clusters_only(frame, monkeypatch):
    n_summed, summed = [], clusters.block_sums

    def recorded(block, place, metrics, n_clusters):
        n_summed.append((n_clusters, len(block)))
        return summed(block, place, metrics, n_clusters)

    monkeypatch.setattr(clusters, "block_sums", recorded)
    rows = of(frame, {}).assign(g=np.arange(N) % (N // 2), s=np.arange(N) % (N // 2) % 3)
    memory, scan = (
        mc.compare(
            read(rows, columns={"groups": "g", "strata": "s"}),
            METRICS,
            method="normal",
            n_resamples=99,
        )
        for read in (mc.read_predictions, mc.io.scan_predictions)
    )
    pd.testing.assert_frame_equal(memory.scores, scan.scores, rtol=1e-9)
    pd.testing.assert_frame_equal(memory.differences, scan.differences, rtol=1e-9)
    assert len(n_summed) == 2
    assert all(n_clusters <= n_rows for n_clusters, n_rows in n_summed)


def test_sums_of_more_clusters_than_fit_are_refused_before_they_are_made(frame, monkeypatch):
    scan = mc.io.scan_predictions(of(frame, {"groups": "g"}), columns={"groups": "g"})
    # Weights, support of three classes, and hits and predictions of each model; with copies.
    needed = 5 * 8 * 300 * (1 + 3 + 2 * 2 * 3)
    monkeypatch.setattr(memory_of, "CACHE_BYTES", 0)
    monkeypatch.setattr(memory_of, "free_memory", lambda: needed)
    monkeypatch.setattr(memory_of, "check_replicates", lambda *_: None)
    mc.bootstrap(scan, "accuracy", n_resamples=2)
    monkeypatch.setattr(memory_of, "free_memory", lambda: needed - 1)
    with pytest.raises(
        ValueError, match=r"the sums of 300 clusters, of 16 numbers each, need about .* or a sketch"
    ):
        mc.bootstrap(scan, "accuracy", n_resamples=2)


def test_clusters_are_read_whole_where_they_fit(frame, monkeypatch):
    monkeypatch.setattr(planning, "SHARE", 1)
    rows = of(frame, {"groups": "g"})
    memory, scan = (
        mc.paired_test(read(rows, columns={"groups": "g"}), "a", "b", "roc_auc_ovr", method="wald")
        for read in (mc.read_predictions, mc.io.scan_predictions)
    )
    assert memory == scan
