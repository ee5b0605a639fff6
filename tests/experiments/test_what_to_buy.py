"""The study of recommended numbers: pilots have the true components, power is that of the plan."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from experiments.validity import what_to_buy as study
from modelcompare.questions.components import Size


@pytest.mark.parametrize("runs", ["shared", "separate"])
def test_pilots_have_the_components_that_power_is_computed_from(runs):
    world = {"runs": runs, "spread": 0.2, "margin": 0.1}
    rng, size, true = np.random.default_rng(0), Size(1, 40, 5), study.components(world)
    found = [
        mc.sample_size(study.drawn(world, size, rng), "a", "b", "mean_score").components
        for _ in range(60)
    ]
    for name in ("items", "runs", "rest"):
        values = np.array([np.ravel(getattr(each, name)) for each in found])
        error = values.std(axis=0, ddof=1) / np.sqrt(len(found))
        assert (abs(values.mean(axis=0) - np.ravel(getattr(true, name))) < 4 * error).all()


def test_real_power_is_that_of_new_test_sets_of_the_size():
    world = {"runs": "separate", "spread": 0.05, "margin": 0.1}
    size = Size(1, 60, 5)
    predicted = study.components(world).power(size, 0.1, study.ALPHA)
    found = study.real_power(world, size, 1000, np.random.default_rng(1))
    assert found == pytest.approx(predicted, abs=4 * np.sqrt(0.25 / 1000))


def test_the_table_has_the_power_that_was_promised(tmp_path, monkeypatch):
    table = pd.read_csv(study.RESULTS)
    exact = table[table["kind"] == "exact"]
    assert exact["power"].between(0.75, 0.9).all()
    pilots = table[table["kind"] == "pilot"]
    assert len(pilots) == 3 * len(study.worlds())
    spread = (pilots["items, high"] / pilots["items, low"]).groupby(pilots["n_runs"]).median()
    assert spread[3] > spread[10]
    study_world = {"runs": "shared", "spread": 0.05, "margin": 0.2}
    monkeypatch.setattr(study, "worlds", lambda: [study_world])
    path = tmp_path / "found.csv"
    study.main(["--trials", "20", "--pilots", "2", "-o", str(path)])
    assert {*pd.read_csv(path)["kind"]} == {"exact", "pilot"}
