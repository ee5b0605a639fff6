"""The documentation site is built strictly and offline, with a page for everything that is public."""

import html
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from docs.hooks.formulas import formula_of, mathml
from docs.hooks.responses import _values
from docs.pictures import make
from modelcompare.metrics import METRICS
from tests.covering import pairwise
from tests.pages import ROOT
from tests.public import public
from tests.test_public_api import every_plot

pytestmark = pytest.mark.pages
for package in ("material", "mkdocstrings"):
    pytest.importorskip(package, reason='the extra "docs" is not installed')
PAGES = ["index", "start", "metrics/f1", "metrics/index", "gallery"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def test_every_public_name_has_its_place_in_the_reference(site):
    text = "".join(page.read_text("utf-8") for page in (site / "reference").glob("*.html"))
    anchors = set(re.findall(r'id="modelcompare\.([\w.]+)"', text))
    assert set(public()) <= anchors


def test_every_metric_has_its_name_on_a_page(site):
    for found in METRICS.values():
        page = (site / "metrics" / f"{found.stem}.html").read_text("utf-8")
        assert f"<code>{found.name}</code>" in page.replace("<wbr>", "")


def test_every_figure_of_the_gallery_is_drawn(site):
    shown = re.findall(r'src="(gallery/\d+\.svg)"', (site / "gallery.html").read_text("utf-8"))
    blocks = (ROOT / "docs" / "gallery.md").read_text("utf-8").count(">>> figure = ")
    assert len(shown) == blocks > 10
    assert all((site / name).stat().st_size > 10_000 for name in shown)


def test_every_figure_there_is_has_its_code_in_the_gallery():
    names = {name for plot in every_plot().values() for name in plot.figures}
    shown = re.findall(r"\.plot\.(\w+)\(", (ROOT / "docs" / "gallery.md").read_text("utf-8"))
    assert names == set(shown)


def test_the_picture_of_a_terminal_shows_what_the_command_prints():
    text = "".join(
        re.findall(r"<text[^>]*>([^<]*)</text>", (make.HERE / "terminal.svg").read_text())
    )
    assert "".join(make.printed().plain.split()) in "".join(html.unescape(text).split())


def test_nothing_is_fetched_from_elsewhere(site):
    fetched = re.compile(
        r'<(?:script|img|iframe|source)[^>]* src="(https?:)?//|<link(?![^>]*canonical)[^>]* href="(https?:)?//|url\(["\']?https?:'
    )
    files = [*site.rglob("*.html"), *site.rglob("*.css")]
    assert len(files) > 80
    assert [file.name for file in files if fetched.search(file.read_text("utf-8"))] == []


def test_no_program_is_published(site):
    assert [*site.rglob("*.py")] == []


def test_the_map_for_language_models_leads_to_pages(site):
    links = re.findall(r"\]\(([^)]*)\)", (site / "llms.txt").read_text("utf-8"))
    assert len(links) > 15
    assert [link for link in links if not (site / link).is_file()] == []


@pytest.fixture(name="opened")
def opened_fixture(browser, site):
    contexts = []

    def opened(page, width=1400, **look):
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, **look))
        opening = contexts[-1].new_page()
        opening.goto((site / f"{page}.html").as_uri())
        return opening

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize(
    ("page", "width", "scheme"), pairwise(PAGES, [400, 1400], ["light", "dark"])
)
def test_axe_finds_nothing(opened, page, width, scheme):
    found = Axe().run(opened(page, width, color_scheme=scheme)).response["violations"]
    assert [(each["id"], each["impact"], each["nodes"][0]["html"][:200]) for each in found] == []


@pytest.mark.parametrize("width", [400, 500, 800, 1400])
@pytest.mark.parametrize("page", PAGES)
def test_no_line_of_code_is_cut_and_no_page_is_wider_than_its_window(opened, page, width):
    shown = opened(page, width)
    assert shown.evaluate("document.documentElement.scrollWidth") == width
    cut = shown.locator("pre > code").evaluate_all(
        "(all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)"
    )
    assert cut == []


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("page", ["index", "start", "metrics/f1", "gallery"])
def test_the_button_that_copies_covers_no_code(opened, page, width):
    covered = """(all) => all.filter((pre) => {
      const button = pre.parentElement.querySelector("button").getBoundingClientRect();
      const words = document.createRange();
      words.selectNodeContents(pre.querySelector("code"));
      return [...words.getClientRects()].some((line) => line.width && line.right > button.left
        && line.left < button.right && line.top < button.bottom - 8 && line.bottom > button.top);
    }).map((pre) => pre.textContent)"""
    shown = opened(page, width)
    shown.locator(".highlight button").first.wait_for()
    assert shown.locator(".highlight > pre").evaluate_all(covered) == []


def test_lines_of_a_table_in_output_are_whole_on_a_phone(opened):
    block = opened("start", 400).locator("pre > code", has_text="detectable difference")
    heights = """(code) => [...code.querySelectorAll(".go")]
      .filter((line) => /^ *[\\d,]+ .* %/.test(line.textContent))
      .map((line) => [...line.getClientRects()].filter((box) => box.width))
      .map((boxes) => new Set(boxes.map((box) => box.top)).size)"""
    lines = block.evaluate(heights)
    assert len(lines) > 5
    assert set(lines) == {1}


