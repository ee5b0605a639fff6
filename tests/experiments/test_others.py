"""The study of curves, tables and rankings: its worlds, and what its table reports."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score, ndcg_score

from experiments.validity import others as study


def test_the_table_has_all_cells_and_names_what_falls_short():
    table = pd.read_csv(study.RESULTS)
    cells = pd.DataFrame(study.cells())
    kept = table[["part", "what", "n", "share"]].drop_duplicates()
    assert len(kept.merge(cells)) == len(kept) == len(cells)
    short = table[study.short(table)]
    # Where few positives reach a precision, their number is hardly known.
    assert {*short["what"]} <= {"precision"}
    assert {*short["measure"]} <= {"covered, recall"}


def test_a_part_of_the_cells_is_simulated_into_the_kept_table(tmp_path):
    path = tmp_path / "found.csv"
    for asked in ("calibrated 50", "ndcg 30"):
        study.main(["--trials", "3", "--only", asked, "-o", str(path)])
    table = pd.read_csv(path)
    assert {*table["part"]} == {"calibration line", "ranking"}
    assert (table["trials"] == 3).all()


def test_points_of_the_population_are_those_of_a_large_sample():
    rng = np.random.default_rng(0)
    y = rng.random(400_000) < 0.2
    z = rng.standard_normal(len(y)) + study.SKILL * y
    found = study.point_of(1.0, 0.2)
    assert found["recall"] == pytest.approx((z[y] >= 1).mean(), abs=0.005)
    assert found["false_positive_rate"] == pytest.approx((z[~y] >= 1).mean(), abs=0.005)
    assert found["precision"] == pytest.approx(y[z >= 1].mean(), abs=0.005)


def test_true_agreements_are_those_of_a_large_sample():
    ratings = study._ratings(400_000, 0.1, np.random.default_rng(0))
    same, kappa = study._agreements(0.1)
    assert same == pytest.approx((ratings[:, 0] == ratings[:, 1]).mean(), abs=0.003)
    assert kappa == pytest.approx(cohen_kappa_score(ratings[:, 0], ratings[:, 1]), abs=0.005)


def test_ndcg_of_queries_is_scikit_learn_s():
    rng, again = (np.random.default_rng(3) for _ in range(2))
    found = study._queries(5, rng)["ndcg"]
    relevant = np.arange(20) < 3
    scores = again.standard_normal((5, 20)) + 1.2 * relevant
    expected = [ndcg_score([relevant], [row], k=10) for row in scores]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
