"""Tables and lists of the documentation have the rows of the plugins that are there, and no others."""

import re

import pytest

from modelcompare import plugs
from tests.documents import PAGES, pages, updated

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
