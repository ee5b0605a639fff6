"""Blocks in time of several test sets, of battles, and of sets of labels."""

import io

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from tests.plugged import needed, needs

needed("time")
from tests.plugins.time.test_blocks import forecasts, series

pytestmark = pytest.mark.filterwarnings("ignore::modelcompare.SparseDataWarning")


@needs("suites")
def test_a_column_of_times_is_of_each_test_set(run, tmp_path):
    sets = {}
    for seed, name in enumerate(("first", "second", "third")):
        preds = forecasts().subset(np.arange(300 - 20 * seed))
        columns = {m: preds.output(m).array + seed / 10 for m in preds.models}
        table = pd.DataFrame({"day": np.arange(len(preds)), "y_true": preds.y_true, **columns})
        table.to_csv(tmp_path / f"{name}.csv", index=False)
        sets[name] = mc.io.in_time_blocks(
            mc.Predictions(preds.y_true, columns), np.arange(len(preds))
        )
    done = run("groups", tmp_path, "-m", "mae", "--time", "day", "--format", "csv")
    assert done.err.count("blocks of consecutive samples, by day") == 3
    shown = pd.read_csv(io.StringIO(done.out))
    asked = mc.compare_groups(sets, "mae")
    plain = mc.compare_groups(
        {k: each.with_columns(groups=None) for k, each in sets.items()}, "mae"
    )
    of = ["ci_low", "ci_high"]
    means = shown[shown["table"] == "pooled_differences"]
    np.testing.assert_allclose(means[of], asked.pooled_differences[of], rtol=1e-9)
    assert not np.allclose(means[of], plain.pooled_differences[of], rtol=1e-3)
    gate = run("gate", tmp_path, "--baseline", "b", "--candidate", "a", "--time", "day",
               "--rule", "mean(mae):-0.5")  # fmt: skip
    assert gate.code == 0, gate.err
    bounds = run(
        "compare", tmp_path / "first.csv", "-m", "mae", "--time", "day", "--missing", "bounds"
    )
    assert "--time is for one test set without missing results." in bounds.err


@needs("battles")
def test_a_column_of_times_is_of_battles(run, tmp_path):
    rng, n = np.random.default_rng(1), 400
    skill = np.repeat(rng.normal(0, 2, 40), 10)
    table = pd.DataFrame({
        "model_a": np.where(rng.random(n) < 0.5, "x", "y"), "day": np.arange(n),
    })  # fmt: skip
    table["model_b"] = np.where(table["model_a"] == "x", "y", "x")
    x_wins = rng.random(n) < 1 / (1 + np.exp(-skill))
    table["winner"] = np.where(x_wins == (table["model_a"] == "x"), "model_a", "model_b")
    table.to_csv(tmp_path / "battles.csv", index=False)
    days = table.pop("day").to_numpy()
    alone = mc.from_battles(table)
    blocks = mc.compare(mc.io.in_time_blocks(alone, days), "strength").differences
    # Battles of ten days are similar, so blocks have the larger error.
    assert (
        blocks["standard_error"].item()
        > 1.5 * mc.compare(alone).differences["standard_error"].item()
    )
    done = run("compare", "battles.csv", "--time", "day", "--format", "csv")
    shown = pd.read_csv(io.StringIO(done.out))
    shown = shown[shown["table"] == "differences"]
    assert shown["standard_error"].item() == pytest.approx(
        blocks["standard_error"].item(), rel=1e-9
    )
    by_day = run("compare", "battles.csv", "--time", "day", "--slice", "winner")
    assert "for which slices (--slice, or --by of groups) has no meaning" in by_day.err


@needs("label_sets")
def test_sets_in_time_have_blocks():
    x = series(300, 0.8)
    truth = (x[0] > 0).astype(int)
    labels = np.where(x[1] > -1, truth, 1 - truth)
    preds = mc.Predictions(
        np.stack([truth, 1 - truth], axis=1), {"a": np.stack([labels, 1 - labels], axis=1)},
        kind="label_sets",
    )  # fmt: skip
    assert 6 <= len({*mc.io.in_time_blocks(preds, np.arange(300)).groups}) < 150
