"""Files that were misread in silence, or refused for no reason."""

import gzip
import json
import sys

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare import read_predictions
from modelcompare.data import checks
from tests.plugged import needs


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_scores_in_an_archive_are_scores_though_it_has_labels(tmp_path):
    path = tmp_path / "s.npz"
    np.savez(path, y_true=np.arange(20) % 2, scores__cnn=(np.arange(20) % 4 > 0).astype(int))
    assert read_predictions(path).output("cnn").kind == "scores"
    np.savez(path, y_true=np.arange(4) % 2, scores__a=np.ones(4), pred__b=np.ones(4, int))
    with pytest.raises(ValueError, match="mixes scores__ arrays with predictions"):
        read_predictions(path)
    np.savez(path, y_true=np.arange(4) % 2, pred__a=np.ones(4, int), probs__a=np.ones((4, 2)) / 2)
    with pytest.raises(ValueError, match="several arrays of model 'a'"):
        read_predictions(path)


@needs("runs")
def test_an_id_that_repeats_is_no_model():
    frame = pd.DataFrame({"id": [1, 2, 3] * 2, "run": [0] * 3 + [1] * 3, "y_true": [1, 2, 3] * 2,
                          "m": [1, 2, 3, 1, 2, 2]})  # fmt: skip
    assert read_predictions(frame, columns={"runs": "run"}).models == ("m",)


def test_scores_of_one_file_per_model(tmp_path):
    for name in "ab":
        write(tmp_path / f"{name}.csv", "id,y_true,y_pred\n1,0,0.5\n2,1,0.25\n3,1,0.75\n")
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    preds = read_predictions(files, kind="scores", greater_is_better=False)
    assert preds.output("a").kind == "scores"
    assert not preds.access.scores.greater_is_better


