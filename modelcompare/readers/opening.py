"""Paths -> what is in the files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from modelcompare.readers.content import Content, content
from modelcompare.readers.formats import format_of
from modelcompare.readers.formats.base import Opened
from modelcompare.readers.tables import TABLES, Table, rows_of, table_of
from modelcompare.words import FileKind

_LINE_ENDS = "\r\n"


def opened(path: Path) -> Opened:
    """Open a file and read what its kind says is in it."""
    return held(path, content(path))


def read_table(path: Path) -> Table:
    """The rows of a file that must hold a table."""
    payload = opened(path).payload
    if not isinstance(payload, Table):
        raise ValueError(f"{path.name} holds no table of rows ({', '.join(TABLES)}).")
    return payload


def held(path: Path, found: Content) -> Opened:
    """What is in an open file of a known kind."""
    if found.kind == "text":
        return _text(path, found)
    if found.kind == "json":
        return _json(path, found)
    if found.kind in TABLES:
        return Opened(path, found.kind, table_of(found))
    return Opened(path, found.kind, found)


def _text(path: Path, found: Content) -> Opened:
    """Lines; but a table under this name is one."""
    data = found.text()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{found.name}: the file is damaged or cut short ({error}).") from error
    lines = [line.rstrip(_LINE_ENDS) for line in text.split("\n")]
    if not lines[-1]:
        lines.pop()
    read = Opened(path, "text", lines)
    is_table = ".txt" in path.suffixes and bool(lines) and "\t" in lines[0]
    if is_table and format_of(read) is None:
        return _table(path, found, data, "tsv")
    return read


def _json(path: Path, found: Content) -> Opened:
    """A document; a list of objects is a table, and so are objects line by line."""
    data = found.text()
    try:
        document: Any = json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError(f"{found.name} nests too deeply; give flat objects.") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{found.name}: the file is damaged or cut short ({error}).") from error
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and data.lstrip().startswith(b"{"):
            return _table(path, found, data, "jsonl")
        raise ValueError(f"{found.name} is not JSON ({error}).") from error
    if isinstance(document, list):
        return Opened(path, "jsonl", rows_of(document, found.name))
    return Opened(path, "json", document)


def _table(path: Path, found: Content, data: bytes, kind: FileKind) -> Opened:
    return Opened(path, kind, table_of(replace(found, kind=kind).holding(data)))
