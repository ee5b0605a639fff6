"""Paths, patterns, folders and URLs -> a pyarrow Dataset with one schema.

Columns of different types in different files are refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from os import PathLike, fspath
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from modelcompare.readers.places import check_paths

# Suffixes of files whose rows can be read without those before them.
FORMATS = {
    ".parquet": "parquet", ".pq": "parquet", ".arrow": "ipc", ".feather": "ipc", ".ipc": "ipc",
}  # fmt: skip
_SIGNS = re.compile(r"[*?\[]")
# Hive's folder of rows whose cell is missing.
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def dataset_of(sources: Sequence[str | PathLike[str]]) -> tuple[Any, str]:
    """Return the named files as one Dataset, and a display name."""
    import pyarrow as pa

    check_paths(sources)
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
        raise ValueError(f"{texts[0]} has Parquet and Arrow files; name those of one kind.")
    try:
        found = hive_dataset(files, kinds.pop(), filesystem)
    except UnicodeDecodeError as error:
        raise ValueError(f"{texts[0]}: the rows cannot be read ({error}).") from error
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{texts[0]}: not a readable Parquet or Arrow file ({error}).") from error
    return found, PurePosixPath(texts[0].rstrip("/")).name


def _place(text: str) -> tuple[Any, str]:
    """Return the file system of a path or URL, and the path on it."""
    from pyarrow import fs

    scheme, separator, rest = text.partition("://")
    if not separator:
        return fs.LocalFileSystem(), Path(text).expanduser().absolute().as_posix()
    # A pattern is no URL, but the folder before it is.
    start = _pattern_start(rest)
    try:
        filesystem, path = fs.FileSystem.from_uri(f"{scheme}://{rest[:start]}")
    except (ValueError, NotImplementedError):
        filesystem, path = _by_fsspec(scheme, text), rest[:start]
    return filesystem, path + ("/" if rest[:start].endswith("/") else "") + rest[start:]


def _pattern_start(path: str) -> int:
    """Return the start of the first component that is a pattern, or the path's length."""
    found = _SIGNS.search(path)
    return len(path) if found is None else path.rfind("/", 0, found.start()) + 1


def _by_fsspec(scheme: str, text: str) -> Any:
    """Return a file system that only fsspec has."""
    from pyarrow import fs

    try:
        import fsspec

        return fs.PyFileSystem(fs.FSSpecHandler(fsspec.filesystem(scheme)))
    except (ImportError, ValueError) as error:
        raise ValueError(
            f"{text}: there is no file system for {scheme}:// ({error}); install the fsspec "
            "package for it."
        ) from error


def _files(filesystem: Any, path: str, text: str) -> list[str]:
    """Return the files of a path, a folder or a pattern, sorted by name.

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
        listed = _find_files(filesystem, path.rstrip("/"), recursive=True)
    elif (start := _pattern_start(path)) < len(path):
        folder = path[:start].rstrip("/")
        deep = "/" in path[len(folder) + 1 :]
        found = _find_files(filesystem, folder, recursive=deep)
        listed = [each for each in found if fnmatchcase(each, path)]
    else:
        raise FileNotFoundError(f"{text}: there is no such file.")
    if not listed:
        raise ValueError(f"{text} has no Parquet or Arrow file ({', '.join(FORMATS)}).")
    return listed


def _find_files(filesystem: Any, folder: str, *, recursive: bool) -> list[str]:
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
    """Return the files of a Dataset as fragments; empty if it is filtered or of tables."""
    try:
        return [each for each in dataset.get_fragments() if hasattr(each, "path")]
    except ValueError:
        return []


def of_folders(file: Any) -> set[str]:
    """Return columns given by the names of a file's folders, such as day=monday."""
    return {*_folders(file.path), *_partition_keys(file)}


def _partition_keys(file: Any) -> set[str]:
    """Return columns whose cells the Dataset takes from the folders."""
    import pyarrow.dataset as ds

    return {*ds.get_partition_keys(file.partition_expression)}


def _name(file: Any) -> str:
    """Return a file's last folder and name, for messages."""
    return "/".join(PurePosixPath(file.path).parts[-2:])


def hive_dataset(files: Sequence[str], kind: str, filesystem: Any) -> Any:
    """Combine files to one Dataset with all columns of files and of folders, key=value.

    The cells of files take precedence over the names of folders.
    """
    import pyarrow as pa
    import pyarrow.dataset as ds

    plain = ds.dataset([*files], format=kind, filesystem=filesystem)
    schemas = [each.physical_schema for each in plain.get_fragments()]
    held = {name for schema in schemas for name in schema.names}
    of_folder: dict[str, list[str]] = {}
    for file in files:
        for key, value in _folders(file).items():
            of_folder.setdefault(key, []).append(value)
    keys = pa.schema([(k, _type(values)) for k, values in of_folder.items() if k not in held])
    return ds.dataset(
        [*files], format=kind, filesystem=filesystem,
        schema=pa.schema([*_unify_fields(schemas), *keys]),
        partitioning=ds.partitioning(keys, flavor="hive"),
    )  # fmt: skip


def _folders(path: str) -> dict[str, str]:
    """Return the columns that the names of a file's folders give."""
    pairs = (part.partition("=") for part in PurePosixPath(path).parent.parts)
    return {unquote(key): unquote(value) for key, sign, value in pairs if sign}


def _type(values: Sequence[str]) -> Any:
    """Return an integer type if every folder names a canonical integer, else text."""
    import pyarrow as pa

    of_folder = [value for value in values if value != _NO_VALUE]
    whole = all(value.isdecimal() and str(int(value)) == value for value in of_folder)
    return pa.int64() if of_folder and whole else pa.string()


def _unify_fields(schemas: Sequence[Any]) -> list[Any]:
    """Return fields of all columns, each of a type for the cells of all files if one exists."""
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
    """Describe the columns that some files lack: a file with and one without each."""
    holding: dict[str, Any] = {}
    for file in files:
        for name in file.physical_schema.names:
            holding.setdefault(name, file)
    return {
        name: f"{_name(file)} lacks the column {name!r}, which {_name(holding[name])} has"
        for file in reversed(files)
        for own in [{*file.physical_schema.names} | _partition_keys(file)]
        for name in holding
        if name not in own
    }


def check_alike(files: Sequence[Any], columns: Sequence[str] | None) -> None:
    """Refuse columns that a file lacks, or that differ in type, or from the folder's name.

    Without `columns`, refuse every column that some files lack.
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
                f"column {column!r} has {one} in {first} and {other} in {second}; give it one type."
            )
        for file in holding:
            if column in _folders(file.path):
                _check_folder(file, column)


def _kind(of: Any) -> str:
    """Return the name of a type in messages."""
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
    """Refuse a file whose cells differ from its folder's name."""
    import pyarrow.dataset as ds

    of_folder = _folders(file.path)[column]
    alone = ds.dataset(file.path, format=file.format, filesystem=file.filesystem)
    for batch in alone.to_batches(columns=[column]):
        for value in batch[column].unique().to_pylist():
            if not _same(value, of_folder):
                raise ValueError(
                    f"{_name(file)}: the folder is named {column}={of_folder}, but the file's "
                    f"column {column!r} has {value!r}; rename the folder or the column, or "
                    "name the models without it with models= (--model)."
                )


def _same(value: Any, of_folder: str) -> bool:
    """Return whether a cell equals the value in a folder's name."""
    if value is None:
        return of_folder == _NO_VALUE
    if str(value) == of_folder:
        return True
    try:
        return not isinstance(value, str) and float(value) == float(of_folder)
    except (TypeError, ValueError):
        return False
