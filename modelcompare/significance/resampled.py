"""Tests of all pairs of models and all values at once, by resamples or by standard errors.

``permutation`` (approximate randomization) swaps the two models' outputs; two models of equal F1,
one precise and one with high recall, are not exchangeable.
``bootstrap`` shifts the bootstrap distribution of the difference to 0, and ``wald`` needs no
resamples. No p-value is below what all units together can show (`smallest_p_value`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from modelcompare.arrays import CACHE_BYTES, AnyArray, FloatArray
from modelcompare.engine.joined import JoinedUnits
from modelcompare.engine.parallel import map_blocks
from modelcompare.metrics import Metric
from modelcompare.significance.extreme import (
    resampling_p,
    smallest_p_value,
    standardized,
    student_p,
)
from modelcompare.significance.known import COUNTED, WAYS
from modelcompare.significance.pairwise import Outcome, PairTest, PairView
from modelcompare.significance.swaps.differences import plain_difference
from modelcompare.significance.swaps.outputs import SwappedOutputs
from modelcompare.significance.swaps.statistic import Asked
from modelcompare.significance.swaps.sums import SwappedSums
from modelcompare.works import EFRON_BOOK, INFLUENCE, NOREEN, PHIPSON


def bootstrap(view: PairView) -> Outcome:
    """Run the paired bootstrap test with the distribution shifted to the null.

    The p-value is the share of resamples in which the difference is as far from the observed one as
    the observed one is from 0.
    """
    draws = view.sample.drawn

    def null(pairs: slice) -> FloatArray:
        moved = draws[:, view.model_a[pairs]] - draws[:, view.model_b[pairs]]
        return moved - view.estimate[pairs]

    return by_blocks_of_pairs(view, null, len(draws))


def berg_kirkpatrick(view: PairView) -> Outcome:
    """Return the share of resamples whose difference is at least twice the observed one.

    The test is one-sided: the direction must be declared before the data are seen. Choosing the
    direction of the observed difference, as is often done, doubles the type-I error. A difference
    in the other direction is no evidence at all, and has p = 1.

    References
    ----------
    .. [1] Berg-Kirkpatrick, Burkett & Klein (2012), EMNLP.
    """
    found = bootstrap(view)
    sign = 1.0 if view.alternative == "greater" else -1.0
    p_value = np.where(sign * view.estimate <= 0, 1.0, found.p_value)
    return replace(found, p_value=p_value)


def permutation(view: PairView) -> Outcome:
    """Run the paired permutation test (approximate randomization).

    References
    ----------
    .. [1] Noreen (1989), Computer-intensive methods for testing hypotheses.
    """
    evaluation, every_pair = view.evaluation, np.arange(len(view.model_a))
    count, masks = np.zeros(view.estimate.shape), view.masks
    sums = [metric for metric in evaluation.metrics if isinstance(metric, Metric)]
    if sums:
        masks = view.swaps_of(JoinedUnits.of(evaluation))
        drawn = masks.movable is None
        statistic = SwappedSums(evaluation, sums, view.pairs, formula=plain_difference, drawn=drawn)
        masks = view.masks_of(statistic.units) if drawn else masks
        where = np.r_[tuple(evaluation.metric_slice(metric.name) for metric in sums)]
        count[:, where], _ = statistic.counts(masks, every_pair, Asked(view.alternative))
    for metric in evaluation.metrics:
        if not isinstance(metric, Metric):
            masks = view.swaps_of(JoinedUnits(evaluation, evaluation.units))
            values = evaluation.metric_slice(metric.name)
            found = SwappedOutputs(view, metric).differences(
                masks, partial(view.count_extreme, values=values), every_pair
            )
            count[:, values] = np.sum(found, axis=0)
    return _of_counts(view, count, masks.n_resamples, exact=masks.movable is not None)


def wald(view: PairView) -> Outcome:
    """Run Student's test of the difference over its standard error.

    Each standard error has its effective degrees of freedom. If a value depends on a single sample,
    its standard error is unknown and the p-value is 1.
    """
    centre = view.sample.centre(view.pairs)
    t = standardized(centre, view.standard_error)
    floor = smallest_p_value(view.evaluation.units.size, view.alternative)
    p_value = np.maximum(student_p(t, view.degrees_of_freedom, view.alternative), floor)
    alone = view.sample.alone[view.model_a] | view.sample.alone[view.model_b]
    p_value = np.where(alone & (np.abs(centre) > 0), 1.0, p_value)
    return Outcome(t, p_value, floor=np.full(t.shape, floor))


def by_blocks_of_pairs(
    view: PairView, null: Callable[[slice], FloatArray], n_resamples: int
) -> Outcome:
    """Return the outcome from null differences, which are made for some pairs at a time."""
    n_pairs, n_values = view.estimate.shape
    step = max(1, CACHE_BYTES // (8 * n_resamples * n_values))
    blocks = [slice(i, min(i + step, n_pairs)) for i in range(0, n_pairs, step)]

    def count(block: int) -> AnyArray:
        return view.count_extreme(null(blocks[block]), blocks[block])

    numbers = 4 * min(step, n_pairs) * n_values * n_resamples
    counts = map_blocks(count, range(len(blocks)), numbers=numbers)
    return _of_counts(view, np.concatenate(counts).astype(np.float64), n_resamples)


def _of_counts(
    view: PairView, count: FloatArray, n_resamples: int, *, exact: bool = False
) -> Outcome:
    """Return the outcome from counts of extreme resamples; enumerated ones need no floor."""
    p_value = resampling_p(count, n_resamples, exact=exact)
    floor = None
    if not exact:
        of_units = smallest_p_value(view.evaluation.units.size, view.alternative)
        floor = np.full(p_value.shape, np.maximum(of_units, resampling_p(0, n_resamples)))
        p_value = np.maximum(p_value, floor)
    p_value = np.where(np.isnan(view.estimate), np.nan, p_value)
    ways = np.full(p_value.shape, WAYS[COUNTED]) if exact else None
    return Outcome(view.estimate, p_value, n_resamples, exact, floor, ways=ways)


ROWS: tuple[PairTest, ...] = (
    PairTest(
        "permutation", permutation, reads="sums", by_sample=True,
        phrase=(
            "the paired permutation test ({n} random swaps of the two models' outputs)",
            (NOREEN, PHIPSON),
        ),
    ),
    PairTest(
        "bootstrap", bootstrap, reads="sums",
        phrase=(
            "the bootstrap test of the difference shifted to the null ({n} paired resamples)",
            (EFRON_BOOK, PHIPSON),
        ),
    ),
    PairTest(
        "wald", wald, smooth=True, reads="sums", needs="smooth metrics",
        phrase=(
            "Wald's test with Student's distribution and the standard error of the influences",
            (INFLUENCE,),
        ),
    ),
    PairTest("berg-kirkpatrick", berg_kirkpatrick, reads="sums", alternatives=("greater", "less")),
)  # fmt: skip
