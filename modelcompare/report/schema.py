"""The JSON schema of all documents, from the names of the fields that each holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args

from modelcompare.report.fields import FIELDS
from modelcompare.words import Alternative, Answer, CurveKind, Decision, Strategy

_SHARED: Mapping[str, Any] = {
    "text_or_none": {"type": ["string", "null"]},
    "count": {"type": "integer", "minimum": 0},
    "number": {
        "description": "Null is what has no value, or is infinite.",
        "type": ["number", "null"],
    },
    "label": {
        "description": "A class, or null where a value belongs to none.",
        "type": ["string", "number", "boolean", "null"],
    },
    "made_with": {
        "type": "object",
        "required": ["B", "ci"],
        "properties": {"B": {"$ref": "#/$defs/count"}, "ci": {"type": "string"}},
        "additionalProperties": False,
    },
}
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_NUMBER, _LABEL, _COUNT, _TEXT_OR_NONE = (
    {"$ref": f"#/$defs/{name}"} for name in ("number", "label", "count", "text_or_none")
)
# By the kind of a field; all others are numbers.
_KINDS: Mapping[str, Any] = {
    "text": _TEXT, "model_a": _TEXT, "model_b": _TEXT, "label": _LABEL, "given": _LABEL,
    "count": _COUNT, "flag": {"type": "boolean"},
}  # fmt: skip
# Members that are more than cells of a table, by name or by what stands after a colon.
_TYPES: Mapping[str, Any] = {
    "number": _NUMBER, "text": _TEXT, "label": _LABEL, "text_or_none": _TEXT_OR_NONE,
    "better": _TEXT_OR_NONE, "right": _TEXT_OR_NONE,
    "models": _TEXTS, "references": _TEXTS, "verdict": _TEXTS,
    "bounds": {"type": "array", "minItems": 2, "maxItems": 2, "items": _NUMBER},
    "made_with": {"$ref": "#/$defs/made_with"},
    "alternative": {"enum": [*get_args(Alternative)]}, "answer": {"enum": [*get_args(Answer)]},
    "curve": {"enum": [*get_args(CurveKind)]}, "decision": {"enum": [*get_args(Decision)]},
    "strategy": {"enum": [*get_args(Strategy)]}, "unit": {"enum": ["samples", "clusters"]},
}  # fmt: skip


def schema(documents: Mapping[str, str]) -> dict[str, Any]:
    """Make the JSON schema of documents, from the members of each by its kind and version."""
    parts = {name.partition("/")[0]: _document(name, text) for name, text in documents.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Documents of modelcompare",
        "description": "What modelcompare writes as JSON. The member schema names the kind of a "
        "document and its version, which goes up whenever a member is added, removed or means "
        "something else.",
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in parts],
        "$defs": {**_SHARED, **parts},
    }


def _document(version: str, text: str) -> dict[str, Any]:
    """Make the schema of one document; `Result` says how its members are written."""
    properties: dict[str, Any] = {"schema": {"const": f"modelcompare/{version}"}}
    members, *tables = re.split(r"(\S+):\s", text)
    optional = _read(members, properties)
    for name, columns in zip(tables[::2], tables[1::2], strict=True):
        of_columns: dict[str, Any] = {}
        missing = _read(columns, of_columns)
        if name.endswith("?"):
            optional.add(name.rstrip("?"))
        rows = {"type": "array", "items": _object(of_columns, missing)}
        properties[name.rstrip("?")] = rows
    return _object(properties, optional)


def _read(members: str, into: dict[str, Any]) -> set[str]:
    """Add the types of some members, and return those that may be missing."""
    optional = set()
    for member in members.split():
        name, _, told = member.rstrip("?").partition(":")
        known = told or name
        into[name] = _TYPES[known] if known in _TYPES else _KINDS.get(FIELDS[name], _NUMBER)
        if member.endswith("?"):
            optional.add(name)
    return optional


def _object(properties: Mapping[str, Any], optional: set[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": [name for name in properties if name not in optional],
        "properties": properties,
        "additionalProperties": False,
    }
