"""The law of a studentized difference over all swaps, from a sum of random signs.

After a swap with signs s the difference of two pooled values is, but for their denominators, a sum
``S = sum s u`` over the units (`significance.swaps.signs`). Of means no swap changes a denominator
or the sum of squares, so the statistic is a rising function of S. Otherwise both models'
denominators move, by shares ``x = sum s e`` with ``e = (D_a - D_b) / D``, and the squares with them
by ``g = w / (1 - x^2)`` and ``h = -w x / (1 - x^2)``. Where S is ``tau`` of its standard
deviations, x has the mean ``b tau`` with ``b = sum u e / sqrt(U)`` and a variance that does not
depend on tau. Inserted into t, to the first order, that leaves

    ``t^2 = tau^2 / (level + trend tau^2)``,

which is solved for tau, and p is the tail of S beyond ``tau sqrt(U)``. With
``v = x_a + x_b`` and sums over classes k:

    ``level = 1 + (sum V C + 2 sum b W - 2 sum u v e) / U``,
    ``trend = (sum V b^2 - 2 sum b W) / U``,

``V = sum v^2``, ``C = sum e^2 - b^2``, ``W = sum u^2 v / sqrt(U)``. In strata the squares are
around the sums of strata, whose mean square given S is ``U_h - U_h^2 / U + tau^2 U_h^2 / U``.

Against drawn swaps p is within 3 % where this moves log p by less than 0.05 and the sum has six
times as many carriers, ``(sum u^2)^2 / sum u^4``, as t^2. Beyond the last t above 6 that is known,
p is that of the last one, an upper limit of 2e-9 or less. Where sizes are too many to be integrated
over, which leaves random swaps, so it is above 4.5: an upper limit of 7e-6 or less.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.significance.extreme import ties_count_half
from modelcompare.significance.strata import Strata
from modelcompare.significance.swaps.signs import are_tied, sign_tail
from modelcompare.words import Alternative

# The largest correction of log p: of usual statistics, and of those in the tail. Where both the
# corrected and the plain statistic are far out, the smaller is taken.
_MOST, _MOST_IN_TAIL, _TAIL, _FAR = 0.05, 0.3, 3.9, 6.0
# From where on the last statistic that is known stands for others, if swaps would be drawn.
_LAST = 4.5
# Standard deviation of a denominator, as a share of it, beyond which slopes are no straight lines.
_MOST_MOVED = 0.15
# How much of t may be left by the trend, where the straight line is no guide any more.
_LEAST_LEFT = 0.2
_MOST_TREND = 0.999 * (1 - _LEAST_LEFT)
# Carriers of a sum whose denominators move, and how many more than t^2 there are at least: sums of
# fewer are no longer nearly straight lines in each other.
_CARRIERS, _PER_SQUARE, _PER_SQUARE_IN_TAIL = 15.0, 6.0, 4.0


class Moves(NamedTuple):
    """Units that swap: their numbers for each class of an average, or for a single value.

    Parameters
    ----------
    u, v, e : matrix of shape (n_kinds, n_classes)
        Differences and sums of both models' residuals, and differences of their denominators.
    counts : ndarray of shape (n_kinds,)
        Number of units of each kind.
    stratum : ndarray of int of shape (n_kinds,), optional
        Stratum of each kind.
    """

    u: Any
    v: Any
    e: Any
    counts: FloatArray
    stratum: IntArray | None = None


class Terms(NamedTuple):
    """Terms of the law of a value, or of several, each an array of any shape.

    Parameters
    ----------
    square, fourth : ndarray
        Sums of u^2 and u^4.
    n_moving : ndarray
        Number of units that a swap changes.
    level, trend : ndarray
        See the module docstring; 1 and 0 for means.
    moved : ndarray
        Largest standard deviation of a class's denominator, as a share of it.
    """

    square: FloatArray
    fourth: FloatArray
    n_moving: FloatArray
    level: FloatArray
    trend: FloatArray
    moved: FloatArray

    @property
    def plain(self) -> BoolArray:
        """True where the statistic is a function of the sum alone, as for means."""
        return np.asarray((self.moved == 0) & (self.level == 1) & (self.trend == 0))

    def threshold(self, t: FloatArray, *, drawn: BoolArray | None = None) -> FloatArray:
        """Return the sum beyond which a statistic is t; NaN where that is not known.

        `drawn` is where swaps would be drawn then, as units are of too many kinds.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            carriers = self.square**2 / self.fourth
            # Beyond the last statistic that is known p is smaller still, so that its p holds.
            last = 0.999 * np.sqrt(carriers / _PER_SQUARE_IN_TAIL)
            last = np.fmin(last, np.sqrt(_MOST_TREND / np.where(self.trend > 0, self.trend, 0.0)))
            short = last <= (_FAR if drawn is None else np.where(drawn, _LAST, _FAR))
            t = np.where(self.plain | short, t, np.fmin(t, last))
            left = 1 - self.trend * t * t
            tau, usual = t * np.sqrt(self.level / left), t <= _TAIL
            far = (t > _FAR) & (tau > _FAR)
            most = np.where(usual, _MOST, np.where(far, np.inf, _MOST_IN_TAIL))
            least = np.where(usual, _PER_SQUARE, _PER_SQUARE_IN_TAIL) * t * t
            known = (self.moved <= _MOST_MOVED) & (left > _LEAST_LEFT)
            known &= (carriers >= np.maximum(_CARRIERS, least)) & (
                np.abs(tau**2 - t**2) / 2 <= most
            )
            tau = np.where(far, np.minimum(tau, t), tau)
            tau = np.where(self.plain | (t == 0), t, np.where(known, tau, np.nan))
        return np.asarray(tau * np.sqrt(self.square))


