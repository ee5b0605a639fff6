"""The README's code does what it says."""

import doctest
import re
import shlex
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


@pytest.mark.parametrize("block", [b for b in blocks("console") if b.startswith("$ ")])
def test_console_blocks(block, capsys, monkeypatch):
    monkeypatch.chdir(Path(examples.__file__).parent)
    command, expected = block[2:].split("\n", 1)
    program, *arguments = shlex.split(command)
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
