"""Links between the files of the repository lead somewhere; `make lint` runs this too."""

import re
from functools import cache

import pytest

from tests.pages import ROOT

FILES = [
    *sorted(ROOT.glob("*.md")),
    ROOT / "llms.txt",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "experiments").glob("*/README.md")),
    *sorted((ROOT / "tests").rglob("README.md")),
]


@cache
def anchors(page):
    """Names of the headings of a page, as links give them."""
    text = without_code(page.read_text("utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def without_code(text):
    return re.sub(r"^```.*?^```|`[^`\n]*`(?!\])", "", text, flags=re.DOTALL | re.MULTILINE)


def broken(page):
    """Links to other files that do not exist, and to headings that these lack."""
    for path, anchor in re.findall(
        r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", without_code(page.read_text("utf-8"))
    ):
        target = page.parent / path if path else page
        if not target.exists():
            yield path
        elif anchor and anchor not in anchors(target):
            yield f"{path}#{anchor}"


@pytest.mark.parametrize("page", FILES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    assert [*broken(page)] == []


def test_a_link_that_leads_nowhere_is_seen(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One two!\n[a](gone.md) [b](#one-two) [c](page.md#three)\n```\n[d](e)\n```\n")
    assert [*broken(page)] == ["gone.md", "page.md#three"]
