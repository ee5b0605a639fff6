"""p-values of the studentized test that no swap is drawn for.

Where its conditions hold, p is the tail of a sum of random signs (`significance.swaps.laws`). All
outcomes are evaluated where units are of few kinds: two classes have two binomial numbers. With
more kinds, up to 256, the tail is integrated over their numbers (`significance.swaps.outcomes`).
The way depends on the pair's own data and metric, never on what else is compared.

Outcomes equal to the observed one count half (mid-p), as long as no more than nine tenths of the
samples differ. Mid-p is right on average instead of for every p-value: of McNemar's test, the
largest size is 1.03 times the level for discordant shares up to 0.4, and power rises by 4 to 10
points. With more than nine tenths it fails (1.5 to 1.8 times the level), so all count in full.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.significance.extreme import smallest_p_value, tail_share, ties_count_half
from modelcompare.significance.swaps.laws import Law, p_of_tail
from modelcompare.significance.swaps.outcomes import Outcomes, all_outcomes, upper_tail
from modelcompare.significance.swaps.signs import FEW_UNITS
from modelcompare.significance.swaps.statistic import SwapStatistic
from modelcompare.significance.swaps.sums import Formula, SwappedSums
from modelcompare.words import Alternative

# How swaps are taken: drawn, counted in full, counted with ties half, by the law of a sum of signs,
# integrated over the numbers of few kinds.
WAYS = np.array(["drawn", "counted", "mid-p", "signs", "integrated"], dtype=object)
DRAWN, COUNTED, MID_P, SIGNS, INTEGRATED = range(len(WAYS))


def way_of(half: ArrayLike) -> IntArray:
    """Return the way of swaps that are all counted, by whether ties count half."""
    return np.where(half, MID_P, COUNTED)


class Known(NamedTuple):
    """p-values without draws, the smallest possible ones, and their way, each (n_pairs, n_values).

    NaN where swaps must be drawn. A way is a place in `WAYS`.
    """

    p_value: FloatArray
    floor: FloatArray
    way: FloatArray

    def of_values(self, some: slice) -> Known:
        """Return those of some values."""
        return Known(*(part[:, some] for part in self))

    @classmethod
    def of(cls, statistic: SwapStatistic, alternative: Alternative) -> Known:
        """Compute the p-values of a statistic that need no draws."""
        out = np.full((3, *statistic.observed.shape), np.nan)
        if not isinstance(statistic, SwappedSums):
            return cls(*out)
        start = 0
        for formula, width in zip(statistic.formulas, statistic.widths, strict=True):
            part, t = out[:, :, start : start + width], statistic.observed[:, start : start + width]
            tail, n_moving, alone = formula.tails(t)
            floor = smallest_p_value(n_moving, alternative, half=True)
            way = np.where(np.isnan(tail), np.nan, SIGNS)
            part[:] = p_of_tail(tail, t, alternative), floor, way
            left = np.isnan(tail) & np.isfinite(t) & alone
            for pair in np.flatnonzero(left.any(axis=1)).tolist():
                laws = formula.laws(pair) or [None] * width
                for value in np.flatnonzero(left[pair]).tolist():
                    one = _Value(statistic, formula, pair, value, float(t[pair, value]))
                    part[:, pair, value] = one.known(laws[value], alternative)
            start += width
        return cls(*out)


class _Value(NamedTuple):
    """A value of a pair of models, and its observed statistic."""

    statistic: SwappedSums
    formula: Formula
    pair: int
    value: int
    t: float

    def known(self, law: Law | None, alternative: Alternative) -> tuple[float, float, float]:
        """Return p-value, floor and way; NaN where swaps must be drawn."""
        size = self.statistic.units.size
        if law is not None and not np.isnan(p := law.p_value(self.t, size, alternative)):
            n_moving, plain = float(law.terms.n_moving), bool(law.terms.plain)
            floor = smallest_p_value(n_moving, alternative, half=True)
            few = n_moving <= FEW_UNITS and plain
            return p, float(floor), MID_P if few else SIGNS
        units = self.formula.by_kind(self.pair, self.value)
        if units is None:
            return np.nan, np.nan, np.nan
        outcomes = all_outcomes(units[0]())
        if outcomes is not None:
            return self._counted(outcomes, alternative)
        tail = upper_tail(units[0](), units[1], abs(self.t), self._as_extreme)
        return (np.nan, np.nan, np.nan) if tail is None else self._integrated(*tail, alternative)

    def _counted(self, outcomes: Outcomes, alternative: Alternative) -> tuple[float, float, float]:
        """Count all outcomes."""
        found = self._statistics(outcomes)
        # The outcome that swaps nothing is the data.
        unswapped = np.flatnonzero(~outcomes.swapped.masks.any(axis=1))
        if not len(unswapped):
            return np.nan, np.nan, np.nan
        half = self._half(outcomes.n_moving)
        share = tail_share(found, found[unswapped[:1]], alternative, half=half)
        floor = smallest_p_value(outcomes.n_moving, alternative, half=half)
        return float(share @ outcomes.probability), float(floor), int(way_of(half))

    def _integrated(
        self, tail: float, n_moving: float, alternative: Alternative
    ) -> tuple[float, float, float]:
        """Return p of the probability of the upper tail, which is that of the lower one."""
        floor = float(smallest_p_value(n_moving, alternative, half=self._half(n_moving)))
        if alternative == "two-sided":
            tail *= 2
        elif (self.t > 0) != (alternative == "greater"):
            tail = 1 - tail
        return float(np.clip(tail, floor, 1.0)), floor, INTEGRATED

    def _as_extreme(self, outcomes: Outcomes) -> FloatArray:
        """Return how much outcomes count as at least as large as the size of t."""
        found, size = self._statistics(outcomes), np.array([abs(self.t)])
        share = tail_share(found, size, "greater", half=self._half(outcomes.n_moving))
        # An undefined statistic is as extreme, in either direction.
        share[np.isnan(found)] = 0.5
        return share

    def _half(self, n_moving: float) -> bool:
        return bool(ties_count_half(n_moving, self.statistic.units.size))

    def _statistics(self, outcomes: Outcomes) -> FloatArray:
        """Return the statistics of outcomes."""
        self.statistic.sum_up_pair(self.pair, outcomes.swapped)
        return self.formula.statistics(np.array([self.pair]), outcomes.swapped)[0, self.value]
