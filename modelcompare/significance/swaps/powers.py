"""Tails of sums of random signs of many pairs at once, from sums of powers of their differences.

The saddlepoint of `significance.swaps.signs` needs ``K(z) = sum log cosh(z u)``, the integral of
``log cosh(z root(s)) / s`` over the units' squares s, each of the mass s. The sums ``P2`` to
``P10`` of powers of u are the first moments of that mass. The function is one of Stieltjes, whose
derivatives change their sign one after the other, so Gauss' rule of two points, from P2 to P8, is
below K, and Radau's rule of three, one of them 0, above it (Golub and Meurant 2010, chapter 6).
Radau's is taken, where the other gives the same log p. All pairs of one model are computed
together, and 4,950 pairs take a hundredth of the time that they take one by one.

Below 1e-15 tails are upper limits: of usual data within 1 % down to 1e-40.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from modelcompare.arrays import CACHE_BYTES, BoolArray, FloatArray, IntArray
from modelcompare.engine.influence import Pairs
from modelcompare.engine.pairs import strips_of
from modelcompare.significance.strata import Strata
from modelcompare.significance.swaps.laws import Terms, in_strata, level_and_trend
from modelcompare.significance.swaps.outcomes import MOST_DIMENSIONS
from modelcompare.significance.swaps.signs import CARRIERS, FEW_UNITS, MOST_SIZES, TIED, log_cosh

# How far apart the two rules may be in log p, also of tails below 1e-6, and the least tail that
# they must agree on.
_APART, _APART_FAR, _FAR, _LEAST = 1e-3, 0.05, 1e-6, 1e-15
# Newton's steps to a saddlepoint, and the change at which they end.
_STEPS, _SETTLED = 50, 1e-9
# Units that show that sizes are not tied, how many of these are enough if none of them are, and
# strata whose sums are kept of every pair.
SHOWN, _ENOUGH, _MOST_STRATA = 128, 24, 32
# Arrays of some units of some pairs that are in the processor's cache together.
_ARRAYS = 12


class Units(NamedTuple):
    """Numbers of all models' units in one value.

    Parameters
    ----------
    top, bottom : ndarray of shape (n_models, n_units)
        Numerators and denominators.
    counts, weight : ndarray of shape (n_units,)
        Number of units of each, and weight of their squares.
    totals : ndarray of shape (n_models,)
        Totals of the denominators.
    strata : Strata, optional
        Strata of the units.
    """

    top: FloatArray
    bottom: FloatArray
    counts: FloatArray
    weight: FloatArray
    totals: FloatArray
    strata: Strata | None


class Sums(NamedTuple):
    """Sums over the units, each (n_pairs,), and of u^2 in each stratum, (n_pairs, n_strata).

    `square` to `tenth` are those of powers of u.
    """

    square: FloatArray
    fourth: FloatArray
    sixth: FloatArray
    eighth: FloatArray
    tenth: FloatArray
    n_moving: FloatArray
    u_e: FloatArray
    e_e: FloatArray
    uu_v: FloatArray
    cross: FloatArray
    v_v: FloatArray
    inside: FloatArray


class Ties(NamedTuple):
    """Ties of sizes, judged by some units of each pair, each (n_pairs,).

    Parameters
    ----------
    tied : ndarray of bool
        Where sizes may be tied.
    distinct : ndarray of bool
        Where hardly any two units are equal.
    """

    tied: BoolArray
    distinct: BoolArray

    @classmethod
    def of(cls, n_distinct: IntArray, n_moving: IntArray) -> Ties:
        """Judge by numbers of distinct sizes and of sizes that are not 0."""
        distinct = (n_distinct == n_moving) & (n_distinct >= _ENOUGH)
        return cls(~distinct & (n_distinct <= MOST_SIZES), distinct)


class Tails(NamedTuple):
    """Tails of pairs, each an array of shape (n_pairs,) or (n_pairs, n_values).

    Parameters
    ----------
    tail, n_moving : ndarray
        Probabilities beyond sizes of t, NaN where they are not known, and numbers of units that
        swap.
    alone : ndarray of bool
        Where a pair may be known by itself, by its law or by its kinds.
    """

    tail: FloatArray
    n_moving: FloatArray
    alone: BoolArray

    @classmethod
    def unknown(cls, shape: tuple[int, ...]) -> Tails:
        """Return tails of pairs that are computed one by one."""
        return cls(np.full(shape, np.nan), np.full(shape, np.nan), np.ones(shape, dtype=bool))


def smooth_tails(units: Units, pairs: Pairs, pooled: FloatArray, t: FloatArray) -> Tails:
    """Return the tails of a value of all pairs."""
    strata = units.strata
    if strata is not None and len(strata.size) > _MOST_STRATA:
        return Tails.unknown(t.shape)
    sums, ties = _sums(units, pairs, pooled)
    return tails_of(sums, ties, units.totals[pairs[0]] + units.totals[pairs[1]], strata, t)


def tails_of(
    sums: Sums, ties: Ties, total: FloatArray, strata: Strata | None, t: FloatArray
) -> Tails:
    """Return the tails of a value of all pairs from sums over the units.

    `total` are the sums of both models' denominators.
    """
    over = np.where(total == 0, 1.0, total)
    e_e = sums.e_e / over**2
    level, trend = level_and_trend(
        sums.square, (sums.u_e / over)[:, None], e_e[:, None], sums.uu_v[:, None],
        sums.cross / over, sums.v_v[:, None],
    )  # fmt: skip
    if strata is not None:
        safe = np.where(sums.square > 0, sums.square, 1.0)
        level, trend = in_strata(level, trend, sums.inside / safe[:, None], strata)
    terms = Terms(sums.square, sums.fourth, sums.n_moving, level, trend, np.sqrt(e_e))
    many = ties.distinct & (sums.n_moving > MOST_DIMENSIONS)
    threshold = terms.threshold(np.abs(t), drawn=many)
    return Tails(_known(sums, ties, threshold), sums.n_moving, ~many | ~np.isnan(threshold))


def sign_tails(
    numbers: FloatArray, counts: FloatArray, pairs: Pairs, threshold: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return tails of sums of signs times differences of numbers, and the numbers of signs.

    NaN where a pair must be computed by itself. `numbers` are of shape (n_models, n_units),
    `threshold` is of shape (n_pairs,).
    """
    nothing, totals = np.broadcast_to(0.0, numbers.shape), np.zeros(len(numbers))
    units = Units(numbers, nothing, counts, counts, totals, None)
    sums, ties = _sums(units, pairs, np.zeros(len(threshold)))
    return _known(sums, ties, threshold), sums.n_moving


