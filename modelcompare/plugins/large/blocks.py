"""Rows that are read in batches: Parquet and Arrow files, Datasets, lazy frames."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import ROW_BLOCK, AnyArray, IntArray
from modelcompare.data import checks
from modelcompare.data.checks import rows_from
from modelcompare.data.columns import check_ids
from modelcompare.plugins.large.datasets import check_alike, dataset_of, files_of, of_folders
from modelcompare.readers.cell_types import column_array
from modelcompare.readers.tables import arrow_table
from modelcompare.words import optional, shown

# Heading of the number of times that a row occurs.
TIMES = "__times"
# Names of more rows are not compared, as eight bytes of each are kept.
MOST_NAMES = 10_000_000

Batches = Iterator[Any]
"""Record batches of pyarrow."""


@dataclass(frozen=True)
class Rows:
    """Rows of a table that can be read in batches, repeatedly and in one order.

    Parameters
    ----------
    name : str or None
        Name of the source.
    columns : list of str
        Headings.
    n_rows : int
        Number of rows.
    batches : callable
        ``batches(columns, repetitive=())`` gives some columns of all rows, in order; those of few
        distinct texts perhaps as dictionaries, which is faster.
    counted : callable
        ``counted(columns, most)`` gives the distinct rows as a table of pyarrow, with their number
        in `TIMES`; None if there are more than `most`.
    fingerprint : callable
        ``fingerprint()`` of the rows, computed without reading all of them.
    files : list
        Files of the rows, as pyarrow's fragments.
    """

    name: str | None
    columns: list[str]
    n_rows: int
    batches: Callable[..., Batches]
    counted: Callable[[Sequence[str], int], Any | None]
    fingerprint: Callable[[], Mapping[str, object]]
    files: list[Any] = field(default_factory=list)

    @property
    def where(self) -> str:
        """Name in messages."""
        return self.name or "the table"

    @property
    def of_folders(self) -> list[str]:
        """Headings of cells from the folders' names, such as day=monday."""
        of_folder = {name for file in self.files for name in of_folders(file)}
        return [name for name in self.columns if name in of_folder]

    def check_alike(self, columns: Sequence[str] | None) -> None:
        """Refuse columns that differ between files; with None, columns that some files lack."""
        with _readable(self.name):
            check_alike(self.files, columns)


@contextmanager
def _readable(name: str | None) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).strip().split("\n", 1)[0]
        raise ValueError(f"{name}: the rows cannot be read ({reason}).") from error


def open_rows(source: Any) -> Rows:
    """Open the rows of paths, globs, folders, URLs, a Dataset or a lazy frame.

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    TypeError, ValueError
        If the source cannot be scanned.
    """
    import_pyarrow()
    import narwhals as nw
    import pyarrow.dataset as ds

    if isinstance(source, str | PathLike):
        source = [source]
    if isinstance(source, list | tuple) and source:
        return _of_dataset(*dataset_of(source))
    if isinstance(source, ds.Dataset):
        return _of_dataset(source, None)
    found = nw.from_native(source, pass_through=True)
    if not isinstance(found, nw.DataFrame | nw.LazyFrame):
        raise TypeError(
            "`source` must be a Parquet file, a folder or pattern of them, a pyarrow Dataset or a "
            f"lazy frame (polars, DuckDB), got {shown(source)}."
        )
    return _of_frame(found)


def import_pyarrow() -> None:
    """Refuse to scan without pyarrow, and explain how to install it."""
    optional("pyarrow", "scanning needs pyarrow", "parquet")


# -- a Dataset -------------------------------------------------------------------------------


def _of_dataset(dataset: Any, name: str | None) -> Rows:
    """Return the rows of a pyarrow Dataset."""
    with _readable(name):
        files, n_rows = files_of(dataset), int(dataset.count_rows())
        return Rows(
            name, [*dataset.schema.names], n_rows,
            batches=partial(_dataset_batches, dataset, name),
            counted=partial(_count_dataset, dataset, name, files),
            fingerprint=partial(_dataset_fingerprint, dataset, n_rows), files=files,
        )  # fmt: skip


def _dataset_batches(
    dataset: Any, name: str | None, columns: Sequence[str], repetitive: Sequence[str] = ()
) -> Batches:
    import pyarrow.dataset as ds

    # Little is read ahead and nothing is kept, so that memory does not grow with the files.
    options = None
    if _is_parquet(dataset):
        options = ds.ParquetFragmentScanOptions(pre_buffer=False, use_buffered_stream=True)
    with _readable(name):
        for part in _parts(dataset, repetitive):
            scanner = part.scanner(
                columns=[*columns], batch_size=ROW_BLOCK, batch_readahead=0, fragment_readahead=0,
                fragment_scan_options=options, use_threads=False,
            )  # fmt: skip
            for batch in scanner.to_batches():
                # Otherwise texts that are not UTF-8 would fail later, one by one.
                batch.validate(full=True)
                yield batch


