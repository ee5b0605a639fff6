"""One-sided levels of a question that is asked more than once, so that all of them hold together.

Two problems have two answers. *Looks* ask about one candidate while samples are added: levels come
from a spending function and the joint normal law of the estimates (Lan & DeMets 1983). *Candidates*
are asked about on the same samples: their levels sum to alpha (a union bound, for any dependence),
or grow with each one that is kept, to limit the share of false ones among those kept (LOND).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import accumulate, pairwise
from operator import mul

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from modelcompare.arrays import FloatArray
from modelcompare.plugins.ledgers.words import Control, Spending
from modelcompare.significance.inverted import LEAST_LEVEL

# Growth of samples that the grid resolves. Smaller ones are taken as this one, which makes bounds
# higher: less correlated looks exceed any bounds more often (Slepian's inequality).
_LEAST_GROWTH = 1.001
# A bound that is never exceeded; the grid's number of points (odd), and half its width in standard
# errors.
_FARTHEST, _POINTS, _WIDTH = 38.0, 1001, 8.0
# Level that is spent by a share of the looks, about as by these authors' bounds.
SPENDING: Mapping[Spending, Callable[[float, float], float]] = {
    "obrien-fleming": lambda alpha, time: float(2 * ndtr(ndtri(alpha / 2) / math.sqrt(time))),
    "pocock": lambda alpha, time: alpha * math.log1p((math.e - 1) * time),
}


def level_of_look(
    sizes: Sequence[float], n_looks: int, alpha: float, spending: Spending = "obrien-fleming"
) -> float:
    """Return the one-sided level of the latest of several looks while samples are added.

    What may be spent by look k of K is that of the share k / K; the correlation of two looks is the
    root of the ratio of their numbers of samples, which need not grow evenly.

    Parameters
    ----------
    sizes : sequence of float
        Number of samples at each look until now.
    n_looks : int
        Number of looks that were planned, K.
    alpha : float
        One-sided level of all looks together.
    spending : {"obrien-fleming", "pocock"}
        Spending function: little at first, or about the same level at each look.

    References
    ----------
    .. [1] Lan & DeMets (1983), Biometrika 70, 659-663.
    .. [2] Jennison & Turnbull (2000), Group Sequential Methods, chapter 19.

    Examples
    --------
    >>> [round(level_of_look([1, 2, 3, 4, 5][:k], 5, 0.025), 4) for k in (1, 3, 5)]
    [0.0, 0.0037, 0.0211]
    """
    return levels_of_looks(sizes, n_looks, alpha, spending)[-1]


def levels_of_looks(
    sizes: Sequence[float], n_looks: int, alpha: float, spending: Spending
) -> list[float]:
    """Return the levels of all looks until now; the last one is that of `level_of_look`."""
    bounds = bounds_of_looks(tuple(sizes), n_looks, alpha, spending)
    # A look that may spend less gets the smallest level of an interval.
    return [max(float(ndtr(-bound)), LEAST_LEVEL) for bound in bounds]


@cache
def bounds_of_looks(
    sizes: tuple[float, ...], n_looks: int, alpha: float, spending: Spending
) -> tuple[float, ...]:
    """Return the normal quantile that each look must exceed; see `level_of_look`."""
    spent = [SPENDING[spending](alpha, k / n_looks) for k in range(1, len(sizes) + 1)]
    growth = (max(_LEAST_GROWTH, after / before) for before, after in pairwise(sizes))
    sizes = tuple(accumulate(growth, mul, initial=sizes[0]))
    bounds = [float(-ndtri(spent[0]))]
    # Sums of independent increments, whose variance is the number of samples, below all bounds.
    grid, mass = np.zeros(1), np.ones(1)
    added = np.diff(sizes, prepend=0.0).tolist()
    for k in range(1, len(sizes)):
        grid, mass = _below(bounds[-1], sizes[k - 1], grid, mass, added[k - 1])
        bounds.append(_bound(grid, mass, added[k], sizes[k], spent[k] - spent[k - 1]))
    return tuple(bounds)


def _bound(grid: FloatArray, mass: FloatArray, added: float, size: float, more: float) -> float:
    """Return the bound that the sum exceeds with this probability, and no bound before."""

    def excess(z: float) -> float:
        return float(mass @ ndtr((grid - z * math.sqrt(size)) / math.sqrt(added))) - more

    return _FARTHEST if excess(_FARTHEST) > 0 else float(brentq(excess, -_FARTHEST, _FARTHEST))


def _below(
    bound: float, size: float, grid: FloatArray, mass: FloatArray, added: float
) -> tuple[FloatArray, FloatArray]:
    """Return points of the sum below the bound of a look, and their probabilities.

    `grid` and `mass` are those of the look before, to which `added` samples came.
    """
    scale = math.sqrt(size)
    points = np.linspace(-_WIDTH * scale, min(bound, _WIDTH) * scale, _POINTS)
    # Simpson's rule.
    weights = np.full(_POINTS, 2.0)
    weights[1::2], weights[0], weights[-1] = 4, 1, 1
    # In place, as several arrays of this size take longer than the exponentials.
    z = points[:, None] - grid
    z /= math.sqrt(added)
    np.multiply(np.square(z, out=z), -0.5, out=z)
    density = np.exp(z, out=z) @ mass / math.sqrt(2 * math.pi * added)
    return points, density * weights * (points[1] - points[0]) / 3


def share_of(number: int) -> float:
    """Return the share of alpha of a candidate by its number: 6 / (pi k)^2, which sum to 1."""
    return 6 / (math.pi * number) ** 2


def level_of_candidate(
    number: int, kept: int, since: int, alpha: float, *, control: Control = "any",
    n_candidates: int | None = None,
) -> float:  # fmt: skip
    """Return the one-sided level of a candidate that is asked about on used samples.

    Parameters
    ----------
    number : int
        Number of the candidate, from 1.
    kept : int
        Number of candidates kept before.
    since : int
        Number of the candidate since the last one was kept, from 1.
    alpha : float
        Level: of keeping any false one, or share of false ones among those kept.
    control : {"any", "share"}
        "any": candidate s after k kept ones has the level alpha 6 / (pi s)^2 6 / (pi (k + 1))^2, as
        it depends on the answers before by these two numbers. For a planned number K each has 0.61
        alpha / K: at levels that small, intervals of F1 with few disagreements err more often.
        "share": (k + 1) alpha 6 / (pi n)^2 / (1 + 1/2 + ... + 1/n) for candidate n: LOND for any
        dependence.
    n_candidates : int, optional
        Planned number of candidates K.

    References
    ----------
    .. [1] Javanmard & Montanari (2018), Annals of Statistics 46, 526-554.

    Examples
    --------
    >>> [round(level_of_candidate(k, 0, k, 0.05), 5) for k in (1, 2, 10)]
    [0.01848, 0.00462, 0.00018]
    """
    if control == "share":
        share = share_of(number) if n_candidates is None else 1 / n_candidates
        return alpha * share * (kept + 1) / sum(1 / k for k in range(1, number + 1))
    if n_candidates is not None:
        return alpha * share_of(1) / n_candidates
    return alpha * share_of(kept + 1) * share_of(since)
