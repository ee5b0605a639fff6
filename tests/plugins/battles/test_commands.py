"""Commands and options that meet battles."""

import pandas as pd
import pytest

import modelcompare as mc
from tests.plugged import needs


def test_win_rates_have_a_direction():
    games = pd.DataFrame(
        {"model_a": ["x", "y"] * 20, "model_b": ["y", "x"] * 20, "winner": ["model_a"] * 40}
    )
    assert mc.from_battles(games).access.scores.direction("win_rate") == (True, "declared")


@needs("catalogue")
@pytest.mark.parametrize("name", ["strength", "win_rate"])
def test_scores_of_battles_are_explained(run, name):
    out = run("metrics", name).out
    assert out.startswith(f"{name}\n")
    assert "per-example scores that were computed elsewhere" not in out
    assert name in run("metrics").out


def test_winners_and_losers_are_battles(tmp_path, run):
    players = [f"P{i % 3}" for i in range(121)]
    frame = pd.DataFrame({"match_date": range(20190100, 20190220), "winner_name": players[:-1],
                          "winner_rank": [1, 2, 3] * (40), "loser_name": players[1:],
                          "loser_rank": [2, 3, 1] * (40), "minutes": range(90, 210)})  # fmt: skip
    frame.to_csv(tmp_path / "t.csv", index=False)
    asked = run("compare", "t.csv")
    assert "(--read battles=winner_name,loser_name,winner_name)" in asked.err
    preds = mc.read_predictions(
        tmp_path / "t.csv", columns={"battles": ("winner_name", "loser_name", "winner_name")}
    )
    assert preds.models == ("P0", "P1", "P2")
    with pytest.raises(ValueError, match="battles need three columns"):
        mc.from_battles(
            frame,
            columns={"model_a": "winner_name", "model_b": "winner_name", "winner": "loser_name"},
        )


def test_subgroups_of_battles_are_refused_by_either_name_of_the_option(run, tmp_path):
    lines = ["model_a,model_b,winner,user", *(f"x,y,{'ab'[i % 2]},u{i}" for i in range(20))]
    (tmp_path / "b.csv").write_text("\n".join(lines))
    assert "--slice, or --by of groups" in run("groups", "b.csv", "--by", "user").err
