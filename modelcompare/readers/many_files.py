"""Several files, logs and tables -> their records, each with its model and set."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from modelcompare.data.checks import warn_of_data
from modelcompare.readers.arrays import array_rows
from modelcompare.readers.column_roles import with_roles
from modelcompare.readers.content import File
from modelcompare.readers.formats import format_of, refuse_unread
from modelcompare.readers.formats.base import Format
from modelcompare.readers.messages import as_options, counted
from modelcompare.readers.options import Columns
from modelcompare.readers.profile import FEW_ROWS
from modelcompare.readers.records import Records, stack_records
from modelcompare.readers.tabular import table_records


def records_of_files(files: Sequence[File], columns: Columns) -> Records:
    """Read the records of several files; paths give the models and sets that files omit."""
    by_format = _by_format(files)
    files = [file for together in by_format.values() for file in together]
    # A folder with one file is a model, under any name of the file.
    several = len({(file.model, file.run) for file in files}) < len(files)
    parts, in_order = [], []
    for log, together in by_format.items():
        if log is not None:
            options = {"true": columns.true} if log.truth_is_a_file else {}
            records = replace(log.read(together, **options), format=log.name)
            parts.append(_name_by_path(records, together, several))
            continue
        for file in together:
            where = f"the file of model {file.model!r}"
            records = table_records(*with_roles(file, columns, where, alone=False))
            parts.append(_name_by_path(records, [file], several))
            if "id" not in records.parts:
                in_order.append((where, records))
    if in_order:
        _check_order(in_order, len(files))
        shown = {**parts[0].parts, "id": "the rows' order (the truths agree)"}
        parts[0] = replace(parts[0], parts=shown)
    return _newest_logs(parts[0] if len(parts) == 1 else stack_records(parts))


def _by_format(files: Sequence[File]) -> dict[Format | None, list[File]]:
    """Group files by format, None for tables; leave out what a tool writes beside its logs."""
    found = [(file, format_of(file)) for file in files]
    beside = {log.companions for _, log in found if log is not None and log.companions}
    by_format: dict[Format | None, list[File]] = {}
    for file, log in found:
        if log is None and file.in_folder and any(re.fullmatch(each, file.name) for each in beside):
            continue
        if log is None and file.kind == "npz":
            file = array_rows(file)
        if log is None and not isinstance(file.payload, pd.DataFrame):
            refuse_unread(file)
        by_format.setdefault(log, []).append(file)
    return by_format


def _check_order(tables: Sequence[tuple[str, Records]], n_files: int) -> None:
    """Refuse tables without ids unless their truths agree row by row.

    A truth that hardly changes from row to row is no evidence of their order.
    """
    for where, records in tables:
        truth, first = (each.frame.get("y_true") for each in (records, tables[0][1]))
        varies = truth is not None and int((truth != truth.shift()).sum()) > FEW_ROWS
        if not varies or len(tables) < n_files or truth.tolist() != first.tolist():
            raise ValueError(
                f"{where} has no column that names the samples (id, item, image, ...); files are "
                f"aligned by id, so name it with {as_options(id='COLUMN')}."
            )


def _name_by_path(records: Records, files: Sequence[File], several: bool) -> Records:
    """Add models, sets and runs from the paths where the files do not name them."""
    frame = records.frame
    position = frame["file"].to_numpy() if "file" in frame else [0] * len(frame)
    made: dict[str, list[str | None]] = {}
    if "model" not in frame or all(file.is_named for file in files):
        of_none = frame["model"].isna() if "model" in frame else [False] * len(frame)
        named_by_place = zip(position, of_none, strict=True)
        made["model"] = [None if none else files[place].model for place, none in named_by_place]
    if several and "set" not in frame and any(file.set for file in files):
        made["set"] = [files[place].set for place in position]
    if "run" not in frame and any(file.run for file in files):
        made["run"] = [files[place].run for place in position]
    answers = records.answers and "run" not in made
    parts = {**records.parts, **({"run": "paths"} if "run" in made else {})}
    return replace(records, frame=frame.assign(**made), answers=answers, parts=parts)


def _newest_logs(records: Records) -> Records:
    """Keep the newest log of each model and test set, and warn."""
    beside = records.beside
    if beside is None or "date" not in beside or "file" not in records.frame:
        return records
    keys = [records.frame[c] for c in ("model", "set") if c in records.frame]
    newest = beside["date"].groupby(keys, dropna=False).transform("max")
    old = (beside["date"] != newest) & beside["date"].notna()
    if not old.any():
        return records
    models = counted([*dict.fromkeys(records.frame["model"][old])])
    warn_of_data(
        f"several logs have the same model and task; the newest was used for {models}.",
    )
    return replace(records, frame=records.frame[~old], beside=beside[~old])
