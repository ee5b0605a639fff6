"""Studentized differences of averages and other smooth metrics after swaps, pair by pair.

A sample adds ``d_i = g_a x_ia - g_b x_ib`` to a difference: x are its statistics and g the slopes
of each model's value at its totals. With ``u = x_a - x_b``, ``v = x_a + x_b`` and the sign s of a
swap, ``d_i = s_i u_i (g_a + g_b) / 2 + v_i (g_a - g_b) / 2``: two matrix products give the sum of
the squares after any swap. Of an average over classes x are the residuals ``N_k - F_k D_k`` around
the pooled quotients, as in `significance.studentized`; of any other metric they are the statistics
themselves.

Samples of hard labels that have the same true class, predictions and stratum are one kind, whose
squares are added up before; their matrices are sparse.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from modelcompare.arrays import PASS_BYTES, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.base import Metric
from modelcompare.significance.exact import are_hard_counts
from modelcompare.significance.swaps.kinds import (
    PairForm,
    SummedForm,
    each_unit,
    kinds_of_labels,
)
from modelcompare.significance.swaps.pairs import SwappedPairs
from modelcompare.significance.swaps.sums import class_slopes
from modelcompare.significance.swaps.units import SwapUnits

# More columns than this take too long to differentiate one by one.
MOST_SLOPES = 100
_STEP = 1e-5


class SwappedForms(SwappedPairs[PairForm | SummedForm]):
    """Studentized differences of one metric without classes under given swaps.

    Parameters
    ----------
    evaluation, model_a, model_b
        As for `SwappedPairs`.
    metric : Metric
        One of the evaluation's metrics that `applies`.
    """

    def __init__(
        self, evaluation: Evaluation, metric: Metric, model_a: IntArray, model_b: IntArray
    ) -> None:
        joined = SwapUnits.of(evaluation)
        self.labelled = are_hard_counts(evaluation, metric) and not joined.joined
        super().__init__(joined, model_a, model_b)
        self.metric = metric

    @staticmethod
    def applies(evaluation: Evaluation, metric: Metric) -> bool:
        """True for a metric with one value, whose slopes can be had at a fair cost.

        Of an average of soft scores over many classes they cannot; `SwappedExpansions` serves it.
        """
        if metric.per_class or not metric.smooth:
            return False
        if metric.average is None:
            return sum(_widths(evaluation, metric)) <= MOST_SLOPES
        return are_hard_counts(evaluation, metric)

    @cached_property
    def observed(self) -> FloatArray:
        """Statistics of the data as they are, of shape (n_pairs, 1).

        They are 0 where a value is lost in the sum of the two models' totals: nothing is shown.
        """
        pairs = map(self.pair, range(len(self.model_a)))
        found = np.array([self.statistics(pair, pair.sums[:, None]) for pair in pairs])
        point = self.evaluation.estimate()[:, self.evaluation.metric_slice(self.metric.name)]
        lost = np.isnan(found) & ~np.isnan(point[self.model_a] - point[self.model_b])
        return np.where(lost, 0.0, found)

    def form_pair(self, place: int) -> PairForm | SummedForm:
        a, b = int(self.model_a[place]), int(self.model_b[place])
        if self.labelled:
            return kinds_of_labels(self.evaluation, self.metric, a, b)
        return each_unit(self.units, self.metric, self._of_model(a), self._of_model(b))

    def _of_model(self, model: int) -> FloatArray:
        """A model's statistics of all units, (n_units, n_columns)."""
        if model not in self._of_models:
            found = self.joined.statistics((self.metric,), slice(model, model + 1))
            columns = np.hstack([found[statistic][:, 0] for statistic in self.metric.statistics])
            if len(self.evaluation.models) * columns.nbytes > PASS_BYTES:
                return columns
            self._of_models[model] = columns
        return self._of_models[model]

    @cached_property
    def _of_models(self) -> dict[int, FloatArray]:
        """Statistics of the models, kept where those of all fit into some memory."""
        return {}

    def statistics(self, pair: PairForm | SummedForm, sums: FloatArray) -> FloatArray:
        totals = pair.totals(sums)
        parts = [self._parts(total) for total in totals]
        first, second = (self.metric.value(*part) for part in parts)
        difference, size = first - second, self.units.size
        if self.metric.average is None:
            slope = slopes(self._value, np.stack(totals), pair.total)
            square = pair.squares(sums, slope[0], slope[1])
            if pair.within is None:
                # What the samples' d lack of the difference is spread over all of them.
                lack = (slope[0] * totals[0] - slope[1] * totals[1]).sum(axis=0)
                square += (difference**2 - lack**2) / size
        else:
            slope_a, slope_b = (class_slopes(self.metric, part).T for part in parts)
            square = pair.squares(sums, slope_a, slope_b)
        difference[np.abs(difference) <= 1e-13 * (np.abs(first) + np.abs(second))] = 0.0
        least = difference**2 / size
        square = np.maximum(square, least) if pair.within is None else square + least
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


def slopes(
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
