"""What is written as JSON: its schema holds, and its shape changes with its version alone."""

import json
from itertools import islice
from typing import get_args

import jsonschema
import numpy as np
import pytest

import modelcompare as mc
from modelcompare import words
from modelcompare.plugins.catalogue.documents import whole_schema
from tests.pages import ROOT
from tests.plugged import all_plugins, plugged
from tests.report.test_results import FEW, MADE, made, preds
from tests.report.written import as_json

SCHEMA = whole_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
# What each version of each document contained when it was released. A line that is here never changes:
# a new shape is a new version, with `version` of its result, and new lines.
SHAPES = ROOT / "tests" / "report" / "json_shapes.txt"
pytestmark = pytest.mark.filterwarnings("ignore:.*resamples are too few:UserWarning")


def of_kind(kind):
    """A validator of the documents of one kind; no other kind takes them, by their first member."""
    return VALIDATOR.evolve(schema={**SCHEMA, "oneOf": [{"$ref": f"#/$defs/{kind}"}]})


def given_out():
    """By the name of a document the lines of its shape, each a set of members."""
    shapes = {}
    for line in SHAPES.read_text(encoding="utf-8").splitlines():
        if line.startswith("modelcompare/"):
            shape = shapes.setdefault(line, {})
        else:
            table, _, names = line.rpartition(":")
            shape[table.strip()] = {*names.split()}
    return shapes


def shape_of(schema):
    """The same of a document's schema, without the messages that a command adds to any."""
    tables = {
        name: {*part["items"]["properties"]}
        for name, part in schema["properties"].items()
        if "properties" in part.get("items", ())
    }
    return {"": {*schema["properties"]} - {"messages"}, **tables}


def parts(schema):
    """Every object that a schema describes."""
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        schema = list(schema.values())
    if isinstance(schema, list):
        for each in schema:
            yield from parts(each)


def test_the_schema_is_one_and_leaves_no_member_open():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    objects = list(parts(SCHEMA["$defs"]))
    assert len(objects) > (40 if all_plugins() else 20)
    for each in objects:
        assert each["additionalProperties"] is False
        assert set(each["required"]) <= set(each["properties"])


def test_choices_are_those_of_the_words():
    written = {
        tuple(member["enum"])
        for each in parts(SCHEMA["$defs"])
        for member in each["properties"].values()
        if "enum" in member
    }
    known = (words.Answer, words.Decision, words.Alternative, words.Strategy, words.CurveKind)
    expected = {get_args(choices) for choices in known} | {("samples", "clusters", "labels")}
    assert written <= expected
    assert written == expected or not all_plugins()


def test_every_version_given_out_keeps_its_shape():
    described = {
        schema["properties"]["schema"]["const"]: shape_of(schema)
        for schema in (SCHEMA["$defs"][ref["$ref"].rpartition("/")[2]] for ref in SCHEMA["oneOf"])
    }
    shapes = given_out()
    for name, shape in described.items():
        # A plugin may extend a document.
        same = shape == shapes[name] or not all_plugins()
        assert same, "a new shape is a new version"
        assert all(columns <= shapes[name][table] for table, columns in shape.items())
    assert len(described) == len({made(name)._stem for name in MADE}) + 1


@pytest.mark.parametrize("name", MADE)
def test_every_result_is_written_as_its_schema_says(name):
    document = json.loads(as_json(made(name)))
    kind = made(name)._stem
    of_kind(kind).validate(document)
    VALIDATOR.validate(document)


@pytest.mark.parametrize("name", MADE)
def test_a_member_more_or_less_is_another_document(name):
    document = json.loads(as_json(made(name)))
    # Few rows of each: a row more is no other document.
    document = {key: part[:3] if isinstance(part, list) else part for key, part in document.items()}
    tables = [
        part
        for part in document.values()
        if isinstance(part, list) and part[:1] and isinstance(part[0], dict)
    ]
    document["unheard_of"] = 1
    assert not VALIDATOR.is_valid(document)
    del document["unheard_of"]
    own = of_kind(made(name)._stem)
    for table in tables:
        row = table[0].copy()
        table[0]["unheard_of"] = 1
        assert not own.is_valid(document)
        table[0] = dict([*row.items()][:-1])
        assert not own.is_valid(document)
        table[0] = row
    assert VALIDATOR.is_valid(document)


def _odd():
    """Results whose documents lack what those of most data have."""
    truth = np.resize([True, False], 40)
    two = mc.Predictions(truth, {"a": truth, "b": ~truth}, slices={"part": [*"abb" * 13, "c"]})
    yield mc.compare(two["a"], "f1", **FEW)
    yield mc.compare_groups(two, "accuracy", min_size=2, **FEW)
    yield mc.decide(two, "b", "a", ("f1", np.bool_(True)), margin=0.1, **FEW)
    yield mc.paired_test(preds(), "m0", "m1", ("f1", np.int64(1)), **FEW)
    yield from (make() for make in plugged("ODD").values())


@pytest.mark.parametrize("place", range(4 + len(plugged("ODD"))))
def test_documents_of_other_data_are_as_their_schema_says(place):
    result = next(islice(_odd(), place, None))
    VALIDATOR.validate(json.loads(as_json(result)))
