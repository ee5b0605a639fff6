"""All metrics of texts."""

from modelcompare.metrics.base import AnyMetric
from modelcompare.plugins.texts import error_rates, scores, slots

METRICS: tuple[AnyMetric, ...] = (*error_rates.METRICS, *scores.METRICS, *slots.METRICS)
