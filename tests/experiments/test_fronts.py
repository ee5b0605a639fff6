"""The study of Pareto fronts: true values, the true front, and its table."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from experiments.validity import fronts as study

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
CELL = {"world": "dominated", "models": 3, "n": 100, "cost": "ms", "margin": 0.0}


@pytest.mark.parametrize("world", ["equal", "edge", "trade", "dominated"])
def test_the_truth_is_that_of_a_large_test_set(world):
    cell = CELL | {"world": world, "n": 40_000, "margin": 0.05}
    preds = study.draw(np.random.default_rng(0), cell)
    found = mc.bootstrap(preds, ["accuracy", "ms_p50"], n_resamples=2).estimate.to_numpy()
    assert found.reshape(-1, 2) == pytest.approx(study.spec(cell), rel=0.02)


def test_the_true_front_depends_on_the_margin():
    assert study.true_front(CELL).tolist() == [True, True, False]
    # Each model is worse than the one after it by 0.04.
    assert study.true_front(CELL | {"margin": 0.05}).tolist() == [True, False, False]
    edge = CELL | {"world": "edge", "margin": 0.05}
    assert study.true_front(edge).all()
    assert study.spec(edge)[:, 0] == pytest.approx([0.8, 0.75, 0.75], abs=1e-5)


def test_shares_are_of_the_answers_to_each_test_set():
    found = study.run_cell(CELL | {"n": 400}, 5, 1)
    rng = np.random.default_rng(1)
    status = []
    for _ in range(5):
        preds = study.draw(rng, CELL | {"n": 400})
        result = mc.compare(
            preds, ["accuracy", "ms"], n_resamples=999, rng=int(rng.integers(2**31))
        )
        status.append(result.pareto()["status"].tolist())
    assert found["dominated recognised"] == np.mean([each[2] == "dominated" for each in status])
    assert found["front recognised"] == np.mean([s == "front" for each in status for s in each[:2]])
    assert found["front called dominated"] == np.mean(["dominated" in each[:2] for each in status])


def test_the_table_has_all_cells_and_holds(tmp_path):
    table = pd.read_csv(study.RESULTS)
    assert len(table) == len(study.cells())
    assert not study.short(table).any()
    path = tmp_path / "found.csv"
    study.main(["--trials", "2", "--only", "^equal 3 100", "-o", str(path)])
    assert pd.read_csv(path)["trials"].isin([2, 10]).all()
