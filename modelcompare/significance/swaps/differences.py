"""Plain differences of sum metrics after swaps: not studentized, for exchangeable models."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.significance.swaps.moved import Moved
from modelcompare.significance.swaps.sums import SwappedSums


class SwappedDifferences(SwappedSums):
    """Differences of the values over the sum of their sizes."""

    strata = None  # Nothing is centred.

    def of_pairs(self, pairs: IntArray, moved: Moved) -> FloatArray:
        difference, size = self.differences(pairs, moved), np.abs(self._estimate)
        scale = (size[self.model_a[pairs]] + size[self.model_b[pairs]])[..., None]
        difference[np.abs(difference) <= 1e-13 * scale] = 0.0
        return np.divide(difference, scale, out=difference, where=scale > 0)

    def differing(self, rows: slice) -> Iterator[FloatArray]:
        # Every value may depend on every statistic.
        n_values = self._estimate.shape[1]
        for statistic in self.linear:
            for column in np.moveaxis(self.numbers[statistic][rows], 2, 0):
                yield np.repeat(column[..., None], n_values, axis=2)

    @cached_property
    def _estimate(self) -> FloatArray:
        """Values (n_models, n_values)."""
        found = []
        for metric in self.metrics:
            value = metric.value(*(self.totals[s] for s in metric.statistics))
            found.append(value if metric.per_class else value[:, None])
        return np.concatenate(found, axis=1)
