"""The README's code does what it says."""

import doctest
import re
import shlex
import shutil
from pathlib import Path

import pytest

from modelcompare import examples
from modelcompare.cli import main

README = Path(__file__).parents[1] / "README.md"


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def test_python_blocks():
    test = doctest.DocTestParser().get_doctest(
        "\n".join(blocks("python")), {}, "README.md", "README.md", 0
    )
    report = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)
    assert runner.tries > 4


def commands():
    """Each command with what it prints, as far as the README shows it."""
    shown = [block for block in blocks("console") if block.startswith("$ ")]
    return [part for block in shown for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]


@pytest.mark.parametrize("block", commands())
def test_console_blocks(block, capsys, monkeypatch, tmp_path):
    shutil.copy(Path(examples.__file__).parent / "snli.npz", tmp_path)
    monkeypatch.chdir(tmp_path)
    command, _, expected = block.partition("\n")
    program, *arguments = shlex.split(command, comments=True)
    assert program == "modelcompare"
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    found = "\n".join(line.rstrip() for line in printed.splitlines())
    for part in expected.split("\n...\n"):
        assert part.strip() in found


def test_every_target_of_make_that_is_named_exists():
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`?make ([a-z]+)", README.read_text(encoding="utf-8")):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
