"""Ledgers that are asked for any number of samples."""

import json

import pytest

import modelcompare as mc
from tests.plugged import needed

needed("any_time", "ledgers")
from modelcompare.plugins.ledgers.history import History
from tests import candidates as sets
from tests.plugins.any_time.test_any_time import differences
from tests.plugins.any_time.test_betting import wealth
from tests.plugins.ledgers.test_looks import RULE, look
from tests.plugins.ledgers.test_looks import ask as ask
from tests.plugins.ledgers.test_looks import path as path


def test_any_time_with_a_ledger_is_asked_until_it_is_decided(path):
    options = {"looks": "any"}
    asked = [look(path, n, "good", **options) for n in (20, 40, 60)]
    assert [each.answer for each in asked[:2]] == ["not enough data"] * 2
    for n in (60, 61, 120, 300):
        if asked[-1].answer == "not enough data":
            asked.append(look(path, n, "good", **options))
    assert asked[-1].answer == "shown"
    with pytest.raises(ValueError, match="answered 'shown', and that stands"):
        look(path, 400, "good", **options)
    assert {entry["level"] for entry in History.read(path).entries} == {0.05}
    assert "(alpha 0.05 in all, at any time)" in asked[-1].ledger
    # Without a ledger the answers are the same.
    alone = mc.gate(sets.of(40), "old", "good", [RULE], method="any-time")
    assert alone.decisions == asked[1].decisions


def test_planned_looks_and_bounds_at_any_time_are_refused_together(path):
    with pytest.raises(ValueError, match=r"has the levels of 5 looks.*\(--looks any\)\.$"):
        look(path, 40, "good", looks=5, method="any-time")
    assert not path.exists()
    assert look(path, 40, "good", looks="any", method="any-time").answer == "not enough data"
    with pytest.raises(ValueError, match=r"the options|plans no looks, .*not of 'BCa'; leave"):
        look(path, 60, "good", looks="any", method="BCa")


def test_any_time_on_the_command_line(ask, run):
    found = ask(300, "--looks", "any", candidate="best")
    assert found.code == 0
    assert "(alpha 0.05 in all, at any time)" in found.err
    # The sentence is not that of a gate that is asked once.
    assert found.out.endswith("(300 samples, one-sided alpha 0.05 at any time).\n")
    assert "at any time" not in ask(300, candidate="best", ledger=()).out
    plain = run("gate", "preds.csv", "--baseline", "old", "--candidate", "best", "--metric",
                "accuracy", "--superior", "--looks", "any", "--format", "json")  # fmt: skip
    assert plain.code == 0
    document = json.loads(plain.out)
    wins = differences(300, "best")
    assert wealth(wins, document["ci_low"], -1.0) == pytest.approx(20, rel=1e-3)
