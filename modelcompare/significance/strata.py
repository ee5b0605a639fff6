"""Variance within strata, the only random variation of a stratified design."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.resampling.weights import Units


@dataclass(frozen=True)
class Strata:
    """Strata of units, and the squares of numbers around the means of their strata.

    The square of numbers d is the sum over strata h of ``n_h / (n_h - 1)`` times the centred
    squares within h: ``sum of scale * d^2 - sum over h of centre_h * (sum of d in h)^2``. Strata of
    one sample have no known spread; together they form one stratum.

    Parameters
    ----------
    codes : ndarray of int of shape (n_units,)
        Stratum of each unit.
    size : ndarray of shape (n_strata,)
        Samples, or clusters, in each.
    """

    codes: IntArray
    size: FloatArray

    @classmethod
    def of(cls, units: Units) -> Strata | None:
        """Return the strata of a design; None if there are fewer than two."""
        if units.strata is None:
            return None
        size = np.bincount(units.strata, units.counts())
        pooled = np.where(size == 1, len(size), np.arange(len(size)))
        codes = np.unique(pooled[units.strata], return_inverse=True)[1]
        sizes: FloatArray = np.bincount(codes, units.counts()).astype(np.float64)
        return cls(codes, sizes) if len(sizes) > 1 else None

    @property
    def centre(self) -> FloatArray:
        """Weight of the square of each stratum's sum, which is subtracted, of shape (n_strata,)."""
        return np.where(self.size > 1, 1 / np.maximum(self.size - 1, 1), 0.0)

    @cached_property
    def scale(self) -> FloatArray:
        """Weight of each unit's square, of shape (n_units,)."""
        return (1 + self.centre)[self.codes]

    @property
    def members(self) -> Any:
        """Sparse array (n_strata, n_units), 1 where a unit is in a stratum."""
        n_units = len(self.codes)
        places = (self.codes, np.arange(n_units))
        return sparse.csr_array((np.ones(n_units), places), (len(self.size), n_units))
