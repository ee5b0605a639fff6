"""An archive of arrays (.npz) -> Predictions."""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from tokenize import TokenError
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.data import checks
from modelcompare.data.checks import as_array, classes, warn_of_data
from modelcompare.data.kinds import kind_declared
from modelcompare.data.predictions import Predictions
from modelcompare.readers import names
from modelcompare.readers.beside import all_beside
from modelcompare.readers.cell_types import same_types
from modelcompare.readers.content import File, check_inflation, whole
from modelcompare.readers.messages import counted, listed
from modelcompare.readers.options import Columns
from modelcompare.readers.profile import Profile
from modelcompare.readers.reading import Reading, write_directions
from modelcompare.readers.records import PROBABILITY
from modelcompare.readers.role_table import NAMED_TRUTH
from modelcompare.readers.roles import Role, Roles, solve
from modelcompare.spelling import chosen

_PREFIX = re.compile("^(probs|logits|pred|scores)__")
_LABELS = ("labels", "class_names", "label_names", "target_names", "classes")
_HEADINGS = {"ids": "id"}
_ZIP_PREFIXES = (b"PK\x03\x04", b"PK\x05\x06")
_ENCRYPTED = 0x1
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0,
}  # fmt: skip
# Errors of numpy for bytes that are no header, or no array of that header.
_NO_ARRAY = (KeyError, MemoryError, SystemError, TokenError, TypeError, ValueError)
Arrays: TypeAlias = dict[str, AnyArray]
_ROLES = (
    NAMED_TRUTH, Role(name="id", option="id", usual=("ids", *names.ID)),
    Role(name="groups", option="groups", usual=("groups",)),
)  # fmt: skip


def archive_reading(files: Sequence[File], columns: Columns) -> Reading | None:
    """Read the archive of all models; None for other files. Pickled arrays in it are refused."""
    if len(files) > 1 or files[0].kind != "npz" or files[0].is_named:
        return None
    where, arrays = files[0].name, _load(files[0])
    roles = _roles(arrays, columns, where)
    true = roles["truth"] or "y_true"
    _check_named(arrays, columns, true, where)
    beside = _beside(roles, columns)
    taken = {true, *columns.named.values(), *beside.values(), *columns.slices}
    declared = _pop_classes(arrays, taken)
    truth = None if columns.output_kind.scored else arrays.get(true)
    labels = replace(columns, declared=_order(declared)).given_labels(declared, truth)
    left_out = _left_out(arrays, taken, columns)
    free = {name: array for name, array in arrays.items() if name not in taken.union(left_out)}
    models = _models(free, labels, truth, where)
    slices = [*columns.slices, *(n for n in free if n not in models.values() and free[n].ndim == 1)]
    truth = None if any(name.startswith("scores__") for name in models.values()) else truth
    models = {model: models[model] for model in chosen([*models], columns.models, where)}
    used = [*models.values(), *([] if truth is None else [true])]
    arrays = _drop_missing(arrays, used, columns, where)
    outputs = {model: arrays[name] for model, name in models.items()}
    options: dict[str, Any] = {argument: arrays[name] for argument, name in beside.items()}
    options["slices"] = {name: arrays[name] for name in slices} or None
    named = [model for model, name in models.items() if name.startswith("logits__")]
    logits = {model: checks.logits(model, outputs[model]) for model in named}
    outputs |= {model: checks.softmax(array) for model, array in logits.items()}
    kind = "scores" if truth is None else columns.kind
    if truth is not None:
        truth, outputs, logits = _reorder(arrays[true], outputs, logits, declared, labels, where)
    predictions = Predictions(
        truth, outputs, kind=kind, labels=labels, positive=columns.positive, **options,
        normalize=columns.normalize, greater_is_better=columns.direction(), name=where,
        bounds=columns.bounds if kind_declared(kind).scored else None,
    )  # fmt: skip
    columns.check_used(predictions)
    parts = {
        "truth": "none (scores)" if truth is None else true, "models": counted(predictions.models),
        "left out": counted(left_out),
        "direction": write_directions([None] * (truth is None), columns.direction()),
    }  # fmt: skip
    return Reading(predictions.access.ordered_by(logits), parts)


def _left_out(arrays: Arrays, taken: set[str], columns: Columns) -> list[str]:
    """Return arrays beside the labels of a model, such as its probabilities, unless named."""
    plain = [name for name in arrays if name not in taken and not _PREFIX.match(name)]
    return [name for name in names.companions(plain) if name not in (columns.models or ())]


