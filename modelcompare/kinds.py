"""What models gave: labels, probabilities, values, scores or texts; as said, or by their look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from modelcompare import checks
from modelcompare.arrays import AnyArray
from modelcompare.words import Kind, KindOrAuto, check_choice


@dataclass(frozen=True, slots=True)
class Output:
    """What one model said about each sample, read-only.

    Labels are codes of shape (n_samples,), probabilities have shape (n_samples, n_classes), values
    and per-example scores are floats, texts str objects, text lists tuples of (text, probability).
    """

    kind: Kind
    array: AnyArray


def decide_kinds(
    kind: KindOrAuto,
    arrays: Mapping[str, AnyArray],
    truth: AnyArray | None,
    labels: ArrayLike | None,
) -> tuple[Kind, ...]:
    """Kind of each model's output, as said or by shape and content."""
    if kind != "auto":
        check_choice("kind", kind, KindOrAuto)
        if kind == "probabilities" and any(a.ndim == 1 for a in arrays.values()):
            _check_binary(arrays, truth, labels)
        return (kind,) * len(arrays)
    return tuple(_kind_of(model, array, truth, labels) for model, array in arrays.items())


def _kind_of(model: str, array: AnyArray, truth: AnyArray | None, labels: ArrayLike | None) -> Kind:
    if truth is None:
        return "scores"
    if array.ndim == 2:
        return "probabilities"
    real = array.dtype.kind == "f" and not _integral(array)
    if truth.ndim == 1 and truth.dtype.kind == "f" and not _integral(truth):
        return "values"
    if not real:
        return "labels"
    known = _known(truth, labels)
    if len(known) == 2 and np.nanmin(array) >= 0 and np.nanmax(array) <= 1:
        return "probabilities"
    raise ValueError(
        f"model {model!r} gave real numbers for {len(known)} classes; pass kind='values' for "
        "regression, or probabilities of shape (n_samples, n_classes)."
    )


def _known(truth: AnyArray | None, labels: ArrayLike | None) -> AnyArray:
    """The classes, as given or as far as the truth shows them."""
    if labels is not None:
        return checks.as_array(labels)
    if truth is None:
        return np.empty(0)
    if truth.ndim == 2:
        return np.arange(truth.shape[1])
    checks.check_defined(truth, "`y_true`")
    return np.unique(truth)


def _check_binary(
    arrays: Mapping[str, AnyArray], truth: AnyArray | None, labels: ArrayLike | None
) -> None:
    if len(_known(truth, labels)) != 2:
        model = next(model for model, array in arrays.items() if array.ndim == 1)
        raise ValueError(
            f"model {model!r} gave one probability per sample, which serves two classes only; give "
            "probabilities of shape (n_samples, n_classes)."
        )


def _integral(array: AnyArray) -> bool:
    """Whether all floats are whole numbers; missing ones are reported elsewhere."""
    finite = array[np.isfinite(array)]
    return bool((finite == np.round(finite)).all())


def are_codes(found: AnyArray, n_classes: int) -> bool:
    """Whether the true labels are integers that index columns of probabilities."""
    return found.dtype.kind in "iu" and found.min() >= 0 and found.max() < n_classes


def same_type(array: AnyArray, truth: AnyArray) -> bool:
    """Whether both hold texts, or both numbers."""
    return (array.dtype.kind == "O") == (truth.dtype.kind == "O")
