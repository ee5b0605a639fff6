"""The replication: its preprocessing, its trainer's promise to resume, and its tables."""

import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import modelcompare as mc
from experiments.snli_sepcnn import pack, paper, preprocess

FOLDER = Path(preprocess.__file__).parent


def test_tokens_follow_the_appendix():
    tokens = preprocess.pair_tokens("A Man is 5.5 feet tall.", "He is TALL. Very tall...")
    assert tokens == [
        "a", "man", "is", "5", ".", "5", "feet", "tall", "[SEP]", "he", "is", "tall", ".", "very",
        "tall",
    ]  # fmt: skip
    assert len(preprocess.pair_tokens("a " * 60, "b")) == 42
    assert preprocess.tokens_of(" . ") == []


def test_rare_tokens_share_one_index_and_short_pairs_are_padded(monkeypatch):
    monkeypatch.setattr(preprocess, "N_TOKENS", 2)
    texts = [["a", "a", "b"], ["b", "c"]]
    index = preprocess.vocabulary(texts)
    assert index == {"a": 2, "b": 3}
    encoded = preprocess.encode(texts, index)
    assert encoded.dtype == np.int16
    assert encoded.shape == (2, 42)
    assert encoded[1, :3].tolist() == [3, 1, 0]


ROWS = [("entailment", "A dog runs.", "It moves."), ("-", "A.", "B."), ("neutral", "A cat", "Sits")]


@pytest.mark.parametrize("layout", ["sample", "jsonl", "txt"])
def test_each_layout_of_snli_is_read(tmp_path, layout):
    header = "gold_label\tsentence1\tsentence2\n"
    table = header + "".join("\t".join(row) + "\n" for row in ROWS)
    if layout == "sample":
        for part in ("train_sample", "dev", "test"):
            with gzip.open(tmp_path / f"snli_{part}.tsv.gz", "wt") as file:
                file.write(table)
    for part in ("train", "dev", "test"):
        if layout == "txt":
            (tmp_path / f"snli_1.0_{part}.txt").write_text(table)
        if layout == "jsonl":
            rows = [dict(zip(header.split(), row, strict=True)) for row in ROWS]
            lines = "\n".join(json.dumps(row) for row in rows)
            (tmp_path / f"snli_1.0_{part}.jsonl").write_text(lines)
    arrays = preprocess.preprocess(tmp_path)
    assert arrays["test_y"].tolist() == [0, 1]
    assert len(arrays["train_y"]) == (4 if layout == "sample" else 2)
    words = arrays["vocabulary"].tolist()
    decoded = [words[i - 2] for i in arrays["test_tokens"][0] if i >= 2]
    assert decoded == ["a", "dog", "runs", "[SEP]", "it", "moves"]


def test_a_missing_corpus_is_said(tmp_path):
    with pytest.raises(SystemExit, match="name the folder of SNLI with --snli"):
        preprocess.preprocess(tmp_path)


def test_rounding_keeps_every_decision():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 5000).astype(np.float32)
    p[:2000, 1] = p[:2000, 0] * (1 + 1e-6)
    p /= p.sum(axis=1, keepdims=True)
    rounded = pack.rounded(p)
    np.testing.assert_array_equal(rounded.argmax(axis=1), p.argmax(axis=1))
    assert np.abs(rounded.astype(float) - p).max() < 6e-4


def test_what_is_kept_is_whole():
    lines = (FOLDER / "predictions/models.jsonl").read_text(encoding="utf-8").splitlines()
    models = [json.loads(line) for line in lines]
    assert len(models) == 103
    assert len({json.dumps(m["settings"], sort_keys=True) for m in models}) == 103
    arrays = {}
    for path in (FOLDER / "predictions").glob("*.npz"):
        with np.load(path) as file:
            arrays |= {name: file[name] for name in file.files if name.startswith("probs__")}
            y_true = file["y_true"]
    for model in models:
        array = arrays["probs__" + model["name"]]
        assert hashlib.sha256(array.tobytes()).hexdigest() == model["sha256"]
        assert np.mean(array.argmax(axis=1) == y_true) == pytest.approx(model["test_accuracy"])
    assert sum(p.stat().st_size for p in (FOLDER / "predictions").iterdir()) < 8e6


def test_the_kept_results_are_what_the_predictions_give():
    preds = paper.load(*(f"section62_{part}" for part in (1, 2, 3, 4)))
    study = mc.agreement_study(preds)
    table = paper.table_one({"t": study})
    kept = (FOLDER / "results/section62/agreement.csv").read_text(encoding="utf-8")
    assert study.table.to_csv(index=False, float_format="%.10g") == kept
    assert len(table) == 9
    assert table["pub_sig"].tolist()[0] == 93.29


def test_the_example_that_ships_is_section_61():
    example, kept = mc.load_example("snli_sepcnn"), paper.load("section61")
    assert example.models == kept.models == ("model1_full", "model2_noise10", "model3_noise20")
    np.testing.assert_allclose(
        example.probabilities("model1_full"), kept.probabilities("model1_full"), atol=1e-3
    )


def tiny_tokens(path):
    rng = np.random.default_rng(0)
    np.savez(
        path, vocabulary=np.array([f"w{i}" for i in range(30)]),
        labels=np.array(preprocess.LABELS),
        train_tokens=rng.integers(2, 32, (600, 42)).astype(np.int16),
        train_y=rng.integers(0, 3, 600).astype(np.int8),
        test_tokens=rng.integers(2, 32, (30, 42)).astype(np.int16),
        test_y=rng.integers(0, 3, 30).astype(np.int8),
    )  # fmt: skip


@pytest.mark.slow
def test_killed_three_times_nothing_is_lost_and_nothing_trained_twice(tmp_path):
    pytest.importorskip("torch")
    tiny_tokens(tmp_path / "tokens.npz")
    command = [
        sys.executable, str(FOLDER / "train.py"), "--tokens", "tokens.npz", "--models", "2",
        "--max-epochs", "4", "--workers", "1", "--device", "cpu", "--runs",
    ]  # fmt: skip

    def run(runs, *, kill_after=None):
        process = subprocess.Popen([*command, runs], cwd=tmp_path, start_new_session=True,
                                   stdout=subprocess.PIPE, text=True)  # fmt: skip
        if kill_after is None:
            return process.communicate(timeout=300)[0]
        deadline = time.time() + 120
        while process.poll() is None and time.time() < deadline and not kill_after():
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()[0]

    run("whole")
    folder = tmp_path / "killed"
    names = ["model1_full", "model2_noise10", "model3_noise20", "m000", "m001"]
    stamps = {}
    for number in range(3):
        seen = len(stamps)
        run("killed", kill_after=lambda seen=seen: len(list(folder.glob("*.npz"))) > seen)
        now = {p.name: p.stat().st_mtime_ns for p in folder.glob("*.npz")}
        assert len(now) > number
        assert stamps.items() <= now.items()
        stamps = now
    out = run("killed")
    trained = [line.split(":")[0] for line in out.splitlines() if "test accuracy" in line]
    assert not {f"{name}.npz" for name in trained} & set(stamps)
    assert "5 of 5 models are there." in out
    for name in names:
        with np.load(folder / f"{name}.npz") as a, np.load(tmp_path / f"whole/{name}.npz") as b:
            np.testing.assert_array_equal(a["probabilities"], b["probabilities"])
