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
from modelcompare.metrics.confusion import confusion_matrix, probabilistic_confusion_matrix
from modelcompare.metrics.functions import (
    accuracy,
    balanced_accuracy,
    cohen_kappa,
    f1,
    fbeta,
    jaccard,
    matthews_corrcoef,
    precision,
    recall,
    specificity,
)
from modelcompare.metrics.probability_functions import (
    brier_score,
    caccuracy,
    cf1,
    cprecision,
    crecall,
    log_loss,
)
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
    "accuracy",
    "balanced_accuracy",
    "brier_score",
    "caccuracy",
    "cf1",
    "cohen_kappa",
    "confusion_matrix",
    "cprecision",
    "crecall",
    "default_metrics",
    "f1",
    "fbeta",
    "from_callable",
    "get_metric",
    "jaccard",
    "log_loss",
    "matthews_corrcoef",
    "precision",
    "probabilistic_confusion_matrix",
    "recall",
    "resolve_metrics",
    "soft_twin",
    "specificity",
]
