"""The study of gates that are asked again: its worlds, and what its table promises."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from experiments import keep_search
from experiments.validity import keep as study
from experiments.validity.keep_worlds import BASE, draw, rates_of, values


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro"])
def test_candidates_differ_and_gain_as_a_cell_states(metric):
    tables = np.random.default_rng(0).multinomial(1_000_000, BASE.ravel()).reshape(1, 2, 2)
    counts = draw(np.random.default_rng(1), tables, rates_of(BASE, 0.1, -0.02, metric))
    before, after = (values(counts.sum(axis) / 1e6, metric)[0] for axis in (-1, -2))
    assert after - before == pytest.approx(-0.02, abs=0.001)
    assert counts[0, :, 0, 1].sum() + counts[0, :, 1, 0].sum() == pytest.approx(100_000, rel=0.02)


def test_gates_of_counts_are_those_of_decide():
    rng, opened = np.random.default_rng(2), []
    gates = study.Gates("accuracy", -0.02)
    for _ in range(20):
        counts = draw(rng, rng.multinomial(1000, BASE.ravel()).reshape(1, 2, 2), BASE * 0 + 0.08)
        rows = [np.repeat([k >> s & 1 for k in range(8)], counts.ravel()) for s in (2, 1, 0)]
        preds = mc.Predictions(rows[0], {"a": rows[1], "b": rows[2]})
        found = mc.decide(preds, "a", "b", "accuracy", margin=0.02).passed
        opened.append(found)
        assert gates.opens(counts, np.array([0.05])).tolist() == [found]
    assert len({*opened}) == 2


def test_the_table_keeps_its_promise():
    table = pd.read_csv(study.RESULTS)
    assert {*table["study"]} == {"looks", "threshold", "search", "kept", "judge"}
    assert table["coverage"].min() > study.WANTED
    error = table["error"] - 3.5 * np.sqrt(0.06 * 0.94 / table["trials"])
    assert error.max() < study.LARGEST


def test_gates_beside_a_judge_keep_small_levels():
    table = pd.read_csv(study.RESULTS).query("study == 'judge'")
    level = table["plan"].str.removeprefix("level ").astype(float)
    assert {*level} == {*study.keep_judged.LEVELS}
    assert len(table) == len(study.keep_judged.cells()) * len(study.keep_judged.LEVELS)
    assert (table["error"] <= level + 3.5 * np.sqrt(level / table["trials"])).all()


def test_keep_believes_what_is_true(tmp_path):
    found = keep_search.searches(tmp_path / "ledger.jsonl")
    table = keep_search.table(found)
    luck = table["believed"] - table["true"]
    assert luck["keep"] < luck["p < 0.05"] < luck["sign of the difference"]
    assert table.loc["keep", "kept"] == table.loc["keep", "of these real"] == 5
    assert len(keep_search.draw(found).axes) == 3
