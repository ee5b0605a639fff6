"""Metrics: statistics per sample, formulas over their sums, one registry of names.

Every registered name is a plain function too: ``modelcompare.metrics.f1_macro(y_true, y_pred)``.
"""

from collections.abc import Callable
from typing import Any

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
from modelcompare.metrics.calibration_functions import (
    brier_reliability,
    brier_resolution,
    brier_uncertainty,
    confusion_entropy,
    debiased_ece,
    ece,
    kl_divergence,
    mce,
    rms_calibration_error,
)
from modelcompare.metrics.confusion import confusion_matrix, probabilistic_confusion_matrix
from modelcompare.metrics.counts import soft_twin
from modelcompare.metrics.explain import Explanation, explain
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
    zero_one_loss,
)
from modelcompare.metrics.plain import registered_function
from modelcompare.metrics.probability_functions import (
    brier_score,
    caccuracy,
    cf1,
    cprecision,
    crecall,
    log_loss,
)
from modelcompare.metrics.rank_functions import (
    average_precision,
    mean_reciprocal_rank,
    roc_auc,
    top_k_accuracy,
)
from modelcompare.metrics.registry import (
    METRICS,
    default_metrics,
    from_callable,
    get_metric,
    resolve_metrics,
)
from modelcompare.metrics.text_functions import (
    bleu,
    cer,
    chrf,
    exact_match,
    slot_error_rate,
    span_f1,
    ter,
    wer,
)
from modelcompare.metrics.texts import text_signature
from modelcompare.metrics.value_functions import (
    explained_variance,
    kendall,
    mae,
    mean_score,
    median_absolute_error,
    mse,
    msle,
    pearson,
    perplexity,
    r2,
    rmse,
    spearman,
)

__all__ = [
    "METRICS",
    "AnyMetric",
    "BaseMetric",
    "CallableMetric",
    "Explanation",
    "Metric",
    "OrderMetric",
    "Outcomes",
    "Statistic",
    "UndefinedMetricWarning",
    "accuracy",
    "average_precision",
    "balanced_accuracy",
    "bleu",
    "brier_reliability",
    "brier_resolution",
    "brier_score",
    "brier_uncertainty",
    "caccuracy",
    "cer",
    "cf1",
    "chrf",
    "cohen_kappa",
    "confusion_entropy",
    "confusion_matrix",
    "cprecision",
    "crecall",
    "debiased_ece",
    "default_metrics",
    "ece",
    "exact_match",
    "explain",
    "explained_variance",
    "f1",
    "fbeta",
    "from_callable",
    "get_metric",
    "jaccard",
    "kendall",
    "kl_divergence",
    "log_loss",
    "mae",
    "matthews_corrcoef",
    "mce",
    "mean_reciprocal_rank",
    "mean_score",
    "median_absolute_error",
    "mse",
    "msle",
    "pearson",
    "perplexity",
    "precision",
    "probabilistic_confusion_matrix",
    "r2",
    "recall",
    "resolve_metrics",
    "rms_calibration_error",
    "rmse",
    "roc_auc",
    "slot_error_rate",
    "soft_twin",
    "span_f1",
    "spearman",
    "specificity",
    "ter",
    "text_signature",
    "top_k_accuracy",
    "wer",
    "zero_one_loss",
]


def __getattr__(name: str) -> Callable[..., Any]:
    """Make a plain function of any registered metric (PEP 562)."""
    if name not in METRICS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return registered_function(name)
