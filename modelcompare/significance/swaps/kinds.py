"""Two models' samples by what a swap does to them, and the squares that follow.

A sample adds ``d_i = g_a x_ia - g_b x_ib`` to a difference: x are its statistics and g the slopes
of each model's value at its totals. With ``u = x_a - x_b``, ``v = x_a + x_b`` and the sign s of a
swap, ``d_i = s_i u_i (g_a + g_b) / 2 + v_i (g_a - g_b) / 2``: two matrix products give the sum of
the squares after any swap. Samples of equal truth, equal predictions and one stratum are added up
before; of hard labels the matrices are sparse.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.base import Metric
from modelcompare.metrics.counts import COUNTS
from modelcompare.resampling.weights import Units
from modelcompare.significance.exact import unit_parts
from modelcompare.significance.strata import Strata
from modelcompare.significance.swaps.pairs import matrix_bytes
from modelcompare.significance.swaps.sums import ROUNDING

Matrix = Any  # of numbers, dense or sparse

# Products of this many slopes are fewer than the numbers of as many samples.
FEW_SLOPES = 8
# Kinds of samples whose sums under a block of resamples stay in the cache.
_FEW_KINDS = 512
# Matrices of fewer numbers are dense: quicker to make and to multiply.
_SMALL = 2**12


@dataclass(frozen=True)
class Within:
    """Strata of a pair's kinds of samples.

    Parameters
    ----------
    scale : ndarray of shape (n_kinds,)
        What the square of a sample of each kind weighs.
    kinds : matrix of shape (n_strata, n_kinds)
        1 where a kind is of a stratum.
    alike : matrix of shape (n_strata, n_slopes)
        Sums of v in each stratum.
    centre : ndarray of shape (n_strata,)
        See `Strata`.
    """

    scale: FloatArray
    kinds: Matrix
    alike: FloatArray
    centre: FloatArray


@dataclass(frozen=True)
class PairForm:
    """Kinds of samples of one pair of models.

    Parameters
    ----------
    signed : matrix of shape (n_kinds, n_units)
        1 or -1 where a unit is of a kind that a swap changes, by whose output came first.
    sums : ndarray of shape (n_kinds,)
        Samples of each kind, those the other way round taken off.
    size : ndarray of shape (n_kinds,)
        Samples of each kind, as their squares weigh.
    shift : matrix of shape (n_columns, n_kinds)
        What each kind adds to the difference of the two models' totals.
    total : ndarray of shape (n_columns,)
        Sum of the two models' totals.
    unlike, alike : matrix of shape (n_kinds, n_slopes)
        u and v of each kind.
    fixed : matrix of shape (n_slopes, n_slopes)
        Sum of ``v v'`` over the samples that no swap changes.
    within : Within, optional
        Strata, in which squares are centred.
    """

    signed: Matrix
    sums: FloatArray
    size: FloatArray
    shift: Matrix
    total: FloatArray
    unlike: Matrix
    alike: Matrix
    fixed: Matrix
    within: Within | None

    def totals(self, surplus: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Totals of both models, each (n_columns, n_resamples)."""
        return _both(self.total, self.shift @ surplus)

    def squares(self, surplus: FloatArray, slope_a: FloatArray, slope_b: FloatArray) -> FloatArray:
        """Sum of the squares of d, of shape (n_resamples,)."""
        equal, unequal = (slope_a + slope_b) / 2, (slope_a - slope_b) / 2
        if self.few:
            return _squares_of_few(equal, unequal, self._crossed @ surplus, *self._grams)
        x, y = self.unlike @ equal, self.alike @ unequal
        square = self.size @ (x * x + y * y)
        square += np.einsum("ij,ij->j", unequal, self.fixed @ unequal)
        x *= surplus
        if self.within is None:
            return square + 2 * np.einsum("ij,ij->j", x, y)
        square += 2 * np.einsum("i,ij,ij->j", self.within.scale, x, y)
        sums = self.within.kinds @ x + self.within.alike @ unequal
        centred = square - self.within.centre @ (sums * sums)
        return np.where(centred <= ROUNDING * square, 0.0, centred)

    @property
    def few(self) -> bool:
        """Whether products of its slopes are fewer than the numbers of its kinds."""
        return self.unlike.shape[1] <= FEW_SLOPES and self.within is None

    @property
    def n_bytes(self) -> int:
        """Memory that it takes."""
        return sum(map(matrix_bytes, (self.signed, self.shift, self.unlike, self.alike)))

    def summed(self) -> PairForm | SummedForm:
        """The same with its kinds added up, where there are few slopes and many kinds.

        Of few kinds, as those of labels are, the matrix of signs takes less room than the sums'.
        """
        if not self.few or self.signed.shape[0] <= _FEW_KINDS:
            return self
        adds = np.vstack([_dense(self.shift), self._crossed])
        signed = np.ascontiguousarray(adds @ self.signed)
        return SummedForm(signed, adds @ self.sums, self.total, *self._grams)

    @cached_property
    def _crossed(self) -> FloatArray:
        unlike, alike = _dense(self.unlike), _dense(self.alike)
        return (unlike[:, :, None] * alike[:, None, :]).reshape(len(unlike), unlike.shape[1] ** 2).T

    @cached_property
    def _grams(self) -> tuple[FloatArray, FloatArray]:
        unlike, alike = _dense(self.unlike), _dense(self.alike)
        common = (alike * self.size[:, None]).T @ alike + _dense(self.fixed)
        return (unlike * self.size[:, None]).T @ unlike, common


