"""Run the code of a page, and show the figure or file that each block makes."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

from tests.pages import blocks, parsed, prepare


def made(page: Path) -> Iterator[tuple[int, str, bytes]]:
    """Yield the place of each thing that a block makes, its suffix and its content.

    A block shows the figure that it calls ``figure``, and the page that it writes.
    """
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        prepare(Path(folder))
        for start, end in blocks(page, "python"):
            for example in parsed(page, start, end):
                exec(compile(example.source, page.name, "single"), names)
            if "figure" in names:
                names.pop("figure").save("figure.svg")
                yield end, ".svg", Path("figure.svg").read_bytes()
            for written in Path().glob("*.html"):
                yield end, ".html", written.read_bytes()
                written.unlink()


def illustrated(page: Path) -> tuple[str, dict[str, str | bytes]]:
    """Return the page with its figures, and their files by place in the site."""
    text = page.read_text("utf-8")
    files: dict[str, str | bytes] = {}
    parts, done = [], 0
    for number, (end, suffix, content) in enumerate(made(page), 1):
        name = f"gallery/{number:02}{suffix}"
        files[name] = content
        heading = text[:end].rpartition("\n## ")[2].partition("\n")[0]
        shown = (
            f"![{heading}]({name}){_least(content)}" if suffix == ".svg" else f"[Open it]({name})"
        )
        after = text.index("\n", end) + 1
        parts.append(f"{text[done:after]}\n{shown}\n")
        done = after
    return "".join([*parts, text[done:]]), files


def _least(figure: bytes) -> str:
    """Return the attributes of a figure: the width at which its small print can still be read.

    Those of class "whole" fit a phone at that width.
    """
    points = float(re.findall(rb'viewBox="0 0 ([\d.]+)', figure)[0])
    least = round(0.82 * points * 4 / 3)
    return f'{{ {".whole " * (least <= 400)}style="min-width: {least}px" }}'
