"""The JSON schema of all documents, from the names of their fields."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from modelcompare.report.fields import FIELDS, Member, read_members
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
# By the type of a field; all others are numbers.
_KINDS: Mapping[str, Any] = {
    "text": _TEXT, "model_a": _TEXT, "model_b": _TEXT, "label": _LABEL, "given": _LABEL,
    "count": _COUNT, "flag": {"type": "boolean"},
}  # fmt: skip
# Members that are more than their kind, by name.
_TYPES: Mapping[str, Any] = {
    **{key: {"type": ["integer", "null"]} for key in ("rank", "rank_low", "rank_high")},
    "greater_is_better": {"type": ["boolean", "null"]},
    "better": _TEXT_OR_NONE, "right": _TEXT_OR_NONE, "within": _TEXT_OR_NONE,
    "text_or_none": _TEXT_OR_NONE,
    "models": _TEXTS, "references": _TEXTS, "verdict": _TEXTS,
    "bounds": {"type": "array", "minItems": 2, "maxItems": 2, "items": _NUMBER},
    "made_with": {"$ref": "#/$defs/made_with"},
    "alternative": {"enum": [*get_args(Alternative)]}, "answer": {"enum": [*get_args(Answer)]},
    "curve": {"enum": [*get_args(CurveKind)]}, "decision": {"enum": [*get_args(Decision)]},
    "strategy": {"enum": [*get_args(Strategy)]},
    "unit": {"enum": ["samples", "clusters", "labels"]},
}  # fmt: skip


def declared(source: Path) -> Iterator[tuple[str, str]]:
    """Yield kind and version of each result of a module, and the members that it declares.

    They are read, not imported, which takes a tenth of the time.
    """
    text = source.read_text(encoding="utf-8")
    kinds = ast.parse(text).body if " _members: ClassVar" in text else []
    for kind in kinds:
        fields = [each for each in getattr(kind, "body", ()) if isinstance(each, ast.AnnAssign)]
        given = {
            ast.unparse(each.target): str(each.value.value)
            for each in fields
            if isinstance(each.value, ast.Constant)
        }
        if "_members" in given:
            yield f"{given['_stem']}/{given.get('_schema_version', 1)}", given["_members"]


def schema(documents: Mapping[str, str]) -> dict[str, Any]:
    """Make the JSON schema of documents, from the members of each by its kind and version."""
    parts = {
        version.partition("/")[0]: _object(read_members(text), version)
        for version, text in documents.items()
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Documents of modelcompare",
        "description": "What modelcompare writes as JSON. The member schema names the type of a "
        "document and its version, which goes up whenever a member is added, removed or means "
        "something else. Of a command, messages are what it read, and its warnings.",
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in parts],
        "$defs": {**_SHARED, **parts},
    }


def _object(members: Sequence[Member], version: str = "") -> dict[str, Any]:
    """Describe a document, or a row of one of its tables, which has no version."""
    named = {"schema": {"const": f"modelcompare/{version}"}} if version else {}
    more = {"messages": _TEXTS} if version else {}
    return {
        "type": "object",
        "required": [*named, *(member.name for member in members if not member.optional)],
        "properties": {**named, **{member.name: _type(member) for member in members}, **more},
        "additionalProperties": False,
    }


def _type(member: Member) -> dict[str, Any]:
    if member.columns:
        return {"type": "array", "items": _object(member.columns)}
    known = member.kind or member.name
    found: dict[str, Any] = _TYPES.get(known) or _KINDS.get(FIELDS.get(known, "text"), _NUMBER)
    return found
