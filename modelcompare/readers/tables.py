"""Files of rows, and frames of any library -> tables."""

from __future__ import annotations

import csv
import io
import warnings
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.data.checks import check_columns_distinct, refuse_rows, warn_of_data
from modelcompare.data.inputs import columns_of, flat
from modelcompare.plugs import needed
from modelcompare.readers.cell_types import Column
from modelcompare.readers.content import File, InflationError, check_inflation, parse_json
from modelcompare.readers.messages import counted
from modelcompare.words import optional, shown

_N_EXACT = 2**53
# Numbers with a decimal comma, and numbers whose commas may separate thousands.
_WITH_COMMA = r"-?[0-9]*,[0-9]+|-?[0-9]+|NA|-"
_THOUSANDS = r"-?(?:[1-9][0-9]{0,2}(?:,[0-9]{3})*|0)|NA|-"


def table_of(opened: File) -> pd.DataFrame:
    """Read the rows of an open file."""
    frame = _trim_headings(TABLES[str(opened.kind)](opened))
    if len(frame) == 0:
        raise ValueError(f"{opened.name}: the file has a header and no rows.")
    return frame


def _trim_headings(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table without blanks around its headings."""
    headings = [h.strip() if isinstance(h, str) else h for h in frame.columns]
    return frame if headings == [*frame.columns] else frame.set_axis(headings, axis=1)


def column_at(frame: pd.DataFrame, name: str) -> Column | None:
    """Look up a dotted name in the objects of a table's cells; None if it reaches nothing.

    A column of that very name comes first, then the longest heading that the name starts with.
    """
    if name in frame.columns:
        return frame[name]
    places = [place for place, sign in enumerate(name) if sign == "."]
    for place in reversed(places):
        if name[:place] in frame.columns:
            keys = name[place + 1 :].split(".")
            found = [lookup(cell, keys) for cell in frame[name[:place]]]
            column = pd.Series(found, index=frame.index, name=name, dtype=object)
            return None if column.isna().all() else _infer_type(column)
    return None


def flatten_objects(frame: pd.DataFrame) -> pd.DataFrame:
    """Split objects into columns of dotted names.

    Examples
    --------
    >>> [*flatten_objects(pd.DataFrame({"id": [1], "out": [{"bert": "x", "cnn": "y"}]}))]
    ['id', 'out.bert', 'out.cnn']
    """
    parts = []
    for heading, column in frame.items():
        held = column.dropna() if column.dtype.kind == "O" else column[:0]
        if not len(held) or not all(isinstance(cell, Mapping) for cell in held):
            parts.append(column)
            continue
        keys = dict.fromkeys(f"{heading}.{key}" for cell in held for key in cell)
        inside = {key: column_at(frame[[heading]], key) for key in keys}
        columns = {key: column for key, column in inside.items() if column is not None}
        parts.append(flatten_objects(pd.DataFrame(columns, index=frame.index)))
    if all(isinstance(part, pd.Series) for part in parts):
        return frame
    return pd.concat(parts, axis=1)


def lookup(cell: Any, keys: Sequence[str]) -> Any:
    """Look up keys in the objects and lists of a cell; None if they reach nothing."""
    for key in keys:
        if isinstance(cell, Mapping):
            cell = cell.get(key)
        elif isinstance(cell, list | tuple | np.ndarray) and key.isdecimal():
            cell = cell[int(key)] if int(key) < len(cell) else None
        else:
            return None
    return cell


def _read_delimited(opened: File, *, separator: str) -> pd.DataFrame:
    data = opened.text()
    if separator == ",":
        separator = _separator(data)
    data = _with_separator(data, separator)
    header, n_before = _header(data, separator, opened.name)
    # As in "id, label": what follows each separator is no part of the cells.
    spaced = any(heading.startswith(" ") for heading in header)
    if spaced:
        header, n_before = _header(data, separator, opened.name, spaced=True)
    if opened.keeps_unnamed:
        header = [heading or "unnamed" for heading in header]
    try:
        with warnings.catch_warnings():
            # Pandas only warns about a first row that is longer by several cells.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            rows = pd.read_csv(
                io.BytesIO(data), sep=separator, encoding="utf-8-sig", header=None,
                index_col=False, skiprows=n_before,
                # One more column than the header has shows rows that are longer.
                names=range(len(header) + 1), skipinitialspace=spaced,
                # Only an empty cell is missing: "NA", "null" and "None" may be labels.
                dtype=object, keep_default_na=False, na_values=[""],
            )  # fmt: skip
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        raise _why_unread(error, opened.name) from error
    longer = rows.pop(len(header)).notna().to_numpy()
    what = f"{opened.name}: rows of different lengths (the header has {len(header)} cells), longer"
    refuse_rows(longer, what, "quote cells that contain the separator")
    rows.columns = pd.Index(header, dtype=object)
    # The column of an index has no heading, and is needed where it names the rows of a matrix.
    if not header[0] and all(header[1:]) and _may_be_matrix(rows):
        header = ["unnamed", *header[1:]]
        rows = rows.set_axis(header, axis=1)
    frame = rows if all(header) else rows.loc[:, [*map(bool, header)]]
    check_columns_distinct(frame, opened.name)
    _refuse_headers(frame, opened.name)
    if separator != ",":
        frame = _with_points(frame, opened.name)
    return frame


def _why_unread(error: Exception, name: str) -> BaseException:
    """Return what ended the reading of rows."""
    what = str(error).strip()
    if "read(nbytes)" in what:
        # Bytes in memory are read unless it is interrupted, which pandas words as an error.
        return KeyboardInterrupt()
    return ValueError(f"{name}: rows of different lengths ({what}).")


def refuse_short_rows(files: Sequence[File]) -> None:
    """Refuse a line of a csv or tsv file that has fewer cells than the header."""
    for file in files:
        if not (file.written and file.path.is_file() and file.path.suffix in (".csv", ".tsv")):
            continue
        with file.path.open(encoding="utf-8-sig", newline="") as lines:
            separator = "\t" if file.kind == "tsv" else _separator(lines.readline().encode())
            lines.seek(0)
            rows = csv.reader(lines, delimiter=separator)
            n_cells = len(next(filter(None, rows), []))
            for row in filter(None, rows):
                if len(row) < n_cells:
                    raise ValueError(
                        f"{file.name}: line {rows.line_num:,} has {len(row)} of {n_cells} cells; "
                        "complete it, or choose missing='drop' or 'worst' (--missing drop, "
                        "--missing worst)."
                    ) from None


def _may_be_matrix(rows: pd.DataFrame) -> bool:
    """Return whether rows have names, and a whole number for each of as many columns."""
    index, headings = rows.iloc[:, 0].tolist(), [*rows.columns[1:]]
    numbered = [*map(str, range(len(rows)))]
    if len(index) != len(headings) or (index == numbered and headings != numbered):
        return False
    return all(rows[each].str.fullmatch("[0-9]+").fillna(value=False).all() for each in headings)


def _separator(data: bytes) -> str:
    """Return the separator of a csv: semicolons or tabs if its header has no commas."""
    header = data.lstrip().split(b"\n", 1)[0]
    return next((sign for sign in ",;\t" if sign.encode() in header), ",")


def _with_separator(data: bytes, separator: str) -> bytes:
    """Return rows separated by spaces, all of as many words as the header, with a separator."""
    header = data.split(b"\n", 1)[0].removeprefix(b"\xef\xbb\xbf")
    n_words = len(header.split())
    if separator.encode() in header or n_words < 2 or b'"' in data:
        return data
    words = [line.split() for line in data.split(b"\n")]
    if any(len(row) not in (0, n_words) for row in words):
        return data
    return b"\n".join(separator.encode().join(row) for row in words)


def _with_points(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Replace decimal commas by points; commas that may separate thousands stay."""
    found = {}
    for heading, column in frame.items():
        held = column.dropna()
        if not held.str.contains(",").any():
            continue
        if held.str.fullmatch(_WITH_COMMA).all() and not held.str.fullmatch(_THOUSANDS).all():
            found[heading] = column.str.replace(",", ".")
    if not found:
        return frame
    what = f"{name}: commas in the numbers of {counted([*map(str, found)])} were read as points."
    warn_of_data(what)
    return frame.assign(**found)


def _header(
    data: bytes, separator: str, name: str, *, spaced: bool = False
) -> tuple[list[str], int]:  # fmt: skip
    """Return the cells of the first row that is not blank, and the number of rows up to it."""
    file = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline="")
    lines = csv.reader(file, delimiter=separator, skipinitialspace=spaced)
    try:
        for number, header in enumerate(lines, start=1):
            if any(map(str.strip, header)):
                return header, number
    except csv.Error as error:
        raise ValueError(f"{name}: the header is no line of headings ({error}).") from error
    raise ValueError(f"{name}: the file has no table.")


