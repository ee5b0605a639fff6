"""Classes of the test set whose value is 0 / 0 in an average: their values are not known."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

import numpy as np

from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.intervals.base import Interval
from modelcompare.metrics.base import AnyMetric, Metric, without_value
from modelcompare.metrics.counts import COUNTS


def averages_counts(metric: AnyMetric) -> TypeGuard[Metric]:
    """True for an average over classes of ratios of hard counts."""
    if not isinstance(metric, Metric) or metric.average is None or metric.ratio is None:
        return False
    return set(metric.statistics) <= set(COUNTS)


def with_unknown(
    found: Interval, evaluation: Evaluation, metric: AnyMetric, pairs: Pairs | None
) -> Interval:
    """Widen intervals by how far the values of classes may be from what they count by convention.

    A class that a model never predicts counts as 0 in its mean precision, and may have a precision
    of 1. Its weight is added to the distance of the bound: joined as standard errors are, the two
    cover a precision of 1 half the time.
    """
    if not averages_counts(metric):
        return found
    totals = evaluation.parts(metric, evaluation.grand_total)
    weight, below = (part[:, None] for part in without_value(metric, *totals))
    if not weight.any():
        return found
    above, least = weight - below, 0.0
    if pairs is not None:
        (a, b), least = pairs, -1.0
        below, above = below[a] + above[b], above[a] + below[b]
    low, high = np.maximum(found.low - below, least), np.minimum(found.high + above, 1.0)
    return replace(found, low=low, high=high)
