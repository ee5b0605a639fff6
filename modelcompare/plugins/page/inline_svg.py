"""A figure as inline markup: themed, labelled, with values under the pointer.

matplotlib styles its elements by attributes that a page's security policy would have to allow for
every text; here they become presentation attributes, which it need not know of.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from modelcompare.escape import html, markup, visible
from modelcompare.report.figures.types import Figure
from modelcompare.report.writers.files import figure_bytes

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_REFERENCE = re.compile(r"#([\w.-]+)")
_LONG_NUMBER = re.compile(r"(\.\d\d)\d+")
_MARKS = {f"{_SVG}path", f"{_SVG}use"}
# Wider drawings, in points, are scrolled on a phone, where they would be too small to read, and
# the widest on a tablet too.
_WIDE, _WIDEST = 330, 660
# Pixels of a page for each point, if they fit.
_PIXELS = 1.4
# A drawing of more characters is a picture instead: a page must stay quick to open.
_MOST_CHARACTERS = 300_000


def inline(figure: Figure, name: str) -> str:
    """Write a figure as an SVG element whose ids begin with `name`, without title and signature.

    These are its caption (`caption_of`). Markup that is too long becomes an image of that size.
    """
    for text in figure.texts:
        text.set_visible(False)
    document = figure_bytes(figure, "svg", inline=True)
    root = ElementTree.fromstring(document)
    _label(root, getattr(figure, "described", {}))
    _simplify(root, name)
    width = float(root.get("viewBox", "0 0 0 0").split()[2])
    root.set("class", "widest" if width > _WIDEST else "wide" if width > _WIDE else "")
    root.set("role", "img")
    root.set("aria-label", _title(figure))
    markup = _written(root)
    return markup if len(markup) <= _MOST_CHARACTERS else _picture(figure)


def caption_of(figure: Figure) -> list[str]:
    """Return title and small print, a text each; the signature is at the end of the page."""
    return [text.replace("\n", "; ") for text in getattr(figure, "remarks", [])]


def _title(figure: Figure) -> str:
    return visible(getattr(figure, "title", "")) or "figure"


def _label(root: ElementTree.Element, described: Mapping[str, Sequence[str]]) -> None:
    """Give each mark its text."""
    for group in root.iter(f"{_SVG}g"):
        texts = described.get(group.get("id", ""))
        if texts is None:
            continue
        defined = {mark for defs in group.iter(f"{_SVG}defs") for mark in defs.iter()}
        marks = [each for each in group.iter() if each.tag in _MARKS and each not in defined]
        for mark, text in zip(marks, texts, strict=False):
            ElementTree.SubElement(mark, f"{_SVG}title").text = visible(text)


def _simplify(root: ElementTree.Element, name: str) -> None:
    """Keep what is drawn; remove metadata, styles, and ids that nothing refers to."""
    for tag in ("metadata", "title"):
        for part in root.findall(f"{_SVG}{tag}"):
            root.remove(part)
    for parent in list(root.iter()):
        for style in parent.findall(f"{_SVG}style"):
            parent.remove(style)
    used = set(_references(root))
    for element in root.iter():
        attributes = element.attrib
        for declaration in attributes.pop("style", "").split(";"):
            key, colon, value = declaration.partition(":")
            if colon and key.strip() != "font-family":
                attributes[key.strip()] = value.strip()
        if attributes.get("transform", "").startswith("rotate(-0 "):
            del attributes["transform"]
        if attributes.get("id") not in used:
            attributes.pop("id", None)
        else:
            attributes["id"] = f"{name}-{attributes['id']}"
        for key, value in list(attributes.items()):
            if "#" in value and key in (_LINK, "clip-path"):
                attributes[key] = _REFERENCE.sub(rf"#{name}-\1", value)
            elif key in ("d", "transform", "x", "y"):
                attributes[key] = _LONG_NUMBER.sub(r"\1", " ".join(value.split()))
    for size in ("width", "height"):
        root.attrib.pop(size, None)
    root.set("width", f"{_PIXELS * float(root.get('viewBox', '0 0 0 0').split()[2]):.0f}")


def _references(root: ElementTree.Element) -> Iterator[str]:
    """Yield the ids that elements refer to."""
    for element in root.iter():
        for key in (_LINK, "clip-path"):
            yield from _REFERENCE.findall(element.get(key, ""))
        yield from _REFERENCE.findall(element.get("style", "").partition("clip-path")[2])


def _written(root: ElementTree.Element) -> str:
    """Write the element in HTML's spelling, which has no prefixes."""
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)
        if _LINK in element.attrib:
            element.set("href", element.attrib.pop(_LINK))
    for element in root.iter():
        if element.text is not None and not element.text.strip():
            element.text = None
        if element.tail is not None and not element.tail.strip():
            element.tail = None
    return markup(ElementTree.tostring(root, encoding="unicode"))


def _picture(figure: Any) -> str:
    """Write the figure as an image within the page."""
    data = b64encode(figure_bytes(figure, "png", dpi=110, inline=True)).decode()
    return f'<img alt="{html(_title(figure))}" src="data:image/png;base64,{data}">'