def _parts(dataset: Any, repetitive: Sequence[str]) -> Iterator[Any]:
    """Yield consecutive parts of a Dataset, each of about as many rows as all before it.

    A scan that ends early reads its rows to the end, so what it reads is at most doubled.
    """
    import pyarrow.dataset as ds

    files = files_of(dataset) if _is_parquet(dataset) else []
    if not files:
        yield dataset
        return
    files, *about = _with_dictionaries(dataset, files, repetitive)
    part: list[Any] = []
    n_rows, enough = 0, ROW_BLOCK
    for group in (group for file in files for group in file.split_by_row_group()):
        part.append(group)
        n_rows += group.row_groups[0].num_rows
        if n_rows >= enough:
            yield ds.FileSystemDataset(part, *about)
            part, enough = [], 2 * n_rows
    if part:
        yield ds.FileSystemDataset(part, *about)


def _with_dictionaries(dataset: Any, files: Sequence[Any], columns: Sequence[str]) -> list[Any]:
    """Return files, schema, format and file system that give texts of columns as dictionaries."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    schema, fields = dataset.schema, {pa.field(column, pa.string()) for column in columns}
    if not fields or any(not fields <= {*file.physical_schema} for file in files):
        return [files, schema, dataset.format, dataset.filesystem]
    for column in columns:
        field = pa.field(column, pa.dictionary(pa.int32(), pa.string()))
        schema = schema.set(schema.get_field_index(column), field)
    read = ds.ParquetFileFormat(dictionary_columns=[*columns])
    files = [
        read.make_fragment(
            file.path, file.filesystem, file.partition_expression,
            [group.id for group in file.row_groups],
        )
        for file in files
    ]  # fmt: skip
    return [files, schema, read, dataset.filesystem]


def _is_parquet(dataset: Any) -> bool:
    kind = getattr(dataset, "format", None)
    return kind is not None and kind.default_extname == "parquet"


def _count_dataset(
    dataset: Any, name: str | None, files: Sequence[Any], columns: Sequence[str], most: int
) -> Any | None:
    relation = _relation(dataset, files, columns)
    if relation is not None:
        return _count_frame(relation, columns, most)
    import pyarrow as pa

    found: Any = None
    for batch in _dataset_batches(dataset, name, columns):
        ones = np.ones(batch.num_rows, dtype=np.int64)
        new = pa.Table.from_batches([batch]).append_column(TIMES, [ones])
        both = new if found is None else pa.concat_tables([found, new])
        sums = both.group_by([*columns], use_threads=False).aggregate([(TIMES, "sum")])
        found = sums.select([*columns, f"{TIMES}_sum"]).rename_columns([*columns, TIMES])
        if found.num_rows > most:
            return None
    return found


def _relation(dataset: Any, files: Sequence[Any], columns: Sequence[str]) -> Any | None:
    """Return the rows for DuckDB, where it is installed: it counts several times faster.

    DuckDB ignores case in names, and casts cells to the types of the first file, also fractions to
    integers; so it only counts columns that have the Dataset's type in all files.
    """
    from pyarrow import fs

    local = isinstance(getattr(dataset, "filesystem", None), fs.LocalFileSystem)
    if not local or not _is_parquet(dataset) or not files or find_spec("duckdb") is None:
        return None
    for schema in (file.physical_schema for file in files):
        distinct = len({name.lower() for name in schema.names}) == len(schema.names)
        if not distinct or any(
            name not in schema.names or schema.field(name).type != dataset.schema.field(name).type
            for name in columns
        ):
            return None
    import duckdb
    import narwhals as nw

    return nw.from_native(duckdb.read_parquet(dataset.files, hive_partitioning=False))


def _dataset_fingerprint(dataset: Any, n_rows: int) -> Mapping[str, object]:
    found: dict[str, object] = {"schema": str(dataset.schema), "n_rows": n_rows}
    files = getattr(dataset, "files", None)
    if files:
        infos = dataset.filesystem.get_file_info(files)
        found["files"] = [(info.path, info.size, info.mtime_ns) for info in infos]
    return found


# -- a frame ---------------------------------------------------------------------------------


def _of_frame(frame: Any) -> Rows:
    """Return the rows of a frame that narwhals knows: lazy (polars, DuckDB) or in memory."""
    import narwhals as nw

    columns = [*frame.collect_schema().names()]
    counted = frame.lazy().select(nw.len()).collect()
    n_rows = int(counted.to_dict(as_series=False)["len"][0])
    return Rows(
        None, columns, n_rows, batches=partial(_frame_batches, frame),
        counted=partial(_count_frame, frame),
        fingerprint=partial(_frame_fingerprint, frame, columns, n_rows),
    )  # fmt: skip


def _frame_batches(frame: Any, columns: Sequence[str], _: Sequence[str] = ()) -> Batches:
    chosen = frame.select(*columns)
    native = chosen.to_native()
    if hasattr(native, "collect_batches"):
        parts = native.collect_batches(chunk_size=ROW_BLOCK, maintain_order=True)
        return (batch for part in parts for batch in part.to_arrow().to_batches())
    if hasattr(native, "to_arrow_reader"):
        return iter(native.to_arrow_reader(ROW_BLOCK))
    return iter(chosen.lazy().collect("pyarrow").to_native().to_batches(ROW_BLOCK))


def _count_frame(frame: Any, columns: Sequence[str], most: int) -> Any | None:
    import narwhals as nw

    groups = frame.lazy().group_by(*columns).agg(nw.len().alias(TIMES))
    found = groups.head(most + 1).collect("pyarrow").to_native()
    return found if found.num_rows <= most else None


def _frame_fingerprint(
    frame: Any, columns: Sequence[str], n_rows: int
) -> Mapping[str, object]:  # fmt: skip
    first = next(rebatch(_frame_batches(frame, columns), ROW_BLOCK))
    rows = hashlib.sha256(repr(first.to_pydict()).encode()).hexdigest()
    return {"columns": columns, "n_rows": n_rows, "first_rows": rows}


# -- batches ---------------------------------------------------------------------------------


def rebatch(batches: Batches, size: int, *, skip: int = 0) -> Iterator[Any]:
    """Cut batches into tables of `size` rows, the last one shorter; skip the first rows.

    Examples
    --------
    >>> import pyarrow as pa
    >>> parts = (pa.record_batch({"x": [*range(n)]}) for n in (2, 5, 1))
    >>> [table.num_rows for table in rebatch(parts, 3, skip=1)]
    [3, 3, 1]
    """
    import pyarrow as pa

    held: list[Any] = []
    n_held = 0
    for batch in batches:
        start = min(skip, batch.num_rows)
        skip -= start
        while start < batch.num_rows:
            part = batch.slice(start, size - n_held)
            held, n_held, start = [*held, part], n_held + part.num_rows, start + part.num_rows
            if n_held == size:
                yield pa.Table.from_batches(held)
                held, n_held = [], 0
    if held:
        yield pa.Table.from_batches(held)


def take_rows(batches: Batches, rows: IntArray) -> Batches:
    """Take the rows of these ascending numbers, counted over all batches."""
    first = 0
    for batch in batches:
        low, high = np.searchsorted(rows, [first, first + batch.num_rows])
        if high > low:
            yield batch.take(rows[low:high] - first)
        first += batch.num_rows


def cells(table: Any, where: str) -> AnyArray:
    """Return the cells of the only column of a table of pyarrow."""
    import pyarrow as pa

    (column,) = table.columns
    if pa.types.is_integer(column.type) and not column.null_count:
        whole: AnyArray = column.to_numpy()
        return whole
    return column_array(arrow_table(table, where).iloc[:, 0])


def check_names(
    rows: Rows, column: str, refuse: Callable[[AnyArray], object] = check_ids
) -> None:  # fmt: skip
    """Refuse missing names, and those of which some are repeated, as for samples in memory."""

    def names_of_blocks() -> Iterator[AnyArray]:
        for table in rebatch(rows.batches([column]), ROW_BLOCK):
            yield cells(table, rows.where)

    seen = []
    for number, names in enumerate(names_of_blocks()):
        with rows_from(number * ROW_BLOCK):
            checks.check_defined(names, "`ids`")
        if rows.n_rows <= MOST_NAMES:
            seen.append(_hash_names(names))
    found, times = np.unique(np.concatenate(seen or [np.empty(0, np.uint64)]), return_counts=True)
    again = found[times > 1]
    if not len(again):
        return
    # Different names may have the same hash.
    held = [names[np.isin(_hash_names(names), again)] for names in names_of_blocks()]
    refuse(np.concatenate([names.astype(object) for names in held]))


def _hash_names(names: AnyArray) -> AnyArray:
    """Hash each name; integers and their texts have the same hash."""
    return pd.util.hash_array(names.astype(str).astype(object), categorize=False)
