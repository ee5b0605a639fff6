"""Labels are counted in place, and never resampled row by row."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.plugins.large import blocks as rows
from modelcompare.plugins.large.scanned import BlockAccess
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
    monkeypatch.setattr(BlockAccess, "blocks", lambda _: pytest.fail("rows were read"))
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


STRATA = {
    "of integers": lambda rng: rng.integers(-3, 12, N),
    "of texts": lambda rng: rng.choice(["south", "10", "9", "north"], N),
    "of truth values": lambda rng: rng.random(N) < 0.3,
    "of dates": lambda rng: (
        pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 5, N), "D")
    ),
    "of which one is of one sample": lambda _: np.r_[np.zeros(N - 1, int), 1],
}


@pytest.mark.parametrize("without", [False, True], ids=["DuckDB", "pyarrow"])
@pytest.mark.parametrize("kind", STRATA)
def test_labels_in_strata_are_counted_and_drawn_as_in_memory(
    kind, without, frame, tmp_path, monkeypatch
):
    if without:
        monkeypatch.setattr(rows, "find_spec", lambda _: None)
    stratified = frame.assign(s=STRATA[kind](np.random.default_rng(2)))
    stratified.to_parquet(tmp_path / "s.parquet")
    preds = mc.read_predictions(tmp_path / "s.parquet", columns={"strata": "s"})
    scan = mc.io.scan_predictions(tmp_path / "s.parquet", columns={"strata": "s"})
    monkeypatch.setattr(BlockAccess, "tables", lambda *_: pytest.fail("rows were read"))
    found, memory = (mc.compare(each, ["accuracy", "f1"], n_resamples=99) for each in (scan, preds))
    pd.testing.assert_frame_equal(memory.scores, found.scores, rtol=0)
    pd.testing.assert_frame_equal(memory.differences, found.differences, rtol=0)
    assert "|stratified|collapsed" in found.signature
    assert str(found) == str(memory)
    drawn, expected = (mc.bootstrap(each, "f1", n_resamples=99).draws for each in (scan, preds))
    assert drawn.tobytes() == expected.tobytes()


def test_strata_whose_rows_are_many_are_resampled_as_in_memory(frame, tmp_path):
    stratified = frame.assign(s=np.arange(N) % 900)
    stratified.to_parquet(tmp_path / "s.parquet")
    memory, found = (
        mc.bootstrap(read(source, columns={"strata": "s"}), "accuracy", n_resamples=20)
        for read, source in (
            (mc.read_predictions, stratified),
            (mc.io.scan_predictions, tmp_path / "s.parquet"),
        )
    )
    assert not found.evaluation.collapsed
    np.testing.assert_array_equal(memory.draws, found.draws)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (lambda s: s.where(s.index != N - 5), "`strata` has missing values"),
        (lambda s: s.mask(s.index == N - 5, "NA"), "of strata has 'NA'"),
    ],
)
def test_a_missing_stratum_is_reported_by_the_number_of_its_row(cells, message, frame, tmp_path):
    s = pd.Series(np.resize(["north", "south"], N))
    frame.assign(s=cells(s)).to_parquet(tmp_path / "bad.parquet")
    with pytest.raises(ValueError, match=rf"{message} in .*{N - 5}"):
        mc.io.scan_predictions(tmp_path / "bad.parquet", columns={"strata": "s"})
    with pytest.raises(ValueError, match=message):
        mc.read_predictions(tmp_path / "bad.parquet", columns={"strata": "s"})


def test_a_column_that_is_a_stratum_and_weights_are_read_block_by_block(frame, tmp_path):
    weighted = frame.assign(s=np.arange(N) % 3, w=np.arange(N) % 5 + 0.5)
    weighted.to_parquet(tmp_path / "w.parquet")
    scan = mc.io.scan_predictions(tmp_path / "w.parquet", columns={"strata": "s", "weight": "w"})
    found = mc.bootstrap(scan, "f1", n_resamples=20)
    memory = mc.read_predictions(weighted, columns={"strata": "s", "weight": "w"})
    assert not found.evaluation.collapsed
    np.testing.assert_array_equal(mc.bootstrap(memory, "f1", n_resamples=20).draws, found.draws)
