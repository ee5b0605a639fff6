"""Tails that a few samples determine: those that are seen, and those that data may hide.

Where few samples carry the variance, ``(sum u^2)^2 / sum u^4`` of the influences u, an extreme one
was seen; intervals of lognormal means then cover nearly always, and those of the test sets in which
none was seen cover too little (sigma 1, n = 50: 0.89 of 0.95; n = 15: 0.71). So means of positive
numbers without an upper bound are judged by the spread of their logarithms, which hardly depends on
the largest: above `WIDE`, larger numbers than any seen may decide the mean. The spread is less for
logarithms that are skewed to the left, whose upper tail is lighter, as that of exponential numbers.
Logarithms of log losses spread as right answers cost little, which does not bear on wrong ones:
if one was seen, they count only where few samples carry the variance.

Squares of errors spread so far even if errors are normal. Their tail is seen by their variance over
their squared mean, ``n sum x^2 / (sum x)^2 - 1``. It decides root mean squared errors as it does
their squares, and R squared by the squares of the errors and by those of the true values.

A difference has such a tail if one model has it and the other does not: two equal ones lie on both
sides of 0, and do not reduce coverage.
"""

from __future__ import annotations

import math
from typing import NamedTuple

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
# The same of all logarithms, however skewed, from which numbers vary like squares: those of normal
# errors have 2.2, exponential numbers 1.3. Logarithms of squares spread twice as much as those of
# sizes, and of few samples by chance, so that their limit is higher; but their variance over their
# squared mean is 2 of normal errors, by chance up to 10 / sqrt(n) more, and infinite of t with
# three degrees of freedom. It counts where less than so many units carry the value's variance.
_SQUARES, _WIDE_SQUARES, _CARRIERS = 2.0, 2.0, 30.0
_NORMAL_SQUARES, _BY_CHANCE, _VARIED = 2.0, 10.0, 3.0
# One-sided normal quantile of the limits.
_QUANTILE = 1.64
# Units above which their logarithms would cost time; few of so many carry the variance if it hides.
_MOST = 100_000


class Spreads(NamedTuple):
    """Spreads of the numbers that decide each model's value, each (n_models,).

    Parameters
    ----------
    plain, upper : ndarray
        Upper limits of the spread of their logarithms, without and with its skewness.
    variation : ndarray
        Their variance over their squared mean.
    """

    plain: FloatArray
    upper: FloatArray
    variation: FloatArray


def spreads_of(evaluation: Evaluation, metric: AnyMetric) -> Spreads | None:
    """Return the spreads of a metric's numbers; of several numbers the largest.

    None unless the metric is a mean of independent samples without an upper bound, or depends on
    such numbers as r2 on squared errors; NaN for a model whose numbers are negative or mostly 0.
    """
    if not isinstance(metric, Metric) or np.isfinite(metric.bounds).all():
        return None
    known = not evaluation.by_blocks and evaluation.units.size <= _MOST
    if not known or evaluation.access.unit != "samples":
        return None
    if metric.losses is None and not metric.is_mean:
        return None
    sums, negative, largest = np.zeros((6, 1, 1)), np.zeros(1, dtype=bool), np.zeros(1)
    for rows in evaluation.row_steps():
        numbers = _numbers(evaluation, metric, rows)
        positive = numbers > 0
        negative = negative | (numbers < 0).any(axis=1)
        largest = np.fmax(largest, numbers.max(axis=1))
        logs = np.log(numbers, where=positive, out=np.zeros_like(numbers))
        weights, squares = evaluation.units.counts(rows), logs * logs
        powers = positive, logs, squares, squares * logs, numbers, numbers**2
        sums = sums + np.stack([weights @ power for power in powers])
    size, failure = evaluation.units.size, loss_of_failure(metric)
    n = np.where(negative | (2 * sums[0] < size), np.nan, sums[0])
    mean, square, cube = sums[1:4] / n
    spread = np.sqrt(np.maximum(square - mean**2, 0.0))
    skewness = divide(cube - 3 * mean * square + 2 * mean**3, spread**3, 0.0)
    limit = spread * (1 + _QUANTILE / np.sqrt(2 * n))
    of_upper = limit * np.clip(1 + skewness / 2, 0.0, 1.0)
    seen = (failure > 0) & (largest >= failure)
    upper = np.where(seen, np.minimum(of_upper, WIDE), of_upper)
    variation = divide(size * sums[5], sums[4] ** 2) - 1
    return Spreads(*(np.fmax.reduce(each) for each in (limit, upper, variation)))


def _numbers(evaluation: Evaluation, metric: Metric, rows: slice) -> FloatArray:
    """Return the numbers whose tails decide a metric's values, (n_kinds, n_rows, n_models)."""
    columns = {each.statistic: each for each in evaluation.columns(slice(None), [metric])}
    found = evaluation.statistics(rows, [metric])
    statistics = [columns[each].of(found) for each in metric.statistics]
    if metric.losses is not None:
        every = metric.losses(*statistics)
    else:
        assert metric.ratio is not None  # noqa: S101  a mean
        every = [divide(*metric.ratio(*statistics))]
    return np.stack([each.reshape(found.shape[0], -1) for each in np.broadcast_arrays(*every)])


def heavy_models(
    few: BoolArray, carriers: FloatArray, spreads: Spreads | None, n_units: float
) -> BoolArray:
    """Return which values have a heavy tail, (n_models, n_values).

    Parameters
    ----------
    few : ndarray of bool of shape (n_models, n_values)
        Values whose variance few units carry, all on one side.
    carriers : ndarray of shape (n_models, n_values)
        Units that carry their variance.
    spreads : Spreads, optional
        Spreads of the models' numbers.
    n_units : float
        Number of samples.
    """
    if spreads is None:
        return few
    plain, upper, variation = (each[:, None] for each in spreads)
    varied = (carriers < _CARRIERS) & ~(variation <= most_varied(n_units))
    heavy = np.where(plain <= _SQUARES, upper > WIDE, (upper > _WIDE_SQUARES) | varied)
    return np.where(np.isnan(plain), few, heavy)


def most_varied(n_units: float) -> float:
    """Return the largest variance of squares, over their squared mean, without a heavy tail."""
    return max(_VARIED, _NORMAL_SQUARES + _BY_CHANCE / math.sqrt(n_units))


def heavy_pairs(
    few: BoolArray, heavy: BoolArray, spreads: Spreads | None, pairs: Pairs
) -> BoolArray:
    """Return which differences have a heavy tail on one side, (n_pairs, n_values)."""
    a, b = pairs
    alone = few & ~(heavy[a] & heavy[b])
    if spreads is None:
        return alone
    plain = np.fmax(spreads.plain[a], spreads.plain[b])[:, None]
    low, high = np.sort(np.nan_to_num([spreads.upper[a], spreads.upper[b]]), axis=0)[..., None]
    apart = (high > WIDE) & (low < high / 2)
    of_squares = (heavy[a] != heavy[b]) & (few | apart)
    return np.where(plain > _SQUARES, of_squares, apart | alone & (high < WIDE / 2))
