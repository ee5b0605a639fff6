"""The truth of a test set: labels, a distribution over classes, values, texts, or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data import checks
from modelcompare.data.checks import frozen, read_only
from modelcompare.data.kind_inference import (
    are_codes,
    decide_kinds,
    inferred,
    same_type,
    two_classes,
)
from modelcompare.data.kinds import UNDECLARED, Kind, all_kinds, shared_kind
from modelcompare.plugs import load

# Places of labels among the distinct ones, and these.
Places: TypeAlias = tuple[IntArray, AnyArray]
# The truth, the outputs of the models and their kinds, and the classes if they are known.
Inputs: TypeAlias = tuple[AnyArray | None, dict[str, AnyArray], dict[str, Kind], ArrayLike | None]
# The classes, if any, and the columns of the truth.
Truth: TypeAlias = tuple[AnyArray | None, dict[str, AnyArray]]


def read_inputs(
    y_true: Any, outputs: Mapping[str, ArrayLike], labels: ArrayLike | None, declared: Kind
) -> Inputs:
    """Return the truth, the outputs of the models and their kinds, and the classes if known.

    Where a kind reads them together, its labels are known.
    """
    if isinstance(y_true, Mapping) and not isinstance(outputs, Mapping):
        raise TypeError(
            "`y_true` is a mapping and `outputs` is none: they are swapped. Write "
            "Predictions(y_true, {'model': output})."
        )
    if y_true is None and not (declared is UNDECLARED or declared.scored):
        raise ValueError(f"`y_true` is missing; outputs of kind {declared.name!r} need it.")
    fitting = _fitting(y_true) if declared is UNDECLARED else declared
    if fitting.read:
        given = checks.by_model(outputs, y_true)
        read: Inputs = load(fitting.read)(y_true, given, labels, declared)
        return read
    arrays = checks.model_arrays(outputs, y_true)
    if not declared.scored:
        arrays = {m: each[:, 0] if each.shape[1:] == (1,) else each for m, each in arrays.items()}
    found = None if y_true is None else checks.as_array(y_true, "`y_true`")
    n_samples = len(next(iter(arrays.values())) if found is None else found)
    checks.check_lengths(arrays, found, n_samples)
    kinds = dict(zip(arrays, decide_kinds(declared, arrays, found, labels), strict=True))
    return found, arrays, kinds, labels


def _fitting(y_true: Any) -> Kind:
    """Return the kind whose truth, which is read together with the outputs, this looks like."""
    fitting = (each for each in all_kinds().values() if each.fits and load(each.fits)(y_true))
    return next(fitting, UNDECLARED)


def truth_of(
    truth: AnyArray | None, labels: ArrayLike | None, arrays: Mapping[str, AnyArray],
    kinds: Mapping[str, Kind], *, normalize: bool,
) -> Truth:  # fmt: skip
    """Return the classes, if any, and the columns of the truth, for outputs of these kinds.

    The columns are read-only: ``y_true`` as given (labels, values or texts; the likeliest of soft
    labels), of classes ``codes`` (indices into these), and of soft labels and sets of labels
    ``true_distribution``, of shape (n_samples, n_classes).
    """
    if truth is None:
        return None, {}
    kind = shared_kind(kinds.values())
    if kind.read:
        known = None if labels is None else checks.frozen(np.asarray(labels))
        return known, dict.fromkeys(kind.truth, checks.frozen(truth))
    if any(each.has_classes for each in kinds.values()):
        predicted = {f"model {m!r}": a for m, a in arrays.items() if kinds[m].coded}
        widths = [array.shape[1] for array in arrays.values() if array.ndim == 2]
        return of_classes(truth, labels, predicted, widths, normalize=normalize)
    if kind.real:
        return _values(truth, labels)
    return None, {"y_true": frozen(truth)}


def of_classes(
    truth: AnyArray, given: ArrayLike | None, predicted: Mapping[str, AnyArray],
    widths: Sequence[int], *, normalize: bool = False, at_least: int = 2,
) -> tuple[AnyArray, dict[str, AnyArray]]:  # fmt: skip
    """Return the classes, given or inferred, and the columns of true or soft labels.

    The classes are those of the truth and those `predicted`, by the models' names in messages;
    integers may be columns of probabilities, of these `widths`.
    """
    places = checks.factorized(truth) if truth.ndim == 1 else None
    answers = []
    for where, array in predicted.items():
        if array.ndim != 1:
            raise ValueError(
                f"{where} must give one label for each sample, got shape {array.shape}; of "
                "probabilities take the likeliest class, or ask a metric of probabilities."
            )
        answers.append(checks.factorized(array, where)[1])
    if places is None:
        labels = checks.classes(given, np.arange(truth.shape[1]), at_least=at_least)
        distribution = checks.probabilities("`y_true`", truth, labels, normalize)
        codes = frozen(distribution.argmax(axis=1))
        soft = frozen(distribution.astype(np.float64))
        y_true = read_only(labels[codes])
        return labels, {"y_true": y_true, "codes": codes, "true_distribution": soft}
    found = checks.distinct(places[1], "`y_true`")
    if given is None and widths and widths[0] > len(found) and are_codes(found, widths[0]):
        found = np.arange(widths[0])
    if given is None and predicted:
        same = (each for each in answers if same_type(each, places[1]))
        if found.dtype.kind != "O":
            same = (inferred(each) for each in same)
        found = checks.distinct(np.concatenate([found, *same]), "`y_true` or a model")
    labels = checks.classes(given, found, at_least=at_least)
    return labels, _coded(truth, places, labels)


def _coded(y_true: AnyArray, places: Places, labels: AnyArray) -> dict[str, AnyArray]:
    return {"y_true": frozen(y_true), "codes": frozen(checks.coded("`y_true`", places, labels))}


def _values(truth: AnyArray, given: ArrayLike | None) -> Truth:
    """Return true values, and the classes if there are two: raw scores are of one."""
    found = two_classes(truth, given)
    named = found is not None and checks.holds_texts(truth)
    values = truth if named else checks.real_values(truth, "`y_true`")
    if found is None:
        return None, {"y_true": values}
    labels = checks.classes(found, found)
    return labels, _coded(values, checks.factorized(truth), labels)


def numbers_of_labels(
    y_true: Any, labels: ArrayLike | None, what: str, **limits: Any
) -> tuple[FloatArray, AnyArray]:
    """Return a truth that is a column of numbers for each label, and the labels."""
    width = None if labels is None else len(checks.as_array(labels))
    true = checks.matrix(y_true, "`y_true`", what, width, **limits)
    return true, checks.classes(labels, np.arange(true.shape[1]), at_least=1)


def occurring(lists: Iterable[Sequence[Any]]) -> AnyArray:
    """Return the labels that occur in some lists, sorted."""
    labels = dict.fromkeys(chain.from_iterable(lists))
    array = np.fromiter(labels, dtype=object, count=len(labels))
    return checks.distinct(checks.as_array(array, "`y_true`"), "`y_true` or a model")
