"""Rows that are read in batches: Parquet and Arrow files, what pyarrow scans, lazy frames."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import ROW_BLOCK, AnyArray, IntArray
from modelcompare.data import checks
from modelcompare.data.checks import rows_from
from modelcompare.data.columns import check_ids
from modelcompare.readers.cell_types import column_array
from modelcompare.readers.tables import arrow_table
from modelcompare.sources.datasets import check_alike, dataset_of, files_of, of_folders
from modelcompare.words import optional, shown

# Heading of how often a row occurs.
TIMES = "__times"
# Of more rows the names are not compared: eight bytes each are kept.
MOST_NAMES = 10_000_000

Batches = Iterator[Any]
"""Record batches of pyarrow, one after the other."""


class Rows(ABC):
    """Rows of a table that can be read in batches, as often as it is asked, in one order."""

    name: str | None

    @property
    def where(self) -> str:
        """Name in messages."""
        return self.name or "the table"

    @property
    @abstractmethod
    def columns(self) -> list[str]:
        """Headings."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of rows."""

    @abstractmethod
    def batches(self, columns: Sequence[str]) -> Batches:
        """Some columns of all rows, in order."""

    @abstractmethod
    def counted(self, columns: Sequence[str], most: int) -> Any | None:
        """Distinct rows as a table of pyarrow with their number in `TIMES`; None if more."""

    @abstractmethod
    def fingerprint(self) -> Mapping[str, object]:
        """Fingerprint of the rows, as far as it can be had without reading them."""

    @property
    def files(self) -> list[Any]:
        """Files that hold the rows, as pyarrow's fragments."""
        return []

    @property
    def of_folders(self) -> list[str]:
        """Headings of cells that are the folders' names, such as day=monday."""
        told = {name for file in self.files for name in of_folders(file)}
        return [name for name in self.columns if name in told]

    def check_alike(self, columns: Sequence[str] | None) -> None:
        """Refuse columns that the files do not hold alike; of None those that some of them lack."""
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


@dataclass(frozen=True)
class DatasetRows(Rows):
    """Rows of a pyarrow Dataset."""

    dataset: Any
    name: str | None

    @property
    def columns(self) -> list[str]:
        with _readable(self.name):
            return [*self.dataset.schema.names]

    @cached_property
    def files(self) -> list[Any]:
        with _readable(self.name):
            return files_of(self.dataset)

    @cached_property
    def n_rows(self) -> int:
        with _readable(self.name):
            return int(self.dataset.count_rows())

    def batches(self, columns: Sequence[str]) -> Batches:
        import pyarrow.dataset as ds

        # Little is read ahead, and no part of a file is kept: memory must not grow with the files.
        options = None
        if self._is_parquet:
            options = ds.ParquetFragmentScanOptions(pre_buffer=False, use_buffered_stream=True)
        scanner = self.dataset.scanner(
            columns=[*columns], batch_size=ROW_BLOCK, batch_readahead=0, fragment_readahead=0,
            fragment_scan_options=options, use_threads=False,
        )  # fmt: skip
        with _readable(self.name):
            for batch in scanner.to_batches():
                # Texts that are not UTF-8 would be met later, one by one.
                batch.validate(full=True)
                yield batch

    @property
    def _is_parquet(self) -> bool:
        kind = getattr(self.dataset, "format", None)
        return kind is not None and kind.default_extname == "parquet"

    def counted(self, columns: Sequence[str], most: int) -> Any | None:
        relation = self._relation(columns)
        if relation is not None:
            return relation.counted(columns, most)
        import pyarrow as pa

        found: Any = None
        for batch in self.batches(columns):
            ones = np.ones(batch.num_rows, dtype=np.int64)
            new = pa.Table.from_batches([batch]).append_column(TIMES, [ones])
            both = new if found is None else pa.concat_tables([found, new])
            sums = both.group_by([*columns], use_threads=False).aggregate([(TIMES, "sum")])
            found = sums.select([*columns, f"{TIMES}_sum"]).rename_columns([*columns, TIMES])
            if found.num_rows > most:
                return None
        return found

    def _relation(self, columns: Sequence[str]) -> FrameRows | None:
        """Return the rows for DuckDB, where it is installed: it counts several times faster."""
        from pyarrow import fs

        local = isinstance(getattr(self.dataset, "filesystem", None), fs.LocalFileSystem)
        if not local or not self._is_parquet or find_spec("duckdb") is None:
            return None
        schemas = [file.physical_schema for file in self.files]
        if not schemas or not all(self._as_duckdb_reads(schema, columns) for schema in schemas):
            return None
        import duckdb
        import narwhals as nw

        found = duckdb.read_parquet(self.dataset.files, hive_partitioning=False)
        return FrameRows(nw.from_native(found))

    def _as_duckdb_reads(self, schema: Any, columns: Sequence[str]) -> bool:
        """Return whether DuckDB, to which aB is ab, takes the columns of a file as they are.

        It casts cells to the types of the first file, a fraction to a whole number too.
        """
        distinct = len({name.lower() for name in schema.names}) == len(schema.names)
        return distinct and all(
            name in schema.names and schema.field(name).type == self.dataset.schema.field(name).type
            for name in columns
        )

    def fingerprint(self) -> Mapping[str, object]:
        found: dict[str, object] = {"schema": str(self.dataset.schema), "n_rows": self.n_rows}
        files = getattr(self.dataset, "files", None)
        if files:
            infos = self.dataset.filesystem.get_file_info(files)
            found["files"] = [(info.path, info.size, info.mtime_ns) for info in infos]
        return found


