"""An archive of arrays (.npz) -> Predictions."""

from __future__ import annotations

import warnings
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modelcompare.checks import DataWarning, softmax
from modelcompare.predictions import Predictions
from modelcompare.readers.columns import ID_NAMES, Columns

_PREFIXES = ("probs__", "logits__", "pred__", "scores__")
_LABELS = ("labels", "class_names")


def read_arrays(path: Path, columns: Columns) -> Predictions:
    """Predictions from an archive; pickled arrays in it are refused."""
    arrays = _load(path)
    true = columns.true or "y_true"
    if columns.true is not None and columns.true not in arrays:
        raise ValueError(f"{path.name} has no array {columns.true!r}: {', '.join(arrays)}.")
    truth = None if columns.scores else arrays.pop(true, None)
    arrays.pop(true, None)
    labels = next((arrays.pop(name) for name in _LABELS if name in arrays), None)
    special: dict[str, NDArray[Any] | None] = {
        role: _take(arrays, name, path) for role, name in columns.named.items() if role != "true"
    }
    if "id" not in special:
        found = next((name for name in (*ID_NAMES, "ids") if name in arrays), None)
        special["id"] = None if found is None else arrays.pop(found)
    if "groups" not in special:
        special["groups"] = arrays.pop("groups", None)
    slices = {name: _take(arrays, name, path) for name in columns.slices}
    models = _models(arrays, labels, truth)
    slices |= {
        name: array for name, array in arrays.items() if name not in models and array.ndim == 1
    }
    plain_names = [_plain(name) for name in models]
    repeated = sorted({name for name in plain_names if plain_names.count(name) > 1})
    if repeated:
        raise ValueError(f"{path.name} holds several arrays of model {repeated[0]!r}; keep one.")
    of_scores = [name.startswith("scores__") for name in models]
    if any(of_scores):
        if not all(of_scores):
            raise ValueError(
                f"{path.name} mixes scores__ arrays with predictions; scores per example stand "
                "alone."
            )
        truth = None
    outputs = {
        plain: softmax(plain, arrays[name]) if name.startswith("logits__") else arrays[name]
        for plain, name in zip(plain_names, models, strict=True)
    }
    if columns.models is not None:
        outputs = _chosen(outputs, columns.models, path)
    if not outputs:
        raise ValueError(
            f"{path.name} holds no model; name arrays after the models, or probs__NAME, "
            "logits__NAME, pred__NAME, scores__NAME."
        )
    if columns.missing == "drop":
        keep = _complete([*outputs.values(), *([] if truth is None else [truth])], path)
        if keep is not None:
            outputs = {model: array[keep] for model, array in outputs.items()}
            truth = None if truth is None else truth[keep]
            special = {r: None if array is None else array[keep] for r, array in special.items()}
            slices = {name: array[keep] for name, array in slices.items()}
    kind: Any = columns.kind
    if truth is None:
        kind = "scores"
    elif labels is not None and truth.dtype.kind in "iu" and labels.dtype.kind not in "iu":
        truth, outputs = _named(truth, outputs, labels, path)
    return Predictions(
        truth, outputs, kind=kind, labels=labels, ids=special.get("id"),
        groups=special.get("groups"), strata=special.get("strata"), runs=special.get("runs"),
        sample_weight=special.get("weight"), slices=slices or None, normalize=columns.normalize,
        greater_is_better=not columns.lower_is_better, name=path.name,
    )  # fmt: skip


def _load(path: Path) -> dict[str, NDArray[Any]]:
    try:
        loaded = np.load(path, allow_pickle=False)
        if not isinstance(loaded, np.lib.npyio.NpzFile):
            raise ValueError("it holds one array; save several with numpy.savez")
        with loaded as archive:
            arrays = {name: archive[name] for name in archive.files}
        odd = [name for name, array in arrays.items() if not isinstance(array, np.ndarray)]
        if odd:
            raise ValueError(f"{odd[0]} in it is no array")
        return arrays
    except ValueError as error:
        if "pickle" in str(error).lower() or "object" in str(error).lower():
            raise ValueError(
                f"{path.name} holds pickled objects, which are never loaded; save plain arrays "
                "(texts as dtype str)."
            ) from error
        raise ValueError(f"{path.name} is not an archive of arrays ({error}).") from error
    except (zipfile.BadZipFile, EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{path.name}: the file is damaged or cut short ({error}).") from error


def _complete(arrays: list[NDArray[Any]], path: Path) -> NDArray[np.bool_] | None:
    """Rows without NaN in any array, or None if that is all of them."""
    lengths = {len(array) for array in arrays}
    if len(lengths) > 1:
        return None
    bad = np.zeros(lengths.pop(), dtype=bool)
    for array in arrays:
        if array.dtype.kind == "f":
            bad |= np.isnan(array).reshape(len(array), -1).any(axis=1)
    if not bad.any():
        return None
    what = f"{path.name}: left out {int(bad.sum()):,} of {len(bad):,} rows with missing cells."
    warnings.warn(what, DataWarning, stacklevel=4)
    return ~bad


def _take(arrays: dict[str, NDArray[Any]], name: str, path: Path) -> NDArray[Any]:
    if name not in arrays:
        raise ValueError(f"{path.name} has no array {name!r}; it holds {', '.join(arrays)}.")
    return arrays.pop(name)


def _models(
    arrays: dict[str, NDArray[Any]], labels: NDArray[Any] | None, truth: NDArray[Any] | None
) -> list[str]:
    """Arrays that are models: marked by a prefix if any is, else all that look like outputs."""
    marked = [name for name in arrays if name.startswith(_PREFIXES)]
    if marked:
        return marked
    known = labels if labels is not None else truth

    def is_output(array: NDArray[Any]) -> bool:
        if array.ndim == 2 or array.dtype.kind not in "USO":
            return True
        return known is not None and known.dtype.kind in "US" and bool(np.isin(array, known).all())

    return [name for name, array in arrays.items() if is_output(array)]


def _plain(name: str) -> str:
    return next((name[len(prefix) :] for prefix in _PREFIXES if name.startswith(prefix)), name)


def _chosen(
    outputs: dict[str, NDArray[Any]], wanted: tuple[str, ...], path: Path
) -> dict[str, NDArray[Any]]:
    absent = [model for model in wanted if model not in outputs]
    if absent:
        raise ValueError(f"{path.name} has no model {absent[0]!r}; it has {', '.join(outputs)}.")
    return {model: outputs[model] for model in wanted}


def _named(
    truth: NDArray[Any], outputs: dict[str, NDArray[Any]], labels: NDArray[Any], path: Path
) -> tuple[NDArray[Any], dict[str, NDArray[Any]]]:
    """Integer truths and predictions index the class names."""
    for where, array in {"y_true": truth, **outputs}.items():
        if array.ndim == 1 and array.dtype.kind in "iu":
            bad = (array < 0) | (array >= len(labels))
            if bad.any():
                raise ValueError(
                    f"{path.name}: {where} holds {int(array[bad][0])}, which indexes none of the "
                    f"{len(labels)} class names."
                )
    named = {
        model: labels[array] if array.ndim == 1 and array.dtype.kind in "iu" else array
        for model, array in outputs.items()
    }
    return labels[truth], named
