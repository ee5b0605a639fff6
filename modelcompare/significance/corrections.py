"""Corrections for many tests: adjusted p-values of a family."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.words import Correction


def adjust(p_values: FloatArray, correction: Correction) -> FloatArray:
    """Return adjusted p-values of one family; undefined ones stay NaN and do not count.

    Parameters
    ----------
    p_values : ndarray
        p-values of any shape, all of one family.
    correction : str
        "holm", "hochberg", "hommel", "bonferroni", "sidak" (family-wise error), "fdr_bh", "fdr_by"
        (false discovery rate) or "none". For "max-t" see `step_down.max_t`.

    Examples
    --------
    >>> adjust(np.array([0.01, 0.04, 0.03]), "holm")
    array([0.03, 0.06, 0.06])
    """
    out = np.array(p_values, dtype=np.float64)
    defined = ~np.isnan(out)
    if correction == "none" or not defined.any():
        return out
    p = out[defined]
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(_OF_SORTED[correction](p[order]), 1.0)
    out[defined] = adjusted
    return out


def _holm(p: FloatArray) -> FloatArray:
    return np.maximum.accumulate(p * np.arange(len(p), 0, -1))


def _hochberg(p: FloatArray) -> FloatArray:
    """Holm's multiples from the largest p-value on (Hochberg 1988), by Simes' inequality."""
    return np.minimum.accumulate((p * np.arange(len(p), 0, -1))[::-1])[::-1]


def _hommel(p: FloatArray) -> FloatArray:
    """Simes' test of every subset (Hommel 1988), by Wright's algorithm (1992)."""
    out = p.copy()
    for m in range(len(p), 1, -1):
        smallest = (m * p[-m:] / np.arange(1, m + 1)).min()
        out[-m:] = np.maximum(out[-m:], smallest)
        out[:-m] = np.maximum(out[:-m], np.minimum(m * p[:-m], smallest))
    return out


def _sidak(p: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return -np.expm1(len(p) * np.log1p(-p))


def _benjamini_hochberg(p: FloatArray, factor: float = 1.0) -> FloatArray:
    share = np.arange(1, len(p) + 1) / len(p) / factor
    return np.minimum.accumulate((p / share)[::-1])[::-1]


def _benjamini_yekutieli(p: FloatArray) -> FloatArray:
    return _benjamini_hochberg(p, float((1 / np.arange(1, len(p) + 1)).sum()))


_OF_SORTED: Mapping[Correction, Callable[[FloatArray], FloatArray]] = {
    "holm": _holm,
    "hochberg": _hochberg,
    "hommel": _hommel,
    "bonferroni": lambda p: p * len(p),
    "sidak": _sidak,
    "fdr_bh": _benjamini_hochberg,
    "fdr_by": _benjamini_yekutieli,
}
