"""Influence functions of all models: standard errors and skewness of any difference.

The influence of a unit is derived from its leave-one-out value. Second and third moments of
a difference of two models follow from sums of products of the two models' influences, so two
Gram matrices suffice for every model and every pair, without resampling. Of models so close that
these sums cancel, the differences themselves are summed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from modelcompare.arrays import (
    CACHE_BYTES,
    PASS_BYTES,
    ROW_BLOCK,
    AnyArray,
    BoolArray,
    FloatArray,
    IntArray,
)
from modelcompare.engine.class_influence import class_influences, has_few_influences
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.joined import JoinedUnits, joins_influences
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.resampling.weights import Weights

Pairs = tuple[IntArray, IntArray]

# Share of two models' sums of squares below which that of their difference is computed from the
# differences: from products of each model it would be mostly rounding.
_CLOSE = 1e-6


@dataclass(frozen=True)
class InfluenceMoments:
    """Centred sums over samples of products and powers of the models' influences.

    Parameters
    ----------
    n_samples : int
        Number of samples (or clusters).
    second : ndarray of shape (n_values, n_models, n_models)
        ``sum_i u_ia u_ib``.
    apart : ndarray of shape (n_values, n_models, n_models)
        ``sum_i (u_ia - u_ib)^2``.
    third : ndarray of shape (n_values, n_models)
        ``sum_i u_ia^3``.
    skewed : ndarray of shape (n_values, n_models, n_models)
        ``sum_i (u_ia - u_ib)^3``.
    fourth : ndarray of shape (n_values, n_models)
        ``sum_i u_ia^4``.
    alone : ndarray of bool of shape (n_models, n_values)
        Where a value depends on a single unit: without it the value is undefined, so its standard
        error is unknown.
    drawn : ndarray of shape (n_values, n_models, n_models), optional
        Covariance over resamples of values that influences do not describe, for their standard
        errors: the jackknife of a median is inconsistent (Efron 1979). NaN for the others.
    """

    n_samples: int
    second: FloatArray
    apart: FloatArray
    third: FloatArray
    skewed: FloatArray
    fourth: FloatArray
    alone: BoolArray
    drawn: FloatArray | None = None

    def standard_error(self, pairs: Pairs | None = None) -> FloatArray:
        """Return standard errors of values, or of differences a - b, (n_rows, n_values)."""
        errors = np.sqrt(self._squares(pairs) / (self.n_samples * (self.n_samples - 1)))
        if self.drawn is None:
            return errors
        variances = of_rows(self.drawn, pairs)
        return np.where(np.isnan(variances), errors, np.sqrt(np.maximum(variances, 0.0)))

    def degrees_of_freedom(self) -> FloatArray:
        """Return effective degrees of freedom of squared standard errors (Satterthwaite 1946).

        ``2 / CV^2``, where the coefficient of variation of the variance follows from the fourth
        moment of the influences: about n for normal ones, and few if a handful of samples (a
        rare class) carries the variance. Of shape (n_models, n_values).
        """
        degrees = np.maximum(satterthwaite(self.carriers(), self.n_samples), 1.0)
        return np.where(self.fourth.T > 0, degrees, np.inf)

    def carriers(self) -> FloatArray:
        """Return the effective number of units that carry a variance, ``(sum u^2)^2 / sum u^4``."""
        squares = np.diagonal(self.second, axis1=1, axis2=2)
        out = np.ones(squares.shape)
        return np.divide(squares**2, self.fourth, out=out, where=self.fourth > 0).T

    def acceleration(self, pairs: Pairs | None = None) -> FloatArray:
        """Return BCa's acceleration of values, or of differences, (n_rows, n_values)."""
        cubes = self.third.T if pairs is None else self.skewed[:, *pairs].T
        squares = self._squares(pairs)
        return np.divide(cubes, 6 * squares**1.5, out=np.zeros_like(squares), where=squares > 0)

    def covariance(self) -> FloatArray:
        """Return the covariance of the models' values, of shape (n_values, n_models, n_models)."""
        found = self.second / (self.n_samples * (self.n_samples - 1))
        return found if self.drawn is None else np.where(np.isnan(self.drawn), found, self.drawn)

    def of_values(self, places: IntArray) -> InfluenceMoments:
        """Select values by their positions."""
        names = ("second", "apart", "third", "skewed", "fourth", "drawn")
        arrays = {name: getattr(self, name) for name in names}
        some = {name: array[places] for name, array in arrays.items() if array is not None}
        return replace(self, alone=self.alone[:, places], **some)

    def _squares(self, pairs: Pairs | None) -> FloatArray:
        """Return sums of squares of influences, or of their differences, (n_rows, n_values)."""
        if pairs is None:
            return np.maximum(np.diagonal(self.second, axis1=1, axis2=2).T, 0.0)
        return self.apart[:, *pairs].T


