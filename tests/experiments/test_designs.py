"""The study of two designs together: its worlds, true values and cells."""

import numpy as np
import pytest

import modelcompare as mc
from experiments.validity import designs as study

ALL = study.DESIGNS


def test_strata_have_fixed_numbers_and_clusters_are_within_them():
    for seed in range(3):
        world = study.draw(np.random.default_rng(seed), ("strata",), 100, "equal")
        assert np.bincount(world["strata"]).tolist() == [50, 30, 20]
    world = study.draw(np.random.default_rng(0), ("strata", "clusters"), 100, "equal")
    of_cluster = {
        cluster: {*world["strata"][world["groups"] == cluster].tolist()}
        for cluster in np.unique(world["groups"])
    }
    assert len(of_cluster) == 20
    assert all(len(strata) == 1 for strata in of_cluster.values())
    assert {*np.bincount(world["groups"])} <= {*study.SIZES}


@pytest.mark.parametrize(
    "designs", [("weights", "runs"), ("clusters", "weights"), ("time", "sets")]
)
def test_means_of_test_sets_are_the_true_values(designs):
    rng, true = np.random.default_rng(1), study.true_values(designs, "worse")
    values = []
    for _ in range(60):
        found = study.test_set(rng, designs, 400, "worse")
        sets = found.values() if isinstance(found, dict) else [found]
        values.append(np.mean([mc.bootstrap(x, "accuracy", n_resamples=2).point for x in sets], 0))
    means, errors = np.mean(values, axis=0), np.std(values, axis=0) / np.sqrt(60)
    assert (abs(means[:, 0] - true[:, 0]) < 4 * errors[:, 0] + 0.002).all()


def test_equal_models_have_equal_values():
    for designs in (("strata", "weights"), ("clusters", "runs")):
        a, b = study.true_values(designs, "equal")
        assert a == pytest.approx(b, abs=0.005)


def test_cells_are_two_designs_that_are_answered():
    both = {cell["designs"] for cell in study.cells()}
    assert {"strata+clusters", "strata+judge", "weights+runs", "runs+sets"} <= both
    assert all(len({*each.split("+")} & {*ALL}) == 2 for each in both)


@pytest.mark.filterwarnings("ignore")
def test_a_cell_has_a_row_for_each_metric():
    cell = {"designs": "strata+judge", "items": 100, "models": "worse"}
    rows = study.simulated(cell, 4)
    assert rows["metric"].tolist() == [*study.METRICS]
    assert rows["covered, score"].between(0, 1).all()
    assert rows["p below 0.05"].isna().all()
    assert rows["opens"].notna().all()
    assert len(study.verdict(rows)) == 1
