"""Metrics: statistics per sample, formulas over their sums, one registry of names."""

from modelcompare.metrics.base import (
    AnyMetric,
    BaseMetric,
    CallableMetric,
    Metric,
    OrderMetric,
    Outcomes,
    Statistic,
    UndefinedMetricWarning,
)
from modelcompare.metrics.classification import soft_twin
from modelcompare.metrics.registry import (
    METRICS,
    default_metrics,
    from_callable,
    get_metric,
    resolve_metrics,
)

__all__ = [
    "METRICS",
    "AnyMetric",
    "BaseMetric",
    "CallableMetric",
    "Metric",
    "OrderMetric",
    "Outcomes",
    "Statistic",
    "UndefinedMetricWarning",
    "default_metrics",
    "from_callable",
    "get_metric",
    "resolve_metrics",
    "soft_twin",
]
