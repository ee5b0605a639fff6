"""An archive of arrays (.npz) -> Predictions."""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modelcompare.data.checks import DataWarning, as_array, classes, softmax
from modelcompare.data.predictions import Predictions
from modelcompare.readers import names
from modelcompare.readers.cell_types import alike
from modelcompare.readers.content import Content, check_inflation, whole
from modelcompare.readers.messages import counted
from modelcompare.readers.options import Columns
from modelcompare.readers.reading import Reading, directed
from modelcompare.spelling import chosen
from modelcompare.words import KindOrAuto, warn_caller

_PREFIX = re.compile("^(probs|logits|pred|scores)__")
_LABELS = ("labels", "class_names")
_ZIP_PREFIXES = (b"PK\x03\x04", b"PK\x05\x06")
_ENCRYPTED = 0x1
# Arguments of Predictions for what describes the samples.
_ARGUMENTS = {
    "id": "ids", "groups": "groups", "strata": "strata", "runs": "runs", "weight": "sample_weight",
}  # fmt: skip


def read_arrays(opened: Content, columns: Columns) -> Reading:
    """Predictions from an archive; pickled arrays in it are refused."""
    where = opened.name
    arrays = _load(opened)
    true = columns.true or _truth(arrays)
    truth = _take(arrays, true, where) if columns.true is not None else arrays.pop(true, None)
    truth = None if columns.scores else truth
    found = next((arrays.pop(name) for name in _LABELS if name in arrays), None)
    labels = columns.told_labels(None if found is None else classes(found, found), truth)
    beside = _beside(arrays, columns, where)
    slices = {name: _take(arrays, name, where, true) for name in columns.slices}
    models = _models(arrays, labels, truth, where)
    slices |= {n: a for n, a in arrays.items() if n not in models.values() and a.ndim == 1}
    if any(name.startswith("scores__") for name in models.values()):
        truth = None
    outputs = {m: arrays[models[m]] for m in chosen([*models], columns.models, where)}
    logits = {m: array for m, array in outputs.items() if models[m].startswith("logits__")}
    outputs |= {model: softmax(model, array) for model, array in logits.items()}
    keep = _kept([*outputs.values(), *([] if truth is None else [truth])], columns, where)
    truth = None if truth is None else truth[keep]
    logits, outputs, beside, slices = (
        {name: array[keep] for name, array in each.items()}
        for each in (logits, outputs, beside, slices)
    )
    kind: KindOrAuto = columns.kind if truth is not None else "scores"
    if truth is not None:
        truth, outputs = _named(truth, outputs, labels, where)
    predictions = Predictions(
        truth, outputs, kind=kind, labels=labels, slices=slices or None, **beside,
        normalize=columns.normalize, greater_is_better=columns.greater_is_better(),
        bounds=columns.bounds if kind == "scores" else None, name=where,
    )  # fmt: skip
    columns.check_used(predictions)
    said = {
        "truth": "none (scores)" if truth is None else true, "models": counted(predictions.models),
        "direction": directed([None] * (truth is None), columns.told_better),
    }  # fmt: skip
    return Reading(predictions.ordered_by(logits), said)


def _beside(arrays: dict[str, NDArray[Any]], columns: Columns, where: str) -> dict[str, Any]:
    """Arrays that describe the samples, named or usual, as arguments of Predictions."""
    special = {
        role: _take(arrays, name, where) for role, name in columns.named.items() if role != "true"
    }
    for role, usual in (("id", ("ids", *names.ID)), ("groups", ("groups",))):
        found = next((name for name in usual if name in arrays), None)
        if role not in special and found is not None:
            special[role] = arrays.pop(found)
    return {_ARGUMENTS[role]: array for role, array in special.items() if role in _ARGUMENTS}


def _truth(arrays: Mapping[str, NDArray[Any]]) -> str:
    """The array of the truth by its name; `labels` may as well hold the classes' names."""
    n_rows = max((len(array) for array in arrays.values() if array.ndim), default=0)
    usual = names.named(arrays, names.TRUE)
    found = (name for name in usual if arrays[name].ndim and len(arrays[name]) == n_rows)
    return next(found, "y_true")


def _load(opened: Content) -> dict[str, NDArray[Any]]:
    name = opened.name
    with whole(name), opened.file as file:
        start = file.read(6)
        if start == np.lib.format.MAGIC_PREFIX:
            raise ValueError(f"{name} holds one array; save several with numpy.savez.")
        if not start.startswith(_ZIP_PREFIXES):
            raise ValueError(f"{name}: the file is damaged (its first bytes are no archive's).")
        with zipfile.ZipFile(file) as archive:
            _check_headers(name, archive)
        file.seek(0)
        with np.load(file, allow_pickle=False) as loaded:
            return {array: loaded[array] for array in loaded.files}


