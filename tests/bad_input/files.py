"""Files and frames that cannot be read as they are."""

import os

import numpy as np
import pandas as pd

import modelcompare as mc
from tests.bad_input.case import Call, Run
from tests.by_role import by_role


def _read(content, *, name="t.csv", **options):
    """A call that writes a file and reads it."""

    def call(folder):
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return mc.read_predictions(folder / name, **by_role(options))

    return call


def read_all(*contents, suffix="csv", names="abc", **options):
    """A call that writes one file for each model and reads them."""

    def call(folder):
        paths = [folder / f"{name}.{suffix}" for name, _ in zip(names, contents, strict=False)]
        for path, content in zip(paths, contents, strict=True):
            path.write_text(content)
        return mc.read_predictions(paths, **by_role(options))

    return call


def _archive(**arrays):
    def call(folder):
        np.savez_compressed(folder / "t.npz", **arrays)
        return mc.read_predictions(folder / "t.npz")

    return call


def _loop(folder):
    os.symlink(folder / "loop.csv", folder / "loop.csv")
    return mc.read_predictions(folder / "loop.csv")


def _many_headings(folder):
    columns = pd.MultiIndex.from_tuples([("cnn", "no"), ("cnn", "yes")])
    pd.DataFrame([[0.5, 0.5]] * 2, columns=columns).to_parquet(folder / "t.parquet")
    return mc.read_predictions(folder / "t.parquet")


TWICE = pd.DataFrame([[0, 1, 1], [1, 1, 1]], columns=["y_true", "a", "a"])
LABELS = "id,y_true,y_pred\n1,x,x\n2,y,x\n3,y,y\n"