def satterthwaite(carriers: FloatArray, n_units: int) -> FloatArray:
    """Return degrees of freedom of variances carried by some of the units; infinite for all."""
    # No unit carries a variance of 0.
    relative = 1 / np.maximum(carriers, 1e-12) - 1 / n_units
    out = np.full(carriers.shape, np.inf)
    return np.divide(2.0, relative, out=out, where=relative > 1e-12)


def of_rows(products: FloatArray, pairs: Pairs | None) -> FloatArray:
    """Return the diagonal of products of models, or that of products of differences of pairs."""
    if pairs is None:
        return np.diagonal(products, axis1=1, axis2=2).T
    a, b = pairs
    own = products[:, a, a] + products[:, b, b]
    sums = own - 2 * products[:, a, b]
    # Models that agree on all samples differ by exactly 0, not by the rounding of a sum.
    return np.where(sums <= 1e-13 * own, 0.0, sums).T


def standard_errors(covariance: FloatArray, pairs: Pairs | None) -> FloatArray:
    """Compute standard errors of values, or of differences of pairs, (n_rows, n_values).

    From covariances (n_values, n_models, n_models); exactly 0 if two models agree on all samples.
    """
    return np.sqrt(np.maximum(of_rows(covariance, pairs), 0.0))


@one_blas_thread()
def influence_moments(evaluation: Evaluation, estimate: FloatArray) -> InfluenceMoments:
    """Compute sums of products of all models' influences, in one pass over the units.

    Models that are close take another pass.
    """
    n_models, n_values = estimate.shape
    first = np.zeros((n_values, n_models))
    second = np.zeros((n_values, n_models, n_models))
    third = np.zeros_like(second)
    fourth = np.zeros_like(first)
    alone = np.zeros(estimate.shape, dtype=bool)
    for value, u, counts in unit_influences(evaluation, estimate):
        missing = np.isnan(u)
        if missing.any():
            alone[:, value] |= missing.any(axis=1)
            u = np.where(missing, 0.0, u)
        weighted = u * counts
        first[value] += weighted.sum(axis=1)
        second[value] += weighted @ u.T
        squared = u * weighted
        third[value] += squared @ u.T
        fourth[value] += (squared * u * u).sum(axis=1)
    alone &= ~np.isnan(estimate)
    found = _centred(evaluation.units.size, first, second, third, fourth, alone)
    _set_close(found, evaluation, estimate)
    return found


def pair_carriers(
    evaluation: Evaluation, estimate: FloatArray, pairs: Pairs, values: IntArray
) -> FloatArray:
    """Compute the effective number of units that carry each difference, (n_pairs, len(values))."""
    every = dict.fromkeys(values.tolist(), pairs)
    sums = _sums_of_differences(evaluation, estimate, every)
    second, _, fourth = np.stack([sums[value] for value in every], axis=1)
    return np.divide(second**2, fourth, out=np.ones_like(second), where=fourth > 0).T


def _set_close(found: InfluenceMoments, evaluation: Evaluation, estimate: FloatArray) -> None:
    """Replace sums of pairs that are close by those of their differences."""
    own = np.diagonal(found.second, axis1=1, axis2=2)
    close = np.triu(found.apart < _CLOSE * (own[:, :, None] + own[:, None, :]), 1)
    values = np.flatnonzero(close.any(axis=(1, 2))).tolist()
    pairs: dict[int, Pairs] = {}
    for value in values:
        a, b = np.nonzero(close[value])
        pairs[value] = a, b
    for value, (squares, cubes, _) in _sums_of_differences(evaluation, estimate, pairs).items():
        a, b = pairs[value]
        found.apart[value, a, b] = found.apart[value, b, a] = squares
        found.skewed[value, a, b], found.skewed[value, b, a] = cubes, -cubes