def test_logs_keep_their_groups_and_weights(tmp_path):
    for name in "ab":
        rows = [{"doc_id": i, "target": "x", "filtered_resps": ["x"], "acc": i % 2, "g": i // 2, "w": 1.0}
                for i in range(6)]  # fmt: skip
        write(tmp_path / f"{name}.jsonl", "\n".join(map(json.dumps, rows)))
    preds = read_predictions([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], columns={"groups": "g", "weight": "w", "slices": ["g"]})  # fmt: skip
    assert preds.groups.tolist() == [0, 0, 1, 1, 2, 2]
    assert preds.sample_weight.tolist() == [1] * 6
    assert list(preds.slices) == ["g"]


def test_rows_longer_than_the_header_are_refused(tmp_path):
    path = write(tmp_path / "t.csv", "y_true,cnn,bow\n0,0,1,0\n1,1,1,1\n")
    with pytest.raises(ValueError, match=r"rows of different lengths \(the header has 3 cells"):
        read_predictions(path)


def test_quoted_headings_may_hold_commas(tmp_path):
    path = write(tmp_path / "t.csv", 'y_true,"m:x, a","m:b"\n"x, a",0.75,0.25\nb,0.5,0.5\n')
    assert read_predictions(path).labels.tolist() == ["b", "x, a"]
    path = write(tmp_path / "u.csv", 'y_true,"cnn",cnn\n0,1,1\n1,1,0\n')
    with pytest.raises(ValueError, match="'cnn' occurs twice"):
        read_predictions(path)


def test_true_and_false_and_digits_may_be_labels_among_others(tmp_path):
    path = write(tmp_path / "t.csv", "y_true,m\ntrue,true\nfalse,false\nmaybe,true\n")
    assert read_predictions(path).labels.tolist() == ["false", "maybe", "true"]
    path = write(tmp_path / "u.csv", "y_true,m\n1,1\n2,2\nother,2\n")
    assert read_predictions(path).predicted("m").tolist() == [0, 1, 1]
    path = write(tmp_path / "v.csv", "y_true,m:False,m:True\nTrue,0.25,0.75\nFalse,0.5,0.5\n")
    assert read_predictions(path).access.codes.tolist() == [1, 0]


def test_models_and_classes_may_hold_colons():
    frame = pd.DataFrame({"y_true": ["no", "yes"], "llama:7b:no": [0.5, 0.25], "llama:7b:yes": [0.5, 0.75],
                          "llama:13b:no": [0.9, 0.1], "llama:13b:yes": [0.1, 0.9]})  # fmt: skip
    assert read_predictions(frame).models == ("llama:7b", "llama:13b")
    frame = pd.DataFrame({"y_true": ["a:x", "b"], "m:a:x": [0.5, 0.25], "m:b": [0.5, 0.75]})
    assert read_predictions(frame).labels.tolist() == ["a:x", "b"]
    scores = pd.DataFrame({"gpt:4": [1, 0, 1], "bert:large": [0, 1, 1]})
    assert read_predictions(scores).models == ("gpt:4", "bert:large")
    texts = pd.DataFrame({"y_true": ["a", "b"], "gpt:4": ["a", "b"]})
    with pytest.raises(ValueError, match="column 'gpt:4' must contain probabilities"):
        read_predictions(texts)


def test_headings_take_the_type_of_the_truth(tmp_path):
    rows = [{"y_true": str(i % 2), "cnn:0": 0.5, "cnn:1": 0.5} for i in range(4)]
    path = write(tmp_path / "t.jsonl", "\ufeff" + "\n".join(map(json.dumps, rows)))
    assert read_predictions(path).labels.tolist() == ["0", "1"]
    frame = pd.DataFrame({"y_true": [True, False], "m:False": [0.5, 0.5], "m:True": [0.5, 0.5]})
    assert read_predictions(frame).labels.tolist() == [False, True]


def test_an_index_that_was_written_along_is_left_out(tmp_path):
    path = tmp_path / "t.csv"
    pd.DataFrame({"y_true": [0, 1, 1], "cnn": [0, 1, 0]}).to_csv(path)
    assert read_predictions(path).models == ("cnn",)


def test_missing_cells_of_one_file_per_model_can_be_dropped(tmp_path):
    write(tmp_path / "a.csv", "id,y_true,y_pred\n1,x,x\n2,y,\n3,y,y\n4,x,y\n")
    write(tmp_path / "b.csv", "id,y_true,y_pred\n1,x,x\n2,y,y\n3,,y\n4,x,x\n")
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    with pytest.warns(checks.DataWarning, match="left out 2 of 4 samples"):
        preds = read_predictions(files, missing="drop")
    assert preds.ids.tolist() == [1, 4]
    with pytest.raises(ValueError, match=r"the file of model 'b' has missing cells \(y_true 1"):
        read_predictions(files)


def test_odd_archives_and_cells_get_one_clear_error(tmp_path):
    path = tmp_path / "a.npz"
    with path.open("wb") as file:
        np.save(file, np.arange(3))
    with pytest.raises(ValueError, match="has one array"):
        read_predictions(path)
    rows = [{"y_true": 0, "cnn": ["no", "yes"]}, {"y_true": 1, "cnn": ["no", "no"]}]
    lists = write(tmp_path / "t.jsonl", "\n".join(map(json.dumps, rows)))
    with pytest.raises(ValueError, match="column 'cnn' contains lists"):
        read_predictions(lists)
    np.savez(path, y_true=np.arange(4) % 2, cnn=np.arange(4) * 1j)
    with pytest.raises(ValueError, match="complex numbers"):
        read_predictions(path)


def test_a_capital_suffix_is_a_suffix(tmp_path):
    path = tmp_path / "x.csv.GZ"
    path.write_bytes(gzip.compress(b"y_true,m\n0,1\n1,1\n"))
    assert read_predictions(path).models == ("m",)


def test_missing_labels_of_pandas_are_missing():
    with pytest.raises(ValueError, match="has missing values"):
        mc.Predictions(pd.Series(["a", pd.NA, "b"], dtype="string"), {"m": ["a", "b", "b"]})
    with pytest.raises(ValueError, match="`y_true` has missing values"):
        mc.Predictions(["a", None, "b"], {"m": [0.2, 0.3, 0.4]})
    with pytest.raises(ValueError, match="one entry per sample"):
        mc.Predictions(3, {"m": [1, 2]})
    with pytest.raises(ValueError, match="`groups` has missing values"):
        mc.Predictions([0, 1], {"m": [0, 1]}, groups=pd.to_datetime(["2020-01-01", None]))
    assert len(mc.Predictions([0, 1, 1], {"m": [0, 1, 1]}).subset([])) == 0


def test_missing_rows_of_an_archive_can_be_dropped(tmp_path):
    path = tmp_path / "p.npz"
    probs = np.full((4, 2), 0.5)
    probs[1] = np.nan
    np.savez(path, y_true=np.arange(4) % 2, ids=np.arange(4), probs__a=probs, probs__b=np.full((4, 2), 0.5),
             lang=np.array(["en", "de", "en", "de"]))  # fmt: skip
    with pytest.raises(ValueError, match="NaN or infinite probabilities in 1 row"):
        read_predictions(path)
    with pytest.warns(checks.DataWarning, match="left out 1 of 4 rows"):
        preds = read_predictions(path, missing="drop")
    assert preds.ids.tolist() == [0, 2, 3]
    assert preds.slices["lang"].tolist() == ["en", "en", "de"]


def calls(work):
    """How many functions are called while something is done."""
    n = 0

    def count(_frame, event, _argument):
        nonlocal n
        n += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return n


def test_the_work_grows_as_the_columns_do(tmp_path):
    def reading(n_columns):
        path = tmp_path / f"{n_columns}.csv"
        names = ",".join(f"m{i}" for i in range(n_columns))
        rows = [f"{label}{f',{label}' * n_columns}" for label in "xyxy"]
        path.write_text("\n".join([f"y_true,{names}", *rows]) + "\n")
        return calls(lambda: mc.read_predictions(path, models=["m5"]))

    reading(10)  # what is imported and compiled once
    few, many = reading(200), reading(400)
    assert many < 2.1 * few
