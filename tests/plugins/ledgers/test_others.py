"""What is tested of all commands and answers, of ledgers."""

import pytest

import modelcompare as mc
from tests.cli.test_gate import PASSES
from tests.comparison.test_unknown_direction import ASKED, PREDS
from tests.test_action import MARKER, runner
from tests.test_positive import table

__all__ = ["runner"]


def test_no_candidate_is_kept_and_no_ledger_begun(tmp_path):
    ledger = tmp_path / "ledger.jsonl"
    with pytest.raises(ValueError, match=ASKED):
        mc.keep(PREDS, "A", "B", ["mean_score:+0"], ledger=mc.Ledger(ledger, candidates=3))
    assert not ledger.exists()


@pytest.mark.parametrize(
    ("given", "part"),
    [
        (("--looks", "3"), "--looks N, --spending and --expect-head are of a ledger; name it"),
        (("--looks", "any", "--expect-head", "abc"), "are of a ledger; name it (--ledger FILE)"),
        (("--spending", "pocock"), "are of a ledger; name it"),
        (("--looks", "few"), "--looks must be a whole number or any, got 'few'"),
        (("--ledger", "l.jsonl", "--spending", "pocock"), "(--spending) is of a planned number"),
        (("--ledger", "l.jsonl", "--looks", "0"), "`looks` must be at least 1, got 0"),
    ],
)  # fmt: skip
def test_options_of_ledgers_without_effect_are_refused(run, wide_csv, given, part):
    done = run("gate", wide_csv, *PASSES, "--superior", *given)
    assert done.code == 2
    assert part in done.err


def test_one_of_many_candidates_has_a_word_and_no_number(runner):
    done = runner.compare(margin="", kind="superior", args="--ledger runs.jsonl")
    assert done.returncode == 0
    assert done.stdout.startswith("::notice title=modelcompare gate::keep: a is better than b")
    assert (runner.outputs["answer"], runner.outputs["gain"]) == ("shown", "")
    comment = (runner.temp / "modelcompare-comment.md").read_text()
    assert comment.startswith(f"{MARKER}- keep: a is better than b")
    assert "0.297" not in comment


def test_assertions_and_commands_name_the_class(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    table().to_csv("soft.csv", index=False)
    asked = ("soft.csv", "bad", "good", "roc_auc:+0")
    kept = mc.testing.assert_kept(*asked, ledger="l.jsonl", positive="fraud")
    assert kept.word == "keep"
    asked = ("keep", "soft.csv", "--baseline", "bad", "--candidate", "good", "--rule", "roc_auc:+0",
             "--ledger", "other.jsonl")  # fmt: skip
    refused = run(*asked)
    assert refused.code == 2
    assert "nothing determines which of 'fraud' and 'ok' is the positive class" in refused.err
    assert run(*asked, "--positive", "fraud").code == 0
