"""Intervals by all that varies: as a design gives it, or beside intervals of what is at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from modelcompare.engine.contrasts import Contrasts
from modelcompare.intervals.base import Interval
from modelcompare.intervals.influences import Estimates, difference_interval, score_interval

# Name in the frames' column `method`, for a design that names no intervals.
BY_DESIGN = "design-t"


def extend_intervals(
    found: Interval, contrasts: Contrasts, level: float, name: str,
    scales: Sequence[float] | None = None,
) -> Interval:  # fmt: skip
    """Extend intervals for what is at hand to all that varies.

    Student's interval with the variance over all that varies, on the logit scale for bounded
    values. It contains the interval for what is at hand: that one knows how few items decide, and
    the rest only adds to the error. `scales` are factors of values and errors, by metric.
    """
    whole = student_intervals(contrasts, level, name, scales)
    low, high = np.fmin(found.low, whole.low), np.fmax(found.high, whole.high)
    return replace(whole, low=low, high=high, n_informative=found.n_informative)


def student_intervals(
    contrasts: Contrasts, level: float, name: str = BY_DESIGN,
    scales: Sequence[float] | None = None,
) -> Interval:  # fmt: skip
    """Compute Student's intervals with the variance over all that varies.

    They are on the logit scale for bounded values. `scales` are as for `extend_intervals`.
    """
    error, degrees = contrasts.standard_error, contrasts.degrees
    size = np.full(error.shape, float(contrasts.size))
    low, high = np.empty((2, *error.shape))
    interval = score_interval if contrasts.pairs is None else difference_interval
    for place, metric in enumerate(contrasts.evaluation.metrics):
        where = contrasts.evaluation.metric_slice(metric.name)
        scale = 1.0 if scales is None else scales[place]
        estimates = Estimates(
            contrasts.estimate[:, where] * scale, error[:, where] * scale, degrees[:, where],
            size[:, where],
        )  # fmt: skip
        low[:, where], high[:, where] = interval(estimates, metric.bounds, level)
    return Interval.of(low, high, name)
