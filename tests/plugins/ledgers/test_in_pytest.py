"""The fixture `model_gate`, in separate sessions of pytest, with ledgers."""

import json
import re
import tomllib
from pathlib import Path

import pandas as pd

import modelcompare as mc
from modelcompare import pytest_plugin
from modelcompare.cli.app import main
from tests.in_pytest import FEW, TABLE
from tests.pages import ROOT
from tests.plugged import needs

pytest_plugins = ["pytester"]
NUMBERS = re.compile(r"\d\.\d| CI |p [<=]")


def answers(path):
    """Answers in a ledger, in their order."""
    _, *entries = map(json.loads, path.read_text().splitlines())
    return [entry["answer"] for entry in entries]


def test_the_ledger_of_a_session_counts_its_candidates(session, pytester):
    tests = f"""
        import modelcompare as mc
        def test_better(model_gate):
            assert model_gate("preds.csv", "b", "a", "accuracy:+0", {FEW}).word == "keep"
        def test_same(model_gate):
            model_gate("preds.csv", "a", "c", "accuracy:+0", on_inconclusive="skip", {FEW})
        def test_worse(model_gate, monkeypatch, tmp_path):
            preds = mc.read_predictions("preds.csv")
            monkeypatch.chdir(tmp_path)
            model_gate(preds, "a", "b", "accuracy:+0", {FEW})
        def test_without(model_gate):
            assert model_gate("preds.csv", "b", "a", "accuracy:-0.2", ledger=None, {FEW}).decisions
    """
    done = session(tests, "--model-ledger", "runs.jsonl")
    done.assert_outcomes(passed=2, failed=1, skipped=1)
    text = done.stdout.str()
    head = mc.diagnostics.keep_report(pytester.path / "runs.jsonl", margin=0.1).head
    assert "AssertionError: discard: b is not better than a in accuracy.\n" in text
    assert f"Candidate 3, 1 kept; ledger head {head}." in text
    (passed,) = re.findall(r"^test_models\.py::(test_.*kept; .*)$", text, re.MULTILINE)
    assert passed.startswith("test_better: Candidate 1, 1 kept; ledger head ")
    # An answer about candidates contains no estimate.
    assert not [line for line in text.splitlines() if "accuracy." in line and NUMBERS.search(line)]
    assert answers(pytester.path / "runs.jsonl") == ["shown", "not enough data", "shown otherwise"]
    # Asked again, nothing is spent; the end that was cut off is seen by its head.
    session(tests, "--model-ledger", "runs.jsonl").assert_outcomes(passed=2, failed=1, skipped=1)
    assert len(answers(pytester.path / "runs.jsonl")) == 3
    lines = (pytester.path / "runs.jsonl").read_text().splitlines(keepends=True)
    (pytester.path / "runs.jsonl").write_text("".join(lines[:-1]))
    done = session(
        f"""
        import modelcompare as mc
        def test_head(model_gate):
            model_gate("preds.csv", "a", "b", "accuracy:+0", ledger=mc.Ledger("runs.jsonl", expect_head="{head}"), {FEW})
        """,
        "--model-ledger", "runs.jsonl",
    )  # fmt: skip
    done.assert_outcomes(failed=1)
    assert "its end was cut off" in done.stdout.str()


