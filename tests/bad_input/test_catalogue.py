"""Every case of bad input is refused in the words of the catalogue, and leaves nothing behind."""

import importlib
import pkgutil
import re
import shlex

import pytest

import tests.bad_input
from modelcompare.cli import main
from tests.bad_input.case import Call, Run
from tests.plugged import modules

# Every file of this folder that holds cases, and those of plugins.
FILES = [
    importlib.import_module(f"tests.bad_input.{found.name}")
    for found in pkgutil.iter_modules(tests.bad_input.__path__)
    if not found.name.startswith("test_") and found.name != "case"
] + modules("bad_input")
CASES = [case for file in FILES for case in file.CASES]
CALLS = [case for case in CASES if isinstance(case, Call)]
RUNS = [case for case in CASES if isinstance(case, Run)]


@pytest.mark.parametrize("case", CALLS, ids=lambda case: case.name)
def test_a_call_is_refused_word_for_word(case, tmp_path):
    with pytest.raises(case.error) as caught:
        case.call(tmp_path)
    assert str(caught.value) == case.message.replace("FOLDER", str(tmp_path))


@pytest.mark.parametrize("case", RUNS, ids=lambda case: case.name)
def test_a_command_is_refused_word_for_word(case, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, content in case.files.items():
        data = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(data)
    before = sorted(tmp_path.rglob("*"))
    code = main(shlex.split(case.arguments))
    captured = capsys.readouterr()
    errors = [
        line for line in captured.err.splitlines() if not line.startswith("modelcompare: read ")
    ]
    assert errors == [f"modelcompare: error: {case.message}"]
    assert (code, captured.out) == (case.code, "")
    assert sorted(tmp_path.rglob("*")) == before


# Words of Python's own errors and types, which are of no help in a message.
JARGON = (
    r"\b(dtype|ndarray|NoneType|iterable|hashable|subscriptable|\w+Error|\w+Exception)\b|object is"
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_message_is_a_few_plain_sentences_without_python_s_words(case):
    assert case.message.isascii()
    sentence, _, _ = case.message.partition(" Try: modelcompare ")
    assert sentence[-1] in ".?"
    assert case.message.count("\n") < 6
    assert re.findall(JARGON, case.message) == []


def test_the_catalogue_holds_at_least_280_cases():
    assert len(CASES) >= 280, f"{len(CASES)} cases, {len(CALLS)} of them calls"


def test_names_of_cases_are_distinct():
    names = [case.name for case in CASES]
    assert len({*names}) == len(names)
