"""What a format is: how its files are recognised and read."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from modelcompare.checks import DataWarning
from modelcompare.readers.records import Records, stacked
from modelcompare.readers.said import counted
from modelcompare.words import FileKind


class UnscoredError(ValueError):
    """A log holds no scores."""


@dataclass(frozen=True)
class Opened:
    """A file whose kind is known, and what is in it.

    The payload is a `Table` for csv, tsv, parquet and jsonl; the parsed document for json; a list
    of lines without their ends for text; the open `Content` for eval, whose bytes are an archive's.
    A file that was found in a folder may be left out if nothing in it was scored.
    """

    path: Path
    kind: FileKind
    payload: Any
    in_folder: bool = False

    @property
    def name(self) -> str:
        """The file's name, for messages."""
        return self.path.name


@dataclass(frozen=True)
class Format:
    """One kind of log.

    Parameters
    ----------
    name : str
        What people call it.
    kinds : frozenset of str
        Kinds of file that it comes in.
    recognises : callable
        Whether a file is one, by what it holds (never by its name alone), without reading all.
    read : callable
        All files of this format that were named together -> their records. A row whose file does
        not say the model or the test set is given them by the caller, from ``frame["file"]``, the
        position of the file among those given.
    truth_is_a_file : bool
        The truth is one of the files, told by its name, or by the argument ``true`` of `read`.
    """

    name: str
    kinds: frozenset[FileKind]
    recognises: Callable[[Opened], bool]
    read: Callable[..., Records]
    truth_is_a_file: bool = False


def each(read_one: Callable[[Opened], Records]) -> Callable[[Sequence[Opened]], Records]:
    """Read files one by one, where each stands for itself.

    Where only some files say their model or test set, all are left to the caller to name.
    """

    def read(files: Sequence[Opened]) -> Records:
        found = _scored(read_one, files)
        parts = [*found.values()]
        told = stacked(parts)
        position = np.repeat([*found], [len(part.frame) for part in parts])
        unsaid = [n for n in ("model", "set") if any(n not in part.frame for part in parts)]
        frame = told.frame.drop(columns=unsaid, errors="ignore")
        frame.insert(0, "file", position)
        return replace(told, frame=frame)

    return read


def _scored(read_one: Callable[[Opened], Records], files: Sequence[Opened]) -> dict[int, Records]:
    """Read files by their position; leave unscored ones out of a folder that holds others."""
    found: dict[int, Records] = {}
    unscored: dict[str, UnscoredError] = {}
    for place, file in enumerate(files):
        try:
            found[place] = read_one(file)
        except UnscoredError as error:
            if not file.in_folder:
                raise
            unscored[file.name] = error
    if not found:
        raise next(iter(unscored.values()))
    if unscored:
        what = f"left out logs without scores: {counted([*unscored])}."
        warnings.warn(what, DataWarning, stacklevel=6)
    return found
