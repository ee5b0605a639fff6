"""An interval method as a row, and the bounds that it returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from modelcompare.arrays import AnyArray, BoolArray, FloatArray
from modelcompare.engine.contrasts import Contrasts
from modelcompare.words import INTERVALS, IntervalMethod, Need
from modelcompare.works import Phrase

# Relative difference below which two values differ by rounding only.
TIE_TOLERANCE = 1e-10


@dataclass(frozen=True, slots=True)
class Interval:
    """Lower and upper bounds, and the method that each was made with.

    Attributes
    ----------
    low, high : ndarray
        Bounds, in the shape of the estimate.
    method : ndarray of object
        Name of the method of each interval, in the same shape: another than the requested one
        where that could not be computed, or where a method chooses by what the data allow.
    n_informative : ndarray or None
        Number of informative samples (of the class, or in disagreement), or the number of equal
        clusters that the clusters are worth; None where the method does not compute it.
    """

    low: FloatArray
    high: FloatArray
    method: AnyArray
    n_informative: FloatArray | None = None

    @classmethod
    def of(
        cls,
        low: FloatArray,
        high: FloatArray,
        method: str,
        n_informative: FloatArray | None = None,
    ) -> Interval:
        """Intervals that were all made with one method."""
        return cls(low, high, np.full(np.shape(low), method, dtype=object), n_informative)

    @classmethod
    def joined(cls, parts: Sequence[Interval], axis: int = 0) -> Interval:
        """Intervals one after the other, along an axis."""
        low, high, method = (
            np.concatenate([getattr(part, name) for part in parts], axis)
            for name in ("low", "high", "method")
        )
        sizes = [part.n_informative for part in parts if part.n_informative is not None]
        informative = np.concatenate(sizes, axis) if len(sizes) == len(parts) else None
        return cls(low, high, method, informative)

    def where(self, chosen: BoolArray, other: Interval) -> Interval:
        """Take these intervals where `chosen`, and bounds of `other` elsewhere."""
        pairs = ((self.low, other.low), (self.high, other.high), (self.method, other.method))
        low, high, method = (np.where(chosen, mine, others) for mine, others in pairs)
        return Interval(low, high, method, self.n_informative)


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """One method, as a row of `METHODS`.

    Attributes
    ----------
    name : str
        Its name, one of `words.IntervalMethod`.
    intervals : callable
        Intervals of the rows of contrasts, at a confidence level.
    needs : str
        What it needs of metric and data; empty if nothing.
    scores_only : bool
        Whether it does not apply to differences.
    chooses : bool
        Whether it is meant to take different methods for different values, which it names.
    reads : {"units", "sums"}
        Whether it reads the numbers of all units at once, or sums over blocks of them.
    phrase : Phrase
        What a paper calls it, and the works that it cites.
    """

    name: IntervalMethod
    intervals: Callable[[Contrasts, float], Interval]
    needs: str = ""
    scores_only: bool = False
    chooses: bool = False
    reads: Need = "units"
    phrase: Phrase = ("", ())

    @property
    def when(self) -> str:
        """When to choose it, in one line."""
        return INTERVALS[self.name]