def _known(sums: Sums, ties: Ties, threshold: FloatArray) -> FloatArray:
    """Return tails beyond thresholds; NaN where sizes are tied, or few of them matter."""
    few = (sums.n_moving <= FEW_UNITS) | ~(sums.square**2 >= CARRIERS * sums.fourth)
    tail, left = np.full(len(threshold), np.nan), ~(ties.tied | few | np.isnan(threshold))
    tail[left] = _by_quadrature([part[left] for part in sums[:5]], threshold[left])
    # Half of the probability that all signs agree.
    tail = np.maximum(tail, 0.5 ** (sums.n_moving + 1))
    return np.where(left & (threshold == 0), 0.5, tail)


def _sums(units: Units, pairs: Pairs, pooled: FloatArray) -> tuple[Sums, Ties]:
    """Return the sums of all pairs, and the ties of their sizes."""
    n_pairs, n_units = len(pooled), len(units.counts)
    sizes, strata = np.zeros((2, n_pairs), np.intp), units.strata
    inside = np.zeros((n_pairs, 0 if strata is None else len(strata.size)))
    sums = Sums._make([*np.zeros((len(Sums._fields) - 1, n_pairs)), inside])
    members = None if strata is None else strata.members.T.toarray()
    plain = bool((units.bottom == units.bottom[:1]).all())
    shown = np.unique(np.linspace(0, n_units - 1, SHOWN).astype(np.intp))
    top_shown, bottom_shown = units.top[:, shown], units.bottom[:, shown]
    for chosen, first, second in strips_of(*pairs):
        some, fraction = Sums._make(part[chosen] for part in sums), pooled[chosen, None]
        differ = bottom_shown[first] - bottom_shown[second]
        shown_u = top_shown[first] - top_shown[second] - fraction * differ
        sizes[:, chosen] = distinct_sizes(shown_u)
        step = max(SHOWN, CACHE_BYTES // (_ARRAYS * 8 * len(fraction)))
        for start in range(0, n_units, step):
            rows = slice(start, min(start + step, n_units))
            count = units.counts[rows]
            e = units.bottom[first, rows] - units.bottom[second, rows]
            u = units.top[first, rows] - units.top[second, rows]
            if not plain:
                u -= fraction * e
            square = u * u
            counted = square * count
            _add_powers(some, square, counted, count)
            if members is not None:
                some.inside[:] += counted @ members[rows]
            if plain:
                continue
            v = units.top[first, rows] + units.top[second, rows]
            v -= fraction * (units.bottom[first, rows] + units.bottom[second, rows])
            some.v_v[:] += np.einsum("ij,ij,j->i", v, v, count * units.weight[rows])
            _add_products(some, u, v, e, count)
    return sums, Ties.of(*sizes)


def _add_powers(some: Sums, square: FloatArray, counted: FloatArray, count: FloatArray) -> None:
    """Add sums of powers of u, of some units."""
    fourth, counted_fourth = square * square, counted * square
    some.square[:] += counted.sum(axis=1)
    some.fourth[:] += counted_fourth.sum(axis=1)
    some.sixth[:] += np.einsum("ij,ij->i", counted, fourth)
    some.eighth[:] += np.einsum("ij,ij->i", counted_fourth, fourth)
    counted_fourth *= square
    some.tenth[:] += np.einsum("ij,ij->i", counted_fourth, fourth)
    some.n_moving[:] += (square > 0) @ count


def _add_products(
    some: Sums, u: FloatArray, v: FloatArray, e: FloatArray, count: FloatArray
) -> None:
    """Add sums of products with e, of some units, where denominators move."""
    u_e = u * e * count
    some.u_e[:] += u_e.sum(axis=1)
    some.e_e[:] += np.einsum("ij,ij,j->i", e, e, count)
    some.uu_v[:] += np.einsum("ij,ij,j->i", u * u, v, count)
    some.cross[:] += np.einsum("ij,ij->i", u_e, v)


def distinct_sizes(u: FloatArray) -> tuple[IntArray, IntArray]:
    """Return numbers of distinct sizes and of sizes that are not 0, each (n_pairs,)."""
    size = np.sort(np.abs(u), axis=1)
    distinct = np.diff(size, axis=1, prepend=0.0) > TIED * size
    return distinct.sum(axis=1), (size > 0).sum(axis=1)


# Powers of enormous numbers overflow, which leaves no rule.
@np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore")
def _by_quadrature(powers: Sequence[FloatArray], threshold: FloatArray) -> FloatArray:
    """Return tails by saddlepoints, from the sums of even powers; NaN where they do not suffice.

    Parameters
    ----------
    powers : sequence of ndarray of shape (n_pairs,)
        Sums of u^2, u^4, u^6, u^8 and u^10.
    threshold : ndarray of shape (n_pairs,)
        Sums whose tails are computed.
    """
    from scipy.special import ndtr

    # In units in which the sums of u^2 and u^4 are equal, no moment is large.
    unit = np.sqrt(powers[1] / powers[0])
    moments = [part / unit ** (2 * place + 2) for place, part in enumerate(powers)]
    threshold = threshold / unit
    below = _gauss(*moments[:4])
    sizes, inner = _gauss(*moments[1:])
    above = sizes, inner / sizes**2
    at_zero = moments[0] - above[1].sum(axis=0)
    point = threshold / moments[0]
    for _ in range(_STEPS):
        tangent = np.tanh(point * sizes)
        slope = at_zero * point + (above[1] / sizes * tangent).sum(axis=0)
        curve = at_zero + (above[1] * (1 - tangent) * (1 + tangent)).sum(axis=0)
        # The slope is concave: steps lead up to the point, and not beyond it.
        change = (threshold - slope) / curve
        point = point + change
        if not (np.abs(change) > _SETTLED * point).any():
            break
    log = at_zero * point**2 / 2 + _log_cosh_sum(*above, point)
    root = np.sqrt(2 * (point * threshold - log))
    density = np.exp(-root * root / 2) / np.sqrt(2 * np.pi)
    tail = ndtr(-root) + density * (1 / (point * np.sqrt(curve)) - 1 / root)
    apart = np.abs(log - _log_cosh_sum(*below, point))
    known = (apart <= np.where(tail < _FAR, _APART_FAR, _APART)) | (tail < _LEAST)
    sound = (at_zero >= 0) & (inner >= 0).all(axis=0) & np.isfinite(tail)
    return np.where(known & sound, tail, np.nan)


def _gauss(
    m0: FloatArray, m1: FloatArray, m2: FloatArray, m3: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the two points of Gauss' rule, as roots, and their masses, from moments of s."""
    spread = m0 * m2 - m1 * m1
    middle = (m0 * m3 - m1 * m2) / spread / 2
    product = (m1 * m3 - m2 * m2) / spread
    larger = middle + np.sqrt(np.maximum(middle * middle - product, 0.0))
    smaller = product / larger
    mass = (m1 - m0 * smaller) / (larger - smaller)
    return np.sqrt([larger, smaller]), np.stack([mass, m0 - mass])


def _log_cosh_sum(sizes: FloatArray, mass: FloatArray, point: FloatArray) -> FloatArray:
    """Return the sum of ``mass log cosh(point size) / size^2``."""
    return np.asarray((mass / sizes**2 * log_cosh(point * sizes)).sum(axis=0))
