"""Ledgers of questions about strengths, which every battle changes."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from tests.plugged import needed

needed("battles", "ledgers")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.jsonl"


def battles(n=120):
    rng = np.random.default_rng(4)
    pairs = np.array([("a", "b"), ("b", "c"), ("a", "c")])[np.arange(400) % 3]
    wins = np.where(rng.random(400) < 0.6, "model_a", "model_b")
    return pd.DataFrame({
        "model_a": pairs[:, 0], "model_b": pairs[:, 1], "winner": wins,
        "question_id": np.arange(400) // 3,
    })[:n]  # fmt: skip


def test_looks_at_strengths_are_refused_before_any_is_spent(path):
    for looks in (3, "any"):
        with pytest.raises(ValueError, match=r"strengths are fitted to all battles, .*Ask once"):
            mc.gate(mc.from_battles(battles()), "a", "b", ["strength:+0"],
                    ledger=mc.Ledger(path, looks=looks))  # fmt: skip
    assert not path.exists()


@pytest.mark.filterwarnings("ignore::modelcompare.data.checks.DataWarning")
def test_win_rates_of_items_stay_and_have_looks(path):
    for n in (120, 240):
        rates = mc.from_battles(battles(n), baseline="c", columns={"item": "question_id"})
        found = mc.gate(rates, "a", "b", ["win_rate:+0"], ledger=mc.Ledger(path, looks=4))
    assert found.ledger.startswith("Look 2 of 4")


def test_candidates_of_one_table_of_battles_are_asked_about(path):
    found = mc.from_battles(battles())
    for number, candidate in enumerate("bc", start=1):
        assert mc.keep(found, "a", candidate, "strength:+0", ledger=path).number == number
    more = battles()
    more.loc[0, "winner"] = "tie"
    with pytest.raises(
        ValueError, match="from all rows and models need all candidates in the table"
    ):
        mc.keep(mc.from_battles(more), "a", "b", "strength:+0", ledger=path)