CASES: list[Call | Run] = [
    Call(
        "a file that is not there",
        lambda folder: mc.read_predictions(folder / "absent.csv"),
        "FOLDER/absent.csv: there is no such file.",
        FileNotFoundError,
    ),
    Call(
        "a loop of links",
        _loop,
        "FOLDER/loop.csv: the file cannot be opened (Too many levels of symbolic links).",
    ),
    Call(
        "a path with a zero byte",
        lambda _: mc.read_predictions("a\0.csv"),
        "a\0.csv: the file cannot be opened (a zero byte in its name).",
    ),
    # -- rows --------------------------------------------------------------------------------
    Call(
        "rows of no model, and no truth",
        _read("id,model,y_pred\n0,a,x\n1,a,y\n0,b,x\n1,,y\n"),
        "rows that name no model: 1 (1); write which model each is of, or leave them out.",
    ),
    Call(
        "a blank line, then rows one cell longer than the header",
        _read("y_true,a,b\n\n0,0,1,0\n1,1,1,1\n"),
        "t.csv: rows of different lengths (the header has 3 cells), longer in 2 rows (first: 0, 1); "
        "quote cells that contain the separator.",
    ),
    Call(
        "one row that is longer",
        _read("y_true,a,b\n0,0,1\n1,1,1,1\n"),
        "t.csv: rows of different lengths (the header has 3 cells), longer in 1 row (row 1); quote "
        "cells that contain the separator.",
    ),
    Call(
        "files put one behind the other",
        _read("y_true,a,b\nx,x,y\ny,y,y\ny_true,a,b\ny,y,y\n"),
        "t.csv repeats its header in 1 row (row 2); files cannot be joined by their lines.",
    ),
    Call(
        "zero bytes",
        _read(b"y_true,a\nx,x\ny\0,y\n"),
        "t.csv: byte 14 is 0, which UTF-8 text never contains; write the file again, as UTF-8.",
    ),
    Call("nothing but blank lines", _read("\n \n"), "t.csv: the file has no table."),
    Call(
        "JSON without end",
        _read('{"y_true":' * 100_000, name="t.jsonl"),
        "t.jsonl: line 1 nests too deeply; give flat objects.",
    ),
    Call(
        "headings of several levels",
        _many_headings,
        "t.parquet has headings of several levels (('cnn', 'no')); write them as one, like "
        "model:class.",
    ),
    Call(
        "columns of the same name in a frame",
        lambda _: mc.read_predictions(TWICE),
        "the table: column 'a' occurs twice.",
    ),
    # -- what does not match -----------------------------------------------------------------
    Call(
        "labels in another case",
        _read("y_true,a\nyes,Yes\nno,No\nno,No\n"),
        "the labels of model 'a' do not match those of `y_true`: it gives 'No', 'Yes', `y_true` "
        "contains 'no', 'yes'; 'No' looks like 'no' (they differ in case); write them the same way.",
    ),
    Call(
        "labels with a blank at the end",
        _read("y_true,a\nx,x \ny,y \n"),
        "the labels of model 'a' do not match those of `y_true`: it gives 'x ', 'y ', `y_true` contains "
        "'x', 'y'; 'x ' looks like 'x' (they differ in blanks); write them the same way.",
    ),
    Call(
        "labels padded with zeros",
        _read("y_true,a\n1,01\n2,02\n"),
        "the labels of model 'a' do not match those of `y_true`: it gives '01', '02', `y_true` contains "
        "'1', '2'; '01' looks like '1' (they differ in how a number is written); write them the same way.",
    ),
    Call(
        "labels counted from 1 and from 0",
        _read("y_true,a\n0,1\n1,2\n2,3\n1,2\n"),
        "the labels of model 'a' do not match those of `y_true`: it gives 1, 2, 3, `y_true` contains 0, "
        "1, 2; they are off by one; count both from 0, or both from 1.",
    ),
    Call(
        "labels of something else, one file for each model",
        read_all(LABELS, "id,y_pred\n1,p\n2,q\n3,p\n"),
        "the labels of model 'b' do not match those of `y_true`: it gives 'p', 'q', `y_true` contains "
        "'x', 'y'; if it is right, pass all classes as `labels`; for texts pass kind='texts', for "
        "numbers kind='values'.",
    ),
    Call(
        "classes of probabilities in another case",
        _read("y_true,a:Yes,a:No\nyes,0.5,0.5\nno,0.5,0.5\n"),
        "`y_true` contains unknown labels ('no', 'yes') in 2 rows (first: 0, 1); known are 'No', 'Yes'. "
        "'no' looks like 'No' (they differ in case); write them the same way.",
    ),
    Call(
        "classes of probabilities padded with zeros, one file for each model",
        read_all("id,y_true,prob:01,prob:02\n1,1,0.5,0.5\n2,2,0.5,0.5\n"),
        "`y_true` contains unknown labels (1, 2) in 2 rows (first: 0, 1); known are '01', '02'. 1 looks "
        "like '01' (they differ in how a number is written); write them the same way.",
    ),
    Call(
        "texts and numbers",
        lambda _: mc.Predictions([0, 1], {"a": ["0", "1"]}),
        "model 'a' contains unknown labels ('0', '1') in 2 rows (first: 0, 1); known are 0, 1. '0' "
        "looks like 0 (one is a text, the other is not); write them the same way.",
    ),
    # -- one file for each model -------------------------------------------------------------
    Call(
        "files that disagree on the groups",
        read_all(
            "id,y_true,y_pred,g\n1,x,x,p\n2,y,x,q\n",
            "id,y_true,y_pred,g\n1,x,x,p\n2,y,x,p\n",
            groups="g",
        ),
        "the files of 'a' and 'b' disagree on g for 1 ids (2).",
    ),
    Call(
        "a label beside probabilities that say otherwise",
        read_all("id,y_true,y_pred,prob:x,prob:y\n1,x,x,0.75,0.25\n2,y,x,0.25,0.75\n"),
        "model 'a' has labels that are not its likeliest classes in 1 row (row 1); keep the labels or the "
        "probabilities.",
    ),
    # -- archives ----------------------------------------------------------------------------
    Call(
        "an archive with a single number",
        _archive(y_true=[0, 1], a=[0, 1], seed=3),
        "t.npz: array 'seed' is a single value; give arrays with a row for each sample, or leave it "
        "out.",
    ),
    Call(
        "an archive of records",
        _archive(y_true=[0, 1], a=np.zeros(2, dtype=[("p", float)])),
        "t.npz: array 'a' has records; give arrays with a row for each sample, or leave it out.",
    ),
    Call(
        "an archive with an array of another length",
        _archive(y_true=[0, 1], a=[0, 1], b=np.zeros(1_000_000)),
        "t.npz: array 'b' has 1,000,000 rows, 'y_true' has 2; they must describe the same samples in "
        "the same order.",
    ),
    Call(
        "a column of records",
        lambda _: mc.Predictions([0, 1], {"a": np.zeros(2, dtype=[("p", float)])}),
        "an array of records is no column; give one plain array for each field.",
    ),
    # -- arrays ------------------------------------------------------------------------------
    Call(
        "rows of different lengths",
        lambda _: mc.Predictions([0, 1], {"a": [[0.5, 0.5], [1.0]]}),
        "rows have different lengths; give one label, or one row of probabilities of the same "
        "length, for each sample.",
    ),
    Call(
        "masked labels",
        lambda _: mc.Predictions(np.ma.array([0, 1, 1], mask=[0, 0, 1]), {"a": [0, 1, 1]}),
        "`y_true` has missing values in 1 row (row 2); drop these samples or fill them in.",
    ),
    Call(
        "labels that cannot be ordered",
        lambda _: mc.Predictions([pd.Timestamp(0), 1], {"a": [0, 1]}),
        "`y_true` contains labels that cannot be ordered; make them all texts, or all numbers.",
    ),
    Call(
        "slices of the same name",
        lambda _: mc.Predictions([0, 1], {"a": [0, 1]}, slices=TWICE),
        "`slices`: column 'a' occurs twice.",
    ),
    Call(
        "logits without names",
        lambda _: mc.Predictions.from_logits([0, 1], [[1, 2], [2, 1]]),
        "`logits` must map names to logits, e.g. {'cnn': logits}, got [[1, 2], [2, 1]].",
        TypeError,
    ),
    # -- options that change nothing ----------------------------------------------------------
    Call(
        "a direction for labels",
        _read("y_true,a\nx,x\ny,y\n", greater_is_better=False),
        "the models gave labels, for which greater_is_better (--lower-is-better) has no meaning; leave it "
        "out, or pass kind='scores' (--kind scores).",
    ),
    Run(
        "the field of a log that is none",
        "compare t.csv --read score=acc",
        "t.csv has no column 'acc'; there are y_true, a.",
        {"t.csv": "y_true,a\nx,x\ny,y\n"},
    ),
    Run(
        "lists of probabilities of unknown classes",
        "compare t.jsonl",
        "t.jsonl: column 'a' has lists of 2 probabilities, and nothing names their classes; name "
        "them in the lists' order, as labels=['no', 'yes'] (--read labels=no --read labels=yes) if that is it, "
        "or head a column model:class for each.",
        {"t.jsonl": '{"y_true": "no", "a": [0.2, 0.8]}\n{"y_true": "yes", "a": [0.5, 0.5]}\n'},
    ),
    Run(
        "lists of more probabilities than classes",
        "compare t.jsonl --read labels=no --read labels=yes --read labels=so",
        "t.jsonl: column 'a' has lists of 2 probabilities, but labels (--read labels) are 3 (no, yes, "
        "so).",
        {"t.jsonl": '{"y_true": "no", "a": [0.2, 0.8]}\n{"y_true": "yes", "a": [0.5, 0.5]}\n'},
    ),
    Run(
        "true labels of several kinds",
        "compare t.csv",
        "t.csv: columns 'true_0', 'true_1', ... are true labels of several kinds for each sample, "
        "which are not read as one; compare them one by one, as with columns={'true': 'true_0'}, "
        "models=['a_0', 'b_0'] (--true true_0 --model a_0 --model b_0).",
        {"t.csv": "true_0,true_1,a_0,a_1,b_0,b_1\n0,1,0,1,1,1\n1,1,0,0,1,0\n"},
    ),
    Run(
        "probabilities without headings",
        "compare t.csv",
        "t.csv: the first line (0.324, 0.4) has numbers, as data do and headings do not; write a "
        "line of headings above it, such as y_true,cnn:no,cnn:yes, or if these are models name them "
        "with models= (--model 0.324 --model 0.4).",
        {"t.csv": "0.324,0.4\n0.25,0.75\n0.5,0.125\n"},
    ),
    Run(
        "what was measured among what was computed",
        "compare t.csv",
        "t.csv: column 'pKa (exp)' is named like the truth (columns: pKa (calc), pKa (exp)); if it is name it with "
        "columns={'true': 'pKa (exp)'} (--true 'pKa (exp)'), else name all models with models= (--model). Try: modelcompare compare t.csv "
        "--true 'pKa (exp)' --model 'pKa (calc)'",
        {"t.csv": "pKa (calc),pKa (exp)\n1.5,1.25\n2.5,2.25\n"},
    ),
    Run(
        "a model and a sample under unusual names",
        "compare t.csv",
        "t.csv: columns 'team' and 'drug' name each row together, as models and samples do; if they "
        "are pass columns={'model': 'team', 'id': 'drug', 'score': 'hit'} (--read model-column=team --id drug "
        "--read score=hit), if each row is another sample name the models with models= (--model).",
        {
            "t.csv": "team,drug,hit\n"
            + "".join(f"t{k // 6},d{k % 6},{k % 5 / 8}\n" for k in range(12))
        },
    ),
    Run(
        "scores beside answers",
        "compare a.csv b.csv",
        "the file of model 'a': column 'score' has scores next to the model's outputs ('y_pred'), "
        "and they differ from whether these equal 'y_true'; to compare by the scores pass "
        "columns={'score': 'score'} (--read score=score), by the outputs columns={'pred': 'y_pred'} (--read "
        "pred=y_pred).",
        {f"{m}.csv": "id,y_true,y_pred,score\n1,x,x,0.5\n2,y,x,0.25\n" for m in "ab"},
    ),
    Run(
        "repetitions of samples without names",
        "compare t.csv",
        "t.csv: column 'run' names repetitions, but no column names the samples that are repeated; "
        "name it with columns={'id': 'COLUMN'} (--id COLUMN), or if 'run' only describes the samples rename it.",
        {"t.csv": "y_true,y_pred,run\nx,x,1\ny,x,1\nx,x,2\ny,y,2\n"},
    ),
    Run(
        "boxes",
        "compare t.jsonl",
        "t.jsonl: column 'bbox' has lists of 4 numbers that are no probabilities of as many "
        "classes (each at least 0, 1 in all); boxes, embeddings and logits are not compared: give "
        "probabilities, labels, or a score for each sample, or if it only describes the samples "
        "name the models with models= (--model).",
        {
            "t.jsonl": '{"image_id": 1, "bbox": [1, 2, 3, 4]}\n{"image_id": 2, "bbox": [1, 2, 3, 5]}\n'
        },
    ),
    Run(
        "marks of missing cells in the truth and in models",
        "compare t.csv",
        "column 'y_true' has 'NA' in 1 row (row 1); if these are missing pass na=['-', 'NA'] "
        "(--read na=- --read na=NA), if they name classes na=['-'] (--read na=-).",
        {"t.csv": "y_true,a\nx,x\nNA,NA\ny,-\n"},
    ),
    Run(
        "a mark of a missing cell among the clusters",
        "compare t.csv --groups g",
        "column 'g' of groups has 'None' in 2 rows (first: 0, 2); if it is missing fill it in, if "
        "'None' names one of the groups pass na=[''] (--read na='').",
        {"t.csv": "y_true,a,g\nx,x,None\ny,x,p\ny,y,None\n"},
    ),
    Call(
        "classes of scores",
        _read("a,b\n0.5,1\n0.25,0\n", labels=["x", "y"]),
        "the models gave scores, for which labels (--read labels) has no meaning; leave it out.",
    ),
    Call(
        "other classes than the headings'",
        _read("y_true,a:x,a:y\nx,0.5,0.5\ny,0,1\n", labels=["x", "z"]),
        "labels (--read labels) are x, z, but the probabilities are of x, y; the classes must be the "
        "same.",
    ),
    Call(
        "an unknown choice of ids",
        _read("y_true,a\nx,x\ny,y\n", ids="x"),
        "`ids` must be one of same, intersect, got 'x'.",
    ),
    Run(
        "the common ids of a single file",
        "compare t.csv --read ids=intersect",
        "each row is a sample of one file, for which ids (--read ids) has no meaning; leave it out.",
        {"t.csv": "y_true,a\nx,x\ny,y\n"},
    ),
]
