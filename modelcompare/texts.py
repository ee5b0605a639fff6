"""Texts, and lists of texts with their probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from modelcompare import checks
from modelcompare.arrays import AnyArray


def texts(array: AnyArray, where: str) -> AnyArray:
    """Texts of shape (n_samples,)."""
    bad = np.array([not isinstance(x, str) for x in array], dtype=bool)
    checks.refuse_rows(bad, f"{where} must hold texts, but does not")
    return array


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