def _refuse_headers(frame: pd.DataFrame, name: str) -> None:
    """Refuse rows that repeat the header, as in files joined by their lines."""
    again = np.ones(len(frame), dtype=bool)
    for heading, column in frame.items():
        again[again] = column.to_numpy()[again] == heading
        if not again.any():
            return
    refuse_rows(again, f"{name} repeats its header", "files cannot be joined by their lines")


def _read_jsonl(opened: File) -> pd.DataFrame:
    rows = []
    lines = io.TextIOWrapper(io.BytesIO(opened.text()), encoding="utf-8-sig")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{opened.name}: line {number}"
        row = parse_json(line, where)
        if not isinstance(row, dict):
            raise ValueError(f"{where} is not a JSON object.")
        rows.append(row)
    return _of_types(rows, opened.name)


def rows_of(objects: Sequence[Any], name: str) -> pd.DataFrame:
    """Make a table from a list of objects."""
    for place, row in enumerate(objects):
        if not isinstance(row, dict):
            raise ValueError(f"{name}: entry {place} of the list is not an object.")
    if not objects:
        raise ValueError(f"{name}: the list is empty.")
    return _of_types(objects, name)


def _of_types(frame: pd.DataFrame | Sequence[Any], name: str) -> pd.DataFrame:
    """Make a table of a frame or of objects, each column of its cells' type."""
    try:
        if not isinstance(frame, pd.DataFrame):
            frame = pd.DataFrame(frame, dtype=object)
        return pd.DataFrame({name: _infer_type(column) for name, column in frame.items()})
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{name} contains half a character (a lone surrogate) in {shown(error.object)}; "
            "write the texts again in their own encoding."
        ) from None