@dataclass(frozen=True)
class SummedForm:
    """One pair of models, where products of few slopes are summed over all kinds of samples.

    Parameters
    ----------
    signed : ndarray of shape (n_columns + n_slopes ** 2, n_units)
        What a unit adds to the difference of the totals, and to the sum of ``u v'``.
    sums : ndarray of shape (n_columns + n_slopes ** 2,)
        Both over the samples as they are.
    total : ndarray of shape (n_columns,)
        Sum of the two models' totals.
    unlike, alike : ndarray of shape (n_slopes, n_slopes)
        Sums of ``u u'`` and of ``v v'``, which no swap changes.
    within : None
        There are no strata.
    """

    signed: FloatArray
    sums: FloatArray
    total: FloatArray
    unlike: FloatArray
    alike: FloatArray
    within: None = None

    @property
    def n_bytes(self) -> int:
        """Memory that it takes."""
        return self.signed.nbytes

    def totals(self, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Totals of both models, each (n_columns, n_resamples)."""
        return _both(self.total, sums[: len(self.total)])

    def squares(self, sums: FloatArray, slope_a: FloatArray, slope_b: FloatArray) -> FloatArray:
        """Sum of the squares of d, of shape (n_resamples,)."""
        equal, unequal = (slope_a + slope_b) / 2, (slope_a - slope_b) / 2
        return _squares_of_few(equal, unequal, sums[len(self.total) :], self.unlike, self.alike)


def _squares_of_few(
    equal: FloatArray,
    unequal: FloatArray,
    crossed: FloatArray,
    unlike: FloatArray,
    alike: FloatArray,
) -> FloatArray:
    """Sum of the squares of d from the sums of ``u v'``, ``u u'`` and ``v v'``."""
    square = np.einsum("ij,ij->j", equal, unlike @ equal)
    square += np.einsum("ij,ij->j", unequal, alike @ unequal)
    crossed = crossed.reshape(len(equal), len(equal), -1)
    return square + 2 * np.einsum("ij,ikj,kj->j", equal, crossed, unequal)


def _both(total: FloatArray, difference: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Two models' totals from their sum and difference, 0 where both are lost in rounding."""
    first = (total[:, None] + difference) / 2
    second = (total[:, None] - difference) / 2
    tiny = ROUNDING * np.abs(total[:, None])
    first[np.abs(first) <= tiny] = 0.0
    second[np.abs(second) <= tiny] = 0.0
    return first, second


def each_unit(
    units: Units, metric: Metric, first: list[FloatArray], second: list[FloatArray]
) -> PairForm:
    """Every unit a kind of its own, from two models' statistics (n_units, width)."""
    count = units.counts().astype(np.float64)
    raw_a, raw_b = np.hstack(first), np.hstack(second)
    total = count @ (raw_a + raw_b)
    if metric.average is None:
        x_a, x_b, pooled = raw_a, raw_b, np.empty(0)
    else:
        (n_a, d_a), (n_b, d_b) = (quotient_parts(metric, part) for part in (first, second))
        bottom = count @ (d_a + d_b)
        pooled = np.divide(
            count @ (n_a + n_b), bottom, out=np.zeros_like(bottom), where=bottom != 0
        )
        x_a, x_b = n_a - pooled * d_a, n_b - pooled * d_b
    moves = np.flatnonzero((raw_a != raw_b).any(axis=1))
    unlike, alike = x_a - x_b, x_a + x_b
    strata, weight, within = Strata.of(units), count, None
    if strata is not None:
        weight = count * strata.scale
        sums = strata.members(strata.codes) @ (alike * count[:, None])
        here = strata.codes[moves]
        within = Within(strata.scale[moves], strata.members(here), sums, strata.centre)
    stays = np.delete(np.arange(len(count)), moves)
    fixed = (alike[stays] * weight[stays, None]).T @ alike[stays]
    signs = sparse.csr_array(
        (np.ones(len(moves)), (np.arange(len(moves)), moves)), shape=(len(moves), len(count))
    )
    shift = (raw_a - raw_b)[moves].T
    return PairForm(
        signs, count[moves], weight[moves], shift, total, unlike[moves], alike[moves], fixed, within
    )


def of_labels(evaluation: Evaluation, metric: Metric) -> bool:
    """Whether a metric averages counts of classes, of samples that all weigh the same."""
    p = evaluation.predictions
    return (
        metric.average is not None
        and metric.statistics == COUNTS
        and evaluation.labelled is not None
        and p.groups is None
        and p.sample_weight is None
        and metric.class_ratio is not None
    )


def kinds_of_labels(evaluation: Evaluation, metric: Metric, a: int, b: int) -> PairForm:
    """Kinds of samples by their true class and the two predicted ones, in either order."""
    first, second = (evaluation.outcomes(evaluation.models[m]) for m in (a, b))
    truth, said, other = first.codes, first.predicted, second.predicted
    if truth is None:
        raise ValueError("averages over classes need true labels.")
    k = first.n_classes
    count = evaluation.units.counts().astype(np.float64)
    strata = Strata.of(evaluation.units)
    stratum = np.zeros(len(count), np.intp) if strata is None else strata.codes
    weight = np.ones(len(count)) if strata is None else strata.scale
    moves = np.flatnonzero(said != other)
    low, high = np.minimum(said, other)[moves], np.maximum(said, other)[moves]
    key = ((stratum[moves] * k + truth[moves]) * k + low) * k + high
    key, one, kind = np.unique(key, return_index=True, return_inverse=True)
    true_class, low, high = key // k**2 % k, key // k % k, key % k
    sign = np.where(said[moves] < other[moves], 1.0, -1.0)
    signs = _matrix(sign, kind, moves, (len(key), len(count)))
    size = np.bincount(kind, count[moves], len(key)).astype(np.float64)
    surplus = np.bincount(kind, sign * count[moves], len(key)).astype(np.float64)
    stays = np.flatnonzero(said == other)
    cell, alone, place = np.unique(
        (stratum[stays] * k + truth[stays]) * k + said[stays],
        return_index=True, return_inverse=True,
    )  # fmt: skip
    cell_size = np.bincount(place, count[stays], len(cell))
    cell_truth, cell_said = cell // k % k, cell % k

    raw = [_counts(true_class, p, k) for p in (low, high)]
    total = size @ (raw[0] + raw[1]) + 2 * (cell_size @ _counts(cell_truth, cell_said, k))
    numerator, denominator = quotient_parts(metric, np.split(total, 3))
    pooled = np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0)
    parts = unit_parts(metric, k)
    residual = parts[0][..., None] - pooled * parts[1][..., None]
    x = [_residuals(residual, true_class, p) for p in (low, high)]
    unlike, alike = x[0] - x[1], x[0] + x[1]
    middle = 2 * _residuals(residual, cell_truth, cell_said)
    scale, cell_scale = weight[moves[one]], weight[stays[alone]]
    fixed = middle.T @ _weighted(middle, cell_size * cell_scale)
    shift = _by_rows((raw[0] - raw[1]).T)
    within = None
    if strata is not None:
        kinds, cells = (
            strata.members(codes) for codes in (stratum[moves[one]], stratum[stays[alone]])
        )
        sums = (kinds * size) @ alike + (cells * cell_size) @ middle
        within = Within(scale, kinds, _dense(sums), strata.centre)
    return PairForm(signs, surplus, size * scale, shift, total, unlike, alike, fixed, within)


def _counts(truth: IntArray, said: IntArray, n_classes: int) -> Matrix:
    """Hits, predicted and support of kinds of samples, of shape (n_kinds, 3 * n_classes)."""
    kinds, right = np.arange(len(truth)), np.flatnonzero(truth == said)
    rows = np.concatenate([right, kinds, kinds])
    columns = np.concatenate([truth[right], n_classes + said, 2 * n_classes + truth])
    return _matrix(np.ones(len(rows)), rows, columns, (len(truth), 3 * n_classes))


def _residuals(residual: FloatArray, truth: IntArray, said: IntArray) -> Matrix:
    """Residuals of kinds of samples in every class, of shape (n_kinds, n_classes).

    `residual` (2, 2, n_classes): of a member or another, predicted as the class or not.
    """
    n_classes, others = residual.shape[-1], residual[1, 1]
    kinds, wrong = np.arange(len(truth)), np.flatnonzero(truth != said)
    missed = (truth != said).astype(np.intp)
    numbers = np.concatenate([
        residual[0, missed, truth] - others[truth],
        residual[1, 0, said[wrong]] - others[said[wrong]],
    ])  # fmt: skip
    rows, columns = np.concatenate([kinds, wrong]), np.concatenate([truth, said[wrong]])
    found = _matrix(numbers, rows, columns, (len(truth), n_classes))
    return _dense(found) + others if others.any() else found


def _matrix(
    numbers: FloatArray, rows: IntArray, columns: IntArray, shape: tuple[int, int]
) -> Matrix:
    """Matrix of numbers in places of their own."""
    if shape[0] * shape[1] > _SMALL:
        return sparse.csr_array((numbers, (rows, columns)), shape)
    out = np.zeros(shape)
    out[rows, columns] = numbers
    return out


def _weighted(matrix: Matrix, weights: FloatArray) -> Matrix:
    """Rows times their weights."""
    weights = weights[:, None]
    return matrix.multiply(weights) if sparse.issparse(matrix) else matrix * weights


def _by_rows(matrix: Matrix) -> Matrix:
    return matrix.tocsr() if sparse.issparse(matrix) else np.ascontiguousarray(matrix)


def _dense(matrix: Matrix) -> FloatArray:
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def quotient_parts(metric: Metric, parts: list[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Numerators and denominators of a metric with a `ratio`."""
    if metric.ratio is None:
        raise ValueError(f"{metric.name} names no quotient.")
    numerator, denominator = np.broadcast_arrays(*metric.ratio(*parts))
    return numerator, denominator


def class_slopes(metric: Metric, parts: list[FloatArray]) -> FloatArray:
    """Weight of each class over its denominator, of shape (n_resamples, n_classes)."""
    _, denominator = quotient_parts(metric, parts)
    if metric.average == "macro" and denominator.all():
        return 1.0 / (denominator * denominator.shape[-1])
    weight = (denominator != 0).astype(np.float64)
    if metric.average == "weighted":
        weight = weight * parts[-1]
    total = weight.sum(axis=-1, keepdims=True)
    bottom = denominator * total
    return np.divide(weight, bottom, out=np.zeros_like(bottom), where=bottom != 0)
