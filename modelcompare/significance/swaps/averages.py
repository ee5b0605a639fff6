"""Studentized differences of averages over classes after swaps.

`Average` is for few classes: its squares come from sums of products of classes, as in
`significance.swaps.ratio`. `ExpandedAverage` is for the soft scores of many classes.

The d_i of `significance.studentized` are ``s_i u_i g + v_i h``: u and v are differences and sums of
the two models' residuals, a number for each class, and the slopes g and h are mean and half
difference of the two models', which change with every swap. Products of a matrix of samples and
classes with the slopes of each swap take long where classes are many. Around the slopes c of the
pooled totals, which no swap changes, ``g = c (1 + eta)`` and ``h = -c epsilon``; with
``delta_i = u_i c`` the sum of squares is

    (1 + lead)^2 sum delta^2 - 2 (1 + lead) epsilon C + epsilon G epsilon

where lead is eta A over the sum of delta^2, the part of eta along delta, and A and G are sums over
samples that no swap changes. Only C, the sum of ``s_i delta_i`` times v_i c, depends on the swap's
signs: one product in single precision. What it leaves out of eta, itself the square of the share by
which one model predicts a class more often than the other, is what varies between samples. The
numerator is the difference itself. Being one function of every swapped data set, the test is as
exact as with the squares in full.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.base import Metric, class_slopes
from modelcompare.significance.swaps.bounds import Places
from modelcompare.significance.swaps.ratio import Ratio
from modelcompare.significance.swaps.statistic import Rows, Swapped, studentized
from modelcompare.significance.swaps.units import SwapUnits

# Averages over more classes have more products than samples that a swap changes.
_MOST_CLASSES = 8
# Numbers of samples, classes and pairs beyond which no product of each pair is formed.
_MOST_NUMBERS = 2**26
# With fewer samples that move, a drawn swap may equal the data, and rounding would matter.
_DOUBLE = 64


class Average(Ratio):
    """Studentized differences of an average of quotients."""

    kinds = ("nn", "nd", "dn", "dd")

    @staticmethod
    def applies(evaluation: Evaluation, metric: Metric) -> bool:
        """Return True for an average of quotients over few classes."""
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
        """Return sums of squares (n_pairs, 1, n_masks)."""
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
    def own_width(self) -> int:
        return len(self._mixed)

    def own_columns(self, pairs: IntArray) -> FloatArray:
        """Return ``x_ak x_bl - x_al x_bk`` of all terms of two classes."""
        k, m = (part[self._mixed] for part in self.terms)
        out = np.empty((len(pairs), len(self._mixed), self.swaps.units.n_units))
        for place, pair in enumerate(pairs.tolist()):
            x, y = (part.T for part in self._residuals(pair))
            out[place] = x[k] * y[m] - x[m] * y[k]
        out *= self.weight
        return out.reshape(-1, out.shape[2])

    def _residuals(self, pair: int) -> list[FloatArray]:
        """Return ``x = N - F D`` of both models of a pair, each of shape (n_units, n_values)."""
        (top, bottom), pooled = self.of_units, self.pooled[pair]
        models = self.swaps.model_a[pair], self.swaps.model_b[pair]
        return [top[:, model] - pooled * bottom[:, model] for model in models]

    def apart(self, own: FloatArray, other: FloatArray, crossed: FloatArray) -> FloatArray:  # noqa: ARG002
        # From differences of residuals: sums of each model would cancel if these are close.
        k, m = self.terms
        weight = (self.weight * self.swaps.units.counts())[:, None]
        out = np.empty_like(own)
        for pair in range(len(out)):
            a, b = self._residuals(pair)
            out[pair, :, 0] = (((a - b) * weight).T @ (a - b))[k, m]
        return out


@dataclass(frozen=True)
class _Expansion:
    """Numbers of a pair that no swap changes.

    Parameters
    ----------
    slope : ndarray of shape (n_classes,)
        Slopes at the pooled totals.
    columns : ndarray of shape (n_classes, n_units)
        ``delta_i v_i c``.
    total : ndarray of shape (n_classes,)
        Observed C.
    square : float
        Sum of ``delta^2``.
    along, common : ndarray
        A and G.
    """

    slope: FloatArray
    columns: Any
    total: FloatArray
    square: float
    along: FloatArray
    common: FloatArray

    @classmethod
    def of(cls, slope: FloatArray, first: Any, second: Any) -> _Expansion:
        """Expand around a slope, from residuals (n_units, n_classes) of both models."""
        shares = slope.astype(np.float32)
        u, v = (first - second) * shares, (first + second) * shares
        delta = u.sum(axis=1)
        columns = np.ascontiguousarray((delta[:, None] * v).T)
        if np.count_nonzero(u.any(axis=1)) < _DOUBLE:
            columns = columns.astype(np.float64)
        along, common = (np.asarray(x, dtype=np.float64) for x in (u.T @ delta, v.T @ v))
        total = columns.sum(axis=1, dtype=np.float64)
        return cls(slope, columns, total, float(along.sum()), along, common)

    def squares(self, moved: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
        """Return sums of squares (n_masks,) at two models' slopes (n_classes, n_masks).

        `moved` are sums of the columns over the units that swap.
        """
        crossed = self.total[:, None] - 2.0 * moved
        there = self.slope != 0
        scale = np.divide(0.5, self.slope, out=np.zeros_like(self.slope), where=there)[:, None]
        eta, epsilon = (first + second) * scale, (second - first) * scale
        lead = (self.along @ eta - self.along[there].sum()) / (self.square or 1.0)
        square = (1 + lead) ** 2 * self.square
        square -= 2 * (1 + lead) * np.einsum("ij,ij->j", crossed, epsilon)
        return square + np.einsum("ij,ij->j", self.common @ epsilon, epsilon)


class ExpandedAverage(Ratio):
    """Studentized differences of an average over many classes, of any scores."""

    @staticmethod
    def applies(evaluation: Evaluation, metric: Metric) -> bool:
        """Return True for an average that is not too large, without strata."""
        p = evaluation.predictions
        n_models, units = len(p.models), SwapUnits.of(evaluation).units
        numbers = units.n_units * p.n_classes * max(1, n_models * (n_models - 1) // 2)
        return metric.average is not None and units.strata is None and numbers <= _MOST_NUMBERS

    def statistics(self, pairs: IntArray, swapped: Swapped) -> FloatArray:
        both = self.swaps.both(self.metric, pairs, swapped)
        first, second = (self.swaps.slopes(self.metric, sides) for sides in both)
        expansions = [self._expansions[pair] for pair in pairs.tolist()]
        moved = swapped.times_each([Rows(each.columns) for each in expansions])
        square = np.array([
            each.squares(sums, u, v)
            for each, sums, u, v in zip(expansions, moved, first, second, strict=True)
        ])  # fmt: skip
        difference = self.swaps.differences(self.metric, both)
        return studentized(difference, square[:, None], self.swaps.units.size, centred=False)

    @cached_property
    def _expansions(self) -> list[_Expansion]:
        """Expansions of all pairs around the slopes at their pooled totals."""
        # In double precision N and D of all models at once would be as large as all scores again.
        of_models = [
            [part.astype(np.float32) for part in self.of_model(model)]
            for model in range(len(self.swaps.evaluation.models))
        ]
        pooled = self.pooled.astype(np.float32)
        out = []
        for pair, (a, b) in enumerate(zip(self.swaps.model_a, self.swaps.model_b, strict=True)):
            totals = [self.swaps.totals[s] for s in self.metric.statistics]
            middle = [(total[min(a, len(total) - 1)] + total[min(b, len(total) - 1)]) / 2
                      for total in totals]  # fmt: skip
            slope = class_slopes(self.metric, *(part[None] for part in middle))[0]
            sides = (
                top - pooled[pair] * bottom for top, bottom in map(of_models.__getitem__, (a, b))
            )
            out.append(_Expansion.of(slope, *sides))
        return out
