"""Studentized differences of averages and other smooth metrics after swaps, pair by pair.

A sample adds ``d_i = g_a x_ia - g_b x_ib`` to a difference: x are its statistics and g the slopes
of each model's value at its totals. With ``u = x_a - x_b``, ``v = x_a + x_b`` and the sign s of a
swap, ``d_i = s_i u_i (g_a + g_b) / 2 + v_i (g_a - g_b) / 2``: two matrix products give the sum of
the squares after any swap. Samples of equal truth and equal predictions are added up before; of
hard labels the matrices are sparse.

Of an average over classes x are the residuals ``N_k - F_k D_k`` around the pooled quotients, as in
`significance.studentized`; of any other metric the statistics themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.parallel import map_blocks
from modelcompare.engine.weights import Weights
from modelcompare.metrics.base import Metric
from modelcompare.metrics.counts import COUNTS
from modelcompare.significance.exact import of_one_class, unit_parts
from modelcompare.significance.swapped_sums import ROUNDING

Matrix = Any  # of numbers, dense or sparse
Result = TypeVar("Result")

# More columns than this take too long to differentiate one by one.
MOST_SLOPES = 100
_STEP = 1e-5
# Products of this many slopes are fewer than the numbers of as many samples.
_FEW_SLOPES = 8


@dataclass(frozen=True)
class _Pair:
    """Kinds of samples of one pair of models.

    Parameters
    ----------
    signs : matrix of shape (n_kinds, n_units)
        1 or -1 where a unit is of a kind that a swap changes, by whose output came first.
    surplus : ndarray of shape (n_kinds,)
        Samples of each kind, those the other way round taken off.
    size : ndarray of shape (n_kinds,)
        Samples of each kind.
    shift : matrix of shape (n_columns, n_kinds)
        What each kind adds to the difference of the two models' totals.
    total : ndarray of shape (n_columns,)
        Sum of the two models' totals.
    unlike, alike : matrix of shape (n_kinds, n_slopes)
        u and v of each kind.
    fixed : matrix of shape (n_slopes, n_slopes)
        Sum of ``v v'`` over the samples that no swap changes.
    pooled : ndarray
        Pooled quotients, for averages.
    """

    signs: Matrix
    surplus: FloatArray
    size: FloatArray
    shift: Matrix
    total: FloatArray
    unlike: Matrix
    alike: Matrix
    fixed: Matrix
    pooled: FloatArray

    def totals(self, surplus: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Totals of both models, each (n_columns, n_resamples)."""
        difference = self.shift @ surplus
        first = (self.total[:, None] + difference) / 2
        second = (self.total[:, None] - difference) / 2
        tiny = ROUNDING * np.abs(self.total[:, None])
        first[np.abs(first) <= tiny] = 0.0
        second[np.abs(second) <= tiny] = 0.0
        return first, second

    def squares(self, surplus: FloatArray, slope_a: FloatArray, slope_b: FloatArray) -> FloatArray:
        """Sum of the squares of d, of shape (n_resamples,)."""
        equal, unequal = (slope_a + slope_b) / 2, (slope_a - slope_b) / 2
        if len(equal) <= _FEW_SLOPES:
            return self._squares_of_few(surplus, equal, unequal)
        x, y = self.unlike @ equal, self.alike @ unequal
        square = self.size @ (x * x + y * y)
        x *= y
        square += 2 * np.einsum("ij,ij->j", surplus, x)
        return square + np.einsum("ij,ij->j", unequal, self.fixed @ unequal)

    def _squares_of_few(
        self, surplus: FloatArray, equal: FloatArray, unequal: FloatArray
    ) -> FloatArray:
        """The same from sums of products of u and v, where these are few."""
        crossed = (self._crossed @ surplus).reshape(len(equal), len(equal), -1)
        within, common = self._grams
        square = np.einsum("ij,ij->j", equal, within @ equal)
        square += np.einsum("ij,ij->j", unequal, common @ unequal)
        return square + 2 * np.einsum("ij,ikj,kj->j", equal, crossed, unequal)

    @cached_property
    def _crossed(self) -> FloatArray:
        unlike, alike = _dense(self.unlike), _dense(self.alike)
        return (unlike[:, :, None] * alike[:, None, :]).reshape(len(unlike), unlike.shape[1] ** 2).T

    @cached_property
    def _grams(self) -> tuple[FloatArray, FloatArray]:
        unlike, alike = _dense(self.unlike), _dense(self.alike)
        common = (alike * self.size[:, None]).T @ alike + _dense(self.fixed)
        return (unlike * self.size[:, None]).T @ unlike, common


