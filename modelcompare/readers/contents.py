"""Contents of open files: the reading of one test set, or records and tables of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from modelcompare.plugs import first
from modelcompare.readers.arrays import read_arrays
from modelcompare.readers.column_roles import with_roles
from modelcompare.readers.confusions import confusion_reading
from modelcompare.readers.content import File
from modelcompare.readers.formats import format_of
from modelcompare.readers.item_counts import counts_reading
from modelcompare.readers.joined import joined_tables
from modelcompare.readers.keyed_rows import with_keyed_rows
from modelcompare.readers.many_files import records_of_files
from modelcompare.readers.options import Columns
from modelcompare.readers.rankings import ranked_reading
from modelcompare.readers.reading import Reading
from modelcompare.readers.tabular import table_records
from modelcompare.readers.test_sets import Content, wide_content


def content_of_files(files: Sequence[File], columns: Columns) -> Content:
    """Read a single file that may have all models, or the records of several files."""
    found = recognized_reading(files, columns)
    if found is not None:
        return found
    files = joined_tables([*map(with_keyed_rows, files)])
    is_alone = len(files) == 1 and not files[0].is_named
    alone = content_of_file(files[0], columns) if is_alone else None
    return alone or records_of_files(files, columns)


def recognized_reading(files: Sequence[File], columns: Columns) -> Reading | None:
    """Read files that are one test set together, of counts or by a plugin; None for others."""
    of_counts = counts_reading(files, columns) or confusion_reading(files, columns)
    known = of_counts or ranked_reading(files, columns)
    found: Reading | None = known or first("readers", files, columns)
    return found


def content_of_file(file: File, columns: Columns) -> Content | None:
    """Read a table or archive with all models as predictions or records; None for a log."""
    if file.kind == "npz":
        return read_arrays(file, columns)
    if not isinstance(file.payload, pd.DataFrame) or format_of(file) is not None:
        return None
    name = file.name or None
    seen, roles = with_roles(file, columns, name or "the table", alone=True)
    if roles.wide:
        return wide_content(seen, roles, name)
    records = table_records(seen, roles)
    if "model" in records.frame:
        return records
    return replace(records, frame=records.frame.assign(model=file.model))
