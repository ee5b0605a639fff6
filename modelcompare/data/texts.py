"""Texts, and lists of texts with their probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.data import checks
from modelcompare.words import KindOrAuto


def texts(array: AnyArray, where: str) -> AnyArray:
    """Texts of shape (n_samples,)."""
    bad = np.array([not isinstance(x, str) for x in array], dtype=bool)
    checks.refuse_rows(bad, f"{where} must hold texts, but does not")
    return array


def as_truth(data: Any, kind: KindOrAuto) -> AnyArray:
    """The truth as an array: beside texts references, one text a sample or a tuple of several."""
    if kind not in ("texts", "text_lists"):
        return checks.as_array(data, "`y_true`")
    several = isinstance(data, list | tuple | np.ndarray | pd.Series) and any(
        isinstance(found, list | tuple | np.ndarray) for found in data
    )
    if not several:
        array = checks.as_array(data, "`y_true`")
        return texts(array, "`y_true`") if array.ndim == 1 else array
    lists = [(found,) if isinstance(found, str) else found for found in data]
    bad = np.array([not _are_texts(found) for found in lists], dtype=bool)
    checks.refuse_rows(bad, "`y_true` must hold texts, or lists of texts, but does not")
    single = all(len(found) == 1 for found in lists)
    made = (found[0] if single else tuple(found) for found in lists)
    return np.fromiter(made, dtype=object, count=len(lists))


def _are_texts(found: Any) -> bool:
    listed = isinstance(found, list | tuple | np.ndarray) and len(found) > 0
    return listed and all(isinstance(text, str) for text in found)


def text_lists(array: AnyArray, where: str) -> AnyArray:
    """Lists of (text, probability) of shape (n_samples,), as tuples; each sums to 1 or less."""
    bad = np.array([not _is_text_list(found) for found in array], dtype=bool)
    wanted = "lists of (text, probability) whose probabilities sum to at most 1"
    checks.refuse_rows(bad, f"{where} must hold {wanted}, but does not")
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
