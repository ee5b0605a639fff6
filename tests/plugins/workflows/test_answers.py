"""Answers of gates for workflows and pull requests."""

import json
import re

import numpy as np
import pytest

from modelcompare.plugins.workflows.run import escaped, output
from tests.cli.test_gate import FEW, PASSES, on_linux
from tests.cli.workflow import outputs
from tests.plugged import plugged


def test_an_annotation_has_the_answer(run, wide_csv):
    asked = ("--baseline", "good", "--candidate", "poor", "--margin", "0.01", *FEW)
    annotation = run("gate", wide_csv, *asked, "--format", "github")
    assert annotation.code == 1
    assert annotation.out.startswith("::error title=modelcompare gate::poor is inferior to")


@pytest.mark.parametrize(
    "rules",
    [("--metric", "accuracy", "--margin", "0.1"), ("--rule", "accuracy:-0.1", "--rule", "f1[cat]:+0"),
     *plugged("COMMENTED").values()],
)  # fmt: skip
def test_a_comment_has_the_answer_on_top_and_the_same_numbers_as_json(run, wide_csv, rules):
    gate = ("gate", wide_csv, "--baseline", "poor", "--candidate", "good", *rules, *FEW)
    comment, document = run(*gate, "--format", "pr-comment"), run(*gate, "--format", "json")
    assert (comment.code, document.code) == (0, 0)
    marker, answer, *_ = comment.out.split("\n")
    assert marker == "<!-- modelcompare gate -->"
    word = "keep" if "runs.jsonl" in rules else "PASS"
    assert answer.startswith(f"- {word}: ")
    assert comment.out.partition("<details>")[0].count(f"{word}: ") == 1
    assert f"**{word}**" not in comment.out
    assert len(re.findall(r"^\| --- ", comment.out, re.MULTILINE)) == 1
    numbers, expected = json.loads(_folded(comment.out)), json.loads(document.out)
    # The second question about one of many candidates is the first one again.
    for each in (numbers, expected):
        for row in (each, *each.get("answer", ())) if "word" in each else ():
            row.pop("repeated"), row.pop("reason")
    assert numbers == expected
    if "--ledger" in rules:
        assert f"ledger head {expected.get('head', '')}" in comment.out
        assert "ledger head " in comment.err
        assert "ledger head " in document.err


def _folded(comment):
    """The numbers of a comment, as GitHub shows them: to the next line of three backticks."""
    _, _, rest = comment.partition("<details><summary>Numbers</summary>\n\n```json\n")
    numbers, _, end = rest.partition("\n```")
    assert end == "\n\n</details>\n"
    return numbers


def test_a_name_neither_calls_a_person_nor_ends_the_numbers_of_a_comment(run, tmp_path):
    truth, candidate = np.arange(40) % 2, "@the/team\n```\n</details>"
    np.savez(tmp_path / "names.npz", **{"y_true": truth, "a": truth, candidate: 1 - truth})
    done = run("gate", "names.npz", "--baseline", "a", "--candidate", candidate, "--margin", "0.1",
               "-m", "accuracy", "--format", "pr-comment", *FEW)  # fmt: skip
    assert done.code == 1
    assert done.out.split("\n")[1].startswith("- FAIL: ")
    assert json.loads(_folded(done.out))["candidate"] == candidate
    table, _, _ = done.out.partition("<details>")
    assert "@the" not in table
    assert "```" not in table


def test_numbers_that_are_too_long_for_a_comment_are_left_out(run, wide_csv, monkeypatch):
    gate = ("gate", wide_csv, *PASSES, "--superior", "--format", "pr-comment")
    whole = run(*gate).out
    for longest, kept in ((len(whole) + 1, True), (len(whole) - 1, False)):
        monkeypatch.setattr("modelcompare.plugins.workflows.run._LONGEST_COMMENT", longest)
        shown = run(*gate).out
        assert ("```json" in shown, "`--format json` prints them." in shown) == (kept, not kept)
        assert "| accuracy | superior |" in shown


