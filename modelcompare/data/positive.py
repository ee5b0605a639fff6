"""The positive one of two classes: named, or 1, True or yes by convention, and always the last."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from modelcompare.arrays import AnyArray
from modelcompare.data import checks
from modelcompare.words import Kind, KindOrAuto, shown

# Pairs of which the second is the positive class.
_CONVENTIONS = (("0", "1"), ("-1", "1"), ("false", "true"), ("no", "yes"))
_OF_CLASSES = frozenset({"labels", "probabilities", "values"})


def conventional(labels: AnyArray) -> AnyArray:
    """Return inferred classes with the one last that is positive by convention, if there is one.

    Examples
    --------
    >>> import numpy as np
    >>> conventional(np.array(["Yes", "no"])).tolist(), conventional(np.array([1, 2])).tolist()
    (['no', 'Yes'], [1, 2])
    """
    reverse = tuple(map(_plain, labels.tolist()))[::-1] in _CONVENTIONS
    return labels[::-1].copy() if reverse else labels


def is_conventional(classes: Sequence[Any]) -> bool:
    """Return whether the positive one of two classes follows from a convention."""
    pair = tuple(map(_plain, classes))
    return pair in _CONVENTIONS or pair[::-1] in _CONVENTIONS


def with_positive(
    named: Any, labels: AnyArray | None, truth: dict[str, AnyArray],
    outputs: dict[str, AnyArray], kinds: Mapping[str, Kind], *, asked: KindOrAuto, ordered: bool,
) -> tuple[Any, AnyArray | None, dict[str, AnyArray], dict[str, AnyArray]]:  # fmt: skip
    """Return the positive one of two classes, or None, and the data with it as the last class.

    Parameters
    ----------
    named : object
        The positive class, or its text; None if it is not named.
    labels, truth, outputs, kinds
        The classes, columns of the truth, and outputs of the models with their types.
    asked : str
        Output type as it was given.
    ordered : bool
        Whether the order of the classes was given: the first of them is then not positive by
        convention.

    Raises
    ------
    ValueError
        If the positive class is none of two, or outputs are of one class that nothing determines.
    """
    if labels is None or len(labels) != 2 or not {*kinds.values()} <= _OF_CLASSES:
        if named is not None:
            what = f"there are {len(labels)}" if labels is not None else "there are none"
            raise ValueError(
                f"`positive` (--positive) is one of two classes, and {what}; leave it out."
            )
        return None, labels, truth, outputs
    positive = _found(named, labels, ordered=ordered)
    _check_numbers(positive, labels, outputs, kinds, asked)
    if positive is None or positive == labels[-1]:
        return positive, labels, truth, outputs
    turned = {"codes": checks.frozen(1 - truth["codes"])}
    if "true_distribution" in truth:
        turned["true_distribution"] = checks.frozen(truth["true_distribution"][:, ::-1])
    both = {m: array[:, ::-1] if array.ndim == 2 else array for m, array in outputs.items()}
    return positive, checks.frozen(labels[::-1]), {**truth, **turned}, both


def unnamed(what: str, labels: AnyArray | None, hint: str = "") -> ValueError:
    """Return the error that nothing determines the positive one of two classes."""
    known = [] if labels is None else labels.tolist()
    named = " or ".join(f"positive={label!r}" for label in known)
    flags = " or ".join(f"--positive {shlex.quote(str(label))}" for label in known)
    return ValueError(
        f"{what}, and nothing determines which of {' and '.join(map(repr, known))} is the positive "
        f"class; pass {named} ({flags}){hint}."
    )


def check_single(
    positive: Any, labels: AnyArray | None, outputs: Mapping[str, AnyArray], what: str
) -> None:
    """Refuse single numbers of one class, such as a probability, if the class is not known."""
    single = [model for model, array in outputs.items() if array.ndim == 1]
    if single and positive is None:
        raise unnamed(f"{_who(single)} one {what} per sample", labels)


def _who(models: Sequence[str]) -> str:
    """Write which models gave something, as the subject of a sentence."""
    return f"model {models[0]!r} gave" if len(models) == 1 else f"{len(models)} models gave"


def _found(named: Any, labels: AnyArray, *, ordered: bool) -> Any:
    """Return the positive class, as named or by convention; None if neither determines it."""
    first, last = labels.tolist()
    if named is not None:
        found = next((label for label in (first, last) if str(label) == str(named)), None)
        if found is None:
            raise ValueError(
                f"`positive` (--positive) {shown(named)} is not a class; there are {first!r} and "
                f"{last!r}."
            )
        return found
    pair = (_plain(first), _plain(last))
    if pair in _CONVENTIONS:
        return last
    return first if pair[::-1] in _CONVENTIONS and not ordered else None


def _plain(label: Any) -> str:
    """Write a class as the conventions do: in lower case, whole numbers without a fraction."""
    return str(label).casefold().removesuffix(".0")


def _check_numbers(
    positive: Any, labels: AnyArray, outputs: Mapping[str, AnyArray], kinds: Mapping[str, Kind],
    asked: KindOrAuto,
) -> None:  # fmt: skip
    """Refuse outputs of one class that is not known; warn of raw scores that are not declared."""
    soft = {m: outputs[m] for m, kind in kinds.items() if kind == "probabilities"}
    check_single(positive, labels, soft, "probability")
    raw = [model for model, kind in kinds.items() if kind == "values"]
    texts = checks.holds_texts(labels)
    if raw and positive is None and (texts or asked == "auto"):
        hint = "" if texts else "; if these are true values pass kind='values' (--kind values)"
        raise unnamed(f"{_who(raw)} one raw score per sample", labels, hint)
    if raw and asked == "auto":
        checks.warn_of_data(
            f"{_who(raw)} real numbers beyond [0, 1] for 2 classes, which were taken for raw "
            f"scores of {positive!r}: only their order counts; pass kind='values' (--kind values) "
            "to confirm.",
        )
