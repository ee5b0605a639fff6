"""Plain words: docstrings, comments, messages, pages and notebooks use the terms of the field."""

import ast
import io
import json
import re
import tokenize
from pathlib import Path

import numpy as np
import pytest

import modelcompare
from tests.pages import ROOT

PACKAGE = Path(modelcompare.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
# This file lists the words themselves.
AROUND = [
    path
    for folder in ("experiments", "tests")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if path != Path(__file__)
]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "notebooks").glob("*.ipynb")),
]

# Openings of a docstring that name neither an action nor a thing.
VAGUE = re.compile(
    r"(What|Whether|How|Where|Which|Who|Whose|Why|When|The same|Say|Of|For|By|As|If|With|All that|"
    r"Anything|Everything|Nothing)\b"
)
# Words that are not those of the field, each with what to write instead.
WORDS = {
    r"said|says": "state, report, give, name; is determined by",
    r"told|tells?": "state, report, give; distinguish",
    r"roads?": "path, method, algorithm, code path",
    r"foremost": "first, top",
    r"foretold|foretells?": "predicted",
    r"anew": "again; recompute",
    r"(?<!look )(?<!looks )alike": "identical, the same; equally",
    r"as (?:they|it) lies?": "as they are, unchanged",
    r"apart from|as far as|whatever": "except, if, for any",
    r"nobody|somebody|who asks?": "the caller, on request; unused",
    r"stand(?:s|ing)? (?:in|beside|once|there|under)": "is in, is next to, is defined once",
    r"(?:in|takes?|taking) the place of": "instead of, replaces",
    r"one another|each other's": "other, pairwise",
    r"look(?:s|ed|ing)? (?:at|into)": "read, inspect, evaluate, consider",
    r"let go": "freed",
    r"serves?|served": "handles, is used for, is enough for",
    r"kinds? of": "type of, family of",
    r"mend(?:s|ed|ing)?": "fix, correct",
    r"of (?:its|their|our|one's|your) own": "own, custom, separate",
    r"held|gone through|goes through": "stored, kept; iterated over",
    r"beats?|shown to be|shown (?:better|worse)": "is significantly better than, is non-inferior to",
}
NOT_PLAIN = {
    re.compile(rf"\b(?:{word})\b", re.IGNORECASE): instead for word, instead in WORDS.items()
}
ANY = re.compile(rf"\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE)
# Between two words of a phrase in a source.
BREAK = re.compile(r"[\s#\"']+")
# Names of arguments and values are not prose.
CODE = re.compile(r"``.*?``|`[^`]*`|(['\"])\w*\1")
FENCED = re.compile(r"^ *(```|~~~).*?^ *\1", re.MULTILINE | re.DOTALL)
# The tables of CONTRIBUTING.md that show each word next to its replacement.
WORD_TABLES = re.compile(r"^## Words\n.*?(?=^## )", re.MULTILINE | re.DOTALL)


def statements(node):
    """Yield a node and all statements in it: expressions, which are most nodes, define nothing."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from statements(child)


def prose(source):
    """Yield docstrings, runs of comments, and messages of a file, each as one line."""
    for node in ast.walk(ast.parse(source)):
        # A message has blanks; a name or a key has none.
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield " ".join(node.value.split())
    comments, last = [], 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if token.start[0] != last + 1 and comments:
                yield " ".join(comments)
                comments = []
            comments.append(token.string.lstrip("# "))
            last = token.start[0]
    yield " ".join(comments)


def page_prose(path):
    """Yield paragraphs of a page, or of a notebook's markdown cells, without fenced code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        sources = ["".join(each["source"]) for each in cells if each["cell_type"] == "markdown"]
        text = "\n\n".join(sources)
    elif path.name == "CONTRIBUTING.md":
        text = WORD_TABLES.sub(lambda section: re.sub(r"(?m)^\|.*", "", section.group()), text)
    for paragraph in re.split(r"\n\s*\n", FENCED.sub("", text)):
        yield " ".join(paragraph.split())


def not_plain(texts):
    """Yield each word that is not plain, the text around it, and what to write instead."""
    for text in (CODE.sub("", each) for each in texts):
        for pattern, instead in NOT_PLAIN.items():
            for found in pattern.finditer(text):
                around = text[max(found.start() - 40, 0) : found.end() + 30]
                yield found.group().lower(), around, instead


def test_docstrings_open_with_a_verb_or_a_noun_phrase():
    openings = [
        f"{path.relative_to(PACKAGE)}: {text.splitlines()[0]}"
        for path in FILES
        for node in statements(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and VAGUE.match(text := ast.get_docstring(node) or "")
    ]
    assert not openings, "\n" + "\n".join(openings)


def test_docstrings_comments_and_messages_use_plain_words():
    found = [
        f"{path.relative_to(ROOT)}: {word!r} in '...{where}...'; write {instead}"
        for path in FILES + AROUND
        # Most files have none of the words, and to take them apart takes long.
        if ANY.search(BREAK.sub(" ", source := path.read_text(encoding="utf-8")))
        for word, where, instead in not_plain(prose(source))
    ]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages_and_notebooks_use_plain_words(path):
    found = [
        f"{word!r} in '...{where}...'; write {instead}"
        for word, where, instead in not_plain(page_prose(path))
    ]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    "source",
    [
        '"""The columns that the file is told."""',
        "# Two comments, of which the phrase takes\n# the place of another.\nx = 1",
        "raise ValueError(f'{x} serves nothing here')",
        "def f():\n    'Look at this.'",
    ],
)
def test_the_check_sees_docstrings_comments_and_messages(source):
    assert len(list(not_plain(prose(source)))) == 1


@pytest.mark.parametrize(
    "source",
    [
        '"""Return the source, one of ``"told"``, `said` and "name"."""',
        "said = 'told'",
        "# The broad beating of a roadmap, which stands for a served_file.\nx = 1",
    ],
)
def test_the_check_leaves_names_and_plain_english_alone(source):
    assert list(not_plain(prose(source))) == []


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("page.md", "A phrase that takes\nthe place of another.\n", 1),
        ("page.md", "Run `said` and:\n\n```console\n$ said\nwhatever\n```\n\nIt tells.\n", 1),
        ("CONTRIBUTING.md", "## Words\n\nIt told.\n\n| told |\n\n## Style\n\n| told |\n", 2),
    ],
)
def test_the_check_sees_pages_without_their_code(tmp_path, name, text, found):
    (tmp_path / name).write_text(text)
    assert len(list(not_plain(page_prose(tmp_path / name)))) == found


