"""Studies of sets of labels, gaps and samples in time: their worlds, and what their tables promise."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from experiments.validity import gaps, in_time, label_sets, two_models

# A share of 800 trials is this far from the true one in one of 2,000 cells.
FAR = 3.5 * np.sqrt(0.05 * 0.95 / 800)


def test_the_table_of_sets_keeps_its_promise():
    table = pd.read_csv(label_sets.RESULTS)
    assert {*table["world"]} == {"sets", "counts"}
    assert table[["covered", "difference"]].min().min() > two_models.WANTED - FAR
    assert table[["gate", "size"]].max().max() < two_models.LARGEST + FAR


def test_the_table_of_gaps_keeps_its_promise():
    table = pd.read_csv(gaps.RESULTS)
    assert table[["gap", "worst"]].min().min() > gaps.WANTED - FAR
    assert table[["size", "margin"]].max().max() < gaps.LARGEST + FAR


def test_the_table_of_samples_in_time_keeps_its_promise():
    table = pd.read_csv(in_time.RESULTS)
    most = table[table["warned"] < 0.5]
    assert most["covered"].min() > two_models.WANTED - FAR
    assert most["gate"].max() < two_models.LARGEST + FAR
    # Without blocks, and by resampled ones, similar samples are too certain.
    similar = most[(most["coefficient"] == 0.7) & (most["n"] == 200)]
    assert similar["without blocks"].max() < 0.85
    assert similar["stationary bootstrap"].max() < 0.9


@pytest.mark.parametrize("world", ["sets", "counts"])
def test_labels_are_as_frequent_as_a_cell_states(world):
    cell = next(c for c in label_sets.cells() if c["world"] == world and c["gap"] == 0.5)
    preds = label_sets.draw(np.random.default_rng(0), cell, 20_000)
    share = preds.access.true_distribution.mean(axis=0)
    if world == "sets":
        assert share[[0, -1]] == pytest.approx([0.4, 0.02], abs=0.01)
    else:
        # The mean of a lognormal variable with the parameters -0.5 and 1 is 1.
        assert share.sum() == pytest.approx(cell["objects"], rel=0.1)
    values = np.asarray(mc.bootstrap(preds, "f1_micro", n_resamples=2).point)
    assert values[0] > values[1]


def test_errors_in_time_are_correlated_as_a_cell_states():
    cell = {"world": "forecasts", "coefficient": 0.7, "n": 10, "gap": 0.0}
    preds = in_time.draw(np.random.default_rng(0), cell, 50_000)
    error = preds.output("a").array
    assert np.corrcoef(error[1:], error[:-1])[0, 1] == pytest.approx(0.7, abs=0.02)
    assert error.std() == pytest.approx(1.0, abs=0.02)


def test_a_cell_of_gaps_has_a_row():
    row = gaps.simulated(
        {"metric": "selection_rate", "first": 50, "second": 50, "better": 0.0}, 3
    )  # fmt: skip
    assert row["trials"].tolist() == [3]
    assert row["gap"].between(0, 1).all()
