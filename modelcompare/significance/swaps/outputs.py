"""Differences of metrics that are not sums, evaluated after swaps of two models' outputs.

A function is called for both models after each swap. A metric of order sorts once: each sample
is in the order twice, once with each model's output, and a swap gives one of them the weight 0.

The plain difference tests that models are exchangeable. Two values may be equal where models are
not: of two laws of errors with one median, swapped data sets mix the two, and vary less than the
medians do. So the default test divides differences after swaps by their own standard deviation,
and the observed one by that or by the standard error of the paired bootstrap, whichever is larger.
A standard error of each swapped data set would need a resampling of each; this needs one, needs no
derivative, and works for medians, quantiles and any function.

Where models are exchangeable the p-value is never below that of the exact permutation test, so the
level is valid for any number of samples. Where only their values are equal it is valid in the limit
if the bootstrap is (not for a maximum).

References
----------
.. [1] Chung & Romano (2013), Annals of Statistics 41, 484-507.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from modelcompare.arrays import CACHE_BYTES, AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.data.kinds import VALUES
from modelcompare.data.outputs import Output
from modelcompare.data.test_set import TestSet
from modelcompare.engine.callables import call_function, given_output
from modelcompare.engine.memory import check_replicates
from modelcompare.engine.pairs import difference_of
from modelcompare.engine.parallel import map_blocks, watched
from modelcompare.engine.partition import Partition, is_of_rows
from modelcompare.metrics.base import CallableMetric, OrderMetric, Outcomes
from modelcompare.resampling.weights import SwapMasks
from modelcompare.significance.pairwise import PairView
from modelcompare.significance.swaps.statistic import (
    Asked,
    Counts,
    Result,
    SwapStatistic,
    count_extreme,
)

# Where two models' outputs differ (n_samples,), and both models' values, each (n_masks, n_values),
# after the swaps of masks (n_masks, n_samples) of 0 and 1.
_Pair = tuple[BoolArray, Callable[[AnyArray], tuple[FloatArray, FloatArray]]]


class SwappedOutputs(SwapStatistic):
    """Differences of pairs of models in a metric that is not a sum, after swaps of outputs.

    Parameters
    ----------
    view : PairView
        The pairs, and their paired bootstrap.
    metric : OrderMetric or CallableMetric
        One of its metrics.
    """

    def __init__(self, view: PairView, metric: OrderMetric | CallableMetric) -> None:
        super().__init__(view.evaluation, view.pairs)
        self.units = view.evaluation.units
        self.view, self.metric = view, metric
        self._values = view.evaluation.metric_slice(metric.name)
        access = view.evaluation.access
        self._unit_of = None if access.unit == "samples" else access.unit_of
        self._pairs: dict[int, _Pair] = {}
        self._drawn: dict[int, FloatArray] = {}

    def differences(
        self, masks: SwapMasks, reduce: Callable[[FloatArray], Result], pairs: IntArray
    ) -> list[Result]:
        """Reduce plain differences (block_size, n_pairs, n_values) of each block of swaps."""
        chosen, unit_of = [self._pair(place) for place in pairs.tolist()], self._unit_of

        def one(block: int) -> Result:
            drawn = masks.draw_all(block).astype(np.uint8)
            swapped = drawn if unit_of is None else drawn[:, unit_of]
            return reduce(np.stack([_differences(pair, swapped) for pair in chosen], axis=1))

        called = isinstance(self.metric, CallableMetric)
        n_weights = 16 * masks.block_size(0) * len(self.evaluation.predictions) * len(chosen)
        with watched(masks.n_blocks):
            return map_blocks(
                one, range(masks.n_blocks),
                prefer="processes" if called else "threads",
                numbers=float("inf") if called else n_weights,
            )  # fmt: skip

    def counts(self, masks: SwapMasks, pairs: IntArray, asked: Asked) -> Counts:
        null, observed = self._studentized(self._null(masks, pairs), pairs)
        if masks.movable is not None:
            null[0] = observed
        return count_extreme([null.transpose(1, 2, 0)], observed, asked)

    @property
    def observed(self) -> FloatArray:
        pairs = np.arange(len(self.model_a))
        return self._studentized(self._null(self.view.masks, pairs), pairs)[1]

    def moving(self, pair: int) -> IntArray:
        differ = self._pair(pair)[0]
        return np.flatnonzero(differ) if self._unit_of is None else np.unique(self._unit_of[differ])

    def _pair(self, place: int) -> _Pair:
        if place not in self._pairs:
            evaluation = self.evaluation
            models = [evaluation.models[side[place]] for side in (self.model_a, self.model_b)]
            self._pairs[place] = _pair_of(
                evaluation.predictions, self.metric, models, evaluation.partition
            )
        return self._pairs[place]

    def _null(self, masks: SwapMasks, pairs: IntArray) -> FloatArray:
        """Return differences (n_resamples, n_pairs, n_values), evaluated once for each pair."""
        kept = self._drawn if masks is self.view.masks else {}
        missing = np.array([place for place in pairs.tolist() if place not in kept], dtype=np.intp)
        if len(missing):
            check_replicates(masks.n_resamples, len(pairs), self._values.stop - self._values.start)
            found = np.concatenate(self.differences(masks, lambda block: block, missing))
            kept |= {place: found[:, k] for k, place in enumerate(missing.tolist())}
        return np.stack([kept[place] for place in pairs.tolist()], axis=1)

    def _studentized(self, null: FloatArray, pairs: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return differences after swaps, and the observed ones, over their standard deviation."""
        spread = _spread(null)
        wider = np.maximum(spread, self._bootstrap_errors[pairs])
        # Swaps that never change a value have no spread to divide by.
        moves = spread > 0
        null = np.divide(null, spread, out=null.copy(), where=moves)
        observed = self.view.estimate[pairs, self._values]
        return null, np.divide(observed, wider, out=observed.copy(), where=moves)

    @cached_property
    def _bootstrap_errors(self) -> FloatArray:
        """Standard errors (n_pairs, n_values) of the paired bootstrap."""
        drawn = self.view.sample.drawn[:, :, self._values]
        pairs = zip(self.model_a, self.model_b, strict=True)
        return np.array([_spread(drawn[:, a] - drawn[:, b]) for a, b in pairs])


