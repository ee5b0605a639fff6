"""How many numbers are extreme, when all that is known of most of them is what they are about.

Scores in single precision, and bounds of what they are to be over, decide nearly everything at a
fraction of the cost; the few numbers that are left between are asked for to the last digit. The
counts are those of exact numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray, IntArray, SingleArray
from modelcompare.engine.halves import Exchange, Halves, Places
from modelcompare.significance.extreme import n_true

Span = tuple[FloatArray, FloatArray]
"""Numbers below and above all that there are, each of shape (n_pairs, n_values, 1)."""

# What bounds are wider by than their formulas, for rounding.
SLACK = 1e-9

# Relative error of rounding to single precision, eight times: of the five roundings of a score.
_ROUNDING = 2.0**-21
# Sizes whose products single precision holds, and what is lost of those below its smallest.
_LARGEST, _TINY = 1e15, 1e-30


@dataclass(frozen=True)
class Scores:
    """``N - F D`` of the first model of each pair after swaps, with F the same after all of them.

    Parameters
    ----------
    numbers : ndarray of float32 of shape (n_pairs, n_values, n_masks)
        The scores.
    error : ndarray of shape (n_pairs, n_values, 1)
        How far the exact ones may be from them.
    top, bottom : Span
        Bounds of N and of D.
    """

    numbers: SingleArray
    error: FloatArray
    top: Span
    bottom: Span

    @classmethod
    def of(
        cls, top: Halves, bottom: Halves, swap: Exchange, factor: FloatArray, *, tight: bool
    ) -> Scores | None:
        """From numerators and denominators; None of numbers that single precision does not hold.

        `tight` looks up the bounds of N and D among all swaps.
        """
        spans = top.span(swap), bottom.span(swap)
        sizes = top.size(swap), bottom.size(swap)
        size = sizes[0] + np.abs(factor) * sizes[1]
        if not (size < _LARGEST).all():
            return None
        error = _ROUNDING * size + _TINY
        numbers = top.rounded(swap)
        if bottom.shared:
            numbers -= (factor * spans[1][0]).astype(np.float32)
            return cls(numbers, error, *spans)
        below = bottom.rounded(swap)
        if tight:
            spans = _span(numbers, sizes[0]), _span(below, sizes[1])
        below *= factor.astype(np.float32)
        numbers -= below
        return cls(numbers, error, *spans)


def count_sieved(
    numbers: SingleArray,
    low: FloatArray,
    high: FloatArray,
    is_extreme: Callable[[Places], BoolArray],
    *,
    most: float,
) -> IntArray | None:
    """How many numbers of each row are extreme.

    Parameters
    ----------
    numbers : ndarray of float32 of shape (..., n_masks)
        What the extreme ones are large of.
    low, high : ndarray of shape (..., 1)
        Below which number one is not extreme, and from which it is; between them it is asked.
    is_extreme : callable
        Whether the numbers at some places are.
    most : float
        The largest share of numbers that it is worth to ask for.

    Returns
    -------
    ndarray of int of shape (...), or None
        None where more are left between than `most`.
    """
    # Numbers are not made wide to be compared: the ends are made narrow, and further apart.
    not_shown = numbers < _narrow(high, np.inf)
    between = np.flatnonzero(not_shown > (numbers < _narrow(low, -np.inf)))
    if len(between) > most * numbers.size:
        return None
    found: IntArray = numbers.shape[-1] - n_true(not_shown, axis=-1)
    places = np.unravel_index(between, numbers.shape)
    extreme = is_extreme(places)
    np.add.at(found, tuple(axis[extreme] for axis in places[:-1]), 1)
    return found


def _span(numbers: SingleArray, size: FloatArray) -> Span:
    """Ends of sums that were rounded, whose terms are of some size at most."""
    low, high = (end(axis=-1, keepdims=True) for end in (numbers.min, numbers.max))
    return low - _ROUNDING * size, high + _ROUNDING * size


def _narrow(numbers: FloatArray, towards: float) -> SingleArray:
    """The next number in single precision on one side."""
    with np.errstate(over="ignore"):
        return np.nextafter(numbers.astype(np.float32), np.float32(towards))
