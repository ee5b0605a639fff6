"""Ledgers of test sets with several runs of each model."""

import warnings

import modelcompare as mc
from tests.plugged import needed

needed("ledgers", "runs")

from tests.plugins.runs.test_repeated_rows import FEW, UNEQUAL, N


def test_a_ledger_counts_results(tmp_path):
    path = tmp_path / "looks.jsonl"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mc.gate(UNEQUAL, "a", "b", ["mean_score:-0.01"], ledger=mc.Ledger(path, looks=2), **FEW)
    assert mc.diagnostics.budget(path).n_samples == 5 * N
