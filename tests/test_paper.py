"""The paper cites what its bibliography holds, and its numbers are those that are kept with the code."""

import re

import pytest
import yaml

from tests.pages import ROOT

FOLDER = ROOT / "paper"
HEADER, BODY = re.fullmatch(
    r"---\n(.*?)^---\n(.*)", (FOLDER / "paper.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
).groups()
ENTRIES = re.findall(
    r"^@\w+\{(\w+),\n(.*?)^\}$", (FOLDER / "paper.bib").read_text("utf-8"), re.DOTALL | re.MULTILINE
)
SOURCES = [ROOT / "README.md", *sorted((ROOT / "experiments").glob("*/README.md"))]


def numbers(text):
    """Numbers as they are written, without those in names (F1) and in citations."""
    text = re.sub(r"@\w+", "", " ".join(text.split()))
    return set(re.findall(r"(?<![\w.])\d(?:[\d,.]*\d)?(?: %)?(?!\w)", text))


def test_what_is_cited_is_in_the_bibliography_and_the_reverse():
    keys = [key for key, _ in ENTRIES]
    assert len(keys) == len(set(keys)) > 15
    assert set(re.findall(r"@(\w+)", BODY)) == set(keys)


@pytest.mark.parametrize(("key", "fields"), ENTRIES, ids=[key for key, _ in ENTRIES])
def test_an_entry_is_complete_and_its_key_is_its_author_and_year(key, fields):
    held = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", fields, re.MULTILINE))
    assert {"author", "title", "pages", "year"} <= held.keys()
    assert held.keys() & {"journal", "booktitle"}
    assert key.endswith(held["year"])
    plain = re.sub(r"\{\\.\{?(\w)\}?\}", r"\1", held["author"])
    assert plain.startswith(key.removesuffix(held["year"]))


def test_every_number_is_written_in_the_readme_or_beside_the_experiments():
    known = set().union(*(numbers(path.read_text("utf-8")) for path in SOURCES))
    assert len(numbers(BODY)) > 30
    assert numbers(BODY) - known == set()


def test_the_header_has_what_the_journal_asks_for():
    header = yaml.safe_load(HEADER)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= header.keys()
    assert (FOLDER / header["bibliography"]).is_file()
    places = {str(place["index"]) for place in header["affiliations"]}
    assert {str(author["affiliation"]) for author in header["authors"]} <= places
    for title in ("Summary", "Statement of need", "State of the field"):
        assert f"\n# {title}\n" in BODY
