"""Paths, patterns, folders and URLs -> a pyarrow Dataset."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from os import PathLike, fspath
from pathlib import Path, PurePosixPath
from typing import Any

from modelcompare.sources.fragments import hive_dataset
from modelcompare.words import shown

# Kinds of files whose rows can be read without those before them, by suffix.
FORMATS = {
    ".parquet": "parquet", ".pq": "parquet", ".arrow": "ipc", ".feather": "ipc", ".ipc": "ipc",
}  # fmt: skip
_SIGNS = re.compile(r"[*?\[]")


def dataset_of(sources: Sequence[str | PathLike[str]]) -> tuple[Any, str]:
    """The files that are named, as one Dataset, and a name for people."""
    import pyarrow as pa

    for each in sources:
        if not isinstance(each, str | PathLike):
            raise TypeError(f"`source` must name files by their paths, got {shown(each)}.")
    texts = [fspath(each) for each in sources]
    places = [_place(text) for text in texts]
    filesystem = places[0][0]
    if any(not other.equals(filesystem) for other, _ in places[1:]):
        raise ValueError("`source` names files of several file systems; give those of one.")
    files = [
        file
        for (_, path), text in zip(places, texts, strict=True)
        for file in _files(filesystem, path, text)
    ]
    kinds = {FORMATS[PurePosixPath(file).suffix.lower()] for file in files}
    if len(kinds) > 1:
        raise ValueError(f"{texts[0]} holds Parquet beside Arrow files; name those of one kind.")
    try:
        found = hive_dataset(files, kinds.pop(), filesystem)
    except UnicodeDecodeError as error:
        raise ValueError(f"{texts[0]}: the rows cannot be read ({error}).") from error
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{texts[0]}: not a readable Parquet or Arrow file ({error}).") from error
    return found, PurePosixPath(texts[0].rstrip("/")).name


def _place(text: str) -> tuple[Any, str]:
    """The file system that a path or URL is on, and the path there."""
    from pyarrow import fs

    scheme, separator, rest = text.partition("://")
    if not separator:
        return fs.LocalFileSystem(), Path(text).expanduser().absolute().as_posix()
    # A pattern is no URL; the folder before it is.
    start = _pattern_start(rest)
    try:
        filesystem, path = fs.FileSystem.from_uri(f"{scheme}://{rest[:start]}")
    except (ValueError, NotImplementedError):
        filesystem, path = _by_fsspec(scheme, text), rest[:start]
    return filesystem, path + ("/" if rest[:start].endswith("/") else "") + rest[start:]


def _pattern_start(path: str) -> int:
    """Return the start of the first part of a path that is a pattern; its length if none is."""
    found = _SIGNS.search(path)
    return len(path) if found is None else path.rfind("/", 0, found.start()) + 1


def _by_fsspec(scheme: str, text: str) -> Any:
    """A file system that pyarrow lacks."""
    from pyarrow import fs

    try:
        import fsspec

        return fs.PyFileSystem(fs.FSSpecHandler(fsspec.filesystem(scheme)))
    except (ImportError, ValueError) as error:
        raise ValueError(
            f"{text}: there is no file system for {scheme}:// ({error}); install the fsspec "
            "package that serves it."
        ) from error


def _files(filesystem: Any, path: str, text: str) -> list[str]:
    """The files of a path, those in a folder, or those of a pattern, in the order of their names.

    Names that start with a dot or an underscore are no data.
    """
    from pyarrow import fs

    path = path.replace("//", "/") if "://" not in path else path
    info = filesystem.get_file_info(path.rstrip("/"))
    if info.type == fs.FileType.File:
        if PurePosixPath(path).suffix.lower() not in FORMATS:
            raise ValueError(
                f"{text} cannot be read in parts, as {', '.join(FORMATS)} can; write it as "
                "Parquet, or read it whole with read_predictions."
            )
        return [path]
    if info.type == fs.FileType.Directory:
        listed = _listed(filesystem, path.rstrip("/"), recursive=True)
    elif (start := _pattern_start(path)) < len(path):
        folder = path[:start].rstrip("/")
        deep = "/" in path[len(folder) + 1 :]
        listed = [
            each for each in _listed(filesystem, folder, recursive=deep) if fnmatchcase(each, path)
        ]
    else:
        raise FileNotFoundError(f"{text}: there is no such file.")
    if not listed:
        raise ValueError(f"{text} holds no Parquet or Arrow file ({', '.join(FORMATS)}).")
    return listed


def _listed(filesystem: Any, folder: str, *, recursive: bool) -> list[str]:
    from pyarrow import fs

    selector = fs.FileSelector(folder, recursive=recursive, allow_not_found=True)
    found = (info for info in filesystem.get_file_info(selector) if info.is_file)
    return sorted(
        info.path
        for info in found
        if PurePosixPath(info.path).suffix.lower() in FORMATS
        and not info.base_name.startswith((".", "_"))
    )
