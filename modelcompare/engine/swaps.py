"""Totals of two models whose outputs are swapped for some samples.

For a mask Z the swapped totals of a pair are ``total_a - Z @ S_a + Z @ S_b`` and the mirror image:
``Z @ S`` is computed once for each model and serves all of its pairs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.weights import Weights
from modelcompare.metrics.base import Metric

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

# Totals of one block of pairs that stay in the processor's cache.
_CACHED_NUMBERS = 32_768


def swapped_differences(
    evaluation: Evaluation, masks: Weights, model_a: IntArray, model_b: IntArray
) -> Iterator[tuple[slice, slice, FloatArray]]:
    """Differences a - b after swapping the outputs of the masked units.

    Parameters
    ----------
    evaluation : Evaluation
        Models, metrics and units; sum metrics only.
    masks : SwapMasks
        Units that swap.
    model_a, model_b : ndarray of int of shape (n_pairs,)
        Positions of the models of each pair.

    Yields
    ------
    resamples, pairs : slice
        Which block of resamples and of pairs.
    differences : ndarray of shape (block_size, n_pairs_in_block, n_values)
    """
    _require_sums(evaluation)
    everything = evaluation.units.counts().astype(np.float64)[None, :]
    total = evaluation.totals(_given(evaluation, everything))[0]
    for block in range(masks.n_blocks):
        moved = evaluation.totals(masks, blocks=[block])[0]
        kept = total - moved
        width = max(1, moved.shape[1] // len(evaluation.models))
        step = max(1, _CACHED_NUMBERS // (len(moved) * width))
        for start in range(0, len(model_a), step):
            pairs = slice(start, min(start + step, len(model_a)))
            a, b = model_a[pairs], model_b[pairs]
            value_a = evaluation.values_of_swapped(kept, moved, a, b)
            value_b = evaluation.values_of_swapped(kept, moved, b, a)
            yield masks.rows(block), pairs, value_a - value_b


def _given(evaluation: Evaluation, weights: FloatArray) -> Weights:
    from modelcompare.engine.weights import GivenWeights

    return GivenWeights(weights, evaluation.units)


def _require_sums(evaluation: Evaluation) -> None:
    others = [metric.name for metric in evaluation.metrics if not isinstance(metric, Metric)]
    if others:
        raise ValueError(
            f"swapped totals exist for metrics that are sums only, not for {', '.join(others)}."
        )
