"""What mkdocs calls: adds the pages that are made, and mends links as each page is read."""

from functools import cache
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from docs.hooks import gallery, metric_pages, mount, notebooks, reference

_SOURCES = {uri: path for path, uri in mount.MOUNTED.items()}


@cache
def _metric_pages() -> dict[str, str]:
    return metric_pages.pages()


def on_config(config: MkDocsConfig) -> None:
    """Add the metrics to the reference."""
    entries: Any = next(entry["Reference"] for entry in config.nav or () if "Reference" in entry)
    entries.insert(
        -2, {"Metrics": sorted(_metric_pages(), key=lambda uri: (uri[8:] != "index.md", uri))}
    )


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is made and what lies outside docs/."""
    made: dict[str, str | bytes] = {**_metric_pages(), **reference.pages()}
    for path, uri in mount.MOUNTED.items():
        text = (mount.ROOT / path).read_text("utf-8")
        made[uri] = text
        made |= {name: (mount.ROOT / name).read_bytes() for name in mount.pictures(path, text)}
    page, figures = gallery.illustrated(mount.ROOT / "docs" / gallery.PAGE)
    made |= {gallery.PAGE: page} | figures
    page, kept = notebooks.page()
    made |= {"notebooks.md": page} | kept
    for uri, content in made.items():
        if (old := files.get_file_from_path(uri)) is not None:
            files.remove(old)
        files.append(File.generated(config, uri, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links within the repository to pages of the site."""
    uri = page.file.src_uri
    path = _SOURCES.get(uri, f"docs/{uri}")
    known = {file.src_uri for file in files}
    return mount.relinked(markdown, path, uri, known).replace("```python\n>>>", "```pycon\n>>>")


def on_post_build(config: MkDocsConfig) -> None:
    """Put the map for language models beside the pages, with the site's addresses."""
