"""Ledgers of questions about models that have several runs, or labels beside a judge."""

import warnings

import pytest

import modelcompare as mc
from tests.plugged import needs


@needs("ledgers", "runs")
def test_a_ledger_counts_results(tmp_path):
    from tests.plugins.runs.test_repeated_rows import FEW, UNEQUAL, N

    path = tmp_path / "looks.jsonl"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mc.gate(UNEQUAL, "a", "b", ["mean_score:-0.01"], ledger=mc.Ledger(path, looks=2), **FEW)
    assert mc.diagnostics.budget(path).n_samples == 5 * N


@needs("ledgers", "judges")
def test_looks_beside_a_judge_are_refused(tmp_path):
    from tests.plugins.judges.sets import drawn

    preds, _ = drawn(0)
    for looks in (3, "any"):
        with pytest.raises(ValueError, match=r"decide and gate \(asked once"):
            mc.gate(
                preds, "m0", "m1", ["accuracy:-0.1"], ledger=mc.Ledger(tmp_path / "l", looks=looks)
            )
