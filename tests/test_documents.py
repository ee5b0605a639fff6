"""Tables and lists of the documentation have the rows of the plugins that are there, and no others."""

import re

import pytest

from modelcompare import plugs
from modelcompare.readers.formats import FORMATS
from tests.documents import PAGES, pages, updated
from tests.pages import ROOT

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


def test_rows_of_an_absent_plugin_go_and_those_of_the_others_follow_the_rest(monkeypatch):
    row = "wheels | `mc.wheels`"
    known = {"cars": plugs.Plugin(name="cars", package="cars", documents={"inputs": (row,)})}
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
    assert {table for each in plugs.plugins().values() for table in each.documents} <= tables


def test_every_format_of_logs_has_a_row():
    page = (ROOT / "docs" / "reading.md").read_text("utf-8")
    table = page.partition("<!-- plugins: logs -->\n")[2].partition("\n\n")[0]
    rows = {re.search(r"[\w-]+", line.split("|")[1])[0] for line in table.splitlines()[2:]}
    # Any text of as many lines is named after the tools that take it.
    lacking = {log.name for log in FORMATS if log.name.split()[0] not in rows}
    assert lacking == {"one text a line"}
    assert all("`modelcompare compare " in line for line in table.splitlines()[2:])
