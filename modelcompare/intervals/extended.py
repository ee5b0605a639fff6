"""Intervals extended by a larger error: for more than the items at hand, or for new test sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from modelcompare.engine.contrasts import Contrasts
from modelcompare.intervals.base import Interval
from modelcompare.intervals.influences import Estimates, difference_interval, score_interval


def extend_intervals(
    found: Interval, contrasts: Contrasts, level: float, name: str,
    scales: Sequence[float] | None = None,
) -> Interval:  # fmt: skip
    """Extend intervals for what is at hand to all that varies.

    Student's interval with the variance over all that varies, on the logit scale for bounded
    values. It contains the interval for what is at hand: that one knows how few items decide, and
    the rest only adds to the error. `scales` are factors of values and errors, by metric.
    """
    error, degrees = contrasts.standard_error, contrasts.degrees
    size = np.full(error.shape, float(contrasts.size))
    low, high = found.low.copy(), found.high.copy()
    interval = score_interval if contrasts.pairs is None else difference_interval
    for place, metric in enumerate(contrasts.evaluation.metrics):
        where = contrasts.evaluation.metric_slice(metric.name)
        scale = 1.0 if scales is None else scales[place]
        estimates = Estimates(
            contrasts.estimate[:, where] * scale, error[:, where] * scale, degrees[:, where],
            size[:, where],
        )  # fmt: skip
        ends = interval(estimates, metric.bounds, level)
        low[:, where] = np.fmin(low[:, where], ends[0])
        high[:, where] = np.fmax(high[:, where], ends[1])
    return Interval(low, high, np.full(low.shape, name, dtype=object), found.n_informative)
