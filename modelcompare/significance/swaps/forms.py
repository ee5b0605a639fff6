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

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from modelcompare.arrays import PASS_BYTES, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.base import Metric, class_slopes
from modelcompare.metrics.quotient import Quotient
from modelcompare.significance.exact import are_hard_counts
from modelcompare.significance.swaps.kinds import PairForm, kinds_of_labels, kinds_of_units
from modelcompare.significance.swaps.pairs import PairSums, SwappedPairs
from modelcompare.significance.swaps.statistic import studentized
from modelcompare.significance.swaps.units import SwapUnits

# More columns than this take too long to differentiate one by one.
MOST_SLOPES = 100
_STEP = 1e-5


def forms_apply(evaluation: Evaluation, metric: Metric) -> bool:
    """Return True for a metric with one value and slopes at moderate cost.

    `ExpandedAverage` is used for averages of soft scores over many classes.
    """
    if metric.per_class or not metric.smooth:
        return False
    if metric.average is None:
        return sum(_widths(evaluation, metric)) <= MOST_SLOPES
    return are_hard_counts(evaluation, metric)


def swapped_forms(
    evaluation: Evaluation, metrics: Sequence[Metric], model_a: IntArray, model_b: IntArray
) -> SwappedPairs:
    """Return studentized differences of one metric that `forms_apply` to under given swaps."""
    (metric,), joined = metrics, SwapUnits.of(evaluation)
    labelled = are_hard_counts(evaluation, metric) and not joined.joined

    widths = _widths(evaluation, metric)
    keeps = 8 * joined.units.n_units * sum(widths) * len(evaluation.models) <= PASS_BYTES
    # A function that caches its results could not be sent to another process.
    kept: dict[int, FloatArray] = {}

    def of_model(model: int) -> FloatArray:
        """Return a model's statistics of all units, (n_units, n_columns)."""
        if model in kept:
            return kept[model]
        found = joined.statistics((metric,), slice(model, model + 1))
        numbers = np.hstack([found[statistic][:, 0] for statistic in metric.statistics])
        if keeps:
            kept[model] = numbers
        return numbers

    def form(a: int, b: int) -> PairSums:
        kinds = (
            kinds_of_labels(evaluation, metric, a, b)
            if labelled
            else kinds_of_units(of_model(a), of_model(b))
        )
        pair = PairForm.of(joined.units, metric, kinds, summed=not labelled)
        edges = np.cumsum(widths)[:-1]
        statistics = partial(_statistics, metric, edges, joined.units.size, pair)
        return PairSums(pair.signed, pair.sums, statistics)

    return SwappedPairs(joined, metric, model_a, model_b, form)


def _statistics(
    metric: Metric, edges: IntArray, size: int, pair: PairForm, sums: FloatArray
) -> FloatArray:
    """Return statistics (n_masks,) from signed sums; `edges` split the columns."""

    def parts(totals: FloatArray) -> list[FloatArray]:
        """Split totals (..., n_columns, n_masks) into one array (..., n_masks, width) each."""
        return [np.swapaxes(part, -1, -2) for part in np.split(totals, edges, axis=-2)]

    totals = pair.totals(sums)
    first, second = (metric.value(*parts(total)) for total in totals)
    difference = first - second
    if metric.average is not None:
        slope = np.stack([class_slopes(metric, *parts(total)).T for total in totals])
    elif isinstance(metric.value, Quotient) and metric.value.gradient is not None:
        slope = np.stack([np.hstack(metric.value.slopes(*parts(total))).T for total in totals])
    else:
        slope = slopes(lambda t: metric.value(*parts(t)), np.stack(totals), pair.total)
    square = pair.square(sums, (slope[0] + slope[1]) / 2, (slope[0] - slope[1]) / 2)
    if metric.average is None and not pair.centred:
        # The rest of the difference, which the samples' d do not explain, is spread over them.
        lack = (slope[0] * totals[0] - slope[1] * totals[1]).sum(axis=0)
        square += (difference**2 - lack**2) / size
    difference[np.abs(difference) <= 1e-13 * (np.abs(first) + np.abs(second))] = 0.0
    without = np.isnan(difference)
    found = studentized(difference, square, size, centred=pair.centred)
    return np.where(without, np.nan, found)


def slopes(
    value: Callable[[FloatArray], FloatArray], totals: FloatArray, scale: FloatArray
) -> FloatArray:
    """Return slopes of a value by central differences, shaped like the totals.

    One-sided where the value is undefined after a step.
    """
    out = np.zeros_like(totals)
    here = value(totals)
    step = _STEP * np.maximum(np.abs(scale), 1e-8 * np.abs(scale).max(initial=0.0))
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