def test_the_check_sees_only_markdown_cells_of_notebooks(tmp_path):
    cells = [{"cell_type": kind, "source": ["It ", "tells."]} for kind in ("markdown", "code")]
    (tmp_path / "notebook.ipynb").write_text(json.dumps({"cells": cells}))
    assert len(list(not_plain(page_prose(tmp_path / "notebook.ipynb")))) == 1


def ease(text):
    """Reading ease of a page's prose (Flesch 1948), without code, tables, headings and what is generated."""
    for left_out in (
        r"<!-- \w+ -->.*?<!-- end -->",
        r"```.*?```",
        r"^(\||#|[-*] ).*?$",
        r"`[^`]*`",
        r"\]\([^)]*\)",
    ):
        text = re.sub(left_out, "", text, flags=re.DOTALL | re.MULTILINE)
    words = re.findall(r"[a-z]+", text.lower())
    vowels = sum(max(1, len(re.findall("[aeiouy]+", re.sub("(?<!l)e$", "", w)))) for w in words)
    sentences = len(re.findall(r"[.!?:;](?=\s|$)", text))
    # Few sentences are easy or hard by chance.
    if len(words) < 150:
        return np.inf
    return 206.835 - 1.015 * len(words) / sentences - 84.6 * vowels / len(words)


def test_pages_are_easy_to_read():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    hard = {
        page.name: round(found) for page in pages if (found := ease(page.read_text("utf-8"))) < 60
    }
    assert hard == {}
