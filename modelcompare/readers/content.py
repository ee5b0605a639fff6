"""Files: their kinds, and their bytes."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from modelcompare.plugs import rows
from modelcompare.words import FileKind

_KINDS: dict[str, FileKind] = {
    **{f".{kind}": kind for kind in get_args(FileKind)},
    ".ndjson": "jsonl", ".pq": "parquet", ".tab": "tsv",
    **dict.fromkeys(
        (".txt", ".run", ".qrels", ".qrel", ".res", ".trec", ".score", ".ref", ".hyp", ".trn"),
        "text",
    ),
}  # fmt: skip
_FIRST_BYTES: dict[bytes, FileKind] = {b"PK": "npz", b"PAR1": "parquet", b"{": "jsonl"}
_GZIP = b"\x1f\x8b"
# A file above both this compression ratio and this inflated size is no table of predictions.
MOST_RATIO = 100
MOST_BYTES = 100_000_000


@dataclass(frozen=True)
class File:
    """A file, and the model, test set and run that its path gives.

    Once opened it has a kind and a payload: a frame for csv, tsv, parquet and jsonl; the parsed
    document for json; a list of lines without their ends for text; the open file for npz and eval,
    and for every kind before it is read. A table that came as a frame has no path. A file found in
    a folder may be left out if nothing in it was scored.
    """

    path: Path
    kind: FileKind | None = None
    payload: Any = None
    model: str = "model"
    set: str | None = None
    run: str | None = None
    in_folder: bool = False
    is_named: bool = False  # the caller named the model
    classes: tuple[tuple[str, ...], ...] = ()  # in the order that an archive declares, or none
    keeps_unnamed: bool = False  # a column without heading is no index, and is called unnamed

    @property
    def name(self) -> str:
        """The file's name, for messages."""
        return self.path.name

    @property
    def written(self) -> bool:
        """True where cells of a table are texts, as in a file that knows no types."""
        return self.kind in ("csv", "tsv")

    def holding(self, data: bytes, kind: FileKind) -> File:
        """Return the file with bytes that were read already, as another kind."""
        return replace(self, kind=kind, payload=io.BytesIO(data))

    def text(self) -> bytes:
        """Read all of an open file, which must be text in UTF-8."""
        with self.payload as file:
            data: bytes = file.read()
        if b"\0" in data:
            raise ValueError(
                f"{self.name}: byte {data.index(0):,} is 0, which UTF-8 text never contains; write "
                "the file again, as UTF-8."
            )
        return data


@dataclass(frozen=True)
class FolderFile:
    """A folder that is as good as a file: whether a folder is one, and how it is read."""

    fits: Callable[[Path], bool]
    read: Callable[[File], File]


def folder_file(path: Path) -> FolderFile | None:
    """Return how a folder is read if it is as good as a file, which plugins know; or None."""
    return next((each for each in rows("folder_files") if each.fits(path)), None)


def with_content(file: File) -> File:
    """Open a file, a pipe or standard input, whose kind the first bytes determine."""
    path = file.path
    check_file(path)
    is_stream = _is_stream(path)
    kind = None if is_stream else file_kind(path)
    is_packed = path.suffix.lower() == ".gz"
    if kind is not None and path.is_file() and not is_packed:
        return replace(file, kind=kind, payload=path.open("rb"))
    data = path.read_bytes()
    if is_stream and not data:
        raise ValueError(f"{path.name}: the file is empty.")
    if is_packed or (is_stream and data.startswith(_GZIP)):
        data = _inflate(data, path.name)
    return file.holding(data, kind or _kind_by_content(data))


def has_known_name(path: Path) -> bool:
    """Return whether a file's kind follows from its suffix, or from its first bytes as a stream."""
    return _is_stream(path) or known_kind(path) is not None


def _is_stream(path: Path) -> bool:
    """Return whether a path without suffix is a pipe or a device such as /dev/stdin."""
    return not path.suffix and (not path.is_file() or path.is_relative_to("/dev"))


def check_file(path: Path) -> None:
    """Refuse a path that does not exist, is a folder, or is an empty file."""
    try:
        state = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(f"{path}: there is no such file.") from None
    except OSError as error:
        raise ValueError(f"{path}: the file cannot be opened ({error.strerror}).") from error
    except ValueError as error:
        raise ValueError(f"{path}: the file cannot be opened (a zero byte in its name).") from error
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name the files in it.")
    if path.is_file() and state.st_size == 0:
        raise ValueError(f"{path.name}: the file is empty.")


def file_kind(path: Path) -> FileKind:
    """Return the file type by the suffix, without .gz."""
    found = known_kind(path)
    if found is None:
        suffix = _without_gz(path).suffix.lower() or "(no suffix)"
        known = [".txt" if kind == "text" else f".{kind}" for kind in get_args(FileKind)]
        raise ValueError(
            f"{path.name}: unknown file type {suffix}; known are {', '.join(known)}, also with .gz."
        )
    return found


def known_kind(path: Path) -> FileKind | None:
    """Return the file type by the suffix, or None."""
    return _KINDS.get(_without_gz(path).suffix.lower())


def file_stem(path: Path) -> str:
    """Return a file's name without suffixes: cnn.v2 for ``cnn.v2.csv.gz``."""
    return path.name if path.is_dir() else _without_gz(path).stem


def _without_gz(path: Path) -> Path:
    return path.with_suffix("") if path.suffix.lower() == ".gz" else path


@contextmanager
def whole(name: str) -> Iterator[None]:
    """Report errors of unpacking and decoding as a damaged file."""
    try:
        yield
    except (
        zipfile.BadZipFile, EOFError, NotImplementedError, OSError, UnicodeDecodeError, zlib.error,
    ) as error:  # fmt: skip
        raise ValueError(f"{name}: the file is damaged or cut short ({error}).") from error


def parse_json(text: str, where: str) -> Any:
    """Return a JSON document."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{where} is not JSON ({error}).") from error
    except RecursionError:
        raise ValueError(f"{where} nests too deeply; give flat objects.") from None


class InflationError(ValueError):
    """An inflated size out of proportion."""


def check_inflation(name: str, packed: int, inflated: int) -> None:
    """Refuse a file whose inflated size is out of proportion."""
    if inflated > max(MOST_BYTES, MOST_RATIO * packed):
        raise InflationError(
            f"{name} inflates to over {MOST_RATIO} times its {packed:,} bytes, which may exhaust "
            "the memory; if it is sound, unpack it first."
        )


def _inflate(data: bytes, name: str) -> bytes:
    with whole(name), gzip.open(io.BytesIO(data)) as file:
        inflated = file.read(max(MOST_BYTES, MOST_RATIO * len(data)) + 1)
    check_inflation(name, len(data), len(inflated))
    return inflated


def _kind_by_content(data: bytes) -> FileKind:
    """Return the kind by signature, a brace (jsonl), or a tab in the header; csv by default."""
    start = data[:1000].removeprefix(b"\xef\xbb\xbf").lstrip()
    header = start.split(b"\n", 1)[0]
    for signature, kind in _FIRST_BYTES.items():
        if start.startswith(signature):
            return kind
    return "tsv" if b"\t" in header else "csv"
