"""Pairs of MT-Bench, whose judges decide battles in two games."""

import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.data.checks import DataWarning
from tests.readers.opening import DATA


def test_pairs_of_mt_bench_are_battles_won_in_both_games():
    path = DATA / "mt_bench" / "gpt-4_pair.jsonl"
    with pytest.warns(
        DataWarning, match=r"gpt-4_pair.jsonl: left out 1 of 12 battles, in which the"
    ):
        preds = mc.read_predictions(path)
    # Wins, losses and ties that FastChat's show_result.py --mode pairwise-all printed.
    counts = {"small": [3, 1, 3], "large": [4, 2, 2], "middle": [1, 5, 1]}
    won = (
        [("small", "middle")] * 2
        + [("small", "large")]
        + [("large", "middle")] * 3
        + [("large", "small"), ("middle", "large")]
    )
    tied = [("small", "middle"), ("small", "large"), ("small", "large")]
    assert counts == {
        model: [sum(a == model for a, _ in won), sum(b == model for _, b in won),
                sum(model in pair for pair in tied)]
        for model in counts
    }  # fmt: skip
    table = pd.DataFrame(
        [(*p, "a") for p in won] + [(*p, "tie") for p in tied],
        columns=["model_a", "model_b", "winner"],
    )
    expected = mc.bootstrap(mc.from_battles(table), n_resamples=2).estimate
    found = mc.bootstrap(preds, n_resamples=2).estimate
    assert found.to_dict() == pytest.approx(expected.to_dict(), abs=1e-9)
    assert preds.groups.tolist() == [0] * 6 + [1] * 5
    with pytest.warns(DataWarning):
        assert mc.from_battles(path).models == preds.models
