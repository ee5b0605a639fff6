"""Paths, patterns, folders and URLs -> a pyarrow Dataset, whose files hold columns alike.

Files have one schema together; a column that they hold unlike each other is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from os import PathLike, fspath
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from modelcompare.words import shown

# Kinds of files whose rows can be read without those before them, by suffix.
FORMATS = {
    ".parquet": "parquet", ".pq": "parquet", ".arrow": "ipc", ".feather": "ipc", ".ipc": "ipc",
}  # fmt: skip
_SIGNS = re.compile(r"[*?\[]")
# What Hive calls the folder of rows whose cell is missing.
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


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


# -- files of a Dataset ------------------------------------------------------------------------


def files_of(dataset: Any) -> list[Any]:
    """The files of a Dataset, as pyarrow's fragments; none where it is filtered or of tables."""
    try:
        return [each for each in dataset.get_fragments() if hasattr(each, "path")]
    except ValueError:
        return []


def of_folders(file: Any) -> set[str]:
    """Columns that the names of a file's folders tell, such as day=monday."""
    return {*_folders(file.path), *_given(file)}


def _given(file: Any) -> set[str]:
    """Columns whose cells the Dataset takes from the folders."""
    import pyarrow.dataset as ds

    return {*ds.get_partition_keys(file.partition_expression)}


def _name(file: Any) -> str:
    """A file's last folder and name, for people."""
    return "/".join(PurePosixPath(file.path).parts[-2:])


def hive_dataset(files: Sequence[str], kind: str, filesystem: Any) -> Any:
    """Files as one Dataset, with every column that any holds and those of folders, key=value.

    A column that the files hold is theirs, whatever the folders say of it.
    """
    import pyarrow as pa
    import pyarrow.dataset as ds

    plain = ds.dataset([*files], format=kind, filesystem=filesystem)
    schemas = [each.physical_schema for each in plain.get_fragments()]
    held = {name for schema in schemas for name in schema.names}
    told: dict[str, list[str]] = {}
    for file in files:
        for key, value in _folders(file).items():
            told.setdefault(key, []).append(value)
    keys = pa.schema([(k, _type(values)) for k, values in told.items() if k not in held])
    return ds.dataset(
        [*files], format=kind, filesystem=filesystem,
        schema=pa.schema([*_united(schemas), *keys]),
        partitioning=ds.partitioning(keys, flavor="hive"),
    )  # fmt: skip


def _folders(path: str) -> dict[str, str]:
    """Return the columns that the names of a file's folders give."""
    pairs = (part.partition("=") for part in PurePosixPath(path).parent.parts)
    return {unquote(key): unquote(value) for key, sign, value in pairs if sign}


def _type(values: Sequence[str]) -> Any:
    """Whole numbers where every folder names one as it would be written again, else texts."""
    import pyarrow as pa

    told = [value for value in values if value != _NO_VALUE]
    whole = all(value.isdecimal() and str(int(value)) == value for value in told)
    return pa.int64() if told and whole else pa.string()


def _united(schemas: Sequence[Any]) -> list[Any]:
    """Fields of all columns, of types that hold the cells of every file; else the first file's."""
    import pyarrow as pa

    fields: dict[str, Any] = {}
    for schema in schemas:
        for field in schema.remove_metadata():
            known = fields.setdefault(field.name, field)
            try:
                both = [pa.schema([known]), pa.schema([field])]
                (fields[field.name],) = pa.unify_schemas(both, promote_options="permissive")
            except (pa.ArrowTypeError, pa.ArrowInvalid):
                continue  # Refused by `check_alike` if it is needed.
    return [*fields.values()]


def _partial_columns(files: Sequence[Any]) -> dict[str, str]:
    """Columns that some files lack: which file does, and which does not."""
    holding: dict[str, Any] = {}
    for file in files:
        for name in file.physical_schema.names:
            holding.setdefault(name, file)
    return {
        name: f"{_name(file)} lacks the column {name!r}, which {_name(holding[name])} has"
        for file in reversed(files)
        for own in [{*file.physical_schema.names} | _given(file)]
        for name in holding
        if name not in own
    }


def check_alike(files: Sequence[Any], columns: Sequence[str] | None) -> None:
    """Refuse columns that a file lacks, holds in another kind of cells, or its folder denies.

    Of no columns those are refused that some files lack.
    """
    lacking = _partial_columns(files)
    for column in lacking if columns is None else columns:
        if column in lacking:
            raise ValueError(
                f"{lacking[column]}; add it there, or name the models that every file has with "
                "models= (--model)."
            )
        holding = [file for file in files if column in file.physical_schema.names]
        kinds = {_kind(file.physical_schema.field(column).type): _name(file) for file in holding}
        kinds.pop("nothing", None)
        if len(kinds) > 1:
            (one, first), (other, second) = [*kinds.items()][:2]
            raise ValueError(
                f"column {column!r} holds {one} in {first} and {other} in {second}; write them "
                "alike."
            )
        for file in holding:
            if column in _folders(file.path):
                _check_folder(file, column)


def _kind(of: Any) -> str:
    """Name the kind of the cells of a type."""
    import pyarrow as pa

    if pa.types.is_dictionary(of):
        of = of.value_type
    if pa.types.is_null(of):
        return "nothing"
    if pa.types.is_boolean(of):
        return "True and False"
    if pa.types.is_integer(of) or pa.types.is_floating(of) or pa.types.is_decimal(of):
        return "numbers"
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return "texts" if any(is_text(of) for is_text in texts) else str(of)


def _check_folder(file: Any, column: str) -> None:
    """Refuse a file whose cells are others than its folder's name says."""
    import pyarrow.dataset as ds

    told = _folders(file.path)[column]
    alone = ds.dataset(file.path, format=file.format, filesystem=file.filesystem)
    for batch in alone.to_batches(columns=[column]):
        for value in batch[column].unique().to_pylist():
            if not _same(value, told):
                raise ValueError(
                    f"{_name(file)}: the folder is named {column}={told}, but the file's column "
                    f"{column!r} holds {value!r}; rename the folder or the column."
                )


def _same(value: Any, told: str) -> bool:
    """Return whether a cell is what the name of a folder gives."""
    if value is None:
        return told == _NO_VALUE
    if str(value) == told:
        return True
    try:
        return not isinstance(value, str) and float(value) == float(told)
    except (TypeError, ValueError):
        return False