class Law(NamedTuple):
    """A studentized difference after swaps, as a function of a sum of random signs.

    Parameters
    ----------
    sizes, counts : ndarray of shape (n_kinds,)
        Sizes of the units' differences, and number of units of each.
    terms : Terms
        Terms of the law.
    apart : bool
        Whether equal sums have several statistics: in strata, and of a single quotient.
    """

    sizes: FloatArray
    counts: FloatArray
    terms: Terms
    apart: bool

    @classmethod
    def of(
        cls, steps: Iterable[Moves], weights: FloatArray, totals: FloatArray, squares: FloatArray,
        strata: Strata | None,
    ) -> Law:  # fmt: skip
        """Make the law of a weighted mean over classes.

        Parameters
        ----------
        steps : iterable of Moves
            Units, some after others.
        weights : ndarray of shape (n_classes,)
            Slope of each class's value at equal denominators.
        totals : ndarray of shape (n_classes,)
            Sums of both models' denominators.
        squares : ndarray of shape (n_classes,)
            Sums of v^2 over all units.
        strata : Strata, optional
            Strata of the units.
        """
        sizes, counts, over = [], [], np.where(totals == 0, 1.0, totals)
        inside = np.zeros(0 if strata is None else len(strata.size))
        cross, u_e, e_e, uu_v = 0.0, *np.zeros((3, len(weights)))
        for u, v, e, count, stratum in steps:
            whole = np.asarray(u @ weights)
            signed = count * whole
            sizes.append(np.abs(whole))
            counts.append(count)
            u_e += e.T @ signed / over
            e_e += (e * e).T @ count / over**2
            uu_v += v.T @ (signed * whole) * weights
            cross += float((v * e).T @ signed @ (weights / over))
            if stratum is not None:
                inside += np.bincount(stratum, signed * whole, len(inside))
        size, count = np.concatenate(sizes), np.concatenate(counts)
        square = np.asarray(count @ size**2)
        sums = square, u_e, e_e, uu_v, cross, squares * weights**2
        level, trend = level_and_trend(*sums)
        if strata is not None:
            level, trend = in_strata(level, trend, inside / square if square else inside, strata)
        terms = Terms(
            square, np.asarray(count @ size**4), np.asarray(count @ (size > 0)), level, trend,
            np.sqrt(e_e.max(initial=0.0)),
        )  # fmt: skip
        apart = strata is not None or bool(terms.moved > 0 and len(weights) == 1)
        return cls(size, count, terms, apart)

    def p_value(self, t: float, n_units: int, alternative: Alternative) -> float:
        """Return the share of swaps as extreme as a statistic; NaN where swaps must be drawn."""
        size = np.asarray(abs(t))
        threshold = float(self.terms.threshold(size))
        # Half of the tied sums would be up to 33 % off where their statistics are not tied.
        tied = self.apart or not ties_count_half(self.terms.n_moving, n_units)
        if np.isnan(threshold) or (tied and are_tied(self.sizes)):
            return np.nan
        tail = 0.5 if t == 0 else sign_tail(self.sizes, self.counts, threshold)
        return float(p_of_tail(np.asarray(tail), np.asarray(t), alternative))


def level_and_trend(
    square: FloatArray, u_e: FloatArray, e_e: FloatArray, uu_v: FloatArray,
    cross: float | FloatArray, squares: FloatArray,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Return level and trend from sums over the units.

    Parameters
    ----------
    square : ndarray of shape (...)
        Sum of u^2.
    u_e, e_e, uu_v, squares : ndarray of shape (..., n_classes)
        Sums of u e, e^2, u^2 v and v^2, all as shares and with the weights of the classes.
    cross : ndarray of shape (...)
        Sum of u v e.
    """
    safe = np.where(square > 0, square, 1.0)
    root = np.sqrt(safe)[..., None]
    b, w = u_e / root, uu_v / root
    level = 1 + ((squares * (e_e - b * b) + 2 * b * w).sum(axis=-1) - 2 * cross) / safe
    trend = (squares * b * b - 2 * b * w).sum(axis=-1) / safe
    return np.asarray(level), np.asarray(trend)


def in_strata(
    level: FloatArray, trend: FloatArray, inside: FloatArray, strata: Strata
) -> tuple[FloatArray, FloatArray]:
    """Return level and trend of squares around the sums of strata.

    `inside` has the share of the sum of u^2 in each stratum, (..., n_strata).
    """
    between = inside**2 @ strata.centre
    # A centred square is at least that of equal numbers (`statistic.studentized`).
    return level + between, trend + 1 / strata.size.sum() - between


def p_of_tail(tail: FloatArray, t: FloatArray, alternative: Alternative) -> FloatArray:
    """Return p-values of the probability that a statistic is at least the size of t."""
    if alternative == "two-sided":
        return 2 * tail
    return np.where((t > 0) == (alternative == "greater"), tail, 1 - tail)
