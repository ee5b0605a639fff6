"""The README and the pages under docs show what the commands and the code do."""

import doctest
import re
import shutil
import subprocess

import pytest

from tests.pages import (
    PAGES,
    ROOT,
    absent,
    blocks,
    commands,
    matches,
    parsed,
    prepare,
    python,
    r,
    run,
    table_commands,
)
from tests.update_docs import updated

pytestmark = pytest.mark.pages
COMMANDS = [
    pytest.param(command, id=f"{page.stem}: {command.line[:60]}")
    for page in PAGES
    for command in commands(page)
]
CODE = [pytest.param(page, id=page.name) for page in PAGES if blocks(page, "python")]
R_CODE = [pytest.param(page, id=page.name) for page in PAGES if blocks(page, "r")]
IN_TABLES = [line for page in PAGES for line in table_commands(page)]


@pytest.fixture
def files(tmp_path, monkeypatch):
    prepare(tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("page", CODE)
def test_code_gives_what_the_page_shows(page):
    report = []
    test = python(page)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)
    assert runner.tries == len(test.examples) > 0
    left_out = {name for span in blocks(page, "python") for name in absent(parsed(page, *span))}
    if left_out:
        pytest.skip(f"all but the blocks that want {', '.join(sorted(left_out))} ran")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("page", R_CODE)
def test_r_code_prints_what_the_page_shows(page):
    code, shown = r(page)
    if not shutil.which("Rscript"):
        pytest.skip("R is not installed")
    wanted = re.findall(r"library\((\w+)\)", code)
    asked = f"cat(all(sapply(c({str(wanted)[1:-1]}), requireNamespace, quietly = TRUE)))"
    if "TRUE" not in _rscript(asked):
        pytest.skip(f"R lacks {', '.join(wanted)}")
    assert _rscript(code) == shown != ""


def _rscript(code):
    done = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_prints_what_the_page_shows(command, request):
    if "-o study" in command.line:
        # Nothing is asked of the figures in the folder; the tests of the command draw them.
        request.getfixturevalue("undrawn")
    code, printed = command.run()
    assert code == command.code
    assert not command.shown.strip() or matches(command.shown, printed), (
        f"{command.line}\nprinted\n{printed}\npython -m tests.update_docs writes it into the page."
    )


@pytest.mark.usefixtures("files")
# Logs lack results, and say so.
@pytest.mark.filterwarnings("ignore::modelcompare.data.checks.DataWarning")
@pytest.mark.parametrize("line", IN_TABLES)
def test_a_command_in_a_table_runs(line):
    code, printed = run(line)
    assert code == 0
    assert printed


def test_parts_of_an_output_are_whole_lines_in_their_order():
    printed = "one\ntwo\nthree\nfour\n"
    for shown in (printed, "one\n...\n", "...\ntwo\n...\nfour\n", "...\n"):
        assert matches(shown, printed)
    for shown in ("one\n", "two\n...\n", "...\nthree\n...\ntwo\n...\n", "...\nou\n...\n", ""):
        assert not matches(shown, printed)


def test_an_output_that_is_written_anew_is_cut_where_it_was_cut():
    printed = "verdict\n\nscores\n a 1\n b 2\n\npairs\n a b 3\n\nend v2\n"
    shown = "verdict\n...\nscores\n a 9\n...\nend v1\n"
    assert updated(shown, printed) == ["verdict", "...", "scores", " a 1", "...", "end v2"]
    assert updated("old\n...\n", printed) == ["verdict", "..."]
    assert updated("?\n", printed) == printed.splitlines()
    assert updated("old\n", printed) == printed.splitlines()


def test_every_target_of_make_that_is_named_exists():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for page in PAGES:
        for target in re.findall(r"`make ([a-z]+)|^make ([a-z]+)", page.read_text("utf-8"), re.M):
            assert re.search(rf"^{''.join(target)}:", makefile, re.MULTILINE)
