"""Studentized differences of averages over few classes, from sums of products of classes.

See `significance.swaps.ratio` for the sums of squares.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.base import Metric
from modelcompare.significance.swaps.bounds import Places
from modelcompare.significance.swaps.ratio import Ratio
from modelcompare.significance.swaps.statistic import Swapped, studentized

# Averages over more classes have more products than samples that a swap changes.
_MOST_CLASSES = 8


class Average(Ratio):
    """Studentized differences of an average of quotients."""

    kinds = ("nn", "nd", "dn", "dd")

    @staticmethod
    def applies(evaluation: Evaluation, metric: Metric) -> bool:
        """True for an average of quotients over few classes."""
        few = evaluation.predictions.n_classes <= _MOST_CLASSES
        return metric.ratio is not None and metric.average is not None and few

    def statistics(self, pairs: IntArray, swapped: Swapped) -> FloatArray:
        both = self.swaps.both(self.metric, pairs, swapped)
        u, v = (self.swaps.slopes(self.metric, sides) for sides in both)
        equal, unequal = (u + v) / 2, (u - v) / 2
        square = self._square(pairs, swapped, equal, unequal)
        square = self.within(square, pairs, swapped, equal, unequal)
        difference, size = self.swaps.differences(self.metric, both), self.swaps.units.size
        return studentized(difference, square, size, centred=self.swaps.strata is not None)

    def _square(
        self, pairs: IntArray, swapped: Swapped, equal: FloatArray, unequal: FloatArray
    ) -> FloatArray:
        """Sums of squares (n_pairs, 1, n_masks)."""
        (k, m), where = self.terms, Places(pairs)
        apart, together, _, odd = map(where.of, self.squares)
        surplus = self.surplus(where, swapped)
        one, other = equal[:, k] * unequal[:, m], equal[:, m] * unequal[:, k]
        square = equal[:, k] * equal[:, m] * apart + unequal[:, k] * unequal[:, m] * together
        square += surplus * (one + other)
        twice = self._mixed
        signed = odd[:, twice] - 2 * self.swaps.own_sums(pairs, swapped)
        square[:, twice] += signed * (one - other)[:, twice]
        square[:, twice] *= 2
        return square.sum(axis=1, keepdims=True)

    @cached_property
    def terms(self) -> tuple[IntArray, IntArray]:
        first, second = np.triu_indices(self.totals[0].shape[1])
        return first, second

    @cached_property
    def _mixed(self) -> IntArray:
        """Terms of two classes."""
        return np.flatnonzero(self.terms[0] != self.terms[1])

    # -- columns of pairs -----------------------------------------------------------------------

    @property
    def own_width(self) -> int:  # type: ignore[override]
        return len(self._mixed)

    def own_columns(self, pairs: IntArray) -> FloatArray:
        """``x_ak x_bl - x_al x_bk`` of all terms of two classes."""
        k, m = (part[self._mixed] for part in self.terms)
        out = np.empty((len(pairs), len(self._mixed), self.swaps.units.n_units))
        for place, pair in enumerate(pairs.tolist()):
            x, y = (part.T for part in self._residuals(pair))
            out[place] = x[k] * y[m] - x[m] * y[k]
        out *= self.weight
        return out.reshape(-1, out.shape[2])

    def _residuals(self, pair: int) -> list[FloatArray]:
        """``x = N - F D`` of both models of a pair, each of shape (n_units, n_values)."""
        (top, bottom), pooled = self.of_units, self.pooled[pair]
        models = self.swaps.model_a[pair], self.swaps.model_b[pair]
        return [top[:, model] - pooled * bottom[:, model] for model in models]

    def apart(self, own: FloatArray, other: FloatArray, crossed: FloatArray) -> FloatArray:  # noqa: ARG002
        # From differences of residuals: sums of each model's cancel where these are near.
        k, m = self.terms
        weight = (self.weight * self.swaps.units.counts())[:, None]
        out = np.empty_like(own)
        for pair in range(len(out)):
            a, b = self._residuals(pair)
            out[pair, :, 0] = (((a - b) * weight).T @ (a - b))[k, m]
        return out
