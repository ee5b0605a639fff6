"""Fields that results declare are in the schema of documents."""

import json
from dataclasses import fields

import jsonschema

from modelcompare.plugins.catalogue.documents import result_types, whole_schema
from modelcompare.plugins.catalogue.schema import schema
from modelcompare.report.fields import FIELDS, members_of
from modelcompare.report.writers.formats import WRITERS
from tests.plugged import all_plugins
from tests.report.test_fields import ROWS, Toy


def test_a_declared_field_is_in_the_schema():
    toy = Toy(word="w", number=3, inner=1.0, rows=ROWS)
    described = schema([Toy], {})
    jsonschema.validate(json.loads(WRITERS["json"](toy.document())), described)
    properties = described["$defs"]["toy"]["properties"]
    assert properties["number"] == {"$ref": "#/$defs/count"}
    assert properties["rows"]["items"]["required"] == [*ROWS]
    assert {"absent"} == {*properties["rows"]["items"]["properties"]} - {*ROWS}


def test_results_take_keywords_alone():
    kinds = result_types()
    assert len(kinds) > (20 if all_plugins() else 8)
    assert all(each.kw_only for kind in kinds for each in fields(kind))


def test_shared_names_are_shared():
    used = [
        each.name
        for kind in result_types()
        for found in members_of(kind)
        for each in {it.name: it for it in found.columns}.values()
    ]
    values = [found.name for kind in result_types() for found in members_of(kind)]
    rare = {name for name in FIELDS if [*used, *values].count(name) < 2}
    # Of some names one of two results is a plugin's.
    assert rare == {"lead"} if all_plugins() else "lead" in rare


def test_every_value_has_a_json_type():
    schemas = whole_schema()["$defs"].values()
    assert all(None not in each.get("properties", {}).values() for each in schemas)
