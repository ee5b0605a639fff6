"""Sums of powers of the differences of two models' probabilities of a class.

A sample adds ``N = n + c p`` and ``D = d + e p`` to a ratio of the class that it has the
probability p of: the four numbers are those of the ratio, for members of the class and for others.
What a swap changes is therefore a multiple of the difference of two probabilities, whose sums of
powers over members and over others all ratios of a class share: F1, precision and recall of 4,950
pairs take a third of the time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from modelcompare.arrays import CACHE_BYTES, FloatArray, IntArray
from modelcompare.engine.influence import Pairs
from modelcompare.engine.pairs import strips_of
from modelcompare.significance.swaps.powers import SHOWN, Sums, Ties, distinct_sizes

# Arrays of some samples of some pairs that are in the processor's cache together.
_ARRAYS = 6


class Shares(NamedTuple):
    """Sums over some samples of differences x and sums s of two models' probabilities.

    Parameters
    ----------
    powers : ndarray of shape (5, n_pairs)
        Sums of x^2 to x^10.
    n_moving, crossed, both, squares : ndarray of shape (n_pairs,)
        Numbers of samples with x other than 0, and sums of x^2 s, of s and of s^2.
    shown : ndarray of int of shape (2, n_pairs)
        Distinct sizes of x among some of the samples, and how many are not 0.
    size : int
        Number of samples.
    """

    powers: FloatArray
    n_moving: FloatArray
    crossed: FloatArray
    both: FloatArray
    squares: FloatArray
    shown: IntArray
    size: int

    @classmethod
    def of(cls, p: FloatArray, pairs: Pairs) -> Shares:
        """Sum over samples, whose probabilities are of shape (n_models, n_samples)."""
        (a, b), n_samples = pairs, p.shape[1]
        powers, n_moving = np.zeros((5, len(a))), np.zeros(len(a))
        shown = np.zeros((2, len(a)), np.intp)
        # A class may have no member.
        last = max(0, n_samples - 1)
        some = p[:, np.unique(np.linspace(0, last, SHOWN).astype(np.intp))[:n_samples]]
        for chosen, first, second in strips_of(a, b) if n_samples else ():
            shown[:, chosen] = distinct_sizes(some[first] - some[second])
            step = max(SHOWN, CACHE_BYTES // (_ARRAYS * 8 * (chosen.stop - chosen.start)))
            for start in range(0, n_samples, step):
                square = p[first, start : start + step] - p[second, start : start + step]
                square *= square
                fourth = square * square
                powers[0, chosen] += square.sum(axis=1)
                powers[1, chosen] += fourth.sum(axis=1)
                powers[2, chosen] += np.einsum("ij,ij->i", square, fourth)
                powers[3, chosen] += np.einsum("ij,ij->i", fourth, fourth)
                # Usually all move, which is seen in a tenth of the time.
                here = square.shape[1] if square.min() > 0 else np.count_nonzero(square, axis=1)
                n_moving[chosen] += here
                square *= fourth
                powers[4, chosen] += np.einsum("ij,ij->i", square, fourth)
        total, (products, cubes) = p.sum(axis=1), (p @ p.T, (p * p) @ p.T)
        own, third = products.diagonal(), cubes.diagonal()
        squares = own[a] + own[b] + 2 * products[a, b]
        crossed = third[a] + third[b] - cubes[a, b] - cubes[b, a]
        return cls(powers, n_moving, crossed, total[a] + total[b], squares, shown, n_samples)


def sums_of_ratio(
    sides: tuple[Shares, Shares], parts: tuple[FloatArray, FloatArray], pooled: FloatArray
) -> tuple[Sums, Ties]:
    """Return the sums of a ratio of a class, and the ties of its sizes.

    Parameters
    ----------
    sides : tuple of Shares
        Members of the class, and others.
    parts : tuple of ndarray of shape (2, 2)
        Numerator and denominator of a sample, as of `exact.unit_parts`.
    pooled : ndarray of shape (n_pairs,)
        Quotients of both models' sums together.
    """
    out = {name: np.zeros(len(pooled)) for name in Sums._fields}
    out["inside"], shown = np.zeros((len(pooled), 0)), np.zeros((2, len(pooled)), np.intp)
    for side, (top, bare), (bottom, below) in zip(sides, *parts, strict=True):
        e, rest = bottom - below, bare - pooled * below
        slope = top - bare - pooled * e
        for place, name in enumerate(("square", "fourth", "sixth", "eighth", "tenth")):
            out[name] += slope ** (2 * place + 2) * side.powers[place]
        square = side.powers[0]
        with_both = 2 * rest * square + slope * side.crossed
        out["n_moving"] += np.where(slope == 0, 0, side.n_moving)
        out["u_e"] += slope * e * square
        out["e_e"] += e * e * square
        out["uu_v"] += slope**2 * with_both
        out["cross"] += slope * e * with_both
        out["v_v"] += slope**2 * side.squares + 4 * rest * (slope * side.both + rest * side.size)
        shown += np.where(slope == 0, 0, side.shown)
    return Sums(**out), Ties.of(*shown)
