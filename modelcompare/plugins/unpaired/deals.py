"""Permutation tests of two independent test sets: of any sum metric, and of proportions.

A deal assigns all samples to the two test sets at random. The difference of the values is divided
by its standard error, from the slopes of the values at the totals of the deal. In counts, a small
test set may contain no error at all, or none of a rare class, and its standard error is then close
to 0. So each side's squared error includes that of `ADDED` samples of both sets together. In real
numbers it does not: if the small set varies more than the large one, 0.07 would be rejected
instead of 0.05.

For F1 of a positive class of a tenth, with 40 samples against 400 or 40, and 100 against 1,000,
0.02 to 0.056 of true null hypotheses (equal distributions, equal F1 of other precision, other
shares of the class) are rejected at the level 0.05; by studentized resamples 0.002 to 0.09, with
less power.

For proportions of independent samples all deals are counted: Fisher's test, ordered by differences,
with half of the deals that equal the observed one (mid-p). Its size is at most 0.057 from 15
samples against 15 to 100 against 1,000; the exact p-value, which is discrete, has half of that.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.metrics.quotient import numerical_slopes
from modelcompare.resampling.draws import deals_of_few, deals_of_kinds
from modelcompare.significance.extreme import n_extreme, resampling_p, size_of, standardized
from modelcompare.significance.pairwise import Outcome
from modelcompare.words import Alternative

# Samples of both test sets whose squared error is added to that of each side, for counts.
ADDED = 10
# Equal units are dealt together if distinct ones are no more than this share.
_ALIKE = 1 / 16
# Relative distance of differences that are equal except for rounding.
_TIE = 1e-10
Value = Callable[[FloatArray], FloatArray]


def studentized_deals(
    numbers: FloatArray, n_first: int, value: Value, alternative: Alternative, n_resamples: int,
    seed: np.random.SeedSequence, *, added: float = 0.0,
) -> Outcome:  # fmt: skip
    """Test the difference of a value between the first units and the others.

    Parameters
    ----------
    numbers : ndarray of shape (n_units, n_columns)
        Contribution of each unit to the totals.
    n_first : int
        Units of the first test set, which come first.
    value : callable
        Values (n,) of totals (n_columns, n).
    alternative, n_resamples, seed
        As for any test.
    added : float
        Samples of both test sets together whose squared error is added to that of each.
    """
    kinds, kind_of, count = np.unique(numbers, axis=0, return_inverse=True, return_counts=True)
    form = _Form(numbers, value, added)
    if len(kinds) <= _ALIKE * len(numbers):
        first = np.bincount(kind_of.ravel()[:n_first], minlength=len(kinds)).astype(np.float64)
        observed = form.statistics(kinds[None], first[None], n_first)
        drawn = deals_of_kinds(count, n_first, n_resamples, seed)
        parts = [form.statistics(kinds[None], hand, n_first) for hand in drawn]
    else:
        # Only the smaller hand is drawn; the other one is the rest.
        n_hand = min(n_first, len(numbers) - n_first)
        mine = np.arange(n_first) if n_hand == n_first else np.arange(n_first, len(numbers))
        sign, once = 1.0 if n_hand == n_first else -1.0, np.ones((1, n_hand))
        observed = sign * form.statistics(numbers[mine][None], once, n_hand)
        hands = deals_of_few(len(numbers), n_hand, n_resamples, seed)
        parts = [sign * form.statistics(numbers[hand], once, n_hand) for hand in hands]
    # A deal without a value counts as extreme.
    n = n_extreme(np.concatenate(parts), observed[0], alternative, scale=abs(observed[0]))
    p_value = float(resampling_p(n, n_resamples))
    return Outcome.of_one(float(observed[0]), p_value, n_resamples, exact=False)


class _Form:
    """Statistics of deals of some units."""

    def __init__(self, numbers: FloatArray, value: Value, added: float) -> None:
        self.value, self.size, self.added = value, len(numbers), added
        self.total, self.second = numbers.sum(axis=0), numbers.T @ numbers

    def statistics(self, units: FloatArray, times: FloatArray, n_hand: int) -> FloatArray:
        """Return studentized differences (n_deals,) of the values of hands and of the rest.

        Parameters
        ----------
        units : ndarray of shape (n_deals or 1, n_chosen, n_columns)
            Numbers of the units in each hand.
        times : ndarray of shape (n_deals or 1, n_chosen)
            How often each unit is in the hand.
        n_hand : int
            Units in a hand.
        """
        mine = self._cleared(np.matmul(times[:, None], units)[:, 0].T)
        rest = self._cleared(self.total[:, None] - mine)
        slope, slope_of_rest = (
            numerical_slopes(self.value, part, self.total) for part in (mine, rest)
        )

        def squares(slope: FloatArray) -> FloatArray:
            along = np.matmul(units, slope.T[..., None])[..., 0]
            return np.einsum("bk,bk,bk->b", times, along, along)

        left = self._of_all(slope_of_rest) - squares(slope_of_rest)
        error = np.sqrt(
            self._square(mine, slope, squares(slope), n_hand)
            + self._square(rest, slope_of_rest, left, self.size - n_hand)
        )
        a, b = self.value(mine), self.value(rest)
        difference = a - b
        difference[np.abs(difference) <= _TIE * (np.abs(a) + np.abs(b))] = 0.0
        return standardized(difference, error)

    def _square(
        self, totals: FloatArray, slope: FloatArray, squares: FloatArray, n: int
    ) -> FloatArray:
        """Return squared errors of values, with those of some samples of both test sets."""
        own = squares - (slope * totals).sum(axis=0) ** 2 / n
        mean = (slope * self.total[:, None]).sum(axis=0) / self.size
        together = self._of_all(slope) / self.size - mean**2
        return np.maximum(own, 0.0) + self.added * np.maximum(together, 0.0)

    def _of_all(self, slope: FloatArray) -> FloatArray:
        return np.asarray((slope * (self.second @ slope)).sum(axis=0))

    def _cleared(self, totals: FloatArray) -> FloatArray:
        totals[np.abs(totals) <= 1e-12 * np.abs(self.total)[:, None]] = 0.0
        return totals


def fisher_midp(count: tuple[int, int], trials: tuple[int, int], alternative: Alternative) -> float:
    """Return the mid-p-value of Fisher's test of two proportions, ordered by their difference.

    Examples
    --------
    >>> round(fisher_midp((34, 380), (40, 400), "two-sided"), 4)
    0.014
    """
    from scipy.special import gammaln

    n_a, n_b = trials
    right = sum(count)
    taken: IntArray = np.arange(max(0, right - n_b), min(n_a, right) + 1)
    ways = sum(
        gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        for n, k in ((n_a, taken), (n_b, right - taken))
    )
    # Scaled by the largest, so that none overflows.
    probability = np.exp(ways - ways.max())
    probability /= probability.sum()
    apart = size_of(taken / n_a - (right - taken) / n_b, alternative)
    observed = apart[count[0] - taken[0]]
    equal = np.abs(apart - observed) <= _TIE
    p = probability[(apart > observed) & ~equal].sum() + probability[equal].sum() / 2
    return float(min(p, 1.0))
