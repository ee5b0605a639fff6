"""Files of rows -> DataFrames."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, get_args

import pandas as pd

from modelcompare.words import FileKind

_OTHER_NAMES = {"ndjson": "jsonl", "pq": "parquet", "txt": "tsv", "tab": "tsv"}


def file_kind(path: Path) -> str:
    """Kind of a file by its name, without .gz."""
    suffixes = [suffix.lower().lstrip(".") for suffix in path.suffixes]
    if suffixes and suffixes[-1] == "gz":
        suffixes.pop()
    kind = suffixes[-1] if suffixes else ""
    kind = _OTHER_NAMES.get(kind, kind)
    known = get_args(FileKind)
    if kind not in known:
        raise ValueError(
            f"{path.name}: unknown kind of file {'.' + kind if kind else '(no suffix)'}; known are "
            f"{', '.join(f'.{each}' for each in known)}, also with .gz."
        )
    return kind


def file_stem(path: Path) -> str:
    """A file's name without suffixes: ``cnn.v2.csv.gz`` is cnn.v2."""
    name = path.name
    for suffix in (".gz", path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix):
        if suffix and name.lower().endswith(suffix.lower()):
            name = name[: -len(suffix)]
    return name


def check_file(path: Path) -> None:
    """The file is there, is a file, and is not empty."""
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file.")
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name the files in it.")
    if path.stat().st_size == 0:
        raise ValueError(f"{path.name}: the file is empty.")


def read_table(path: Path) -> pd.DataFrame:
    """Read a file of rows."""
    check_file(path)
    kind = file_kind(path)
    if kind not in TABLES:
        raise ValueError(f"{path.name}: one model per file needs rows ({', '.join(TABLES)}).")
    try:
        frame = TABLES[kind](path)
    except (EOFError, gzip.BadGzipFile, zlib.error, UnicodeDecodeError) as error:
        raise ValueError(f"{path.name}: the file is damaged or cut short ({error}).") from error
    if len(frame) == 0:
        raise ValueError(f"{path.name}: the file has a header and no rows.")
    return frame


def as_frame(source: Any) -> pd.DataFrame:
    """A pandas frame from pandas, or from a frame that converts itself to columns (polars)."""
    if isinstance(source, pd.DataFrame):
        return source
    if hasattr(source, "to_dict") and hasattr(source, "get_columns"):
        return pd.DataFrame({column.name: column.to_list() for column in source.get_columns()})
    raise TypeError(
        "`source` must be a path, several paths, or a pandas or polars DataFrame, got "
        f"{type(source).__name__}."
    )


def _read_delimited(path: Path, *, separator: str) -> pd.DataFrame:
    with _opened(path, encoding="utf-8-sig", newline="") as file:
        lines = csv.reader(file, delimiter=separator)
        header, first = next(lines, []), next(lines, None)
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise ValueError(f"{path.name}: column {repeated[0]!r} occurs twice.")
    if first is not None and len(first) > len(header):
        raise ValueError(
            f"{path.name}: rows of different lengths (the header has {len(header)} cells, the "
            f"first row {len(first)})."
        )
    try:
        # Only an empty cell is missing: "NA", "null" and "None" may be labels.
        frame = pd.read_csv(
            path, sep=separator, encoding="utf-8-sig", keep_default_na=False, na_values=[""],
            dtype=str, compression="gzip" if _is_zipped(path) else None,
        )  # fmt: skip
        # An index that was written along has no heading.
        named = [place for place, name in enumerate(header) if name]
        return frame.iloc[:, named].apply(_numbers_if_all_are)
    except pd.errors.ParserError as error:
        raise ValueError(f"{path.name}: rows of different lengths ({error}).") from error
    except pd.errors.EmptyDataError as error:
        raise ValueError(f"{path.name}: the file holds no table.") from error


def _numbers_if_all_are(column: pd.Series[Any]) -> pd.Series[Any]:
    """A column of texts as numbers, if every cell is one; true and false stay texts."""
    numbers = pd.to_numeric(column, errors="coerce")
    fits = numbers.notna() | column.isna() | column.str.lower().eq("nan")
    return numbers if fits.all() and numbers.notna().any() else column.astype(object)


def _is_zipped(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def _opened(path: Path, **options: Any) -> Any:
    return (gzip.open if _is_zipped(path) else open)(path, "rt", **options)


def _read_jsonl(path: Path) -> pd.DataFrame:
    rows = []
    with _opened(path, encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise ValueError(f"{path.name}: line {number} is not JSON ({error}).") from error
            if not isinstance(row, dict):
                raise ValueError(f"{path.name}: line {number} is not a JSON object.")
            rows.append(row)
    return pd.DataFrame(rows)


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        import pyarrow as pa
    except ImportError as error:
        raise ImportError(
            f'reading {path.name} needs pyarrow: pip install "modelcompare[parquet]"'
        ) from error
    try:
        return pd.read_parquet(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"{path.name}: not a readable Parquet file ({error}).") from error


# A row for each kind of file that holds a table.
TABLES: dict[str, Callable[[Path], pd.DataFrame]] = {
    "csv": partial(_read_delimited, separator=","),
    "tsv": partial(_read_delimited, separator="\t"),
    "parquet": _read_parquet,
    "jsonl": _read_jsonl,
}
