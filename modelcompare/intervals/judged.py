"""Intervals of values that rest on labels by people and a judge's verdicts (`engine.judged`)."""

from __future__ import annotations

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.contrasts import Contrasts
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
    judged, pairs = contrasts.sample.judged, contrasts.pairs
    assert judged is not None  # noqa: S101  of the caller
    found, parts, estimate = judged.found(pairs), [], contrasts.estimate
    shrunk, centre, variance, degrees = (
        np.reshape([getattr(each, name) for each in found], estimate.shape)
        for name in ("shrunk", "centre", "variance", "degrees")
    )
    labels = np.reshape([each.labels.sum() for each in found], (-1, 1))
    for metric in contrasts.evaluation.metrics:
        at = np.s_[:, contrasts.evaluation.metric_slice(metric.name)]
        if pairs is None and metric.bounds == (0.0, 1.0):
            size = divide(shrunk[at] * (1 - shrunk[at]), variance[at], 0.0)
            ends = _share(estimate[at], size, degrees[at], level)
            parts.append(Interval.of(*ends, SHARE))
            continue
        interval = score_interval if pairs is None else difference_interval
        given = np.sqrt(variance[at]), metric.bounds, degrees[at], labels, level
        starts = (estimate,) if pairs is None else (estimate, centre)
        low, high = zip(*(interval(start[at], *given) for start in starts), strict=True)
        parts.append(Interval.of(np.fmin.reduce(low), np.fmax.reduce(high), STUDENT))
    return Interval.joined(parts, axis=1)


def _share(estimate: FloatArray, size: FloatArray, degrees: FloatArray, level: float) -> Bounds:
    estimate = np.clip(estimate, 0.0, 1.0)
    low, high = wilson(estimate, size, t_quantile(degrees, level))
    few = proportion(estimate, np.maximum(size, 1e-9), level)
    return np.minimum(low, few[0]), np.maximum(high, few[1])
