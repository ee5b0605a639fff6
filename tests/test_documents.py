"""Tables and lists of the documentation have the rows of the plugins that are there, and no others."""

import re

import pytest

from modelcompare import plugs
from tests import documents
from tests.documents import PAGES, pages, texts_of, updated, written_rows

TABLE = """<!-- plugins: inputs -->
| you have | use |
| --- | --- |
| arrays | `Predictions` |
| gone | `gone` <!-- gone --> |

| other | table <!-- gone --> |
"""


def test_pages_are_of_the_plugins_that_are_there():
    stale = [page.name for page, before, text in pages() if before != text]
    assert not stale, "run `python -m tests.documents` and commit the files."


def test_rows_of_an_absent_plugin_go_and_those_of_the_others_follow_the_rest(monkeypatch, tmp_path):
    row = "wheels | `mc.wheels`"
    (tmp_path / "cars").mkdir()
    (tmp_path / "cars" / "documents.md").write_text(
        f"# Rows\n\n## inputs\n\n- {row}\n\n## pages\n\n- other\n"
    )
    known = {name: plugs.Plugin(name=name, package=name) for name in ("cars", "boats")}
    monkeypatch.setattr(documents, "FOLDER", tmp_path)
    monkeypatch.setattr(plugs, "plugins", lambda: known)
    text = updated(TABLE, "inputs")
    assert text == TABLE.replace("| gone | `gone` <!-- gone --> |", f"| {row} <!-- cars --> |")
    assert updated(text, "inputs") == text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_table_is_in_its_page(page):
    found = re.findall(r"^<!-- plugins: (\w+) -->$", page.read_text("utf-8"), re.MULTILINE)
    assert tuple(found) == PAGES[page]


def test_every_table_that_a_plugin_has_rows_for_exists():
    tables = {table for names in PAGES.values() for table in names}
    assert {table for name in plugs.plugins() for table in written_rows(name)} <= tables


def test_every_line_that_a_plugin_writes_is_read():
    for name in plugs.plugins():
        texts = [text[text.index("## ") :] for text in texts_of(name)]
        lines = [line for text in texts for line in text.splitlines()]
        of_rows = [line for line in lines if line and not line.startswith("#")]
        read = [f"- {row}" for rows in written_rows(name).values() for row in rows]
        assert of_rows == read, name
