"""Compare models on one test set: scores, paired differences, ranks, a verdict."""

from modelcompare.comparison.assembly import compare
from modelcompare.comparison.replicates import BootstrapResult, bootstrap
from modelcompare.comparison.result import Comparison, MetricInfo

__all__ = ["BootstrapResult", "Comparison", "MetricInfo", "bootstrap", "compare"]
