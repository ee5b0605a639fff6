"""Metrics: statistics per sample, formulas over their sums, one registry of names.

Every registered name is a plain function too: ``modelcompare.metrics.f1_macro(y_true, y_pred)``.
"""

from typing import Any

from modelcompare.arguments import attribute_meant
from modelcompare.metrics.base import AnyMetric as AnyMetric
from modelcompare.metrics.base import BaseMetric as BaseMetric
from modelcompare.metrics.base import CallableMetric as CallableMetric
from modelcompare.metrics.base import Metric as Metric
from modelcompare.metrics.base import OrderMetric as OrderMetric
from modelcompare.metrics.base import Outcomes as Outcomes
from modelcompare.metrics.base import SparseDataWarning as SparseDataWarning
from modelcompare.metrics.base import Statistic as Statistic
from modelcompare.metrics.base import UndefinedMetricWarning as UndefinedMetricWarning
from modelcompare.metrics.calibration import brier_reliability as brier_reliability
from modelcompare.metrics.calibration import brier_resolution as brier_resolution
from modelcompare.metrics.calibration import brier_uncertainty as brier_uncertainty
from modelcompare.metrics.calibration import ece as ece
from modelcompare.metrics.calibration import mce as mce
from modelcompare.metrics.class_ratio import ClassRatio as ClassRatio
from modelcompare.metrics.confusion import confusion_matrix as confusion_matrix
from modelcompare.metrics.confusion import (
    probabilistic_confusion_matrix as probabilistic_confusion_matrix,
)
from modelcompare.metrics.counts import accuracy as accuracy
from modelcompare.metrics.counts import balanced_accuracy as balanced_accuracy
from modelcompare.metrics.counts import caccuracy as caccuracy
from modelcompare.metrics.counts import cf1 as cf1
from modelcompare.metrics.counts import cohen_kappa as cohen_kappa
from modelcompare.metrics.counts import cprecision as cprecision
from modelcompare.metrics.counts import crecall as crecall
from modelcompare.metrics.counts import f1 as f1
from modelcompare.metrics.counts import fbeta as fbeta
from modelcompare.metrics.counts import jaccard as jaccard
from modelcompare.metrics.counts import matthews_corrcoef as matthews_corrcoef
from modelcompare.metrics.counts import precision as precision
from modelcompare.metrics.counts import recall as recall
from modelcompare.metrics.counts import soft_twin as soft_twin
from modelcompare.metrics.counts import specificity as specificity
from modelcompare.metrics.counts import zero_one_loss as zero_one_loss
from modelcompare.metrics.debiased import debiased_ece as debiased_ece
from modelcompare.metrics.debiased import rms_calibration_error as rms_calibration_error
from modelcompare.metrics.explain import Explanation as Explanation
from modelcompare.metrics.explain import explain as explain
from modelcompare.metrics.from_file import load_metric as load_metric
from modelcompare.metrics.plain import plain as plain
from modelcompare.metrics.quotient import Quotient as Quotient
from modelcompare.metrics.ranking import average_precision as average_precision
from modelcompare.metrics.ranking import roc_auc as roc_auc
from modelcompare.metrics.ranks import kendall as kendall
from modelcompare.metrics.ranks import spearman as spearman
from modelcompare.metrics.registry import ALIASES
from modelcompare.metrics.registry import METRICS as METRICS
from modelcompare.metrics.registry import default_metrics as default_metrics
from modelcompare.metrics.registry import from_callable as from_callable
from modelcompare.metrics.registry import get_metric as get_metric
from modelcompare.metrics.registry import register as register
from modelcompare.metrics.registry import resolve_metrics as resolve_metrics
from modelcompare.metrics.scoring import brier_score as brier_score
from modelcompare.metrics.scoring import confusion_entropy as confusion_entropy
from modelcompare.metrics.scoring import kl_divergence as kl_divergence
from modelcompare.metrics.scoring import log_loss as log_loss
from modelcompare.metrics.scoring import mean_reciprocal_rank as mean_reciprocal_rank
from modelcompare.metrics.scoring import mean_score as mean_score
from modelcompare.metrics.scoring import top_k_accuracy as top_k_accuracy
from modelcompare.metrics.slots import slot_error_rate as slot_error_rate
from modelcompare.metrics.slots import span_f1 as span_f1
from modelcompare.metrics.texts import bleu as bleu
from modelcompare.metrics.texts import cer as cer
from modelcompare.metrics.texts import chrf as chrf
from modelcompare.metrics.texts import exact_match as exact_match
from modelcompare.metrics.texts import perplexity as perplexity
from modelcompare.metrics.texts import ter as ter
from modelcompare.metrics.texts import text_signature as text_signature
from modelcompare.metrics.texts import wer as wer
from modelcompare.metrics.values import explained_variance as explained_variance
from modelcompare.metrics.values import mae as mae
from modelcompare.metrics.values import median_absolute_error as median_absolute_error
from modelcompare.metrics.values import mse as mse
from modelcompare.metrics.values import msle as msle
from modelcompare.metrics.values import pearson as pearson
from modelcompare.metrics.values import r2 as r2
from modelcompare.metrics.values import rmse as rmse


def __getattr__(name: str) -> Any:
    """Make a plain function of any registered metric (PEP 562)."""
    if name not in METRICS:
        if name in ALIASES:
            message = attribute_meant(__name__, name, ())
            raise AttributeError(f"{message}; did you mean {ALIASES[name]}?")
        known = [*METRICS, *(each for each in globals() if not each.startswith("_"))]
        raise AttributeError(attribute_meant(__name__, name, known))
    function = globals()[name] = plain(METRICS[name], name=name)
    return function
