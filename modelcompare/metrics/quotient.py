"""Quotients of totals: what 0 / 0 is, and how classes are averaged."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.words import ZeroDivision

ClassAverage = Literal["macro", "weighted"]
Parts = Callable[..., tuple[FloatArray, FloatArray]]


@dataclass(frozen=True)
class Quotient:
    """A formula that divides: what 0 / 0 is, and how classes are averaged, in one place.

    Parameters
    ----------
    parts : callable, optional
        Numerator and denominator from the totals; the metric's `ratio` by default.
    without : callable, optional
        Where the paper's convention finds no value, from the totals (their sums over classes, where
        `parts` is a `SumsOf`); larger totals have one where smaller ones do.
    average : {"macro", "weighted"}, optional
        Of the classes that have a value; "weighted" by the last total.
    zero_division : float or "paper"
        Value of 0 / 0.
    """

    parts: Parts | None = None
    without: Callable[..., BoolArray] | None = None
    average: ClassAverage | None = None
    zero_division: ZeroDivision = math.nan

    def __call__(self, *totals: FloatArray) -> FloatArray:
        if self.parts is None:
            raise TypeError("a Metric needs `value` or `ratio`.")
        paper = self.zero_division == "paper"
        values = divide(*self.parts(*totals), math.nan if paper else float(self.zero_division))
        if paper and self.without is not None:
            np.copyto(values, math.nan, where=self.lacks(*totals))
        return values if self.average is None else averaged(values, totals[-1], self.average)

    def lacks(self, *totals: FloatArray) -> BoolArray | bool:
        """Return where the paper's convention finds no value."""
        of_sums = isinstance(self.parts, SumsOf)
        return self.without is not None and self.without(*(summed(totals) if of_sums else totals))


def divide(numerator: FloatArray, denominator: FloatArray, undefined: float = np.nan) -> FloatArray:
    """Quotient, with `undefined` where the denominator is 0."""
    # Masked division is slow, so what has no value is mended after.
    with np.errstate(divide="ignore", invalid="ignore"):
        out = np.asarray(np.true_divide(numerator, denominator), dtype=np.float64)
    empty = np.equal(denominator, 0)
    if empty.any():
        np.copyto(out, undefined, where=empty)
    return out


def averaged(values: FloatArray, support: FloatArray, average: ClassAverage) -> FloatArray:
    """Average over the last axis, leaving out classes whose value is NaN.

    As in scikit-learn with ``zero_division=nan``; of classes that are defined and do not occur,
    the weighted mean is 0.
    """
    if average == "macro":
        plain = values.sum(axis=-1)
        if not np.isnan(plain).any():
            # Masks are slow, and nothing is undefined.
            return plain / values.shape[-1]
    defined = ~np.isnan(values)
    weights = defined * support if average == "weighted" else defined.astype(np.float64)
    mass = weights.sum(axis=-1)
    mean = divide(np.where(defined, weights * values, 0.0).sum(axis=-1), mass)
    empty = np.where(defined.any(axis=-1) & (support.sum(axis=-1) > 0), 0.0, np.nan)
    return np.where(mass > 0, mean, empty)


def summed(arrays: tuple[FloatArray, ...]) -> Any:
    """Sum each array over its classes."""
    return tuple(array.sum(axis=-1) for array in arrays)


@dataclass(frozen=True)
class SumsOf:
    """Numerator and denominator, each summed over classes."""

    parts: Parts

    def __call__(self, *totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        numerator, denominator = summed(self.parts(*totals))
        return numerator, denominator
