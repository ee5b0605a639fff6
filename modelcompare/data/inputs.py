"""Arrays, tensors and columns of any library -> arrays of numpy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arrays import AnyArray
from modelcompare.words import shown

# Integers up to this size are exact as floats.
_N_EXACT = 2**53
_OWN = (np.ndarray, np.generic, pd.Series, pd.DataFrame, pd.Index)
# Conversions of a tensor, of which the first that succeeds is used: by DLPack, by __array__,
# without gradients, in single precision for types that DLPack lacks, and from a device.
_READERS: tuple[Callable[[Any], AnyArray], ...] = (
    np.from_dlpack,
    lambda tensor: np.asarray(tensor.__array__()),
    lambda tensor: np.from_dlpack(tensor.detach().cpu()),
    lambda tensor: np.from_dlpack(tensor.detach().cpu().float()),
    lambda tensor: np.from_dlpack(tensor, device="cpu"),
)


def as_array(data: ArrayLike, where: str = "a column") -> AnyArray:
    """Convert a column to an array: texts to objects of str, masked entries to missing ones.

    Tensors are read by DLPack, also from a device; series and frames of any library by narwhals.
    """
    if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
        whole = data.data.astype(data.dtype if data.dtype.kind == "f" else object)
        whole[data.mask] = np.nan if data.dtype.kind == "f" else None
        return whole
    data = _native(data, where)
    try:
        array = np.asarray(data)
    except ValueError:
        raise ValueError(
            "rows have different lengths; give one label, or one row of probabilities of the same "
            "length, for each sample."
        ) from None
    if array.ndim == 0:
        raise ValueError(f"{where} must have one entry per sample, got {shown(data)}.")
    if array.dtype.kind == "c":
        raise ValueError("complex numbers are no predictions; give their real parts.")
    if array.dtype.kind == "V" or array.dtype.isbuiltin == 2:
        return _of_small_floats(array)
    if not array.dtype.isnative:
        # Hash tables and compiled code need native byte order.
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype.kind == "U":
        # From the data itself: numpy has turned numbers among texts into texts.
        return array.astype(object) if data is array else np.asarray(data, dtype=object)
    if array.dtype.kind == "O" and array.ndim == 1 and not holds_texts(array):
        plain = (x.item() if isinstance(x, np.generic) else x for x in array)
        return np.fromiter(plain, dtype=object, count=len(array))
    return _numbers(array) if array.dtype.kind == "O" and array.ndim == 2 else array


def _numbers(array: AnyArray) -> AnyArray:
    """Convert a matrix of objects that are all numbers or missing; return any other unchanged."""
    entries = [np.nan if x is None or x is pd.NA else x for x in array.ravel()]
    found: AnyArray = pd.Series(entries, dtype=object).infer_objects().to_numpy()
    return found.reshape(array.shape) if found.dtype.kind in "iufb" else array


def holds_texts(array: AnyArray) -> bool:
    """Return whether every entry of an array of objects is a text."""
    return array.dtype.kind == "O" and pd.api.types.infer_dtype(array, skipna=False) == "string"


def _native(data: Any, where: str) -> Any:
    """Convert tensors and columns of other libraries to arrays; leave what numpy reads itself."""
    if isinstance(data, list | tuple):
        tensors = bool(data) and not isinstance(data[0], _OWN) and hasattr(data[0], "__dlpack__")
        return [_tensor(each, where) for each in data] if tensors else data
    if _is_own(data):
        return data
    # Arrays of pyarrow without missing cells support DLPack too.
    tensor = hasattr(data, "__dlpack__") and not hasattr(data, "__arrow_c_array__")
    return _tensor(data, where) if tensor else _column(data)


def _is_own(data: Any) -> bool:
    """Return whether data are of numpy, pandas or builtin types, which need no other library."""
    return isinstance(data, _OWN) or type(data).__module__ == "builtins"


def _tensor(tensor: Any, where: str) -> AnyArray:
    """Return the numbers of a tensor on any device."""
    errors = []
    for read in _READERS:
        try:
            return read(tensor)
        except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as error:
            errors.append(error)
    raise ValueError(f"{where} is a tensor that cannot be read ({errors[0]}); give a numpy array.")


def is_structured(data: Any) -> bool:
    """Return whether an array has records of several fields."""
    return getattr(getattr(data, "dtype", None), "names", None) is not None


def _of_small_floats(array: AnyArray) -> AnyArray:
    """Convert types that numpy lacks (bfloat16, float8) to single precision."""
    try:
        if not is_structured(array):
            return array.astype(np.float32)
    except (TypeError, ValueError):
        pass
    raise ValueError("an array of records is no column; give one plain array for each field.")


def _column(data: Any) -> Any:
    """Convert a series or frame of another library to an array; return anything else unchanged."""
    import narwhals as nw

    found = narwhals_of(data)
    if isinstance(found, nw.Series):
        return found.to_list() if found.dtype.is_nested() else cells(found)
    if isinstance(found, nw.DataFrame):
        columns = [cells(found[name]) for name in found.columns]
        return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)
    return data


def aligned(**given: Any) -> dict[str, Any]:
    """Return arguments whose pandas columns have the order of the first one's index.

    A mapping holds columns. An index 0, 1, 2, ... names nothing, and such columns are matched by
    position, as arrays are: beside two orders they are refused, as are labels that are missing or
    occur twice.

    Examples
    --------
    >>> truth, other = pd.Series([0, 1], index=["a", "b"]), pd.Series([1, 0], index=["b", "a"])
    >>> aligned(y_true=truth, y_pred=other)["y_pred"].tolist()
    [0, 1]
    """
    flat = {
        (name, key): column
        for name, held in given.items()
        for key, column in (held.items() if isinstance(held, Mapping) else [(None, held)])
        if column is not None
    }
    moved = _in_one_order({_called(*place): column for place, column in flat.items()})
    made = dict(zip(flat, moved.values(), strict=True))
    return {
        name: {key: made.get((name, key)) for key in held} if isinstance(held, Mapping)
        else made.get((name, None))
        for name, held in given.items()
    }  # fmt: skip


def _called(argument: str, key: Any) -> str:
    if key is None:
        return f"`{argument}`"
    return f"model {key!r}" if argument == "outputs" else f"`{argument}` of {key!r}"


def _in_one_order(columns: dict[str, Any]) -> dict[str, Any]:
    """Return columns by name, each in the order of the first index that names samples."""
    held = {n: c.index for n, c in columns.items() if isinstance(c, pd.Series | pd.DataFrame)}
    own = [name for name, index in held.items() if not index.equals(pd.RangeIndex(len(index)))]
    if not own:
        return columns
    first, index = own[0], held[own[0]]
    differ = [name for name in own if not held[name].equals(index)]
    by_position = [name for name in columns if name not in own]
    numbered = [
        name for name in by_position
        if name in held and len(held[name]) == len(index) and held[name].isin(index).all()
    ]  # fmt: skip
    for name in [*numbered, *(differ if by_position else [])][:1]:
        raise ValueError(
            f"{first} and {name} have indexes that differ, and "
            f"{by_position[0]} is matched by position; give them one order "
            "(other.reindex(first.index)), or arrays (to_numpy()) where the rows already match."
        )
    rows = {name: _rows_at(index, held[name], first, name) for name in differ}
    return {n: c.iloc[rows[n]] if n in rows else c for n, c in columns.items()}


def _rows_at(index: pd.Index[Any], other: pd.Index[Any], first: str, name: str) -> AnyArray:
    """Return the rows of an index that have the labels of another; refuse all but the same ones."""
    for of, labels in ((first, index), (name, other)):
        for label in labels[labels.duplicated()][:1]:
            raise ValueError(
                f"{first} and {name} have indexes that differ, and {of} has {label!r} in several "
                "rows, so that rows cannot be matched; give each row another label, or arrays "
                "(to_numpy()) where the rows already match."
            )
    for of, beside, lacking in (
        (name, first, index.difference(other, sort=False)),
        (first, name, other.difference(index, sort=False)),
    ):
        for label in lacking[:1]:
            raise ValueError(
                f"{of} lacks {len(lacking):,} of the rows of {beside} (first: {label!r}); give "
                "both the same labels, or arrays (to_numpy()) where the rows already match."
            )
    return other.get_indexer(index)


def columns_of(data: Any) -> dict[str, ArrayLike] | None:
    """Return the columns of a mapping or frame by name; None for anything else."""
    if isinstance(data, pd.DataFrame):
        data = flat(data, "the table")
    if isinstance(data, Mapping | pd.DataFrame):
        return {str(name): column for name, column in data.items()}
    if _is_own(data) or hasattr(data, "__dlpack__"):
        return None
    import narwhals as nw

    found = narwhals_of(data)
    if isinstance(found, nw.DataFrame):
        return {name: cells(found[name]) for name in found.columns}
    return None


def flat(frame: pd.DataFrame, where: str) -> pd.DataFrame:
    """Return a frame with one name per column and numbers of numpy in native byte order."""
    if isinstance(frame.columns, pd.MultiIndex):
        raise ValueError(
            f"{where} has columns of {frame.columns.nlevels} levels (a MultiIndex), e.g. "
            f"{frame.columns[0]}; give each one name: frame.columns = frame.columns.map('_'.join)."
        )
    types = [*enumerate(frame.dtypes)]
    nullable = [at for at, t in types if hasattr(t, "numpy_dtype")]
    foreign = [at for at, t in types if isinstance(t, np.dtype) and not t.isnative]
    if not (nullable or foreign):
        return frame
    columns = [
        _of_nullable(frame.iloc[:, at]) if at in nullable
        else as_array(frame.iloc[:, at]) if at in foreign else frame.iloc[:, at]
        for at, _ in types
    ]  # fmt: skip
    made = pd.concat([pd.Series(c, index=frame.index) for c in columns], axis=1)
    return made.set_axis(frame.columns, axis=1)


def _of_nullable(column: pd.Series[Any]) -> AnyArray:
    """Return the cells of a column of pandas' nullable types, or of pyarrow's."""
    import narwhals as nw

    return cells(nw.from_native(column, series_only=True))


def narwhals_of(data: Any) -> Any:
    """Convert a series or frame of any library to narwhals; return anything else unchanged."""
    import narwhals as nw

    try:
        found = nw.from_native(data, pass_through=True, allow_series=True)
        if found is data and (arrow := _arrow(data)) is not None:
            found = nw.from_native(arrow, allow_series=True)
        return found.collect() if isinstance(found, nw.LazyFrame) else found
    except nw.exceptions.DuplicateError:
        names = list(getattr(data, "column_names", None) or data.columns)
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the table: column {twice!r} occurs twice.") from None


def _arrow(data: Any) -> Any:
    """Convert objects with Arrow's protocol to a table of pyarrow."""
    if not (hasattr(data, "__arrow_c_array__") or hasattr(data, "__arrow_c_stream__")):
        return None
    import pyarrow as pa

    return pa.chunked_array([data]) if isinstance(data, pa.Array) else pa.table(data)


def cells(series: Any) -> AnyArray:
    """Return cells of a series of narwhals: numbers unchanged, missing ones as None or NaN.

    Dates are texts.
    """
    import narwhals as nw

    dtype, missing = series.dtype, series.null_count() > 0
    if dtype.is_float() or (dtype.is_integer() and not missing):
        return np.asarray(series.to_numpy())
    found = [None if x is pd.NA else x for x in series.to_list()]
    if dtype.is_integer() and all(x is None or abs(x) < _N_EXACT for x in found):
        return np.array([np.nan if x is None else x for x in found], dtype=np.float64)
    if dtype.is_decimal():
        return np.array([np.nan if x is None else float(x) for x in found], dtype=np.float64)
    if dtype.is_temporal():
        found = [x if x is None else str(x) for x in found]
    if dtype == nw.Boolean and not missing:
        return np.array(found, dtype=bool)
    return np.fromiter(found, dtype=object, count=len(found))
