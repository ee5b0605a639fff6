"""Equal rows of labels are converted once; the blocks are those of rows converted one by one."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.plugins.large import blocks as source_rows
from modelcompare.plugins.large.coded import Coded
from tests.small_blocks import ROW_BLOCK

pa = pytest.importorskip("pyarrow")
ds = pytest.importorskip("pyarrow.dataset")
pq = pytest.importorskip("pyarrow.parquet")
pytestmark = pytest.mark.usefixtures("small_blocks")

N = ROW_BLOCK + 2_000


def texts(type_of_text=None):
    rng = np.random.default_rng(0)
    cells = {c: rng.choice(["no", "yes", "?"], N) for c in ("y_true", "a", "b")}
    cells["b"][-1] = "later"
    table = pa.table({"item": np.arange(N), **cells})
    if type_of_text is None:
        return table
    fields = [(c, type_of_text if c in cells else pa.int64()) for c in table.column_names]
    return table.cast(pa.schema(fields))


def numbers():
    rng = np.random.default_rng(1)
    return pa.table({c: rng.integers(0, 3, N).astype(np.int8) for c in ("y_true", "a")})


TABLES = {
    "texts": texts,
    "long texts": lambda: texts(pa.large_string()),
    "categories": lambda: texts(pa.dictionary(pa.int8(), pa.string())),
    "numbers": numbers,
    "truth values": lambda: pa.table({c: np.arange(N) % k == 0 for c, k in (("y_true", 3), ("a", 2))}),
}  # fmt: skip


def in_file(table, folder):
    pq.write_table(table, folder / "x.parquet", row_group_size=1_500)
    return folder / "x.parquet"


SOURCES = {
    "a file": in_file,
    "a Dataset of tables": lambda table, _: ds.dataset(table),
    "lazy polars": lambda table, _: pytest.importorskip("polars").from_arrow(table).lazy(),
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("source", SOURCES)
def test_blocks_are_those_of_rows_converted_one_by_one(kind, source, tmp_path, monkeypatch):
    table = TABLES[kind]()
    models = [name for name in ("a", "b") if name in table.column_names]
    scan = mc.io.scan_predictions(SOURCES[source](table, tmp_path), models=models)
    blocks = [*scan.access.blocks()]
    looked_up = scan._kept["coded"]
    assert looked_up is not None
    monkeypatch.setitem(scan._kept, "coded", None)
    for block, plain in zip(blocks, scan.access.blocks(), strict=True):
        assert block.labels.tolist() == plain.labels.tolist()
        assert block.y_true.tolist() == plain.y_true.tolist()
        assert block.y_true.dtype == plain.y_true.dtype
        assert repr(block) == repr(plain)
        for model in scan.models:
            assert block.output(model).array.tobytes() == plain.output(model).array.tobytes()
    whole = mc.read_predictions(table, models=models)
    one, other = (mc.io.sketch(each, "f1") for each in (scan, whole))
    for key, found in one.numbers.items():
        assert found.tobytes() == other.numbers[key].tobytes()


def test_rows_that_were_not_counted_are_left_to_the_reader():
    rows = pa.table({"y_true": ["no", "yes"], "a": ["no", "no"]})
    preds = mc.Predictions(["no", "yes"], {"a": ["no", "no"]})
    coded = Coded.of(rows, preds)
    assert coded.predictions(rows.slice(1)).y_true.tolist() == ["yes"]
    for cells in ({"y_true": ["no"], "a": ["yes"]}, {"y_true": [None], "a": ["no"]}):
        assert coded.predictions(pa.table(cells)) is None
    apart = pa.table({"y_true": ["no", "yes"], "a": ["no", "yes"]})
    coded = Coded.of(apart, mc.Predictions(["no", "yes"], {"a": ["no", "yes"]}))
    assert coded.predictions(pa.table({"y_true": ["no"], "a": ["yes"]})) is None


@pytest.mark.parametrize("sizes", [[20_000], [10, 5_000, 4_000, 11_000], [1] * 40])
def test_a_part_of_a_file_has_as_many_rows_as_those_before_it(sizes, tmp_path):
    frame = pd.DataFrame({"x": np.arange(sum(sizes))})
    for number, end in enumerate(np.cumsum(sizes)):
        part = frame[end - sizes[number] : end]
        pq.write_table(
            pa.Table.from_pandas(part), tmp_path / f"{number:02}.parquet", row_group_size=700
        )
    dataset = ds.dataset(tmp_path)
    tables = [part.to_table() for part in source_rows._parts(dataset, [])]
    assert pa.concat_tables(tables)["x"].to_pylist() == frame["x"].tolist()
    before = 0
    for table in tables[:-1]:
        assert max(before, ROW_BLOCK) <= table.num_rows + 700 <= max(before, ROW_BLOCK) + 1_400
        before += table.num_rows
