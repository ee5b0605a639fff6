"""Pages of all results."""

from html.parser import HTMLParser

from tests.report.test_results import all_results, made, n_cells
from tests.report.written import page_of_tables


class _Cells(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.cells, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        if tag == "td" and ("class", "bar") not in attributes:
            self.cells.append("")

    def handle_endtag(self, tag):
        while self.open.pop() != tag:  # void elements have no end
            pass

    def handle_data(self, data):
        if self.open and self.open[-1] == "td":
            self.cells[-1] += data


@all_results
def test_a_page_holds_every_cell(name):
    result = made(name)
    html = page_of_tables(result)
    assert len(_Cells(html).cells) == n_cells(result.document().tables.values())
    assert result.signature in html


@all_results
def test_a_notebook_shows_it(name):
    fragment = made(name)._repr_html_()
    assert "<html" not in fragment
    assert made(name).signature in fragment
