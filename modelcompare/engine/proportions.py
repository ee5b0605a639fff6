"""Counts behind metrics that are proportions of independent samples."""

from __future__ import annotations

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.base import Metric


def proportions(evaluation: Evaluation) -> tuple[FloatArray, FloatArray]:
    """Counts and trials whose quotients the values are, each of shape (n_models, n_values).

    Raises
    ------
    ValueError
        If a metric is not a proportion, or samples are weighted or clustered.
    """
    p = evaluation.predictions
    counted = [
        (metric, metric.proportion)
        for metric in evaluation.metrics
        if isinstance(metric, Metric) and metric.proportion is not None
    ]
    names = {metric.name for metric, _ in counted}
    others = [metric.name for metric in evaluation.metrics if metric.name not in names]
    if others or p.sample_weight is not None or p.groups is not None:
        reason = (
            f"{', '.join(others)} is not a proportion"
            if others
            else "samples are weighted or clustered"
        )
        raise ValueError(
            f"intervals of proportions do not apply: {reason}; use method='BCa' or 'logit'."
        )
    count, trials = (np.empty((len(evaluation.models), len(evaluation.keys))) for _ in range(2))
    totals = evaluation.grand_total(slice(None))
    for metric, proportion in counted:
        found = proportion(*evaluation.parts(metric, totals))
        where = evaluation.metric_slice(metric.name)
        for into, array in zip((count, trials), found, strict=True):
            into[:, where] = array if metric.per_class else array[..., None]
    return count, trials
