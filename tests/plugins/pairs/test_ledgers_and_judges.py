"""Ledgers of test sets with labels beside a judge."""

import warnings

import numpy as np
import pytest

import modelcompare as mc
from tests import candidates as sets
from tests.plugged import needed

needed("ledgers", "judges")

from tests.plugins.judges.sets import drawn


def test_looks_beside_a_judge_are_refused(tmp_path):
    preds, _ = drawn(0)
    for looks in (3, "any"):
        with pytest.raises(ValueError, match=r"decide and gate \(asked once: without a ledger"):
            mc.gate(
                preds, "m0", "m1", ["accuracy:-0.1"], ledger=mc.Ledger(tmp_path / "l", looks=looks)
            )


def test_a_ledger_knows_the_judge_and_the_labels(tmp_path):
    found = sets.columns()
    labelled = np.random.default_rng(0).permutation(sets.N) < 200
    models = {name: found[name] for name in ("old", "good", "best")}

    def judged(labelled, verdicts):
        truth = np.where(labelled, found["y_true"], np.nan)
        return mc.Predictions(truth, models, judge=verdicts)

    path, first = tmp_path / "ledger.jsonl", judged(labelled, found["best"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mc.SparseDataWarning)
        kept = mc.keep(first, "old", "good", "accuracy:+0", ledger=path)
        assert (
            kept.answer == mc.gate(first, "old", "good", ["accuracy:+0"], alpha=kept.level).answer
        )
    assert mc.keep(first, "old", "good", "accuracy:+0", ledger=path).repeated
    fewer = labelled & (np.arange(sets.N) > 20)
    for other, named in (
        (judged(fewer, found["best"]), "true labels or values, samples with labels by people"),
        (judged(labelled, found["good"]), r"verdicts \(--judge\)"),
    ):
        with pytest.raises(ValueError, match=f"changed: {named}\\. Ask with"):
            mc.keep(other, "old", "best", "accuracy:+0", ledger=path)
