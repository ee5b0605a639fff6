"""Files of every kind, and every message about files that do not fit."""

import gzip
import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

import modelcompare as mc
from modelcompare import read_predictions
from modelcompare.data.checks import DataWarning
from tests.plugged import needs

FRAME = pd.DataFrame(
    {"id": ["p", "q", "r", "s"], "y_true": ["no", "yes", "yes", "no"],
     "cnn": ["no", "yes", "no", "no"], "bow": ["yes", "yes", "yes", "no"]}
)  # fmt: skip
PROBS = pd.DataFrame(
    {"y_true": ["no", "yes", "yes"], "cnn:no": [0.75, 0.5, 0.25], "cnn:yes": [0.25, 0.5, 0.75],
     "bow:no": [0.5, 0.25, 0.25], "bow:yes": [0.5, 0.75, 0.75]}
)  # fmt: skip


def write(frame, path):
    kind = path.name.split(".", 1)[1]
    if kind == "parquet":
        frame.to_parquet(path)
    elif kind.startswith("jsonl"):
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, sep="\t" if kind.startswith("tsv") else ",", index=False)
    return path


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "tsv", "tsv.gz", "parquet", "jsonl", "jsonl.gz"])
def test_every_kind_of_file_holds_the_same(tmp_path, kind):
    preds = read_predictions(write(FRAME, tmp_path / f"table.{kind}"))
    assert preds.models == ("cnn", "bow")
    assert preds.labels.tolist() == ["no", "yes"]
    assert preds.ids.tolist() == ["p", "q", "r", "s"]
    assert preds.predicted("cnn").tolist() == [0, 1, 0, 0]
    assert preds.name == f"table.{kind}"


@pytest.mark.parametrize("source", [FRAME, pl.from_pandas(FRAME)], ids=["pandas", "polars"])
def test_frames(source):
    assert read_predictions(source).predicted("bow").tolist() == [1, 1, 1, 0]


def test_columns_of_probabilities(tmp_path):
    preds = read_predictions(write(PROBS, tmp_path / "probs.csv"))
    assert preds.models == ("cnn", "bow")
    assert preds.probabilities("cnn").tolist() == [[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]]


def test_named_columns_play_their_parts(tmp_path):
    frame = FRAME.rename(columns={"y_true": "gold"}).assign(
        doc=[1, 1, 2, 2], lang=["en", "de", "en", "de"], w=[1.0, 2, 1, 2]
    )
    preds = read_predictions(
        write(frame, tmp_path / "t.csv"),
        columns={"true": "gold", "groups": "doc", "weight": "w", "slices": ["lang"]},
    )
    assert preds.models == ("cnn", "bow")
    assert preds.groups.tolist() == [1, 1, 2, 2]
    assert preds.sample_weight.tolist() == [1, 2, 1, 2]
    assert preds.slices["lang"].tolist() == ["en", "de", "en", "de"]


def test_without_true_labels_numbers_are_scores(tmp_path):
    frame = pd.DataFrame({"seg_id": [1, 2, 3], "a": [0.5, 1, 0], "b": [1, 1, 0.25]})
    preds = read_predictions(write(frame, tmp_path / "scores.tsv"), greater_is_better=False)
    assert preds.models == ("a", "b")
    assert preds.output("a").kind == "scores"
    assert preds.access.scores.greater_is_better is False
    with_truth = frame.assign(y_true=[0, 1, 0])
    scored = read_predictions(write(with_truth, tmp_path / "s.csv"), kind="scores")
    assert scored.output("b").array.tolist() == [1, 1, 0.25]


