"""Contents of open files: the reading of one test set, or records and tables of several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from modelcompare.plugs import rows
from modelcompare.readers.arrays import archive_reading
from modelcompare.readers.column_roles import with_roles
from modelcompare.readers.content import File
from modelcompare.readers.formats import lone_table
from modelcompare.readers.joined import joined_tables
from modelcompare.readers.many_files import records_of_files
from modelcompare.readers.options import Columns
from modelcompare.readers.tabular import table_records
from modelcompare.readers.test_sets import Content, wide_content


def content_of_files(files: Sequence[File], columns: Columns) -> Content:
    """Read files that have all models together, or else the records of each."""
    files = joined_tables(files)
    return known_content(files, columns) or records_of_files(files, columns)


def known_content(files: Sequence[File], columns: Columns) -> Content | None:
    """Read files by the first reader that knows them; None for logs, and for files of one model.

    Tables of predictions are read last, by the roles of their columns.
    """
    readers = (*rows("readers"), archive_reading, _table_content)
    contents: Iterator[Content | None] = (reader(files, columns) for reader in readers)
    return next((each for each in contents if each is not None), None)


def _table_content(files: Sequence[File], columns: Columns) -> Content | None:
    """Read a table with all models as predictions or records; None for other files."""
    if lone_table(files) is None:
        return None
    (file,) = files
    name = file.name or None
    seen, roles = with_roles(file, columns, name or "the table", alone=True)
    if roles.wide:
        return wide_content(seen, roles, name)
    records = table_records(seen, roles)
    if "model" in records.frame:
        return records
    return replace(records, frame=records.frame.assign(model=file.model))
