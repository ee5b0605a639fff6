"""Units of two models grouped into kinds that a swap changes equally, and their sums of squares.

See `significance.swaps.forms` for u, v and the sums of squares. Without grouping, kappa and MCC of
ten models take 4.4 times as long; with dense matrices of kinds, 3.5 times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.base import Metric
from modelcompare.metrics.quotient import divide
from modelcompare.resampling.weights import Units
from modelcompare.significance.strata import Strata
from modelcompare.significance.swaps.statistic import ROUNDING

Matrix = Any  # of numbers, dense or sparse

# With at most so many slopes their products are fewer than the samples.
_FEW_SLOPES = 8
# Matrices of fewer numbers are dense, which is faster.
_SMALL = 2**12


class Kinds(NamedTuple):
    """Units of a pair of models, grouped into kinds with equal statistics.

    Parameters
    ----------
    sign : ndarray of shape (n_units,)
        1 or -1, by the order of the outputs, for units that a swap changes; 0 for the others.
    kind : ndarray of int of shape (n_units,)
        Row of each unit in `first` and `second` if a swap changes it, else in `rest`.
    first, second : matrix of shape (n_kinds, n_columns)
        Statistics of the kinds that a swap changes, for one output and for the other.
    rest : matrix of shape (n_cells, n_columns)
        Statistics of the other kinds.
    """

    sign: FloatArray
    kind: IntArray
    first: Matrix
    second: Matrix
    rest: Matrix


@dataclass(frozen=True)
class PairForm:
    """Numbers of one pair of models that swaps sign, and those that they do not change.

    Parameters
    ----------
    signed : matrix of shape (n_sums, n_units)
        Contributions of the units.
    sums : ndarray of shape (n_sums,)
        Observed sums over the samples.
    shift : matrix of shape (n_columns, n_sums)
        Contribution of the sums to the difference of the two models' totals.
    total : ndarray of shape (n_columns,)
        Sum of the two models' totals.
    square : callable
        Sums of the squares of d (n_masks,), from signed sums (n_sums, n_masks) and from mean and
        half difference of the models' slopes, each (n_slopes, n_masks).
    centred : bool
        Whether squares are centred in strata.
    """

    signed: Matrix
    sums: FloatArray
    shift: Matrix
    total: FloatArray
    square: Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
    centred: bool = False

    @classmethod
    def of(cls, units: Units, metric: Metric, kinds: Kinds, *, summed: bool = False) -> PairForm:
        """Return the form of grouped units; products of few slopes can be `summed` over kinds."""
        sign, kind, first, second, rest = kinds
        moves, stays = np.flatnonzero(sign), np.flatnonzero(sign == 0)
        n_kinds, n_cells, count = first.shape[0], rest.shape[0], units.counts().astype(np.float64)
        # Single precision counts exactly.
        signed = _matrix(sign[moves], kind[moves], moves, (n_kinds, len(sign))).astype(np.float32)
        sums = _tally(kind[moves], (sign * count)[moves], n_kinds)
        size = _tally(kind[moves], count[moves], n_kinds)
        rest_size = _tally(kind[stays], count[stays], n_cells)
        total = (first + second).T @ size + 2 * (rest.T @ rest_size)
        x, y, middle = _residuals(metric, total, first, second, rest)
        u, v, middle = x - y, x + y, 2 * middle
        strata, within = Strata.of(units), None
        scale, rest_scale = np.ones(n_kinds), np.ones(n_cells)
        if strata is not None:
            of_kind, of_cell = np.empty(n_kinds, np.intp), np.empty(n_cells, np.intp)
            of_kind[kind[moves]], of_cell[kind[stays]] = strata.codes[moves], strata.codes[stays]
            scale, rest_scale = ((1 + strata.centre)[of] for of in (of_kind, of_cell))
            inside = strata.members(of_kind)
            common = (inside * size) @ v + (strata.members(of_cell) * rest_size) @ middle
            within = scale, strata.centre, inside, _dense(common)
        fixed = middle.T @ _weighted(middle, (rest_size * rest_scale)[:, None])
        weight, shift = size * scale, _by_rows((first - second).T)
        square = partial(_square_of_kinds, u, v, weight, fixed, within)
        form = cls(signed, sums, shift, total, square, strata is not None)
        if summed and u.shape[1] <= _FEW_SLOPES and strata is None:
            return form._summed(_dense(u), _dense(v), weight[:, None], _dense(fixed))
        return form

    def _summed(
        self, u: FloatArray, v: FloatArray, weight: FloatArray, fixed: FloatArray
    ) -> PairForm:
        """Add up the contributions of kinds to the totals and to the products of u and v."""
        crossed = (u[:, :, None] * v[:, None, :]).reshape(len(u), u.shape[1] ** 2).T
        adds = np.vstack([_dense(self.shift), crossed])
        square = partial(_square_of_sums, (u * weight).T @ u, (v * weight).T @ v + fixed)
        shift = np.eye(len(self.total), len(adds))
        signed = np.ascontiguousarray(adds @ self.signed)
        return PairForm(signed, adds @ self.sums, shift, self.total, square)

    def totals(self, sums: FloatArray) -> list[FloatArray]:
        """Return totals of both models, each (n_columns, n_masks), 0 if only rounding is left."""
        difference, total = self.shift @ sums, self.total[:, None]
        both = [(total + difference) / 2, (total - difference) / 2]
        for each in both:
            each[np.abs(each) <= ROUNDING * np.abs(total)] = 0.0
        return both


def _square_of_kinds(
    u: Matrix,
    v: Matrix,
    weight: FloatArray,
    fixed: Matrix,
    within: tuple[FloatArray, FloatArray, Matrix, FloatArray] | None,
    surplus: FloatArray,
    equal: FloatArray,
    unequal: FloatArray,
) -> FloatArray:
    """Sum squares over kinds.

    Parameters
    ----------
    u, v : matrix of shape (n_kinds, n_slopes)
        Difference and sum of the residuals of each kind.
    weight : ndarray of shape (n_kinds,)
        Number of samples of each kind, times the weight of their squares.
    fixed : matrix of shape (n_slopes, n_slopes)
        Sum of ``v v'`` over the samples that no swap changes.
    within : tuple, optional
        For strata: the weight of a square of each kind, the weights of the squares of sums (see
        `Strata.centre`), the kinds in each stratum, and sums of v in each.
    surplus, equal, unequal : ndarray
        See `PairForm`.
    """
    x, y = u @ equal, v @ unequal
    square = weight @ (x * x + y * y)
    square += np.einsum("ij,ij->j", unequal, fixed @ unequal)
    x *= surplus
    if within is None:
        return np.asarray(square + 2 * np.einsum("ij,ij->j", x, y))
    scale, centre, inside, common = within
    square += 2 * np.einsum("i,ij,ij->j", scale, x, y)
    sums = inside @ x + common @ unequal
    centred = square - centre @ (sums * sums)
    return np.where(centred <= ROUNDING * square, 0.0, centred)


def _square_of_sums(
    u: FloatArray, v: FloatArray, sums: FloatArray, equal: FloatArray, unequal: FloatArray
) -> FloatArray:
    """Sum squares from sums of ``u u'`` and ``v v'``, and from signed ones of ``u v'``."""
    square = np.einsum("ij,ij->j", equal, u @ equal)
    square += np.einsum("ij,ij->j", unequal, v @ unequal)
    crossed = sums[-u.size :].reshape(*u.shape, -1)
    return np.asarray(square + 2 * np.einsum("ij,ikj,kj->j", equal, crossed, unequal))