def test_a_test_may_name_its_ledger_and_looks_are_recorded_there(session, pytester):
    done = session(f"""
        import modelcompare as mc
        def test_look(model_gate):
            found = model_gate("preds.csv", "b", "a", "accuracy:-0.01", ledger=mc.Ledger("looks.jsonl", looks=3), {FEW})
            assert found.ledger.startswith("Look 1 of 3")
        def test_few(model_gate):
            model_gate("preds.csv", "a", "c", "accuracy:-0.01", ledger=mc.Ledger("few.jsonl", looks=2), {FEW})
        def test_kept(model_gate):
            assert model_gate("preds.csv", "b", "a", "accuracy:+0", ledger="own.jsonl", {FEW}).word
        def test_of_session(model_gate):
            assert model_gate("preds.csv", "b", "a", "accuracy:+0.1", {FEW}).word
    """, "--override-ini", "model_ledger=sub/of_all.jsonl", "--rootdir", ".")  # fmt: skip
    assert "sub does not exist; create it first." in done.stdout.str()
    done.assert_outcomes(passed=2, failed=2)
    assert "Look 1 of 2 (alpha 0.05 in all, obrien-fleming); ledger head" in done.stdout.str()
    assert answers(pytester.path / "looks.jsonl") == ["shown"]
    assert answers(pytester.path / "own.jsonl") == ["shown"]
    (pytester.path / "sub").mkdir()
    done = session(f"""
        def test_of_session(model_gate, monkeypatch):
            monkeypatch.chdir("sub")
            assert model_gate("../preds.csv", "b", "a", "accuracy:+0.1", {FEW}).word
    """, "--override-ini", "model_ledger=sub/of_all.jsonl", "--rootdir", ".")  # fmt: skip
    done.assert_outcomes(passed=1)
    assert answers(pytester.path / "sub" / "of_all.jsonl") == ["shown"]


def test_the_package_names_its_plugin_and_that_has_the_fixture():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"modelcompare": pytest_plugin.__name__}


@needs("suites")
def test_no_name_of_a_set_is_an_order_to_a_workflow_that_shows_the_session(session):
    done = session(
        f"""
        import modelcompare as mc
        SETS = {{name: mc.read_predictions("preds.csv") for name in ("x\\n::error::pwned", "y\\x1b[31mred\\n##[error]z")}}
        def test_worse(model_gate):
            model_gate(SETS, "a", "b", ["each(accuracy):-0.01"], {FEW})
        def test_skipped(model_gate):
            model_gate(SETS, "a", "c", ["each(accuracy):-0.01"], on_inconclusive="skip", {FEW})
        def test_kept(model_gate):
            model_gate(SETS, "a", "c", ["any(accuracy):+0"], ledger="ledger.jsonl", {FEW})
        def test_unknown(model_gate):
            model_gate(SETS, "a", "::error::q\\n::error::r", ["any(accuracy):+0"], {FEW})
        """,
        "-rA", "--tb=native",
    )  # fmt: skip
    done.assert_outcomes(failed=3, skipped=1)
    text = done.stdout.str()
    assert "pwned" in text
    assert [line for line in text.splitlines() if line.lstrip().startswith("::")] == []
    assert not re.search(r"\x1b\[31m|##\[", text)


@needs("suites", "texts")
def test_the_fixture_reads_the_files_that_the_command_gate_reads(session, capsys):
    # A column that is no model, beside models that are named; two sets in a folder; texts.
    TABLE.assign(minutes=range(101)).to_csv("beside.csv", index=False)
    Path("sets").mkdir()
    for name in ("one", "two"):
        TABLE.to_csv(f"sets/{name}.csv", index=False)
    texts = {"y_true": "a b c d", "a": "a b c d", "b": "a x y d", "c": "a b c d"}
    pd.DataFrame({k: [f"{v} {i}" for i in range(101)] for k, v in texts.items()}).to_csv(
        "texts.csv", index=False
    )
    asked = {
        "beside.csv": "accuracy:-0.01",
        "sets": "each(accuracy):-0.01",
        "texts.csv": "wer:-0.01",
    }
    for file, rule in asked.items():
        command = ["gate", file, "--rule", rule, "--baseline", "b", "--candidate", "a"]
        assert main([*command, "--resamples", "99"]) == 0, capsys.readouterr()
    done = session(f"""
        import pytest
        @pytest.mark.parametrize(("file", "rule"), {[*asked.items()]})
        def test_file(model_gate, file, rule):
            assert model_gate(file, "b", "a", rule, {FEW}).passed
    """)
    done.assert_outcomes(passed=3)
