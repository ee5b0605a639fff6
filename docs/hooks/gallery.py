"""Figures of a page: its code is run, and each block that leaves a figure shows it."""

import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

from tests.pages import blocks, parsed, prepare


def drawn(page: Path) -> Iterator[tuple[int, bytes]]:
    """Where each figure of a page belongs in its text, and the figure as SVG.

    A block shows the figure that it calls ``figure``.
    """
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        prepare(Path(folder))
        for start, end in blocks(page, "python"):
            for example in parsed(page, start, end):
                exec(compile(example.source, page.name, "single"), names)
            if "figure" in names:
                names.pop("figure").save("figure.svg")
                yield end, Path("figure.svg").read_bytes()


def illustrated(page: Path) -> tuple[str, dict[str, bytes]]:
    """The page with its figures in their places, and the files of these by place in the site."""
    text, files = page.read_text("utf-8"), {}
    parts, done = [], 0
    for number, (end, figure) in enumerate(drawn(page), 1):
        name = f"gallery/{number:02}.svg"
        files[name] = figure
        heading = text[:end].rpartition("\n## ")[2].partition("\n")[0]
        after = text.index("\n", end) + 1
        parts.append(f"{text[done:after]}\n![{heading}]({name})\n")
        done = after
    return "".join([*parts, text[done:]]), files
