"""Intervals of values that rest on labels by people and a judge's verdicts (`judged`)."""

from __future__ import annotations

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.contrasts import Contrasts
from modelcompare.intervals.base import Interval
from modelcompare.intervals.influences import Estimates, difference_interval, score_interval
from modelcompare.intervals.ratios import Bounds, proportion, t_quantile, wilson
from modelcompare.metrics.quotient import divide
from modelcompare.plugins.judges.design import LabelEstimator
from modelcompare.plugins.judges.judged import JudgedValues
from modelcompare.works import COCHRAN, WILSON

# Names in the frames' column `method`.
SHARE, STUDENT = "judged-wilson", "judged-t"
PHRASES = (
    (SHARE, (
        "Wilson's interval of the effective number of samples, from labels by people and a judge's "
        "verdicts (post-stratification)", (WILSON, COCHRAN))),
    (STUDENT, (
        "Student's interval from labels by people and a judge's verdicts (post-stratification)",
        (COCHRAN,))),
)  # fmt: skip


def of_judged(contrasts: Contrasts, level: float) -> Interval:
    """Compute intervals of values, or of differences, from labels and verdicts.

    A value between 0 and 1 is a proportion whose number of trials its variance gives: Wilson's
    interval with Student's quantile, and no shorter than that of few failures. Others, and
    differences, have Student's interval. That of a difference starts from the value and from the
    value with added labels, which draw it to 0: whichever is further out.
    """
    pair, parts, estimator = contrasts.pairs is not None, [], contrasts.sample.estimator
    assert isinstance(estimator, LabelEstimator)  # noqa: S101  of the design that names this
    every = estimator.judged.estimates(contrasts.pairs)
    for metric in contrasts.evaluation.metrics:
        where = contrasts.evaluation.metric_slice(metric.name)
        values = JudgedValues(*(array[:, where] for array in every))
        estimate = contrasts.estimate[:, where]
        if not pair and metric.bounds == (0.0, 1.0):
            parts.append(Interval.of(*_share(estimate, values, level), SHARE))
        else:
            ends = _student(estimate, values, metric.bounds, level, pair=pair)
            parts.append(Interval.of(*ends, STUDENT))
    return Interval.joined(parts, axis=1)


def _share(estimate: FloatArray, values: JudgedValues, level: float) -> Bounds:
    size = divide(values.shrunk * (1 - values.shrunk), values.variance, 0.0)
    estimate = np.clip(estimate, 0.0, 1.0)
    low, high = wilson(estimate, size, t_quantile(values.degrees, level))
    few = proportion(estimate, np.maximum(size, 1e-9), level)
    return np.minimum(low, few[0]), np.maximum(high, few[1])


def _student(
    estimate: FloatArray, values: JudgedValues, bounds: tuple[float, float], level: float, *,
    pair: bool,
) -> Bounds:  # fmt: skip
    interval = difference_interval if pair else score_interval
    # Of models both are the same.
    error = np.sqrt(values.variance)
    starts = [Estimates(x, error, values.degrees, values.size) for x in (estimate, values.centre)]
    low, high = zip(*(interval(start, bounds, level) for start in starts), strict=True)
    return np.fmin(*low), np.fmax(*high)
