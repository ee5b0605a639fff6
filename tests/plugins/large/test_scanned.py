"""A scan gives the rows of its source, in their order and with all classes."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from tests.small_blocks import ROW_BLOCK

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pytestmark = pytest.mark.usefixtures("small_blocks")


def soft_table(n: int, seed: int = 0) -> pd.DataFrame:
    """Three classes, two models' probabilities."""
    rng = np.random.default_rng(seed)
    columns: dict[str, object] = {"y_true": rng.integers(0, 3, n)}
    for model in "ab":
        p = rng.dirichlet([1, 1, 1], n)
        columns |= {f"{model}:{j}": p[:, j] for j in range(3)}
    return pd.DataFrame(columns)


def joined(blocks, of):
    return np.concatenate([of(block) for block in blocks])


@pytest.fixture(scope="module")
def table():
    return soft_table(2 * ROW_BLOCK + 1)


def write(frame, path, row_group_size=None):
    pq.write_table(pa.Table.from_pandas(frame), path, row_group_size=row_group_size)
    return path


def in_files(frame, folder):
    size = len(frame) // 3 + 1
    for number, start in enumerate(range(0, len(frame), size)):
        write(frame.iloc[start : start + size], folder / f"part-{number}.parquet", 7_000)
    return folder


SOURCES = {
    "a file": lambda frame, folder: write(frame, folder / "x.parquet"),
    "its path as a text": lambda frame, folder: str(write(frame, folder / "x.parquet")),
    "small row groups": lambda frame, folder: write(frame, folder / "x.parquet", 1_000),
    "a folder": in_files,
    "a pattern": lambda frame, folder: f"{in_files(frame, folder)}/part-*.parquet",
    "a URL": lambda frame, folder: f"file://{write(frame, folder / 'x.parquet')}",
    "a pattern in a URL": lambda frame, folder: f"file://{in_files(frame, folder)}/*.parquet",
    "several files": lambda frame, folder: sorted(in_files(frame, folder).iterdir()),
    "a Dataset": lambda frame, folder: pytest.importorskip("pyarrow.dataset").dataset(
        write(frame, folder / "x.parquet")
    ),
    "a table": lambda frame, _: pa.Table.from_pandas(frame),
    "a frame": lambda frame, _: frame,
    "lazy polars": lambda frame, folder: pytest.importorskip("polars").scan_parquet(
        write(frame, folder / "x.parquet")
    ),
    "a relation of DuckDB": lambda frame, folder: pytest.importorskip("duckdb").sql(
        f"from '{write(frame, folder / 'x.parquet')}'"
    ),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_blocks_have_the_rows_in_order_for_every_source(kind, table, tmp_path):
    scan = mc.io.scan_predictions(SOURCES[kind](table, tmp_path))
    blocks = list(scan.access.blocks())
    assert [len(block) for block in blocks] == [ROW_BLOCK, ROW_BLOCK, 1]
    assert len(scan) == len(table)
    np.testing.assert_array_equal(joined(blocks, lambda b: b.access.codes), table["y_true"])
    for model in "ab":
        outputs = joined(blocks, lambda b, model=model: b.probabilities(model))
        np.testing.assert_array_equal(outputs, table[[f"{model}:{j}" for j in range(3)]])


def test_every_block_knows_the_classes_that_only_another_block_holds():
    true = ["no", "yes"] * ROW_BLOCK + ["perhaps"]
    frame = pd.DataFrame({"y_true": true, "a": ["never", *true[1:]], "b": true})
    scan = mc.io.scan_predictions(frame)
    expected = ["never", "no", "perhaps", "yes"]
    assert scan.labels.tolist() == expected
    assert [block.labels.tolist() for block in scan.access.blocks()] == [expected] * 3
    assert [*joined(scan.access.blocks(), lambda b: b.labels[b.access.codes])] == true


SORTED = ["no"] * (ROW_BLOCK + 9) + ["yes"] * (ROW_BLOCK + 9)


@pytest.mark.parametrize("n_models", [2, 20])
def test_rows_that_are_sorted_by_their_class_are_read(n_models):
    rng = np.random.default_rng(0)
    outputs = {f"m{i}": rng.choice(["no", "yes"], len(SORTED)) for i in range(n_models)}
    # Columns that say other things than the first rows' truth are not guessed to be models.
    scan = mc.io.scan_predictions(pd.DataFrame({"y_true": SORTED, **outputs}), models=[*outputs])
    assert scan.labels.tolist() == ["no", "yes"]


def test_probabilities_of_rows_that_are_sorted_by_their_class_are_read():
    true, rng = SORTED, np.random.default_rng(0)
    soft = pd.DataFrame({"y_true": true, "a": rng.random(len(true))})
    for positive, order in ((None, ["no", "yes"]), ("no", ["yes", "no"])):
        memory = mc.read_predictions(soft, positive=positive)
        scan = mc.io.scan_predictions(soft, models=["a"], positive=positive)
        assert scan.labels.tolist() == memory.labels.tolist() == order
        assert scan.access.positive == memory.access.positive == order[1]
        outputs = joined(scan.access.blocks(), lambda b: b.probabilities("a"))
        np.testing.assert_array_equal(outputs, memory.probabilities("a"))
    named = soft.assign(y_true=soft["y_true"].map({"no": "ok", "yes": "fraud"}))
    with pytest.raises(
        ValueError, match=r"pass positive='fraud' \(--positive fraud\) or positive='ok'"
    ):
        mc.io.scan_predictions(named, models=["a"])
    scan = mc.io.scan_predictions(named, models=["a"], positive="fraud")
    assert scan.labels.tolist() == ["ok", "fraud"]
    # Each block has both classes in this order, whichever of them its rows have.
    assert {*next(scan.access.blocks()).access.codes} == {
        0,
        1,
    } or scan.access.head.labels.tolist() == ["ok", "fraud"]


def test_models_that_are_not_named_add_no_class():
    true = ["no", "yes"] * 50
    frame = pd.DataFrame({"y_true": true, "a": true, "b": ["perhaps", "yes"] * 50})
    scan = mc.io.scan_predictions(frame, models=["a"])
    assert scan.models == ("a",)
    assert scan.labels.tolist() == mc.read_predictions(frame, models=["a"]).labels.tolist()


def test_labels_that_do_not_match_are_refused_as_in_memory():
    frame = pd.DataFrame({"y_true": ["no", "yes"] * 50, "a": ["nope", "yep"] * 50})
    for read in (mc.read_predictions, mc.io.scan_predictions):
        with pytest.raises(ValueError, match="do not match"):
            read(frame, models=["a"])


def test_some_models_are_read_without_the_columns_of_the_others(table):
    scan = mc.io.scan_predictions(table)["b"]
    assert scan.models == ("b",)
    assert scan._layout.needed == ["y_true", "b:0", "b:1", "b:2"]
    outputs = joined(scan.access.blocks(), lambda b: b.probabilities("b"))
    np.testing.assert_array_equal(outputs, table[["b:0", "b:1", "b:2"]])


def test_a_subset_is_cut_into_blocks_of_its_own(table):
    rows = np.arange(1, len(table), 3)
    part = mc.io.scan_predictions(table).subset(rows)
    assert len(part) == len(rows)
    codes = joined(part.access.blocks(), lambda b: b.access.codes)
    np.testing.assert_array_equal(codes, table["y_true"].to_numpy()[rows])
    again = part.subset(np.arange(0, len(rows), 2))
    codes = joined(again.access.blocks(), lambda b: b.access.codes)
    np.testing.assert_array_equal(codes, table["y_true"].to_numpy()[rows[::2]])


def test_memory_does_not_grow_with_the_rows(tmp_path):
    # The same rows in each block: what is read is as large.
    frame = pd.concat([soft_table(ROW_BLOCK)] * 48, ignore_index=True)
    scan = mc.io.scan_predictions(write(frame, tmp_path / "x.parquet", ROW_BLOCK))
    pool = pa.default_memory_pool()
    before = pool.bytes_allocated()
    held = [pool.bytes_allocated() - before for _ in scan.access.blocks()]
    assert len(held) == 48
    # Some blocks are read ahead, however many there are.
    assert max(held) < frame.memory_usage(index=False).sum() / 2


def test_loading_gives_what_reading_gives(table, tmp_path):
    path = write(table, tmp_path / "x.parquet")
    read, loaded = mc.read_predictions(path), mc.io.scan_predictions(path).load()
    assert repr(read) == repr(loaded)
    np.testing.assert_array_equal(read.probabilities("a"), loaded.probabilities("a"))


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("a:1", 5.0, "do not sum to 1 in 1 row \\(row 5000\\)"),
        ("b:0", -1.0, "negative probabilities in 1 row \\(row 5000\\)"),
        ("b:2", np.nan, "missing cells \\(b:2 1; first rows: 5000\\)"),
        ("y_true", 7, "unknown labels \\(7\\) in 1 row \\(row 5000\\)"),
    ],
)
def test_a_bad_row_is_reported_by_its_number_among_all(table, column, value, message):
    bad = table.copy()
    bad.loc[5_000, column] = value
    with pytest.raises(ValueError, match=message):
        list(mc.io.scan_predictions(bad).access.blocks())


