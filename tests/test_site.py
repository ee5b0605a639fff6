"""The documentation site is built strictly and offline, with a page for everything that is public."""

import html
import os
import re
import subprocess
import sys

import pytest

from docs.pictures import make
from modelcompare.metrics import METRICS
from tests.pages import ROOT
from tests.public import public
from tests.test_public_api import every_plot

pytestmark = pytest.mark.pages
for package in ("material", "mkdocstrings"):
    pytest.importorskip(package, reason='the extra "docs" is not installed')


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
        assert f"<code>{found.name}</code>" in page


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
    assert "".join(make.printed().split()) in "".join(html.unescape(text).split())


def test_nothing_is_fetched_from_elsewhere(site):
    fetched = re.compile(
        r'<(?:script|img|iframe|source)[^>]* src="(https?:)?//|<link(?![^>]*canonical)[^>]* href="(https?:)?//|url\(["\']?https?:'
    )
    files = [*site.rglob("*.html"), *site.rglob("*.css")]
    assert len(files) > 80
    assert [file.name for file in files if fetched.search(file.read_text("utf-8"))] == []


def test_the_map_for_language_models_leads_to_pages(site):
    links = re.findall(r"\]\(([^)]*)\)", (site / "llms.txt").read_text("utf-8"))
    assert len(links) > 15
    assert [link for link in links if not (site / link).is_file()] == []
