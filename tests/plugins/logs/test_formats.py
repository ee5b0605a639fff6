"""All formats: none takes another's file or a plain table, and none breaks on a damaged one."""

import copy
import json
import re
from pathlib import Path
from typing import get_args

import pandas as pd
import pytest

from modelcompare.plugins.logs.formats import FORMATS
from modelcompare.readers.content import File
from modelcompare.readers.formats import format_of
from modelcompare.readers.records import Records
from modelcompare.readers.tables import TABLES
from modelcompare.words import FileKind
from tests.pages import ROOT
from tests.readers.opening import DATA, opened

# What the tools that wrote the logs read or print, licences, and tables of battles.
OTHERS = ("promptfooconfig.json", "answers.js", "out.test.aq", "out.test.aqc", "stats.json",
          "mqm_ted_ende.avg_seg_scores.tsv", "predictions.table.json", "predictions.xlsx",
          "gpt-4_pair.jsonl")  # fmt: skip
FILES = [
    path
    for path in sorted(DATA.rglob("*.*"))
    if path.is_file()
    and path.suffix not in (".py", ".pyc", ".md", ".yaml")
    and path.name not in OTHERS
    and path.parent.name != "coco"  # refused
]
PLAIN = [
    {"id": [0, 1], "y_true": ["a", "b"], "y_pred": ["a", "a"]},
    {"model": ["m", "n"], "item": [0, 0], "score": [0.5, 1.0]},
    {"doc_id": [0, 1], "target": ["a", "b"], "cnn": ["a", "a"]},
    {"model_id": ["m", "n"], "sample_id": [0, 0], "score": [0.5, 1.0]},
    {"doc": ["d", "e"], "metric": [0.5, 1.0], "model_response": ["x", "y"]},
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_file_is_of_one_format(path):
    file = opened(path)
    taken = [each.name for each in FORMATS if file.kind in each.kinds and each.recognises(file)]
    # Any lines of text are texts, one a line; that format is asked last.
    assert len({*taken} - {FORMATS[-1].name}) == (0 if path.parent.name == "lines" else 1)
    if file.kind == "eval":
        file.payload.close()


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "csv", "tsv"])
@pytest.mark.parametrize("columns", PLAIN, ids=lambda columns: "-".join(columns))
def test_a_plain_table_is_of_no_format(columns, kind):
    assert format_of(File(Path(f"t.{kind}"), kind, (pd.DataFrame(columns)))) is None


@pytest.mark.parametrize("document", [[], {}, "x", 3, None, {"eval": 3}, {"eval": {"task": "t"}}])
def test_any_other_document_is_of_no_format(document):
    assert format_of(File(Path("t.json"), "json", document)) is None


def places(node, path=()):
    """Return the paths of all values in a document, down to five levels."""
    inner = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    for key, value in inner if len(path) < 5 else ():
        yield (*path, key)
        yield from places(value, (*path, key))


def with_put(document, path, value):
    document = copy.deepcopy(document)
    node = document
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return document


def held(path):
    """Return the content of a file as JSON."""
    if path.suffix == ".json":
        return json.loads(path.read_text())
    return opened(path).payload.to_dict("records")


@pytest.mark.parametrize("pattern", ["inspect/beta.json", "evalplus/70-g/*.json", "deepeval/small.json", "helm/mmlu*/per*",
                                     "opencompass/small/rep*", "bigcode/small*", "alpaca_eval/a*/*.json", "lm_eval/*weak/*sums*", "every_eval_ever/b*",
                                     "lighteval/**/*.parquet", "pydantic_evals/small.json", "lerobot/act/*.json"])  # fmt: skip
@pytest.mark.parametrize(("first", "value"), [*enumerate([None, 3, "x", [], [None], {}])], ids=repr)
def test_a_file_with_a_piece_put_wrong_is_read_or_refused_and_nothing_else(pattern, first, value):
    path = next(DATA.glob(pattern))
    document = held(path)
    if isinstance(document, list):
        document = document[:3]
    # Other places for each value.
    for place in [*places(document)][first::36]:
        file = File(path, path.suffix[1:], payload(with_put(document, place, value)))
        found = format_of(file)
        if found is not None:
            try:
                assert isinstance(found.read([file]), Records)
            except ValueError as error:
                assert str(error).startswith(f"{path.name}: ")  # noqa: PT017


def payload(document):
    if isinstance(document, dict):
        return document
    return pd.DataFrame([row for row in document if row and isinstance(row, dict)])


def test_every_kind_of_file_has_one_reader():
    of_logs = {kind for each in FORMATS for kind in each.kinds}
    assert {*TABLES, "npz"} | of_logs == {*get_args(FileKind)}


def test_every_format_of_logs_has_a_row():
    page = (ROOT / "docs" / "reading.md").read_text("utf-8")
    table = page.partition("<!-- plugins: logs -->\n")[2].partition("\n\n")[0]
    rows = {re.search(r"[\w-]+", line.split("|")[1])[0] for line in table.splitlines()[2:]}
    # Any text of as many lines is named after the tools that take it.
    lacking = {log.name for log in FORMATS if log.name.split()[0] not in rows}
    assert lacking == {"one text a line"}
    assert all("`modelcompare compare " in line for line in table.splitlines()[2:])
