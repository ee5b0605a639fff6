"""Probabilities of two binomial numbers of equal chances, cell by cell and line by line.

A p-value is the mass of swaps, summed line by line: cell by cell, F1 of 20 models takes 80 times as
long. With x and y the surplus of the two numbers of `significance.exact`, the square of the
statistic is ``(p x + q y)^2 / (U - 2 delta W + delta^2 V)`` with delta and W linear in x and y. It
is at least T^2 where ``alpha x^2 + beta x y + gamma y^2 >= T^2 U``: on the line of one x, outside
or between the two roots of a quadratic in y. The mass of such y is read from a table of the
binomial distribution function, so that a p-value of m^2 cells costs m lines, and half of these,
since x and y may both change their sign.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from modelcompare.arrays import CACHE_BYTES, BoolArray, FloatArray, IntArray
from modelcompare.engine.parallel import map_blocks
from modelcompare.significance.extreme import least_extreme


def half_binomial(n: int) -> FloatArray:
    """Return the mass of each of the Binomial(n, 1/2) numbers 0 to n.

    Computed from the middle outwards by quotients of neighbours, so that no number overflows.

    Examples
    --------
    >>> half_binomial(4)
    array([0.0625, 0.25  , 0.375 , 0.25  , 0.0625])
    """
    up = np.arange((n + 1) // 2, n)
    # The middle of an even number 2 m of trials is the product of 1 - 1 / 2j for j up to m.
    middle = np.exp(np.log1p(-0.5 / np.arange(1, (n + 1) // 2 + 1)).sum())
    rising = middle * np.cumprod(np.r_[1.0, (n - up) / (up + 1)])
    return np.r_[rising[: 0 if n % 2 == 0 else None : -1], rising]


def tail_masses(statistic: FloatArray, mass: FloatArray, half: BoolArray) -> FloatArray:
    """Return the mass of the cells of each grid that are as extreme as each cell, two-sided.

    Parameters
    ----------
    statistic : ndarray of shape (n_grids, n_cells)
        NaN counts as the most extreme.
    mass : ndarray of shape (n_cells,)
        Of the cells, the same in all grids.
    half : ndarray of bool of shape (n_grids,)
        Grids in which cells that are equally extreme count half.
    """
    size = np.abs(statistic)
    size[np.isnan(size)] = np.inf
    order = np.argsort(-size, axis=1, kind="stable")
    falling = np.take_along_axis(size, order, axis=1)
    least = least_extreme(falling, "two-sided")
    # Infinite sizes are tied, and nothing is beyond them.
    finite = np.isfinite(falling)
    most = np.where(
        finite, 2 * np.where(finite, falling, 0.0) - np.where(finite, least, 0.0), np.inf
    )
    below = np.hstack([np.zeros((len(size), 1)), np.cumsum(mass[order], axis=1)])

    def up_to(ends: FloatArray, side: Literal["left", "right"]) -> FloatArray:
        pairs = zip(-falling, -ends, strict=True)
        place = np.array([np.searchsorted(sizes, end, side) for sizes, end in pairs])
        return np.take_along_axis(below, place, axis=1)

    total = up_to(least, "right")
    half = half[:, None] & (falling > 0)
    total = np.where(half, (total + up_to(most, "left")) / 2, total)
    out = np.empty_like(total)
    np.put_along_axis(out, order, total, axis=1)
    return np.clip(out, np.finfo(float).tiny, 1.0)


def conic_mass(
    alpha: FloatArray,
    beta: FloatArray,
    gamma: FloatArray,
    kappa: FloatArray,
    n: IntArray,
    low: IntArray,
) -> FloatArray:
    """Return the probability that two binomial numbers make a statistic extreme.

    Extreme are ``alpha x^2 + beta x y + gamma y^2 >= kappa``.

    Parameters
    ----------
    alpha, beta, gamma, kappa : ndarray of shape (n_hypotheses,)
        Coefficients.
    n : ndarray of int of shape (n_hypotheses, 2)
        Trials of the two numbers, each of probability 1/2.
    low : ndarray of int of shape (n_hypotheses, 2)
        The smallest number of each that has relevant mass.
    """
    first, second = (_Binomials(n[:, i], low[:, i]) for i in (0, 1))
    order = np.argsort(first.half, kind="stable")
    n_lines = first.half[order]
    ends = np.flatnonzero(np.diff(np.cumsum(n_lines) // (CACHE_BYTES // 8)))
    blocks = np.split(order, ends + 1)

    def of_block(block: int) -> FloatArray:
        some = blocks[block]
        coefficients = (part[some, None] for part in (alpha, beta, gamma + 0.0, kappa))
        return _mass_of_some(some, first, second, *coefficients)

    numbers = 20 * int(n_lines.sum()) / len(blocks)
    found = map_blocks(of_block, range(len(blocks)), numbers=numbers)
    out = np.empty(len(kappa))
    out[order] = np.concatenate(found)
    return out


def _mass_of_some(
    some: IntArray,
    first: _Binomials,
    second: _Binomials,
    alpha: FloatArray,
    beta: FloatArray,
    gamma: FloatArray,
    kappa: FloatArray,
) -> FloatArray:
    """Sum over the lines of some hypotheses; coefficients are of shape (n_hypotheses, 1)."""
    x, weight = first.lines(some)
    middle, rest = beta * x, alpha * x
    rest *= x
    rest -= kappa
    with np.errstate(divide="ignore", invalid="ignore"):
        # The sum that does not cancel gives one root, the product of both the other.
        sum_of_both = middle * middle
        sum_of_both -= 4 * gamma * rest
        np.copysign(np.sqrt(sum_of_both, out=sum_of_both), middle, out=sum_of_both)
        sum_of_both += middle
        sum_of_both *= -0.5
        roots = sum_of_both / gamma, rest / sum_of_both
    lower, upper = np.minimum(*roots), np.maximum(*roots)
    outside = gamma >= 0
    mass = second.up_to(some, lower, outside)
    mass += second.up_to(some, np.negative(upper, out=upper), outside)
    mass = np.where(outside, mass, 1 - mass)
    # Without roots a line is extreme as a whole, or not at all.
    np.copyto(mass, rest >= 0, where=np.isnan(lower))
    return np.einsum("ij,ij->i", weight, mass)


class _Binomials:
    """Tables of Binomial(n, 1/2) numbers without the tails, one for each n.

    Parameters
    ----------
    n, low : ndarray of int of shape (n_hypotheses,)
        Trials, and the smallest number considered; the largest is n - low.
    """

    def __init__(self, n: IntArray, low: IntArray) -> None:
        self.n, self.low = n, low
        span = int(low.max(initial=0)) + 1
        both, which = np.unique(n * span + low, return_inverse=True)
        all_n, first = both[:, None] // span, both[:, None] % span
        trials = all_n.astype(np.float64)
        number = first + np.arange(int((all_n - 2 * first).max(initial=0)) + 1)
        there = number <= all_n - first
        ratio = np.where(there, (trials - number + 1) / np.maximum(number, 1), 0.0)
        ratio[:, 0] = 1.0
        shape: FloatArray = np.cumprod(ratio, axis=1, dtype=np.float64)
        # Row of each hypothesis, mass of each number from the smallest, and of all smaller ones.
        self.which = which.ravel()
        self.mass = shape / shape.sum(axis=1, keepdims=True)
        self.below = np.hstack([np.zeros((len(shape), 1)), np.cumsum(self.mass, axis=1)])
        # Mass of both x and -x, of surpluses x that are not negative.
        half = (all_n + 1) // 2 - first + np.arange(int(self.half.max(initial=0)))
        self.of_both = 2 * np.take_along_axis(self.mass, half, axis=1)
        self.of_both[:, :1][all_n % 2 == 0] /= 2

    @property
    def half(self) -> IntArray:
        """Return the number of counts whose surplus 2 k - n is not negative."""
        return self.n - self.low - (self.n + 1) // 2 + 1

    def lines(self, some: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return surpluses x >= 0, and the mass of x and -x, each (n_hypotheses, n_lines)."""
        n_lines = int(self.half[some].max())
        x = (self.n[some, None] % 2 + 2 * np.arange(n_lines)).astype(np.float64)
        return x, self.of_both[self.which[some], :n_lines]

    def up_to(self, some: IntArray, surplus: FloatArray, inclusive: BoolArray) -> FloatArray:
        """Return the mass of surpluses up to a number, or below it; 0 where it is NaN."""
        number = (surplus + self.n[some, None]) / 2
        number = np.where(inclusive, np.floor(number) + 1, np.ceil(number))
        number -= self.low[some, None]
        np.fmax(number, 0, out=number)
        np.fmin(number, (self.n - 2 * self.low + 1)[some, None], out=number)
        place = number.astype(np.intp)
        place += self.which[some, None] * self.below.shape[1]
        return np.take(self.below, place)
