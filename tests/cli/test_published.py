"""Tables of scores on the command line."""

import json

import pytest

import modelcompare as mc
from tests.comparison.test_folds import WIDE
from tests.comparison.test_ranks import DEMSAR


def test_folds_are_compared_from_a_file(run, tmp_path):
    WIDE.to_csv(tmp_path / "folds.csv", index_label="fold")
    done = run("ranks", "folds.csv", "--n-train", 9, "--n-test", 1, "--format", "json")
    expected = mc.crossval.compare_folds(WIDE, n_train=9, n_test=1)
    rows = json.loads(done.out)["differences"]
    assert done.code == 0
    assert [row["p_value"] for row in rows] == pytest.approx(expected.differences.p_value.tolist())
    lower = run("ranks", "folds.csv", "--test", "5x2cv-f", "--lower-is-better")
    assert lower.out.startswith("score: bow has the lowest mean over 10 folds")


def test_ranks_come_with_a_diagram(run, tmp_path):
    DEMSAR.to_csv(tmp_path / "auc.tsv", sep="\t", index_label="Dataset")
    done = run("ranks", "auc.tsv", "--alpha", 0.1, "--plot", "cd.svg")
    assert done.out.startswith("The models differ over 14 data sets (Friedman, p = 0.017).")
    assert "Critical difference at 0.1: 1.12 (Nemenyi)." in done.out
    assert done.err == "wrote cd.svg\n"
    assert "CD = 1.12" in (tmp_path / "cd.svg").read_text()