def _check_headers(name: str, archive: zipfile.ZipFile) -> None:
    """Refuse what is no column, and what would exhaust the memory, before it is inflated."""
    members = archive.infolist()
    packed = sum(member.compress_size for member in members)
    check_inflation(name, packed, sum(member.file_size for member in members))
    lengths = {}
    for member in members:
        if member.flag_bits & _ENCRYPTED:
            raise ValueError(f"{name} is encrypted; save its arrays without a password.")
        array = member.filename.removesuffix(".npy")
        if array == member.filename:
            raise ValueError(f"{name}: {array} in it is no array; save plain arrays.")
        shape, dtype, held = _header(name, archive, member)
        if dtype.hasobject:
            raise ValueError(
                f"{name} holds pickled objects, which are never loaded; save plain arrays (texts "
                "as dtype str)."
            )
        if dtype.names is not None or not shape:
            what = "holds records" if dtype.names is not None else "is a single value"
            raise ValueError(
                f"{name}: array {array!r} {what}; give arrays with a row for each sample, or leave "
                "it out."
            )
        if math.prod(shape) * dtype.itemsize != held:
            raise ValueError(
                f"{name}: the file is damaged ({array!r} is not of its shape {shape})."
            )
        if array not in _LABELS:
            lengths[array] = shape[0]
    first = "y_true" if "y_true" in lengths else next(iter(lengths), "")
    for array, length in lengths.items():
        if length != lengths[first]:
            raise ValueError(
                f"{name}: array {array!r} has {length:,} rows, {first!r} has {lengths[first]:,}; "
                "they must describe the same samples in the same order."
            )


def _header(
    name: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo
) -> tuple[tuple[int, ...], np.dtype[Any], int]:
    """Shape and type that an array declares, and the bytes that stand behind its header."""
    with archive.open(member) as file:
        try:
            version = np.lib.format.read_magic(file)
            read = {
                (1, 0): np.lib.format.read_array_header_1_0,
                (2, 0): np.lib.format.read_array_header_2_0,
            }[version]
            shape, _, dtype = read(file)
        except (KeyError, ValueError) as error:
            raise ValueError(
                f"{name}: {member.filename} in it is no array of numpy ({error})."
            ) from error
        return shape, dtype, member.file_size - file.tell()


def _kept(arrays: list[NDArray[Any]], columns: Columns, where: str) -> Any:
    """The rows to keep: all, or where they are to be dropped those without NaN in any array."""
    if columns.missing == "worst":
        raise ValueError(
            "missing='worst' (--missing worst) is for tables and logs; in an archive fill in what "
            "is missing, or pass missing='drop'."
        )
    bad = np.zeros(len(arrays[0]), dtype=bool)
    for array in arrays if columns.missing == "drop" else ():
        if array.dtype.kind == "f":
            bad |= np.isnan(array).reshape(len(array), -1).any(axis=1)
    if not bad.any():
        return slice(None)
    what = f"{where}: left out {int(bad.sum()):,} of {len(bad):,} rows with missing cells."
    warn_caller(what, DataWarning)
    return ~bad


def _take(
    arrays: dict[str, NDArray[Any]], name: str, where: str, true: str | None = None
) -> NDArray[Any]:
    """Take a named array, which must not be that of the truth if it is to be a slice."""
    if name == true:
        raise ValueError(
            f"slices (--slice) names {true!r}, which holds the truth; metrics per class look at "
            "its classes."
        )
    if name not in arrays:
        raise ValueError(f"{where} has no array {name!r}; it holds {', '.join(arrays)}.")
    return arrays.pop(name)


def _models(
    arrays: dict[str, NDArray[Any]], labels: NDArray[Any] | None, truth: NDArray[Any] | None,
    where: str,
) -> dict[str, str]:  # fmt: skip
    """The array of each model: marked by a prefix if any is, else all that look like outputs."""
    known = next((each for each in (labels, truth) if each is not None), np.empty(0))
    found = [*filter(_PREFIX.match, arrays)] or [
        name for name, array in arrays.items()
        if array.ndim == 2 or array.dtype.kind not in "USO"
        or (known.dtype.kind in "US" and np.isin(array, known).all())
    ]  # fmt: skip
    if not found:
        raise ValueError(
            f"{where} holds no model; name arrays after the models, or probs__NAME, "
            "logits__NAME, pred__NAME, scores__NAME."
        )
    models = [_PREFIX.sub("", name) for name in found]
    repeated = [model for model in models if models.count(model) > 1]
    if repeated:
        raise ValueError(f"{where} holds several arrays of model {repeated[0]!r}; keep one.")
    if len({name.startswith("scores__") for name in found}) > 1:
        raise ValueError(
            f"{where} mixes scores__ arrays with predictions; scores per example stand alone."
        )
    return dict(zip(models, found, strict=True))


def _named(
    truth: NDArray[Any], outputs: dict[str, NDArray[Any]], labels: NDArray[Any] | None, where: str
) -> tuple[NDArray[Any], dict[str, NDArray[Any]]]:  # fmt: skip
    """Truths and predictions of one type; integers beside class names index these."""
    arrays = [truth, *outputs.values()]
    if labels is not None and truth.dtype.kind in "iu" and labels.dtype.kind not in "iu":
        for place, (name, array) in enumerate(zip(["y_true", *outputs], arrays, strict=True)):
            if array.ndim > 1 or array.dtype.kind not in "iu":
                continue
            bad = (array < 0) | (array >= len(labels))
            if bad.any():
                raise ValueError(
                    f"{where}: {name} holds {int(array[bad][0])}, which indexes none of the "
                    f"{len(labels)} class names."
                )
            arrays[place] = labels[array]
    truth, *same = alike([*map(as_array, arrays)])
    return truth, dict(zip(outputs, same, strict=True))
