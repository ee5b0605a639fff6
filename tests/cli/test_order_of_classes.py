"""The positive class does not depend on the order of files and columns, and is named."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.plugged import needs

N = 80
RNG = np.random.default_rng(5)
TRUTH = np.where(RNG.random(N) < 0.4, "yes", "no")


@pytest.fixture
def files(tmp_path):
    """Two models' probabilities, with the columns in different orders."""
    for model, order in {"a": ["yes", "no"], "b": ["no", "yes"]}.items():
        p = np.clip(0.2 * (TRUTH == "yes") + 0.8 * RNG.random(N), 0, 1)
        soft = {"yes": p, "no": 1 - p}
        columns = {f"prob:{label}": soft[label] for label in order}
        frame = pd.DataFrame({"id": np.arange(N), "y_true": TRUTH, **columns})
        frame.to_csv(tmp_path / f"{model}.csv", index=False)
    return "a.csv", "b.csv"


def test_a_gate_answers_for_the_same_class_in_any_order_of_files(run, files):
    ask = ("--baseline", "a", "--candidate", "b", "-m", "average_precision", "--margin", "0.3")
    first, other = (
        run("gate", *order, *ask, "--resamples", "199") for order in (files, files[::-1])
    )
    assert first.out == other.out
    assert first.out.rstrip().endswith("The positive class of average_precision is yes.")
    assert first.read.endswith("; models: 2 (a, b); classes: no, yes (positive: yes)\n")


@needs("curves")
def test_thresholds_are_of_the_class_that_was_named(run, files):
    document = {}
    for order in (files, files[::-1]):
        ask = ("--threshold", "0.3", "-m", "selection_rate[yes]", "--resamples", "99")
        found = json.loads(run("compare", *order, *ask, "--format", "json").out)
        document[order] = {row["model"]: row["estimate"] for row in found["scores"]}
    shares = {m: (pd.read_csv(f"{m}.csv")["prob:yes"] >= 0.3).mean() for m in "ab"}
    assert document[files] == document[files[::-1]] == pytest.approx(shares)


@needs("large")
@pytest.mark.usefixtures("files")
def test_a_scan_takes_the_order_of_labels(run, tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.read_csv("a.csv").rename(columns=lambda name: name.replace("prob", "a"))
    frame.to_parquet(tmp_path / "t.parquet")
    ask = ("compare", "t.parquet", "-m", "f1", "--resamples", "99", "--read", "scan")
    assert run(*ask).read.endswith("classes: no, yes (positive: yes)\n")
    labels = ("--read", "labels=yes", "--read", "labels=no")
    assert run(*ask, *labels).read.endswith("classes: yes, no\n")
    named = run(*ask, "--positive", "no")
    assert named.read.endswith("classes: yes, no (positive: no)\n")
