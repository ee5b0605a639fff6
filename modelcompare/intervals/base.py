"""An interval method as a row, and the bounds that it returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.engine.contrasts import Contrasts
from modelcompare.words import INTERVALS, IntervalMethod, Need
from modelcompare.works import Phrase

# Relative difference below which two values differ by rounding only.
TIE_TOLERANCE = 1e-10
# Method of values whose metric has no interval on a test set.
REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Interval:
    """Lower and upper bounds, and the method of each.

    Attributes
    ----------
    low, high : ndarray
        Bounds, in the shape of the estimate.
    method : ndarray of object
        Name of the method of each interval, in the same shape: different from the requested one if
        that could not be computed, or if a method chooses by the data.
    n_informative : ndarray or None
        Number of informative samples (of the class, or in disagreement), or effective number of
        clusters; None if the method does not compute it.
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
        """Return intervals of a single method."""
        return cls(low, high, np.full(np.shape(low), method, dtype=object), n_informative)

    @classmethod
    def joined(cls, parts: Sequence[Interval], axis: int = 0) -> Interval:
        """Concatenate intervals along an axis."""
        low, high, method = (
            np.concatenate([getattr(part, name) for part in parts], axis)
            for name in ("low", "high", "method")
        )
        sizes = [part.n_informative for part in parts if part.n_informative is not None]
        informative = np.concatenate(sizes, axis) if len(sizes) == len(parts) else None
        return cls(low, high, method, informative)

    def columns(self, where: slice | IntArray) -> Interval:
        """Return the intervals of some values."""
        size = None if self.n_informative is None else self.n_informative[:, where]
        return Interval(self.low[:, where], self.high[:, where], self.method[:, where], size)

    def where(self, chosen: BoolArray, other: Interval) -> Interval:
        """Return these intervals where `chosen`, and those of `other` elsewhere."""
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
        Function of contrasts and a confidence level that returns their intervals.
    needs : str
        Requirements on metric and data; empty if none.
    scores_only : bool
        Whether it does not apply to differences.
    chooses : bool
        Whether it uses different methods for different values by design, which it names.
    reads : {"units", "sums"}
        Whether it reads the numbers of all units at once, or sums over blocks of them.
    phrase : Phrase
        Name for a paper, and the works to cite.
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
        """Advice on when to choose it, in one line."""
        return INTERVALS[self.name]
