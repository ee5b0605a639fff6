"""Families of swap tests: step-down p-values from swaps that all pairs and classes share.

Holm's method multiplies the smallest p-value by the number of tests; where that number is large and
p-values cannot be small (few resamples, rare classes), nothing can be found. Step-down by the joint
distribution of the same swaps uses what the tests have in common instead.

- Exact tests (`significance.exact`) by the smallest p-value (min-p): each swapped data set has
  exact p-values of its own.
- Others by the largest studentized difference (max-T).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.base import AnyMetric, Metric
from modelcompare.resampling.weights import SwapMasks
from modelcompare.significance.corrections import max_t_step_down
from modelcompare.significance.exact import Grids
from modelcompare.significance.pair_counts import pair_counts
from modelcompare.significance.studentized import road_of, swap_statistic
from modelcompare.significance.swaps.statistic import DrawnSwaps
from modelcompare.words import Alternative


def step_down_p_values(
    evaluation: Evaluation,
    metric: AnyMetric,
    model_a: IntArray,
    model_b: IntArray,
    *,
    n_resamples: int,
    seed: np.random.SeedSequence,
    alternative: Alternative = "two-sided",
    drawn: DrawnSwaps | None = None,
) -> FloatArray:
    """Adjusted p-values of a metric's family: all of its pairs and classes.

    Parameters
    ----------
    evaluation : Evaluation
        Models, metrics and units.
    metric : Metric, OrderMetric or CallableMetric
        One of its metrics; one that is no sum has its swaps `drawn`.
    model_a, model_b : ndarray of int of shape (n_pairs,)
        Positions of the models of each pair; differences are a - b.
    n_resamples : int
        Random swaps; the smallest p-value is one over their number and one.
    seed : SeedSequence
        Of the swaps.
    alternative : {"two-sided", "greater", "less"}
        "greater": a is greater than b.
    drawn : DrawnSwaps, optional
        The same swaps, where the test has drawn them already.

    Returns
    -------
    ndarray of shape (n_pairs, n_values)
    """
    if drawn is None and isinstance(metric, Metric) and road_of(evaluation, metric) == "exact":
        masks = SwapMasks(evaluation.units, n_resamples, seed)
        null = _ExactNull(evaluation, metric, model_a, model_b, alternative)
        adjusted = max_t_step_down(null.blocks(masks), null.observed)
        return adjusted.reshape(len(model_a), -1)
    if drawn is None:
        statistic = swap_statistic(evaluation, metric, model_a, model_b)
        masks = SwapMasks(statistic.units, n_resamples, seed)
        drawn = DrawnSwaps(statistic, masks, slice(None))
    sizes = drawn.map(lambda t: _size(t, alternative).reshape(len(t), -1))
    observed = _size(drawn.observed, alternative)
    return max_t_step_down(sizes, observed.ravel()).reshape(observed.shape)


def _size(statistic: FloatArray, alternative: Alternative) -> FloatArray:
    if alternative == "two-sided":
        return np.abs(statistic)
    return statistic if alternative == "greater" else -statistic


class _ExactNull:
    """Exact p-values of swapped data sets, looked up: minus their logarithms."""

    def __init__(
        self,
        evaluation: Evaluation,
        metric: Metric,
        model_a: IntArray,
        model_b: IntArray,
        alternative: Alternative,
    ) -> None:
        self.model_a, self.model_b = model_a, model_b
        counts = pair_counts(evaluation, model_a, model_b, per_class=metric.per_class)
        self._only_a = counts.only_a
        self._grids = Grids.of(metric, counts, evaluation.predictions.n_classes)
        p_values, self._first = self._grids.tables(alternative)
        # As logarithms small p-values and large ones are equal but for rounding alike.
        self._tables = -np.log(p_values)
        self._marks = _marks(evaluation, per_class=metric.per_class)
        undefined = self._grids.undefined()
        self.observed = np.where(undefined, np.nan, self._looked_up(self._only_a[..., None])[0])

    def blocks(self, masks: SwapMasks) -> Iterator[FloatArray]:
        """Minus log p-values (block_size, n_hypotheses) of each block of swaps."""
        n_models, n_values = int(self._marks.shape[0]), self._only_a.shape[1]
        n_models //= 2 * n_values
        for block in range(masks.n_blocks):
            moved = (self._marks @ masks.draw_all(block).T).reshape(n_models, n_values, 2, -1)
            drawn = self._only_a[..., None] - moved[self.model_a]
            drawn += moved[self.model_b]
            yield self._looked_up(drawn)

    def _looked_up(self, drawn: FloatArray) -> FloatArray:
        """Of numbers (n_pairs, n_values, 2, n_resamples), which lie together."""
        cells = self._grids.cells(drawn.reshape(-1, *drawn.shape[2:]))
        cells += self._first[:, None]
        return self._tables[cells].T


def _marks(evaluation: Evaluation, *, per_class: bool) -> sparse.csr_array:
    """Hits and false alarms of each model, class and unit, (n_models * n_values * 2, n_units)."""
    rows, columns = [], []
    n_values = evaluation.predictions.n_classes if per_class else 1
    for place, model in enumerate(evaluation.models):
        outcomes = evaluation.outcomes(model)
        wrong = outcomes.predicted != outcomes.codes
        units = np.arange(len(wrong)) if per_class else np.flatnonzero(~wrong)
        said = outcomes.predicted[units] if per_class else np.zeros(len(units), np.intp)
        rows.append((place * n_values + said) * 2 + wrong[units])
        columns.append(units)
    shape = (len(evaluation.models) * n_values * 2, evaluation.units.n_units)
    row, column = np.concatenate(rows), np.concatenate(columns)
    return sparse.csr_array((np.ones(len(row)), (row, column)), shape=shape)