@one_blas_thread()
def _sums_of_differences(
    evaluation: Evaluation, estimate: FloatArray, pairs: Mapping[int, Pairs]
) -> dict[int, FloatArray]:
    """Compute centred sums of the powers 2 to 4 of differences of pairs, (3, n_pairs) each value.

    A unit without which a value is undefined has influence 0.
    """
    n = evaluation.units.size
    sums = {value: np.zeros((4, len(a))) for value, (a, _) in pairs.items()}
    if not sums:
        return {}
    for value, u, counts in unit_influences(evaluation, estimate):
        if value in sums:
            sums[value] += _power_sums(np.nan_to_num(u, nan=0.0), counts, pairs[value])
    out = {}
    for value, (total, squares, cubes, fourths) in sums.items():
        mean = total / n
        second = squares - n * mean**2
        third = cubes - 3 * mean * squares + 2 * n * mean**3
        fourth = fourths - 4 * mean * cubes + 6 * mean**2 * squares - 3 * n * mean**4
        out[value] = np.stack([np.maximum(second, 0.0), third, fourth])
    return out


def _power_sums(u: FloatArray, counts: FloatArray, pairs: Pairs) -> FloatArray:
    """Sum the first four powers of the differences of pairs, of shape (4, n_pairs)."""
    out = np.empty((4, len(pairs[0])))
    # Differences of one block of pairs, and a power of them.
    step = max(1, CACHE_BYTES // (2 * 8 * max(1, u.shape[1])))
    for start in range(0, out.shape[1], step):
        a, b = (side[start : start + step] for side in pairs)
        difference = u[a] - u[b]
        square = difference * difference
        powers = (difference, square, square * difference, square * square)
        out[:, start : start + step] = [power @ counts for power in powers]
    return out


def unit_influences(
    evaluation: Evaluation, estimate: FloatArray
) -> Iterator[tuple[int, FloatArray, FloatArray]]:
    """Yield influences on each value, block by block of units, and the samples in each unit.

    Yields
    ------
    value : int
        Position of the value, which comes once for each block of units.
    influence : ndarray of shape (n_models, n_units_of_some)
        NaN for a unit without which the value is undefined. Units left out have influence 0; of
        groups of units it is that of each member.
    counts : ndarray of shape (n_units_of_some,)
    """
    units = evaluation.units
    few = [metric for metric in evaluation.metrics if has_few_influences(metric, evaluation)]
    for metric in few:
        where = evaluation.metric_slice(metric.name)
        for code, some, influence in class_influences(evaluation, metric, estimate[:, where]):
            yield where.start + code, influence, units.counts(some).astype(np.float64)
    joined = [metric for metric in evaluation.metrics if joins_influences(metric, evaluation)]
    for rough in joined:
        value = evaluation.metric_slice(rough.name).start
        yield value, *JoinedUnits.of(evaluation).influences(rough, estimate[:, value])
    others = [metric for metric in evaluation.metrics if metric not in (*few, *joined)]
    if not others:
        return
    places = np.r_[tuple(evaluation.metric_slice(metric.name) for metric in others)]
    dense = evaluation.of_metrics(others) if few or joined else evaluation
    for rows, influence in _dense_influences(dense, estimate[:, places]):
        counts = units.counts(rows).astype(np.float64)
        for value, u in zip(places.tolist(), influence.transpose(2, 1, 0), strict=True):
            yield value, u, counts


def _dense_influences(
    evaluation: Evaluation, estimate: FloatArray
) -> Iterable[tuple[slice, FloatArray]]:
    """Return influences (n_rows, n_models, n_values) on all values, some units at a time.

    Small ones are stored: moments, degrees of freedom and carriers use the same.
    """
    if 8 * evaluation.units.n_units * estimate.size > PASS_BYTES // 32:
        return _formed_influences(evaluation, estimate)
    key = ("influences", estimate.tobytes())
    return evaluation.once(key, lambda: [*_formed_influences(evaluation, estimate)])


def _formed_influences(
    evaluation: Evaluation, estimate: FloatArray
) -> Iterator[tuple[slice, FloatArray]]:
    units, strata = evaluation.units, evaluation.units.strata
    if strata is not None:
        means = _stratum_means(evaluation, estimate, strata)
        scale = stratum_scale(np.bincount(strata, units.counts()))
    for rows in evaluation.row_steps():
        influence = evaluation.influence(rows, estimate, undefined=np.nan)
        if strata is not None:
            # Resamples keep the sizes of strata, so differences between strata do not vary.
            here = strata[rows]
            size = 1.0 if units.sizes is None else units.sizes[rows, None, None]
            influence = (influence - means[here] * size) * scale[here, None, None]
        yield rows, influence


def stratum_scale(sizes: AnyArray) -> FloatArray:
    """Return factors that make strata's variances those of n_h - 1; moments divide by n - 1."""
    n = sizes.sum()
    scale = sizes / np.where(sizes <= 1, np.inf, sizes - 1) * (n - 1) / n
    return np.sqrt(scale)


def _stratum_means(evaluation: Evaluation, estimate: FloatArray, strata: IntArray) -> FloatArray:
    """Compute mean influences in each stratum, of a unit, or of a sample if units have sizes."""
    n_strata, of_each = int(strata.max()) + 1, evaluation.units.sizes
    sums, sizes = np.zeros((n_strata, *estimate.shape)), np.zeros(n_strata)
    for rows in evaluation.row_steps():
        influence = evaluation.influence(rows, estimate)
        counts = evaluation.units.counts(rows).astype(np.float64)
        np.add.at(sums, strata[rows], influence * counts[:, None, None])
        np.add.at(sizes, strata[rows], counts if of_each is None else of_each[rows])
    return sums / np.maximum(sizes, 1.0)[:, None, None]


@one_blas_thread()
def signed_sums(
    evaluation: Evaluation, estimate: FloatArray, masks: Weights
) -> tuple[FloatArray, FloatArray]:
    """Compute sums of all models' influences under random signs.

    Parameters
    ----------
    evaluation : Evaluation
        Models, metrics and units.
    estimate : ndarray of shape (n_models, n_values)
        The values on the test set.
    masks : SwapMasks
        Masks: 1 for the sign -1.

    Returns
    -------
    sums : ndarray of shape (n_resamples, n_models, n_values)
        ``sum_i sign_i u_i`` with influences centred to mean 0.
    signs : ndarray of shape (n_resamples,)
        ``sum_i sign_i``.
    """
    units, mean = evaluation.units, np.zeros(estimate.shape)
    sums, signs = np.zeros((masks.n_resamples, *estimate.shape)), np.zeros(masks.n_resamples)
    for rows in evaluation.row_steps():
        influence = evaluation.influence(rows, estimate)
        counts = units.counts(rows).astype(np.float64)
        mean += np.einsum("i,imv->mv", counts, influence) / units.size
        flat = influence.reshape(len(influence), -1)
        row_block, first = divmod(rows.start, ROW_BLOCK)
        for block in range(masks.n_blocks):
            swapped = masks.narrow(block, row_block)[:, first : first + len(counts)]
            sign, where = counts - 2.0 * swapped, masks.rows(block)
            sums[where] += (sign @ flat).reshape(len(sign), *mean.shape)
            signs[where] += sign.sum(axis=1)
    sums -= signs[:, None, None] * mean
    return sums, signs


def _centred(
    n_samples: int,
    first: FloatArray,
    second: FloatArray,
    third: FloatArray,
    fourth: FloatArray,
    alone: BoolArray,
) -> InfluenceMoments:
    """Centre sums of powers and of products; `third` is ``sum_i u_ia^2 u_ib``."""
    mean = first / n_samples
    mean_a, mean_b = mean[:, :, None], mean[:, None, :]
    of_two, of_three = (np.diagonal(array, axis1=1, axis2=2) for array in (second, third))
    centred_third = (
        third - mean_b * of_two[:, :, None] - 2 * mean_a * second
        + 2 * n_samples * mean_a**2 * mean_b
    )  # fmt: skip
    centred_fourth = (
        fourth - 4 * mean * of_three + 6 * mean**2 * of_two - 3 * n_samples * mean**4
    )  # fmt: skip
    centred = second - n_samples * mean_a * mean_b
    squares, cubes = (np.diagonal(array, axis1=1, axis2=2) for array in (centred, centred_third))
    apart = squares[:, :, None] + squares[:, None, :] - 2 * centred
    skewed = (
        cubes[:, :, None] - 3 * centred_third
        + 3 * centred_third.swapaxes(1, 2) - cubes[:, None, :]
    )  # fmt: skip
    return InfluenceMoments(
        n_samples, centred, np.maximum(apart, 0.0), cubes, skewed, centred_fourth, alone
    )