def kinds_of_units(first: FloatArray, second: FloatArray) -> Kinds:
    """Return each unit as a separate kind, from statistics (n_units, n_columns)."""
    differ = (first != second).any(axis=1)
    kind = np.where(differ, np.cumsum(differ), np.cumsum(~differ)) - 1
    return Kinds(differ.astype(np.float64), kind, first[differ], second[differ], first[~differ])


def kinds_of_labels(evaluation: Evaluation, metric: Metric, a: int, b: int) -> Kinds:
    """Group samples by true class, the two predictions in any order, and stratum."""
    one, other = (evaluation.outcomes(evaluation.models[m]) for m in (a, b))
    truth, k = one.true_codes, one.n_classes
    strata = Strata.of(evaluation.units)
    stratum = np.zeros(len(truth), np.intp) if strata is None else strata.codes
    low, high = (by(one.predicted, other.predicted) for by in (np.minimum, np.maximum))
    key = ((stratum * k + truth) * k + low) * k + high
    differ, kind = low != high, np.empty_like(low)
    moving, kind[differ] = np.unique(key[differ], return_inverse=True)
    staying, kind[~differ] = np.unique(key[~differ], return_inverse=True)
    sign = np.sign(other.predicted - one.predicted).astype(np.float64)

    def counts(of: IntArray, predicted: IntArray) -> Matrix:
        found = _counts(of // k**2 % k, predicted, k)
        # With other ratios a sample contributes to every class.
        alone = metric.class_ratio is not None and metric.class_ratio.is_of_class_alone
        return found if alone or metric.average is None else _dense(found)

    first, second = counts(moving, moving // k % k), counts(moving, moving % k)
    return Kinds(sign, kind, first, second, counts(staying, staying % k))


def _counts(truth: IntArray, predicted: IntArray, n_classes: int) -> Matrix:
    """Return hits, predicted and support of the kinds, (n_kinds, 3 * n_classes)."""
    kinds, right = np.arange(len(truth)), np.flatnonzero(truth == predicted)
    rows = np.concatenate([right, kinds, kinds])
    columns = np.concatenate([truth[right], n_classes + predicted, 2 * n_classes + truth])
    return _matrix(np.ones(len(rows)), rows, columns, (len(truth), 3 * n_classes))


def _residuals(metric: Metric, total: FloatArray, *statistics: Matrix) -> list[Matrix]:
    """Return residuals around the pooled quotients of an average; else the statistics."""
    if metric.average is None:
        return [*statistics]
    assert metric.ratio is not None  # noqa: S101  averages are of quotients
    n_parts = len(metric.statistics)
    pooled = divide(*metric.ratio(*np.split(total, n_parts)), 0.0)
    found = []
    for rows in statistics:
        width = rows.shape[1] // n_parts
        parts = [rows[:, start : start + width] for start in range(0, rows.shape[1], width)]
        top, bottom = metric.ratio(*parts)
        found.append(_by_rows(top - _weighted(bottom, pooled)))
    return found


def _tally(kinds: IntArray, numbers: FloatArray, n_kinds: int) -> FloatArray:
    """Return the sum of the numbers of each kind."""
    return np.bincount(kinds, numbers, n_kinds).astype(np.float64)


def _matrix(
    numbers: FloatArray, rows: IntArray, columns: IntArray, shape: tuple[int, int]
) -> Matrix:
    """Return a matrix with numbers at some positions."""
    if shape[0] * shape[1] > _SMALL:
        return sparse.csr_array((numbers, (rows, columns)), shape)
    out = np.zeros(shape)
    out[rows, columns] = numbers
    return out


def _weighted(matrix: Matrix, weights: FloatArray) -> Matrix:
    return matrix.multiply(weights) if sparse.issparse(matrix) else matrix * weights


def _by_rows(matrix: Matrix) -> Matrix:
    return matrix.tocsr() if sparse.issparse(matrix) else np.ascontiguousarray(matrix)


def _dense(matrix: Matrix) -> FloatArray:
    return matrix.toarray() if sparse.issparse(matrix) else matrix
