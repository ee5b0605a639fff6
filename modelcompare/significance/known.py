"""p-values of the studentized test that no swap is drawn for.

All outcomes are evaluated where hard labels leave few of them: two classes have two binomial
numbers. Otherwise p is the tail of a sum of random signs (`significance.swaps.laws`), where its
conditions hold. The way depends on the pair's own data and metric, never on what else is compared.

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
from modelcompare.significance.exact import MOST_MOVING
from modelcompare.significance.extreme import smallest_p_value, tail_share
from modelcompare.significance.swaps.kinds import Outcomes
from modelcompare.significance.swaps.laws import Law
from modelcompare.significance.swaps.signs import FEW_UNITS
from modelcompare.significance.swaps.statistic import SwapStatistic
from modelcompare.significance.swaps.sums import Formula, SwappedSums
from modelcompare.words import Alternative

# How swaps are taken: drawn, counted in full, counted with ties half, by the law of a sum of signs.
WAYS = np.array(["drawn", "counted", "mid-p", "signs"], dtype=object)
DRAWN, COUNTED, MID_P, SIGNS = range(len(WAYS))


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

    @classmethod
    def of(cls, statistic: SwapStatistic, alternative: Alternative) -> Known:
        """Compute the p-values of a statistic that need no draws."""
        out = np.full((3, *statistic.observed.shape), np.nan)
        if not isinstance(statistic, SwappedSums):
            return cls(*out)
        for pair, observed in enumerate(statistic.observed):
            start = 0
            for formula in statistic.formulas:
                if (outcomes := formula.outcomes(pair)) is not None:
                    found = _of_outcomes(statistic, formula, pair, outcomes, alternative)
                else:
                    found = _of_laws(statistic, formula.laws(pair), observed[start:], alternative)
                out[:, pair, start : start + found.shape[1]] = found
                start += found.shape[1]
        return cls(*out)


def _of_outcomes(
    statistic: SwappedSums, formula: Formula, pair: int, outcomes: Outcomes,
    alternative: Alternative,
) -> FloatArray:  # fmt: skip
    """Return p-values, floors and ways (3, n_values) of all outcomes of a metric's swaps."""
    swapped, probability, n_moving = outcomes
    statistic.sum_up_pair(pair, swapped)
    (found,) = formula.statistics(np.array([pair]), swapped)
    # The outcome that swaps nothing is the data.
    observed = found[:, np.flatnonzero(~swapped.masks.any(axis=1))]
    if not observed.shape[1]:
        return np.full((3, len(found)), np.nan)
    half = n_moving <= MOST_MOVING * statistic.units.size
    p = tail_share(found, observed, alternative, half=half) @ probability
    floor = np.full(len(p), smallest_p_value(n_moving, alternative, half=half))
    return np.stack([p, floor, np.full(len(p), way_of(half))])


def _of_laws(
    statistic: SwappedSums, laws: list[Law | None], observed: FloatArray, alternative: Alternative
) -> FloatArray:
    """Return p-values, floors and ways (3, n_values) by the laws of a metric's values."""
    out, size = np.full((3, len(laws)), np.nan), statistic.units.size
    for value, (law, t) in enumerate(zip(laws, observed, strict=False)):
        if law is not None:
            out[0, value] = law.p_value(float(t), size, alternative)
            out[1, value] = smallest_p_value(law.n_moving, alternative, half=True)
            out[2, value] = MID_P if law.n_moving <= FEW_UNITS and law.plain else SIGNS
    return np.where(np.isnan(out[0]), np.nan, out)
