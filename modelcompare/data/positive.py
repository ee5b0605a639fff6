"""The positive one of two classes: named, or 1, True or yes by convention, and always the last."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.data import checks
from modelcompare.data.kinds import Kind
from modelcompare.data.test_set import TestSet
from modelcompare.escape import shell
from modelcompare.words import shown

# Pairs of which the second is the positive class.
_CONVENTIONS = (("0", "1"), ("-1", "1"), ("false", "true"), ("no", "yes"), ("n", "y"))
# Marks of decisions, of which the second is of the positive class.
_MARKS = (("0", "1"), ("false", "true"))
Sided = tuple[Any, AnyArray | None, dict[str, AnyArray], dict[str, AnyArray]]


class UnnamedError(ValueError):
    """Error that nothing determines the positive one of two classes."""

    def __init__(self, what: str, labels: AnyArray | None) -> None:
        known = np.asarray(labels).tolist()
        ways = map(naming, known)
        super().__init__(
            f"{what}, and nothing determines which of {' and '.join(map(repr, known))} is the "
            f"positive class; pass {' or '.join(ways)}."
        )


def naming(label: Any) -> str:
    """Write how a call and a command name the positive class.

    >>> naming("not ok")
    "positive='not ok' (--positive 'not ok')"
    """
    return f"positive={label!r} (--positive {shell(str(label))})"


def conventional(labels: AnyArray) -> AnyArray:
    """Return inferred classes with the one last that is positive by convention, if there is one.

    Examples
    --------
    >>> import numpy as np
    >>> conventional(np.array(["YES", "no"])).tolist(), conventional(np.array([1, 2])).tolist()
    (['no', 'YES'], [1, 2])
    """
    first = len(labels) == 2 and positive_of(None, labels) == labels[0]
    return labels[::-1].copy() if first else labels


def positive_of(named: Any, labels: AnyArray) -> Any:
    """Return the positive class, as named or by convention; None if neither determines it.

    Raises
    ------
    ValueError
        If the class that is named is none of the labels.
    """
    known = labels.tolist()
    if named is not None:
        found = [label for label in known if str(label) == str(named)]
        if not found:
            raise ValueError(
                f"`positive` (--positive) {shown(named)} is not a class; there are "
                f"{checks.listed(labels)}."
            )
        return found[0]
    plain = [str(label).strip().casefold().removesuffix(".0") for label in known]
    pairs = (pair for pair in _CONVENTIONS if {*plain} <= {*pair} and pair[1] in plain)
    return next((known[plain.index(yes)] for _, yes in pairs if len({*plain}) == len(known)), None)


def positive_for(what: str, predictions: TestSet) -> Any:
    """Return the positive one of two classes, on which something depends; refuse if not known."""
    if predictions.access.positive is None:
        raise UnnamedError(what, predictions.labels)
    return predictions.access.positive


def check_needed(named: Any, labels: AnyArray | None) -> None:
    """Refuse to name the positive class where there are not two."""
    if named is not None and (labels is None or len(labels) != 2):
        what = "none" if labels is None else len(labels)
        raise ValueError(
            f"`positive` (--positive) is one of two classes, and there are {what}; leave it out."
        )


def with_positive(
    named: Any, labels: AnyArray | None, truth: dict[str, AnyArray],
    outputs: dict[str, AnyArray], kinds: Mapping[str, Kind], *, ordered: bool,
    asked: str | Kind = "probabilities",
) -> Sided:  # fmt: skip
    """Return the positive one of two classes, or None, and the data with it as the last class.

    Parameters
    ----------
    named : object
        The positive class, or its text; None if it is not named.
    labels, truth, outputs, kinds
        The classes, columns of the truth, and outputs of the models with their types.
    ordered : bool
        Whether the order of the classes was given: the first of them is then not positive by
        convention.
    asked : str or Kind
        Output type as it was given.

    Raises
    ------
    ValueError
        If the positive class is none of two, or outputs are of one class that nothing determines.
    """
    of_classes = all(kind.has_classes or kind.real for kind in kinds.values())
    if labels is None or len(labels) != 2 or not of_classes:
        check_needed(named, labels if of_classes else None)
        return None, labels, truth, outputs
    positive = positive_of(named, labels)
    turned = positive is not None and positive == labels[0]
    if turned and ordered and named is None:
        positive, turned = None, False
    single = [m for m, kind in kinds.items() if kind.soft and outputs[m].ndim == 1]
    raw = [model for model, kind in kinds.items() if kind.real]
    texts = checks.holds_texts(labels)
    if positive is None and (single or (raw and (asked == "auto" or texts))):
        # The rarer class first.
        rare = labels[np.argsort(np.bincount(truth["codes"], minlength=2), kind="stable")]
        what = "raw score" if texts else "raw score, or real value (--kind values),"
        what = "probability" if single else what
        raise UnnamedError(f"{_who(single or raw)} one {what} per sample", rare)
    if raw and asked == "auto":
        checks.warn_of_data(
            f"{_who(raw)} real numbers beyond [0, 1] for 2 classes, which were taken for raw "
            f"scores of {positive!r}: only their order counts; pass kind='values' (--kind values) "
            "to confirm.",
        )
    if not turned:
        return positive, labels, truth, outputs
    columns = {"codes": checks.frozen(1 - truth["codes"])}
    if "true_distribution" in truth:
        columns["true_distribution"] = checks.frozen(truth["true_distribution"][:, ::-1])
    both = {m: array[:, ::-1] if array.ndim == 2 else array for m, array in outputs.items()}
    return positive, checks.frozen(labels[::-1]), {**truth, **columns}, both


def with_decisions(
    named: Any, truth: AnyArray | None, outputs: dict[str, AnyArray], kinds: Mapping[str, Kind]
) -> dict[str, AnyArray]:
    """Return outputs of True and False, or 1 and 0, as the two other labels of a truth.

    True is the positive class, which must be named. Labels that are such marks in another
    spelling, and numbers, are refused elsewhere.

    Examples
    --------
    >>> from modelcompare.data.kinds import LABELS
    >>> truth, found = np.array(["bot", "man"], object), {"a": np.array([True, False])}
    >>> with_decisions("bot", truth, found, {"a": LABELS})["a"].tolist()
    ['bot', 'man']
    """
    may_be = {m: each for m, each in outputs.items() if kinds[m].coded and _are_marks(each[:1])}
    if not may_be or truth is None or not all(isinstance(x, str) for x in truth):
        return outputs
    labels = np.array([*dict.fromkeys(truth.tolist())], object)
    if len(labels) != 2 or pd.to_numeric(pd.Series(labels), errors="coerce").notna().any():
        return outputs
    if named is None and positive_of(None, labels) is not None:
        return outputs
    known = {str(label).strip().casefold() for label in labels}
    decided = [m for m, each in may_be.items() if _are_marks(each, known)]
    if not decided:
        return outputs
    positive = positive_of(named, labels)
    if positive is None:
        rare = sorted(labels.tolist(), key=truth.tolist().count)
        raise UnnamedError(f"{_who(decided)} True and False, or 1 and 0", np.array(rare, object))
    other = next(label for label in labels.tolist() if label != positive)
    by_mark = {no: other for no, _ in _MARKS} | {yes: positive for _, yes in _MARKS}
    return {
        m: np.array([by_mark[_mark(x)] for x in each.tolist()], object) if m in decided else each
        for m, each in outputs.items()
    }


def _mark(entry: Any) -> str:
    return str(entry).strip().casefold().removesuffix(".0")


def _are_marks(array: AnyArray, known: Collection[str] = ()) -> bool:
    """Return whether all entries are True and False, or 1 and 0, and none is a known label."""
    words = {_mark(x) for x in array.ravel().tolist()}
    return words.isdisjoint(known) and any(words <= {*pair} for pair in _MARKS)


def _who(models: Sequence[str]) -> str:
    """Write which models gave something, as the subject of a sentence."""
    return f"model {models[0]!r} gave" if len(models) == 1 else f"{len(models)} models gave"
