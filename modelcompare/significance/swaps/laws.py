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
times as many carriers, ``(sum u^2)^2 / sum u^4``, as t^2.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.significance.exact import MOST_MOVING
from modelcompare.significance.strata import Strata
from modelcompare.significance.swaps.signs import are_tied, sign_tail
from modelcompare.words import Alternative

# The largest correction of log p, of usual p-values and of those in the tail.
_MOST, _MOST_IN_TAIL, _TAIL = 0.05, 0.3, 5e-5
# Where both the corrected and the plain tail are below it, the larger is taken.
_FAR = 1e-9
# Standard deviation of a denominator, as a share of it, beyond which slopes are no straight lines.
_MOST_MOVED = 0.15
# How much of t may be left by the trend, where the straight line is no guide any more.
_LEAST_LEFT = 0.2
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


class Law(NamedTuple):
    """A studentized difference after swaps, as a function of a sum of random signs.

    Parameters
    ----------
    sizes, counts : ndarray of shape (n_kinds,)
        Sizes of the units' differences, and number of units of each.
    level, trend : float
        See the module docstring; 1 and 0 for means.
    moved : float
        Largest standard deviation of a class's denominator, as a share of it.
    apart : bool
        Whether equal sums have several statistics: in strata, and of a single quotient.
    """

    sizes: FloatArray
    counts: FloatArray
    level: float
    trend: float
    moved: float
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
        square = sum(float(n @ u**2) for n, u in zip(counts, sizes, strict=True))
        root = np.sqrt(square) if square > 0 else 1.0
        b, w = u_e / root, uu_v / root
        squares = squares * weights**2
        level = 1 + (squares @ (e_e - b * b) + 2 * b @ w - 2 * cross) / root**2
        trend = (squares @ (b * b) - 2 * b @ w) / root**2
        if strata is not None:
            centre, share = strata.centre, inside / root**2
            level += centre @ share**2
            # A centred square is at least that of equal numbers (`statistic.studentized`).
            trend += 1 / strata.size.sum() - centre @ share**2
        moved = float(np.sqrt(e_e.max(initial=0.0)))
        return cls(
            np.concatenate(sizes), np.concatenate(counts), float(level), float(trend), moved,
            strata is not None or (moved > 0 and len(weights) == 1),
        )  # fmt: skip

    def p_value(self, t: float, n_units: int, alternative: Alternative) -> float:
        """Return the share of swaps as extreme as a statistic; NaN where swaps must be drawn."""
        if not np.isfinite(t) or self.moved > _MOST_MOVED:
            return np.nan
        # Half of the tied sums would be up to 33 % off where their statistics are not tied.
        if (self.apart or self.n_moving > MOST_MOVING * n_units) and are_tied(self.sizes):
            return np.nan
        tail = 0.5 if t == 0 else self._tail(abs(t))
        if alternative == "two-sided":
            return 2 * tail
        return tail if (t > 0) == (alternative == "greater") else 1 - tail

    @property
    def plain(self) -> bool:
        """True where the statistic is a function of the sum alone, as for means."""
        return self.moved == 0 and self.level == 1 and self.trend == 0

    @property
    def n_moving(self) -> float:
        """Number of units that a swap changes."""
        return float(self.counts[self.sizes > 0].sum())

    def _tail(self, t: float) -> float:
        square = float(self.counts @ self.sizes**2)
        if self.plain:
            return sign_tail(self.sizes, self.counts, t * np.sqrt(square))
        carriers, left = square**2 / float(self.counts @ self.sizes**4), 1 - self.trend * t * t
        if left <= _LEAST_LEFT or carriers < max(_CARRIERS, _PER_SQUARE_IN_TAIL * t * t):
            return np.nan
        threshold = t * np.sqrt(self.level / left)
        found = sign_tail(self.sizes, self.counts, threshold * np.sqrt(square))
        if found < _FAR:
            plain = sign_tail(self.sizes, self.counts, t * np.sqrt(square))
            if plain < _FAR:
                return max(found, plain)
        most = _MOST if found > _TAIL else _MOST_IN_TAIL
        few = found > _TAIL and carriers < _PER_SQUARE * t * t
        return np.nan if few or abs(threshold**2 - t**2) / 2 > most else found
