"""The study of averages with a class that is hardly ever predicted: its worlds, and its table."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score

from experiments.validity import never_predicted as study

CELL = {"classes": 3, "n": 200, "hit": 0.1, "false": 0.003, "rival": "all classes"}


def test_the_population_has_the_shares_and_hits_of_its_cell():
    for table in study.tables(CELL):
        np.testing.assert_allclose(table.sum(axis=1), study.SHARES[3])
    rare, every = study.tables(CELL)
    assert rare[-1, -1] == pytest.approx(0.1 * 0.1)
    np.testing.assert_allclose(rare[:-1, -1], 0.003 * np.array([0.5, 0.4]))
    assert every[-1, -1] == pytest.approx(study.OTHER * 0.1)


def test_true_values_are_scikit_learn_s_of_the_population():
    table = study.tables(CELL)[0]
    true, named = (side.ravel() for side in np.indices(table.shape))
    weight = {"y_true": true, "y_pred": named, "sample_weight": table.ravel(), "zero_division": 0}
    found = dict(zip(study.METRICS, study.true_values(table), strict=True))
    for name, value in found.items():
        kind, average = name.split("_")
        score = {"precision": precision_score, "f1": f1_score, "recall": recall_score}[kind]
        assert value == pytest.approx(score(**weight, average=average), rel=1e-9)


def test_drawn_models_err_as_the_population_does():
    preds = study.draw(np.random.default_rng(0), CELL | {"n": 200_000})
    for model, table in zip("ab", study.tables(CELL), strict=True):
        counts = np.zeros((3, 3))
        np.add.at(counts, (preds.access.codes, preds.predicted(model)), 1 / 200_000)
        np.testing.assert_allclose(counts, table, atol=0.004)


def test_the_table_has_all_cells_and_names_what_falls_short(tmp_path):
    table = pd.read_csv(study.RESULTS)
    assert len(table) == len(study.cells()) * len(study.METRICS)
    assert table[["covered", "difference"]].min(axis=None) > study.WANTED
    assert table[["gate", "other gate"]].max(axis=None) < 0.075
    assert (table.loc[study.short(table), "trials"] >= 800).all()
    path = tmp_path / "found.csv"
    study.main(["--trials", "3", "--only", "^2 150 0.1", "-o", str(path)])
    assert pd.read_csv(path)["trials"].isin([3, 15]).all()
