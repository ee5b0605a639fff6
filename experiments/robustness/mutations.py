"""Small changes to valid files: of bytes, lines and cells, of values in JSON, of arrays."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

Draw = np.random.Generator
NUMBER = re.compile(rb"-?\d+(\.\d+)?")
TOKENS = (
    b"1e308", b"-1e308", b"1e309", b"nan", b"inf", b"-inf", b"-0", b"1e-320", b"9" * 25, b"0x10",
    b"1_000", b"1,5", b"", b" ", b"null", b"NaN", b"None", b"true", b"[]", b"{}", b'"', b"''",
    b"\t", b"\n", b"\r", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", "é".encode(), "😀".encode(),
    "٣".encode(), b"=1+1", b"1e5", b"-1", b"2", b"a" * 5000, b'"\n"', b"1.0000000001",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, "", "x", 0, -1, 1e308, 10**30, float("nan"), float("inf"), [], {}, [None], {"a": 1},
    [[1, 2], [3]], "1", 0.5, "NaN", -0.0, "a" * 5000, [1.0, "x"],
)  # fmt: skip


def any_bytes(draw: Draw, data: bytes) -> bytes:
    """Some bytes become others."""
    found = bytearray(data)
    for place in draw.integers(0, len(found), draw.integers(1, 5)):
        found[place] = draw.integers(256)
    return bytes(found)


def cut(draw: Draw, data: bytes) -> bytes:
    """The end, or a piece, is missing."""
    first, last = sorted(draw.integers(0, len(data) + 1, 2))
    return data[:first] if draw.random() < 0.5 else data[:first] + data[last:]


def twice(draw: Draw, data: bytes) -> bytes:
    """A piece stands at another place too."""
    first, last = sorted(draw.integers(0, len(data) + 1, 2))
    place = draw.integers(0, len(data) + 1)
    return data[:place] + data[first : min(last, first + 2000)] + data[place:]


def lines(draw: Draw, data: bytes) -> bytes:
    """A line is missing, there twice, or elsewhere."""
    found = data.split(b"\n")
    line = found.pop(draw.integers(len(found)))
    for _ in range(draw.integers(3)):
        found.insert(draw.integers(len(found) + 1), line)
    return b"\n".join(found)


def delimiters(draw: Draw, data: bytes) -> bytes:
    """Another delimiter, everywhere or in a line, or other ends of lines."""
    old, new = draw.choice([b",", b"\t", b";", b"|", b" ", b"\n", b"\r\n", b'"'], 2)
    if draw.random() < 0.5:
        return data.replace(bytes(old), bytes(new))
    found = data.split(b"\n")
    place = draw.integers(len(found))
    found[place] = found[place].replace(bytes(old), bytes(new))
    return b"\n".join(found)


def numbers(draw: Draw, data: bytes) -> bytes:
    """A number becomes something that is rarely one."""
    found = [*NUMBER.finditer(data)]
    if not found:
        return tokens(draw, data)
    chosen = found[draw.integers(len(found))]
    return data[: chosen.start()] + _one(draw, TOKENS) + data[chosen.end() :]


def tokens(draw: Draw, data: bytes) -> bytes:
    """Something is put in."""
    place = draw.integers(0, len(data) + 1)
    return data[:place] + _one(draw, TOKENS) + data[place:]


def encodings(draw: Draw, data: bytes) -> bytes:
    """The same text in another encoding, with its mark or without."""
    text = data.decode("utf-8", "replace")
    name = _one(draw, ("utf-16", "utf-16-le", "utf-8-sig", "utf-32", "latin-1", "cp500"))
    return text.encode(name, "replace")


def json_values(draw: Draw, data: bytes) -> bytes:
    """A value somewhere in a document, or in a line of one, becomes another or is missing."""
    whole = data.split(b"\n") if draw.random() < 0.5 or b"\n{" in data else [data]
    place = draw.integers(len(whole))
    try:
        document = json.loads(whole[place])
    except ValueError:
        return numbers(draw, data)
    _change(draw, document)
    whole[place] = json.dumps(document).encode()
    return b"\n".join(whole)


def _change(draw: Draw, node: Any) -> None:
    while isinstance(node, dict | list) and node:
        keys = [*node] if isinstance(node, dict) else range(len(node))
        key = keys[draw.integers(len(keys))]
        if isinstance(node[key], dict | list) and node[key] and draw.random() < 0.85:
            node = node[key]
        elif draw.random() < 0.25:
            del node[key]
            return
        else:
            node[key] = _one(draw, VALUES)
            return


def arrays(draw: Draw, data: bytes) -> bytes:
    """An array of an archive has other numbers, another shape or another type."""
    with np.load(io.BytesIO(data), allow_pickle=True) as held:
        found = {name: held[name] for name in held.files}
    name = _one(draw, tuple(found))
    found[name] = _one(draw, _OF_ARRAYS)(draw, found[name])
    if draw.random() < 0.1:
        found[str(_one(draw, ("y_true", "", "labels", "ids", "x/y", "id")))] = found.pop(name)
    buffer = io.BytesIO()
    np.savez(buffer, **found)
    return buffer.getvalue()


def frames(draw: Draw, data: bytes) -> bytes:
    """A column of a Parquet file has other cells, another type or another name."""
    frame = pd.read_parquet(io.BytesIO(data))
    place = int(draw.integers(frame.shape[1]))
    name = frame.columns[place]
    how = draw.integers(5)
    if how == 0:
        frame = frame.drop(columns=name)
    elif how == 1:
        frame = frame.rename(columns={name: _one(draw, ("", "y_true", "id", "a:0", "model", "é"))})
    elif how == 2:
        frame[name] = frame[name].astype(str)
    elif how == 3:
        frame = frame.sample(frac=float(draw.choice([0, 0.1, 1])), random_state=draw.integers(99))
    else:
        cells = [*frame[name]]
        kind = _one(draw, (None, float("nan"), 1e308, "x", -1, 10**30, [1.0], b"x", True))
        cells[draw.integers(len(cells))] = kind
        frame[name] = pd.Series(cells, dtype=object, index=frame.index)
    buffer = io.BytesIO()
    try:
        frame.to_parquet(buffer)
    except Exception:
        # No Parquet file holds such a column.
        return data
    return buffer.getvalue()


def gzipped(mutate: Callable[[Draw, bytes], bytes]) -> Callable[[Draw, bytes], bytes]:
    """The same change to what a compressed file holds."""

    def inside(draw: Draw, data: bytes) -> bytes:
        return gzip.compress(mutate(draw, gzip.decompress(data)), mtime=0)

    return inside


def _poked(draw: Draw, array: Any) -> Any:
    found = array.copy()
    flat = found.reshape(-1)
    if flat.size and flat.dtype.kind in "fiu":
        extreme = (0, -1, 127) if flat.dtype.kind != "f" else (np.nan, np.inf, 1e308, -1, 1e-320)
        flat[draw.integers(flat.size)] = _one(draw, extreme)
    return found


_OF_ARRAYS: tuple[Callable[[Draw, Any], Any], ...] = (
    _poked, _poked, _poked,
    lambda draw, array: array[: draw.integers(len(array) + 1)] if array.ndim else array,
    lambda _, array: array.T,
    lambda _, array: array[..., None],
    lambda _, array: array.astype(object),
    lambda _, array: array.astype(str),
    lambda draw, array: array.astype(_one(draw, ("f2", "f4", "c16", "U3", "S3", "?", "i1", "u8"))),
    lambda _, array: array.ravel()[0],
    lambda _, array: array.ravel(),
)  # fmt: skip
BYTES = (any_bytes, cut, twice)
TEXT = (*BYTES, lines, lines, delimiters, numbers, numbers, tokens, encodings)
JSON = (*TEXT, *(json_values,) * 8)
ARCHIVE = (*BYTES, *(arrays,) * 9)
TABLE = (*BYTES, *(frames,) * 6)


def _one(draw: Draw, choices: tuple[Any, ...]) -> Any:
    return choices[draw.integers(len(choices))]
