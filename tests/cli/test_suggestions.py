"""Refusals of columns in doubt end with the typed command and options that settle them; it answers."""

import shlex

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.data.checks import DataWarning
from tests.plugged import of_plugins, plugged

ROWS = 12
KEYS = [f"q{n}" for n in range(ROWS)]
OF_MODEL = {"prompt_key": KEYS, "score_a": [n % 2 for n in range(ROWS)], "n_tokens": [*range(ROWS)]}


def proposed(run, *command):
    """Return the command that the refusal of a command prints."""
    refused = run(*command)
    assert refused.code == 2
    return shlex.split(refused.err.partition(" Try: modelcompare ")[2])


def written(path, **columns):
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def of_two(tmp_path, **columns):
    return [written(tmp_path / f"{model}.csv", **columns) for model in ("one", "two")]


def refusal(source):
    with pytest.raises(ValueError, match="COLUMN") as error:
        mc.read_predictions(source)
    return error


CASES = {
    "ids of an unusual name": (OF_MODEL, ["--id", "prompt_key"]),
    "questions": ({"question": KEYS, "passed": [n % 3 for n in range(ROWS)]}, ["--id", "question"]),
    "several scores": (
        {"id": KEYS, "score_turn1": [*range(ROWS)], "score_turn2": [*range(ROWS)], "seen": KEYS},
        ["--read", "score=score_turn1", "--read", "score=score_turn2"],
    ),
    "ids and several scores": (
        {"task_key": KEYS, "acc_norm": [0.5] * ROWS, "rouge": [0.25] * ROWS},
        ["--id", "task_key", "--read", "score=acc_norm", "--read", "score=rouge"],
    ),
    "missing scores": (
        {"id": KEYS, "score_a": [None, *range(ROWS - 1)], "score_b": [*range(ROWS)]},
        ["--read", "score=score_a", "--read", "score=score_b", "--missing", "drop"],
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::modelcompare.data.checks.DataWarning")
@pytest.mark.parametrize(("columns", "flags"), CASES.values(), ids=CASES)
def test_the_command_reads_the_files(tmp_path, run, columns, flags):
    paths = of_two(tmp_path, **columns)
    command = proposed(run, "compare", *paths)
    assert command == ["compare", *map(str, paths), *flags]
    done = run(*command, "--resamples", "99")
    assert done.code == 0, done.err


def test_the_command_of_a_folder_names_the_folder(tmp_path, run):
    of_two(tmp_path, **OF_MODEL)
    command = proposed(run, "compare", tmp_path)
    assert command == ["compare", str(tmp_path), "--id", "prompt_key"]
    assert run(*command, "--resamples", "99").code == 0


def of_labels(tmp_path):
    """Write labels under an unusual name for the truth, beside a column of subgroups."""
    truth = np.arange(80) // 2 % 2
    models = {"cnn": truth ^ (np.arange(80) % 8 == 0), "bert": truth ^ (np.arange(80) % 5 == 0)}
    return written(tmp_path / "t.csv", **{"gold thing": truth}, **models, split=["x", "y"] * 40)


TYPED = {
    "compare": ("-m", "f1", "--baseline", "bert", "--resamples", "99"),
    "groups": ("--metric", "accuracy", "--confidence-level", "0.9"),
    "sample-size": ("-m", "accuracy", "--power", "0.9"),
} | plugged("PROPOSED")


@pytest.mark.parametrize("command", of_plugins(TYPED, suites=["groups"]))
def test_the_command_is_the_one_that_was_typed(tmp_path, run, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    asked = [command, of_labels(tmp_path).name, *TYPED[command], "--true", "gold thing"]
    options = ["--model", "cnn", "--model", "bert"]
    if command in ("compare", "groups", "report"):  # which have subgroups
        options += ["--slice", "split"]
    assert proposed(run, *asked) == [*asked, *options]
    done = run(*asked, *options)
    assert done.code == 0, done.err


def test_the_command_of_a_gate_is_a_gate(tmp_path, run):
    paths = map(str, of_two(tmp_path, **OF_MODEL))
    asked = ["gate", *paths, "--baseline", "one", "--candidate", "two", "--margin", "0.1"]
    assert proposed(run, *asked) == [*asked, "--id", "prompt_key"]
    assert run(*asked, "--id", "prompt_key", "--higher-is-better").code in (0, 1)


@pytest.mark.parametrize(
    "columns",
    [
        {"tag": ["a", "b"] * 6, "acc": [*range(ROWS)]},  # no column names the rows
        {"key": KEYS, "tstamp": [*range(ROWS)], "n_tokens": [*range(ROWS)]},  # nothing is a score
    ],
)
def test_without_a_likely_column_there_is_no_command(tmp_path, columns):
    assert "Try:" not in str(refusal(of_two(tmp_path, **columns)).value)


def test_frames_have_no_command():
    frame = pd.DataFrame(OF_MODEL | {"system": ["a"] * ROWS, "score_b": 0.5})
    assert "Try:" not in str(refusal(frame).value)


def test_guessing_warns_of_nothing(tmp_path, recwarn):
    refusal(of_two(tmp_path, **CASES["missing scores"][0]))
    assert not [each for each in recwarn if issubclass(each.category, DataWarning)]


@pytest.mark.filterwarnings("default::modelcompare.data.checks.DataWarning")
@pytest.mark.parametrize(
    "asked", ["compare", "gate --baseline a --candidate b --margin 1", "groups --by turn"]
)
def test_cases_of_several_turns_are_proposed_as_clusters_by_every_command(tmp_path, run, asked):
    names = {"turn": [1, 2], "case": [f"c{n}" for n in range(40)], "model": ["a", "b"]}
    turns = pd.MultiIndex.from_product(names.values(), names=names).to_frame(index=False)
    path = written(tmp_path / "t.csv", **turns, score=np.arange(len(turns)) % 7)
    command, *options = asked.split()
    typed = [command, path, *options, "--higher-is-better", "--resamples", "99"]
    done = run(*typed)
    assert done.code == 0, done.err
    assert "those of one case count as independent" in done.err
    assert "columns={'groups': 'case'} (--groups case) keeps them together" in done.err
    assert "count as independent" not in run(*typed, "--groups", "case").err
