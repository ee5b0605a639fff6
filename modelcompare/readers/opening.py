"""Paths -> what is in the files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from modelcompare.readers.content import Content, content, whole
from modelcompare.readers.formats import format_of
from modelcompare.readers.places import File, places
from modelcompare.readers.tables import TABLES, Table, as_frame, rows_of, table_of
from modelcompare.words import FileKind

_LINE_ENDS = "\r\n"


@contextmanager
def all_opened(source: Any) -> Iterator[list[File]]:
    """Open the files of a source, or a frame; those still to be read are closed at the end."""
    found = places(source)
    if found is None:
        yield [File(Path(), payload=Table(as_frame(source)))]
        return
    with ExitStack() as still_open:
        files = []
        for place in found:
            file = opened(place)
            if isinstance(file.payload, Content):
                still_open.enter_context(file.payload.file)
            files.append(file)
        yield files


def opened(file: File) -> File:
    """Open a file and read what its kind says is in it."""
    return held(file, content(file.path))


def read_table(path: Path) -> Table:
    """The rows of a file that must hold a table."""
    payload = opened(File(path)).payload
    if not isinstance(payload, Table):
        raise ValueError(f"{path.name} holds no table of rows ({', '.join(TABLES)}).")
    return payload


def held(file: File, found: Content) -> File:
    """Read what is in an open file of a known kind."""
    kind: FileKind = found.kind
    payload: Any = found
    with whole(found.name):
        if kind == "text":
            kind, payload = _of_text(file, found)
        elif kind == "json":
            kind, payload = _of_json(found)
        elif kind in TABLES:
            payload = table_of(found)
    return replace(file, kind=kind, payload=payload)


def _of_text(file: File, found: Content) -> tuple[FileKind, Any]:
    """Lines; but a table under this name is one."""
    data = found.text()
    lines = [line.rstrip(_LINE_ENDS) for line in data.decode("utf-8-sig").split("\n")]
    if not lines[-1]:
        lines.pop()
    is_table = ".txt" in file.path.suffixes and bool(lines) and "\t" in lines[0]
    if is_table and format_of(replace(file, kind="text", payload=lines)) is None:
        return "tsv", table_of(found.holding(data, "tsv"))
    return "text", lines


def _of_json(found: Content) -> tuple[FileKind, Any]:
    """A document; a list of objects is a table, and so are objects line by line."""
    data = found.text()
    try:
        document: Any = json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError(f"{found.name} nests too deeply; give flat objects.") from None
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and data.lstrip().startswith(b"{"):
            return "jsonl", table_of(found.holding(data, "jsonl"))
        raise ValueError(f"{found.name} is not JSON ({error}).") from error
    if isinstance(document, list):
        return "jsonl", rows_of(document, found.name)
    return "json", document
