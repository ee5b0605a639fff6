"""Strengths whose information would not fit into memory are refused before it is taken."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.cli import main
from modelcompare.engine import memory

RNG = np.random.default_rng(0)
FIRST = RNG.integers(0, 12, 800)
TABLE = pd.DataFrame({
    "model_a": [f"m{k}" for k in FIRST],
    "model_b": [f"m{k}" for k in (FIRST + RNG.integers(1, 12, 800)) % 12],
    "winner": RNG.choice(["model_a", "model_b", "tie"], 800),
})  # fmt: skip
NEEDED = 8 * 5 * 12**2
REFUSED = "the strengths of 12 models, by the battles of each two of them, need about 0.0 GiB"


@pytest.mark.parametrize("road", ["table", "file", "command"])
def test_battles_of_more_models_than_fit_are_refused(road, tmp_path, monkeypatch, capsys):
    TABLE.to_csv(path := tmp_path / "battles.csv", index=False)
    ask = {
        "table": lambda: mc.from_battles(TABLE), "file": lambda: mc.read_predictions(path),
        "command": lambda: main(["compare", str(path)]),
    }[road]  # fmt: skip
    monkeypatch.setattr(memory, "CACHE_BYTES", 0)
    monkeypatch.setattr(memory, "free_memory", lambda: NEEDED - 1)
    if road == "command":
        assert ask() == 2
        assert REFUSED in capsys.readouterr().err
    else:
        with pytest.raises(ValueError, match=REFUSED):
            ask()
    kept = ~TABLE[["model_a", "model_b"]].isin(["m0"]).any(axis=1)
    assert len(mc.from_battles(TABLE[kept]).models) == 11
    monkeypatch.setattr(memory, "free_memory", lambda: 10 * NEEDED)
    assert len(mc.from_battles(TABLE).models) == 12
