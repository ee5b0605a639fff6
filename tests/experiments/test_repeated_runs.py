"""The study of intervals for new runs: true means, rows of separate runs, and its table."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from experiments.validity import repeated_runs as study

CELL = {"quantity": "separate runs", "scores": "0/1", "items": 30, "spread": 0.15, "runs": 2}


@pytest.mark.parametrize("scores", ["normal", "0/1"])
@pytest.mark.parametrize("spread", [0.0, 0.15])
def test_scores_have_the_means_that_coverage_is_counted_for(scores, spread):
    cell = {**CELL, "items": 20, "scores": scores, "spread": spread, "runs_b": 3}
    for x, n_runs, mean in zip(
        study.draw(np.random.default_rng(0), cell, 4000), (2, 3), study.MEANS, strict=True
    ):
        assert x.shape == (4000, 20, n_runs)
        means = x.mean(axis=(1, 2))
        # One in 15,000 is further off.
        assert abs(means.mean() - mean) < 4 * means.std() / np.sqrt(4000)
        # The true mean of a run has the stated spread, but for the curve of shares.
        if scores == "normal":
            wanted = (study.ITEMS**2 + study.REST**2 / n_runs) / 20 + spread**2 / n_runs
            assert means.var() == pytest.approx(wanted, rel=4 * np.sqrt(2 / 4000))


def test_runs_of_different_numbers_are_repeated_and_count_once():
    cell = {**CELL, "runs_b": 3}
    tables = study.draw(np.random.default_rng(1), cell, 2)
    low, high = study.ends(cell, tables)["items+runs"][:, 0]
    item, slot = (each.ravel() for each in np.indices((30, 6)))
    preds = mc.Predictions.from_scores(
        {m: x[0][item, slot % x.shape[2]] for m, x in zip("ab", tables, strict=True)},
        groups=item, runs={m: [f"{m}{s % n}" for s in slot] for m, n in (("a", 2), ("b", 3))},
    )  # fmt: skip
    with pytest.warns(mc.SparseDataWarning, match="2 runs"):
        found = mc.compare(preds, generalize_to="items+runs", n_resamples=99).differences
    # The package extends intervals beside p-values that are not significant to 0.
    assert low == pytest.approx(found["ci_low"][0], rel=1e-9)
    assert high == pytest.approx(found["ci_high"][0], rel=1e-9)


def test_the_table_has_all_cells_and_coverage_for_new_runs(tmp_path):
    table = pd.read_csv(study.RESULTS)
    assert len(table) == len(study.cells())
    assert (table["covered, items"] <= table["covered, items+runs"]).all()
    known = table[table[["runs", "runs_b"]].min(axis=1) >= 5]
    assert known["covered, items+runs"].min() >= study.WANTED
    path = tmp_path / "found.csv"
    study.main(["--trials", "20", "--only", "^score normal 50 0.02 5", "-o", str(path)])
    assert pd.read_csv(path)["trials"].isin([20, 100]).all()
