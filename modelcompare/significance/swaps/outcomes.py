"""Outcomes of swaps of units that are of few kinds: all of them, or fixed points among them.

Of each kind a binomial number of units give one order of the outputs, so the sums that any
statistic is made of follow from as many numbers as there are kinds. Where these have few outcomes
all are evaluated. Otherwise the tail is integrated numerically: each number is tilted towards the
tail by ``exp(z u s)``, s being its sum of signs and u what it adds to the difference, so that about
half of the points are as extreme as the data, and each counts by the quotient of the two
probabilities. The points are those of a Kronecker sequence, fixed for a number of kinds; a p-value
has an error of about 1 % of itself, however small it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod
from typing import NamedTuple

import numpy as np
from scipy.special import expit, gammaln, ndtr

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.significance.binomial import half_binomial
from modelcompare.significance.swaps.kinds import Kinds
from modelcompare.significance.swaps.signs import log_cosh, smooth_tail
from modelcompare.significance.swaps.statistic import Swapped

# Outcomes of all swaps that are computed one by one, and how many are few; kinds that have no more;
# masses of binomial numbers that are left out.
_MOST_OUTCOMES, _FEW_OUTCOMES, _MOST_KINDS, _NO_MASS = 2**16, 2**14, 16, 1e-17
# Most points of an integral, most numbers of all of them, points evaluated at once, the error, as a
# share of the tail, at which it ends, and kinds beyond which points are too thin.
_POINTS, _NUMBERS, _AT_ONCE, _ERROR, MOST_DIMENSIONS = 2**15, 2**20, 2**10, 0.01, 256
# Standard deviations by which the step in the tail of a sum of signs is smoothed, and the least
# tail that is known by its series.
_SMOOTH, _LEAST = 0.02, 1e-8
# Share of the largest possible sum that points are tilted to at most.
_FARTHEST = 0.98


class Orders(NamedTuple):
    """Units that swap by kind, and one in each order that stands for the others.

    Parameters
    ----------
    size, surplus : ndarray of shape (n_kinds,)
        Number of samples, and observed sum of their signs.
    unit, kind, order : ndarray of shape (n_places,)
        Units, the kind and the sign of each.
    """

    size: FloatArray
    surplus: FloatArray
    unit: IntArray
    kind: IntArray
    order: FloatArray

    @classmethod
    def of(cls, steps: Iterable[Kinds], most: int) -> Orders | None:
        """Collect all steps' kinds; None if there are more than `most`."""
        size, surplus, places = list[FloatArray](), list[FloatArray](), list[FloatArray]()
        n_kinds = 0
        for kinds in steps:
            if n_kinds + len(kinds.size) > most:
                return None
            for order in (1, -1):
                of_order = kinds.order == order
                kind, first = np.unique(kinds.kind[of_order], return_index=True)
                unit = kinds.unit[of_order][first]
                places.append(np.stack([unit, n_kinds + kind, np.full(len(kind), order)]))
            size.append(kinds.size)
            surplus.append(kinds.sums)
            n_kinds += len(kinds.size)
        if not n_kinds:
            return None
        unit, kind, order = np.concatenate(places, axis=1)
        return cls(
            np.concatenate(size), np.concatenate(surplus), unit.astype(np.intp),
            kind.astype(np.intp), order.astype(np.float64),
        )  # fmt: skip

    def swapped(self, sums: FloatArray) -> Swapped:
        """Return swaps that lead to sums of signs (n_outcomes, n_kinds)."""
        moved = (self.surplus - sums)[:, self.kind] * (self.order / 2)
        masks = np.maximum(moved, 0.0, out=moved)
        return Swapped(lambda: masks, len(masks), self.unit)


class Outcomes(NamedTuple):
    """Outcomes of a pair's swaps.

    Parameters
    ----------
    swapped : Swapped
        Swaps that lead to them.
    probability : ndarray of shape (n_outcomes,)
        Probability of each.
    n_moving : float
        Number of samples that a swap changes.
    """

    swapped: Swapped
    probability: FloatArray
    n_moving: float


def all_outcomes(steps: Iterable[Kinds]) -> Outcomes | None:
    """Return all outcomes of swaps; None if they are too many."""
    orders = Orders.of(steps, _MOST_KINDS)
    if orders is None or not are_few(orders.size, _MOST_OUTCOMES):
        return None
    sums, masses = list[FloatArray](), list[FloatArray]()
    for size in orders.size:
        mass = half_binomial(int(size))
        number = np.flatnonzero(mass > _NO_MASS)
        sums.append(2.0 * number - size)
        masses.append(mass[number])
    if prod(map(len, masses)) > _MOST_OUTCOMES:
        return None
    cells = np.indices([len(mass) for mass in masses]).reshape(len(masses), -1)
    of_kinds = [mass[cell] for mass, cell in zip(masses, cells, strict=True)]
    every = np.stack([part[cell] for part, cell in zip(sums, cells, strict=True)], axis=1)
    return Outcomes(orders.swapped(every), np.prod(of_kinds, axis=0), float(orders.size.sum()))


def are_few(sizes: FloatArray, most: float = _FEW_OUTCOMES) -> bool:
    """Return False if the numbers of some kinds surely have more outcomes."""
    # Numbers within seven standard deviations have a mass of more than 1e-17 each.
    n_outcomes = np.minimum(sizes + 1, 7 * np.sqrt(sizes))
    return len(sizes) <= _MOST_KINDS and bool(n_outcomes.prod() <= most)


