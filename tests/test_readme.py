"""Commands of the README run as they are typed, in a folder without any file."""

import pytest

from tests.pages import ROOT, commands, run, table_commands

README = ROOT / "README.md"
TYPED = [*(each.line for each in commands(README)), *table_commands(README)]


@pytest.mark.pages
@pytest.mark.parametrize("line", TYPED)
def test_a_command_of_the_readme_runs_in_an_empty_folder(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, printed = run(line)
    assert code in (0, 1)
    assert printed


def test_the_readme_is_short_and_shows_the_three_jobs():
    assert len(README.read_text("utf-8").splitlines()) < 120
    assert len(TYPED) >= 10
    for job in ("compare", "study variance", "study agreement"):
        assert any(line.startswith(f"modelcompare {job} ") for line in TYPED)
