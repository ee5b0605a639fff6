"""The study of battles: its true strengths, and the table's promise."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from experiments.validity import battles as study

CELL = {"world": "plain", "models": 5, "battles": 3000, "users": 0}


@pytest.mark.parametrize("world", ["plain", "ties", "skewed"])
@pytest.mark.parametrize("users", [0, 4000])
def test_true_strengths_are_those_of_many_battles_and_users(world: str, users: int) -> None:
    cell = CELL | {"world": world, "users": users}
    strength = study.strengths(cell, equal=False)
    table = study.draw(np.random.default_rng(0), cell, strength)
    assert ("tie" in {*table["winner"]}) == (world == "ties")
    preds = mc.from_battles(table.drop(columns="user", errors="ignore"))
    found = dict(zip(preds.models, mc.bootstrap(preds, n_resamples=2).estimate, strict=True))
    values = [found[f"m{at:02}"] for at in range(5)]
    assert values == pytest.approx(study.true_strengths(cell, strength), abs=0.06)


def test_models_in_the_middle_may_be_equal() -> None:
    values = study.strengths(CELL, equal=True)
    assert values[1] == values[2]
    true = study.true_strengths(CELL | {"users": 15}, values)
    assert true[1] == pytest.approx(true[2], abs=1e-8)


def test_the_table_of_battles_keeps_its_promise() -> None:
    """Coverage, size and gates of all trials, within the error of the simulation."""
    table = pd.read_csv(study.RESULTS)
    key = ["world", "models", "battles", "users"]
    simulated = {*table[key].itertuples(index=False, name=None)}
    cells = {tuple(cell[name] for name in key) for cell in study.cells()}
    assert simulated <= cells
    assert len(table) == len(simulated) > 30
    for name, promise, sign in (
        ("covered, score", study.WANTED, 1), ("covered, difference", study.WANTED, 1),
        ("p up to 0.05", study.LARGEST, -1), ("opens", study.LARGEST, -1),
    ):  # fmt: skip
        error = np.sqrt(promise * (1 - promise) / table["trials"])
        short = sign * (promise - table[name]) / error
        assert short.max() < 2.5, table.loc[short.idxmax()]
