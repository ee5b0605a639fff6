"""The studies of judges: their worlds, true values, and tables."""

import numpy as np
import pandas as pd
import pytest

from experiments.validity import beside_ppi, labels_to_buy
from experiments.validity import judges as study
from modelcompare.plugins.judges.verdicts import judge_of


@pytest.mark.parametrize("world", study.WORLDS)
def test_models_and_judges_are_right_as_often_as_a_cell_states(world: str) -> None:
    cell = {"world": world, "labels": 50, "judge": 0.8, "right": 0.9, "pair": "worse"}
    rng = np.random.default_rng(0)
    truth, _, answers, verdict = study.draw(rng, cell, 40_000)
    if world in ("scores", "numbers"):
        rights = [answers[0], answers[1]]
        if world == "scores":
            assert np.mean(verdict[0] == answers[0]) == pytest.approx(0.8, abs=0.01)
    else:
        rights = [answer == truth for answer in answers]
        assert np.mean(verdict == truth) == pytest.approx(0.8, abs=0.01)
    assert np.mean(rights[0]) == pytest.approx(0.9, abs=0.01)
    assert np.mean(rights[1]) == pytest.approx(0.85, abs=0.01)
    preds = study.labelled(rng, cell)
    assert judge_of(preds).n_labels == 50


def test_true_values_are_those_of_a_large_test_set() -> None:
    cell = {"world": "three", "labels": 50, "judge": 0.8, "right": 0.9, "pair": "worse"}
    assert study.true_values(cell)[:, 0] == pytest.approx([0.9, 0.85], abs=0.003)


def test_the_table_of_judges_keeps_its_promise() -> None:
    """Where no warning excuses: coverage, size and gates, within the error of the trials."""
    table = pd.read_csv(study.RESULTS)
    assert len(table) > 100
    for name, promise, sign in (
        ("covered, score", study.WANTED, 1), ("covered, difference", study.WANTED, 1),
        ("p below 0.05", study.LARGEST, -1), ("opens", study.LARGEST, -1),
    ):  # fmt: skip
        part = table[table["not warned"] >= 50].dropna(subset=[f"{name}, not warned"])
        error = np.sqrt(promise * (1 - promise) / part["not warned"])
        short = sign * (promise - part[f"{name}, not warned"]) / error
        assert short.max() < 3.5, part.loc[short.idxmax()]


def test_the_table_beside_ppi_covers_where_others_do_not() -> None:
    table = pd.read_csv(beside_ppi.RESULTS)
    lowest = table.groupby("interval")["covered"].min()
    assert lowest["ours"] >= 0.92
    assert lowest["ppi-python"] < 0.6


def test_the_table_of_labels_to_buy_has_its_power() -> None:
    table = pd.read_csv(labels_to_buy.RESULTS)
    assert table["coverage"].min() > 0.92
    of_one = table["sets"].isna()
    assert table["power"][of_one].min() > 0.76
    assert table["power"][~of_one].min() > 0.68
