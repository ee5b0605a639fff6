"""The study of metrics that are no means over several runs: closed forms, and its table."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import f1_score, roc_auc_score

from experiments.validity import metrics_over_runs as study


@pytest.mark.parametrize("metric", study.METRICS)
def test_the_value_of_a_run_is_that_of_a_large_sample(metric):
    rng, n = np.random.default_rng(0), 400_000
    truth = rng.standard_normal(n) if metric == "spearman" else rng.integers(0, 2, n)
    signal = {"spearman": truth, "p95": np.ones(n)}.get(metric, truth - 0.5)
    evidence = 1.4 * signal + rng.standard_normal(n)
    found = {
        "roc_auc": lambda: roc_auc_score(truth, evidence),
        "f1_macro": lambda: f1_score(truth, evidence > 0, average="macro"),
        "spearman": lambda: spearmanr(truth, evidence).statistic,
        "p95": lambda: np.quantile(np.exp(evidence), 0.95),
    }[metric]()
    assert study.value(metric, np.array(1.4)) == pytest.approx(found, rel=0.01)


@pytest.mark.parametrize("metric", study.METRICS)
def test_runs_have_the_scales_of_their_cell(metric):
    cell = {"metric": metric, "scale": "by run", "items": 20_000, "runs": 3, "of": "score"}
    preds, values = study.draw(np.random.default_rng(1), cell)
    assert values.shape == (2, 3)
    low, high = study.interval(cell, preds, "items")
    # Two widths: one interval in twenty misses.
    assert abs(values[0].mean() - (low + high) / 2) < high - low


def test_the_table_has_all_cells_and_names_what_falls_short(tmp_path):
    table = pd.read_csv(study.RESULTS)
    assert len(table) == len(study.cells())
    short, wider = table[study.short(table)], table["width over pooled"].dropna()
    # The mean of percentiles of 60 numbers is less certain than that of 300 pooled ones.
    assert {*zip(short["metric"], short["items"], strict=True)} == {("p95", 60)}
    assert table["covered, items"].min() > 0.935
    assert (wider.drop(short.index) <= study.MOST).all()
    path = tmp_path / "found.csv"
    study.main(["--trials", "3", "--only", "^p95 same 60 5 score", "-o", str(path)])
    assert pd.read_csv(path)["trials"].isin([3, 15]).all()