@pytest.mark.parametrize("width", [400, 500, 800])
def test_lines_of_a_forest_in_output_are_whole(opened, width):
    lines = opened("start", width).locator("pre .go").filter(has_text="\u251c")
    tops = "(all) => all.map((e) => new Set([...e.getClientRects()].map((r) => r.top)).size)"
    assert lines.evaluate_all(tops) == [1, 1, 1]


def test_a_page_without_navigation_of_its_own_has_its_room(opened):
    for page in ("index", "start"):
        shown = opened(page)
        assert shown.locator(".md-content").bounding_box()["width"] > 900
        assert shown.locator(".md-sidebar--secondary").is_visible()


def test_names_of_metrics_are_broken_between_words(opened):
    names = opened("metrics/roc_auc", 400).locator("td:first-child code")
    lines = """(all) => all.map((e) => [e.textContent.split("_").length,
      new Set([...e.getClientRects()].map((r) => r.top)).size])"""
    found = names.evaluate_all(lines)
    assert len(found) == 5
    assert all(n_lines <= n_words for n_words, n_lines in found)


def test_tables_and_formulas_of_metrics_are_whole_on_a_phone(opened, site):
    shown = opened("metrics/index", 400)
    for page in sorted((site / "metrics").glob("*.html")):
        shown.goto(page.as_uri())
        boxes = shown.locator(".formula, .md-typeset__scrollwrap")
        cut = boxes.evaluate_all("(all) => all.filter((e) => e.scrollWidth > e.clientWidth).length")
        assert (page.stem, cut) == (page.stem, 0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 800, 1400])
def test_letters_of_the_figure_of_a_metric_can_be_read(opened, site, width, scheme):
    image = opened("metrics/f1", width, color_scheme=scheme).locator("img[src^='responses/']")
    text = (site / "metrics" / image.get_attribute("src")).read_text("utf-8")
    points = float(re.search(r'viewBox="0 0 ([\d.]+)', text)[1])
    padding = image.evaluate("(e) => 2 * parseFloat(getComputedStyle(e).paddingLeft)")
    assert 7 * (image.bounding_box()["width"] - padding) / points >= 9


def test_figures_in_the_gallery_are_whole_from_a_tablet_on(opened):
    for width in (800, 1400):
        boxes = opened("gallery", width).locator("p:has(> img[src^='gallery/'])")
        cut = boxes.evaluate_all("(all) => all.filter((e) => e.scrollWidth > e.clientWidth).length")
        assert (width, cut) == (width, 0)
    whole = opened("gallery", 400).locator("p:has(> img.whole)")
    assert whole.count() > 8
    assert all(whole.evaluate_all("(all) => all.map((e) => e.scrollWidth <= e.clientWidth)"))


@pytest.mark.parametrize("width", [400, 500])
def test_the_picture_of_a_terminal_is_whole_on_a_phone(opened, width):
    box = opened("index", width).locator("img[src$='terminal.svg']").bounding_box()
    assert 0 <= box["x"] < box["x"] + box["width"] <= width


@pytest.mark.parametrize("width", [400, 1400])
def test_letters_of_figures_in_the_gallery_can_be_read(opened, site, width):
    images = opened("gallery", width).locator("img[src^='gallery/']").all()
    assert len(images) > 10
    for image in images:
        text = (site / image.get_attribute("src")).read_text("utf-8")
        points = float(re.search(r'viewBox="0 0 ([\d.]+)', text)[1])
        # The small print has 7 points, squares of matrices too.
        assert 7 * image.bounding_box()["width"] / points >= 7.5


def test_every_metric_has_its_formula_and_its_figure(site):
    for found in {each.stem: each for each in reversed(METRICS.values())}.values():
        page = (site / "metrics" / f"{found.stem}.html").read_text("utf-8")
        assert mathml(formula_of(found)) in page
        assert f'src="responses/{found.stem}.svg"' in page
        assert (site / "metrics" / "responses" / f"{found.stem}.svg").stat().st_size > 5_000


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "specificity", "jaccard"])
def test_a_formula_made_of_the_record_gives_the_metric(name):
    counts = {"TP": 7.0, "FN": 2.0, "FP": 3.0, "TN": 11.0}
    other = {"TP": 11.0, "FN": 3.0, "FP": 2.0, "TN": 7.0}
    hits, predicted, support = (
        np.array([each["TP"] + extra(each) for each in (counts, other)])
        for extra in (lambda _: 0, lambda each: each["FP"], lambda each: each["FN"])
    )
    found = METRICS[name].value(hits, predicted, support)
    expected = [eval(formula_of(METRICS[name]), each) for each in (counts, other)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_figure_shows_the_direction_of_its_metric():
    for name in ("accuracy", "cf1", "rmse", "mae", "log_loss"):
        first, *_, last = _values(METRICS[name])
        assert (first > last) == METRICS[name].greater_is_better
