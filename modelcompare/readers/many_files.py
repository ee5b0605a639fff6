"""Files named together, logs and tables -> the records in them, each with its model and set."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from modelcompare.data.checks import DataWarning, check_columns_distinct
from modelcompare.data.sums import is_sketch
from modelcompare.readers.column_roles import find_roles
from modelcompare.readers.content import Content
from modelcompare.readers.formats import format_of
from modelcompare.readers.formats.base import Format, Opened
from modelcompare.readers.lists import spread
from modelcompare.readers.long import table_records
from modelcompare.readers.opening import opened
from modelcompare.readers.options import Columns, with_named
from modelcompare.readers.profile import FEW_ROWS
from modelcompare.readers.reading import counted
from modelcompare.readers.records import Records, stacked
from modelcompare.readers.sources import Place
from modelcompare.readers.tables import Table, flattened


def named(table: Table, columns: Columns, where: str) -> Table:
    """A table whose headings are distinct texts, with every column that was named."""
    frame = table.frame
    if is_sketch(frame.columns):
        raise ValueError(f"{where} is a sketch; read it with modelcompare.read_sketch.")
    if not len(frame):
        raise ValueError(f"{where}: there are 0 samples; at least 2 are needed.")
    if not table.written:  # a file of texts has headings of texts, and no objects in its cells
        frame = flattened(frame.rename(columns=str).reset_index(drop=True))
    check_columns_distinct(frame, where)
    return Table(with_named(frame, columns, where), table.written)


def records_of(table: Table, columns: Columns, where: str, *, alone: bool) -> Records:
    """The records of a table: of one model, or `alone` with a row for each model and sample."""
    table, columns = spread(named(table, columns, where), columns, where, alone=alone)
    roles = find_roles(table, columns, where, alone=alone)
    return table_records(table, roles, columns)


def gathered(found: Sequence[Place], columns: Columns) -> Records:
    """The records of several files, logs and tables, whose places name what they do not say."""
    with ExitStack() as still_open:
        return _gathered(found, columns, still_open)


def _gathered(found: Sequence[Place], columns: Columns, still_open: ExitStack) -> Records:
    by_format = _by_format(found, still_open)
    # A folder that holds one file stands for a model, whatever the file is called.
    several = len({(place.model, place.run) for place in found}) < len(found)
    parts, in_order = [], []
    for log, files in by_format.items():
        if log is not None:
            told = {"true": columns.true} if log.truth_is_a_file else {}
            records = log.read([file for _, file in files], **told)
            parts.append(_placed(records, [place for place, _ in files], several))
            continue
        for place, file in files:
            where = f"the file of model {place.model!r}"
            records = records_of(file.payload, columns, where, alone=False)
            parts.append(_placed(records, [place], several))
            if "id" not in records.parts:
                in_order.append((where, records))
    if in_order:
        _check_order(in_order, len(found))
        shown = {**parts[0].parts, "id": "the rows' order (the truths agree)"}
        parts[0] = replace(parts[0], parts=shown)
    return _newest(parts[0] if len(parts) == 1 else stacked(parts))


def _by_format(
    found: Sequence[Place], still_open: ExitStack
) -> dict[Format | None, list[tuple[Place, Opened]]]:
    """The opened files by the format they are of; tables of a row for each sample are of none."""
    by_format: dict[Format | None, list[tuple[Place, Opened]]] = {}
    for place in found:
        file = replace(opened(place.path), in_folder=place.in_folder)
        if isinstance(file.payload, Content):
            # Where one file is refused, those that wait to be read are closed.
            still_open.enter_context(file.payload.file)
        if file.kind == "npz":
            raise ValueError(
                f"{file.name}: one model per file needs rows or a log; name this file alone."
            )
        log = format_of(file)
        if log is None and not isinstance(file.payload, Table):
            _refuse_unknown(file)
        by_format.setdefault(log, []).append((place, file))
    return by_format


def _refuse_unknown(file: Opened) -> None:
    raise ValueError(
        f"{file.name} is of no format that is read; give a table (csv, jsonl, parquet) of one row "
        "for each sample, or a log that `modelcompare` knows (README, Your predictions)."
    )


def _check_order(tables: Sequence[tuple[str, Records]], n_files: int) -> None:
    """Tables without ids are of the same samples where they hold the same truth row by row.

    A truth that hardly changes from row to row shows nothing about their order.
    """
    for where, records in tables:
        truth, first = (each.frame.get("y_true") for each in (records, tables[0][1]))
        varies = truth is not None and int((truth != truth.shift()).sum()) > FEW_ROWS
        if not varies or len(tables) < n_files or truth.tolist() != first.tolist():
            raise ValueError(
                f"{where} has no column that names the samples (id, item, image, ...); files are "
                "aligned by id, so name it with id= (--id COLUMN)."
            )


def _placed(records: Records, files: Sequence[Place], several: bool) -> Records:
    """Records whose models and sets are named by their places where the files do not say."""
    frame = records.frame
    position = frame["file"].to_numpy() if "file" in frame else [0] * len(frame)
    made: dict[str, list[str | None]] = {}
    if "model" not in frame or all(place.is_named for place in files):
        of_none = frame["model"].isna() if "model" in frame else [False] * len(frame)
        named_by_place = zip(position, of_none, strict=True)
        made["model"] = [None if none else files[place].model for place, none in named_by_place]
    if several and "set" not in frame and any(place.set for place in files):
        made["set"] = [files[place].set for place in position]
    if "run" not in frame and any(place.run for place in files):
        made["run"] = [files[place].run for place in position]
    return replace(records, frame=frame.assign(**made))


def of_model(records: Records, stem: str) -> Records:
    """Records of the model that their file is named after, where they do not say it."""
    if "model" in records.frame:
        return records
    return replace(records, frame=records.frame.assign(model=stem))


def _newest(records: Records) -> Records:
    """Of several logs of one model on one test set the newest, and say so."""
    beside = records.beside
    if beside is None or "date" not in beside or "file" not in records.frame:
        return records
    keys = [records.frame[c] for c in ("model", "set") if c in records.frame]
    newest = beside["date"].groupby(keys, dropna=False).transform("max")
    old = (beside["date"] != newest) & beside["date"].notna()
    if not old.any():
        return records
    models = counted([*dict.fromkeys(records.frame["model"][old])])
    warnings.warn(
        f"there are several logs of the same model and task; the newest was taken of {models}.",
        DataWarning,
        stacklevel=5,
    )
    return replace(records, frame=records.frame[~old], beside=beside[~old])


def one_set(records: Records, columns: Columns) -> Records:
    """The records of the test set that was asked for, or of the only one."""
    if "set" not in records.frame:
        if columns.set is not None:
            raise ValueError("set (--set) chooses among several test sets; there is one.")
        return records
    known = [str(name) for name in dict.fromkeys(records.frame["set"].dropna())]
    if columns.set is not None:
        if columns.set not in known:
            raise ValueError(
                f"there is no test set {columns.set!r}; there are {', '.join(known[:10])}."
            )
        return part_of(records, columns.set)
    if len(known) > 1:
        raise ValueError(
            f"there are {len(known)} test sets ({', '.join(known[:5])}"
            f"{', ...' if len(known) > 5 else ''}); choose one with set={known[0]!r} (--set "
            f"{known[0]}), or compare on all with `modelcompare sets`."
        )
    return records


def part_of(records: Records, name: Any) -> Records:
    """The records of one test set, and those of none."""
    rows = records.frame["set"].astype(str) == str(name)
    frame = records.frame[rows | records.frame["set"].isna()]
    beside = None if records.beside is None else records.beside.loc[frame.index]
    return replace(records, frame=frame, beside=beside)


def heading(found: Sequence[Place]) -> str:
    """Several files' names in one."""
    names = list(dict.fromkeys(place.path.name for place in found))
    return ", ".join(names[:3]) + ", ..." * (len(names) > 3)
