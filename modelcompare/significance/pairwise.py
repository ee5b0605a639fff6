"""Paired tests of all pairs of models and all values at once.

Which test: all four ask whether two models' values differ on this kind of data.

- ``sign-flip`` flips the signs of the samples' influences on the difference. Its null is that the
  two values are equal, nothing more; for means of per-sample scores it is the usual paired
  permutation test. In a stratified design it is conservative: what differs between strata counts
  as chance.
- ``permutation`` (approximate randomization) swaps the two models' outputs. Its null is that the
  models are exchangeable: two models of equal F1, one precise and one with high recall, are not.
- ``bootstrap`` shifts the bootstrap distribution of the difference to 0.
- ``wald`` divides the difference by its influence-function standard error; no resamples. Student's
  t with the error's effective degrees of freedom; 1 where a value rests on a single sample.

Monte-Carlo p-values are (1 + number as extreme) / (1 + number of resamples), and none is below what
all units together can show (`smallest_p_value`), so p is never 0. Statistics that are equal but for
rounding count as equal, and a resample without a value as extreme.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import InfluenceMoments, pair_degrees_of_freedom, signed_sums
from modelcompare.engine.parallel import map_blocks
from modelcompare.engine.swaps import Swaps
from modelcompare.engine.weights import Weights
from modelcompare.metrics.base import AnyMetric

Alternative = Literal["two-sided", "greater", "less"]
TestName = Literal["sign-flip", "permutation", "bootstrap", "wald"]
TESTS: tuple[TestName, ...] = get_args(TestName)

_TIE_TOLERANCE = 1e-10
# Relative difference that a sum of the same numbers in another order may have.
_ROUNDING = 1e-13
# Numbers in one block of pairs: some megabytes, whatever the number of pairs.
_BLOCK_NUMBERS = 2**20


def all_pairs(n_models: int) -> tuple[IntArray, IntArray]:
    """Positions of the two models of every pair, in the models' order.

    Examples
    --------
    >>> [positions.tolist() for positions in all_pairs(3)]
    [[0, 0, 1], [1, 2, 2]]
    """
    model_a, model_b = np.triu_indices(n_models, k=1)
    return model_a, model_b


def pair_differences(values: FloatArray, model_a: IntArray, model_b: IntArray) -> FloatArray:
    """Differences a - b of values (n_models, n_values); exactly 0 where only rounding differs."""
    a, b = values[model_a], values[model_b]
    return np.where(np.abs(a - b) <= _ROUNDING * (np.abs(a) + np.abs(b)), 0.0, a - b)


def pairwise_p_values(
    test: TestName,
    evaluation: Evaluation,
    model_a: IntArray,
    model_b: IntArray,
    *,
    estimate: FloatArray,
    masks: Weights,
    replicates: FloatArray,
    moments: InfluenceMoments,
    alternative: Alternative = "two-sided",
    n_jobs: int | None = None,
) -> FloatArray:
    """p-values of any test, of shape (n_pairs, n_values), from what all tests together need.

    Parameters
    ----------
    test : {"sign-flip", "permutation", "bootstrap", "wald"}
        The test.
    evaluation : Evaluation
        Models, metrics and units.
    model_a, model_b : ndarray of int of shape (n_pairs,)
        Positions of the models of each pair; differences are a - b.
    estimate : ndarray of shape (n_models, n_values)
        Values on the test set.
    masks : SwapMasks
        Random swaps, for the first two tests.
    replicates : ndarray of shape (n_resamples, n_models, n_values)
        Bootstrap replicates, for "bootstrap".
    moments : InfluenceMoments
        For "wald".
    alternative : {"two-sided", "greater", "less"}
        "greater": a is greater than b.
    """
    if test == "sign-flip":
        return sign_flip_p_values(
            evaluation, estimate, masks, model_a, model_b, alternative=alternative, n_jobs=n_jobs
        )
    if test == "permutation":
        return permutation_p_values(
            evaluation, estimate, masks, model_a, model_b, alternative=alternative, n_jobs=n_jobs
        )
    if test == "bootstrap":
        return bootstrap_p_values(
            replicates,
            estimate,
            model_a,
            model_b,
            n_units=evaluation.units.size,
            alternative=alternative,
            n_jobs=n_jobs,
        )
    for metric in evaluation.metrics:
        check_smooth(metric, "test='permutation' or 'bootstrap'")
    return wald_p_values(evaluation, estimate, moments, model_a, model_b, alternative=alternative)


def smallest_p_value(n_units: int, alternative: Alternative = "two-sided") -> float:
    """What the sign test gives where all samples, or clusters, agree; no test can claim more.

    Few units bear few outcomes: five clusters never show anything at the level 0.05, whatever a
    normal curve or the resamples of five equal numbers say.

    Examples
    --------
    >>> smallest_p_value(5)
    0.0625
    """
    floor = 0.5 ** (n_units - (alternative == "two-sided"))
    return max(floor, float(np.finfo(np.float64).tiny))


def check_smooth(metric: AnyMetric, instead: str = "method='permutation' or 'bootstrap'") -> None:
    """Refuse a metric whose errors influence functions do not describe, and say what serves."""
    if not metric.smooth:
        raise ValueError(
            f"metric {metric.name!r} is not smooth, so influence functions do not describe it; "
            f"use {instead}."
        )


def sign_flip_p_values(
    evaluation: Evaluation,
    estimate: FloatArray,
    masks: Weights,
    model_a: IntArray,
    model_b: IntArray,
    *,
    alternative: Alternative = "two-sided",
    n_jobs: int | None = None,
) -> FloatArray:
    """Sign-flip test on influence values, of shape (n_pairs, n_values).

    Sample i adds ``d_i = difference + u_ia - u_ib`` to the difference, where u is its influence on
    a model's value; the d_i average to the difference. Under the null of equal values their signs
    are flipped at random. Studentizing the flipped sums would not change the order of their
    sizes, since the sum of squares of d_i does not depend on the signs, so this is the
    studentized test.
    """
    sums, signs = signed_sums(evaluation, estimate, masks)
    n_samples = evaluation.units.size
    floor = smallest_p_value(n_samples, alternative)
    out = np.empty((len(model_a), estimate.shape[1]))
    blocks = _pair_blocks(len(model_a), sums.shape[0] * estimate.shape[1])

    def fill(block: int) -> None:
        a, b = model_a[blocks[block]], model_b[blocks[block]]
        difference = pair_differences(estimate, a, b)
        flipped = signs[:, None, None] * difference + sums[:, a] - sums[:, b]
        count = _count_extreme(
            flipped / n_samples, difference, _tolerance(estimate, a, b), alternative
        )
        p_values = _p_values(count, masks.n_resamples, difference)
        out[blocks[block]] = np.maximum(p_values, floor)

    map_blocks(fill, range(len(blocks)), n_jobs)
    return out


def permutation_p_values(
    evaluation: Evaluation,
    estimate: FloatArray,
    masks: Weights,
    model_a: IntArray,
    model_b: IntArray,
    *,
    alternative: Alternative = "two-sided",
    n_jobs: int | None = None,
) -> FloatArray:
    """Paired permutation test (approximate randomization), of shape (n_pairs, n_values).

    References
    ----------
    .. [1] Noreen (1989), Computer-intensive methods for testing hypotheses.
    """
    difference = pair_differences(estimate, model_a, model_b)
    tolerance = _tolerance(estimate, model_a, model_b)
    swaps = Swaps(evaluation, masks)

    count = np.zeros(difference.shape)
    for blocks in swaps.passes():
        moved = swaps.moved(blocks, n_jobs)

        def count_block(place: int, moved: list[FloatArray] = moved) -> FloatArray:
            extreme = np.empty(difference.shape)
            for pairs, swapped in swaps.differences(moved[place], model_a, model_b):
                extreme[pairs] = _count_extreme(
                    swapped, difference[pairs], tolerance[pairs], alternative
                )
            return extreme

        count += np.sum(map_blocks(count_block, range(len(moved)), n_jobs), axis=0)
    floor = smallest_p_value(evaluation.units.size, alternative)
    return np.maximum(_p_values(count, masks.n_resamples, difference), floor)


def bootstrap_p_values(
    replicates: FloatArray,
    estimate: FloatArray,
    model_a: IntArray,
    model_b: IntArray,
    *,
    n_units: int,
    alternative: Alternative = "two-sided",
    n_jobs: int | None = None,
) -> FloatArray:
    """Paired bootstrap test with the distribution shifted to the null, (n_pairs, n_values).

    The share of resamples in which the difference strays from the observed one as far as the
    observed one is from 0.
    """
    out = np.empty((len(model_a), estimate.shape[1]))
    blocks = _pair_blocks(len(model_a), replicates.shape[0] * estimate.shape[1])

    def fill(block: int) -> None:
        a, b = model_a[blocks[block]], model_b[blocks[block]]
        difference = pair_differences(estimate, a, b)
        shifted = replicates[:, a] - replicates[:, b] - difference
        count = _count_extreme(shifted, difference, _tolerance(estimate, a, b), alternative)
        p_values = _p_values(count, len(replicates), difference)
        out[blocks[block]] = np.maximum(p_values, smallest_p_value(n_units, alternative))

    map_blocks(fill, range(len(blocks)), n_jobs)
    return out


def wald_p_values(
    evaluation: Evaluation,
    estimate: FloatArray,
    moments: InfluenceMoments,
    model_a: IntArray,
    model_b: IntArray,
    *,
    alternative: Alternative = "two-sided",
) -> FloatArray:
    """Student's test of the difference over its standard error, of shape (n_pairs, n_values)."""
    from scipy.special import stdtr

    difference = pair_differences(estimate, model_a, model_b)
    error = moments.pair_standard_error(model_a, model_b)
    df = pair_degrees_of_freedom(evaluation, estimate, model_a, model_b)
    # Models that agree on every sample differ by 0 with error 0: nothing to reject.
    t = np.divide(difference, error, out=np.zeros_like(difference), where=error > 0)
    t = np.where((error == 0) & (difference != 0), np.copysign(np.inf, difference), t)
    p_value = {
        "two-sided": 2 * stdtr(df, -np.abs(t)),
        "greater": stdtr(df, -t),
        "less": stdtr(df, t),
    }[alternative]
    p_value = np.maximum(p_value, smallest_p_value(moments.n_samples, alternative))
    alone = moments.alone[model_a] | moments.alone[model_b]
    p_value = np.where(alone & (difference != 0), 1.0, p_value)
    return np.where(np.isnan(difference), np.nan, p_value)


def _tolerance(estimate: FloatArray, model_a: IntArray, model_b: IntArray) -> FloatArray:
    return _TIE_TOLERANCE * (np.abs(estimate[model_a]) + np.abs(estimate[model_b]))


def _count_extreme(
    null: FloatArray, observed: FloatArray, tolerance: FloatArray, alternative: Alternative
) -> FloatArray:
    """How many of the null differences along axis 0 are as extreme as the observed one."""
    if alternative == "two-sided":
        less_extreme = np.abs(null) < np.abs(observed) - tolerance
    elif alternative == "greater":
        less_extreme = null < observed - tolerance
    else:
        less_extreme = null > observed + tolerance
    return len(null) - np.count_nonzero(less_extreme, axis=0)


def _p_values(count: FloatArray, n_resamples: int, difference: FloatArray) -> FloatArray:
    return np.where(np.isnan(difference), np.nan, (1 + count) / (1 + n_resamples))


def _pair_blocks(n_pairs: int, numbers_per_pair: int) -> list[slice]:
    step = max(1, _BLOCK_NUMBERS // numbers_per_pair)
    return [slice(start, min(start + step, n_pairs)) for start in range(0, n_pairs, step)]
