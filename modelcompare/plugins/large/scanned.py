"""Predictions that are read block by block."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arguments import ColumnRoles, checked
from modelcompare.arrays import ROW_BLOCK, AnyArray, Found, IntArray, once
from modelcompare.data import checks
from modelcompare.data.described import written_classes
from modelcompare.data.kinds import check_kind
from modelcompare.data.misspelt import Answers, check_guess
from modelcompare.data.predictions import Predictions
from modelcompare.data.test_set import Access, TestSet
from modelcompare.engine.checkpoints import claim
from modelcompare.plugins.large.blocks import Rows, cells, open_rows, rebatch, take_rows
from modelcompare.plugins.large.coded import Coded
from modelcompare.plugins.large.layouts import Layout, find_layout
from modelcompare.plugins.large.words import ROLES
from modelcompare.readers import checked_columns
from modelcompare.readers.messages import counted
from modelcompare.readers.options import Columns
from modelcompare.readers.reading import in_one_line
from modelcompare.readers.tables import arrow_table
from modelcompare.words import Need, shown


@checked(columns=ColumnRoles(ROLES), kind=check_kind)
def scan_predictions(
    source: Any, *, columns: Mapping[str, str | None] | None = None,
    models: Sequence[str] | None = None, kind: str = "auto",
    labels: Sequence[str] | None = None, positive: Any = None,
    greater_is_better: bool | None = None, bounds: tuple[float, float] | None = None,
    na: Sequence[str] | None = None, normalize: bool = False,
    checkpoint: str | PathLike[str] | None = None,
) -> ScannedPredictions:  # fmt: skip
    """Read predictions block by block where they are, whenever they are needed.

    For test sets that do not fit into memory. `compare`, `bootstrap`, `paired_test`,
    `variance_study` and `decide` take them and give the same numbers as for these rows in memory,
    bit for bit; methods that need all rows at once are refused. Only headings, the number of rows
    and the classes are read here.

    Parameters
    ----------
    source : path, URL, sequence of these, pyarrow Dataset or frame
        A Parquet or Arrow file, a pattern (``day=*/part-*.parquet``) or a folder of them, local or
        on a file system of pyarrow or fsspec (``s3://bucket/*.parquet``); a Dataset of pyarrow; a
        lazy frame of polars or a relation of DuckDB. The rows, in the order of the files' names,
        are one wide table: a column of the truth, and for each model one of labels, values or
        scores, or one ``model:class`` of probabilities for each class.
    columns : mapping of str to str, optional
        The column of each role: ``true``, ``id``, ``groups``, ``strata`` and ``weight``, as for
        `read_predictions`. If ``id`` is given, the names are checked to be distinct, in up to ten
        million rows.
    models, kind, positive, greater_is_better, bounds, na, normalize
        As for `read_predictions`, inferred in the same ways from the first 65,536 rows; name the
        models if these rows are not like the others.
    labels : sequence of str, optional
        All classes in their order, sorted by default.
    checkpoint : path, optional
        Folder in which totals of resamples are saved while they are summed: an interrupted run
        continues where it stopped, with bit-identical numbers. It is refused if rows have changed.

    Returns
    -------
    ScannedPredictions

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    ImportError
        If pyarrow is not installed.
    ValueError
        If rows do not fit (later rows are reported by number when they are read), or if the folder
        of `checkpoint` is a file or has totals of other rows.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import modelcompare as mc
    >>> table = pa.table({"y_true": ["no", "yes"] * 9, "a": ["no"] * 18, "b": ["no", "yes"] * 9})
    >>> scan = mc.io.scan_predictions(table)
    >>> scan
    ScannedPredictions: 18 samples, 2 classes (no, yes), 2 models
      a  labels
      b  labels
    >>> [len(block) for block in scan.access.blocks()]
    [18]
    """
    read = checked_columns(
        columns, models=models, kind=kind, labels=labels, positive=positive,
        greater_is_better=greater_is_better, bounds=bounds, na=na, normalize=normalize,
    )  # fmt: skip
    folder = None if checkpoint is None else _folder(checkpoint)
    scan = ScannedPredictions.of(open_rows(source), read, folder)
    if folder is not None:
        claim(folder, scan.access.rows.fingerprint())
    return scan


def _folder(checkpoint: object) -> Path:
    if not isinstance(checkpoint, str | PathLike):
        raise TypeError(f"`checkpoint` must be the path of a folder, got {shown(checkpoint)}.")
    folder = Path(checkpoint)
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"`checkpoint` must be the path of a folder, {folder} is a file.")
    return folder


class ScannedPredictions(TestSet):
    """A test set and the outputs of models that are read block by block; see `scan_predictions`.

    Properties that need all rows in memory (`y_true`, `output`, ...) are refused; see `load`.
    """

    __slots__ = ("_checkpoint", "_chosen", "_head", "_kept", "_layout")

    def __init__(
        self, layout: Layout, head: Predictions, checkpoint: Path | None = None,
        chosen: IntArray | None = None,
    ) -> None:  # fmt: skip
        self._share(head)
        self._layout, self._head, self._chosen = layout, head, chosen
        self._checkpoint = checkpoint
        self._kept: dict[Hashable, Any] = {}

    @classmethod
    def of(cls, rows: Rows, columns: Columns, checkpoint: Path | None = None) -> ScannedPredictions:
        """Return the predictions of a source of rows, whose columns are named or detected."""
        layout, first = find_layout(rows, columns)
        counted = layout.counted()
        layout = layout.with_classes(counted)
        answers: dict[str, Answers] = {}
        try:
            shown = layout.predictions(first if counted is None else counted)
            if layout.labels is not None:
                answers = layout.answers(shown, counted)
        except ValueError:
            # The error of a block has the numbers of the rows.
            head = layout.predictions(first)
            for _ in cls(layout.settled(head), head).access.blocks():
                pass
            raise
        if (labels := layout.labels) is not None:
            true = (labels[np.unique(t[n > 0])] for t, _, n in answers.values())
            check_guess(labels, next(true, labels), answers)
        layout = layout.settled(shown)
        part = cls(layout, layout.quietly(first), checkpoint)
        part._kept["counted"] = counted
        return part

    @property
    def access(self) -> BlockAccess:
        return BlockAccess(self)

    def load(self) -> Predictions:
        """Read all rows into memory."""
        import pyarrow as pa

        tables = [*self.access.tables(0)]
        return self._layout.quietly(pa.concat_tables(tables))

    def __len__(self) -> int:
        return self._layout.rows.n_rows if self._chosen is None else len(self._chosen)

    def _column(self, name: str) -> IntArray | None:
        if name in ("y_true", "codes"):
            self.access.refuse("the true labels of all rows")
        if name == "strata" and self._columns["strata"] is not None:
            return self.access.kept("strata", self.access.strata)
        if name in ("sample_weight", "groups") and self._columns[name] is not None:
            self.access.refuse(f"`{name}` of all rows")
        return None

    def _of_models(self, models: Sequence[str]) -> ScannedPredictions:
        layout, head = self._layout.of_models(models), self._head[models]
        return ScannedPredictions(layout, head, self._checkpoint, self._chosen)

    def subset(self, rows: ArrayLike) -> ScannedPredictions:
        chosen = np.sort(np.asarray(rows, dtype=np.intp))
        if self._chosen is not None:
            chosen = self._chosen[chosen]
        part = ScannedPredictions(self._layout, self._head, self._checkpoint, chosen)
        part._head = next(part.access.blocks())
        return part

    def __repr__(self) -> str:
        lines = repr(self._head).splitlines()
        first = lines[0].partition(" samples")[2]
        return "\n".join([f"ScannedPredictions: {len(self):,} samples{first}", *lines[1:]])


class BlockAccess(Access[ScannedPredictions]):
    """Access to samples that are read block by block."""

    __slots__ = ()

    abilities = frozenset[Need]({"blocks", "sums"})
    _refusal = (
        "this needs {} at once, but these predictions are read block by block. Ask for metrics "
        "that are sums, with method='normal', 'percentile', 'basic' or 'BCa' and test='wald', "
        "'bootstrap', 'sign-flip' or 'permutation', or read everything into memory with .load()."
    )
    _lacking = (
        "`{}` is read block by block, and this needs all rows at once; read them into memory with "
        ".load()."
    )

    @property
    def _layout(self) -> Layout:
        return self.test_set._layout

    @property
    def planner(self) -> str:
        return "modelcompare.plugins.large.planning:serve_blocks"

    @property
    def head(self) -> Predictions:
        """The first block of rows, with all classes."""
        return self.test_set._head

    @property
    def sample(self) -> Predictions:
        if not self.test_set.kind.scored:
            return self.test_set._head
        # For scores, a block in which not all are 0 or 1.
        return self.kept("sample", lambda: next(
            (block for block in self.blocks()
             if not all(np.isin(block.output(m).array, (0.0, 1.0)).all() for m in block.models)),
            self.test_set._head,
        ))  # fmt: skip

    @property
    def checkpointed(self) -> tuple[Path, Mapping[str, object], Mapping[str, object]] | None:
        folder = self.test_set._checkpoint
        return None if folder is None else (folder, self.rows.fingerprint(), self.reading)

    def kept(self, key: Hashable, find: Callable[[], Found]) -> Found:
        return once(self.test_set._kept, key, find)

    def blocks(self, start: int = 0) -> Iterator[Predictions]:
        for number, table in enumerate(self.tables(start), start):
            yield self._of_table(table, number)

    def named_blocks(self) -> Iterator[tuple[Predictions, AnyArray | None]]:
        layout = self._layout
        for number, table in enumerate(self.tables(0, layout.with_names)):
            ids = None if layout.id is None else layout.ids(table)
            yield self._of_table(table, number), ids

    def blocks_of_distinct(self) -> Iterator[tuple[Predictions, IntArray | None]]:
        """Return blocks of rows, or the counted distinct rows if all are labels and few."""
        counted = self._counted
        if counted is None:
            yield from ((block, None) for block in self.blocks())
            return
        rows, times = self._layout.distinct(counted)
        self._check_length(int(times.sum()))
        yield rows, times

    @property
    def largest_weight(self) -> float:
        if not self.weighted:
            return 1.0
        return self.kept(
            "largest weight", lambda: max(block.access.largest_weight for block in self.blocks())
        )

    @property
    def n_bytes(self) -> int:
        """Approximate memory of all rows."""
        table = arrow_table(next(self.tables(0)), self._layout.where)
        return int(table.memory_usage(deep=True).sum() / len(table) * len(self.test_set))

    @property
    def sentence(self) -> str:
        """Roles of the columns, in one line."""
        parts = {
            "rows": f"{len(self.test_set):,}",
            "truth": self._layout.roles["truth"] or "none (scores)",
            "models": counted(self.test_set.models),
            "left out": counted(self._layout.roles.left_out),
            "classes": written_classes(self.test_set),
        }  # fmt: skip
        return in_one_line(parts)

    @property
    def rows(self) -> Rows:
        """Source of the rows."""
        return self._layout.rows

    @property
    def reading(self) -> dict[str, object]:
        """Description of the rows and of their roles, in texts."""
        chosen = b"" if self.test_set._chosen is None else self.test_set._chosen.tobytes()
        return {
            "columns": self._layout.needed, "options": str(self._layout.columns),
            "labels": None if self.test_set.labels is None else self.test_set.labels.tolist(),
            "chosen": hashlib.sha256(chosen).hexdigest(),
        }  # fmt: skip

    def _of_table(self, table: Any, number: int) -> Predictions:
        """Make predictions of the block of this number, of the kinds in the first rows."""
        coded = self.kept("coded", self._coded)
        part = None if coded is None else coded.predictions(table)
        if part is not None:
            return part
        part = self._layout.quietly(table, number * ROW_BLOCK)
        for model, kind in part.access.kinds.items():
            if kind != (known := self.kinds[model]):
                raise ValueError(
                    f"{self._layout.where}: model {model!r} gave {known} in the first rows and "
                    f"{kind} from row {number * ROW_BLOCK:,} on; name its kind with kind= (--kind)."
                )
        return part

    @property
    def counts(self) -> bool:
        """True if all columns are labels, and few rows are distinct: these are counted."""
        return self._counted is not None

    @property
    def _counted(self) -> Any | None:
        """The counted distinct rows, if all are labels and few."""
        whole = self.test_set._chosen is None
        return self.kept("counted", self._layout.counted) if whole else None

    def _coded(self) -> Coded | None:
        if self._counted is None:
            return None
        distinct = self._counted.select(self._layout.needed)
        try:
            return Coded.of(distinct, self._layout.quietly(distinct))
        except ValueError:
            return None  # The error of a block has the numbers of the rows.

    def tables(self, start: int, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield the needed columns in blocks; refuse a source that changes while it is read."""
        columns = self._layout.needed if columns is None else columns
        coded = self.kept("coded", self._coded)
        batches = self.rows.batches(columns, () if coded is None else self._layout.texts)
        if self.test_set._chosen is not None:
            batches = take_rows(batches, self.test_set._chosen)
        n_seen = start * ROW_BLOCK
        for table in rebatch(batches, ROW_BLOCK, skip=n_seen):
            n_seen += table.num_rows
            yield table
        self._check_length(n_seen)

    def _check_length(self, n_seen: int) -> None:
        if n_seen != (n := len(self.test_set)):
            raise ValueError(
                f"{self._layout.where} gave {n_seen:,} rows after it had {n:,}; it changed while "
                "it was read. Scan it again."
            )

    def names(self, role: Literal["groups", "strata"]) -> AnyArray:
        """Return the names of all clusters or strata, sorted."""
        found = [pd.unique(named) for named in self._cells(role)]
        return checks.distinct(np.concatenate(found), f"`{role}`")

    def _cells(self, role: str) -> Iterator[AnyArray]:
        for table in self.tables(0, [self._layout.columns.named[role]]):
            yield cells(table, self._layout.where)

    def strata(self) -> IntArray:
        """Return the number of each sample's stratum, the only column of all rows in memory."""
        names = pd.Index(self.names("strata"))
        dtype = np.min_scalar_type(len(names))
        parts = [
            names.get_indexer(pd.Index(named)).astype(dtype) for named in self._cells("strata")
        ]
        return np.concatenate(parts)
