"""Frames of other libraries are read as the same table in pandas is."""

import datetime as dt
from decimal import Decimal

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import modelcompare as mc
from modelcompare.readers.tables import as_frame

FRAME = pl.DataFrame({
    "id": [2**60 + 1, 2**60 + 2, 2**60 + 3],
    "y_true": pl.Series(["no", "yes", "yes"], dtype=pl.Categorical),
    "cnn": pl.Series(["no", "no", "yes"], dtype=pl.Enum(["no", "yes"])),
    "bow:no": [Decimal("0.25"), Decimal("0.5"), Decimal("0.75")],
    "bow:yes": [0.75, 0.5, 0.25],
    "day": [dt.date(2020, 1, 2), dt.date(2020, 1, 2), dt.date(2020, 1, 3)],
})  # fmt: skip
TABLE = FRAME.to_arrow()
SOURCES = {
    "polars": FRAME,
    "polars lazy": FRAME.lazy(),
    "pyarrow": TABLE,
    "record batch": TABLE.combine_chunks().to_batches()[0],
    "duckdb": duckdb.from_arrow(TABLE),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_frames_are_read_with_their_types(source):
    preds = mc.read_predictions(source, columns={"slices": ["day"]})
    assert preds.models == ("cnn", "bow")
    assert preds.ids.tolist() == [2**60 + 1, 2**60 + 2, 2**60 + 3]
    assert preds.labels.tolist() == ["no", "yes"]
    assert preds.predicted("cnn").tolist() == [0, 0, 1]
    assert preds.probabilities("bow").tolist() == [[0.25, 0.75], [0.5, 0.5], [0.75, 0.25]]
    assert preds.slices["day"].tolist() == ["2020-01-02", "2020-01-02", "2020-01-03"]


def test_a_reader_of_batches_is_read_once():
    reader = pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches())
    assert (
        mc.read_predictions(reader, columns={"slices": ["day"]}).ids.tolist()
        == FRAME["id"].to_list()
    )


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table, lambda d: duckdb.from_arrow(pa.table(d))])
def test_whole_numbers_beside_missing_ones_are_exact(make):
    frame = as_frame(make({"big": [2**60 + 1, None], "small": [3, None], "said": ["a", None]}))
    assert frame["big"].dropna().tolist() == [2**60 + 1]
    assert frame["small"].dtype.kind == "f"
    assert frame.isna().sum().tolist() == [1, 1, 1]


def test_missing_cells_of_other_libraries_are_dropped_as_ever():
    frame = pl.DataFrame({"y_true": [1, 0, 1], "a": [1, None, 0]})
    with pytest.raises(ValueError, match="has missing cells \\(a 1; first rows: 1\\)"):
        mc.read_predictions(frame)
    with pytest.warns(UserWarning, match="left out 1 of 3 rows"):
        preds = mc.read_predictions(frame, missing="drop")
    assert preds.predicted("a").tolist() == [1, 0]


def test_scores_beside_missing_ones_are_scores():
    frame = pa.table({"a": [1, None, 0], "b": [0, 1, 1]})
    with pytest.warns(UserWarning, match="left out 1 of 3 rows"):
        preds = mc.read_predictions(frame, missing="drop")
    assert preds.output("a").array.tolist() == [1, 0]
