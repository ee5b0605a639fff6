"""Paths -> the files in them, and the model and test set of each file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from modelcompare.plugs import absent, rows
from modelcompare.readers.content import File, file_stem, folder_file, known_kind
from modelcompare.words import shown

Source = str | PathLike[str]


def places(source: Any) -> list[File] | None:
    """Find the files of paths, folders, or a mapping of models to paths; None for a frame."""
    if isinstance(source, str | PathLike):
        return _places_of([Path(source)])
    if isinstance(source, Mapping) and not hasattr(source, "columns"):
        check_paths(list(source.values()))
        return [File(Path(p), model=str(model), is_named=True) for model, p in source.items()]
    if isinstance(source, Sequence) and not isinstance(source, bytes):
        check_paths(source)
        return _places_of([Path(path) for path in source])
    return None


def check_paths(paths: Sequence[Any]) -> None:
    """Refuse an empty sequence, and entries that are no paths."""
    if not paths:
        raise ValueError("no file named; give at least one.")
    for path in paths:
        if not isinstance(path, str | PathLike):
            raise TypeError(f"`source` must name files by their paths, got {shown(path)}.")


def _places_of(paths: Sequence[Path]) -> list[File]:
    folders = [path for path in paths if _is_folder(path)]
    files = [path for path in paths if not _is_folder(path)]
    # A single folder contains the models; of several, each is a model.
    alone = len(paths) == 1
    found = [*_by_stem(files), *(file for each in folders for file in _in_folder(each, alone))]
    for named in rows("paths"):
        found = named(found, alone=alone)
    _refuse_absent(found)
    for named in rows("named"):
        found = named(found)
    return found


def _refuse_absent(files: Sequence[File]) -> None:
    """Refuse files and folders whose names a plugin alone reads, which is absent."""
    folders = [name for each in files if each.set is not None for name in each.model.split("/")]
    names = [each.model if each.set is None else each.set for each in files]
    for plugin, usual in absent("PATHS").items():
        like = dict.fromkeys(
            name
            for each, pattern in zip((names, folders), usual, strict=True)
            for name in each
            if re.fullmatch(pattern, name, re.IGNORECASE)
        )
        # One name is that of a model, unless it is that of the only folder.
        if len(like) > 1 or len(like) == len({*folders}) == 1:
            raise ValueError(
                f"a source with files or folders named like {' and '.join([*like][:2])} needs the "
                f"plugin {plugin}; if they are models rename them, or pass a mapping of model "
                "names to files."
            )


def _is_folder(path: Path) -> bool:
    """Return whether a path is a folder of files, and none that is as good as a file."""
    try:
        return path.is_dir() and folder_file(path) is None
    except (OSError, ValueError):
        return False


def _by_stem(files: Sequence[Path], *, in_folder: bool = False) -> list[File]:
    """Name the model of each file after the file."""
    named = zip(files, distinct_names(files), strict=True)
    return [File(path, model=name, in_folder=in_folder) for path, name in named]


def distinct_names(files: Sequence[Path]) -> list[str]:
    """Return the stems of files, or what they differ in: a folder above them, or the suffix."""
    stems = [file_stem(path) for path in files]
    repeated = [stem for stem, count in Counter(stems).items() if count > 1]
    if not repeated:
        return stems
    if len({*stems}) == 1:
        above = [path.absolute().parts[-2::-1] for path in files]
        levels = ([*names] for names in zip(*above, strict=False))
        stems = next((names for names in levels if len({*names}) == len(files)), stems)
    names = [path.name for path in files]
    if len({*stems}) < len(files) == len({*names}):
        return names
    if len({*stems}) < len(files):
        raise ValueError(
            f"several files are named {repeated[0]!r}, so their models would be too; rename one, "
            "or pass a mapping of model names to files."
        )
    return stems


def _in_folder(folder: Path, holds_models: bool) -> list[File]:
    """Find the files in a folder: one model per file, or per folder with one set per file."""
    found = [path for path in folder.rglob("*") if _is_read(path, folder)]
    parents = {above for path in found for above in path.parents if folder in above.parents}
    saved = {*filter(folder_file, parents)}
    # Such a folder is one file, with all in it.
    whole = (next((up for up in reversed(path.parents) if up in saved), path) for path in found)
    files = sorted({*whole})
    if not files:
        raise ValueError(f"{folder} has no file of a known kind; name the files.")
    flat = [path for path in files if path.parent == folder]
    if holds_models and flat and len(flat) < len(files):
        inner = sorted({path.relative_to(folder).parts[0] for path in files if path not in flat})
        raise ValueError(
            f"{folder} has files ({flat[0].name}, ...) beside folders ({', '.join(inner[:3])}); "
            "a folder is a model, so name the files, or the folders, themselves."
        )
    if holds_models and flat:
        return _by_stem(flat, in_folder=True)
    return [_inside(path, folder, holds_models) for path in files]


def _inside(path: Path, folder: Path, holds_models: bool) -> File:
    """Return the model and set of a file."""
    above = (*([] if holds_models else [folder.name]), *path.relative_to(folder).parent.parts)
    return File(path, model="/".join(above), set=file_stem(path), in_folder=True)


def _is_read(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    return not hidden and path.is_file() and known_kind(path) is not None
