"""Tails that a few samples determine: those that are seen, and those that data may hide.

Where few samples carry the variance, ``(sum u^2)^2 / sum u^4`` of the influences u, an extreme one
was seen; intervals of lognormal means then cover nearly always, and those of the test sets in which
none was seen cover too little (sigma 1, n = 50: 0.89 of 0.95; n = 15: 0.71). So means of positive
numbers without an upper bound are judged by the spread of their logarithms, which hardly depends on
the largest: above `WIDE`, larger numbers than any seen may decide the mean. The spread is less for
logarithms that are skewed to the left, whose upper tail is lighter, as that of exponential numbers.
Logarithms of log losses spread as right answers cost little, which does not bear on wrong ones:
if one was seen, they count only where few samples carry the variance.

A difference has such a tail if one model has it and the other does not: two equal ones lie on both
sides of 0, and do not reduce coverage.
"""

from __future__ import annotations

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.metrics import AnyMetric, Metric
from modelcompare.metrics.planning import loss_of_failure
from modelcompare.metrics.quotient import divide

# Upper limit of the spread of logarithms beyond which a tail may be hidden: of lognormal numbers,
# sigma 1 covers 0.95 from 30 samples on, sigma 2 covers 0.92 to 0.93 of 30 to 300, 0.87 of 15.
WIDE = 1.5
# The same of all logarithms, however skewed, from which few carriers count as well: squared errors
# with heavy tails (t with three degrees of freedom) have 2.4, exponential numbers 1.3.
_SQUARES = 2.0
# One-sided normal quantile of that limit.
_QUANTILE = 1.64
# Units above which their logarithms would cost time; few of so many carry the variance if it hides.
_MOST = 100_000


def log_spreads(evaluation: Evaluation, metric: AnyMetric) -> tuple[FloatArray, FloatArray] | None:
    """Return the spread of each model's logarithms without and with its skewness, (n_models,).

    None unless the metric is a mean of independent samples without an upper bound; NaN for a model
    whose numbers are negative or mostly 0.
    """
    if not isinstance(metric, Metric) or not metric.is_mean or np.isfinite(metric.bounds).all():
        return None
    known = not evaluation.by_blocks and evaluation.units.size <= _MOST
    if not known or evaluation.access.unit != "samples" or metric.ratio is None:
        return None
    sums = np.zeros((4, len(evaluation.models)))
    negative = np.zeros(len(evaluation.models), dtype=bool)
    largest, failure = np.zeros(len(evaluation.models)), loss_of_failure(metric)
    columns = {each.statistic: each for each in evaluation.columns(slice(None), [metric])}
    for rows in evaluation.row_steps():
        found = evaluation.statistics(rows, [metric])
        ratio = metric.ratio(*(columns[each].of(found) for each in metric.statistics))
        numbers = divide(*ratio).reshape(found.shape[0], -1)
        positive = numbers > 0
        negative |= (numbers < 0).any(axis=0)
        largest = np.fmax(largest, numbers.max(axis=0))
        logs = np.log(numbers, where=positive, out=np.zeros_like(numbers))
        weights = evaluation.units.counts(rows)
        squares = logs * logs
        sums += [weights @ power for power in (positive, logs, squares, squares * logs)]
    n = np.where(negative | (2 * sums[0] < evaluation.units.size), np.nan, sums[0])
    mean, square, cube = sums[1:] / n
    spread = np.sqrt(np.maximum(square - mean**2, 0.0))
    skewness = divide(cube - 3 * mean * square + 2 * mean**3, spread**3, 0.0)
    limit = spread * (1 + _QUANTILE / np.sqrt(2 * n))
    of_upper = limit * np.clip(1 + skewness / 2, 0.0, 1.0)
    seen = (failure > 0) & (largest >= failure)
    return limit, np.where(seen, np.minimum(of_upper, WIDE), of_upper)


def heavy_models(few: BoolArray, spreads: tuple[FloatArray, FloatArray] | None) -> BoolArray:
    """Return which values have a heavy tail, of those that `few` carry, (n_models, n_values)."""
    if spreads is None:
        return few
    plain, spread = (each[:, None] for each in spreads)
    return (spread > WIDE) | (few & ~(plain <= _SQUARES))


def heavy_pairs(
    few: BoolArray, heavy: BoolArray, spreads: tuple[FloatArray, FloatArray] | None, pairs: Pairs
) -> BoolArray:
    """Return which differences have a heavy tail on one side, (n_pairs, n_values)."""
    a, b = pairs
    alone = few & ~(heavy[a] & heavy[b])
    if spreads is None:
        return alone
    spread = np.nan_to_num(spreads[1])
    low, high = np.sort([spread[a], spread[b]], axis=0)[..., None]
    return (high > WIDE) & (low < high / 2) | alone & (high < WIDE / 2)
