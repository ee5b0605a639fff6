import re
import sys
from html.parser import HTMLParser

import modelcompare as mc
from tests.report.written import fragment

_VOID = {"meta", "br", "hr", "img", "path", "use", "rect", "line", "circle"}


class _Tags(HTMLParser):
    """Collect table cells, and check that tags are balanced."""

    def __init__(self, text):
        super().__init__()
        self.open, self.cells = [], []
        self.feed(text)

    def handle_starttag(self, tag, _):
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in _VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "td":
            self.cells.append(data)


def _rows(text):
    return [re.findall(r"<t[dh][^>]*>([^<]*)<", row) for row in re.findall(r"<tr>(.*?)</tr>", text)]


def test_a_result_shows_headline_findings_tables_and_signature(make_comparison):
    result = make_comparison(["cnn", "lstm"])
    text = fragment(result)
    order = [
        result.headline,
        "accuracy: lstm leads.",
        "<b>accuracy</b>",
        "0.7050",
        result.signature,
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert _rows(text)[:3] == [
        ["rank", "model", "estimate", "95 % CI", ""],
        ["1-2", "lstm", "0.7050", "0.6950 to 0.7150", ""],
        ["1-2", "cnn", "0.7000", "0.6900 to 0.7100", ""],
    ]


def test_rows_are_whole_and_what_is_left_out_is_counted(make_comparison):
    text = fragment(make_comparison([f"m{place:02}" for place in range(30)]))
    assert {len(row) for row in _rows(text)} == {5, 6}
    assert "<p>and 10 more rows</p>" in text


def test_each_interval_is_a_bar_whose_colour_a_key_explains(make_comparison):
    text = fragment(make_comparison())
    table = text[text.index("<tbody>") : text.index("</tbody>")]
    assert re.findall(r'class="(same|differs|plain)"', table) == ["same", "same", "differs"]
    assert text.count("significant difference (adjusted p &lt; 0.05)") == 1


def test_columns_keep_their_distance_without_the_style_of_a_notebook(make_comparison):
    assert ".modelcompare .scroll :is(th, td) {padding: 0.2em 0.7em}" in fragment(make_comparison())


def test_predictions_are_a_table_of_models_and_outputs():
    text = mc.Predictions([0, 1] * 9, {"<b>": [0, 1] * 9, "two words": [1, 1] * 9})._repr_html_()
    assert not _Tags(text).open
    assert "<p>Predictions: 18 samples, 2 classes (0, 1), 2 models</p>" in text
    assert _Tags(text).cells == ["<b>", "labels", "two words", "labels"]


def test_colours_are_those_of_the_notebook(make_comparison):
    text = fragment(make_comparison())
    assert not re.search(r"(?<!-)\b(color|background)", text)
    style = text[text.index("<style") : text.index("</style>")]
    rules = re.findall(r"^(.*) \{", style, re.MULTILINE)
    assert rules
    assert all(rule.startswith(".modelcompare ") for rule in rules)


def test_replicates_show_the_values_on_the_test_set():
    preds = mc.Predictions(["<b>", "y"] * 20, {"right": ["<b>", "y"] * 20, "half": ["y"] * 40})
    found = mc.bootstrap(preds, ["accuracy", "recall"], n_resamples=99)
    text = found._repr_html_()
    assert _rows(text) == [
        ["metric", "model", "value"],
        ["accuracy", "right", "1.000"], ["recall of &lt;b&gt;", "right", "1.0000"],
        ["recall of y", "right", "1.0000"], ["accuracy", "half", "0.500"],
        ["recall of &lt;b&gt;", "half", "0.0000"], ["recall of y", "half", "1.0000"],
    ]  # fmt: skip
    assert found.signature in text
    assert "99 resamples" in text


def test_names_cannot_inject_markup(make_comparison):
    result = make_comparison(["<script>alert(1)</script>", "b&b"])
    result.sentences = ["accuracy: <script>alert(1)</script> leads."]
    text = fragment(result)
    assert "<script" not in text
    assert text.count("&lt;script&gt;") >= 3


def test_a_notebook_shows_the_first_rows_without_jinja2(make_comparison, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    text = make_comparison([f"m{i:02d}" for i in range(30)])._repr_html_()
    read = _Tags(text)
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
