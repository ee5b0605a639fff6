"""Tests of two test sets by dealing their samples anew: of any sum metric, and of proportions.

Each deal gives differences of values, divided by their own standard error, computed anew from the
slopes of the values at the deal's own totals. Of counts, a small test set may hold no error at all,
or none of a rare class, and its own standard error is then next to 0, so that each side's squared
error takes in that of `ADDED` samples of both sets together. Of real numbers it need not: where the
small set varies more than the large one 0.07 would be rejected instead of 0.05.

F1 of a positive class of a tenth, with 40 samples against 400 or 40, and 100 against 1,000: of true
nulls (equal laws, equal F1 of other precision, other shares of the class) 0.02 to 0.056 are
rejected at the level 0.05; by studentized resamples 0.002 to 0.09, and fewer differences are found.

Of proportions of independent samples the deals are counted: Fisher's test, by differences, with
half of the deals that are as extreme as the observed one (mid-p). Its size is at most 0.057 from 15
samples against 15 to 100 against 1,000; steps take half of that from the exact p-value.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.resampling.draws import deals_of_few, deals_of_kinds
from modelcompare.significance.extreme import n_extreme, resampling_p, size_of, standardized
from modelcompare.significance.pairwise import Outcome
from modelcompare.significance.swaps.forms import slopes
from modelcompare.words import Alternative

# Samples of both test sets together by whose squared error each side's is made larger, of counts.
ADDED = 10
# Share of units below which equal ones are dealt together.
_ALIKE = 1 / 16
# Relative size of two differences that are equal but for rounding.
_TIE = 1e-10
Value = Callable[[FloatArray], FloatArray]


def studentized_deals(
    numbers: FloatArray, n_first: int, value: Value, alternative: Alternative, n_resamples: int,
    seed: np.random.SeedSequence, *, added: float = 0.0,
) -> Outcome:  # fmt: skip
    """Test of the difference of a value between the first units and the others.

    Parameters
    ----------
    numbers : ndarray of shape (n_units, n_columns)
        What each unit adds to the totals.
    n_first : int
        Units of the first test set, which stand first.
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
        # The smaller hand is looked at; the other one is what is left.
        n_hand = min(n_first, len(numbers) - n_first)
        mine = np.arange(n_first) if n_hand == n_first else np.arange(n_first, len(numbers))
        sign, once = 1.0 if n_hand == n_first else -1.0, np.ones((1, n_hand))
        observed = sign * form.statistics(numbers[mine][None], once, n_hand)
        hands = deals_of_few(len(numbers), n_hand, n_resamples, seed)
        parts = [sign * form.statistics(numbers[hand], once, n_hand) for hand in hands]
    # A deal without a value is as extreme.
    n = n_extreme(np.concatenate(parts), observed[0], alternative, scale=abs(observed[0]))
    p_value = float(resampling_p(n, n_resamples))
    return Outcome.of_one(float(observed[0]), p_value, n_resamples, exact=False)


class _Form:
    """Statistics of deals of some units."""

    def __init__(self, numbers: FloatArray, value: Value, added: float) -> None:
        self.value, self.size, self.added = value, len(numbers), added
        self.total, self.second = numbers.sum(axis=0), numbers.T @ numbers

    def statistics(self, units: FloatArray, times: FloatArray, n_hand: int) -> FloatArray:
        """Studentized differences (n_deals,) of the values of hands and of what they leave.

        Parameters
        ----------
        units : ndarray of shape (n_deals or 1, n_chosen, n_columns)
            Numbers of what is in each hand.
        times : ndarray of shape (n_deals or 1, n_chosen)
            How often.
        n_hand : int
            Units in a hand.
        """
        mine = self._cleared(np.matmul(times[:, None], units)[:, 0].T)
        rest = self._cleared(self.total[:, None] - mine)
        slope, slope_of_rest = (slopes(self.value, part, self.total) for part in (mine, rest))

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
        """Squared errors of values, with those of some samples of both test sets."""
        own = squares - (slope * totals).sum(axis=0) ** 2 / n
        mean = (slope * self.total[:, None]).sum(axis=0) / self.size
        together = self._of_all(slope) / self.size - mean**2
        return np.maximum(own, 0.0) + self.added * np.maximum(together, 0.0)

    def _of_all(self, slope: FloatArray) -> FloatArray:
        found: FloatArray = (slope * (self.second @ slope)).sum(axis=0)
        return found

    def _cleared(self, totals: FloatArray) -> FloatArray:
        totals[np.abs(totals) <= 1e-12 * np.abs(self.total)[:, None]] = 0.0
        return totals


def fisher_midp(count: tuple[int, int], trials: tuple[int, int], alternative: Alternative) -> float:
    """Mid-p-value of Fisher's test of two proportions, ordered by their difference.

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
    # All ways together are one; the largest of them does not overflow.
    probability = np.exp(ways - ways.max())
    probability /= probability.sum()
    apart = size_of(taken / n_a - (right - taken) / n_b, alternative)
    observed = apart[count[0] - taken[0]]
    equal = np.abs(apart - observed) <= _TIE
    p = probability[(apart > observed) & ~equal].sum() + probability[equal].sum() / 2
    return float(min(p, 1.0))
