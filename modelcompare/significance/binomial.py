"""Binomial numbers of equal chances, and the mass of what is as extreme as each cell of a grid."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.significance.extreme import least_extreme


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


def tail_masses(statistic: FloatArray, mass: FloatArray) -> FloatArray:
    """Mass of the cells of each grid that are as extreme as each cell, on either side.

    Parameters
    ----------
    statistic : ndarray of shape (n_grids, n_cells)
        NaN is as extreme as anything.
    mass : ndarray of shape (n_cells,)
        Of the cells, the same in all grids.
    """
    size = np.abs(statistic)
    size[np.isnan(size)] = np.inf
    order = np.argsort(-size, axis=1, kind="stable")
    falling = np.take_along_axis(size, order, axis=1)
    ends = zip(-falling, -least_extreme(falling, "two-sided"), strict=True)
    last = np.array([np.searchsorted(sizes, least, "right") for sizes, least in ends])
    total = np.take_along_axis(np.cumsum(mass[order], axis=1), last - 1, axis=1)
    out = np.empty_like(total)
    np.put_along_axis(out, order, total, axis=1)
    return np.clip(out, np.finfo(float).tiny, 1.0)


def cut(places: IntArray, n_cells: IntArray, most: int) -> Iterator[IntArray]:
    """Cut places into runs that have no more than so many cells together."""
    ends, start = np.cumsum(n_cells), 0
    while start < len(places):
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield places[start:stop]
        start = stop
