"""The ROC AUC of a scan, from counts of scores in fine bins: a function of sums.

Pairs of a positive and a negative in one bin count a half, as ties do. If a model has at most 4,096
distinct scores, each has its bin, and the area is exact. Otherwise it is off by at most half of the
share of pairs in one bin: with bins of equal shares of the samples, one pair in 4,096 is in the
same bin, in almost equally many cases in either order, and the error of the AUC is less than a
thousandth of its standard error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from modelcompare.arrays import PASS_BYTES, FloatArray, IntArray
from modelcompare.data.test_set import Access, TestSet
from modelcompare.engine.parallel import map_blocks
from modelcompare.metrics.base import AnyMetric, OrderMetric, Outcomes
from modelcompare.resampling.weights import GivenWeights, Units, Weights

N_BINS = 4096
# Number of scores, from the whole test set, whose quantiles are the edges of the bins.
_SAMPLE = 2**18


def has_bins(metric: AnyMetric, access: Access[Any]) -> bool:
    """Return whether a metric of a scan can be computed from bins: the ROC AUC of two classes."""
    area = isinstance(metric, OrderMetric) and metric.name == "roc_auc"
    return area and access.n_classes == 2


def by_blocks(metrics: Sequence[AnyMetric], predictions: TestSet) -> Sequence[AnyMetric]:
    """Return the metrics for a test set; with AUC from bins if it is read block by block.

    Raises
    ------
    ValueError
        If a metric needs all samples at once, and these are read block by block.
    """
    head = predictions.access.head
    if head is predictions:
        return metrics
    whole = [m.name for m in metrics if not (m.is_additive or has_bins(m, head.access))]
    if whole:
        raise ValueError(
            f"{', '.join(whole)} cannot be computed block by block: it needs all samples at once, "
            "not sums over them; read everything into memory with .load(), or leave it out."
        )
    signature = partial(_signature, predictions)
    return [replace(m, signature=signature) if has_bins(m, head.access) else m for m in metrics]


def _signature(predictions: TestSet) -> str:
    exact = all(few for _, few in _edges(predictions).values())
    return "a bin for each score" if exact else f"{N_BINS} bins"


class BinnedAreas:
    """ROC AUC of all models of a scan, under weights and without each sample.

    Parameters
    ----------
    predictions : TestSet
        A test set of two classes, read block by block.
    units : Units
        Its samples.
    """

    def __init__(self, predictions: TestSet, units: Units) -> None:
        self._predictions, self._units = predictions, units

    def values(self, weights: Weights) -> Iterator[tuple[slice, FloatArray]]:
        """Yield areas (n_resamples, n_models), some resamples at a time."""
        n_models = len(self._predictions.models)
        # Counts of the resamples of one reading: twice the size of a pass, as reading is slow.
        of_a_block = 8 * weights.block_size(0) * n_models * 2 * N_BINS
        step = max(1, 2 * PASS_BYTES // of_a_block)
        for first in range(0, weights.n_blocks, step):
            blocks = range(first, min(first + step, weights.n_blocks))
            for block, counts in zip(blocks, self._counts(weights, blocks), strict=True):
                yield weights.rows(block), _area(counts)

    def left_out(self, part: TestSet, model: str, rows: slice) -> FloatArray:
        """Compute the area of a model without each of some samples, of shape (n_samples, 1)."""
        negative, positive = self._total[self._predictions.models.index(model)]
        cells = self._cells(part, model)[rows]
        of_positive, place = cells >= N_BINS, cells % N_BINS
        below = np.cumsum(negative) - negative / 2
        above = positive.sum() - np.cumsum(positive) + positive / 2
        weight = part.access.weights[rows]
        lost = weight * np.where(of_positive, below[place], above[place])
        n_positive = positive.sum() - np.where(of_positive, weight, 0.0)
        n_negative = negative.sum() - np.where(of_positive, 0.0, weight)
        wins = (positive * below).sum() - lost
        pairs = n_positive * n_negative
        return np.divide(wins, pairs, out=np.full(len(wins), np.nan), where=pairs > 0)[:, None]

    @cached_property
    def _total(self) -> FloatArray:
        """Counts of the test set, of shape (n_models, 2, N_BINS)."""
        (counts,) = self._counts(GivenWeights.everything(self._units), [0])
        return counts[0]

    def _counts(self, weights: Weights, blocks: Sequence[int]) -> list[FloatArray]:
        """Sum weights by class and bin, (block_size, n_models, 2, N_BINS), for each block."""
        models = self._predictions.models
        sums = [np.zeros((weights.block_size(b), len(models), 2 * N_BINS)) for b in blocks]
        for row_block, part in enumerate(self._predictions.access.blocks()):
            cells = [self._cells(part, model) for model in models]

            def add(place: int, row_block: int = row_block, part: TestSet = part) -> None:
                drawn = weights.draw(blocks[place], row_block)
                if part.sample_weight is not None:
                    drawn = drawn * part.sample_weight
                for total, row in zip(sums[place], drawn, strict=True):
                    for of_model, where in zip(total, cells, strict=True):  # noqa: B023
                        of_model += np.bincount(where, row, 2 * N_BINS)

            map_blocks(add, range(len(blocks)))
        return [each.reshape(len(each), len(models), 2, N_BINS) for each in sums]

    def _cells(self, part: TestSet, model: str) -> IntArray:
        """Return the bin of each sample's score; bins of positives follow those of negatives."""
        outcomes = Outcomes.of(part, model)
        place = np.searchsorted(
            _edges(self._predictions)[model][0], outcomes.score(1), side="right"
        )
        return outcomes.true_codes * N_BINS + place


def _edges(predictions: TestSet) -> dict[str, tuple[FloatArray, bool]]:
    """Inner edges of each model's bins, and True if they are its scores, else quantiles."""
    return predictions.access.kept(("edges of bins", N_BINS), lambda: _found_edges(predictions))


def _found_edges(predictions: TestSet) -> dict[str, tuple[FloatArray, bool]]:
    step = max(1, len(predictions) // _SAMPLE)
    found: dict[str, list[FloatArray]] = {model: [] for model in predictions.models}
    distinct = dict.fromkeys(found, np.empty(0))
    for part in predictions.access.blocks():
        for model, scores in found.items():
            score = Outcomes.of(part, model).score(1)
            scores.append(score[::step])
            if len(distinct[model]) <= N_BINS:
                distinct[model] = np.union1d(distinct[model], score)
    shares = np.arange(1, N_BINS) / N_BINS
    return {
        model: (distinct[model][1:], True)
        if len(distinct[model]) <= N_BINS
        else (np.unique(np.quantile(np.concatenate(scores), shares)), False)
        for model, scores in found.items()
    }


def _area(counts: FloatArray) -> FloatArray:
    """Compute areas from counts (..., 2, N_BINS), NaN where a class is missing."""
    negative, positive = counts[..., 0, :], counts[..., 1, :]
    below = np.cumsum(negative, axis=-1) - negative / 2
    wins = (positive * below).sum(axis=-1)
    pairs = positive.sum(axis=-1) * negative.sum(axis=-1)
    return np.divide(wins, pairs, out=np.full(wins.shape, np.nan), where=pairs > 0)
