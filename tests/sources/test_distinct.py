"""Labels are counted in place, and never resampled row by row."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.sources import rows
from tests.small_blocks import ROW_BLOCK

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

N = ROW_BLOCK + 3_000
pytestmark = pytest.mark.usefixtures("small_blocks")


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame({c: rng.choice(["no", "yes", "?"], N) for c in ("y_true", "a", "b")})


@pytest.fixture
def path(frame, tmp_path):
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "x.parquet", row_group_size=1_000)
    return tmp_path / "x.parquet"


SOURCES = {
    "DuckDB": lambda path: path,
    "pyarrow": lambda path: pytest.importorskip("pyarrow.dataset").dataset(pq.read_table(path)),
    "polars": lambda path: pytest.importorskip("polars").scan_parquet(path),
    "pandas": lambda path: pd.read_parquet(path),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_counts_what_pandas_counts(kind, path, frame, monkeypatch):
    if kind == "DuckDB":
        pytest.importorskip("duckdb")
    scan = mc.io.scan_predictions(SOURCES[kind](path))
    monkeypatch.setattr(mc.io.ScannedPredictions, "blocks", lambda _: pytest.fail("rows were read"))
    found = mc.bootstrap(scan, ["accuracy", "f1"], n_resamples=99)
    held = found.evaluation.labelled
    names = scan.labels
    counted = {
        (names[true], names[a], names[b]): times
        for true, a, b, times in zip(held.codes, *held.predicted, held.multiplicity, strict=True)
    }
    assert counted == frame.groupby(["y_true", "a", "b"]).size().to_dict()
    memory = mc.bootstrap(mc.read_predictions(frame), ["accuracy", "f1"], n_resamples=99)
    np.testing.assert_array_equal(memory.draws, found.draws)


def test_without_duckdb_pyarrow_counts(path, frame, monkeypatch):
    expected = mc.bootstrap(mc.read_predictions(frame), "f1", n_resamples=99).draws
    monkeypatch.setattr(rows, "find_spec", lambda _: None)
    found = mc.bootstrap(mc.io.scan_predictions(path), "f1", n_resamples=99)
    np.testing.assert_array_equal(expected, found.draws)


@pytest.mark.parametrize("without", [False, True])
def test_many_distinct_rows_are_resampled_as_in_memory(without, frame, monkeypatch, tmp_path):
    if without:
        monkeypatch.setattr(rows, "find_spec", lambda _: None)
    rng = np.random.default_rng(1)
    outputs = {f"m{i}": rng.choice(["no", "yes", "?"], N) for i in range(9)}
    many = pd.DataFrame({"y_true": frame["y_true"], **outputs})
    pq.write_table(pa.Table.from_pandas(many), tmp_path / "many.parquet")
    memory = mc.bootstrap(mc.read_predictions(many), "accuracy", n_resamples=20)
    found = mc.bootstrap(
        mc.io.scan_predictions(tmp_path / "many.parquet"), "accuracy", n_resamples=20
    )
    assert not memory.evaluation.collapsed
    assert not found.evaluation.collapsed
    np.testing.assert_array_equal(memory.draws, found.draws)


def test_a_bad_label_is_reported_by_the_number_of_its_row(frame, tmp_path):
    bad = frame.copy()
    bad.loc[N - 5, "a"] = None
    pq.write_table(pa.Table.from_pandas(bad), tmp_path / "bad.parquet")
    with pytest.raises(ValueError, match=rf"missing cells \(a 1; first rows: {N - 5}\)"):
        mc.bootstrap(mc.io.scan_predictions(tmp_path / "bad.parquet"), "accuracy", n_resamples=20)