class SwappedForms:
    """Studentized differences of one metric without classes under given swaps.

    Parameters
    ----------
    evaluation : Evaluation
        Models and units.
    metric : Metric
        One of its metrics that `applies`.
    model_a, model_b : ndarray of int of shape (n_pairs,)
        Positions of the models of each pair.
    """

    def __init__(
        self, evaluation: Evaluation, metric: Metric, model_a: IntArray, model_b: IntArray
    ) -> None:
        self.evaluation, self.metric = evaluation, metric
        self.model_a, self.model_b = model_a, model_b

    @staticmethod
    def applies(evaluation: Evaluation, metric: Metric) -> bool:
        """Whether a metric has one value, whose slopes can be had at a fair cost.

        Of an average of soft scores over many classes they cannot; there no class decides about
        the error, and what studentizing mends (one model's class predicted more often) averages
        out.
        """
        if metric.per_class or not metric.smooth:
            return False
        if metric.average is None:
            return _n_columns(evaluation, metric) <= MOST_SLOPES
        return _of_labels(evaluation, metric) or evaluation.predictions.n_classes <= _FEW_SLOPES

    def map(
        self,
        masks: Weights,
        reduce: Callable[[FloatArray], Result],
        *,
        pairs: IntArray | None = None,
        n_jobs: int | None = None,
    ) -> list[Result]:
        """Reduce the statistics (block_size, n_pairs, 1) of each block of swaps."""
        chosen = self._pairs if pairs is None else [self._pairs[place] for place in pairs]

        def one(block: int) -> Result:
            swapped = np.ascontiguousarray(masks.draw_all(block).T)
            columns = [
                self._statistics(pair, pair.surplus[:, None] - 2 * (pair.signs @ swapped))
                for pair in chosen
            ]
            return reduce(np.stack(columns, axis=1)[:, :, None])

        # Many thin products: threads of BLAS would wait for each other more than they work.
        with threadpool_limits(limits=1):
            return map_blocks(one, range(masks.n_blocks), n_jobs)

    def enumerated(self, pair: int, bits: FloatArray, units: IntArray) -> FloatArray:
        """Statistics (n_swaps, 1) of one pair when these units swap where a bit is 1."""
        found = self._pairs[pair]
        moved = found.signs[:, units] @ bits.T
        return self._statistics(found, found.surplus[:, None] - 2 * moved)[:, None]

    @cached_property
    def observed(self) -> FloatArray:
        """Statistics of the data as they are, of shape (n_pairs, 1)."""
        return np.array([self._statistics(p, p.surplus[:, None]) for p in self._pairs])

    def movable(self, enough: int) -> tuple[IntArray, list[IntArray | None]]:
        """Units that a swap changes; see `SwappedQuotients.movable`."""
        multiplicity = self.evaluation.units.counts()
        found = []
        for pair in self._pairs:
            units = np.flatnonzero(abs(pair.signs).sum(axis=0))
            found.append(np.repeat(units, multiplicity[units]))
        count = np.array([[min(len(units), enough)] for units in found], dtype=np.intp)
        return count, [few if len(few) < enough else None for few in found]

    @cached_property
    def _pairs(self) -> list[_Pair]:
        labelled = _of_labels(self.evaluation, self.metric)
        make = _kinds_of_labels if labelled else _each_unit
        return [
            make(self.evaluation, self.metric, int(a), int(b))
            for a, b in zip(self.model_a, self.model_b, strict=True)
        ]

    def _statistics(self, pair: _Pair, surplus: FloatArray) -> FloatArray:
        totals = pair.totals(surplus)
        parts = [self._parts(total) for total in totals]
        first, second = (self.metric.value(*part) for part in parts)
        difference = first - second
        if self.metric.average is None:
            slope = _slopes(self._value, np.stack(totals), pair.total)
            square = pair.squares(surplus, slope[0], slope[1])
            # What the samples' d lack of the difference is spread over all of them.
            lack = (slope[0] * totals[0] - slope[1] * totals[1]).sum(axis=0)
            square += (difference**2 - lack**2) / self.evaluation.units.size
        else:
            slope_a, slope_b = (self._shares(part) for part in parts)
            square = pair.squares(surplus, slope_a, slope_b)
        difference[np.abs(difference) <= 1e-13 * (np.abs(first) + np.abs(second))] = 0.0
        square = np.maximum(square, difference**2 / self.evaluation.units.size)
        return np.divide(
            difference, np.sqrt(square), out=np.zeros_like(difference), where=difference != 0
        )

    def _value(self, totals: FloatArray) -> FloatArray:
        """Values of totals of shape (..., n_columns, n_resamples)."""
        return self.metric.value(*self._parts(totals))

    def _parts(self, totals: FloatArray) -> list[FloatArray]:
        """One array (..., n_resamples, width) for each statistic."""
        edges = np.cumsum(_widths(self.evaluation, self.metric))[:-1]
        return [np.swapaxes(part, -1, -2) for part in np.split(totals, edges, axis=-2)]

    def _shares(self, parts: list[FloatArray]) -> FloatArray:
        """Weight of each class over its denominator, of shape (n_classes, n_resamples)."""
        _, denominator = _quotient(self.metric, parts)
        weight = (denominator != 0).astype(np.float64)
        if self.metric.average == "weighted":
            weight = weight * parts[-1]
        total = weight.sum(axis=-1, keepdims=True)
        bottom = denominator * total
        shares = np.divide(weight, bottom, out=np.zeros_like(bottom), where=bottom != 0)
        return shares.T


