"""The JSON schema of all documents, from the declared fields of their results."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, Literal, get_args, get_origin, get_type_hints

from modelcompare.report.fields import Field, Member, members_of
from modelcompare.report.result import Result
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
_FLAG = {"type": "boolean"}
# By the `json_kind` of a column; all others are numbers.
_KINDS: Mapping[str, Any] = {
    "text": _TEXT, "model_a": _TEXT, "model_b": _TEXT, "label": _LABEL, "given": _LABEL,
    "count": _COUNT, "flag": _FLAG, "texts": _TEXTS, "text or none": _TEXT_OR_NONE,
    "count or none": {"type": ["integer", "null"]}, "flag or none": {"type": ["boolean", "null"]},
    "ends": {"type": "array", "minItems": 2, "maxItems": 2, "items": _NUMBER},
    "unit": {"enum": ["samples", "clusters", "labels"]},
}  # fmt: skip
# By the type of a value; other choices are texts.
_HINTS: Mapping[Any, Any] = {
    str: _TEXT, str | None: _TEXT_OR_NONE, bool: _FLAG, bool | None: _KINDS["flag or none"],
    int: _COUNT, float: _NUMBER, float | None: _NUMBER, Any: _LABEL,
    list[str]: _TEXTS, tuple[str, ...]: _TEXTS, dict[str, object]: {"$ref": "#/$defs/made_with"},
    **{each: {"enum": [*get_args(each)]}
       for each in (Alternative, Answer, CurveKind, Decision, Strategy)},
}  # fmt: skip


def schema(kinds: Iterable[type[Result]], tables: Mapping[str, Sequence[Field]]) -> dict[str, Any]:
    """Make the JSON schema of the documents of results, and of tables alone by their names."""
    parts = {kind._stem: _document(kind) for kind in kinds}
    parts |= {name: _object({**_version(name, 1), name: _rows(tables[name])}) for name in tables}
    for part in parts.values():
        part["properties"]["messages"] = _TEXTS
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Documents of modelcompare",
        "description": "What modelcompare writes as JSON. The member schema names the type of a "
        "document and its version, which goes up whenever a member is added, removed or means "
        "something else. Of a command, messages are what it read, and its warnings.",
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in parts],
        "$defs": {**_SHARED, **parts},
    }


def _version(stem: str, version: int) -> dict[str, Any]:
    return {"schema": {"const": f"modelcompare/{stem}/{version}"}}


def _document(kind: type[Result]) -> dict[str, Any]:
    """Describe the document of a result."""
    members = _members_with_extensions(kind)
    properties = _version(kind._stem, kind._schema_version) | _members(kind, members)
    if kind._row_name:
        row = _members(kind, [each for each in members if each.in_row])
        properties[kind._row_name] = {"type": "array", "items": _object(row)}
    return _object(properties, {each.name for each in members if each.optional})


def _members_with_extensions(kind: type[Result]) -> list[Member]:
    """Return the members of a result, with those of results that extend its document.

    Documents may lack what not all of them have.
    """
    kinds = [kind, *(each for each in kind.__subclasses__() if each._stem == kind._stem)]
    by_kind = [{each.name: each for each in members_of(own)} for own in kinds]
    names = dict.fromkeys(name for members in by_kind for name in members)
    return [_joined([members.get(name) for members in by_kind]) for name in names]


def _joined(members: Sequence[Member | None]) -> Member:
    """Return a member with the columns that it has in any document."""
    known = [each for each in members if each is not None]
    columns = {}
    for column in (each for member in known for each in member.columns):
        of_all = all(column in member.columns for member in known)
        columns[column.name] = replace(column, optional=column.optional or not of_all)
    optional = known[0].optional or len(known) < len(members)
    return replace(known[0], columns=tuple(columns.values()), optional=optional)


def _members(kind: type[Result], members: Iterable[Member]) -> dict[str, Any]:
    """Describe members: frames by their columns, values by their types."""
    described = {}
    for each in members:
        if each.rows_of is not None:
            named = [it for it in members_of(each.rows_of) if it.name != "signature"]
            rows = {"type": "array", "items": _object(_members(each.rows_of, named))}
            described[each.name] = rows
        elif each.columns:
            described[each.name] = _rows(each.columns)
        else:
            hint = reduce(_hint, each.source.split("."), kind)
            choice = _TEXT if get_origin(hint) is Literal else None
            described[each.name] = _KINDS.get(each.json) or _HINTS.get(hint, choice)
    return described


def _hint(owner: Any, name: str) -> Any:
    """Return the declared type of an attribute, or of what a property or method returns."""
    attribute = getattr(owner, name, None)
    function = getattr(attribute, "fget", getattr(attribute, "func", attribute))
    return get_type_hints(function)["return"] if callable(function) else get_type_hints(owner)[name]


def _rows(columns: Sequence[Field]) -> dict[str, Any]:
    """Describe the rows of a frame."""
    cells = {each.name: _KINDS.get(each.json_kind, _NUMBER) for each in columns}
    return {
        "type": "array",
        "items": _object(cells, {each.name for each in columns if each.optional}),
    }


def _object(properties: dict[str, Any], optional: Collection[str] = ()) -> dict[str, Any]:
    """Describe an object, which has no other members."""
    return {
        "type": "object",
        "required": [name for name in properties if name not in optional],
        "properties": properties,
        "additionalProperties": False,
    }
