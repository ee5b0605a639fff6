"""Intervals of values that rest on labels by people and a judge's verdicts (`engine.judged`)."""

from __future__ import annotations

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.contrasts import Contrasts
from modelcompare.engine.judged import Found
from modelcompare.intervals.base import Interval
from modelcompare.intervals.influences import difference_interval, score_interval
from modelcompare.intervals.ratios import Bounds, proportion, t_quantile, wilson
from modelcompare.metrics.quotient import divide

# Names in the frames' column `method`.
SHARE, STUDENT = "judged-wilson", "judged-t"


def of_judged(contrasts: Contrasts, level: float) -> Interval:
    """Compute intervals of values, or of differences, from labels and verdicts.

    A value between 0 and 1 is a proportion whose number of trials its variance gives: Wilson's
    interval with Student's quantile, and no shorter than that of few failures. Others, and
    differences, have Student's interval. That of a difference starts from the value and from the
    value with added labels, which draw it to 0: whichever is further out.
    """
    judged = contrasts.sample.judged
    assert judged is not None  # noqa: S101  of the caller
    found, parts = judged.found(contrasts.pairs), []
    for metric in contrasts.evaluation.metrics:
        where = contrasts.evaluation.metric_slice(metric.name)
        share = contrasts.pairs is None and metric.bounds == (0.0, 1.0)
        ends = [
            _share(estimate[where], each, where, level)
            if share
            else _student(estimate[where], each, where, metric.bounds, level,
                          pair=contrasts.pairs is not None)
            for each, estimate in zip(found, contrasts.estimate, strict=True)
        ]  # fmt: skip
        shape = len(ends), where.stop - where.start
        low, high = (np.reshape([end[k] for end in ends], shape) for k in (0, 1))
        parts.append(Interval.of(low, high, SHARE if share else STUDENT))
    return Interval.joined(parts, axis=1)


def _share(estimate: FloatArray, found: Found, where: slice, level: float) -> Bounds:
    spread = found.shrunk[where] * (1 - found.shrunk[where])
    size = divide(spread, found.variance[where], 0.0)
    estimate = np.clip(estimate, 0.0, 1.0)
    low, high = wilson(estimate, size, t_quantile(found.degrees[where], level))
    few = proportion(estimate, np.maximum(size, 1e-9), level)
    return np.minimum(low, few[0]), np.maximum(high, few[1])


def _student(
    estimate: FloatArray, found: Found, where: slice, bounds: tuple[float, float], level: float,
    *, pair: bool,
) -> Bounds:  # fmt: skip
    error, degrees = np.sqrt(found.variance[where]), found.degrees[where]
    size = np.full(error.shape, found.labels.sum())
    if pair:
        ends = [
            difference_interval(start, error, bounds, degrees, size, level)
            for start in (estimate, found.centre[where])
        ]
        low, high = zip(*ends, strict=True)
        return np.fmin(*low), np.fmax(*high)
    return score_interval(estimate, error, bounds, degrees, size, level)
