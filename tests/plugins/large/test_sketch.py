"""``modelcompare sketch``, and sketches where predictions are asked for."""

from pathlib import Path

import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.plugins.large import planning
from tests.report.written import as_csv

SKETCHED = {}


@pytest.fixture
def days(wide_csv, run):
    """Sketches of two days; the first test makes them, and others get copies."""
    frame = pd.read_csv(wide_csv)
    for name, part in (("mon", frame[:120]), ("tue", frame[120:])):
        part.to_csv(f"{name}.csv", index=False)
        sketched = Path(f"{name}.parquet")
        if sketched.name in SKETCHED:
            sketched.write_bytes(SKETCHED[sketched.name])
            continue
        done = run("sketch", f"{name}.csv", "-o", f"{name}.parquet", "-m", "accuracy", "-m", "f1")
        assert done.code == 0
        assert done.err == f"wrote {name}.parquet: {len(part)} samples\n"
        SKETCHED[sketched.name] = sketched.read_bytes()
    return "mon.parquet", "tue.parquet"


def test_sketches_of_days_are_compared_as_one_test_set(days, run, wide_csv):
    done = run("compare", *days, "--metric", "accuracy", "--resamples", 199, "--format", "csv")
    assert done.read == "modelcompare: read 2 sketches of 300 samples\n"
    merged = mc.io.sketch(mc.read_predictions(wide_csv), ["accuracy", "f1"])
    expected = mc.compare(merged, "accuracy", n_resamples=199)
    assert (done.code, done.out) == (0, as_csv(expected))


def test_the_gate_takes_sketches(days, run):
    gate = "gate", *days, "--baseline", "good", "--metric", "accuracy", "--margin", "0.1"
    assert run(*gate, "--candidate", "fair").code == 0
    assert run(*gate, "--candidate", "poor").code == 1


def test_sketches_are_added_to_one(days, run):
    done = run("sketch", *days, "-o", "week.parquet")
    assert (done.code, done.err) == (0, "wrote week.parquet: 300 samples\n")
    apart = run("compare", *days, "-m", "f1", "--resamples", 99, "--format", "csv")
    together = run("compare", "week.parquet", "-m", "f1", "--resamples", 99, "--format", "csv")
    assert apart.out == together.out


def test_models_of_sketches_are_chosen_by_pattern(days, run):
    done = run("compare", *days, "--model", "*o*", "--resamples", 99, "--format", "csv")
    assert done.code == 0
    assert "fair" not in done.out
    assert "poor" in done.out


QUERY = (
    "sketch", "--sql", "duckdb", "--table", "t", "--true", "y", "--id", "i", "--model", "a",
)  # fmt: skip


@pytest.mark.usefixtures("days")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compare", "mon.parquet", "tue.csv"), "tue.csv is no sketch and others are"),
        (("compare", "mon.parquet", "--true", "y"), "--true is for predictions"),
        (("compare", "mon.parquet", "--slice", "y"), "--slice is for predictions"),
        (("compare", "mon.parquet", "-m", "mcc", "-m", "log_loss"), "no sums for metric 'log_loss'"),
        (("sketch", "mon.csv"), "-o is needed"),
        (("sketch", "mon.csv", "-o", "mon.csv"), "a file that ends in .parquet"),
        (("sketch", "mon.parquet", "-o", "mon.parquet"), "is read here and would be lost"),
        (("sketch", "mon.parquet", "-o", "x.parquet", "-m", "f1"), "--metric is for predictions"),
        (("sketch", "mon.csv", "-o", "x.parquet", "--table", "t"), "--table is for a query"),
        (("sketch", "--sql", "duckdb", "--table", "t", "--model", "a"), "--sql needs --true"),
        (("sketch", "--sql", "duckdb", "--table", "t", "--true", "y"), "--sql needs --model"),
        (("sketch", "--sql", "duckdb", "mon.csv"), "prints a query and reads nothing"),
        ((*QUERY, "--read", "weight=w"), "--read weight is for predictions that are read, and a query does"),
        ((*QUERY, "--read", "strata=s"), "--read strata is for predictions that are read"),
        ((*QUERY, "--missing", "worst"), "--missing is for predictions that are read"),
        ((*QUERY, "--read", "normalize"), "--read normalize is for predictions that are read"),
        ((*QUERY, "--groups", "g"), "--sql needs --id or --groups"),
        ((*QUERY, "--metric", "f1"), "--metric is for predictions"),
        (("sketch", "mon.parquet", "-o", "x.parquet", "--buckets", "9"), "--buckets and --salt are"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_reported(run, arguments, message):
    done = run(*arguments)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""


@pytest.mark.usefixtures("days")
def test_the_printed_query_makes_the_sketch(run):
    duckdb = pytest.importorskip("duckdb")
    done = run(
        "sketch", "--sql", "duckdb", "--table", "'mon.csv'", "--true", "y_true", "--id", "id",
        "--model", "good", "--model", "fair", "--model", "poor",
    )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    duckdb.sql(done.out).write_parquet("query.parquet")
    options = "--metric", "f1", "--resamples", 99, "--format", "csv"
    assert (
        run("compare", "query.parquet", *options).out == run("compare", "mon.parquet", *options).out
    )


def test_a_parquet_file_is_sketched_block_by_block_where_it_is_large_or_that_is_asked(
    wide_csv, run, monkeypatch
):
    pd.read_csv(wide_csv).to_parquet("rows.parquet")
    whole = run("sketch", "rows.parquet", "-o", "whole.parquet")
    assert "block by block" not in whole.err + whole.read
    asked = run("sketch", "rows.parquet", "--read", "scan", "-o", "asked.parquet")
    monkeypatch.setattr(planning, "free_memory", lambda: 10_000)
    large = run("sketch", "rows.parquet", "-o", "large.parquet")
    for done in (asked, large):
        assert done.code == 0
        assert done.read.startswith("modelcompare: read block by block, rows: 300;")
    whole, *others = (Path(f"{name}.parquet").read_bytes() for name in ("whole", "asked", "large"))
    assert others == [whole, whole]


def test_a_sketch_keeps_no_checkpoint(wide_csv, run):
    pd.read_csv(wide_csv).to_parquet("rows.parquet")
    done = run("sketch", "rows.parquet", "--read", "checkpoint=kept", "-o", "s.parquet")
    assert done.code == 2
    assert "--read checkpoint keeps totals of resamples, and a sketch draws none." in done.err


@pytest.mark.parametrize("scan", [(), ("--read", "scan")])
def test_strata_are_sketched_and_compared(scan, run, wide_csv):
    pytest.importorskip("pyarrow")
    frame = pd.read_csv(wide_csv).assign(s=[*"uvw"] * 100)
    frame.to_parquet("x.parquet")
    made = run("sketch", "x.parquet", "--read", "strata=s", *scan, "-m", "f1", "-o", "s.parquet")
    assert made.code == 0
    done = run("compare", "s.parquet", "-m", "f1", "--resamples", 99, "--format", "csv")
    sketched = mc.io.sketch(mc.read_predictions("x.parquet", columns={"strata": "s"}), "f1")
    assert sketched.about.strata == ("u", "v", "w")
    assert (done.code, done.out) == (0, as_csv(mc.compare(sketched, "f1", n_resamples=99)))


def test_a_query_refuses_strata(run):
    asked = ("--sql", "duckdb", "--table", "t", "--true", "y", "--id", "i", "--model", "a")
    done = run("sketch", *asked, "--read", "strata=s")
    assert done.code == 2
    assert "strata" in done.err
    assert "a query does without" in " ".join(done.err.split())
