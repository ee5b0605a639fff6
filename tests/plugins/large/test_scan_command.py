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
