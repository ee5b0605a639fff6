"""Content of the one HTML file; `test_page_in_a_browser` tests its behaviour."""

import hashlib
import re
import sys
from base64 import b64encode
from collections import Counter
from html import unescape
from html.parser import HTMLParser
from importlib import resources

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.plugins.page import page_tables
from tests.plugged import needs
from tests.report.written import page, page_of_tables

VOID = {"meta", "br", "input", "img"}


class Read(HTMLParser):
    """A page as its parser sees it: tags that are balanced, ids, links, rows of tables, texts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.rows, self.scripts = [], [], [], [], []
        self.texts = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found[name] for name in ("src", "href") if name in found]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)
        if {"td", "th"} & {*self.open} and not {"svg"} & {*self.open}:
            self.rows[-1][-1] += data


def test_a_page_holds_verdict_scores_differences_method_and_signature(make_comparison, tmp_path):
    make_comparison(["cnn", "lstm"]).to_html(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    read = Read(text)
    assert ["1-2", "lstm", "0.7050", "0.6950 to 0.7150", ""] in read.rows
    assert ["lstm", "cnn", "+0.0050", "-0.0050 to 0.0150", "", "1.00"] in read.rows
    assert "<p>accuracy: lstm leads.</p>" in text
    assert "(9,999 random swaps of the two models&#39; outputs) [2, 3], not adjusted." in text
    assert "<li>Noreen (1989). Computer-Intensive Methods" in text
    assert "adjust:holm|rng:0</code>" in text
    assert "n_resamples=9999," in text


def test_a_page_refers_to_itself_alone_and_every_id_is_one(make_comparison):
    read = Read(page(make_comparison(metrics=["accuracy", "mcc"])))
    assert read.links
    assert {link.removeprefix("#") for link in read.links} <= {*read.ids}
    assert len(read.ids) == len({*read.ids})


def test_the_policy_names_the_one_script_and_the_one_style(make_comparison):
    text = page_of_tables(make_comparison())
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1].replace("&#39;", "'")
    for tag, source in (("script", "script-src"), ("style", "style-src")):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{source} 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none';")


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "</script><b>", "=cmd()", "a\u202eb"]
)
def test_a_name_is_a_text_in_tables_figures_and_data(make_comparison, name):
    result = make_comparison([name, "other", "third"])
    result.sentences = [f"accuracy: {name} leads."]
    text = page(result)
    assert "\u202e" not in text
    assert text.count("<script") == text.count("</script>") == 2
    shown = name.replace("\u202e", "\\u202e")
    assert shown in {cell for row in Read(text).rows for cell in row}


def test_a_page_is_the_same_on_every_run(make_comparison):
    assert page(make_comparison()) == page(make_comparison())


def test_without_jinja2_the_extra_is_named(make_comparison, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r'pip install "modelcompare-stats\[html\]"'):
        page(make_comparison())


def test_three_sentences_stand_open_and_the_others_are_folded(make_comparison):
    result = make_comparison()
    result.sentences = [f"f1 of class {i}: lstm leads." for i in range(100)]
    text = page_of_tables(result)
    before, _, after = text.partition("<details>")
    assert before.count("class ") == 3
    assert "<summary>97 more sentences</summary>" in after
    assert after.split("</details>")[0].count("lstm leads") == 97


def test_warnings_stand_below_the_verdict():
    rng, truth = np.random.default_rng(0), np.array([0] * 200 + [1] * 200 + [2] * 5)
    outputs = {
        model: np.where(rng.random(405) < right, truth, rng.integers(0, 3, 405))
        for model, right in (("a", 0.95), ("b", 0.6), ("c", 0.2))
    }
    preds = mc.Predictions(truth, outputs)
    with pytest.warns(UserWarning, match="19 resamples are too few for") as caught:
        result = mc.compare(preds, ["f1", "mcc"], n_resamples=19, test="permutation")
    assert {str(each.message) for each in caught} == {*result.document().notes}
    after = page_of_tables(result).split(">Warnings</h2>")[1]
    texts = Read(after.split("</section>")[0]).texts
    assert {*result.document().notes} <= {*texts}


def test_thirty_models_and_150_classes_make_less_than_two_megabytes(make_comparison):
    labels = [f"a class with a longer name {i:03d}" for i in range(150)]
    models = [f"model-{i:02d}-of-a-run" for i in range(30)]
    result = make_comparison(models, ["accuracy", "f1"], {"f1": labels})
    result.sentences = ["f1: a sentence as long as a verdict may be. " * 6] * 151
    text = page(result)
    assert 500_000 < len(text.encode()) < 2_000_000
    assert (
        "27 of 150 classes shown, where models differ most; the CSV and JSON forms hold all."
        in text
    )
    shown = {row[0] for row in Read(text).rows if row[0].startswith("a class")}
    assert len(shown) == 27


def test_pairs_are_held_as_long_as_there_is_room(make_comparison, monkeypatch):
    monkeypatch.setattr(page_tables, "ROOM", 100)
    text = page_of_tables(
        make_comparison([f"m{i}" for i in range(10)], ["accuracy", "mcc", "kappa"])
    )
    # 45 pairs of each metric.
    assert text.count('type="application/json"') == 2


def test_a_baseline_and_a_single_model_leave_nothing_to_choose():
    preds = mc.load_example("snli")
    against = page_of_tables(
        mc.compare(preds, ["accuracy", "log_loss"], baseline="mlp", n_resamples=99)
    )
    alone = page_of_tables(mc.compare(preds["mlp"], "accuracy", n_resamples=99))
    for text in (against, alone):
        assert 'id="baseline"' not in text
        assert 'type="application/json"' not in text
    assert "accuracy, differences from the baseline" in against
    assert (
        "differences"
        not in re.sub("<style>.*?</style>|<script>.*?</script>", "", alone, flags=re.DOTALL).split(
            "<h3"
        )[1]
    )


@needs("calibration")
@pytest.mark.usefixtures("undrawn")
def test_more_results_stand_below_with_their_own_signatures(tmp_path):
    preds = mc.load_example("snli")
    sliced = mc.Predictions(
        preds.labels[preds.access.codes], {m: preds.labels[preds.predicted(m)] for m in preds.models},
        slices={"part": [*"ab"] * (len(preds) // 2)},
    )  # fmt: skip
    more = [
        mc.compare_groups(sliced, "accuracy", n_resamples=99),
        mc.diagnostics.reliability(preds["mlp"]),
    ]
    result = mc.compare(preds, "accuracy", n_resamples=99)
    result.to_html(tmp_path / "page.html", more)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    read = Read(text)
    titles = [re.sub("<.*?>", "", found) for found in re.findall(r"<h2.*?</h2>", text)]
    assert titles == [
        "Verdict", "Scores and differences", "Subgroups", "Calibration", "Method",
        "The code that makes this again",
    ]  # fmt: skip
    assert all(any(each.signature in text for text in read.texts) for each in more)
    assert "part = a" in {row[0] for row in read.rows}


def test_the_code_on_a_page_makes_the_same_numbers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y = [0, 1] * 40
    lines = [
        "truth,a,b",
        *(f"{t},{t if i % 5 else 1 - t},{t if i % 3 else 1 - t}" for i, t in enumerate(y)),
    ]
    (tmp_path / "preds.csv").write_text("\n".join(lines))
    result = mc.compare(
        mc.read_predictions("preds.csv"), ["accuracy", "f1_macro"], n_resamples=199, alpha=0.1,
        correction="max-t", baseline="b", rng=7,
    )  # fmt: skip
    exec(result.document().reproduce, {})
    result.to_html("first.html")
    assert (tmp_path / "first.html").read_text() == (tmp_path / "report.html").read_text()


def test_undefined_values_have_neither_bar_nor_turn(make_comparison):
    result = make_comparison()
    result.scores.loc[0, ["estimate", "ci_low", "ci_high"]] = float("nan")
    rows = Read(page_of_tables(result)).rows
    assert ["2-3", "bow", "-", "-", ""] in rows


def test_templates_are_package_data():
    folder = resources.files("modelcompare.plugins.page").joinpath("templates")
    assert {each.name for each in folder.iterdir()} == {"page.css", "page.html.j2", "page.js"}


def test_rows_of_every_metric_are_among_those_that_fit():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 400)
    models = {f"m{i:02d}": np.where(rng.random(400) < 0.8, truth, 0) for i in range(12)}
    preds = mc.Predictions(truth, models, slices={"side": rng.choice(["left", "right"], 400)})
    result = mc.compare_groups(preds, ["accuracy", "f1"], n_resamples=99)
    rows = Read(page_of_tables(result)).rows
    start = next(place for place, row in enumerate(rows) if "model b" in row)
    metrics = Counter(row[1] for row in rows[start + 1 :] if len(row) == len(rows[start]))
    assert metrics == dict.fromkeys(("accuracy", "f1 of 0", "f1 of 1", "f1 of 2"), 75)


class _Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, tuple(name for name, _ in attributes)))


def test_a_page_holds_no_tag_of_a_name_and_may_load_nothing(hostile):
    text = page(hostile)
    read = _Tags(text).tags
    ours = [("script", ("type", "id")), ("script", ())]
    assert [found for found in read if found[0] in ("img", "script")] == ours
    assert not [names for _, names in read if "onerror" in names or "style" in names]
    assert "default-src 'none'; script-src 'sha256-" in unescape(text)
