"""The study of percentiles: true values, the pairs of models, and its table."""

import itertools

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from experiments.validity import percentiles as study

pytestmark = pytest.mark.filterwarnings("ignore::modelcompare.metrics.SparseDataWarning")
CELL = {"metric": "p95", "n": 200, "tails": "lognormal", "models": "slower"}
PLAIN = CELL | {"design": "independent"}


@pytest.mark.parametrize("models", ["equal", "near", "unlike", "slower"])
@pytest.mark.parametrize("design", study.WANTED)
def test_the_truth_is_the_percentile_of_large_test_sets(models, design):
    cell = CELL | {"models": models, "design": design, "n": 20_000}
    drawn = study.draw(np.random.default_rng(0), cell, 20)
    for own, true in zip(drawn, study.truths(cell), strict=True):
        values = np.quantile(own, 0.95, axis=1)
        # One in 10,000 is further off, of Student's with 19 degrees of freedom.
        assert abs(values.mean() - true) < 4.9 * values.std(ddof=1) / 20**0.5


def test_intervals_and_gates_are_those_of_a_comparison_of_each_pair():
    rng = np.random.default_rng(1)
    preds = study.predictions(*study.draw(rng, PLAIN, 3), {})
    found = study.ends(preds, "p95")
    for trial in range(3):
        pair = mc.compare(preds[[f"a{trial}", f"b{trial}"]], "p95", n_resamples=99)
        row = pair.scores.set_index("model").loc[f"a{trial}", ["ci_low", "ci_high"]]
        assert found["score"][:, trial] == pytest.approx(row.tolist())
        low, high = found["difference"][:, trial]
        (difference,) = pair.differences.to_dict("records")
        assert (difference["ci_low"], difference["ci_high"]) == pytest.approx((low, high))
        # Lower is better: the gain of a over b is b - a.
        decided = mc.decide(preds, f"b{trial}", f"a{trial}", "p95", margin=1.0, n_resamples=99)
        low, high = found["gate"][:, trial]
        assert (decided.ci_low, decided.ci_high) == pytest.approx((-high, -low))


def test_a_comparison_announces_by_the_default_test():
    rng = np.random.default_rng(2)
    a, b = study.draw(rng, PLAIN, 8)
    preds = study.predictions(a, b * np.linspace(0.7, 1.5, 8)[:, None], {})
    low, high = study.ends(preds, "p95")["difference"]
    without_0 = (low > 0) | (high < 0)
    assert 0 < without_0.sum() < 8
    found = study.p_values(preds, "p95", np.ones(8, dtype=bool), np.random.default_rng(3))
    assert (found[~without_0] >= 0.05).all()
    chosen = study.p_values(preds, "p95", without_0, np.random.default_rng(3))
    assert (chosen[~without_0] == 1).all()
    assert (chosen[without_0] < 0.2).all()


def test_the_table_has_all_cells_and_holds(tmp_path):
    table = pd.read_csv(study.RESULTS)
    assert len(table) == len(study.cells())
    of_few = table["design"].eq("clusters") & table["n"].lt(1000) & table["metric"].eq("p95")
    assert not study.short(table[~of_few]).any()
    path = tmp_path / "found.csv"
    study.main(["--trials", "4", "--only", "^p50 50 light equal", "-o", str(path)])
    assert pd.read_csv(path)["trials"].isin([4, 20]).all()


def test_each_cell_is_there_once():
    cells = [tuple(cell.values()) for cell in study.cells()]
    assert len({*cells}) == len(cells) == 3 * 3 * 3 * 4 + 2 * 2 * 3 * 3
    assert {*itertools.product(("p50", "p95", "p99"), (50, 200, 1000))} <= {
        cell[:2] for cell in cells
    }