def _dense(matrix: Matrix) -> FloatArray:
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def _quotient(metric: Metric, parts: list[FloatArray]) -> tuple[FloatArray, FloatArray]:
    if metric.ratio is None:
        raise ValueError(f"{metric.name} names no quotient.")
    numerator, denominator = np.broadcast_arrays(*metric.ratio(*parts))
    return numerator, denominator


def _slopes(
    value: Callable[[FloatArray], FloatArray], totals: FloatArray, scale: FloatArray
) -> FloatArray:
    """Slopes of a value by central differences, shaped like the totals.

    One-sided where a step leaves the totals that a value is defined for.
    """
    out = np.zeros_like(totals)
    here = value(totals)
    step = _STEP * np.maximum(np.abs(scale), 1e-8 * np.abs(scale).max(initial=1.0))
    for column, h in enumerate(step):
        up, down = totals.copy(), totals.copy()
        up[..., column, :] += h
        down[..., column, :] -= h
        up_value, down_value = value(up), value(down)
        up_step = np.where(np.isnan(up_value), 0.0, h)
        down_step = np.where(np.isnan(down_value) | (down[..., column, :] < 0), 0.0, h)
        down_step = np.where((totals[..., column, :] < 0) & ~np.isnan(down_value), h, down_step)
        rise = np.where(up_step > 0, up_value, here) - np.where(down_step > 0, down_value, here)
        run = up_step + down_step
        out[..., column, :] = np.divide(rise, run, out=np.zeros_like(rise), where=run > 0)
    return np.nan_to_num(out, nan=0.0)


def _widths(evaluation: Evaluation, metric: Metric) -> list[int]:
    found = {column.statistic: column.width for column in evaluation.columns(slice(None))}
    return [found[statistic] for statistic in metric.statistics]


def _n_columns(evaluation: Evaluation, metric: Metric) -> int:
    return sum(_widths(evaluation, metric))


