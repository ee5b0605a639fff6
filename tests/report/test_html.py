import sys
from html.parser import HTMLParser

import pytest

from modelcompare.report.html import comparison_html, comparison_page

VOID = {"meta", "br", "hr", "img", "path", "use", "rect"}


class _Page(HTMLParser):
    """Collect table cells and links, and check that tags are balanced."""

    def __init__(self, text):
        super().__init__()
        self.open, self.cells, self.links = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.links += [value for name, value in attributes if name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "td":
            self.cells.append(data)


def test_the_page_holds_figure_tables_verdict_and_signature(make_comparison, tmp_path):
    path = comparison_html(make_comparison(["cnn", "lstm"]), tmp_path / "report.html")
    text = path.read_text(encoding="utf-8")
    page = _Page(text)
    assert not page.open
    assert page.cells[:4] == ["1-2", "lstm", "0.7050", "0.6950 to 0.7150"]
    assert text.count("<svg") == 1
    assert "<li>accuracy: lstm leads.</li>" in text
    assert "adjust:holm|rng:0</code>" in text


def test_the_page_needs_no_other_file(make_comparison):
    page = _Page(comparison_page(make_comparison()))
    assert all(link.startswith("#") for link in page.links)


def test_names_cannot_inject_markup(make_comparison):
    page = comparison_page(make_comparison(["<script>alert(1)</script>", "b&b"]))
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_the_page_is_the_same_on_every_run(make_comparison):
    assert comparison_page(make_comparison()) == comparison_page(make_comparison())


def test_without_jinja2_the_extra_is_named(make_comparison, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r'pip install "modelcompare\[html\]"'):
        comparison_page(make_comparison())