def _infer_type(column: Column) -> Column:
    """Infer a column's type; large whole numbers next to missing cells are not rounded."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iufb":
        return column
    found = column.dropna().infer_objects()
    if found.dtype.kind in "iu" and len(found) < len(column):
        exact = found.abs().max() < _N_EXACT
        return column.astype(np.float64) if exact else column
    return column.infer_objects()


def _read_parquet(opened: File) -> pd.DataFrame:
    pq = optional("pyarrow.parquet", f"reading {opened.name} needs pyarrow", "parquet")
    import pyarrow as pa

    try:
        with opened.payload as file:
            rows = pq.read_table(file)
        # Otherwise texts that are not UTF-8 would fail later, one by one.
        rows.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{opened.name}: not a readable Parquet file ({error}).") from error
    return arrow_table(rows, opened.name)


def arrow_table(rows: Any, name: str) -> pd.DataFrame:
    """Convert a table of pyarrow, each column to its cells' type."""
    # Metadata are not used, and may be damaged.
    frame = rows.replace_schema_metadata().to_pandas(
        ignore_metadata=True, integer_object_nulls=True
    )
    if any(heading.startswith("('") for heading in frame.columns):
        raise ValueError(
            f"{name} has headings of several levels ({frame.columns[0]}); write them as one, like "
            "model:class."
        )
    # The column of an index has no heading.
    headed = [not heading.startswith("__index_level_") for heading in frame.columns]
    check_columns_distinct(frame, name)
    return _of_types(frame if all(headed) else frame.loc[:, headed], name)


def _read_xlsx(opened: File) -> pd.DataFrame:
    """Read the only sheet with cells of a workbook; formulas are the values last computed."""
    openpyxl = optional("openpyxl", f"reading {opened.name} needs openpyxl", "xlsx")
    try:
        with opened.payload as file, warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of charts and styles
            data = file.read()
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                size = sum(member.file_size for member in archive.infolist())
            check_inflation(opened.name, len(data), size)
            book = openpyxl.load_workbook(io.BytesIO(data), data_only=True)
            sheets = {
                sheet.title: [*sheet.iter_rows(values_only=True)] for sheet in book.worksheets
            }
    except InflationError:
        raise
    except Exception as error:  # openpyxl raises errors of every kind
        raise ValueError(f"{opened.name}: not a readable workbook ({error}).") from error
    held = {name: rows for name, rows in sheets.items() if any(map(any, rows))}
    if len(held) != 1:
        what = f"has several sheets ({', '.join(held)})" if held else "has no cells"
        raise ValueError(f"{opened.name} {what}; save the sheet of the predictions as csv.")
    header, *rows = (row for row in next(iter(held.values())) if any(c is not None for c in row))
    headed = [place for place, heading in enumerate(header) if heading is not None]
    table = pd.DataFrame([[row[place] for place in headed] for row in rows], dtype=object)
    table.columns = pd.Index(
        [str(header[place]) for place in headed][: table.shape[1]], dtype=object
    )
    check_columns_distinct(table, opened.name)
    return _of_types(table, opened.name)


# Readers of tables, by file type.
TABLES: dict[str, Callable[[File], pd.DataFrame]] = {
    "csv": partial(_read_delimited, separator=","),
    "tsv": partial(_read_delimited, separator="\t"),
    "parquet": _read_parquet,
    "jsonl": _read_jsonl,
    "xlsx": _read_xlsx,
}


def as_frame(source: Any) -> pd.DataFrame:
    """Convert a frame of any library that narwhals knows to pandas.

    Lazy frames are collected. Categories become their labels, decimals floats, dates texts;
    integers next to missing cells stay exact.
    """
    if isinstance(source, pd.DataFrame):
        return _trim_headings(flat(source, "the table"))
    columns = None if isinstance(source, Mapping) else columns_of(source)
    if columns is not None:
        return _trim_headings(pd.DataFrame(columns))
    absent = needed("a data set of Hugging Face")
    raise TypeError(
        "`source` must be a path, several paths, or a data frame (pandas, polars, pyarrow, "
        f"DuckDB), got {shown(source)}{f' ({absent})' if absent else ''}."
    )
