"""Files found by mutation: each is refused with a message, and nothing stays open."""

import io
import json
import re
import zipfile

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from tests.plugged import needs

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ROWS = [
    {"id": i, "y_true": "xyz"[i % 3], "model": model, "y_pred": "xyz"[i * k % 3]}
    for k, model in enumerate(("a", "b"), start=1)
    for i in range(12)
]
WIDE = pd.DataFrame({"y_true": [0, 1] * 6, "a": [0, 1] * 6, "b": [1, 1, 0] * 4})


@pytest.mark.parametrize("cell", [[1, 2], {"a": 1}, 10**30], ids=["list", "object", "long"])
@pytest.mark.parametrize("column", ["id", "y_true", "model", "y_pred"])
def test_a_cell_of_json_that_is_no_label_is_refused_by_its_column_or_read(tmp_path, column, cell):
    rows = [{**row} for row in ROWS]
    rows[5][column] = cell
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(ValueError, match=r"\.$|\?$") as caught:
        mc.read_predictions(path)
    assert caught.traceback[-1].path.is_relative_to(mc.__path__[0])


def test_a_list_among_true_labels_is_refused_with_missing_worst(tmp_path):
    rows = [{**row} for row in ROWS]
    rows[5]["y_true"], rows[7]["y_pred"] = ["x"], None
    path = tmp_path / "t.json"
    path.write_text(json.dumps(rows))
    with pytest.raises(ValueError, match="column 'y_true' contains lists or objects; give one"):
        mc.read_predictions(path, missing="worst")


@pytest.mark.parametrize(
    ("truth", "names", "message"),
    [
        (np.full((3, 2), 9), ["x", "y"], "probabilities that do not sum to 1"),
        (np.array([0, 1, 9]), [["x"], ["y"]], r"one-dimensional.*got shape \(2, 1\)"),
    ],
)
def test_a_truth_or_names_of_several_columns_index_nothing(tmp_path, truth, names, message):
    path = tmp_path / "t.npz"
    np.savez(path, y_true=truth, a=np.array([0, 1, 1]), labels=np.array(names))
    with pytest.raises(ValueError, match=message):
        mc.read_predictions(path)


def test_an_archive_without_its_first_bytes_is_damaged(tmp_path):
    path = tmp_path / "t.npz"
    np.savez(path, y_true=WIDE["y_true"], a=WIDE["a"])
    path.write_bytes(b"QQ" + path.read_bytes()[2:])
    with pytest.raises(ValueError, match=r"t\.npz: the file is damaged \(its first bytes are no"):
        mc.read_predictions(path)


@pytest.mark.parametrize("suffix", ["npz", pytest.param("eval", marks=needs("logs"))])
def test_an_archive_whose_members_have_no_names_is_damaged(suffix, tmp_path):
    path = tmp_path / f"t.{suffix}"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("\u00e9.npy", b"x")
    path.write_bytes(path.read_bytes().replace("\u00e9".encode(), b"\xff\xff"))
    with pytest.raises(ValueError, match=rf"t\.{suffix}.*\(.*utf-8"):
        mc.read_predictions(path)


def test_an_encrypted_archive_is_refused(tmp_path):
    path = tmp_path / "t.npz"
    np.savez(path, y_true=WIDE["y_true"], a=WIDE["a"])
    data = bytearray(path.read_bytes())
    # The flag of encryption, in the archive's directory of its members.
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"t\.npz is encrypted; save its arrays without a pass"):
        mc.read_predictions(path)


def test_a_first_row_that_is_longer_by_several_cells_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("y_true,a\n0,1,1,1\n1,1\n")
    with pytest.raises(ValueError, match=r"t\.csv: rows of different lengths \("):
        mc.read_predictions(path)


@needs("large")
def test_texts_in_parquet_that_are_no_utf_8_are_refused(tmp_path):
    path = tmp_path / "t.parquet"
    texts = pa.array([b"x", b"\xff\xfe", b"y"] * 4).cast(pa.binary())
    strings = pa.Array.from_buffers(pa.string(), 12, texts.buffers())
    pq.write_table(pa.table({"y_true": [*"xyz"] * 4, "a": strings}), path)
    with pytest.raises(ValueError, match=r"t\.parquet: not a readable Parquet file \(.*UTF8"):
        mc.read_predictions(path)
    with pytest.raises(ValueError, match=r"t\.parquet: the rows cannot be read \(.*UTF8"):
        mc.io.scan_predictions(path).load()


