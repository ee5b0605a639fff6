"""All named metrics: the records of every family, their averages and twins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from modelcompare.metrics import (
    chance,
    counts,
    quantiles,
    ranking,
    rates,
    scoring,
    values,
)
from modelcompare.metrics.base import AnyMetric, Metric
from modelcompare.plugs import rows
from modelcompare.words import Average


def names_of(metric: AnyMetric) -> Iterator[AnyMetric]:
    """Yield a metric and its averages, each followed by its soft twin."""
    averages: list[AnyMetric] = [metric]
    if isinstance(metric, Metric) and metric.has_averages:
        averages += [metric.averaged(average) for average in get_args(Average)]
    for each in averages:
        yield each
        if each.soft is not None:
            yield each.soft


_RECORDS: tuple[AnyMetric, ...] = (
    *counts.METRICS, *rates.METRICS, *scoring.METRICS, *ranking.METRICS,
    *values.METRICS, *quantiles.METRICS, *chance.METRICS, *rows("metrics"),
)  # fmt: skip
METRICS: dict[str, AnyMetric] = {
    metric.name: metric for record in _RECORDS for metric in names_of(record)
}
"""Every named metric, under the default convention: 0 / 0 is NaN."""

_WITH_OPTION: tuple[AnyMetric, ...] = (
    counts.FBETA, scoring.TOP_K_ACCURACY, quantiles.percentile_metric(),
    values.pinball_metric(), values.adjusted_r2_metric(predictors=1),
    chance.weighted_kappa_metric(),
    *(each for each in rows("metrics") if each.factory and each.family not in {"", *METRICS}),
)  # fmt: skip
FAMILIES: dict[str, AnyMetric] = {
    name: metric
    for record in _WITH_OPTION
    for name, metric in ((record.family, record), (f"c{record.family}", record.soft))
    if metric is not None
}
"""Metrics with an option in their names, by the name without it: ``fbeta``."""