def array_rows(opened: File) -> File:
    """Return the arrays of one model as a table, a row for each sample, and the order of classes.

    An array of probabilities or logits becomes a column ``prob:CLASS`` for each class: those that
    an array of class names lists, else the codes 0, 1, ...
    """
    where, arrays = opened.name, _load(opened)
    true = _roles(arrays, Columns(), where)["truth"] or "y_true"
    lists = [name for name in _LABELS if name != true and name in arrays and arrays[name].ndim == 1]
    names_of = next((arrays.pop(name) for name in lists), None)
    _check_lengths(arrays, where, but=())
    if any(array.dtype.kind == "c" for array in arrays.values()):
        raise ValueError(f"{where} has complex numbers; save labels, probabilities or scores.")
    soft = [name for name, array in arrays.items() if array.ndim > 1]
    if len(soft) > 1 or sum(map(bool, map(_PREFIX.match, arrays))) > 1:
        raise ValueError(
            f"{where} has arrays of several models ({listed(soft or [*arrays])}); name this file "
            "alone, or save an archive for each model."
        )
    columns: dict[str, Any] = {}
    for name, array in arrays.items():
        if array.ndim == 1:
            heading = _HEADINGS.get(name) or _PREFIX.sub("", name)
            columns["y_pred" if name.startswith("pred__") else heading] = array
            continue
        if "logits" in name:
            array = checks.softmax(checks.logits(opened.model, array))
        labels = np.arange(array.shape[1]) if names_of is None else classes(names_of, names_of)
        if array.ndim != 2 or array.shape[1] != len(labels):
            raise ValueError(
                f"{where}: array {name!r} has shape {array.shape}; probabilities of {len(labels)} "
                "classes have one column for each."
            )
        columns |= {f"{PROBABILITY}{label}": array[:, k] for k, label in enumerate(labels)}
    held = {name: columns[name] for name in (true, "y_pred") if name in columns}
    if names_of is not None and true in held:
        truth, outputs = _name_classes(held.pop(true), held, names_of, where)
        columns |= {true: truth, **outputs}
    return replace(opened, payload=pd.DataFrame(columns), classes=_order(names_of))


def _pop_classes(arrays: Arrays, taken: set[str]) -> AnyArray | None:
    """Take the classes, in their order, out of an archive; None if it does not name them."""
    found = next((arrays.pop(name) for name in _LABELS if name in {*arrays} - taken), None)
    return None if found is None else classes(found, found)


def _order(labels: AnyArray | None) -> tuple[tuple[str, ...], ...]:
    """Return the order of the classes that an archive declares, or none."""
    return () if labels is None else (tuple(map(str, labels.tolist())),)


def _check_named(arrays: Arrays, columns: Columns, true: str, where: str) -> None:
    """Refuse names of no array, and the truth among the slices."""
    for name in (*columns.named.values(), *columns.slices):
        if name not in arrays:
            raise ValueError(f"{where} has no array {name!r}; it has {', '.join(arrays)}.")
    if true in columns.slices:
        raise ValueError(
            f"slices (--slice) names {true!r}, which is the truth; metrics per class already show "
            "its classes."
        )


def _roles(arrays: Arrays, columns: Columns, where: str) -> Roles:
    """Find the arrays that have the roles of columns, by their names."""
    n_rows = max((len(array) for array in arrays.values() if array.ndim), default=0)
    # `labels` may also be the names of the classes.
    whole = [name for name, array in arrays.items() if array.ndim and len(array) == n_rows]
    return solve(Profile(pd.DataFrame(columns=whole), columns, where), _ROLES)


def _beside(roles: Roles, columns: Columns) -> dict[str, str]:
    """Return the arrays that describe the samples, by the argument of Predictions."""
    found = {role: roles[role] for role in ("id", "groups")} | columns.named
    arguments = {"id": "ids"} | {option: each.argument for option, each in all_beside().items()}
    return {arguments[role]: name for role, name in found.items() if role in arguments and name}


def _load(opened: File) -> Arrays:
    name = opened.name
    with whole(name), opened.payload as file:
        start = file.read(6)
        if start == np.lib.format.MAGIC_PREFIX:
            raise ValueError(f"{name} has one array; save several with numpy.savez.")
        if not start.startswith(_ZIP_PREFIXES):
            raise ValueError(f"{name}: the file is damaged (its first bytes are no archive's).")
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            packed = sum(member.compress_size for member in members)
            check_inflation(name, packed, sum(member.file_size for member in members))
            if any(member.flag_bits & _ENCRYPTED for member in members):
                raise ValueError(f"{name} is encrypted; save its arrays without a password.")
            found = {m.filename.removesuffix(".npy"): _array(archive, m, name) for m in members}
    _check_lengths(found, name)
    return found


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> AnyArray:
    """Read one array of an archive, which has a row for each sample."""
    array = member.filename.removesuffix(".npy")
    if array == member.filename:
        raise ValueError(f"{name}: {array} in it is no array; save plain arrays.")
    try:
        with archive.open(member) as file:
            shape, _, dtype = _HEADERS[np.lib.format.read_magic(file)](file)
            held = member.file_size - file.tell()
            # An array of another size is not read, as it may exhaust the memory.
            is_whole = dtype.hasobject or math.prod(shape) * dtype.itemsize == held
            file.seek(0)
            is_read = is_whole and not dtype.hasobject
            found = np.lib.format.read_array(file, allow_pickle=False) if is_read else np.empty(0)
    except _NO_ARRAY as error:
        raise ValueError(
            f"{name}: {member.filename} in it is no array of numpy ({error})."
        ) from error
    if dtype.hasobject:
        raise ValueError(
            f"{name} has pickled objects, which are never loaded; save plain arrays (texts "
            "as dtype str)."
        )
    if dtype.names is not None or not shape:
        what = "has records" if dtype.names is not None else "is a single value"
        raise ValueError(
            f"{name}: array {array!r} {what}; give arrays with a row for each sample, or leave "
            "it out."
        )
    if not is_whole:
        raise ValueError(f"{name}: the file is damaged ({array!r} is not of its shape {shape}).")
    return found


