"""The study of variances over items and runs: its truth, its table, and a small run of it."""

import numpy as np
import pandas as pd
import pytest

from experiments.validity import variances_of_runs as study


def test_outputs_are_of_items_x_runs():
    preds = study.draw(np.random.default_rng(0), {"items": 7, "runs": 3, "spread": 0.5})
    assert len(preds) == 21
    assert len(np.unique(preds.groups)) == 7
    assert (pd.crosstab(preds.groups, preds.runs) == 1).all(axis=None)
    truth = preds.access.codes.reshape(7, 3)
    assert (truth == truth[:, :1]).all()


def test_replicates_vary_as_new_items_and_runs_do_and_ratios_cover():
    table = pd.read_csv(study.RESULTS)
    assert len(table) == len(study.cells())
    assert table["covered"].dropna().min() >= study.WANTED
    assert table["covered"].isna().tolist() == (table["runs"] == 2).tolist()
    assert table[["f1", "cf1"]].stack().between(0.9, 1.25).all()
    # For these runs the variance lacks that of the runs.
    assert table.loc[table["spread"] == 0.5, "f1, these"].max() < 0.75


def test_a_small_run_of_the_study(tmp_path, monkeypatch):
    monkeypatch.setattr(study, "N_FRESH", 300)
    path = tmp_path / "found.csv"
    study.main(["--trials", "10", "--only", "^50 5 0.5", "-o", str(path)])
    (row,) = pd.read_csv(path).itertuples()
    assert row.trials in (10, 50)
    assert row.f1 == pytest.approx(1, abs=0.6)
