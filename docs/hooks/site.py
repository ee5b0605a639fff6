"""Hooks of mkdocs: add generated pages, and fix links as each page is read."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from docs.hooks import gallery, metric_pages, mount, notebooks, reference
from modelcompare import plugs
from tests.documents import written_rows

_SOURCES = {uri: path for path, uri in mount.MOUNTED.items()}
_MAP = "llms.txt"
# Wide figures need the room of both columns, and the only page of a tab no navigation.
_HIDDEN = {
    "index.md": ["navigation"], "start.md": ["navigation"], "gallery.md": ["navigation", "toc"],
}  # fmt: skip


@cache
def _metric_pages() -> dict[str, str | bytes]:
    return metric_pages.pages()


def on_config(config: MkDocsConfig) -> None:
    """Add the pages of plugins, and the metrics to the reference."""
    sections: Any = next(entry["Reference"] for entry in config.nav or () if "Reference" in entry)
    guides, entries = (
        next(entry[title] for entry in sections if title in entry)
        for title in ("Guides", "Names and commands")
    )
    listed = str(config.nav)
    guides[-1:-1] = [{title: uri} for title, uri in _pages_of_plugins() if f"'{uri}'" not in listed]
    pages = [uri for uri in _metric_pages() if uri.endswith(".md")]
    index, *others = sorted(pages, key=lambda uri: (not uri.endswith("index.md"), uri))
    entries.insert(-3, {"Metrics": [index, *others]})


def _pages_of_plugins() -> Iterator[tuple[str, str]]:
    """Yield the titles and places of the pages that plugins have in the list of pages."""
    for plugin in plugs.plugins():
        for row in written_rows(plugin).get("pages", ()):
            yield from re.findall(r"^\[(.+)\]\(docs/(.+?)\)", row)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add generated pages and those outside docs/."""
    for uri, content in _made().items():
        if (old := files.get_file_from_path(uri)) is not None:
            files.remove(old)
        files.append(File.generated(config, uri, content=content))
    addresses = {file.src_uri: file.url for file in files}
    words = mount.relinked((mount.ROOT / _MAP).read_text("utf-8"), _MAP, _MAP, set(addresses))
    addressed = re.sub(r"\]\((\S+\.md)", lambda link: f"]({addresses[link[1]]}", words)
    files.append(File.generated(config, _MAP, content=addressed))
    return files


def on_page_markdown(markdown: str, *, page: Page, files: Files, **_: Any) -> str:
    """Point links within the repository to pages of the site, and names to the reference."""
    uri = page.file.src_uri
    page.meta["hide"] = _HIDDEN.get(uri, [])
    known = {file.src_uri for file in files}
    text = mount.relinked(markdown, _SOURCES.get(uri, f"docs/{uri}"), uri, known)
    return reference.linked(text).replace("```python\n>>>", "```pycon\n>>>")


def _made() -> dict[str, str | bytes]:
    """Return the text of generated pages, and their pictures, by place in the site."""
    made: dict[str, str | bytes] = {**_metric_pages(), **reference.pages()}
    for path, uri in mount.MOUNTED.items():
        text = (mount.ROOT / path).read_text("utf-8")
        made[uri] = text
        made |= {name: (mount.ROOT / name).read_bytes() for name in mount.pictures(path, text)}
    made["gallery.md"], figures = gallery.illustrated(mount.ROOT / "docs" / "gallery.md")
    made["notebooks.md"], kept = notebooks.page()
    return made | figures | kept