def _check_lengths(arrays: Arrays, name: str, but: Sequence[str] = _LABELS) -> None:
    lengths = {array: len(found) for array, found in arrays.items() if array not in but}
    first = "y_true" if "y_true" in lengths else next(iter(lengths), "")
    for array, length in lengths.items():
        if length != lengths[first]:
            raise ValueError(
                f"{name}: array {array!r} has {length:,} rows, {first!r} has {lengths[first]:,}; "
                "they must describe the same samples in the same order."
            )


def _drop_missing(arrays: Arrays, used: list[str], columns: Columns, where: str) -> Arrays:
    """Return the arrays; with missing='drop', without rows that have NaN in an array used."""
    if columns.missing == "worst":
        raise ValueError(
            "missing='worst' (--missing worst) is for tables and logs; in an archive fill in the "
            "missing results, or pass missing='drop'."
        )
    held = [arrays[name] for name in used if arrays[name].dtype.kind == "f"]
    if columns.missing == "refuse" or not held:
        return arrays
    bad = np.any([np.isnan(array).reshape(len(array), -1).any(axis=1) for array in held], axis=0)
    if not bad.any():
        return arrays
    warn_of_data(f"{where}: left out {bad.sum():,} of {len(bad):,} rows with missing cells.")
    return {name: array[~bad] for name, array in arrays.items()}


def _models(
    arrays: Arrays, labels: AnyArray | None, truth: AnyArray | None,
    where: str,
) -> dict[str, str]:  # fmt: skip
    """Find each model's array: marked by a prefix if any is, else every array like an output."""
    known = next((each for each in (labels, truth) if each is not None), np.empty(0))
    found = [*filter(_PREFIX.match, arrays)] or [
        name for name, array in arrays.items()
        if array.ndim == 2 or array.dtype.kind not in "USO"
        or (known.dtype.kind in "US" and np.isin(array, known).all())
    ]  # fmt: skip
    if not found:
        raise ValueError(
            f"{where} has no model; name arrays after the models, or probs__NAME, "
            "logits__NAME, pred__NAME, scores__NAME."
        )
    models = [_PREFIX.sub("", name) for name in found]
    repeated = [model for model in models if models.count(model) > 1]
    if repeated:
        raise ValueError(f"{where} has several arrays of model {repeated[0]!r}; keep one.")
    if len({name.startswith("scores__") for name in found}) > 1:
        raise ValueError(f"{where} mixes scores__ arrays with predictions; keep one or the other.")
    return dict(zip(models, found, strict=True))


def _reorder(
    truth: AnyArray, outputs: Arrays, logits: Arrays, declared: AnyArray | None,
    labels: AnyArray | None, where: str,
) -> tuple[AnyArray, Arrays, Arrays]:  # fmt: skip
    """Return truth, outputs and logits in the order of `labels`, not that of the archive."""
    truth, outputs = _name_classes(truth, outputs, labels if declared is None else declared, where)
    if declared is None or labels is None or declared.tolist() == labels.tolist():
        return truth, outputs, logits
    order = [declared.tolist().index(label) for label in labels.tolist()]

    def turned(array: AnyArray) -> AnyArray:
        # Arrays of another shape are refused later.
        return array[:, order] if array.ndim == 2 and array.shape[1] == len(order) else array

    outputs, logits = ({m: turned(a) for m, a in each.items()} for each in (outputs, logits))
    return turned(truth), outputs, logits


def _name_classes(
    truth: AnyArray, outputs: Arrays, labels: AnyArray | None, where: str
) -> tuple[AnyArray, Arrays]:  # fmt: skip
    """Return truth and predictions of one type; integers beside class names are indices."""
    arrays = [truth, *outputs.values()]
    if labels is not None and truth.dtype.kind in "iu" and labels.dtype.kind not in "iu":
        for place, (name, array) in enumerate(zip(["y_true", *outputs], arrays, strict=True)):
            if array.ndim > 1 or array.dtype.kind not in "iu":
                continue
            bad = (array < 0) | (array >= len(labels))
            if bad.any():
                raise ValueError(
                    f"{where}: {name} has {int(array[bad][0])}, which indexes none of the "
                    f"{len(labels)} class names."
                )
            arrays[place] = labels[array]
    truth, *same = same_types([*map(as_array, arrays)])
    return truth, dict(zip(outputs, same, strict=True))
