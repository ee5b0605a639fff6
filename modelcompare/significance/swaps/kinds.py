"""Units of two models grouped into kinds that a swap changes equally, and their sums of squares.

See `significance.swaps.forms` for u, v and the sums of squares. Samples of hard labels that have
the same true class, predictions and stratum are one kind, and their matrices are sparse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import sparse

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.base import Metric, fraction_of
from modelcompare.resampling.weights import Units
from modelcompare.significance.strata import Strata
from modelcompare.significance.swaps.bounds import Places
from modelcompare.significance.swaps.statistic import Swapped

Matrix = Any  # of numbers, dense or sparse

# Units whose numbers show that they are of few kinds, and how many that may be.
_SHOWN, _FEW_KINDS = 256, 64
# Matrices of fewer numbers are dense, which is faster.
_SMALL = 2**12


@dataclass(frozen=True)
class Kinds:
    """Grouped units of a pair of models.

    Parameters
    ----------
    kind, unit : ndarray of int of shape (n_moving,)
        Places among the kinds, and units, that a swap changes.
    order : ndarray of shape (n_moving,)
        Order of their outputs, 1 or -1.
    n_units : int
        Number of all units.
    sums : ndarray of shape (n_kinds,)
        Observed sums of the signs of the samples.
    size : ndarray of shape (n_kinds,)
        Number of samples.
    scale : ndarray of shape (n_kinds,)
        Weight of the square of a sample.
    stratum : ndarray of int of shape (n_kinds,), optional
        Stratum of each kind.
    u, v : matrix of shape (n_kinds, n_slopes)
        Differences and sums of the numbers of both outputs.
    bottom : matrix of shape (n_kinds, n_slopes), optional
        Differences of the denominators of an average.
    fixed : matrix of shape (n_slopes, n_slopes), optional
        Sum of ``v v'`` over samples that no swap changes, where it is asked for.
    """

    kind: IntArray
    unit: IntArray
    order: FloatArray
    n_units: int
    sums: FloatArray
    size: FloatArray
    scale: FloatArray
    stratum: IntArray | None
    u: Matrix
    v: Matrix
    bottom: Matrix | None
    fixed: Matrix | None

    @property
    def n_bytes(self) -> int:
        """Memory of the largest matrices."""
        return 4 * self.unit.nbytes + _n_bytes(self.u) + _n_bytes(self.v)

    @cached_property
    def signed(self) -> Matrix:
        """Orders as a matrix (n_kinds, n_units), for drawn swaps; single precision is exact."""
        shape = len(self.size), self.n_units
        return _matrix(self.order, self.kind, self.unit, shape).astype(np.float32)


def grams(steps: Iterable[Kinds]) -> list[Matrix]:
    """Return the sums of ``u u'``, of ``v v'`` and of ``s u v'`` of all samples, fixed included."""
    found: list[Matrix] = []
    for kinds in steps:
        weight, signed = ((of * kinds.scale)[:, None] for of in (kinds.size, kinds.sums))
        u, v = (part.T @ _weighted(part, weight) for part in (kinds.u, kinds.v))
        parts = [u, v + kinds.fixed, kinds.u.T @ _weighted(kinds.v, signed)]
        found = [a + b for a, b in zip(found, parts, strict=True)] if found else parts
    return found


