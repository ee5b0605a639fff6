"""Metrics: statistics per sample, formulas over their sums, one registry of names.

Every registered name is a plain function too: ``modelcompare.metrics.f1_macro(y_true, y_pred)``.
"""

from typing import Any

from modelcompare.metrics.base import (
    AnyMetric,
    BaseMetric,
    CallableMetric,
    Metric,
    OrderMetric,
    Outcomes,
    Quotient,
    Statistic,
    UndefinedMetricWarning,
)
from modelcompare.metrics.calibration import (
    brier_reliability,
    brier_resolution,
    brier_uncertainty,
    ece,
    mce,
)
from modelcompare.metrics.confusion import (
    confusion_matrix,
    probabilistic_confusion_matrix,
)
from modelcompare.metrics.counts import (
    accuracy,
    balanced_accuracy,
    caccuracy,
    cf1,
    cohen_kappa,
    cprecision,
    crecall,
    f1,
    fbeta,
    jaccard,
    matthews_corrcoef,
    precision,
    recall,
    soft_twin,
    specificity,
    zero_one_loss,
)
from modelcompare.metrics.plain import (
    plain,
)
from modelcompare.metrics.ranking import (
    average_precision,
    roc_auc,
)
from modelcompare.metrics.registry import (
    METRICS,
    Explanation,
    default_metrics,
    explain,
    from_callable,
    get_metric,
    load_metric,
    register,
    resolve_metrics,
)
from modelcompare.metrics.scoring import (
    brier_score,
    confusion_entropy,
    kl_divergence,
    log_loss,
    mean_reciprocal_rank,
    mean_score,
    top_k_accuracy,
)
from modelcompare.metrics.slots import (
    slot_error_rate,
    span_f1,
)
from modelcompare.metrics.texts import (
    bleu,
    cer,
    chrf,
    exact_match,
    perplexity,
    ter,
    text_signature,
    wer,
)
from modelcompare.metrics.values import (
    explained_variance,
    kendall,
    mae,
    median_absolute_error,
    mse,
    msle,
    pearson,
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
    "Quotient",
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
    "load_metric",
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
    "register",
    "resolve_metrics",
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


def __getattr__(name: str) -> Any:
    """Make a plain function of any registered metric (PEP 562)."""
    if name not in METRICS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = globals()[name] = plain(METRICS[name], name=name)
    return function