def _each_unit(evaluation: Evaluation, metric: Metric, a: int, b: int) -> _Pair:
    """Every unit a kind of its own."""
    numbers = evaluation.statistics()
    found = {c.statistic: c.of(numbers) for c in evaluation.columns(slice(None))}
    own = [found[statistic] for statistic in metric.statistics]
    first, second = ([part[:, min(m, part.shape[1] - 1)] for part in own] for m in (a, b))
    count = evaluation.units.counts().astype(np.float64)
    raw_a, raw_b = np.hstack(first), np.hstack(second)
    total = count @ (raw_a + raw_b)
    if metric.average is None:
        x_a, x_b, pooled = raw_a, raw_b, np.empty(0)
    else:
        (n_a, d_a), (n_b, d_b) = (_quotient(metric, part) for part in (first, second))
        bottom = count @ (d_a + d_b)
        pooled = np.divide(
            count @ (n_a + n_b), bottom, out=np.zeros_like(bottom), where=bottom != 0
        )
        x_a, x_b = n_a - pooled * d_a, n_b - pooled * d_b
    moves = np.flatnonzero((raw_a != raw_b).any(axis=1))
    unlike, alike = x_a - x_b, x_a + x_b
    stays = np.delete(np.arange(len(count)), moves)
    fixed = (alike[stays] * count[stays, None]).T @ alike[stays]
    signs = sparse.csr_array(
        (np.ones(len(moves)), (np.arange(len(moves)), moves)), shape=(len(moves), len(count))
    )
    shift = (raw_a - raw_b)[moves].T
    return _Pair(
        signs, count[moves], count[moves], shift, total, unlike[moves], alike[moves], fixed, pooled
    )


def _of_labels(evaluation: Evaluation, metric: Metric) -> bool:
    """Whether a metric averages counts of classes, of samples that all weigh the same."""
    p = evaluation.predictions
    return (
        metric.average is not None
        and metric.statistics == COUNTS
        and p.codes is not None
        and p.true_distribution is None
        and p.groups is None
        and p.sample_weight is None
        and of_one_class(evaluation, metric)
    )


def _kinds_of_labels(evaluation: Evaluation, metric: Metric, a: int, b: int) -> _Pair:
    """Kinds of samples by their true class and the two predicted ones, in either order."""
    first, second = (evaluation.outcomes(evaluation.models[m]) for m in (a, b))
    truth, said, other = first.codes, first.predicted, second.predicted
    if truth is None:
        raise ValueError("averages over classes need true labels.")
    k = first.n_classes
    count = evaluation.units.counts().astype(np.float64)
    moves = np.flatnonzero(said != other)
    low, high = np.minimum(said, other)[moves], np.maximum(said, other)[moves]
    key, kind = np.unique((truth[moves] * k + low) * k + high, return_inverse=True)
    true_class, low, high = key // k**2, key // k % k, key % k
    sign = np.where(said[moves] < other[moves], 1.0, -1.0)
    shape = (len(key), len(count))
    signs = sparse.csr_array((sign, (kind, moves)), shape=shape)
    size = np.bincount(kind, count[moves], len(key)).astype(np.float64)
    surplus = np.bincount(kind, sign * count[moves], len(key)).astype(np.float64)
    stays = np.flatnonzero(said == other)
    cell, place = np.unique(truth[stays] * k + said[stays], return_inverse=True)
    cell_size = np.bincount(place, count[stays], len(cell))

    raw = [_counts(true_class, p, k) for p in (low, high)]
    total = size @ (raw[0] + raw[1]) + 2 * (cell_size @ _counts(cell // k, cell % k, k))
    numerator, denominator = _quotient(metric, np.split(total, 3))
    pooled = np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0)
    parts = unit_parts(metric, k)
    residual = parts[0][..., None] - pooled * parts[1][..., None]
    x = [_residuals(residual, true_class, p) for p in (low, high)]
    middle = 2 * _residuals(residual, cell // k, cell % k)
    fixed = middle.T @ (sparse.diags_array(cell_size, dtype=np.float64) @ middle)
    shift = (raw[0] - raw[1]).T.tocsr()
    return _Pair(signs, surplus, size, shift, total, x[0] - x[1], x[0] + x[1], fixed, pooled)


def _counts(truth: IntArray, said: IntArray, n_classes: int) -> Matrix:
    """Hits, predicted and support of kinds of samples, of shape (n_kinds, 3 * n_classes)."""
    kinds, right = np.arange(len(truth)), np.flatnonzero(truth == said)
    rows = np.concatenate([right, kinds, kinds])
    columns = np.concatenate([truth[right], n_classes + said, 2 * n_classes + truth])
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), (len(truth), 3 * n_classes))


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
    found = sparse.csr_array((numbers, (rows, columns)), (len(truth), n_classes))
    return found.toarray() + others if others.any() else found
