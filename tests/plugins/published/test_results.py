"""Published results as scores of data sets: each is one sample, with runs where they cross."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import modelcompare as mc
from modelcompare.cli.app import main
from tests.plugged import needs

RNG = np.random.default_rng(1)
SETS = [f"task{i}" for i in range(12)]
WIDE = pd.DataFrame({"task": SETS, "a": RNG.random(12), "b": RNG.random(12) + 0.3})
LONG = pd.DataFrame(
    [
        {"benchmark": name, "system": m, "seed": seed, "acc": round(float(x), 4)}
        for name in SETS for m in "ab" for seed, x in enumerate(RNG.random(3) + (m == "b"))
    ]
)  # fmt: skip


def test_data_sets_are_samples_of_a_paired_t_test():
    preds = mc.io.from_results(WIDE)
    assert preds.ids.tolist() == SETS
    found = mc.compare(preds, test="wald", method="normal").differences.iloc[0]
    d = WIDE["a"] - WIDE["b"]
    assert found["difference"] == pytest.approx(d.mean())
    assert found["standard_error"] == pytest.approx(stats.sem(d))


@needs("runs")
def test_runs_on_all_data_sets_are_crossed_with_them():
    preds = mc.io.from_results(LONG)
    assert sorted({*preds.runs}) == ["0", "1", "2"]
    with pytest.warns(mc.SparseDataWarning, match="3 runs"):
        found = mc.compare(preds)
    assert "|generalize_to:items+runs|" in found.signature
    means = LONG.groupby("system")["acc"].mean()
    assert found.scores["estimate"].tolist() == pytest.approx(means.tolist())


def test_runs_that_some_lack_are_averaged():
    some = LONG.drop(index=[0, 40])
    preds = mc.io.from_results(some)
    assert preds.runs is None
    expected = some.groupby(["benchmark", "system"], sort=False)["acc"].mean().unstack()
    for m in "ab":
        assert preds.output(m).array.tolist() == pytest.approx(expected[m].loc[SETS].tolist())


def test_losses_count_downwards_and_missing_scores_are_refused():
    errors = pd.DataFrame({"model": ["a", "b"], "wer": [0.1, 0.2], "task": ["x", "x"]})
    more = pd.concat([errors, errors.assign(task="y")], ignore_index=True)
    assert mc.io.from_results(more).access.scores.greater_is_better is False
    with pytest.raises(ValueError, match="lacks the score of"):
        mc.io.from_results(WIDE.assign(a=WIDE["a"].where(WIDE.index > 0)))
    assert len(mc.io.from_results(WIDE.assign(a=WIDE["a"].where(WIDE.index > 0)),
                                  missing="drop")) == 11  # fmt: skip


@needs("runs", "suites")
def test_the_command_groups_reads_published_tables(tmp_path, capsys):
    path = tmp_path / "results.csv"
    LONG.to_csv(path, index=False)
    assert main(["groups", str(path), "--resamples", "99"]) == 0
    shown = capsys.readouterr()
    assert "each data set is one sample; the answer is for data sets like these" in shown.err
    assert "generalize_to:items+runs" in "".join(shown.out.split())
    WIDE.to_csv(path, index=False)
    assert main(["groups", str(path), "--resamples", "99", "--format", "json"]) == 0
    assert '"n_samples": 12' in capsys.readouterr().out
    assert main(["groups", str(path), "--weights", "samples"]) == 2
    assert "published results have equal ones" in capsys.readouterr().err


@needs("suites")
def test_predictions_are_not_taken_for_read_scores(tmp_path, capsys):
    path = tmp_path / "predictions.csv"
    y = RNG.integers(0, 2, 60)
    pd.DataFrame({"y_true": y, "a": y, "b": 1 - y}).to_csv(path, index=False)
    assert main(["groups", str(path)]) == 2
    assert "only one test set" in capsys.readouterr().err


@needs("suites")
def test_items_of_a_long_table_are_not_taken_for_data_sets(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    rows = [(f"q{i}", m, x) for i in range(30) for m, x in zip("ab", RNG.random(2), strict=True)]
    pd.DataFrame(rows, columns=["item", "model", "score"]).to_csv(path, index=False)
    assert main(["groups", str(path)]) == 2
    assert "only one test set" in capsys.readouterr().err


def test_shares_beside_percentages_differ_by_more_than_twenty_times():
    table = {"a": [0.5] * 4, "b": [10.0] * 4, "c": [11.0, 12.0, 13.0, 14.0]}
    ranks = mc.inference.critical_difference(table, greater_is_better=True).ranks
    assert ranks.set_index("model")["mean_rank"].to_dict() == {"c": 1, "b": 2, "a": 3}
    with pytest.raises(ValueError, match=r"'a' look like shares \(0\.5\), those of 'b' like perc"):
        mc.inference.critical_difference({**table, "b": [10.1] * 4}, greater_is_better=True)