def test_what_needs_all_rows_at_once_is_refused(table):
    scan = mc.io.scan_predictions(table)
    for ask in (
        lambda: scan.access.codes, lambda: scan.y_true, lambda: scan.probabilities("a"),
        lambda: scan.predicted("a"), lambda: scan.output("a"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"read block by block.*\.load\(\)"):
            ask()


def test_what_cannot_be_scanned_is_refused_at_the_door(tmp_path):
    csv = tmp_path / "x.csv"
    csv.write_text("y_true,a\n0,1\n")
    with pytest.raises(ValueError, match=r"cannot be read in parts.*write it as Parquet"):
        mc.io.scan_predictions(csv)
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        mc.io.scan_predictions(tmp_path / "none.parquet")
    with pytest.raises(ValueError, match="has no Parquet or Arrow file"):
        mc.io.scan_predictions(str(tmp_path / "*.parquet"))
    with pytest.raises(TypeError, match="lazy frame"):
        mc.io.scan_predictions(7)
    long = pd.DataFrame({"model": ["a", "b"] * 9, "item": [*range(9)] * 2, "score": [0.5] * 18})
    with pytest.raises(ValueError, match="a scan needs a row for each sample"):
        mc.io.scan_predictions(long)


def test_a_source_that_changed_since_is_refused(table, tmp_path):
    path = write(table, tmp_path / "x.parquet")
    scan = mc.io.scan_predictions(pytest.importorskip("pyarrow.dataset").dataset(path))
    assert len(scan) == len(table)
    object.__setattr__(scan.access.rows, "n_rows", len(table) + 5)
    with pytest.raises(ValueError, match="it changed while it was read"):
        list(scan.access.blocks())


def in_folders(table, folder, names):
    for name, rows in zip(names, np.array_split(np.arange(len(table)), len(names)), strict=True):
        (folder / name).mkdir()
        table.iloc[rows].to_parquet(folder / name / "part.parquet")
    return folder


@pytest.mark.parametrize("names", [("day=1", "day=2"), ("day=monday", "day=tuesday")])
def test_what_the_names_of_folders_say_is_no_model(table, tmp_path, names):
    scan = mc.io.scan_predictions(in_folders(table, tmp_path, names) / "*" / "*.parquet")
    assert scan.models == mc.io.scan_predictions(table).models
    assert len(scan) == len(table)


def test_columns_of_folder_names_may_be_models(table, tmp_path):
    folder = in_folders(table.astype({"y_true": str}), tmp_path, ["always=0"])
    assert mc.io.scan_predictions(folder, models=["always"], kind="labels").models == ("always",)


@pytest.mark.parametrize("names", [("x", "y"), ("0", "1"), ("0", "x")])
def test_a_model_whose_name_is_a_folders_is_not_left_out(tmp_path, names):
    truth = np.random.default_rng(0).integers(0, 2, 60)
    table = pd.DataFrame({"y_true": truth, "a": truth[::-1], "b": 1 - truth})
    folder = in_folders(table, tmp_path, [f"a={name}" for name in names])
    with pytest.raises(ValueError, match=f"folder is named a={names[0]}, .* column 'a' has") as no:
        mc.io.scan_predictions(folder)
    assert "name the models without it with models= (--model)" in str(no.value)
    assert mc.io.scan_predictions(folder, models=["b"]).models == ("b",)
