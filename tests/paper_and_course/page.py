"""The tables of docs/from_the_paper.md: ``python -m tests.paper_and_course.page`` writes them."""

import re

from tests.pages import ROOT
from tests.paper_and_course import course, paper
from tests.paper_and_course.items import INPUTS, ours, plain, shown

PAGE = ROOT / "docs" / "from_the_paper.md"
ITEMS = [*paper.ITEMS, *course.ITEMS]
_PLACE = re.compile(r"(?<=<!-- items -->\n).*?(?=<!-- end -->)", re.DOTALL)


def updated(text):
    """The text of a page with the tables of today."""
    return _PLACE.sub(lambda _: "\n".join(_lines()), text)


def tables(text):
    """The generated part of a page."""
    return _PLACE.search(text)[0]


def _lines():
    absent = [item for item in ITEMS if item.absent]
    errata = [item for item in ITEMS if item.section == "Errata"]
    known = len(ITEMS) - len(absent) - len(errata)
    yield (
        f"Of {len(ITEMS)} items, {len(paper.ITEMS)} of the paper and {len(course.ITEMS)} of the course, {known} are "
        f"here, {len(errata)} are errata of the texts, and {len(absent)} are absent, with the way.\n"
    )
    yield f"```python{INPUTS}\n```\n"
    for section in dict.fromkeys(item.section for item in ITEMS):
        yield f"## {section}\n"
        yield "| place | term | call or command | there | here |"
        yield "| --- | --- | --- | --- | --- |"
        yield from (row(item) for item in ITEMS if item.section == section)
        yield ""


def row(item):
    """The line of an item."""
    if item.here.startswith("modelcompare "):
        call, there, here = f"`{item.here}`", item.there, "the same"
    else:
        value = ours(item)
        there, here = item.there or shown(plain(item)), shown(value)
        if isinstance(value, str) and len(value) > 60:
            here = "the same"
        call = f"`{item.here}`"
    if item.absent:
        call, there, here = "absent", "", ""
    term = f"{item.term} ({item.note})" if item.note else item.term
    return f"| {item.place} | {term} | {call} | {there} | {here} |"


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text("utf-8")), "utf-8", newline="\n")
