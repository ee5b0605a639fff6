"""Binomial numbers of equal chances, and the mass of what is as extreme as each cell of a grid."""

from __future__ import annotations

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.intervals import TIE_TOLERANCE
from modelcompare.words import Alternative


def half_binomial(n: int) -> FloatArray:
    """Mass of each of the Binomial(n, 1/2) numbers 0 to n.

    From the middle outwards by quotients of neighbours, so that no number overflows.

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


def binomial_mass(drawn: IntArray, n: IntArray) -> FloatArray:
    """Mass of Binomial(n, 1/2) numbers; one table for each n."""
    sizes, place = np.unique(n, return_inverse=True)
    offset = np.r_[0, np.cumsum(sizes + 1)[:-1]]
    table = np.concatenate([half_binomial(int(m)) for m in sizes])
    return table[offset[place] + drawn]


def tail_masses(statistic: FloatArray, mass: FloatArray, alternative: Alternative) -> FloatArray:
    """Mass of the cells of each grid that are as extreme as each cell.

    Parameters
    ----------
    statistic : ndarray of shape (n_grids, n_cells)
        NaN is as extreme as anything.
    mass : ndarray of shape (n_cells,)
        Of the cells, the same in all grids.
    alternative : {"two-sided", "greater", "less"}
        Which statistics are extreme.
    """
    size = {"two-sided": np.abs(statistic), "greater": statistic, "less": -statistic}[alternative]
    size = np.where(np.isnan(size), np.inf, size)
    order = np.argsort(-size, axis=1, kind="stable")
    falling = np.take_along_axis(-size, order, axis=1)
    scale = np.where(np.isfinite(falling), np.maximum(1.0, np.abs(falling)), 1.0)
    tied = falling + TIE_TOLERANCE * scale
    last = np.array([np.searchsorted(*row, "right") for row in zip(falling, tied, strict=True)])
    total = np.take_along_axis(np.cumsum(mass[order], axis=1), last - 1, axis=1)
    out = np.empty_like(total)
    np.put_along_axis(out, order, total, axis=1)
    return np.clip(out, np.finfo(float).tiny, 1.0)