# Numbers beyond floating point leave no tail, so that swaps are drawn.
@np.errstate(over="ignore", invalid="ignore")
def upper_tail(
    steps: Iterable[Kinds], steepness: Callable[[], FloatArray], t: float,
    extreme: Callable[[Outcomes], FloatArray],
) -> tuple[float, float] | None:  # fmt: skip
    """Integrate the probability that a statistic is at least t; None where it is not known.

    Parameters
    ----------
    steps : iterable of Kinds
        Units of few kinds.
    steepness : callable
        Returns what a sign of each kind adds to the difference, (n_kinds,).
    t : float
        A studentized difference, not negative.
    extreme : callable
        Returns how much some outcomes count: 1 where the statistic is beyond t.

    Returns
    -------
    tuple of float
        The probability, and the number of samples that a swap changes.
    """
    orders = Orders.of(steps, MOST_DIMENSIONS)
    if orders is None or not (slope := steepness()).any():
        return None
    size, n_moving = orders.size, float(orders.size.sum())
    tilt = _tilt(slope, size, t)
    points = _Points.of(size, slope, tilt)
    constant, step = float(size @ log_cosh(tilt)), _SMOOTH * np.sqrt(size @ slope**2)
    edge, known, total, square = np.nan, 0.0, 0.0, 0.0
    for last in range(_AT_ONCE, max(_AT_ONCE, min(_POINTS, _NUMBERS // len(size))) + 1, _AT_ONCE):
        signs = points.signs(np.arange(last - _AT_ONCE, last) + 1)
        weight, sums = np.exp(constant - signs @ tilt), signs @ slope
        share = extreme(Outcomes(orders.swapped(signs), weight, n_moving))
        if np.isnan(edge):
            # The statistic is as extreme mostly where the sum is above an edge, and that tail is
            # known by its series: only where the two differ remains.
            edge = _edge(sums, weight, share)
            known = smooth_tail(np.abs(slope), size, edge, _SMOOTH) if edge > 0 else 0.0
            known = known if known > _LEAST else 0.0
        if known:
            share = share - ndtr((sums - edge) / step)
        total += float(weight @ share)
        square += float(weight**2 @ share**2)
        tail = known + total / last
        if np.sqrt(max(square - total**2 / last, 0.0)) / last <= _ERROR * tail:
            break
    return (tail, n_moving) if np.isfinite(tail) else None


class _Points(NamedTuple):
    """Points of the sequence as sums of signs of tilted kinds.

    Parameters
    ----------
    step : ndarray of shape (n_kinds,)
        What a point's number of each kind adds to the one before it, modulo 1.
    down : ndarray of shape (n_kinds,)
        Probability that a kind's first sample has the sign -1.
    laws : mapping of int to ndarray of shape (2, n_sums)
        Sums of signs and their cumulated masses, where a kind has several samples.
    """

    step: FloatArray
    down: FloatArray
    laws: dict[int, FloatArray]

    @classmethod
    def of(cls, size: FloatArray, slope: FloatArray, tilt: FloatArray) -> _Points:
        """Begin the sequence.

        The first numbers of a point, which are spread best, are those of kinds that matter most.
        """
        step = np.empty(len(slope))
        step[np.argsort(-size * slope**2, kind="stable")] = np.sqrt(_primes(len(slope)))
        several = np.flatnonzero(size > 1).tolist()
        laws = {kind: _tilted(int(size[kind]), float(tilt[kind])) for kind in several}
        return cls(step, expit(-2 * tilt), laws)

    def signs(self, at: IntArray) -> FloatArray:
        """Return some points, (n_points, n_kinds)."""
        share = np.multiply.outer(at, self.step)
        share -= np.floor(share)
        # One sign is 1 or -1.
        out = np.where(share > self.down, 1.0, -1.0)
        for kind, (signs, below) in self.laws.items():
            out[:, kind] = signs[np.searchsorted(below, share[:, kind])]
        return out


def _edge(sums: FloatArray, weight: FloatArray, share: FloatArray) -> float:
    """Return the sum that separates points that are as extreme from others best."""
    order = np.argsort(sums)
    below, above = (np.cumsum((weight * part)[order]) for part in (share, 1 - share))
    best = int(np.argmin((below - above)[:-1]))
    return float(sums[order[best : best + 2]].mean())


def _tilt(steepness: FloatArray, size: FloatArray, t: float) -> FloatArray:
    """Return the exponents of kinds under which a sum of signs has t standard deviations."""
    square = size @ steepness**2
    target = float(np.minimum(t * np.sqrt(square), _FARTHEST * (size @ np.abs(steepness))))
    point = target / square
    for _ in range(50):
        tangent = np.tanh(point * steepness)
        curve = (size * steepness**2) @ (1 - tangent * tangent)
        change = (target - (size * steepness) @ tangent) / curve
        point += change
        if abs(change) <= 1e-9 * point:
            break
    return np.asarray(point * steepness)


def _tilted(size: int, tilt: float) -> FloatArray:
    """Return the sums of signs of a tilted binomial number, and their cumulated masses (2, n)."""
    ups = np.arange(size + 1)
    signs = 2.0 * ups - size
    # By logarithms: far from the middle the masses of many signs are 0 in floating point.
    log_mass = tilt * signs - gammaln(ups + 1) - gammaln(size - ups + 1)
    below = np.cumsum(np.exp(log_mass - log_mass.max()))
    return np.stack([signs, below / below[-1]])


def _primes(number: int) -> IntArray:
    """Return the first prime numbers."""
    most = 2 * number * max(4, number.bit_length())
    prime = np.ones(most, dtype=bool)
    prime[:2] = False
    for divisor in range(2, int(most**0.5) + 1):
        prime[divisor * divisor :: divisor] = False
    return np.flatnonzero(prime)[:number]
