"""Intervals for new runs of the same training procedures (`engine.runs`)."""

from __future__ import annotations

import numpy as np

from modelcompare.engine.contrasts import Contrasts
from modelcompare.intervals.base import Interval
from modelcompare.intervals.influences import (
    difference_interval,
    score_interval,
    share_of_occurring,
)

# Name in the frames' column `method`.
NAME = "items+runs-t"


def for_new_runs(found: Interval, contrasts: Contrasts, level: float) -> Interval:
    """Extend intervals for these runs to new ones.

    Student's interval with the variance over items and runs, on the logit scale for bounded values.
    It contains the interval for these runs: that one knows how few items decide, and new runs only
    add to the error.
    """
    sample, pairs = contrasts.sample, contrasts.pairs
    error, degrees = contrasts.standard_error, sample.run_degrees(pairs)
    size = np.full(error.shape, float(contrasts.evaluation.units.size))
    low, high = found.low.copy(), found.high.copy()
    interval = score_interval if pairs is None else difference_interval
    for metric in contrasts.evaluation.metrics:
        where = contrasts.evaluation.metric_slice(metric.name)
        scale = share_of_occurring(contrasts.evaluation, metric)
        ends = interval(
            contrasts.estimate[:, where] * scale, error[:, where] * scale, metric.bounds,
            degrees[:, where], size[:, where], level,
        )  # fmt: skip
        low[:, where] = np.fmin(low[:, where], ends[0])
        high[:, where] = np.fmax(high[:, where], ends[1])
    return Interval(low, high, np.full(low.shape, NAME, dtype=object), found.n_informative)