def test_na_and_null_may_be_labels(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("y_true,a\nNA,null\nnull,NA\n")
    assert read_predictions(path, na=[""]).labels.tolist() == ["NA", "null"]


@pytest.mark.parametrize("prefix", ["", "probs__"])
def test_archives_of_probabilities(tmp_path, prefix):
    path = tmp_path / "p.npz"
    probs = np.array([[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]])
    np.savez(path, y_true=[0, 1, 1], class_names=["no", "yes"], uid=["x", "y", "z"],
             groups=[1, 1, 2], **{f"{prefix}cnn": probs})  # fmt: skip
    preds = read_predictions(path)
    assert preds.labels.tolist() == ["no", "yes"]
    assert preds.y_true.tolist() == ["no", "yes", "yes"]
    assert preds.ids.tolist() == ["x", "y", "z"]
    assert preds.groups.tolist() == [1, 1, 2]
    np.testing.assert_array_equal(preds.probabilities("cnn"), probs)


def test_archives_of_logits_labels_and_scores(tmp_path):
    path = tmp_path / "p.npz"
    np.savez(path, y_true=[0, 1], logits__a=[[5.0, 5.0], [0.0, 0.0]], pred__b=[1, 1])
    preds = read_predictions(path)
    assert preds.probabilities("a").tolist() == [[0.5, 0.5]] * 2
    assert preds.predicted("b").tolist() == [1, 1]
    np.savez(path, scores__a=[0.5, 1], scores__b=[1, 2.0], domain=["x", "y"])
    preds = read_predictions(path)
    assert preds.models == ("a", "b")
    assert preds.slices["domain"].tolist() == ["x", "y"]


def per_model(tmp_path, **frames):
    return [write(frame, tmp_path / f"{name}.csv") for name, frame in frames.items()]


ONE = pd.DataFrame({"id": [1, 2, 3], "y_true": ["a", "b", "b"], "y_pred": ["a", "b", "a"]})


def test_one_file_per_model_is_aligned_by_id(tmp_path):
    turned = ONE.iloc[::-1].assign(y_pred=["b", "b", "b"])
    preds = read_predictions(per_model(tmp_path, cnn=ONE, bow=turned))
    assert preds.models == ("cnn", "bow")
    assert preds.ids.tolist() == [1, 2, 3]
    assert preds.predicted("bow").tolist() == [1, 1, 1]
    named = read_predictions({"first": tmp_path / "cnn.csv", "second": tmp_path / "bow.csv"})
    assert named.models == ("first", "second")


def test_one_file_per_model_with_probabilities_in_any_order(tmp_path):
    a = ONE.drop(columns="y_pred").assign(
        **{"prob:a": [0.75, 0.5, 0.25], "prob:b": [0.25, 0.5, 0.75]}
    )
    b = a[["id", "prob:b", "prob:a"]]
    preds = read_predictions(per_model(tmp_path, a=a, b=b))
    np.testing.assert_array_equal(preds.probabilities("a"), preds.probabilities("b"))
    named = read_predictions(per_model(tmp_path, a=a, b=b), columns={"pred": "prob:a"})
    np.testing.assert_array_equal(named.probabilities("a"), preds.probabilities("a"))


def test_intersect_keeps_the_common_ids_and_counts_those_left_out(tmp_path):
    files = per_model(tmp_path, cnn=ONE, bow=ONE.assign(id=[2, 3, 4]))
    (tmp_path / "bow.csv").write_text("id,y_true,y_pred\n2,b,b\n3,b,b\n4,a,a\n")
    with pytest.warns(
        DataWarning, match="kept the 2 ids that all files share; left out 1 of cnn, 1 of bow"
    ):
        preds = read_predictions(files, ids="intersect")
    assert preds.ids.tolist() == [2, 3]


@needs("logs")
def test_logs_of_the_evaluation_harness(tmp_path):
    for model, scores in (("a", [1, 0, 1]), ("b", [1, 1, 1])):
        rows = [{"doc_id": i, "target": "x", "filtered_resps": ["x"], "acc": s, "len": 3.0}
                for i, s in enumerate(scores)]  # fmt: skip
        (tmp_path / f"{model}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    preds = read_predictions([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])
    assert preds.access.scores.names == ("acc", "len")
    assert preds.output("a").array.tolist() == [[1, 3], [0, 3], [1, 3]]
    by_length = read_predictions(
        [tmp_path / "a.jsonl", tmp_path / "b.jsonl"], columns={"score": "len"}
    )
    assert by_length.access.scores.names == ("len",)
    assert by_length.output("a").array.ravel().tolist() == [3, 3, 3]
    with pytest.raises(ValueError, match=r"there is no score 'bleu'; there are acc, len"):
        read_predictions([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], columns={"score": "bleu"})


def test_missing_cells_are_refused_or_dropped(tmp_path):
    holed = FRAME.assign(cnn=["no", None, "no", None])
    path = write(holed, tmp_path / "t.csv")
    with pytest.raises(ValueError, match=r"cnn.*2.*missing"):
        read_predictions(path)
    with pytest.warns(DataWarning, match="2"):
        preds = read_predictions(path, missing="drop")
    assert preds.ids.tolist() == ["p", "r"]


def damaged(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "t.csv: the file is empty."),
        ("t.csv", b"y_true,a\n", "t.csv: the file has a header and no rows."),
        ("t.csv", b"y_true,a,a\n1,2,3\n", "t.csv: column 'a' occurs twice."),
        ("t.csv", b"y_true,a\n1,2\n1,2,3\n", "t.csv: rows of different lengths ("),
        ("t.csv.gz", gzip.compress(b"y_true,a\n1,2\n", mtime=0)[:-9], "t.csv.gz: the file is damaged or cut"),
        ("t.xls", b"x", "t.xls: unknown file type .xls; known are .csv, .tsv, .parquet, "
         ".jsonl, .npz, .json, .eval, .xlsx, .txt, also with .gz."),
        ("t.foo", b"one text\nand another\n", "t.foo: unknown file type .foo;"),
        ("t.bin", b"\x00\xff", "t.bin: unknown file type .bin;"),
        ("t", b"x", "t: unknown file type (no suffix)"),
        ("t.jsonl", b'{"a": 1}\n{"a": \n', "t.jsonl: line 2 is not JSON ("),
        ("t.jsonl", b"[1]\n", "t.jsonl: line 1 is not a JSON object."),
        ("t.parquet", b"PAR1 no", "t.parquet: not a readable Parquet file ("),
        ("t.npz", b"PK no", "t.npz"),
        ("t.csv", b"y_true,a\n\xff\xfe,2\n", "t.csv: the file is damaged or cut short ("),
    ],
)  # fmt: skip
def test_files_that_cannot_be_read(tmp_path, name, content, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        read_predictions(damaged(tmp_path, name, content))


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.csv: there is no such file\."):
        read_predictions(tmp_path / "nothing.csv")
    with pytest.raises(ValueError, match="has no file of a known kind; name the files"):
        read_predictions(tmp_path)
    with pytest.raises(ValueError, match="no file named"):
        read_predictions([])
    with pytest.raises(TypeError, match="`source` must be a path, several paths, or a data frame"):
        read_predictions(3)


def test_pickles_are_never_loaded(tmp_path):
    path = tmp_path / "p.npz"
    np.savez(path, y_true=np.array(["a", None], dtype=object), a=np.array([1, 2]))
    with pytest.raises(ValueError, match="has pickled objects, which are never loaded"):
        read_predictions(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": {"true": "gould"}}, "gould"),
        ({"models": ["cnnn"]}, "cnnn"),
    ],
)
def test_absent_columns_are_named(tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        read_predictions(write(FRAME, tmp_path / "t.csv"), **options)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (ONE.assign(id=[1, 2, 2]), "the file of model 'bow' repeats 1 ids (2); each sample must occur "
         "once, or once in each run (--read run=COLUMN); number repeated answers of one model in a "
         "column attempt."),
        (ONE.iloc[:2], "the file of model 'bow' lacks 1 ids of 'cnn' (3); keep the 2 common ids with "
         "ids='intersect' (--read ids=intersect)."),
        (ONE.assign(id=[2, 3, 4], y_true=["b", "b", "a"]), "the file of model 'bow' lacks 1 ids of "
         "'cnn' (1) and has 1 ids that 'cnn' lacks (4); keep the 2 common ids with ids='intersect' "
         "(--read ids=intersect)."),
        (ONE.assign(y_true=["b", "b", "b"]), "the files of 'cnn' and 'bow' disagree on y_true for 1 "
         "ids (1)."),
        (ONE.drop(columns="y_pred"), "the file of model 'bow' has neither predictions nor "
         "scores (its columns: id, y_true); name the column of the model's outputs with "
         "columns={'pred': 'COLUMN'} (--read pred=COLUMN), or of its scores with columns={'score': "
         "'COLUMN'} (--read score=COLUMN)."),
        (ONE.drop(columns="id"), "the file of model 'bow' has no column that names the samples (id, "
         "item, image, ...); files are aligned by id, so name it with columns={'id': 'COLUMN'} "
         "(--id COLUMN)."),
    ],
)  # fmt: skip
def test_files_of_models_that_do_not_fit_together(tmp_path, other, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        read_predictions(per_model(tmp_path, cnn=ONE, bow=other))


def test_a_header_of_several_lines_after_blank_ones_is_read(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b'\xef\xbb\xbf\r\n\r\n"y_true",a,"b\r\nagain"\r\nx,x,y\r\n\r\ny,y,"y"\r\n')
    preds = read_predictions(path)
    assert preds.models == ("a", "b\r\nagain")
    assert preds.access.codes.tolist() == [0, 1]
    assert preds.predicted("b\r\nagain").tolist() == [1, 1]


def test_the_order_of_logits_in_an_archive_is_that_of_the_logits(tmp_path):
    truth = np.arange(40) % 2
    logits = np.stack([np.zeros(40), 100 + np.arange(40) * (-1.0) ** truth], axis=1)
    np.savez(tmp_path / "p.npz", y_true=truth, logits__a=logits)
    preds = read_predictions(tmp_path / "p.npz")
    assert preds.probabilities("a")[:, 1].min() == 1.0
    result = mc.compare(preds, "roc_auc", n_resamples=99)
    assert result.scores["estimate"].item() == roc_auc_score(truth, logits[:, 1])
    np.savez(tmp_path / "p.npz", y_true=truth, logits__a=logits[:, 1])
    of_second = read_predictions(tmp_path / "p.npz")
    np.testing.assert_array_equal(of_second.probabilities("a"), preds.probabilities("a"))
    np.testing.assert_array_equal(of_second.output("a").order, logits[:, 1])


def test_files_of_one_name_are_named_once(tmp_path):
    paths = {model: tmp_path / model / "stated.csv" for model in "ab"}
    for path in paths.values():
        path.parent.mkdir()
        path.write_text("id,y_true,y_pred\n1,x,x\n2,y,x\n", encoding="utf-8")
    assert mc.read_predictions(paths).name == "stated.csv"
    other = paths["b"].rename(tmp_path / "b" / "other.csv")
    assert mc.read_predictions({**paths, "b": other}).name == "stated.csv, other.csv"


@needs("runs")
def test_clusters_may_be_in_a_column_called_group(tmp_path):
    rows = [
        {"model": model, "id": i, "group": f"g{i // 2}", "run": run, "score": i * k / 8}
        for k, model in enumerate(("a", "b"))
        for run in (1, 2)
        for i in range(4)
    ]
    one_run = pd.DataFrame(rows).query("run == 1").drop(columns="run")
    for frame, n_runs in ((one_run, 1), (pd.DataFrame(rows), 2)):
        frame.to_csv(tmp_path / "t.csv", index=False)
        preds = read_predictions(tmp_path / "t.csv", columns={"groups": "group"})
        assert preds.groups.tolist() == ["g0", "g0", "g1", "g1"] * n_runs


def test_an_answer_key_of_a_csv_may_number_the_samples(tmp_path):
    (tmp_path / "t.csv").write_text(
        "model,id,y_true,y_pred\n"
        "a,1,,x\na,2,,y\na,10,,x\nb,1,,y\nb,2,,y\nb,10,,x\n,1,x,\n,2,y,\n,10,y,\n"
    )
    preds = read_predictions(tmp_path / "t.csv")
    assert preds.ids.tolist() == [1, 2, 10]
    assert preds.y_true.tolist() == ["x", "y", "y"]


def test_files_without_a_common_id_ask_for_the_ids(tmp_path):
    for name, ids in (("a", range(5)), ("b", range(10, 15))):
        frame = pd.DataFrame({"id": ids, "y_true": [0, 1, 0, 1, 0], "y_pred": [0, 1, 1, 1, 0]})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    with pytest.raises(ValueError, match="they have no id in common: name the column of ids"):
        read_predictions([tmp_path / "a.csv", tmp_path / "b.csv"])
