"""The most that one more unit may change a difference of metrics of counts.

Where two models agree on a class, the samples do not show what a false alarm would cost. The totals
do: a decision adds the costliest units to the data (`questions.unseen`).
"""

from __future__ import annotations

import numpy as np

from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.intervals.confusions import CellSums, Margins
from modelcompare.intervals.counts import ADDED, agreement, agreement_influences
from modelcompare.intervals.ratios import Bounds
from modelcompare.metrics.base import AnyMetric, Metric
from modelcompare.metrics.counts import COUNTS, SOFT_COUNTS
from modelcompare.metrics.quotient import ClassRatio, Quotient, divide


def extreme_influences(
    evaluation: Evaluation, metric: AnyMetric, pairs: Pairs, size: float
) -> Bounds | None:
    """Compute the lowest and the highest influence of one more unit on differences a - b.

    It is of any true class, and each model predicts any class for it, with certainty.

    Parameters
    ----------
    evaluation, metric, pairs
        Models, metric, and pairs of them.
    size : float
        Effective number of units.

    Returns
    -------
    tuple of ndarray of shape (n_pairs, n_values), or None
        As if the value were a mean over the units and the new one. None for other metrics than
        ratios of the counts of classes, their averages, MCC and kappa, and for means over parts.
    """
    of_all = evaluation.partition is None and len(evaluation.models) > 1
    if not isinstance(metric, Metric) or metric.is_of_samples or not of_all:
        return None
    formula, ratio = metric.value, metric.class_ratio
    if not isinstance(formula, Quotient) or metric.statistics not in (COUNTS, SOFT_COUNTS):
        return None
    hits, named, true = evaluation.parts(metric, evaluation.grand_total)
    margins = np.broadcast_to(true, hits.shape), named, hits
    unit = float(true[0].sum()) / size
    if ratio is not None:
        low, high = _of_classes(formula, ratio, margins, unit)
    elif agreement(metric) is not None:
        low, high = _of_agreement(formula, margins, unit)
    else:
        return None
    a, b = pairs
    times = size + 1
    return times * (low[a] - high[b]).min(axis=-1), times * (high[a] - low[b]).max(axis=-1)


def _of_classes(formula: Quotient, ratio: ClassRatio, margins: Margins, unit: float) -> Bounds:
    """Return the ends of what a unit adds to each class's value, or to an average, by its truth."""
    true, named, hits = margins
    top, bottom = (part[..., None] for part in ratio(hits, named, true))
    value = divide(top, bottom, float(np.nan_to_num(formula.by_convention)))
    more_top, more_bottom = (
        top + unit * np.array(ratio.numerator),
        bottom + unit * np.array(ratio.denominator),
    )
    # A value that stays 0 / 0 does not change.
    added = np.where(more_bottom > 0, divide(more_top, more_bottom, 0.0) - value, 0.0)
    if formula.average is None:
        # The outcomes are a hit, a miss, a false alarm and a true negative.
        of_truth = added.reshape(*true.shape, 2, 2)
        return of_truth.min(axis=-1), of_truth.max(axis=-1)
    share, values = formula.shares(hits, named, true)
    low, high = _by_truth(CellSums.of_gains(share[..., None] * added))
    if formula.average == "weighted":
        # A class that is more frequent has a larger weight.
        mean = (share * values).sum(axis=-1, keepdims=True)
        moved = (values - mean) * unit / (true.sum(axis=-1, keepdims=True) + unit)
        low, high = low + moved[:, None], high + moved[:, None]
    return low, high


def _of_agreement(formula: Quotient, margins: Margins, unit: float) -> Bounds:
    """Return the ends of what a unit adds to MCC or kappa, by its true class."""
    true, named, hits = margins
    k = true.shape[-1]
    more = ADDED * unit / k**2
    _, influence = agreement_influences(formula, (true + k * more, named + k * more, hits + more))
    low, high = _by_truth(influence)
    return unit * low, unit * high


def _by_truth(cells: CellSums) -> Bounds:
    """Return the least and the largest number of the cells of each true class, (..., 1, k)."""
    ends = []
    for pick in (np.argmin, np.argmax):
        # The best other class of all classes but that one, which has the second best.
        first = pick(cells.of_named, axis=-1)[..., None]
        left = cells.of_named.copy()
        np.put_along_axis(left, first, np.inf if pick is np.argmin else -np.inf, axis=-1)
        second = pick(left, axis=-1)[..., None]
        own = np.arange(cells.of_named.shape[-1])
        other = np.take_along_axis(cells.of_named, np.where(own == first, second, first), axis=-1)
        both = np.stack([cells.right, cells.of_true + other])
        ends.append(both.min(axis=0) if pick is np.argmin else both.max(axis=0))
    low, high = ends
    return low[..., None, :], high[..., None, :]
