"""What a shell receives when Tab is pressed."""

import pytest

from modelcompare.metrics import METRICS
from tests.plugged import plugged


def asked_by_bash(*words):
    """The environment in which bash asks for these words, of which the last is being written."""
    words_of_bash = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    return words_of_bash | {"_MODELCOMPARE_COMPLETE": "bash_complete"}


@pytest.fixture
def completed(run, monkeypatch):
    """What bash shows for these words, by the program in the test's own process."""

    def _completed(*words):
        for name, value in asked_by_bash(*words).items():
            monkeypatch.setenv(name, value)
        done = run()
        assert (done.code, done.err) == (0, "")
        # Each with its kind before it.
        return [line.partition(",")[2] for line in done.out.split()]

    return _completed


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "--metric"), ("gate", "--margin", "0.1", "-m"),
        ("sample-size", "--metric"),
        *plugged("COMPLETED").values(),
    ],
    ids=" ".join,
)  # fmt: skip
def test_metrics_are_completed_by_name(completed, words):
    found = completed("modelcompare", *words, "cf1")
    assert found == sorted(name for name in METRICS if name.startswith("cf1")) != []


def test_commands_options_and_choices_are_completed(completed):
    assert completed("modelcompare", "sa") == ["sample-size"]
    assert completed("modelcompare", "gate", "--inc") == ["--inconclusive-exit"]
    assert completed("modelcompare", "compare", "--format", "ma") == ["markdown"]


@pytest.mark.parametrize("asked", ["complete_none", "nonsense"])
def test_what_no_shell_asks_is_bad_input_and_no_answer_of_the_gate(run, monkeypatch, asked):
    monkeypatch.setenv("_MODELCOMPARE_COMPLETE", asked)
    done = run("gate")
    assert (done.code, done.out) == (2, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_shown(run, shell):
    done = run("--show-completion", shell)
    assert done.code == 0
    assert "_MODELCOMPARE_COMPLETE=" in done.out
