"""Figures as markup of a page: no style, separate ids, values at their marks."""

import re
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure

import modelcompare as mc
from modelcompare.comparison.forest import plot_comparison
from modelcompare.plugins.page import inline_svg
from modelcompare.plugins.page.inline_svg import caption_of, inline
from modelcompare.report.figures.style import describe


@pytest.fixture(name="figure", scope="module")
def figure_fixture(make_comparison):
    return plot_comparison(make_comparison(["cnn", "<b>&"]))


@pytest.fixture(scope="module")
def drawing(figure):
    return inline(figure, "a")


def test_nothing_in_a_drawing_needs_leave_of_a_policy(drawing):
    elements = [*ElementTree.fromstring(drawing).iter()]
    assert not [each for each in elements if "style" in each.attrib or each.tag == "style"]
    assert not [each for each in elements if "://" in "".join(each.attrib.values())]
    assert {each.get("fill") for each in elements} >= {"none", "#0072b2"}


def test_ids_are_of_the_figure_and_every_reference_has_one(figure, drawing):
    for name, text in (("a", drawing), ("b", inline(figure, "b"))):
        ids = re.findall(r' id="([^"]+)"', text)
        assert len(ids) == len({*ids})
        assert {*re.findall(r'(?:href="|url\()#([\w.-]+)', text)} == {*ids}
        assert all(each.startswith(f"{name}-") for each in ids)


def test_every_mark_says_its_value(drawing):
    root = ElementTree.fromstring(drawing)
    marks = [each for each in root.iter() if each.tag in ("path", "use") and len(each)]
    titles = [each.find("title").text for each in marks]
    # An interval and a point for each model, and for their one difference.
    assert sorted(titles) == sorted(
        2 * ["cnn: 0.7000 (0.6900 to 0.7100)", "<b>&: 0.7050 (0.6950 to 0.7150)",
             "<b>& \N{MINUS SIGN} cnn: +0.0050 (-0.0050 to 0.0150)"]
    )  # fmt: skip


def test_names_are_texts_that_a_reader_finds(figure, drawing):
    root = ElementTree.fromstring(drawing)
    assert {"cnn", "<b>&"} <= {each.text for each in root.iter("text")}
    assert root.get("role") == "img"
    assert root.get("aria-label") == figure.title


def test_title_and_small_print_are_a_caption_and_not_drawn(figure, drawing):
    assert caption_of(figure)[0] == figure.title
    assert caption_of(figure)[-1].startswith("colours of models: ")
    assert figure.title not in "".join(ElementTree.fromstring(drawing).itertext())
    assert figure.signature not in drawing


def test_a_wide_drawing_says_so(drawing):
    classes = [ElementTree.fromstring(drawing).get("class")]
    for width in (8, 4):
        narrow = Figure(figsize=(width, 3))
        narrow.subplots().plot([1, 2])
        classes.append(ElementTree.fromstring(inline(narrow, "a")).get("class"))
    assert classes == ["widest", "wide", ""]


def test_a_drawing_that_is_too_long_is_a_picture_of_the_same(figure, monkeypatch):
    monkeypatch.setattr(inline_svg, "_MOST_CHARACTERS", 1000)
    text = inline(figure, "a")
    assert text.startswith('<img alt="made.npz: 2 models, 9,824 samples; scores and differences')
    assert 'src="data:image/png;base64,iVBOR' in text


def test_a_figure_of_ones_own_is_drawn_without_values():
    figure = Figure()
    (line,) = figure.subplots().plot([1, 2], [3, 4], "o")
    describe(line, ["a", "b"])
    assert "<title>" not in inline(figure, "a")


def test_the_legend_stays_below_the_axes_where_margins_are_cut_off():
    size = mc.sample_size(mc.load_example("snli"), "mlp", "bow_pair", metric="accuracy")
    root = ElementTree.fromstring(inline(size.plot(), "a"))
    texts = {each.text: each for each in root.iter("text")}
    key = next(text for text in texts if text.startswith("this test set"))
    assert _height_of(texts[key]) > _height_of(texts["samples"])


def _height_of(text):
    """Where a text stands, from the top of the drawing."""
    moved = re.search(r"translate\([\d.-]+[ ,]([\d.-]+)\)", text.get("transform", ""))
    return float(moved[1]) if moved else float(text.get("y"))