@dataclass(frozen=True)
class FrameRows(Rows):
    """Rows of a frame that narwhals knows: lazy of polars or DuckDB, or one in memory."""

    frame: Any
    name: str | None = None

    @cached_property
    def columns(self) -> list[str]:
        return [*self.frame.collect_schema().names()]

    @cached_property
    def n_rows(self) -> int:
        import narwhals as nw

        counted = self.frame.lazy().select(nw.len()).collect()
        return int(counted.to_dict(as_series=False)["len"][0])

    def batches(self, columns: Sequence[str]) -> Batches:
        chosen = self.frame.select(*columns)
        native = chosen.to_native()
        if hasattr(native, "collect_batches"):
            parts = native.collect_batches(chunk_size=ROW_BLOCK, maintain_order=True)
            return (batch for part in parts for batch in part.to_arrow().to_batches())
        if hasattr(native, "to_arrow_reader"):
            return iter(native.to_arrow_reader(ROW_BLOCK))
        return iter(chosen.lazy().collect("pyarrow").to_native().to_batches(ROW_BLOCK))

    def counted(self, columns: Sequence[str], most: int) -> Any | None:
        import narwhals as nw

        groups = self.frame.lazy().group_by(*columns).agg(nw.len().alias(TIMES))
        found = groups.head(most + 1).collect("pyarrow").to_native()
        return found if found.num_rows <= most else None

    def fingerprint(self) -> Mapping[str, object]:
        first = next(recut(self.batches(self.columns), ROW_BLOCK))
        rows = hashlib.sha256(repr(first.to_pydict()).encode()).hexdigest()
        return {"columns": self.columns, "n_rows": self.n_rows, "first_rows": rows}


def open_rows(source: Any) -> Rows:
    """The rows of a path, a glob, a folder, a URL, several of these, a Dataset or a lazy frame.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    TypeError, ValueError
        If it is nothing that can be scanned.
    """
    import_pyarrow()
    import narwhals as nw
    import pyarrow.dataset as ds

    if isinstance(source, str | PathLike):
        source = [source]
    if isinstance(source, list | tuple) and source:
        return DatasetRows(*dataset_of(source))
    if isinstance(source, ds.Dataset):
        return DatasetRows(source, None)
    found = nw.from_native(source, pass_through=True)
    if not isinstance(found, nw.DataFrame | nw.LazyFrame):
        raise TypeError(
            "`source` must be a Parquet file, a folder or pattern of them, a pyarrow Dataset or a "
            f"lazy frame (polars, DuckDB), got {shown(source)}."
        )
    return FrameRows(found)


def import_pyarrow() -> None:
    """Refuse to scan without pyarrow, and say how to get it."""
    optional("pyarrow", "scanning needs pyarrow", "parquet")


def recut(batches: Batches, size: int, *, skip: int = 0) -> Iterator[Any]:
    """Tables of `size` rows each, but for the last, whatever the batches; without the first rows.

    Examples
    --------
    >>> import pyarrow as pa
    >>> parts = (pa.record_batch({"x": [*range(n)]}) for n in (2, 5, 1))
    >>> [table.num_rows for table in recut(parts, 3, skip=1)]
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


def selected(batches: Batches, rows: IntArray) -> Batches:
    """The rows of these numbers, ascending, of all batches together."""
    first = 0
    for batch in batches:
        low, high = np.searchsorted(rows, [first, first + batch.num_rows])
        if high > low:
            yield batch.take(rows[low:high] - first)
        first += batch.num_rows


def cells(table: Any, where: str) -> AnyArray:
    """Cells of the only column of a table of pyarrow."""
    return column_array(arrow_table(table, where).iloc[:, 0])


def check_names(rows: Rows, column: str) -> None:
    """Refuse names that are missing in any row, or that two rows share, as memory does."""

    def names_of_blocks() -> Iterator[AnyArray]:
        for table in recut(rows.batches([column]), ROW_BLOCK):
            yield cells(table, rows.where)

    seen = []
    for number, names in enumerate(names_of_blocks()):
        with rows_from(number * ROW_BLOCK):
            checks.check_defined(names, "`ids`")
        if rows.n_rows <= MOST_NAMES:
            seen.append(_hashed(names))
    found, times = np.unique(np.concatenate(seen or [np.empty(0, np.uint64)]), return_counts=True)
    again = found[times > 1]
    if not len(again):
        return
    # Names of one hash may still be two.
    held = [names[np.isin(_hashed(names), again)] for names in names_of_blocks()]
    check_ids(np.concatenate([names.astype(object) for names in held]))


def _hashed(names: AnyArray) -> AnyArray:
    """A hash of each name: the same where whole numbers came as texts."""
    return pd.util.hash_array(names.astype(str).astype(object), categorize=False)
