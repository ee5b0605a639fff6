import sys
from html.parser import HTMLParser

from modelcompare.report.html import fragment

VOID = {"meta", "br", "hr", "img", "path", "use", "rect"}


class _Page(HTMLParser):
    """Collect table cells, and check that tags are balanced."""

    def __init__(self, text):
        super().__init__()
        self.open, self.cells = [], []
        self.feed(text)

    def handle_starttag(self, tag, _):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "td":
            self.cells.append(data)


def test_names_cannot_inject_markup(make_comparison):
    result = make_comparison(["<script>alert(1)</script>", "b&b"])
    result.sentences = ["accuracy: <script>alert(1)</script> leads."]
    text = fragment(result)
    assert "<script" not in text
    assert text.count("&lt;script&gt;") >= 3


def test_a_notebook_shows_the_first_rows_without_jinja2(make_comparison, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    text = make_comparison([f"m{i:02d}" for i in range(30)])._repr_html_()
    read = _Page(text)
    assert not read.open
    assert read.cells[:4] == ["1-2", "m29", "0.8450", "0.8350 to 0.8550"]
    assert "and 10 more rows" in text
    assert "m09</td><td" not in text.split("differences")[0]


def test_a_notebook_shows_the_first_sentences_and_counts_the_others(make_comparison):
    result = make_comparison()
    result.sentences = [f"f1 of <{i}>: lstm leads." for i in range(30)]
    text = result._repr_html_()
    assert text.count("<li>f1 of &lt;") == 9
    assert "<p>and 21 more sentences</p>" in text
