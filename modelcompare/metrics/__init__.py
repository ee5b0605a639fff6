"""Metrics: statistics per sample, formulas over their sums, one registry of names.

Every registered name is a plain function too: ``modelcompare.metrics.f1_macro(y_true, y_pred)``.
"""

from typing import Any

from modelcompare import plugs
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
from modelcompare.metrics.confusion import confusion_matrix as confusion_matrix
from modelcompare.metrics.confusion import (
    probabilistic_confusion_matrix as probabilistic_confusion_matrix,
)
from modelcompare.metrics.counts import soft_twin as soft_twin
from modelcompare.metrics.named import FAMILIES
from modelcompare.metrics.named import METRICS as METRICS
from modelcompare.metrics.plain import plain as plain
from modelcompare.metrics.quotient import ClassRatio as ClassRatio
from modelcompare.metrics.quotient import Quotient as Quotient
from modelcompare.metrics.registry import default_metrics as default_metrics
from modelcompare.metrics.registry import from_callable as from_callable
from modelcompare.metrics.registry import get_metric as get_metric
from modelcompare.metrics.registry import register as register
from modelcompare.metrics.registry import resolve_metrics as resolve_metrics
from modelcompare.metrics.terms import spellings
from modelcompare.spelling import did_you_mean


def __getattr__(name: str) -> Any:
    """Make a plain function of any registered metric (PEP 562)."""
    metric = METRICS.get(name) or FAMILIES.get(name)
    if metric is None:
        if name in plugs.public(__name__) or plugs.needed(f"metrics.{name}"):
            return plugs.attribute(__name__, name)
        if meant := [each for each in spellings(name) if each in METRICS]:
            message = attribute_meant(__name__, name, ())
            raise AttributeError(f"{message}; {did_you_mean(meant[:1])}")
        raise AttributeError(attribute_meant(__name__, name, __dir__()))
    function = globals()[name] = plain(metric, name=name)
    return function


def __dir__() -> list[str]:
    own = (name for name in globals() if not name.startswith("_"))
    return [*METRICS, *FAMILIES, *own, *plugs.public(__name__)]