def test_a_workflow_gets_a_table_and_outputs_behind_what_others_wrote(
    run, wide_csv, tmp_path, monkeypatch
):
    files = {name: tmp_path / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    for name, path in files.items():
        path.write_text("| a |\n| - |\n" if name == "GITHUB_STEP_SUMMARY" else "seen=1\n")
        monkeypatch.setenv(name, str(path))
    gate = ("gate", wide_csv, "--baseline", "poor", "--candidate", "good", "--rule", "accuracy:+0.1",
            "--rule", "f1[cat]:-0.01", *FEW)  # fmt: skip
    plain = json.loads(run(*gate, "--format", "json").out)
    assert [path.stat().st_size for path in files.values()] == [12, 7]
    assert run(*gate, "--format", "github").code == 0
    found = outputs(files["GITHUB_OUTPUT"].read_text())
    assert (found.pop("seen"), found.pop("answer"), found.pop("passed")) == ("1", "shown", "true")
    assert found.pop("sentence").split("\n") == [each["sentence"] for each in plain["decisions"]]
    assert found.pop("n_needed") == "\n"
    for name, values in found.items():
        numbers = [float(value) for value in values.split("\n")]
        assert numbers == pytest.approx([each[name] for each in plain["decisions"]], rel=1e-11)
    before, empty, first, *_ = files["GITHUB_STEP_SUMMARY"].read_text().split("\n")[1:]
    assert (before, empty, first) == ("| - |", "", "- PASS: 2 of 2 rules hold.")
    assert "| f1 of cat | non-inferior | 0.01 |" in files["GITHUB_STEP_SUMMARY"].read_text()


def test_a_name_cannot_add_an_output_of_its_own(run, tmp_path, monkeypatch):
    truth = np.arange(40) % 2
    candidate = "x\nEND\npassed<<END\ntrue\nEND"
    np.savez(tmp_path / "orders.npz", **{"y_true": truth, "a": truth, candidate: 1 - truth})
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    done = run("gate", "orders.npz", "--baseline", "a", "--candidate", candidate, "--margin", "0.1",
               "-m", "accuracy", "--format", "github", *FEW)  # fmt: skip
    assert done.code == 1
    found = outputs((tmp_path / "output").read_text())
    assert found["passed"] == "false"
    assert found["sentence"].startswith(r"x\nEND\npassed<<END\ntrue\nEND is inferior to")


@pytest.mark.parametrize("name", ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"])
@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("none/out", "none/out: No such file or directory"),
        (".", ".: Is a directory"),
        pytest.param("/dev/full", "/dev/full: No space left on device", marks=on_linux),
    ],
)
def test_an_answer_that_does_not_reach_the_workflow_is_exit_code_74(
    run, wide_csv, monkeypatch, name, path, reason
):
    monkeypatch.setenv(name, path)
    done = run("gate", wide_csv, *PASSES, "--superior", "--format", "github")
    assert done.code == 74
    assert done.err == f"modelcompare: error: the answer cannot be written: {reason}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # https://github.com/actions/toolkit, packages/core/__tests__/command.test.ts
        ("%25 %25 %0D %0D %0A %0A", "%2525 %2525 %250D %250D %250A %250A"),
        ("percent % percent % cr \r cr \r lf \n lf \n", "percent %25 percent %25 cr %0D cr %0D lf %0A lf %0A"),
        ("\x1b[2J::error::x", "\\x1b[2J::error::x"),
    ],
)  # fmt: skip
def test_messages_of_workflow_commands(text, message):
    assert escaped(text) == message


@pytest.mark.parametrize(
    "value", ["", "plain", "two\nlines", "END", "a\nEND\npassed=true", "END_\nEND__"]
)
def test_no_value_ends_an_output_of_a_workflow_before_its_end(value):
    text = output("first", value) + output("second", "x")
    assert outputs(text) == {"first": value, "second": "x"}
