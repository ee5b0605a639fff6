"""The files of a Dataset: one schema for all, and columns that they hold unlike each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

# What Hive calls the folder of rows whose cell is missing.
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


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
