"""Pipes, bombs and wide tables; cells that are answers though they are empty."""

import gc
import gzip
import os
import threading
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from modelcompare import read_predictions
from tests.plugged import needs

CSV = b"y_true,a\n0,0\n1,1\n"


@pytest.mark.parametrize(
    "content",
    [CSV, CSV.replace(b",", b"\t"), b'{"y_true": 0, "a": 0}\n{"y_true": 1, "a": 1}', gzip.compress(CSV, mtime=0)],
    ids=["csv", "tsv", "jsonl", "gz"],
)  # fmt: skip
def test_the_kind_of_a_pipe_is_determined_by_its_first_bytes(tmp_path, content):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    preds = read_predictions(pipe)
    writer.join()
    assert preds.y_true.tolist() == preds.labels[preds.predicted("a")].tolist() == [0, 1]


def peak_of(call):
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="inflates to over 100 times its"):
            call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_archives_that_inflate_out_of_proportion_are_refused_before_they_do(tmp_path):
    path = tmp_path / "bomb.npz"
    zeros = np.zeros(120_000_000, dtype=np.int8)
    np.savez_compressed(path, y_true=zeros, a=zeros[:9])
    assert peak_of(lambda: read_predictions(path)) < 5_000_000


def test_tables_that_inflate_out_of_proportion_are_refused(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"y_true,a\n" + b"0,0\n" * 30_000_000, compresslevel=1))
    assert peak_of(lambda: read_predictions(path)) < 256_000_000


@needs("texts")
def test_an_empty_answer_is_an_answer(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("y_true,talks,silent\na b,a b,\nc,d,\n42,42,\n")
    preds = read_predictions(path, kind="texts", missing="drop")
    assert preds.output("silent").array.tolist() == ["", "", ""]
    assert preds.output("talks").array.tolist() == ["a b", "d", "42"]


def test_a_cell_may_be_long(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"y_true,a\n{'x' * 200_000},b\nb,b\n")
    assert len(read_predictions(path).y_true[0]) == 200_000


def test_a_named_index_of_parquet_is_a_column(tmp_path):
    path = tmp_path / "t.parquet"
    frame = pd.DataFrame({"id": ["p", "q"], "y_true": [0, 1], "a": [0, 1]})
    frame.set_index("id").to_parquet(path)
    assert read_predictions(path).ids.tolist() == ["p", "q"]


def test_large_ids_beside_missing_cells_are_not_rounded(tmp_path):
    large = [2**53, 2**53 + 1, 2**53 + 2]
    frame = pd.DataFrame(
        {"y_true": pd.array(large, "Int64"), "a": pd.array([*large[:2], None], "Int64")}
    )
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.warns(UserWarning, match="left out 1 of 3"):
        preds = read_predictions(tmp_path / "t.parquet", missing="drop")
    assert preds.y_true.tolist() == large[:2]


@pytest.mark.parametrize("role", ["groups", "strata", "id"])
def test_a_missing_cell_among_numbers_is_no_number(tmp_path, role):
    path = tmp_path / "t.csv"
    path.write_text("y_true,a,b,of\n1,1,1,5\n2,1,2,\n1,1,2,7\n")
    with pytest.raises(ValueError, match="has missing values in 1 row \\(row 1\\)"):
        read_predictions(path, models=["a", "b"], columns={role: "of"})


def test_a_missing_cell_among_numbers_is_in_no_subgroup(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("y_true,a,b,of\n1,1,1,5\n2,1,2,\n1,1,2,7\n")
    found = read_predictions(path, models=["a", "b"], columns={"slices": ["of"]}).slices["of"]
    assert found.isna().tolist() == [False, True, False]


def test_a_column_of_missing_cells_is_no_role(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("y_true,a,of\n1,1,\n2,1,\n")
    with pytest.raises(ValueError, match="`groups` has missing values in 2 rows"):
        read_predictions(path, models=["a"], columns={"groups": "of"})


def test_labels_of_logs_and_tables_keep_their_kind_of_number(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("y_true,a\n1.10,1.1\n1.1,1.10\n2.0,2.0\n")
    assert read_predictions(path).output("a").kind == "values"
    assert read_predictions(path, kind="labels").labels.tolist() == ["1.1", "1.10", "2.0"]


def test_one_model_of_a_wide_table_is_read_without_the_others(tmp_path):
    path = tmp_path / "t.csv"
    names = [f"m{place}" for place in range(100)]
    path.write_text(
        "\n".join(
            [",".join(["y_true", *names]), *[",".join("01" * 50 + "0")] * 2, "1" + ",1" * 100]
        )
    )
    assert read_predictions(path, models=["m5"]).models == ("m5",)
    assert len(read_predictions(path).models) == 100


def test_a_table_does_not_stay_in_memory_until_garbage_is_collected(tmp_path):
    path = tmp_path / "t.csv"
    pd.DataFrame({"y_true": list("ab") * 20, "cnn": list("aabb") * 10}).to_csv(path, index=False)
    gc.collect()
    gc.disable()
    try:
        before = sum(isinstance(each, pd.DataFrame) for each in gc.get_objects())
        read_predictions(path)
        assert sum(isinstance(each, pd.DataFrame) for each in gc.get_objects()) == before
    finally:
        gc.enable()