@needs("large")
def test_headings_in_parquet_that_are_no_utf_8_are_refused(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"y_true": [0, 1] * 6, "QQQQ": [0, 1] * 6}), path, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"QQQQ", b"Q\xff\xfeQ"))
    with pytest.raises(ValueError, match=r"t\.parquet: .* \(.*utf-8.*\)"):
        mc.read_predictions(path)
    with pytest.raises(ValueError, match=r"t\.parquet: the rows cannot be read \(.*utf-8"):
        mc.io.scan_predictions(path)


@needs("large")
def test_a_sketch_whose_description_is_no_text_is_refused():
    frame = mc.io.sketch(mc.Predictions([0, 1, 1], {"a": [0, 1, 0]}), "accuracy").to_frame()
    frame["label"] = [f"{label}\udcff".encode(errors="surrogateescape") for label in frame["label"]]
    with pytest.raises(ValueError, match=r"the table is no complete sketch \(.*utf-8"):
        mc.io.read_sketch(frame)


@needs("large")
def test_rows_of_a_scan_that_are_damaged_are_refused(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.Table.from_pandas(WIDE), path, compression="none")
    data = bytearray(path.read_bytes())
    data[4:24] = b"\xff" * 20
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"t\.parquet: the rows cannot be read \("):
        mc.io.scan_predictions(path).load()


@needs("large")
@pytest.mark.parametrize(
    ("column", "value"), [("bucket", 8), ("bucket", -1), ("place", -1), ("place", 99), ("value", np.nan)]
)  # fmt: skip
def test_a_sketch_with_a_row_that_none_has_is_refused(column, value):
    preds = mc.Predictions(WIDE["y_true"], {m: WIDE[m] for m in "ab"})
    frame = mc.io.sketch(preds, "f1_macro", buckets=8).to_frame()
    frame.loc[3, column] = value
    with pytest.raises(
        ValueError, match=r"which a sketch of 8 buckets does not have|in column 'value'"
    ):
        mc.io.read_sketch(frame)


@needs("large")
def test_a_sketch_whose_description_is_cut_is_refused():
    frame = mc.io.sketch(mc.Predictions([0, 1, 1], {"a": [0, 1, 0]}), "accuracy").to_frame()
    frame.loc[0, "label"] = frame.loc[0, "label"][:50]
    with pytest.raises(
        ValueError, match=r"the table is no complete sketch \(.*\); sketch the predic"
    ):
        mc.io.read_sketch(frame)


@needs("large")
def test_a_sketch_of_more_samples_than_can_be_counted_is_refused():
    frame = mc.io.sketch(mc.Predictions([0, 1, 1], {"a": [0, 1, 0]}), "accuracy").to_frame()
    for value in (-1.0, 1e308):
        frame.loc[frame["statistic"].eq("samples").idxmax(), "value"] = value
        with pytest.raises(ValueError, match=r"counts \S+ samples in a bucket\.$"):
            mc.io.read_sketch(frame)


@needs("logs")
def test_a_grade_beyond_32_bits_is_no_judgement(tmp_path):
    pytest.importorskip("ir_measures")
    (tmp_path / "q.qrels").write_text("1 0 d1 1\n1 0 d2 99999999999999\n")
    (tmp_path / "a.run").write_text("1 Q0 d1 1 0.5 a\n1 Q0 d2 2 0.4 a\n")
    with pytest.raises(ValueError, match=r"q\.qrels"):
        mc.read_predictions([tmp_path / "q.qrels", tmp_path / "a.run"])


@needs("logs")
def test_a_grade_is_read_as_it_is_written(tmp_path):
    pytest.importorskip("ir_measures")
    run = "1 Q0 d1 1 0.5 a\n1 Q0 d2 2 0.4 a\n2 Q0 d1 1 0.5 a\n2 Q0 d2 2 0.4 a\n"
    (tmp_path / "a.run").write_text(run)
    found = []
    for grade in ("100", "1e2"):
        (tmp_path / "q.qrels").write_text(f"1 0 d1 {grade}\n1 0 d2 1\n2 0 d1 1\n2 0 d2 0\n")
        read = mc.read_predictions([tmp_path / "q.qrels", tmp_path / "a.run"])
        found.append(read.output(read.models[0]).array)
    np.testing.assert_array_equal(*found)