def squares_along(
    steps: Iterable[Kinds], equal: FloatArray, unequal: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return sums of ``(u g)^2``, ``(v h)^2`` and ``s (u g) (v h)``, (3,), and of each v squared.

    `equal` and `unequal` are g and h, of shape (n_slopes, 1). No product of two classes is made
    of units that swaps change, of which there may be very many.
    """
    sums, squares = np.zeros(3), np.zeros(len(equal))
    for kinds in steps:
        weight, signed = kinds.size * kinds.scale, kinds.sums * kinds.scale
        fixed = np.asarray(kinds.fixed)
        x, y = (kinds.u @ equal)[:, 0], (kinds.v @ unequal)[:, 0]
        rest = unequal[:, 0] @ (fixed @ unequal)[:, 0]
        sums += [weight @ x**2, weight @ y**2 + rest, signed @ (x * y)]
        squares += weight @ kinds.v**2 + fixed.diagonal()
    return sums, squares


def products(matrices: Sequence[Matrix], left: FloatArray, right: FloatArray) -> FloatArray:
    """Return ``left' M right``, (n_pairs, n_masks), of sides (n_pairs, n_slopes, n_masks)."""
    # Large ones are not copied.
    if any(sparse.issparse(matrix) or matrix.size > _SMALL for matrix in matrices):
        sides = zip(matrices, left, right, strict=True)
        return np.array([np.einsum("ij,ij->j", g, matrix @ h) for matrix, g, h in sides])
    return np.einsum("pij,pij->pj", left, np.stack(matrices) @ right)


def cross_products(
    pairs: Sequence[Iterable[Kinds]], swapped: Swapped, equal: FloatArray, unequal: FloatArray
) -> FloatArray:
    """Return sums (n_pairs, n_masks) of ``s (u g) (v h)`` after swaps.

    `equal` and `unequal` are g and h, of shape (n_pairs, n_slopes, n_masks).
    """
    out = np.zeros((len(pairs), swapped.n_masks))
    for step in zip(*pairs, strict=True):
        moved = swapped.times_each([kinds.signed for kinds in step])
        for place, (kinds, sums) in enumerate(zip(step, moved, strict=True)):
            x, y = kinds.u @ equal[place], kinds.v @ unequal[place]
            x *= kinds.sums[:, None] - 2 * sums
            out[place] += np.einsum("i,ij,ij->j", kinds.scale, x, y)
    return out


def single_cross_products(
    kinds: Callable[[int], Iterable[Kinds]], where: Places, swapped: Swapped, equal: FloatArray,
    unequal: FloatArray,
) -> FloatArray:  # fmt: skip
    """Return the sums as `cross_products`, (n_places, 1), of pairs that have one mask each."""
    out, masks = np.empty((len(where.pairs), 1)), np.asarray(where.masks)
    for pair in np.unique(where.pairs).tolist():
        here = np.flatnonzero(where.pairs == pair)
        draw = partial(np.take, swapped.masks, masks[here], axis=0)
        sides = (part[here, :, 0].T[None] for part in (equal, unequal))
        some = Swapped(draw, len(here), swapped.units)
        out[here] = cross_products([kinds(pair)], some, *sides).T
    return out


def kinds_of_units(
    units: Units, strata: Strata | None, rows: slice, both: Sequence[FloatArray],
    bottoms: tuple[FloatArray, FloatArray] | None, *, with_fixed: bool,
) -> Kinds:  # fmt: skip
    """Group some units that are equal, from numbers (n_rows, n_slopes) of both models.

    `bottoms` are the denominators of an average.
    """
    first, second = both
    differ = (first != second).any(axis=1)
    moves, size = np.flatnonzero(differ), units.counts(rows).astype(np.float64)
    scale = np.ones(len(size)) if strata is None else strata.scale[rows]
    fixed = None
    if with_fixed:
        rest = first[~differ] + second[~differ]
        fixed = rest.T @ (rest * (size * scale)[~differ, None])
    if len(moves) < len(differ):
        first, second, size, scale = (part[moves] for part in (first, second, size, scale))
        bottoms = None if bottoms is None else (bottoms[0][moves], bottoms[1][moves])
    codes = None if strata is None else strata.codes[rows][moves]
    u, v = first - second, first + second
    bottom = None if bottoms is None else bottoms[0] - bottoms[1]
    units_of, n_units = rows.start + moves, units.n_units
    same = _equal_units(u, [(first, second), *filter(None, [bottoms])], codes)
    if same is None:
        alone = np.arange(len(moves)), units_of, np.ones(len(moves)), n_units
        return Kinds(*alone, size, size, scale, codes, u, v, bottom, fixed)
    kind, sign, place = same
    orders = kind, units_of, sign, n_units
    sums, size = (_tally(kind, part, len(place)) for part in (sign * size, size))
    codes = None if codes is None else codes[place]
    u, v = sign[place, None] * u[place], v[place]
    bottom = None if bottom is None else sign[place, None] * bottom[place]
    return Kinds(*orders, sums, size, scale[place], codes, u, v, bottom, fixed)


def _equal_units(
    apart: FloatArray, numbers: Sequence[tuple[FloatArray, FloatArray]], codes: IntArray | None
) -> tuple[IntArray, FloatArray, IntArray] | None:
    """Return each unit's kind, its order, 1 or -1, and a unit of each kind.

    Units of one kind have the same numbers, in either order of the models, and the same stratum;
    `apart` are the differences of the first numbers. None where the first units are hardly equal,
    so that each is a kind.
    """
    n_units = len(apart)
    # Equal units are as far apart, which most of those that differ are not.
    far = np.abs(apart[:_SHOWN]).sum(axis=1)
    if n_units <= _SHOWN or len(np.unique(far)) <= _FEW_KINDS:
        lead = apart[np.arange(n_units), (apart != 0).argmax(axis=1)]
        both = [np.hstack(sides) for sides in zip(*numbers, strict=True)]
        sides = [np.where(lead[:, None] > 0, *each) for each in (both, both[::-1])]
        rows = np.hstack(sides if codes is None else [*sides, codes[:, None]])
        if n_units <= _SHOWN or len(np.unique(rows[:_SHOWN], axis=0)) <= _FEW_KINDS:
            _, place, kind = np.unique(rows, axis=0, return_index=True, return_inverse=True)
            if len(place) < n_units:
                return kind.ravel(), np.where(lead > 0, 1.0, -1.0), place
    return None


def kinds_of_labels(
    evaluation: Evaluation, metric: Metric, models: tuple[int, int], pooled: FloatArray, *,
    with_fixed: bool,
) -> Kinds:  # fmt: skip
    """Group samples by true class, the two predictions in any order, and stratum.

    `pooled` are the quotients of both models' sums together, for an average.
    """
    (truth, k, one), (*_, other) = (_classes(evaluation, model) for model in models)
    count, strata = evaluation.units.counts().astype(np.float64), Strata.of(evaluation.units)
    differ = one != other
    stratum = np.zeros(len(truth), np.intp) if strata is None else strata.codes
    moves = np.flatnonzero(differ)

    def kinds(some: IntArray) -> tuple[IntArray, IntArray]:
        chosen = one[some], other[some]
        low, high = np.minimum(*chosen), np.maximum(*chosen)
        return _distinct(((stratum[some] * k + truth[some]) * k + low) * k + high)

    moving, kind = kinds(moves)
    sign = np.sign(other[moves] - one[moves])

    def numbers(of: IntArray, predicted: IntArray) -> tuple[Matrix, Matrix | None]:
        found = _counts(of // k**2 % k, predicted, k)
        if metric.average is None:
            return found, None
        # With other ratios a sample contributes to every class.
        alone = metric.class_ratio is not None and metric.class_ratio.is_of_class_alone
        return _residuals(metric, pooled, found if alone else _dense(found))

    def scale(of: IntArray) -> FloatArray:
        return np.ones(len(of)) if strata is None else (1 + strata.centre)[of // k**3]

    fixed = None
    if with_fixed:
        stays = np.flatnonzero(~differ)
        staying, same = kinds(stays)
        rest, _ = numbers(staying, staying % k)
        weight = 4 * scale(staying) * _tally(same, count[stays], len(staying))
        fixed = rest.T @ _weighted(rest, weight[:, None])
    (first, under), (second, below) = (numbers(moving, x % k) for x in (moving // k, moving))
    bottom = None if under is None else under - below
    return Kinds(
        kind, moves, sign, len(truth), _tally(kind, sign * count[moves], len(moving)),
        _tally(kind, count[moves], len(moving)), scale(moving),
        None if strata is None else moving // k**3, first - second, first + second, bottom, fixed,
    )  # fmt: skip


def _classes(evaluation: Evaluation, model: int) -> tuple[IntArray, int, IntArray]:
    """Return true classes, their number and the predicted classes, kept for a model's pairs."""

    def made() -> tuple[IntArray, int, IntArray]:
        outcomes = evaluation.outcomes(evaluation.models[model])
        return outcomes.true_codes, outcomes.n_classes, outcomes.predicted

    return evaluation.once(("classes", model), made)


def _distinct(keys: IntArray) -> tuple[IntArray, IntArray]:
    """Return distinct keys in order, and the place of each key among them."""
    if keys.max(initial=0) > 4 * len(keys):
        return np.unique(keys, return_inverse=True)
    found = np.flatnonzero(np.bincount(keys))
    place = np.empty(keys.max(initial=0) + 1, np.intp)
    place[found] = np.arange(len(found))
    return found, place[keys]


def _counts(truth: IntArray, predicted: IntArray, n_classes: int) -> Matrix:
    """Return hits, predicted and support of the kinds, (n_kinds, 3 * n_classes)."""
    kinds, right = np.arange(len(truth)), np.flatnonzero(truth == predicted)
    rows = np.concatenate([right, kinds, kinds])
    columns = np.concatenate([truth[right], n_classes + predicted, 2 * n_classes + truth])
    return _matrix(np.ones(len(rows)), rows, columns, (len(truth), 3 * n_classes))


def _residuals(metric: Metric, pooled: FloatArray, rows: Matrix) -> tuple[Matrix, Matrix]:
    """Return residuals around the pooled quotients of an average, and denominators."""
    width = rows.shape[1] // len(metric.statistics)
    parts = [rows[:, start : start + width] for start in range(0, rows.shape[1], width)]
    top, bottom = fraction_of(metric, *parts)
    found = top - _weighted(bottom, pooled)
    if sparse.issparse(found):
        return found.tocsr(), sparse.csr_array(bottom)
    return np.ascontiguousarray(found), bottom


def _tally(kinds: IntArray, numbers: FloatArray, n_kinds: int) -> FloatArray:
    """Return the sum of the numbers of each kind."""
    return np.bincount(kinds, numbers, n_kinds).astype(np.float64)


def _matrix(
    numbers: FloatArray | IntArray, rows: IntArray, columns: IntArray, shape: tuple[int, int]
) -> Matrix:
    """Return a matrix with numbers at some positions."""
    if shape[0] * shape[1] > _SMALL:
        return sparse.csr_array((numbers, (rows, columns)), shape)
    out = np.zeros(shape)
    out[rows, columns] = numbers
    return out


def _weighted(matrix: Matrix, weights: FloatArray) -> Matrix:
    return matrix.multiply(weights) if sparse.issparse(matrix) else matrix * weights


def _dense(matrix: Matrix) -> FloatArray:
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def _n_bytes(matrix: Matrix) -> int:
    """Return the memory of a matrix, dense or sparse."""
    if sparse.issparse(matrix):
        return int(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)
    return int(matrix.nbytes)
