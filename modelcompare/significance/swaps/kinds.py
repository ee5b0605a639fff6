"""Two models' samples by what a swap does to them, and the squares that follow.

See `significance.swaps.forms` for u, v and the sums of squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.base import Metric
from modelcompare.resampling.weights import Units
from modelcompare.significance.strata import Strata
from modelcompare.significance.swaps.statistic import ROUNDING

Matrix = Any  # of numbers, dense or sparse

# Products of this many slopes are fewer than the numbers of as many samples.
_FEW_SLOPES = 8
# Matrices of fewer numbers are dense: quicker to make and to multiply.
_SMALL = 2**12


@dataclass(frozen=True)
class Within:
    """Strata of a pair's kinds of samples.

    Parameters
    ----------
    scale : ndarray of shape (n_kinds,)
        Weight of the square of a sample of each kind.
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

    @classmethod
    def of(
        cls,
        units: Units,
        metric: Metric,
        kinds: _Kinds,
        first: Matrix,
        second: Matrix,
        rest: Matrix,
    ) -> PairForm:
        """Form a pair from the statistics of kinds of samples.

        Parameters
        ----------
        units : Units
            Samples or clusters.
        metric : Metric
            The metric.
        kinds : _Kinds
            Kind of each unit.
        first, second : matrix of shape (n_kinds, n_columns)
            Statistics of kinds that a swap changes, of one output and the other.
        rest : matrix of shape (n_cells, n_columns)
            Statistics of other kinds.
        """
        count, n_kinds, n_cells = units.counts().astype(np.float64), first.shape[0], rest.shape[0]
        moves, stays = kinds.moves, kinds.stays
        # Single precision counts exactly.
        signs = _matrix(kinds.sign, kinds.kind_of, moves, (n_kinds, len(count))).astype(np.float32)
        surplus = _tally(kinds.kind_of, kinds.sign * count[moves], n_kinds)
        size = _tally(kinds.kind_of, count[moves], n_kinds)
        rest_size = _tally(kinds.cell_of, count[stays], n_cells)
        total = (first + second).T @ size + 2 * (rest.T @ rest_size)
        x, y, middle = _residuals(metric, total, first, second, rest)
        unlike, alike, middle = x - y, x + y, 2 * middle
        weight, rest_weight, strata, within = size, rest_size, Strata.of(units), None
        if strata is not None:
            of_kind, of_cell = np.empty(n_kinds, np.intp), np.empty(n_cells, np.intp)
            of_kind[kinds.kind_of], of_cell[kinds.cell_of] = (
                strata.codes[moves],
                strata.codes[stays],
            )
            scale = 1 + strata.centre
            weight, rest_weight = size * scale[of_kind], rest_size * scale[of_cell]
            inside, outside = strata.members(of_kind), strata.members(of_cell)
            sums = (inside * size) @ alike + (outside * rest_size) @ middle
            within = Within(scale[of_kind], inside, _dense(sums), strata.centre)
        fixed = middle.T @ _weighted(middle, rest_weight[:, None])
        shift = _by_rows((first - second).T)
        return cls(signs, surplus, weight, shift, total, unlike, alike, fixed, within)

    def totals(self, surplus: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Totals of both models, each (n_columns, n_resamples)."""
        return _both(self.total, self.shift @ surplus)

    def squares(self, surplus: FloatArray, slope_a: FloatArray, slope_b: FloatArray) -> FloatArray:
        """Sum of the squares of d, of shape (n_resamples,)."""
        equal, unequal = (slope_a + slope_b) / 2, (slope_a - slope_b) / 2
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

    def summed(self) -> SummedForm:
        """The same with its kinds added up."""
        u, v = _dense(self.unlike), _dense(self.alike)
        crossed = (u[:, :, None] * v[:, None, :]).reshape(len(u), u.shape[1] ** 2).T
        adds = np.vstack([_dense(self.shift), crossed])
        signed = np.ascontiguousarray(adds @ self.signed)
        size = self.size[:, None]
        common = (v * size).T @ v + _dense(self.fixed)
        return SummedForm(signed, adds @ self.sums, self.total, (u * size).T @ u, common)


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

    def totals(self, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Totals of both models, each (n_columns, n_resamples)."""
        return _both(self.total, sums[: len(self.total)])

    def squares(self, sums: FloatArray, slope_a: FloatArray, slope_b: FloatArray) -> FloatArray:
        """Sum of the squares of d, of shape (n_resamples,)."""
        equal, unequal = (slope_a + slope_b) / 2, (slope_a - slope_b) / 2
        square = np.einsum("ij,ij->j", equal, self.unlike @ equal)
        square += np.einsum("ij,ij->j", unequal, self.alike @ unequal)
        crossed = sums[len(self.total) :].reshape(len(equal), len(equal), -1)
        return square + 2 * np.einsum("ij,ikj,kj->j", equal, crossed, unequal)


@dataclass(frozen=True)
class _Kinds:
    """Kinds of a pair's units.

    Parameters
    ----------
    moves, stays : ndarray of int
        Units that a swap changes, and others.
    kind_of, sign : ndarray of shape (n_moves,)
        Kind of each unit that a swap changes, and -1 where its outputs are the other way round.
    cell_of : ndarray of shape (n_stays,)
        Kind of each other unit.
    """

    moves: IntArray
    stays: IntArray
    kind_of: IntArray
    sign: FloatArray
    cell_of: IntArray


def each_unit(
    units: Units, metric: Metric, first: FloatArray, second: FloatArray
) -> PairForm | SummedForm:
    """Form a pair of units that are kinds of their own, from statistics (n_units, n_columns)."""
    differ = (first != second).any(axis=1)
    moves, stays = np.flatnonzero(differ), np.flatnonzero(~differ)
    kinds = _Kinds(moves, stays, np.arange(len(moves)), np.ones(len(moves)), np.arange(len(stays)))
    form = PairForm.of(units, metric, kinds, first[moves], second[moves], first[stays])
    few = form.unlike.shape[1] <= _FEW_SLOPES and form.within is None
    return form.summed() if few else form


def kinds_of_labels(evaluation: Evaluation, metric: Metric, a: int, b: int) -> PairForm:
    """Form a pair of kinds of samples by true class and both predictions, in either order."""
    first, second = (evaluation.outcomes(evaluation.models[m]) for m in (a, b))
    truth, k = first.true_codes, first.n_classes
    strata = Strata.of(evaluation.units)
    stratum = np.zeros(len(truth), np.intp) if strata is None else strata.codes
    low, high = (by(first.predicted, second.predicted) for by in (np.minimum, np.maximum))
    moves, stays = np.flatnonzero(low != high), np.flatnonzero(low == high)
    key = ((stratum * k + truth) * k + low) * k + high
    kind, kind_of = np.unique(key[moves], return_inverse=True)
    cell, cell_of = np.unique(key[stays], return_inverse=True)
    sign = np.where(first.predicted[moves] == low[moves], 1.0, -1.0)
    kinds = _Kinds(moves, stays, kind_of, sign, cell_of)

    def counts(of: IntArray, said: IntArray) -> Matrix:
        found = _counts(of // k**2 % k, said, k)
        # Of other ratios a sample adds something to every class.
        alone = metric.class_ratio is not None and metric.class_ratio.is_of_class_alone
        return found if alone or metric.average is None else _dense(found)

    rows = counts(kind, kind // k % k), counts(kind, kind % k), counts(cell, cell % k)
    return PairForm.of(evaluation.units, metric, kinds, *rows)


def _counts(truth: IntArray, said: IntArray, n_classes: int) -> Matrix:
    """Hits, predicted and support of kinds of samples, of shape (n_kinds, 3 * n_classes)."""
    kinds, right = np.arange(len(truth)), np.flatnonzero(truth == said)
    rows = np.concatenate([right, kinds, kinds])
    columns = np.concatenate([truth[right], n_classes + said, 2 * n_classes + truth])
    return _matrix(np.ones(len(rows)), rows, columns, (len(truth), 3 * n_classes))


def _residuals(metric: Metric, total: FloatArray, *statistics: Matrix) -> list[Matrix]:
    """Residuals around the pooled quotients of an average; of other metrics the statistics."""
    if metric.average is None:
        return [*statistics]
    assert metric.ratio is not None  # noqa: S101  averages are of quotients
    n_parts = len(metric.statistics)
    numerator, denominator = metric.ratio(*np.split(total, n_parts))
    pooled = np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0)
    found = []
    for rows in statistics:
        width = rows.shape[1] // n_parts
        parts = [rows[:, start : start + width] for start in range(0, rows.shape[1], width)]
        top, bottom = metric.ratio(*parts)
        found.append(_by_rows(top - _weighted(bottom, pooled)))
    return found


def _both(total: FloatArray, difference: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Two models' totals from their sum and difference, 0 where both are lost in rounding."""
    first = (total[:, None] + difference) / 2
    second = (total[:, None] - difference) / 2
    tiny = ROUNDING * np.abs(total[:, None])
    first[np.abs(first) <= tiny] = 0.0
    second[np.abs(second) <= tiny] = 0.0
    return first, second


def _tally(kinds: IntArray, numbers: FloatArray, n_kinds: int) -> FloatArray:
    """Sum of the numbers of each kind."""
    return np.bincount(kinds, numbers, n_kinds).astype(np.float64)


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
    return matrix.multiply(weights) if sparse.issparse(matrix) else matrix * weights


def _by_rows(matrix: Matrix) -> Matrix:
    return matrix.tocsr() if sparse.issparse(matrix) else np.ascontiguousarray(matrix)


def _dense(matrix: Matrix) -> FloatArray:
    return matrix.toarray() if sparse.issparse(matrix) else matrix
