"""Inference of output types, as declared or by shape and content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arrays import AnyArray
from modelcompare.data import checks
from modelcompare.data.kinds import LABELS, PROBABILITIES, SCORES, UNDECLARED, VALUES, Kind

# Largest share of numbers beyond [0, 1] that are errors among probabilities.
_SLIPS = 0.1
# More distinct whole numbers may be true values.
_MOST_CODES = 50


def decide_kinds(
    declared: Kind,
    arrays: Mapping[str, AnyArray],
    truth: AnyArray | None,
    labels: ArrayLike | None,
) -> tuple[Kind, ...]:
    """Return the output type of each model, as declared or by shape and content."""
    if declared is UNDECLARED and labels is None and are_values(truth, arrays.values()):
        declared = VALUES
    if declared is not UNDECLARED:
        single = [model for model, array in arrays.items() if array.ndim == 1]
        if declared is PROBABILITIES and single and len(_known(truth, labels)) != 2:
            raise ValueError(
                f"model {single[0]!r} gave one probability per sample, which is for two classes "
                "only; give probabilities of shape (n_samples, n_classes)."
            )
        return (declared,) * len(arrays)
    return tuple(_kind_of(model, array, truth, labels) for model, array in arrays.items())


def are_values(truth: AnyArray | None, outputs: Iterable[AnyArray]) -> bool:
    """Return whether many distinct whole numbers are true values, as a model gives fractions."""
    if truth is None or truth.ndim > 1 or truth.dtype.kind not in "iuf":
        return False
    fractions = any(is_real(inferred(each)) for each in outputs)
    return fractions and len(np.unique(truth)) > _MOST_CODES


def _kind_of(model: str, array: AnyArray, truth: AnyArray | None, labels: ArrayLike | None) -> Kind:
    if truth is None:
        return SCORES
    if array.ndim == 2:
        return PROBABILITIES
    if is_real(truth):
        return VALUES
    if truth.dtype.kind != "O":
        # Numeric labels are never fractions, also in an array of objects.
        array = inferred(array)
    if not is_real(array):
        return LABELS
    known = _known(truth, labels)
    if len(known) == 2 and np.nanmin(array) >= 0 and np.nanmax(array) <= 1:
        return PROBABILITIES
    if len(known) == 2 and truth.ndim == 1:
        _refuse_slips(model, array)
        return VALUES
    raise ValueError(
        f"model {model!r} gave real numbers for {len(known)} classes; pass kind='values' "
        "(--kind values) for regression, or probabilities of shape (n_samples, n_classes)."
    )


def _refuse_slips(model: str, array: AnyArray) -> None:
    """Refuse numbers of which a few alone lie beyond [0, 1]: probabilities with errors in them."""
    beyond = (array < 0) | (array > 1)
    if beyond.mean() <= _SLIPS:
        remedy = "correct these probabilities, or for raw scores pass kind='values' (--kind values)"
        what = f"model {model!r} gave numbers between 0 and 1, except"
        checks.refuse_rows(beyond, what, remedy)


def two_classes(truth: AnyArray, labels: ArrayLike | None) -> AnyArray | None:
    """Return the negative and the positive class where raw scores can be compared with the truth.

    None unless there are two, and for real numbers, which are true values.
    """
    if truth.ndim == 2 or is_real(truth):
        return None
    known = _known(truth, labels)
    return known if len(known) == 2 else None


def _known(truth: AnyArray | None, labels: ArrayLike | None) -> AnyArray:
    """Return the classes, as given or as they occur in the truth."""
    if labels is not None:
        return checks.as_array(labels)
    if truth is None:
        return np.empty(0)
    if truth.ndim == 2:
        return np.arange(truth.shape[1])
    checks.check_defined(truth, "`y_true`")
    return checks.distinct(truth, "`y_true`")


def is_real(array: AnyArray) -> bool:
    """Return whether a column has fractions; missing numbers are reported elsewhere."""
    if array.ndim != 1 or array.dtype.kind != "f":
        return False
    finite = array[np.isfinite(array)]
    return not (finite == np.round(finite)).all()


def inferred(array: AnyArray) -> AnyArray:
    """Convert a column of objects that are all numbers to numbers; return others unchanged."""
    if array.dtype.kind != "O" or checks.holds_texts(array):
        return array
    found: AnyArray = pd.Series(array).infer_objects().to_numpy()
    return found if found.dtype.kind in "iufb" else array


def are_codes(found: AnyArray, n_classes: int) -> bool:
    """Return whether the true labels are whole numbers that index columns of probabilities."""
    return found.dtype.kind in "iufb" and bool(np.isin(found, np.arange(n_classes)).all())


def same_type(array: AnyArray, truth: AnyArray) -> bool:
    """Return whether both have texts, or both numbers."""
    return checks.holds_texts(array) == checks.holds_texts(truth)
