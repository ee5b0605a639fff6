"""Ledgers of test sets with labels beside a judge."""

import pytest

import modelcompare as mc
from modelcompare.plugs import plugins

if not {"ledgers", "judges"} <= {*plugins()}:
    pytest.skip("needs the plugins ledgers and judges", allow_module_level=True)

from tests.plugins.judges.test_refusals import drawn


def test_looks_beside_a_judge_are_refused(tmp_path):
    preds, _ = drawn(0)
    for looks in (3, "any"):
        with pytest.raises(ValueError, match=r"decide and gate \(of one test set, asked once"):
            mc.gate(
                preds, "m0", "m1", ["accuracy:-0.1"], ledger=mc.Ledger(tmp_path / "l", looks=looks)
            )
