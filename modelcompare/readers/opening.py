"""Paths -> the content of the files."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from modelcompare.plugs import first, needed
from modelcompare.readers import names
from modelcompare.readers.content import (
    File,
    check_file,
    folder_file,
    has_known_name,
    known_kind,
    parse_json,
    whole,
    with_content,
)
from modelcompare.readers.formats import format_of, refuse_unread
from modelcompare.readers.joined import joined_tables
from modelcompare.readers.keyed_rows import with_keyed_rows
from modelcompare.readers.messages import listed
from modelcompare.readers.places import places
from modelcompare.readers.tables import TABLES, as_frame, rows_of, table_of

_LINE_ENDS = "\r\n"
_LOOKED_AT = 10_000
# Columns of tables of results, one of which the names of several files replace.
_KINDS = {"model": names.MODEL, "dataset": names.SET}


@contextmanager
def all_opened(source: Any) -> Iterator[list[File]]:
    """Open the files of a source, or a frame; archives are closed at the end."""
    made: File | None = first("objects", source)
    found = places(source) if made is None else None
    if found is None:
        yield [made or File(Path(), payload=as_frame(source))]
        return
    with ExitStack() as still_open:
        files = []
        for place in found:
            file = open_file(place)
            if isinstance(file.payload, io.IOBase):
                still_open.enter_context(file.payload)
            files.append(file)
        yield files


def open_file(file: File) -> File:
    """Open a file and read its content."""
    if folder := folder_file(file.path):
        return folder.read(file)
    found = None
    if not has_known_name(file.path):
        check_file(file.path)
        with suppress(ValueError):
            found = _of_any_name(replace(file, kind="text", payload=file.path.open("rb")))
    return found or with_payload(with_content(file))


def read_table(path: Path, *, keeps_unnamed: bool = False) -> pd.DataFrame:
    """Read the rows of a table, with or without a column that has no heading."""
    if path.is_dir():
        of_results: pd.DataFrame | None = first("folders", path)
        if of_results is None:
            raise ValueError(f"{path} is a folder: {needed('a table of results')}.")
        return of_results
    return _rows_in(open_file(File(path, keeps_unnamed=keeps_unnamed)))


def _rows_in(file: File) -> pd.DataFrame:
    if isinstance(file.payload, dict):
        refuse_unread(file)
    if isinstance(file.payload, io.IOBase):
        file.payload.close()
    if not isinstance(file.payload, pd.DataFrame):
        raise ValueError(f"{file.name} has no table of rows ({', '.join(TABLES)}).")
    return file.payload


def read_tables(paths: Sequence[Path]) -> pd.DataFrame:
    """Read the rows of a table of results, or of several and of folders of them.

    Files that name no models are of one model each, files that name no data sets of one of these.
    """
    if len(paths) == 1 and not _holds_tables(paths[0]):
        return read_table(paths[0], keeps_unnamed=True)
    opened = [open_file(replace(file, keeps_unnamed=True)) for file in places(paths) or []]
    frames, files = [], joined_tables(opened)
    if len(files) == 1 < len(opened):
        return _rows_in(files[0])
    for file in files:
        frame = _rows_in(file)
        lacking = [kind for kind, usual in _KINDS.items() if not names.named([*frame], usual)]
        if len(lacking) > 1:
            raise ValueError(
                f"{file.name} names neither models nor data sets (its columns: "
                f"{listed([*frame], 6)}), so that a file may be one of either; add a column model "
                "or dataset."
            )
        frames.append(frame.assign(**dict.fromkeys(lacking, file.model)))
    return pd.concat(frames, ignore_index=True)


def _holds_tables(path: Path) -> bool:
    return path.is_dir() and any(known_kind(each) in TABLES for each in path.iterdir())


def with_payload(file: File) -> File:
    """Read the content of an open file."""
    with whole(file.name):
        if file.kind == "text":
            return _of_text(file)
        if file.kind == "json":
            return _of_json(file)
        if file.kind in ("csv", "tsv"):
            data = file.text()
            found = _of_any_name(file.holding(data, "text"))
            file = file.holding(data, file.kind)
            if found is not None:
                return found
        return replace(file, payload=table_of(file)) if file.kind in TABLES else file


def _of_text(file: File) -> File:
    """Return the lines of a file, or its rows if it is a table."""
    data = file.text()
    lines = _lines(data)
    is_table = ".txt" in file.path.suffixes and bool(lines) and "\t" in lines[0]
    of_lines = replace(file, payload=lines)
    if is_table and format_of(of_lines) is None:
        return with_payload(file.holding(data, "tsv"))
    return of_lines


def _of_any_name(file: File) -> File | None:
    """Return the lines of a file whose first ones show its format, for any name; or None."""
    data = file.text()
    first = data[: data.rfind(b"\n", 0, _LOOKED_AT) + 1] or data
    log = format_of(replace(file, payload=_lines(first)))
    return replace(file, payload=_lines(data)) if log is not None and log.any_name else None


def _lines(data: bytes) -> list[str]:
    lines = [line.rstrip(_LINE_ENDS) for line in data.decode("utf-8-sig").split("\n")]
    return lines if lines[-1] else lines[:-1]


def _of_json(file: File) -> File:
    """Return a document; objects in a list, one in a line, or by id are a table."""
    data = file.text()
    try:
        document = parse_json(data.decode("utf-8-sig"), file.name)
    except ValueError as error:
        if "Extra data" in str(error) and data.lstrip().startswith(b"{"):
            return with_payload(file.holding(data, "jsonl"))
        raise
    if _is_split(document):
        names = [str(name) for name in document["columns"]]
        document = [dict(zip(names, row, strict=True)) for row in document["data"]]
    if isinstance(document, list):
        return replace(file, kind="jsonl", payload=rows_of(document, file.name))
    return with_keyed_rows(replace(file, payload=document))


def _is_split(document: Any) -> bool:
    """Return whether a document is a table of ``columns`` and ``data``.

    As Weights & Biases, MLflow and pandas (``orient="split"``) write tables.
    """
    held = document if isinstance(document, dict) else {}
    columns, data = held.get("columns"), held.get("data")
    if not (isinstance(columns, list) and isinstance(data, list)):
        return False
    are_names = len({*map(str, columns)}) == len(columns) and all(
        isinstance(name, str | int) for name in columns
    )
    return are_names and all(isinstance(row, list) and len(row) == len(columns) for row in data)
