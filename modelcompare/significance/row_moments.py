"""Moments of rows of numbers, a set of replicates each; NaNs are left out."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray

# Relative difference that equal numbers may have after a sum.
_ROUNDING = 1e-13


class RowMoments:
    """Numbers of shape (n_rows, n_columns), and what is known of each row once it is asked for."""

    def __init__(self, numbers: FloatArray) -> None:
        self.numbers = numbers

    @cached_property
    def count(self) -> FloatArray:
        """How many numbers there are."""
        counts = np.full(len(self.numbers), float(self.numbers.shape[1]))
        if self._holed.any():
            counts[self._holed] -= np.count_nonzero(np.isnan(self.numbers[self._holed]), axis=1)
        return counts

    @cached_property
    def mean(self) -> FloatArray:
        """Their mean."""
        if not self._holed.any():
            return self._plain_mean
        means = self._plain_mean.copy()
        means[self._holed] = np.nansum(self.numbers[self._holed], axis=1) / self.count[self._holed]
        return means

    @cached_property
    def variance(self) -> FloatArray:
        """Their unbiased variance; exactly 0 where only rounding differs."""
        centred = self.numbers - self.mean[:, None]
        squares = np.einsum("ij,ij->i", centred, centred)
        if self._holed.any():
            squares[self._holed] = np.nansum(centred[self._holed] ** 2, axis=1)
        rounding = self.numbers.shape[1] * (_ROUNDING * self.mean) ** 2
        return np.where(squares <= rounding, 0.0, squares) / (self.count - 1)

    @cached_property
    def median(self) -> FloatArray:
        """Their median."""
        medians = np.median(self.numbers, axis=1)
        holed = np.isnan(medians)
        if holed.any():
            ordered = np.sort(self.numbers[holed], axis=1)
            n = self.count[holed].astype(np.intp)
            pick = np.arange(len(ordered))
            lower = ordered[pick, np.maximum(n - 1, 0) // 2]
            upper = ordered[pick, np.minimum(n // 2, ordered.shape[1] - 1)]
            medians[holed] = np.where(n > 0, (lower + upper) / 2, np.nan)
        return medians

    @cached_property
    def still(self) -> BoolArray:
        """Whether all of them are equal."""
        return self.variance == 0

    def without_rounding(self) -> RowMoments:
        """The same without what rounding leaves of equal numbers, which would be ranked."""
        if not self.still.any():
            return self
        return RowMoments(np.where(self.still[:, None], 0.0 * self.numbers, self.numbers))

    def deviations(self, centre: FloatArray) -> RowMoments:
        """Distances from a centre of each row."""
        distances = self.numbers - centre[:, None]
        return RowMoments(np.abs(distances, out=distances))

    @cached_property
    def _plain_mean(self) -> FloatArray:
        means: FloatArray = self.numbers.mean(axis=1)
        return means

    @cached_property
    def _holed(self) -> BoolArray:
        return np.isnan(self._plain_mean)