def test_infinite_scores_are_refused_without_a_warning_of_numpy(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{i % 3 / 3},{'inf' if i == 7 else i % 9}\n" for i in range(40))
    path.write_text(f"a,b\n{rows}")
    with pytest.raises(ValueError, match="model 'b' is NaN or infinite in 1 row"):
        mc.read_predictions(path)


@pytest.mark.filterwarnings("error::ResourceWarning")
def test_no_archive_stays_open_beside_one_that_is_refused(tmp_path):
    whole = b"PK\x03\x04" + b"\0" * 40
    for name in ("a.eval", "b.eval"):
        (tmp_path / name).write_bytes(whole)
    (tmp_path / "c.eval").write_bytes(b"no archive")
    with pytest.raises(ValueError, match=r"[abc]\.eval"):
        mc.read_predictions([tmp_path / name for name in ("a.eval", "b.eval", "c.eval")])


def test_models_that_are_numbers_are_named_by_texts_and_some_row_names_one(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(json.dumps(row | {"model": ord(row["model"])}) for row in ROWS))
    assert mc.read_predictions(path, columns={"model": "model"}).models == ("97", "98")
    path.write_text("\n".join(json.dumps(row | {"model": None}) for row in ROWS))
    with pytest.raises(ValueError, match=r"t\.jsonl names no model in any row; write which"):
        mc.read_predictions(path, columns={"model": "model"})


def test_an_id_of_several_lines_is_named_in_one(tmp_path):
    for model, last in (("a", "5"), ("b", '"5\n6\n7"')):
        (tmp_path / f"{model}.csv").write_text(f"id,y_true,y_pred\n1,x,x\n2,y,x\n{last},x,y\n")
    with pytest.raises(ValueError, match=r"the file of model 'b'") as caught:
        mc.read_predictions([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert "\n" not in str(caught.value)


def test_an_archive_packed_in_an_unknown_way_is_refused(tmp_path):
    path = tmp_path / "t.npz"
    np.savez(path, y_true=[0, 1, 0], a=[0, 1, 1])
    data = bytearray(path.read_bytes())
    place = data.index(b"PK\x01\x02")
    data[place + 10] = 99
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"t\.npz: the file is damaged or cut short \("):
        mc.read_predictions(path)


def test_a_model_without_any_id_is_refused():
    rows = [row if row["model"] == "a" else row | {"id": None} for row in ROWS]
    with pytest.raises(ValueError, match=r"the file of model 'b' lacks 12 ids\.$"):
        mc.read_predictions(pd.DataFrame(rows), columns={"id": "id", "model": "model"})


def npz_with_header(path, header):
    """An archive whose second array has another header; its numbers are 12 of 8 bytes."""
    plain, held = io.BytesIO(), io.BytesIO()
    np.save(plain, np.arange(12) % 2)
    held.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode("latin1"))
    held.write(plain.getvalue()[-96:])
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("y_true.npy", plain.getvalue())
        archive.writestr("a.npy", held.getvalue())


@pytest.mark.parametrize(
    "shape", ["(13,)", "(11,)", "(99999999999,)", "(-1,)", "(True, 3)", "(0,)"]
)
def test_an_array_that_does_not_have_the_size_in_its_header_is_damaged(tmp_path, shape):
    path = tmp_path / "t.npz"
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}\n"
    npz_with_header(path, header)
    message = rf"t\.npz: the file is damaged \('a' is not of its shape {re.escape(shape)}\)\."
    with pytest.raises(ValueError, match=message):
        mc.read_predictions(path)


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<i8', 'fortran_order': False, 'shape': (1.5,), }\n",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (12,), \n",
        "{'descr': '<i8', 'fortran_order': False, 'shape': ('a',), }\n",
        "{'descr': None, 'fortran_order': 3, 'shape': (12,), }\n",
        "{'descr': ('<i8', (2, 'a')), 'fortran_order': False, 'shape': (12,), }\n",
        "{" * 300,
        "(" * 300,
        "\x00",
    ],
)
def test_a_header_that_numpy_cannot_parse_is_refused_by_the_name_of_the_array(tmp_path, header):
    path = tmp_path / "t.npz"
    npz_with_header(path, header)
    with pytest.raises(ValueError, match=r"t\.npz: a\.npy in it is no array of numpy \("):
        mc.read_predictions(path)
