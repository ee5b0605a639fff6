"""Data sets of Hugging Face, as objects and as folders of ``save_to_disk`` -> tables.

Fields as in datasets 5.2.0: ``state.json`` names the Arrow files of a data set (arrow_dataset.py),
``dataset_dict.json`` the splits of several (dataset_dict.py), and the metadata of an Arrow table
the classes of its codes (``ClassLabel`` in features/features.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.readers.content import File, FolderFile, parse_json
from modelcompare.readers.tables import arrow_table, as_frame, lookup
from modelcompare.words import optional

_STATE, _INFO, _SPLITS = "state.json", "dataset_info.json", "dataset_dict.json"
_FILES, _KEY = "_data_files", b"huggingface"


def is_saved_dataset(folder: Path) -> bool:
    """Return whether a folder has a data set, or its splits, as ``save_to_disk`` writes them."""
    whole = (folder / _STATE).is_file() and (folder / _INFO).is_file()
    return whole or (folder / _SPLITS).is_file()


def saved_dataset(file: File) -> File:
    """Read the data set in a folder, of one split."""
    folder = file.path
    if (folder / _SPLITS).is_file():
        splits = _listed(folder / _SPLITS, "splits")
        return saved_dataset(replace(file, path=folder / _only(splits, str(folder), f"{folder}/")))
    names = [Path(str(lookup(each, ["filename"]))) for each in _listed(folder / _STATE, _FILES)]
    return _of_arrow(file, _concatenated([folder / name.name for name in names], folder.name))


def dataset_of(source: Any) -> File | None:
    """Return the rows of a ``Dataset``, or of a ``DatasetDict`` of one split; None for others."""
    if not type(source).__module__.startswith("datasets."):
        return None
    if isinstance(source, Mapping):
        only = _only([*source], "the DatasetDict", "read_predictions(datasets['", "'])")
        return dataset_of(source[only])
    if not hasattr(source, "num_rows"):
        raise TypeError(
            f"an {type(source).__name__} has no rows until it is read; pass "
            "datasets.Dataset.from_list([*data])."
        )
    return _of_arrow(File(Path()), source.with_format("arrow")[:])


def _listed(path: Path, key: str) -> list[Any]:
    """Return a list, not empty, in a JSON document."""
    found = lookup(parse_json(path.read_text(encoding="utf-8"), path.name), [key])
    if not isinstance(found, list) or not found:
        raise ValueError(f"{path}: {key!r} lists nothing; save the data set again.")
    return found


def _only(splits: Sequence[Any], what: str, before: str, after: str = "") -> str:
    if len(splits) > 1:
        raise ValueError(
            f"{what} has {len(splits)} splits ({', '.join(map(str, splits))}); read one, as "
            f"{before}{splits[-1]}{after}."
        )
    return str(splits[0])


def _concatenated(paths: Sequence[Path], name: str) -> Any:
    """Return the rows of Arrow files as a table of pyarrow."""
    ipc = optional("pyarrow.ipc", f"reading {name} needs pyarrow", "parquet")
    import pyarrow as pa

    tables = []
    for path in paths:
        try:
            with path.open("rb") as file:
                tables.append(ipc.open_stream(file).read_all())
            tables[-1].validate(full=True)
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"{path}: not a readable Arrow file ({error}).") from error
    return pa.concat_tables(tables)


def _of_arrow(file: File, rows: Any) -> File:
    """Return a table of pyarrow, with the names of its classes instead of their codes.

    They stay codes where another column of integers may have them too, as predictions do.
    """
    frame = as_frame(arrow_table(rows, file.name or "the Dataset"))
    if not len(frame):
        raise ValueError(f"{file.name or 'the Dataset'} has 0 rows.")
    classes = {name: found for name, found in _classes(rows).items() if name in frame}
    most = max(map(len, classes.values()), default=0)
    for name, column in frame.items():
        if name not in classes and column.dtype.kind in "iu" and column.between(0, most - 1).all():
            return replace(file, payload=frame)
    named = {name: _named(frame[name], found) for name, found in classes.items()}
    orders = tuple(dict.fromkeys(map(tuple, classes.values())))
    return replace(file, payload=frame.assign(**named), classes=orders)


def _classes(rows: Any) -> dict[str, list[str]]:
    """Return the names of classes, in the order of their codes, by column."""
    written = (rows.schema.metadata or {}).get(_KEY, b"{}").decode()
    features = lookup(parse_json(written, "the data set's metadata"), ["info", "features"]) or {}
    found = {}
    for name, feature in features.items():
        inner = feature[0] if isinstance(feature, list) else lookup(feature, ["feature"]) or feature
        if lookup(inner, ["_type"]) == "ClassLabel":
            found[name] = [*map(str, inner["names"])]
    return found


def _named(codes: pd.Series[Any], names: Sequence[str]) -> pd.Series[Any]:
    """Return the names of codes, or of lists of codes; -1 is a label that is missing."""
    known = dict(enumerate(names)) | {-1: None}
    try:
        made = [
            [known[code] for code in cell] if isinstance(cell, list | np.ndarray)
            else None if pd.isna(cell) else known[int(cell)]
            for cell in codes
        ]  # fmt: skip
    except KeyError as error:
        raise ValueError(
            f"column {codes.name!r} has the code {error}, and its {len(names)} classes are those "
            f"of 0 to {len(names) - 1}; save the data set again."
        ) from None
    return pd.Series(made, index=codes.index, dtype=object)


OBJECTS = (dataset_of,)
FOLDER_FILES = (FolderFile(is_saved_dataset, saved_dataset),)