def _pair_of(
    predictions: TestSet, metric: OrderMetric | CallableMetric, models: Sequence[str],
    partition: Partition | None,
) -> _Pair:  # fmt: skip
    """Return a pair of models, whose values are means over the parts if there are several."""
    if partition is None or is_of_rows(metric):
        if isinstance(metric, CallableMetric):
            return _called(predictions, metric, models)
        return _sorted(predictions, metric, models)
    parts = [_pair_of(predictions.subset(rows), metric, models, None) for rows in partition.rows]
    differ = np.empty(len(predictions), dtype=bool)
    for rows, (here, _) in zip(partition.rows, parts, strict=True):
        differ[rows] = here

    def values(masks: AnyArray) -> tuple[FloatArray, FloatArray]:
        each = zip(partition.rows, parts, strict=True)
        first, second = np.mean([of_part(masks[:, rows]) for rows, (_, of_part) in each], axis=0)
        return first, second

    return differ, values


def _called(predictions: TestSet, metric: CallableMetric, models: Sequence[str]) -> _Pair:
    """Call a function with swapped arrays, in the order of the samples."""
    a, b = (given_output(metric, predictions, model) for model in models)
    weights = predictions.access.weights[None]

    def values(masks: AnyArray) -> tuple[FloatArray, FloatArray]:
        chosen = masks.astype(bool).reshape(masks.shape + (1,) * (a.ndim - 1))
        both = [
            [call_function(metric, predictions, array, weights).ravel() for array in swapped]
            for swapped in ((np.where(z, b, a), np.where(z, a, b)) for z in chosen)
        ]
        found = np.array(both)
        return found[:, 0], found[:, 1]

    return _rows_differ(a, b), values


def _sorted(predictions: TestSet, metric: OrderMetric, models: Sequence[str]) -> _Pair:
    """Sort both models' outputs together, and weigh each sample's by 1 and 0."""
    a, b = (Outcomes.of(predictions, model) for model in models)
    scored = any(o.output.kind.real or o.output.order is not None for o in (a, b))
    if metric.serves_values and scored:
        # Raw scores have different scales, which the order of the samples ignores.
        a, b = _ranked(a), _ranked(b)
    evaluate, weight = metric.prepare(_one_after_the_other(a, b)), a.weight

    def values(masks: AnyArray) -> tuple[FloatArray, FloatArray]:
        # Sample after sample: order metrics read them several times faster.
        moved = np.ascontiguousarray(masks.T)
        kept = 1 - moved
        if weight is not None:
            kept, moved = kept * weight[:, None], moved * weight[:, None]
        found = [
            evaluate(np.concatenate(parts).T).reshape(len(masks), -1)
            for parts in ((kept, moved), (moved, kept))
        ]
        return found[0], found[1]

    return _differ(a.output, b.output), values


def _differences(pair: _Pair, masks: AnyArray) -> FloatArray:
    """Return differences (n_masks, n_values) after swaps; 0 where only rounding differs."""
    step, (_, values) = max(1, 8 * CACHE_BYTES // (16 * masks.shape[1])), pair
    starts = range(0, len(masks), step)
    return np.concatenate([difference_of(*values(masks[start : start + step])) for start in starts])


def _spread(differences: FloatArray) -> FloatArray:
    """Return the standard deviation of finite differences along axis 0; 0 if there are none."""
    finite = np.isfinite(differences)
    n_finite = np.maximum(finite.sum(axis=0), 1)
    known = np.where(finite, differences, 0.0)
    centred = np.where(finite, known - known.sum(axis=0) / n_finite, 0.0)
    return np.asarray(np.sqrt((centred**2).sum(axis=0) / n_finite))


def _ranked(outcomes: Outcomes) -> Outcomes:
    from scipy.stats import rankdata

    return replace(outcomes, output=Output(VALUES, rankdata(outcomes.score(1))))


def _one_after_the_other(a: Outcomes, b: Outcomes) -> Outcomes:
    """Return both models' outcomes as those of twice as many samples."""

    def twice(array: AnyArray | None) -> AnyArray | None:
        return None if array is None else np.concatenate([array, array])

    return replace(
        a, output=a.output.then(b.output),
        codes=twice(a.codes), y_true=twice(a.y_true), weight=twice(a.weight),
        true_distribution=twice(a.true_distribution),
    )  # fmt: skip


def _differ(first: Output, second: Output) -> BoolArray:
    differ = _rows_differ(first.array, second.array)
    if first.beside is not None and second.beside is not None:
        differ |= _rows_differ(first.beside, second.beside)
    return differ


def _rows_differ(first: AnyArray, second: AnyArray) -> BoolArray:
    return np.asarray((first != second).reshape(len(first), -1).any(axis=1))
