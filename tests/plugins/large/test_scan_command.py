"""Files that do not fit into memory, on the command line."""

import numpy as np
import pandas as pd
import pytest

from modelcompare.plugins.large import planning

FEW = ("--resamples", "99")


@pytest.fixture(autouse=True)
def _parquet(tmp_path):
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, 3000)
    predicted = {m: np.where(rng.random(3000) < 0.2, 1 - true, true) for m in ("cnn", "bow")}
    frame = pd.DataFrame(
        {"y_true": true, **predicted, "g": np.arange(3000) // 3, "s": np.arange(3000) % 4}
    )
    (tmp_path / "parts").mkdir()
    frame.to_parquet(tmp_path / "x.parquet")
    for number in range(3):
        frame.iloc[1000 * number :][:1000].to_parquet(tmp_path / "parts" / f"{number}.parquet")


def chosen(*more):
    return ("--model", "cnn", "--model", "bow", *FEW, *more)


def test_a_scan_prints_what_reading_prints(run):
    read = run("compare", "x.parquet", *chosen())
    scan = run("compare", "x.parquet", "--read", "scan", *chosen())
    assert read.code == scan.code == 0
    assert read.out == scan.out
    assert scan.read.startswith("modelcompare: read block by block, rows: 3,000; truth: y_true")


@pytest.mark.parametrize("parts", ["parts", "parts/*.parquet"])
def test_parts_of_one_table_are_put_together(parts, run):
    read = run("compare", "x.parquet", *chosen("--format", "csv"))
    scan = run("compare", parts, "--read", "scan", *chosen("--format", "csv"))
    assert scan.code == 0, scan.err
    assert read.out == scan.out


def test_a_file_above_a_share_of_memory_is_scanned_by_itself(run, monkeypatch):
    assert "block by block" not in run("compare", "x.parquet", *chosen()).read
    whole = run("compare", "x.parquet", "--groups", "g", *chosen())
    assert "block by block" not in whole.read
    monkeypatch.setattr(planning, "free_memory", lambda: 10_000)
    for command in (
        ("compare", "x.parquet", *chosen()),
        (
            "gate",
            "x.parquet",
            "--baseline",
            "bow",
            "--candidate",
            "cnn",
            "--margin",
            "0.05",
            *chosen(),
        ),
    ):
        assert "block by block" in run(*command).read, command
    summed = run("compare", "x.parquet", "--groups", "g", *chosen())
    assert "block by block" in summed.read
    assert summed.out == whole.out


def test_a_long_file_of_labels_is_counted_where_it_is(run, monkeypatch):
    commands = [
        ("compare", "x.parquet", *chosen("--format", "csv")),
        ("compare", "x.parquet", "--metric", "f1", "--metric", "mcc", *chosen()),
        ("compare", "x.parquet", "--read", "strata=s", *chosen()),
    ]
    whole = [run(*command) for command in commands]
    monkeypatch.setattr(planning, "COUNTED_FROM", 3000)
    for read, command in zip(whole, commands, strict=True):
        counted = run(*command)
        assert "block by block" not in read.read
        assert "block by block" in counted.read, command
        assert counted.out == read.out
    monkeypatch.setattr(planning, "COUNTED_FROM", 3001)
    assert "block by block" not in run(*commands[0]).read


def test_a_long_file_that_cannot_be_counted_is_read_whole(run, monkeypatch):
    rows = pd.read_parquet("x.parquet").drop(columns=["g", "s"])
    weights = np.arange(len(rows)) % 7 + 1.0
    rows.assign(w=weights).to_parquet("weighted.parquet")
    rows.assign(bow=weights / 8).to_parquet("probabilities.parquet")
    rows.assign(bow=rows["bow"].where(rows.index != 5)).to_parquet("missing.parquet")
    pd.concat([rows, rows]).assign(id=np.arange(6000) % 3000).to_parquet("repeated.parquet")
    commands = [
        ("compare", "weighted.parquet", "--read", "weight=w", *chosen()),
        ("compare", "probabilities.parquet", *FEW),
        ("compare", "missing.parquet", *FEW),
        ("compare", "repeated.parquet", *FEW),
    ]
    before = [run(*command) for command in commands]
    monkeypatch.setattr(planning, "COUNTED_FROM", 1)
    for whole, command in zip(before, commands, strict=True):
        assert run(*command) == whole, command
    assert [each.code for each in before] == [0, 0, 2, 2]


@pytest.mark.slow
def test_a_million_rows_of_labels_are_counted_as_they_are_read(run, monkeypatch):
    rng = np.random.default_rng(1)
    words = np.array(["bird", "cat", "dog"], dtype=object)
    true = rng.integers(0, 3, 1_000_000)
    wrong = {m: rng.random(1_000_000) < share for m, share in (("cnn", 0.2), ("bow", 0.201))}
    outputs = {m: words[np.where(here, (true + 1) % 3, true)] for m, here in wrong.items()}
    pd.DataFrame({"id": np.arange(len(true)), "y_true": words[true], **outputs}).to_parquet(
        "m.parquet"
    )
    counted = run("compare", "m.parquet", "--format", "csv")
    assert "block by block" in counted.read
    monkeypatch.setattr(planning, "COUNTED_FROM", 1_000_001)
    whole = run("compare", "m.parquet", "--format", "csv")
    assert "block by block" not in whole.read
    assert counted.out == whole.out


def test_strata_are_scanned_as_they_are_read(run, monkeypatch):
    whole = run("compare", "x.parquet", "--read", "strata=s", *chosen())
    assert "|stratified" in whole.out
    monkeypatch.setattr(planning, "free_memory", lambda: 10_000)
    for asked in ((), ("--read", "scan")):
        scan = run("compare", "x.parquet", "--read", "strata=s", *asked, *chosen())
        assert "block by block" in scan.read
        assert scan.out == whole.out


def test_a_checkpoint_is_kept_where_it_is_asked_for(run):
    done = run("compare", "x.parquet", "--read", "checkpoint=kept", *chosen())
    assert done.code == 0
    assert "block by block" in done.read


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("compare", "x.parquet", "--read", "scan", "--read", "run=g"),
            "--read run needs all rows in memory",
        ),
        (("compare", "x.csv", "--read", "scan"), "x.csv: there is no such file"),
        (("compare", "s4://bucket/x.parquet"), "there is no file system for s4://"),
    ],
)
def test_what_a_scan_cannot_do_is_refused(arguments, message, run):
    done = run(*arguments)
    assert done.code == 2
    assert message in done.err
