"""Texts that models gave, and references: their checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arrays import AnyArray
from modelcompare.data import checks
from modelcompare.data.kinds import Kind
from modelcompare.data.outputs import Form
from modelcompare.data.truths import Inputs
from modelcompare.words import warn_caller

_LISTS = (list, tuple, np.ndarray)


def read_texts(
    y_true: Any,
    outputs: Mapping[str, Any],
    labels: ArrayLike | None,  # noqa: ARG001
    declared: Kind,
) -> Inputs:
    """Return references, and the texts or lists of texts of each model, which have no labels."""
    if declared.single_text:
        y_true, outputs = _joined_words(y_true, outputs)
    arrays = {}
    for model, given in outputs.items():
        array = checks.as_array(given, f"model {model!r}")
        arrays[model] = array[:, 0] if array.shape[1:] == (1,) else array
    true = _references(y_true)
    checks.check_lengths(arrays, true, len(true))
    return true, arrays, dict.fromkeys(arrays, declared), None


def _references(data: Any) -> AnyArray:
    """Return the references as an array: of each sample one text, or a tuple of several."""
    several = isinstance(data, (*_LISTS, pd.Series)) and any(isinstance(x, _LISTS) for x in data)
    if not several:
        array = checks.as_array(data, "`y_true`")
        return _checked(array, "`y_true`") if array.ndim == 1 else array
    lists = [(found,) if isinstance(found, str) else found for found in data]
    bad = np.array([not _are_texts(found) for found in lists], dtype=bool)
    checks.refuse_rows(bad, "`y_true` must contain texts, or lists of texts, but does not")
    single = all(len(found) == 1 for found in lists)
    made = (found[0] if single else tuple(found) for found in lists)
    return np.fromiter(made, dtype=object, count=len(lists))


def _are_texts(found: Any) -> bool:
    some = isinstance(found, _LISTS) and len(found) > 0
    return some and all(isinstance(text, str) for text in found)


def _joined_words(y_true: Any, outputs: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
    """Join lists of words to texts, if that is what the models gave; references are words too."""
    if not all(_are_lists_of_words(given) for given in outputs.values()):
        return y_true, outputs
    given = {model: [" ".join(words) for words in lists] for model, lists in outputs.items()}
    warn_caller("texts are lists of words, which were joined by blanks.", UserWarning)
    if _are_lists_of_words(y_true):
        y_true = [" ".join(words) for words in y_true]
    return y_true, given


def _are_lists_of_words(data: Any) -> bool:
    return isinstance(data, _LISTS) and len(data) > 0 and all(map(_are_texts, data))


def texts(where: str, array: AnyArray, form: Form) -> AnyArray:  # noqa: ARG001
    """Return a text for each sample."""
    return _checked(array, where)


def _checked(array: AnyArray, where: str) -> AnyArray:
    """Return texts of shape (n_samples,)."""
    bad = np.array([not isinstance(x, str) for x in array], dtype=bool)
    checks.refuse_rows(bad, f"{where} must contain texts, but does not")
    return array


def text_lists(where: str, array: AnyArray, form: Form) -> AnyArray:  # noqa: ARG001
    """Return tuples of (text, probability), of shape (n_samples,); each sums to 1 or less."""
    bad = np.array([not _is_text_list(found) for found in array], dtype=bool)
    wanted = "lists of (text, probability) whose probabilities sum to at most 1"
    checks.refuse_rows(bad, f"{where} must contain {wanted}, but does not")
    lists = (tuple((text, float(p)) for text, p in found) for found in array)
    return np.fromiter(lists, dtype=object, count=len(array))


def _is_text_list(found: Any) -> bool:
    try:
        pairs = [(text, float(p)) for text, p in found]
    except (TypeError, ValueError):
        return False
    mass = [p for _, p in pairs]
    return (
        bool(pairs)
        and all(isinstance(text, str) for text, _ in pairs)
        and min(mass) >= 0
        and sum(mass) <= 1 + checks.SUM_TOLERANCE
    )


def likeliest_texts(array: AnyArray) -> AnyArray:
    """Return the most probable text of each list."""
    likeliest = (max(found, key=lambda pair: pair[1])[0] for found in array)
    return np.fromiter(likeliest, dtype=object, count=len(array))


def cells(written: AnyArray) -> AnyArray:
    """Return texts unchanged."""
    return written
