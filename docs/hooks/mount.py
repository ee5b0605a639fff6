"""Pages outside docs/, and the links between all pages."""

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The README is the first page; everything else keeps its place, so that links still work.
MOUNTED = {"README.md": "index.md"} | {
    str(path.relative_to(ROOT)): str(path.relative_to(ROOT))
    for path in (
        ROOT / "CHANGELOG.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "experiments").glob("*/README.md")),
        *sorted((ROOT / "experiments" / "validity").rglob("summary.md")),
    )
}
_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)")
_PICTURES = {".png", ".svg", ".ipynb"}


def pictures(path: str, text: str) -> list[str]:
    """Return the pictures outside docs/ that a page of the repository shows."""
    found = (_within(path, link[3]) for link in _links(text) if link[1])
    return [name for name in found if not name.startswith("docs/")]


def relinked(text: str, path: str, uri: str, known: set[str]) -> str:
    """Point the links of a page to the site's pages; files without a page are only named.

    `path` is the page's in the repository, `uri` its place in the site.
    """

    def relink(link: re.Match[str]) -> str:
        mark, words, target, anchor = link[1], link[2], link[3], link[4] or ""
        if not target:
            return link[0]
        there = _within(path, target)
        place = MOUNTED.get(there, there.removeprefix("docs/"))
        if place in known:
            return f"{mark}[{words}]({os.path.relpath(place, os.path.dirname(uri))}{anchor})"
        if not (ROOT / there).exists() or mark:
            return link[0]  # for mkdocs to complain about
        named = words.strip("`") == there
        return f"`{there}`" if named else f"{words} (`{there}` in the repository)"

    parts, end = [], 0
    for fence in _FENCE.finditer(text):
        parts += [_LINK.sub(relink, text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, _LINK.sub(relink, text[end:])])


def _links(text: str) -> list[re.Match[str]]:
    return [*_LINK.finditer(_FENCE.sub("", text))]


def _within(path: str, target: str) -> str:
    """Return the target of a page's link, within the repository."""
    return os.path.normpath(os.path.join(os.path.dirname(path), target))
