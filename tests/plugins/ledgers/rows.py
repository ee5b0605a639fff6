"""Rows of the tables of other tests."""

from pathlib import Path
from tempfile import mkdtemp

import pandas as pd

import modelcompare as mc
from modelcompare.plugs import plugins
from tests.made_up import sliced
from tests.senseless import FEW, NAN, PLAIN, Door

SNLI = ("snli.npz", "--baseline", "naive_bayes", "--candidate", "bow_pair")
FORMED = ("--format", "json")
ASKED = {
    "keep": (
        (*SNLI, "--ledger", "l.jsonl", "--inconclusive-exit", "0", "--resamples", "99"),
        "keep",
    ),
    "keep:report": (("--report", "--margin", "0.1", "--ledger", "known.jsonl"), "keep_report"),
    "sample-size:left": (("--margin", "0.1", "--ledger", "known.jsonl"), "budget"),
}
COMMENTED = {
    "candidates": ("--metric", "accuracy", "--superior", "--ledger", "runs.jsonl"),
    "looks": ("--metric", "accuracy", "--margin", "0.1", "--ledger", "looks.jsonl", "--looks", "3"),
}


def _known(folder):
    rows = [{"y_true": i % 2, "a": i % 3 % 2, "b": i % 2} for i in range(80)]
    preds = mc.read_predictions(pd.DataFrame(rows))
    mc.keep(preds, "a", "b", "accuracy:+0", ledger=folder / "known.jsonl")


FILES = {"known.jsonl": _known}


def _hostile(sets, models):
    ledger = Path(mkdtemp()) / "ledger.jsonl"
    asked, rule = next(iter(sets.values())), "accuracy:+0.9"
    if "suites" in plugins():
        asked, rule = sets, "mean(accuracy):+0.9"
    kept = mc.keep(asked, *models, rule, ledger=ledger, n_resamples=99)
    return kept, mc.diagnostics.keep_report(ledger, margin=0.1)


HOSTILE_SETS = {"ledgers": _hostile}


def _ledger():
    """A ledger of one candidate."""
    path = Path(mkdtemp()) / "ledger.jsonl"
    return path, mc.keep(sliced(), "m1", "m0", "accuracy:+0", ledger=path, **FEW)


MADE = {
    "GateResult of a look": lambda: mc.gate(
        sliced(),
        "m0",
        "m1",
        "accuracy:-0.01",
        ledger=mc.Ledger(Path(mkdtemp()) / "l.jsonl", looks=2),
        **FEW,
    ),
    "KeepResult": lambda: _ledger()[1],
    "KeepReport": lambda: mc.diagnostics.keep_report(_ledger()[0], margin=0.05),
    "Budget": lambda: mc.diagnostics.budget(_ledger()[0], margin=0.05),
}


def DOORS():
    ledger = Path(mkdtemp()) / "ledger.jsonl"
    mc.keep(PLAIN, "a", "b", "f1_macro:+0", ledger=ledger, **FEW)
    return {
        "keep": Door(
            mc.keep,
            {
                "predictions": PLAIN,
                "baseline": "a",
                "candidate": "b",
                "rules": ["f1_macro:+0"],
                "ledger": ledger,
                **FEW,
            },
        ),
        "Ledger": Door(
            mc.Ledger,
            {"path": "ledger.jsonl"},
            beside={"spending": {"looks": 3}},
            instead={"path": [5, [], {}, NAN, True, ""], "expect_head": [5, [], {}, NAN, True]},
        ),
        "keep_report": Door(mc.diagnostics.keep_report, {"ledger": ledger}),
        "budget": Door(mc.diagnostics.budget, {"ledger": ledger, "margin": 0.1}),
    }
