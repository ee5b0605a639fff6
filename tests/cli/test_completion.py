"""What a shell is told when somebody presses Tab."""

import os
import subprocess
import sys

import pytest

from modelcompare.metrics import METRICS


def completed(*words):
    """What bash shows for these words, of which the last is being written."""
    environment = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run(
        [sys.executable, "-m", "modelcompare"], capture_output=True, text=True, check=False,
        env={**os.environ, **environment, "_MODELCOMPARE_COMPLETE": "complete_bash"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "--metric"), ("gate", "--margin", "0.1", "-m"), ("sensitivity", "--metric"),
        ("sample-size", "--metric"), ("report", "-m"), ("variance", "--pair"), ("metrics",),
    ],
    ids=" ".join,
)  # fmt: skip
def test_metrics_are_completed_by_name(words):
    found = completed("modelcompare", *words, "cf1")
    assert found == sorted(name for name in METRICS if name.startswith("cf1")) != []


def test_commands_options_and_choices_are_completed():
    assert completed("modelcompare", "sa") == ["sample-size"]
    assert completed("modelcompare", "gate", "--inc") == ["--inconclusive-exit"]
    assert completed("modelcompare", "compare", "--format", "ma") == ["markdown"]
    assert completed("modelcompare", "metrics", "kap") == ["kappa"]


@pytest.mark.parametrize("asked", ["complete_none", "nonsense"])
def test_what_no_shell_asks_is_bad_input_and_no_answer_of_the_gate(run, monkeypatch, asked):
    monkeypatch.setenv("_MODELCOMPARE_COMPLETE", asked)
    done = run("gate")
    assert (done.code, done.out) == (2, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_shown(monkeypatch, shell):
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    code = "import sys; from modelcompare.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "--show-completion", shell]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "_MODELCOMPARE_COMPLETE=" in done.stdout
